import { resolve } from "node:path";
import { isObject } from "@assent/core/data";
import type { Principal, RequestVerdict } from "@assent/core/policy";
import type { AdaptedGuard, AdapterRequest, GuardDecision } from "../guard/adapted-guard.ts";
import { type GuardInside, INSIDE, type OnOpenedAsk, OPENED } from "../adapters/guards.ts";
import { guardTools } from "../ai-sdk/index.ts";
import { type AskQuestion, EditedInput, NobodyThereError, RefusedWith, type ToolAnswer } from "../common/ask.ts";
import { canUseTool, type ClaudeAnswer, type ClaudeQuestion } from "../claude-agent-sdk/index.ts";
import { probeSandbox } from "../common/sandbox.ts";
import { permissionMiddleware, type PermissionMiddleware } from "../langchain/index.ts";
import { type ToolGuard, toolGuard } from "../openai-agents/index.ts";
import { checkOptions, GuardOptionError } from "../common/options.ts";
import { type GuardableSandbox, guardSandbox, type GuardSandboxOptions } from "../sandbox/guard-sandbox.ts";
import { readAnswer, rulesFor } from "./answers.ts";
import { idOf, isSigned } from "./approvals.ts";
import type { GuardCall } from "./call.ts";
import type { ToolEffect, ToolEffects } from "./effects.ts";
import { UnknownApproval } from "./errors.ts";
import { GuardFlow } from "./flow.ts";
import { type GuardShared, GuardWorld, waiting } from "./guard-world.ts";
import { insideOf } from "./inside.ts";
import { type GuardPlaceInCode, judgeCalls, type JudgedCalls } from "./judging.ts";
import { readPrincipal, WITH_OPTIONS } from "./call-options.ts";
import { checkStricter, readCodePolicy, readPolicyText } from "./policy-in-code.ts";
import { callsFor, notJudged, hasEffect, openedDecision } from "./opened.ts";
import { checkObjects, checkTool } from "./misuse.ts";
import { snapshot } from "./snapshot.ts";
import type { EffectsOf, GuardedTool, RunContext, ToolSpec } from "./tool.ts";
import type { AllowedOutcome, CallDecision, GuardCallOptions, CallOutcome, GuardAnswer, GuardChange, PendingOutcome } from "./types.ts";

/** A policy as an object: see `createGuard`. */
export class Guard<P extends Principal = Principal> {
  readonly #shared: GuardShared<P>;
  readonly #place: GuardPlaceInCode;
  readonly #flow: GuardFlow<P, JudgedCalls, PendingOutcome<P>>;

  /** For `createGuard`. */
  constructor(shared: GuardShared<P>, place: GuardPlaceInCode) {
    this.#shared = shared;
    this.#place = place;
    this.#flow = new GuardFlow(new GuardWorld(shared, place));
  }

  /** Judges a call, or several that belong together. Asks nobody, and lets nothing happen. Throws `GuardCallError` for what is no call. */
  async decide(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<CallDecision<P>> {
    return await this.#flow.decide(call, options);
  }

  /** Judges, and asks where it has to. A refusal is a value. */
  async check(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<CallOutcome<P>> {
    return await this.#flow.check(call, options);
  }

  /** As `check`. Throws `PermissionDenied`, or `ApprovalPending` where the answer comes later. */
  async require(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<AllowedOutcome<P>> {
    return await this.#flow.require(call, options);
  }

  /**
   * Answers a question that `check` left waiting: once, in whatever process. What was asked about is judged again, by the policy that holds
   * now, and nothing else is. `by` is who answered. Throws `UnknownApproval`, and `GuardOptionError` for what is no answer: the question waits on.
   */
  async resume(token: string, answer: GuardAnswer, by: string): Promise<CallOutcome<P>> {
    const { approvals } = this.#shared.options;
    const read = readAnswer(answer);
    if (read.is === "failed") throw new GuardOptionError("answer", `resume: ${read.why}`);
    const secret = await this.#shared.secret();
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
    const flow = this.#stricter(pending.stricter).#flow;
    const judged = await flow.judge(calls, options, of);
    if (judged.decision.verdict === "deny") return await flow.conclude(judged, options, of);
    if (read.is === "later") {
      await approvals.put(pending);
      return waiting(judged.decision, pending, secret, (decision) => flow.told(decision));
    }
    // A no is a no, though the policy would allow it by now.
    return await flow.answered({ judged, options, of }, read, by);
  }

  /**
   * A tool whose every call is judged by what it does with its input.
   *
   * ```ts
   * const save = guard.tool({ name: "save", input: z.object({ path: z.string() }), does: ({ path }) => ({ write: path }) }, async ({ path }) => …);
   * await save({ path: "src/a.ts" }); // runs, or throws PermissionDenied
   * ```
   */
  tool<I, O>(spec: ToolSpec<I>, run: (input: I, context: RunContext<P>) => O | Promise<O>): GuardedTool<I, O, P> {
    checkTool(spec, run);
    return this.#flow.tool(spec, run);
  }

  /**
   * Tools of some library, or plain functions, each guarded by what it does: `guard.tools(tools, { save: ({ path }) => ({ write: path }), now: "nothing" })`.
   * A tool without stated effects does not compile.
   */
  tools<T extends Record<string, unknown>>(tools: T, effects: EffectsOf<T>): T {
    checkObjects("tools", { tools, effects });
    return this.#flow.tools(tools, effects);
  }

  /** The tools that are not denied by their name: what the model need not see is left out. */
  visible<T extends Record<string, unknown>>(tools: T): Partial<T> {
    checkObjects("visible", { tools });
    return this.#flow.visible(tools);
  }

  /** A guard for somebody else, at another place, or with a stricter policy: made in microseconds, for each request of a server. */
  with(change: GuardChange<P>): Guard<P> {
    checkOptions("with", change, WITH_OPTIONS);
    const { cwd, policy } = change;
    const principal = readPrincipal("with", change.principal) ?? this.#place.principal;
    const before = this.#place.stricter;
    const stricter = policy === undefined ? before : [...before, readCodePolicy(policy, "policy")];
    if (stricter !== before && this.#shared.root.files === "none") checkStricter(this.#shared.root.policy, stricter);
    return new Guard(this.#shared, { principal, cwd: cwd === undefined ? this.#place.cwd : resolve(this.#place.cwd, cwd), stricter });
  }

  /** For the AI SDK 7: `generateText({ model, tools, prompt, toolApproval: guard.aiSdk(effects) })`. */
  aiSdk(effects: ToolEffects = {}): ReturnType<typeof guardTools> {
    return guardTools(this, { effects });
  }

  /** For OpenAI's Agents SDK: `tool({ name: "save", …, ...guard.openAiTool(does, "save") })`. The model reads what is denied, and the run goes on. */
  openAiTool<I>(does: ToolEffect<I>, name = "tool"): ToolGuard {
    return toolGuard(this, name, { effects: { [name]: does } });
  }

  /** For the Claude Agent SDK: `query({ options: { canUseTool: guard.canUseTool } })`. The host's own tools are known. */
  get canUseTool(): ReturnType<typeof canUseTool> {
    return (this.#canUseTool ??= canUseTool(this));
  }

  /** For LangChain: `createAgent({ model, tools, checkpointer, middleware: [guard.middleware(effects)] })`. The questions of one step are one interrupt. */
  middleware(effects: ToolEffects = {}): PermissionMiddleware {
    return permissionMiddleware(this, { effects });
  }

  #canUseTool: ReturnType<typeof canUseTool> | undefined;
  #opened: AdaptedGuard | undefined;

  /**
   * A sandbox whose every call is judged first, in its own world: its files, its home, its programs, never this machine's. For sessions of the
   * AI SDK's interface (E2B, Vercel, just-bash, `openContainer`), and sessions and clients of OpenAI's Agents SDK.
   */
  sandbox<T extends GuardableSandbox>(sandbox: T, options: GuardSandboxOptions = {}): T {
    return guardSandbox(this, sandbox, options);
  }

  /** As adapters take it. */
  [OPENED](effects?: ToolEffects): { readonly guard: AdaptedGuard; readonly onAsk: OnOpenedAsk | undefined } {
    const guard = effects === undefined ? (this.#opened ??= this.#open({})) : this.#open(effects);
    return { guard, onAsk: this.#shared.options.onAsk === undefined ? undefined : async (question) => await this.#askOpened(question) };
  }

  /** As backends and sandboxes take it. */
  [INSIDE]({ cwd = this.#place.cwd }: { readonly cwd?: string } = {}): GuardInside {
    const { root, options } = this.#shared;
    return insideOf<P>(root, { ...this.#place, cwd }, options, {
      conclude: async (judged, asked) => await this.#flow.conclude(judged, asked),
      tell: (decision) => void this.#flow.told(decision),
    });
  }

  #open(effects: ToolEffects): AdaptedGuard {
    const { root } = this.#shared;
    const decide = (asked: AdapterRequest): GuardDecision => {
      const { cwd, session, subagent, replaces } = asked;
      const { principal } = this.#place;
      const options: GuardCallOptions = {
        ...(cwd === undefined ? {} : { cwd }),
        ...(subagent === undefined ? {} : { subagent }),
        ...(principal === undefined && session === undefined ? {} : { principal: { session, ...principal } }),
      };
      const shadow = this.#shared.options.shadow === true;
      let judged: JudgedCalls;
      try {
        const { calls, tool } = callsFor(asked, effects);
        const planning = asked.host?.planning === true;
        const starts = replaces !== undefined && (tool === undefined || tool.field === replaces);
        const way = { host: { planning }, ...(tool === undefined ? {} : { tool }), ...(starts ? { starts, field: replaces } : {}) };
        judged = judgeCalls(calls, root, this.#place, options, way);
      } catch (error) {
        // An error would end the SDK's whole run.
        return notJudged(error, shadow);
      }
      const decision = openedDecision(judged, shadow, hasEffect(asked, effects));
      asking.set(decision.verdict, { judged, options });
      this.#flow.told(judged.decision);
      return decision;
    };
    const { cwd } = this.#place;
    return { decide, ...(root.confine ? { ready: async () => void (await probeSandbox(cwd)) } : {}) };
  }

  /** An SDK's own question, put to who answers this guard's. */
  async #askOpened(asked: AskQuestion): Promise<ToolAnswer | ClaudeAnswer> {
    const found = asking.get(asked.verdict);
    if (found === undefined) return false;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the principal is the guard's own
    const options = { ...found.options, reason: asked.reason } as GuardCallOptions<P>;
    const { onAsk } = this.#shared.options;
    const { suggestions, signal = new AbortController().signal } = besideOf(asked);
    const question = {
      ...this.#flow.question(found.judged, options),
      rules: rulesFor(found.judged.parts),
      ...(suggestions === undefined ? {} : { suggestions: snapshot(suggestions) }),
    };
    const read = readAnswer(await onAsk?.(question, { signal }));
    if (read.is === "later" || read.is === "failed") throw new NobodyThereError();
    // Calls are changed where they are written: in the tool's input. The adapter has it judged once more.
    if (read.is === "yes" && (read.call !== undefined || (read.input !== undefined && !isObject(read.input)))) return false;
    const changes = suggestions === undefined || read.is !== "yes" ? undefined : read.changes;
    const input = read.is === "yes" && isObject(read.input) ? read.input : undefined;
    if (input === undefined) {
      const { verdict: said } = await this.#flow.answered({ judged: found.judged, options, of: undefined }, read);
      if (read.is === "no") return new RefusedWith(read.note);
      if (said !== "allow") return false;
    }
    if (changes !== undefined) return { allow: true, updatedPermissions: changes, ...(input === undefined ? {} : { updatedInput: input }) };
    return input === undefined || new EditedInput(input);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shared.options.approvals?.close?.();
  }

  /** As `with({ policy })`, by texts. Those that are there already make it no stricter. */
  #stricter(texts: readonly string[]): Guard<P> {
    const own = this.#place.stricter.map(({ text }) => text);
    const more = texts.filter((text) => !own.includes(text)).map((text) => readPolicyText(text, "policy"));
    return more.length === 0 ? this : new Guard(this.#shared, { ...this.#place, stricter: [...this.#place.stricter, ...more] });
  }
}

/** What was judged, by the verdict that an adapter shows with its question. */
const asking = new WeakMap<RequestVerdict, { readonly judged: JudgedCalls; readonly options: GuardCallOptions }>();

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
