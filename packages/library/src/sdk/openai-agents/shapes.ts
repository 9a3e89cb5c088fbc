import { isObject, parseJson } from "@assent/core/data";

// What the adapter needs of @openai/agents 0.20: its tools and runs by their form, so that nothing is imported.

/** A tool of the SDK. */
export interface AgentTool {
  readonly type: string;
  readonly name: string;
}

/** The context of a run, as far as approvals go. */
export interface RunApprovals {
  isToolApproved(call: { readonly toolName: string; readonly callId: string }): boolean | undefined;
}

/** Whether a call has to be approved by a person before it runs. */
export type NeedsApproval = (context: unknown, input: unknown, callId?: string) => Promise<boolean>;

/** What a guardrail is given. */
export interface GuardedCall {
  readonly context: RunApprovals;
  readonly toolCall: { readonly name: string; readonly callId: string; readonly arguments: string };
}

/** A guardrail on the input of a tool, as the SDK takes it. */
export interface InputGuardrail {
  type: "tool_input";
  name: string;
  run(call: GuardedCall): Promise<{ behavior: { type: "allow" } | { type: "rejectContent"; message: string } }>;
}

/** Arguments as the model wrote them; undefined where they are no JSON. */
export function argumentsOf(text: unknown): unknown {
  if (typeof text !== "string") return isObject(text) ? text : undefined;
  const value = parseJson(text === "" ? "{}" : text);
  return value;
}
