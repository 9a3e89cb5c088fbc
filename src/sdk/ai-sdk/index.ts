import type { Input, ToolFacts } from "../../guard/index.ts";
import type { Guard } from "../guard/open-guard.ts";
import type { ConsoleTool, InputSchema, ToolOutput } from "../toolset/index.ts";

/** What `toolApproval` of the AI SDK 7 answers: nothing lets the tool run. */
export type ToolApproval = undefined | { readonly type: "denied" | "user-approval"; readonly reason: string };

/** A call as the AI SDK describes it. */
export interface CallOfModel {
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
}

/** What is known of the tools. */
export interface GuardToolsOptions {
  /**
   * What tools do, by their names: `{ bash: { does: "shell", field: "command" } }`. A tool without facts is judged by its
   * name and fields.
   */
  readonly facts?: Readonly<Record<string, ToolFacts>>;
}

/**
 * `toolApproval` for `generateText`, `streamText` and `ToolLoopAgent` of the AI SDK 7: every call is judged by the policy.
 * Denied calls are not executed and the model reads why; questions become the SDK's own `tool-approval-request`.
 *
 * ```ts
 * const guard = openGuard({ cwd: "/repo" });
 * const facts = { bash: { does: "shell", field: "command" } } as const;
 * await generateText({ model, tools, prompt, toolApproval: guardTools(guard, { facts }) });
 * ```
 */
export function guardTools(guard: Guard, { facts = {} }: GuardToolsOptions = {}): (call: CallOfModel) => ToolApproval {
  return ({ toolCall: { toolName, input } }) => {
    // A throw would end the whole generation.
    if (!isInput(input)) return { type: "denied", reason: "the tool's input is no object" };
    const known = Object.hasOwn(facts, toolName) ? facts[toolName] : undefined;
    const { decision, modelReason } = guard.decide({ tool: toolName, input, ...(known === undefined ? {} : { facts: known }) });
    if (decision === "allow") return undefined;
    return { type: decision === "deny" ? "denied" : "user-approval", reason: modelReason };
  };
}

const isInput = (value: unknown): value is Input => typeof value === "object" && value !== null && !Array.isArray(value);

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
