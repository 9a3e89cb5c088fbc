import { judgeCall, settle, type AdapterOptions } from "../adapters/judge.ts";
import { adapted, type AnyGuard } from "../adapters/guards.ts";
import type { ConsoleTool, InputSchema, ToolOutput } from "../toolset/tool.ts";

export type { ToolFacts } from "@assent/guard/engine";
export type { AdapterOptions } from "../adapters/judge.ts";

/** What `toolApproval` of the AI SDK 7 answers: nothing lets the tool run. */
export type ToolApproval = undefined | { readonly type: "denied" | "user-approval"; readonly reason: string };

/** A call as the AI SDK describes it. */
export interface CallOfModel {
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
}

/**
 * `toolApproval` for `generateText`, `streamText` and `ToolLoopAgent` of the AI SDK 7: every call is judged by the policy.
 * Denied calls are not executed and the model reads why; questions become the SDK's own `tool-approval-request`, or are
 * answered at once by `onAsk`. Never rejects: that would end the whole generation.
 *
 * ```ts
 * const guard = openGuard({ cwd: "/repo" });
 * const facts = { bash: { does: "shell", field: "command" } } as const;
 * await generateText({ model, tools, prompt, toolApproval: guardTools(guard, { facts }) });
 * ```
 */
export function guardTools(given: AnyGuard, told: AdapterOptions = {}): (call: CallOfModel) => Promise<ToolApproval> {
  const { guard, options } = adapted("guardTools", given, told);
  return async ({ toolCall: { toolName: tool, input } }) => {
    const judged = judgeCall(guard, options, { tool, input });
    if (judged.decision === "ask" && options.onAsk === undefined) return { type: "user-approval", reason: judged.reason };
    const settled = await settle(judged, { approved: false, onAsk: options.onAsk });
    return settled.run ? undefined : { type: "denied", reason: settled.reason };
  };
}

/** A console tool as the AI SDK takes it. */
export interface AiTool<Schema> {
  readonly description: string;
  readonly inputSchema: Schema;
  readonly execute: (
    input: unknown,
    call: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<ToolOutput>;
}

/**
 * The console toolset for the AI SDK 7: `tools`, and the `toolApproval` that belongs to them. What the SDK has asked about
 * is not asked again; what it has not asked about is asked by the backend. `jsonSchema` is the SDK's own function.
 *
 * ```ts
 * import { generateText, jsonSchema } from "ai";
 * const { tools, toolApproval } = consoleTools(createConsoleToolset(backend), jsonSchema);
 * await generateText({ model, prompt, tools, toolApproval });
 * ```
 */
export function consoleTools<Schema>(
  toolset: readonly ConsoleTool[],
  jsonSchema: (schema: InputSchema) => Schema,
): {
  readonly tools: Readonly<Record<string, AiTool<Schema>>>;
  readonly toolApproval: (call: CallOfModel) => ToolApproval;
} {
  /** Calls that the SDK does not execute before a person has approved them, with the input they were asked about. */
  const asked = new Map<string, string>();
  const byName = new Map(toolset.map((tool) => [tool.name, tool]));
  const tools = toolset.map(({ name, description, inputSchema, execute }): readonly [string, AiTool<Schema>] => [
    name,
    {
      description,
      inputSchema: jsonSchema(inputSchema),
      execute: async (input, { toolCallId, abortSignal }) => {
        const approved = asked.get(toolCallId) === JSON.stringify([name, input]);
        asked.delete(toolCallId);
        return await execute(input, { approved, ...(abortSignal === undefined ? {} : { signal: abortSignal }) });
      },
    },
  ]);
  return {
    tools: Object.fromEntries(tools),
    toolApproval: ({ toolCall: { toolName, toolCallId, input } }) => {
      if (byName.get(toolName)?.needsApproval(input) !== true) return undefined;
      asked.set(toolCallId, JSON.stringify([toolName, input]));
      return { type: "user-approval", reason: `${toolName} needs the approval of a person` };
    },
  };
}
