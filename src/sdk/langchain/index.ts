/** `assent/langchain`: permissions for agents of langchain 1 (`createAgent`). */
import { createMiddleware, ToolMessage, type AgentMiddleware } from "langchain";
import { isObject } from "../../data/index.ts";
import { judgeCall, questionOf, settle, type AdapterOptions, type Judged } from "../adapters/judge.ts";
import { listIn } from "../adapters/members.ts";
import { adapted, type AnyGuard } from "../adapters/guards.ts";

export type { ToolFacts } from "../../engine/index.ts";
export type { AdapterOptions } from "../adapters/judge.ts";

/** What an interrupted run shows, in the form of LangChain's own human-in-the-loop middleware. Texts are free of control characters. */
export interface ReviewRequest {
  readonly actionRequests: readonly [
    { readonly name: string; readonly args: Readonly<Record<string, unknown>>; readonly description: string },
  ];
  readonly reviewConfigs: readonly [{ readonly actionName: string; readonly allowedDecisions: readonly ["approve", "edit", "reject"] }];
}

/** What a run is resumed with: `new Command({ resume: { decisions: [{ type: "approve" }] } })`. Anything else is a no. */
export interface ReviewResponse {
  readonly decisions: readonly [ReviewDecision];
}

/** The answer to one question. An edited call is judged once more: what is denied stays denied. */
export type ReviewDecision =
  | { readonly type: "approve" }
  | { readonly type: "edit"; readonly editedAction: { readonly name: string; readonly args: Readonly<Record<string, unknown>> } }
  | { readonly type: "reject"; readonly message?: string };

/**
 * Middleware for `createAgent`: every call of a tool is judged by the policy. Denied calls are not run and the model reads
 * why, in a message of the tool with the status `error`. Questions become interrupts, each about one call (the agent needs a
 * checkpointer); with `onAsk` they are answered at once.
 *
 * ```ts
 * const guard = openGuard({ cwd: "/repo" });
 * const facts = { bash: { does: "shell", field: "command" } } as const;
 * const agent = createAgent({ model, tools: [bash], middleware: [permissionMiddleware(guard, { facts })], checkpointer: new MemorySaver() });
 * const { __interrupt__: asked } = await agent.invoke({ messages }, config);
 * await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), config);
 * ```
 */
export function permissionMiddleware(given: AnyGuard, told: AdapterOptions = {}): AgentMiddleware {
  const { guard, options } = adapted(given, told);
  return createMiddleware({
    name: "AssentPermissions",
    wrapToolCall: async (request, handler) => {
      const { name, id = "", args } = request.toolCall;
      const refused = (content: string): ToolMessage => new ToolMessage({ content, name, tool_call_id: id, status: "error" });
      const { signal } = request.runtime;
      const judged = judgeCall(guard, options, { tool: name, input: args });
      const reviewed = judged.decision === "ask" && options.onAsk === undefined ? review(judged, request.runtime) : undefined;
      if (reviewed?.type === "reject") return refused(reviewed.message ?? `the user refused: ${judged.reason}`);
      if (reviewed?.type === "edit") {
        const { name: tool, args: input } = reviewed.editedAction;
        // Another tool than the one at hand cannot be run from here.
        if (tool !== name) return refused(`the user refused: ${tool} takes another call than ${name}`);
        const settled = await settle(judgeCall(guard, options, { tool, input }), { approved: true, onAsk: undefined, signal });
        return settled.run ? await handler({ ...request, toolCall: { ...request.toolCall, args: { ...input } } }) : refused(settled.reason);
      }
      const settled = await settle(judged, { approved: reviewed?.type === "approve", onAsk: options.onAsk, signal });
      return settled.run ? await handler(request) : refused(settled.reason);
    },
  });
}

/** Puts the question by an interrupt. Undefined: this run cannot be interrupted. */
function review(judged: Judged, runtime: object): ReviewDecision | undefined {
  const interrupt: unknown = Reflect.get(runtime, "interrupt");
  const { tool: name, input } = judged.from;
  if (typeof interrupt !== "function" || !isObject(input)) return undefined;
  const request: ReviewRequest = {
    actionRequests: [{ name, args: input, description: questionOf(judged) }],
    reviewConfigs: [{ actionName: name, allowedDecisions: ["approve", "edit", "reject"] }],
  };
  try {
    // oxlint-disable-next-line typescript/no-unsafe-call -- langgraph's own; it throws what stops the run until it is resumed
    const answer: unknown = interrupt(request);
    return decisionIn(answer);
  } catch (error) {
    if (isObject(error) && error["lc_error_code"] === "MISSING_CHECKPOINTER") return undefined;
    throw error;
  }
}

/** What a person has answered: an approval only where nothing else can be meant. */
function decisionIn(answer: unknown): ReviewDecision {
  const [decision, ...more] = listIn(isObject(answer) ? answer["decisions"] : undefined);
  if (!isObject(decision) || more.length > 0) return { type: "reject" };
  if (decision["type"] === "approve") return { type: "approve" };
  const { message, editedAction: edited } = decision;
  if (decision["type"] === "edit" && isObject(edited) && typeof edited["name"] === "string" && isObject(edited["args"]))
    return { type: "edit", editedAction: { name: edited["name"], args: edited["args"] } };
  return typeof message === "string" ? { type: "reject", message } : { type: "reject" };
}
