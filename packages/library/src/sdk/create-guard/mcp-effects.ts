import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { type GuardCall, GuardCallError } from "./call.ts";

/** What `mcpEffects` is told. */
export interface McpEffectOptions {
  /** What stands before the server's own names in those that the model calls: `github_` of `github_create_issue`. */
  readonly prefix?: string;
}

/**
 * The effects of whatever tools a server of the Model Context Protocol has: each call is one of `mcp__server__tool`, by which rules know it.
 * Total: a tool that the server has only since today is judged as well.
 *
 * ```ts
 * const tools = await client.tools();
 * const agent = new ToolLoopAgent({ model, tools, toolApproval: guard.aiSdk(mcpEffects("github", tools)) });
 * ```
 */
export function mcpEffects<Name extends string>(
  server: string,
  tools: Readonly<Record<Name, unknown>> | readonly { readonly name: Name }[],
  { prefix = "" }: McpEffectOptions = {},
): { readonly [Known in Name]: (input: unknown) => GuardCall } {
  if (typeof server !== "string" || server === "") throw new GuardCallError("mcpEffects: the server has no name");
  if (!isObject(tools) && !Array.isArray(tools))
    throw new GuardCallError("mcpEffects: the server's tools are a list, or an object by their names");
  const names: readonly unknown[] = Array.isArray(tools)
    ? tools.map((tool: { readonly name: Name } | null) => tool?.name)
    : Object.keys(tools);
  const effects = names.map((name) => {
    if (typeof name !== "string" || !name.startsWith(prefix) || name === prefix)
      throw new GuardCallError(`mcpEffects: the tool \`${visible(String(name))}\` has no name behind \`${visible(prefix)}\``);
    const tool = name.slice(prefix.length);
    return [name, (input: unknown): GuardCall => ({ mcp: { server, tool, input } })] as const;
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names
  return Object.fromEntries(effects) as { readonly [Known in Name]: (input: unknown) => GuardCall };
}
