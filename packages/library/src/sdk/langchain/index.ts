import { isObject } from "@assent/core/data";
import { type AdapterOptions, commandFieldIn, type Judged, judgeCall, RecentCalls, settle, questionOf } from "../adapters/judge.ts";
import { adapted, type AnyGuard } from "../adapters/guards.ts";
import { GuardOptionError } from "../common/options.ts";
import { messageOf } from "../common/read-answer.ts";
import { listIn, signalIn } from "../common/members.ts";
import type { ModelCall, PermissionMiddleware, ReviewDecision, ReviewRequest } from "./shapes.ts";

/** `assent/langchain`: permissions for agents of langchain 1 (`createAgent`). */
export type { ToolFacts } from "@assent/guard/engine";
export type { AdapterOptions } from "../adapters/judge.ts";
export type {
  ModelCall,
  PermissionMiddleware,
  ReviewAction,
  ReviewChoice,
  ReviewDecision,
  ReviewRequest,
  ReviewResponse,
  WrappedCall,
} from "./shapes.ts";

/**
 * Middleware for `createAgent`: every call of a tool is judged by the policy. Denied calls are not run and the model reads why, in a
 * message of the tool with the status `error`. The questions of one step are one interrupt, in the model's order (the agent needs a
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
export function permissionMiddleware(given: AnyGuard, told: AdapterOptions = {}): PermissionMiddleware {
  const { guard, options } = adapted("permissionMiddleware", given, told);
  const recent = new RecentCalls();
  const answers = new StepAnswers();
  const judge = ({ name, args }: Pick<ModelCall, "name" | "args">): Judged =>
    judgeCall(guard, options, { tool: name, input: args }, {}, commandFieldIn(options, name));
  const keyIn = (runtime: object, { name, id = "" }: ModelCall): string => `${threadOf(runtime)} ${name} ${id}`;
  const judgeOnce = (runtime: object, call: ModelCall): Judged => {
    const key = keyIn(runtime, call);
    return recent.justNow(answers, key, call.args) ?? recent.note(answers, key, judge(call));
  };
  const middleware: PermissionMiddleware = {
    name: "AssentPermissions",

    /** What is asked about is said in the model's message, before anybody is asked: so it is the same when the step is played again. */
    async wrapModelCall(request, handler) {
      const message = await handler(request);
      await guard.ready?.();
      if (options.onAsk === undefined) noteAsks(message, (call) => judgeOnce(runtimeIn(request), call).decision === "ask");
      return message;
    },

    async afterModel(state, runtime) {
      await guard.ready?.();
      const thread = threadOf(runtime);
      answers.forget(thread);
      const message = lastOfModel(state);
      const calls = message === undefined || options.onAsk !== undefined ? [] : asksOf(message, state);
      if (message === undefined || calls.length === 0) return undefined;
      const decisions = interruptAbout(
        calls.map((call) => judgeOnce(runtime, call)),
        runtime,
      );
      // Without a checkpointer: refused where it would run.
      if (decisions === undefined) return await Promise.resolve(undefined);
      // A person has thought meanwhile: what runs is judged once more.
      recent.forget(answers);
      const edits = new Map<ModelCall, ModelCall>();
      for (const [at, call] of calls.entries()) {
        const decision = decisions[at] ?? { type: "reject" };
        if (decision.type !== "edit") answers.note(thread, call, decision);
        else {
          const edited = { ...call, ...decision.editedAction };
          edits.set(call, edited);
          answers.note(thread, edited, { type: "approve" });
        }
      }
      return edits.size === 0 ? undefined : replacing<typeof state>(editedMessage(message, edits));
    },

    async wrapToolCall<Asked extends { readonly toolCall: ModelCall; readonly runtime: object }, Given>(
      request: Asked,
      handler: (request: Asked) => Given | Promise<Given>,
    ): Promise<Given> {
      const { toolCall, runtime } = request;
      const { name, args } = toolCall;
      const refused = async (content: string): Promise<Given> => await refusal<Given>(toolCall, content);
      await guard.ready?.();
      const judged = judgeOnce(runtime, toolCall);
      recent.spend(answers, keyIn(runtime, toolCall), judged);
      const step = answers.take(threadOf(runtime), toolCall);
      // A question that came up only now is put by itself.
      const asked = step === undefined && judged.decision === "ask" && options.onAsk === undefined && isObject(args);
      const reviewed = step ?? (asked ? interruptAbout([judged], runtime)?.[0] : undefined);
      if (reviewed?.type === "reject") return await refused(reviewed.message ?? `the user refused: ${judged.reason}`);
      const edited = reviewed?.type === "edit" ? reviewed.editedAction : undefined;
      // Another tool than the one at hand cannot be run from here.
      if (edited !== undefined && edited.name !== name)
        return await refused(`the user refused: ${edited.name} takes another call than ${name}`);
      const settled = await settle(edited === undefined ? judged : judge(edited), {
        approved: reviewed !== undefined,
        onAsk: options.onAsk,
        ...signalIn(runtime),
        judgeEdited: (input) => judge({ name, args: input }),
      });
      if (!settled.run) return await refused(settled.reason);
      const input = settled.input ?? edited?.args;
      return await handler(input === undefined ? request : { ...request, toolCall: { ...toolCall, args: { ...input } } });
    },
  };
  // How langchain knows its own.
  return Object.assign(middleware, { [Symbol.for("AgentMiddleware")]: true });
}

/** Calls of one step that have been answered. */
const MOST_ANSWERS = 10_000;

/** What was answered about the calls of a step that are about to run: each once, and no longer than until the next step of its thread. */
class StepAnswers {
  readonly #answers = new Map<string, Map<string, Exclude<ReviewDecision, { type: "edit" }>>>();

  note(thread: string, call: ModelCall, decision: Exclude<ReviewDecision, { type: "edit" }>): void {
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= MOST_ANSWERS && oldest !== undefined && !this.#answers.has(thread)) this.#answers.delete(oldest);
    const of = this.#answers.get(thread) ?? new Map<string, Exclude<ReviewDecision, { type: "edit" }>>();
    this.#answers.set(thread, of);
    const key = keyOf(call);
    // Two calls that nothing tells apart: a no to one of them is one to both.
    if (of.get(key)?.type !== "reject") of.set(key, decision);
  }

  take(thread: string, call: ModelCall): Exclude<ReviewDecision, { type: "edit" }> | undefined {
    const of = this.#answers.get(thread);
    const key = keyOf(call);
    const found = of?.get(key);
    if (found?.type === "approve") of?.delete(key);
    return found;
  }

  forget(thread: string): void {
    this.#answers.delete(thread);
  }
}

/** INVARIANT: an answer is for this very call: its name, its input and its id. */
const keyOf = ({ id = "", name, args }: ModelCall): string => JSON.stringify([id, name, args]);

function threadOf(runtime: object): string {
  const configurable: unknown = Reflect.get(runtime, "configurable");
  const thread = isObject(configurable) ? configurable["thread_id"] : undefined;
  const place = isObject(configurable) ? configurable["checkpoint_ns"] : undefined;
  // Without the node's own part: an agent that another one calls as a tool has steps of its own.
  const graph = typeof place === "string" ? place.slice(0, Math.max(0, place.lastIndexOf("|"))) : "";
  return JSON.stringify([typeof thread === "string" || typeof thread === "number" ? String(thread) : "", graph]);
}

function runtimeIn(request: unknown): object {
  const runtime = isObject(request) ? request["runtime"] : undefined;
  return isObject(runtime) ? runtime : {};
}

/** A message of the same id takes the place of the one that is there. */
function replacing<State>(message: ModelMessage): Partial<State> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- langchain's own messages: it makes one of this
  return { messages: [message] } as unknown as Partial<State>;
}

/** What the model reads in the place of a result. */
async function refusal<Given>({ name, id = "" }: ModelCall, content: string): Promise<Given> {
  try {
    const { ToolMessage } = await import("langchain");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the handler gives is a message of the tool, too
    return new ToolMessage({ content, name, tool_call_id: id, status: "error" }) as Given;
  } catch (error) {
    throw new GuardOptionError("middleware", `the package \`langchain\` must be where \`assent\` finds it: ${messageOf(error)}`);
  }
}

/** A message of the model's that calls tools, as far as it is used. */
type ModelMessage = Readonly<Record<string, unknown>>;

/** Where a message says which of its calls are asked about: no provider is sent it. */
const NOTE = "assent";

const isCall = (call: unknown): call is ModelCall => isObject(call) && typeof call["name"] === "string";
const isOfModel = (message: unknown): message is ModelMessage => isObject(message) && message["type"] === "ai";

const callsOf = (message: ModelMessage): readonly ModelCall[] => listIn(message["tool_calls"]).filter(isCall);

/** What the model gives as its answer in a form it was told: no tool of that name is run. */
const isAnswer = ({ name }: ModelCall): boolean => name.startsWith("extract-");

/** Writes down which calls of a message are asked about. */
function noteAsks(message: unknown, isAsked: (call: ModelCall) => boolean): void {
  if (!isOfModel(message)) return;
  const asked = callsOf(message).filter((call) => !isAnswer(call) && isAsked(call));
  if (asked.length === 0) return;
  const metadata: unknown = message["response_metadata"];
  Reflect.set(message, "response_metadata", { ...(isObject(metadata) ? metadata : {}), [NOTE]: { asks: asked.map(({ id = "" }) => id) } });
}

/** The last message of the model. */
const lastOfModel = (state: object): ModelMessage | undefined => listIn(Reflect.get(state, "messages")).findLast(isOfModel);

/** Its calls that are asked about and have no result yet. */
function asksOf(message: ModelMessage, state: object): readonly ModelCall[] {
  const metadata: unknown = message["response_metadata"];
  const note = isObject(metadata) ? metadata[NOTE] : undefined;
  const asked = new Set(listIn(isObject(note) ? note["asks"] : undefined));
  const answered = new Set(listIn(Reflect.get(state, "messages")).map((one) => (isObject(one) ? one["tool_call_id"] : undefined)));
  return callsOf(message).filter((call) => asked.has(call.id ?? "") && !answered.has(call.id ?? "") && !isAnswer(call));
}

/** The message with other calls in the place of some of its own: what the model reads of it is what was run. */
function editedMessage(message: ModelMessage, edits: ReadonlyMap<ModelCall, ModelCall>): ModelMessage {
  const { id, name, content, additional_kwargs, response_metadata, usage_metadata, invalid_tool_calls } = message;
  const byId = new Map([...edits].map(([call, edited]) => [call.id, edited]));
  const block = (part: unknown): unknown => {
    const edited = isObject(part) && part["type"] === "tool_use" ? byId.get(String(part["id"])) : undefined;
    return edited === undefined || !isObject(part) ? part : { ...part, name: edited.name, input: edited.args };
  };
  // As a provider wrote them: they would say what was not run.
  const { tool_calls: _, ...kwargs } = isObject(additional_kwargs) ? additional_kwargs : {};
  return {
    type: "ai",
    id,
    name,
    content: Array.isArray(content) ? listIn(content).map(block) : content,
    tool_calls: callsOf(message).map((call) => ({ ...(edits.get(call) ?? call), type: "tool_call" })),
    invalid_tool_calls,
    additional_kwargs: kwargs,
    response_metadata,
    usage_metadata,
  };
}

/**
 * Puts questions by one interrupt: the answers, in the same order. Undefined: this run cannot be interrupted. INVARIANT: of the same
 * message the same calls are asked about each time the step is played again, for answers go by their place alone.
 */
function interruptAbout(asked: readonly Judged[], runtime: object): readonly ReviewDecision[] | undefined {
  const interrupt: unknown = Reflect.get(runtime, "interrupt");
  if (typeof interrupt !== "function") return undefined;
  const request: ReviewRequest = {
    actionRequests: asked.map((judged) => ({
      name: judged.from.tool,
      args: isObject(judged.from.input) ? judged.from.input : {},
      description: questionOf(judged),
    })),
    reviewConfigs: asked.map(({ from }) => ({ actionName: from.tool, allowedDecisions: ["approve", "edit", "reject"] })),
  };
  try {
    // oxlint-disable-next-line typescript/no-unsafe-call -- langgraph's own; it throws what stops the run until it is resumed
    const answer: unknown = interrupt(request);
    const decisions = listIn(isObject(answer) ? answer["decisions"] : undefined);
    return decisions.length === asked.length ? decisions.map(decisionIn) : asked.map(() => ({ type: "reject" }));
  } catch (error) {
    if (isObject(error) && error["lc_error_code"] === "MISSING_CHECKPOINTER") return undefined;
    throw error;
  }
}

/** What a person has answered: an approval only where nothing else can be meant. */
function decisionIn(decision: unknown): ReviewDecision {
  if (!isObject(decision)) return { type: "reject" };
  if (decision["type"] === "approve") return { type: "approve" };
  const { message, editedAction: edited } = decision;
  if (decision["type"] === "edit" && isObject(edited) && typeof edited["name"] === "string" && isObject(edited["args"]))
    return { type: "edit", editedAction: { name: edited["name"], args: edited["args"] } };
  return typeof message === "string" ? { type: "reject", message } : { type: "reject" };
}
