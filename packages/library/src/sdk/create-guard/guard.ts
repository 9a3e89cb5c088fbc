/// <reference lib="esnext.disposable" preserve="true" />
import { isObject } from "@assent/core/data";
import type { Principal, RequestVerdict } from "@assent/core/policy";
import type { AdaptedGuard, AdapterRequest, GuardDecision } from "../common/adapted-guard.ts";
import { INSIDE, type OnOpenedAsk, OPENED } from "../adapters/guards.ts";
import { guardTools } from "../ai-sdk/index.ts";
import { type AskQuestion, NobodyThereError } from "../common/ask.ts";
import { canUseTool, type ClaudeQuestion } from "../claude-agent-sdk/index.ts";
import { probeSandbox } from "../common/sandbox.ts";
import { permissionMiddleware, type PermissionMiddleware } from "../langchain/index.ts";
import { type AgentTool, guardTool, type ToolGuard, toolGuard } from "../openai-agents/index.ts";
import { GuardOptionError } from "../common/options.ts";
import { readAnswer, rulesFor } from "./answers.ts";
import { idOf, isSigned } from "./approvals.ts";
import type { NamedTool } from "./combine.ts";
import { CoreGuard } from "./core-guard.ts";
import type { ToolEffect, ToolEffects } from "./effects.ts";
import { UnknownApproval } from "./errors.ts";
import { GuardFlow } from "./flow.ts";
import { GuardWorld, waiting } from "./guard-world.ts";
import { type GuardInside, insideOf } from "./inside.ts";
import { judgeCalls, type JudgedCalls } from "./judging.ts";
import type { CodePolicy } from "./policy-in-code.ts";
import { callsFor, notJudged, hasEffect, openedDecision } from "./opened.ts";
import { snapshot } from "./snapshot.ts";
import { checkNames, type InputOf, type NamedTools, type SomeEffects } from "./tool.ts";
import type { CallOutcome, GuardAnswer, GuardCallOptions, GuardChange, PendingOutcome } from "./types.ts";

/** A policy as an object, on this machine: see `createGuard`. */
export class Guard<P extends Principal = Principal> extends CoreGuard<CodePolicy, P, PendingOutcome<P>, JudgedCalls> {
  readonly #world: GuardWorld<P>;
  readonly #flow: GuardFlow<P, JudgedCalls, PendingOutcome<P>>;

  /** For `createGuard`. */
  constructor(world: GuardWorld<P>) {
    super(world);
    this.#world = world;
    this.#flow = new GuardFlow(world);
  }

  /**
   * Answers a question that `check` left waiting: once, in whatever process. What was asked about is judged again, by the policy that holds
   * now, and nothing else is. `by` is who answered. Throws `UnknownApproval`, and `GuardOptionError` for what is no answer: the question waits on.
   */
  async resume(token: string, answer: GuardAnswer, by: string): Promise<CallOutcome<P>> {
    const { approvals } = this.#world.shared.options;
    const read = readAnswer(answer);
    if (read.is === "failed") throw new GuardOptionError("answer", `resume: ${read.why}`);
    const secret = await this.#world.shared.secret();
    const id = idOf(secret, token);
    const pending = id === undefined ? undefined : await approvals?.take(id);
    if (approvals === undefined || pending === undefined || !isSigned(secret, pending) || pending.expires <= Date.now())
      throw new UnknownApproval();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- signed by this guard, which was given it
    const principal = pending.principal as P | undefined;
    const { cwd, subagent, agentSays: reason, calls } = pending;
    const options: GuardCallOptions<P> = {
      cwd,
      reason,
      ...(principal === undefined ? {} : { principal }),
      ...(subagent === undefined ? {} : { subagent }),
    };
    const { tool: of } = pending;
    // What made that guard stricter that asked holds for this call here as well.
    const flow = new Guard(this.#world.stricter(pending.stricter)).#flow;
    const judged = await flow.judge(calls, options, of);
    if (judged.decision.verdict === "deny") return await flow.conclude(judged, options, of);
    if (read.is === "later") {
      await approvals.put(pending);
      return waiting(judged.decision, pending, secret, (decision) => flow.told(decision));
    }
    // A no is a no, though the policy would allow it by now.
    return await flow.answered({ judged, options, of }, read, by);
  }

  override with(change: GuardChange<P>): Guard<P> {
    return new Guard(this.#world.with(change));
  }

  /** For the AI SDK 7: `generateText({ model, tools, prompt, toolApproval: guard.aiSdk(tools, { save: ({ path }) => ({ write: path }) }) })`. */
  aiSdk(effects?: ToolEffects): ReturnType<typeof guardTools>;
  aiSdk<const T extends NamedTools>(tools: T, effects: SomeEffects<T>): ReturnType<typeof guardTools>;
  aiSdk(first: NamedTools | ToolEffects = {}, effects?: ToolEffects): ReturnType<typeof guardTools> {
    return guardTools(this, { effects: effectsIn(first, effects) });
  }

  /** For OpenAI's Agents SDK: `guard.openAiTool(tool({ … }), ({ path }) => ({ write: path }))`. The model reads what is denied, and the run goes on. */
  openAiTool<T extends AgentTool>(tool: T, does: ToolEffect<InputOf<T>>): T;
  /** Before the tool is made: `tool({ name: "save", …, ...guard.openAiTool(does, "save") })`. */
  openAiTool<I>(does: ToolEffect<I>, name?: string): ToolGuard;
  openAiTool(tool: AgentTool | ToolEffect<never>, does: Exclude<ToolEffect<never>, "nothing"> | string = "tool"): AgentTool | ToolGuard {
    if (typeof tool === "function" && typeof does === "string") return toolGuard(this, does, { effects: { [does]: tool } });
    if (typeof tool !== "object" || typeof tool?.name !== "string")
      throw new GuardOptionError("tool", "openAiTool takes what `tool()` of the SDK made");
    return guardTool(this, tool, { effects: { [tool.name]: typeof does === "function" || does === "nothing" ? does : undefined } });
  }

  /** For the Claude Agent SDK: `query({ options: { canUseTool: guard.canUseTool } })`. The host's own tools are known. */
  get canUseTool(): ReturnType<typeof canUseTool> {
    return (this.#canUseTool ??= canUseTool(this));
  }

  /** For LangChain: `createAgent({ …, tools, checkpointer, middleware: [guard.middleware(tools, effects)] })`. The questions of a step are one interrupt. */
  middleware(effects?: ToolEffects): PermissionMiddleware;
  middleware<const T extends NamedTools>(tools: T, effects: SomeEffects<T>): PermissionMiddleware;
  middleware(first: NamedTools | ToolEffects = {}, effects?: ToolEffects): PermissionMiddleware {
    return permissionMiddleware(this, { effects: effectsIn(first, effects) });
  }

  #canUseTool: ReturnType<typeof canUseTool> | undefined;
  #opened: AdaptedGuard | undefined;

  /** As adapters take it. */
  [OPENED](effects?: ToolEffects): { readonly guard: AdaptedGuard; readonly onAsk: OnOpenedAsk | undefined } {
    const guard = effects === undefined ? (this.#opened ??= this.#open({})) : this.#open(effects);
    return {
      guard,
      onAsk: this.#world.shared.options.onAsk === undefined ? undefined : async (question) => await this.#askOpened(question),
    };
  }

  /** As backends take it. */
  [INSIDE]({ cwd = this.#world.place.cwd }: { readonly cwd?: string } = {}): GuardInside {
    return insideOf(new GuardWorld(this.#world.shared, { ...this.#world.place, cwd }));
  }

  #open(effects: ToolEffects): AdaptedGuard {
    const { root } = this.#world.shared;
    const decide = (asked: AdapterRequest): GuardDecision => {
      const { cwd, session, subagent, replaces } = asked;
      const { principal } = this.#world.place;
      const options: GuardCallOptions = {
        ...(cwd === undefined ? {} : { cwd }),
        ...(subagent === undefined ? {} : { subagent }),
        ...(principal === undefined && session === undefined ? {} : { principal: { session, ...principal } }),
      };
      const shadow = this.#world.shared.options.shadow === true;
      let judged: JudgedCalls;
      let of: NamedTool | undefined;
      try {
        const { calls, tool } = callsFor(asked, effects);
        of = tool;
        const planning = asked.host?.planning === true;
        const starts = replaces !== undefined && (tool === undefined || tool.field === replaces);
        const way = { host: { planning }, ...(tool === undefined ? {} : { tool }), ...(starts ? { starts, field: replaces } : {}) };
        judged = judgeCalls(calls, root, this.#world.place, options, way);
      } catch (error) {
        // An error would end the SDK's whole run.
        const refused = notJudged(error, "deny");
        return shadow ? { ...refused, decision: "allow" } : refused;
      }
      const decision = openedDecision(judged, shadow, hasEffect(asked, effects));
      asking.set(decision.verdict, { judged, options, of });
      this.#flow.told(judged.decision);
      return decision;
    };
    const { cwd } = this.#world.place;
    return { decide, ...(root.confine ? { ready: async () => void (await probeSandbox(cwd)) } : {}) };
  }

  /** An SDK's own question, put to who answers this guard's. What it means for later is kept here. */
  async #askOpened(asked: AskQuestion): Promise<GuardAnswer> {
    const found = asking.get(asked.verdict);
    if (found === undefined) return false;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the principal is the guard's own
    const options = { ...found.options, reason: asked.reason } as GuardCallOptions<P>;
    const { onAsk } = this.#world.shared.options;
    const { suggestions, signal = new AbortController().signal } = besideOf(asked);
    const question = {
      ...this.#flow.question(found.judged, options),
      ...(found.of === undefined ? {} : { tool: { name: found.of.name, input: snapshot(found.of.input) } }),
      rules: rulesFor(found.judged.parts),
      ...(suggestions === undefined ? {} : { suggestions: snapshot(suggestions) }),
    };
    const read = readAnswer(await onAsk?.(question, { signal }));
    if (read.is === "later" || read.is === "failed") throw new NobodyThereError();
    const edits = read.is === "yes" && read.input !== undefined;
    // Calls are changed where they are written: in the tool's input. The adapter has it judged once more.
    if (read.is === "yes" && (read.call !== undefined || (edits && !isObject(read.input)))) return false;
    if (!edits) {
      const { verdict: said } = await this.#flow.answered({ judged: found.judged, options, of: undefined }, read);
      if (read.is === "no") return { no: read.note };
      if (said !== "allow") return false;
    }
    const { changes, input } = read.is === "yes" ? read : {};
    const more = suggestions === undefined || changes === undefined ? {} : { updatedPermissions: changes };
    return { yes: "once", ...(edits ? { input } : {}), ...more };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world.shared.options.approvals?.close?.();
  }
}

/** Effects, or tools with theirs. */
function effectsIn(first: NamedTools | ToolEffects, effects: ToolEffects | undefined): ToolEffects {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the adapter looks at each of them
  if (effects === undefined) return first as ToolEffects;
  checkNames(Array.isArray(first) ? first.map(({ name }: { readonly name: string }) => name) : Object.keys(first), effects);
  return effects;
}

/** What was judged, by the verdict that an adapter shows with its question. */
const asking = new WeakMap<
  RequestVerdict,
  { readonly judged: JudgedCalls; readonly options: GuardCallOptions; readonly of: NamedTool | undefined }
>();

/** What a host adds to its question. */
function besideOf(asked: AskQuestion): Partial<Pick<ClaudeQuestion, "suggestions" | "signal">> {
  const suggestions: unknown = Reflect.get(asked, "suggestions");
  const signal: unknown = Reflect.get(asked, "signal");
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the adapter for that host puts them there
    ...(Array.isArray(suggestions) ? { suggestions: suggestions as ClaudeQuestion["suggestions"] } : {}),
    ...(signal instanceof AbortSignal ? { signal } : {}),
  };
}
