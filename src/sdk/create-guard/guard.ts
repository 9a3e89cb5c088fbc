import { resolve } from "node:path";
import { visible } from "../../action/index.ts";
import { isObject } from "../../data/index.ts";
import type { Principal, RequestVerdict } from "../../policy/index.ts";
import { type GuardInside, INSIDE, OPENED } from "../adapters/guards.ts";
import { guardTools } from "../ai-sdk/index.ts";
import { probeSandbox } from "../approve/sandbox.ts";
import { type AskQuestion, EditedInput, type OnToolAsk, RefusedWith } from "../ask.ts";
import { canUseTool } from "../claude-agent-sdk/index.ts";
import type { GuardDecision, GuardRequest, OpenedGuard } from "../guard/open-guard.ts";
import { permissionMiddleware, type PermissionMiddleware } from "../langchain/index.ts";
import { needsApproval, type NeedsApproval } from "../openai-agents/index.ts";
import { checkOptions, type Options } from "../options.ts";
import { type GuardableSandbox, guardSandbox, type GuardSandboxOptions } from "../sandbox/index.ts";
import { keepScope, noteAnswer, type ReadAnswer, readAnswer, rulesFor, whenAborted } from "./answers.ts";
import { idOf, isSigned, type PendingApproval, signPending, tokenOf } from "./approvals.ts";
import { type GuardCall, GuardCallError } from "./call.ts";
import { callsOf, type ToolEffect, type ToolEffects } from "./effects.ts";
import { ApprovalPending, PermissionDenied, UnknownApproval } from "./errors.ts";
import { insideOf } from "./inside.ts";
import { folderOf, type GuardPlaceInCode, type GuardRoot, judgeCalls, type JudgedCalls, type JudgingWay } from "./judging.ts";
import { targetsOf } from "./combine.ts";
import { checkPrincipal, readCallOptions, WITH_OPTIONS } from "./call-options.ts";
import { checkStricter, GuardOptionError, readCodePolicy, readPolicyText } from "./policy-in-code.ts";
import { callsFor, checked, notJudged, hasEffect, openedDecision } from "./opened.ts";
import { snapshot } from "./snapshot.ts";
import {
  checkEffects,
  effectIn,
  howChanged,
  signalIn,
  type EffectsOf,
  type GuardedTool,
  isEffect,
  readInput,
  type RunContext,
  type NamedCall,
  type ToolSpec,
  withRun,
} from "./tool.ts";
import type {
  AllowedOutcome,
  CallDecision,
  GuardCallOptions,
  CallOutcome,
  GuardAnswer,
  GuardChange,
  GuardOptions,
  GuardQuestion,
} from "./types.ts";

/** What guards that were made of one another have in common. */
export interface GuardShared<P extends Principal> {
  readonly root: GuardRoot;
  readonly options: Pick<GuardOptions<P>, "onAsk" | "approvals" | "onDecision" | "shadow">;
  /** Signs what waits for answers. */
  readonly secret: () => Promise<Uint8Array>;
  /** Milliseconds for which a question waits for `resume`. */
  readonly waits: number;
}

/** A policy as an object: see `createGuard`. */
export class Guard<P extends Principal = Principal> {
  readonly #shared: GuardShared<P>;
  readonly #place: GuardPlaceInCode;

  /** For `createGuard`. */
  constructor(shared: GuardShared<P>, place: GuardPlaceInCode) {
    this.#shared = shared;
    this.#place = place;
  }

  /** Judges a call, or several that belong together. Asks nobody, and lets nothing happen. Throws `GuardCallError` for what is no call. */
  async decide(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<CallDecision<P>> {
    const { decision } = await this.#judge(call, readCallOptions(options), { starts: true });
    return this.#told(decision);
  }

  /** Judges, and asks where it has to. A refusal is a value. */
  async check(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<CallOutcome<P>> {
    const own = readCallOptions(options);
    return await this.#conclude(await this.#judge(call, own, { starts: true }), own, own.signal);
  }

  /** As `check`. Throws `PermissionDenied`, or `ApprovalPending` where the answer comes later. */
  async require(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<AllowedOutcome<P>> {
    const outcome = await this.check(call, options);
    if (outcome.verdict === "allow") return outcome;
    throw outcome.verdict === "deny" ? new PermissionDenied(outcome) : new ApprovalPending(outcome);
  }

  /**
   * Answers a question that `check` left waiting: once, in whatever process. What was asked about is judged again, by the policy that holds
   * now, and nothing else is. `by` is who answered. Throws `UnknownApproval`.
   */
  async resume(token: string, answer: GuardAnswer, by: string): Promise<CallOutcome<P>> {
    const { approvals } = this.#shared.options;
    const secret = await this.#shared.secret();
    const id = idOf(secret, token);
    const pending = id === undefined ? undefined : await approvals?.take(id);
    if (approvals === undefined || pending === undefined || !isSigned(secret, pending) || pending.expires <= Date.now())
      throw new UnknownApproval();
    const read = readAnswer(answer);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- signed by this guard, which was given it
    const principal = pending.principal as P | undefined;
    const { cwd, subagent, agentSays: reason, calls } = pending;
    const options: GuardCallOptions<P> = {
      cwd,
      reason,
      ...(principal === undefined ? {} : { principal }),
      ...(subagent === undefined ? {} : { subagent }),
    };
    const { tool } = pending;
    const way = { starts: true, ...(tool === undefined ? {} : { tool }) };
    // What made that guard stricter that asked holds for this call here as well.
    const judging = this.#stricter(pending.stricter);
    const judged = await judging.#judge(calls, options, way);
    if (judged.decision.verdict === "deny") return await judging.#conclude(judged, options, undefined, tool);
    if (read.is === "later") {
      await approvals.put(pending);
      return this.#waits(judged.decision, pending, secret);
    }
    // A no is a no, though the policy would allow it by now.
    return await judging.#answered(judged, read, options, by, tool);
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
    checkOptions("tool", spec, TOOL_OPTIONS);
    if (!isEffect(spec.does)) throw new GuardOptionError("does", 'tool: the option `does` must be "nothing" or a function of the input');
    const { name } = spec;
    const checked = async (given: unknown, options: GuardCallOptions<P>) => {
      const input = await readInput(spec, given);
      return { input, outcome: await this.#checkTool(spec, input, options) };
    };
    const call = async (given: I, options: GuardCallOptions<P> = {}): Promise<O> => {
      const { input, outcome } = await checked(given, options);
      if (outcome.verdict === "deny") throw new PermissionDenied(outcome);
      if (outcome.verdict === "pending") throw new ApprovalPending(outcome);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read by the same schema when it was judged
      return await run((outcome.tool === undefined ? input : outcome.tool.input) as I, {
        decision: outcome.decision,
        cwd: folderOf(this.#place, options),
        signal: options.signal,
      });
    };
    return Object.assign(call, {
      toolName: name,
      input: spec.input,
      check: async (given: I, options: GuardCallOptions<P> = {}) => (await checked(given, options)).outcome,
    });
  }

  /**
   * Tools of some library, or plain functions, each guarded by what it does: `guard.tools(tools, { save: ({ path }) => ({ write: path }), now: "nothing" })`.
   * A tool without stated effects does not compile.
   */
  tools<T extends Record<string, unknown>>(tools: T, effects: EffectsOf<T>): T {
    checkEffects(tools, effects);
    const guarded = Object.entries(tools).map(([name, tool]) => {
      const spec = { name, does: effectIn(effects, name) };
      const whole = withRun(tool, async (given, beside) => {
        const input = snapshot(given);
        const outcome = await this.#checkTool(spec, input, signalIn(beside));
        if (outcome.verdict === "deny") throw new PermissionDenied(outcome);
        if (outcome.verdict === "pending") throw new ApprovalPending(outcome);
        return outcome.tool === undefined ? input : outcome.tool.input;
      });
      if (whole === undefined)
        throw new GuardOptionError("tools", `tools: \`${visible(name)}\` cannot be guarded: it is not a function, and has no \`execute\``);
      return [name, whole] as const;
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names, each with a tool of the same kind
    return Object.fromEntries(guarded) as T;
  }

  /** The tools that are not denied by their name: what the model need not see is left out. */
  visible<T extends Record<string, unknown>>(tools: T): Partial<T> {
    const { root } = this.#shared;
    const seen = Object.entries(tools).filter(([name]) => {
      if (this.#shared.options.shadow === true) return true;
      const { decision } = judgeCalls([{ tool: name, input: {} }], root, this.#place, {});
      return decision.verdict !== "deny" || decision.rule === undefined;
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of the same names
    return Object.fromEntries(seen) as Partial<T>;
  }

  /** A guard for somebody else, at another place, or with a stricter policy: made in microseconds, for each request of a server. */
  with(change: GuardChange<P>): Guard<P> {
    checkOptions("with", change, WITH_OPTIONS);
    const { cwd, policy } = change;
    const principal = change.principal === undefined ? this.#place.principal : snapshot(change.principal);
    checkPrincipal("with", principal);
    const before = this.#place.stricter;
    const stricter = policy === undefined ? before : [...before, readCodePolicy(policy, "policy")];
    if (stricter !== before && this.#shared.root.files === "none") checkStricter(this.#shared.root.policy, stricter);
    return new Guard(this.#shared, { principal, cwd: cwd === undefined ? this.#place.cwd : resolve(this.#place.cwd, cwd), stricter });
  }

  /** For the AI SDK 7: `generateText({ model, tools, prompt, toolApproval: guard.aiSdk(effects) })`. */
  aiSdk(effects: ToolEffects = {}): ReturnType<typeof guardTools> {
    return guardTools(this, { effects });
  }

  /** For OpenAI's Agents SDK: `tool({ name: "save", needsApproval: guard.needsApproval(does), … })`. What is denied throws, which ends the run. */
  needsApproval<I>(does: ToolEffect<I>, name = "tool"): NeedsApproval {
    return needsApproval(this, name, { effects: { [name]: does } });
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
  #opened: OpenedGuard | undefined;

  /**
   * A sandbox whose every call is judged first, in its own world: its files, its home, its programs, never this machine's. For sessions of the
   * AI SDK's interface (E2B, Vercel, just-bash, `openContainer`), and sessions and clients of OpenAI's Agents SDK.
   */
  sandbox<T extends GuardableSandbox>(sandbox: T, options: GuardSandboxOptions = {}): T {
    return guardSandbox(this, sandbox, options);
  }

  /** As adapters take it. */
  [OPENED](effects?: ToolEffects): { readonly guard: OpenedGuard; readonly onAsk: OnToolAsk | undefined } {
    const guard = effects === undefined ? (this.#opened ??= this.#open({})) : this.#open(effects);
    return { guard, onAsk: this.#shared.options.onAsk === undefined ? undefined : async (question) => await this.#askOpened(question) };
  }

  /** As backends and sandboxes take it. */
  [INSIDE]({ cwd = this.#place.cwd }: { readonly cwd?: string } = {}): GuardInside {
    const { root, options } = this.#shared;
    return insideOf<P>(root, { ...this.#place, cwd }, options, {
      conclude: async (judged, asked) => await this.#conclude(judged, asked, asked.signal),
      tell: (decision) => void this.#told(decision),
    });
  }

  #open(effects: ToolEffects): OpenedGuard {
    const decide = (asked: GuardRequest): GuardDecision => {
      const { cwd, session, subagent } = asked;
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
        judged = judgeCalls(calls, this.#shared.root, this.#place, options, { planning, ...(tool === undefined ? {} : { tool }) });
      } catch (error) {
        // An error would end the SDK's whole run.
        return notJudged(error, shadow);
      }
      const decision = openedDecision(judged, shadow, hasEffect(asked, effects));
      asking.set(decision.verdict, { judged, options });
      this.#told(judged.decision);
      return decision;
    };
    return { decide, check: async (asked) => await Promise.resolve(checked(decide(asked), asked)) };
  }

  /** An SDK's own question, put to who answers this guard's. */
  async #askOpened({ verdict, reason }: AskQuestion): Promise<boolean | EditedInput | RefusedWith> {
    const found = asking.get(verdict);
    if (found === undefined) return false;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the principal is the guard's own
    const options = { ...found.options, reason } as GuardCallOptions<P>;
    const { onAsk } = this.#shared.options;
    const read = readAnswer(await onAsk?.(this.#question(found.judged, options), { signal: new AbortController().signal }));
    // Calls are changed where they are written: in the tool's input. The adapter has it judged once more.
    if (read.is === "later" || (read.is === "yes" && read.call !== undefined)) return false;
    if (read.is === "yes" && read.input !== undefined) return isObject(read.input) && new EditedInput(read.input);
    const { verdict: said } = await this.#answered(found.judged, read, options, undefined);
    return read.is === "no" ? new RefusedWith(read.note) : said === "allow";
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

  async #judge(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P>, way: JudgingWay): Promise<JudgedCalls> {
    const { root } = this.#shared;
    const calls = snapshot(isList(call) ? call : [call]);
    if (root.confine) await probeSandbox(folderOf(this.#place, options));
    return judgeCalls(calls, root, this.#place, options, way);
  }

  async #checkTool<I>(spec: ToolSpec<I>, input: I, options: GuardCallOptions<P>): Promise<CallOutcome<P>> {
    const own = readCallOptions(options);
    return await this.#conclude(this.#judgeTool(spec, input, own), own, own.signal, { name: spec.name, input, spec });
  }

  #judgeTool<I>({ name, does }: ToolSpec<I>, input: I, options: GuardCallOptions<P>): JudgedCalls {
    return judgeCalls(callsOf(does, input), this.#shared.root, this.#place, options, { tool: { name, input } });
  }

  /** What becomes of calls that were judged. */
  async #conclude<I>(judged: JudgedCalls, options: GuardCallOptions<P>, signal?: AbortSignal, of?: NamedCall<I>): Promise<CallOutcome<P>> {
    const { decision } = judged;
    if (this.#shared.options.shadow === true) return this.#allowed(judged, this.#told(decision), of);
    if (decision.verdict === "allow") return this.#allowed(judged, this.#told(decision), of);
    if (decision.verdict === "deny") return refused(this.#told(decision), decision.forModel);
    return await this.#ask(judged, options, signal, of);
  }

  async #ask<I>(judged: JudgedCalls, options: GuardCallOptions<P>, signal?: AbortSignal, of?: NamedCall<I>): Promise<CallOutcome<P>> {
    const { onAsk, approvals } = this.#shared.options;
    const question = this.#question(judged, options, of);
    let read: ReadAnswer | undefined;
    if (onAsk !== undefined && signal?.aborted !== true) {
      try {
        read = await this.#answer(question, signal ?? new AbortController().signal, onAsk);
      } catch (error) {
        read = { is: "no", note: `asking failed: ${messageOf(error)}` };
      }
    }
    if (signal?.aborted === true) return refused(this.#told({ ...judged.decision, answer: "nobody" }), "cancelled");
    if (read !== undefined && read.is !== "later") return await this.#answered(judged, read, options, undefined, of);
    // By then a sandbox is another one, or gone.
    if (approvals === undefined || judged.way.machine?.remote === true) return this.#nobody(judged.decision);
    const secret = await this.#shared.secret();
    const { principal, calls } = judged.decision;
    const now = Date.now();
    const pending = signPending(secret, {
      created: now,
      expires: now + this.#shared.waits,
      calls,
      ...(of === undefined ? {} : { tool: { name: of.name, input: of.input } }),
      stricter: this.#place.stricter.map(({ text }) => text),
      ...(principal === undefined ? {} : { principal }),
      cwd: folderOf(this.#place, options),
      ...(options.subagent === undefined ? {} : { subagent: options.subagent }),
      text: question.text,
      agentSays: question.agentSays,
    });
    try {
      await approvals.put(pending);
    } catch (error) {
      const problem = `the question could not be kept: ${messageOf(error)}`;
      const told = this.#told({ ...judged.decision, answer: "nobody", warnings: [...judged.decision.warnings, problem] });
      return refused(told, `approval required, and ${problem}`);
    }
    return this.#waits(judged.decision, pending, secret);
  }

  /** What whoever is asked says; a no once the call is cancelled. */
  async #answer(question: GuardQuestion<P>, signal: AbortSignal, onAsk: NonNullable<GuardOptions<P>["onAsk"]>): Promise<ReadAnswer> {
    const { promise, stop } = whenAborted(signal);
    try {
      return readAnswer(await Promise.race([onAsk(question, { signal }), promise]));
    } finally {
      stop();
    }
  }

  #nobody(decision: CallDecision): CallOutcome<P> {
    const told = this.#told({ ...decision, answer: "nobody" });
    return refused(told, `approval required, and nobody can be asked: ${decision.forModel}`);
  }

  #waits(decision: CallDecision, pending: PendingApproval, secret: Uint8Array): CallOutcome<P> {
    const told = this.#told({ ...decision, answer: "pending" });
    const forModel = `waiting for a person's answer: ${decision.forModel}`;
    return { verdict: "pending", token: tokenOf(secret, pending), expires: new Date(pending.expires), forModel, decision: told };
  }

  async #answered<I>(
    judged: JudgedCalls,
    read: ReadAnswer,
    options: GuardCallOptions<P>,
    by: string | undefined,
    of?: NamedCall<I>,
  ): Promise<CallOutcome<P>> {
    // What is answered about a sandbox holds there, and nowhere else.
    const { machine = this.#shared.root.machine } = judged.way;
    const who = by === undefined ? "the user" : visible(by).slice(0, 100);
    if (read.is !== "yes") {
      for (const { outcome } of judged.parts) noteAnswer(outcome, "refused", machine);
      const note = read.is === "no" && read.note !== "" ? `, and said: ${visible(read.note).slice(0, 500)}` : "";
      return refused(this.#told({ ...judged.decision, answer: "refused" }), `${who} refused${note} (${judged.decision.forModel})`);
    }
    if (read.call !== undefined || read.input !== undefined) return await this.#changed(judged, read, options, of);
    for (const { outcome } of judged.parts) noteAnswer(outcome, "allowed", machine);
    keepScope(read.scope, judged.parts, rulesFor(judged.parts), machine, targetsOf(judged.parts));
    return this.#allowed(judged, this.#told({ ...judged.decision, answer: "allowed" }), of);
  }

  /** What a person changed is judged once more: a deny stays one, whoever wrote the call. */
  async #changed<I>(
    judged: JudgedCalls,
    read: Extract<ReadAnswer, { is: "yes" }>,
    options: GuardCallOptions<P>,
    of: NamedCall<I> | undefined,
  ): Promise<CallOutcome<P>> {
    let changed: JudgedCalls;
    let tool = of;
    try {
      if (read.input !== undefined && of?.spec !== undefined) {
        tool = { ...of, input: await readInput(of.spec, read.input) };
        changed = this.#judgeTool(of.spec, tool.input, options);
      } else if (judged.way.fixed === true) throw new GuardCallError("this call is done as it is, or not at all");
      else if (read.call !== undefined && of === undefined) changed = await this.#judge(read.call, options, { starts: true });
      else throw new GuardCallError(howChanged(of));
    } catch (error) {
      return refused(
        this.#told({ ...judged.decision, answer: "refused" }),
        `what the user changed was not understood: ${messageOf(error)}`,
      );
    }
    if (changed.decision.verdict === "deny") return refused(this.#told(changed.decision), changed.decision.forModel);
    const outcome = this.#allowed(changed, this.#told({ ...changed.decision, answer: "allowed" }), tool);
    return tool === undefined ? outcome : { ...outcome, input: tool.input };
  }

  #allowed<I>({ parts }: JudgedCalls, decision: CallDecision<P>, of?: NamedCall<I>): AllowedOutcome<P> {
    // Only a call by itself has something that is started in its place.
    const [start] = parts.flatMap((part) => part.start ?? []);
    return {
      verdict: "allow",
      calls: parts.map(({ call }) => call),
      ...(of === undefined ? {} : { tool: { name: of.name, input: of.input } }),
      ...(start === undefined || decision.shadow ? {} : { start }),
      decision,
    };
  }

  #question<I>(judged: JudgedCalls, { reason = "" }: GuardCallOptions<P>, of?: NamedCall<I>): GuardQuestion<P> {
    const decision = this.#own(judged.decision);
    const { principal, forPerson } = decision;
    // What whoever is asked does with them changes nothing of what runs.
    const calls = snapshot(decision.calls);
    return {
      text: `${of === undefined ? "" : `${visible(of.name)}: `}${targetsOf(judged.parts)}? ${forPerson}`,
      agentSays: visible(reason),
      rules: rulesFor(judged.parts),
      calls,
      ...(of === undefined ? {} : { tool: { name: of.name, input: snapshot(of.input) } }),
      ...(principal === undefined ? {} : { principal }),
      decision: { ...decision, calls },
    };
  }

  #own(decision: CallDecision): CallDecision<P> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the principal is the one that this guard or this call was given
    return { ...decision, shadow: this.#shared.options.shadow === true } as CallDecision<P>;
  }

  /** Tells whoever listens. INVARIANT: what it throws changes nothing. */
  #told(decision: CallDecision): CallDecision<P> {
    const own = this.#own(decision);
    try {
      this.#shared.options.onDecision?.(own);
    } catch (error) {
      process.emitWarning(`onDecision failed: ${error instanceof Error ? error.message : String(error)}`, { code: "ASSENT_ON_DECISION" });
    }
    return own;
  }
}

/** What was judged, by the verdict that an adapter shows with its question. */
const asking = new WeakMap<RequestVerdict, { readonly judged: JudgedCalls; readonly options: GuardCallOptions }>();

const TOOL_OPTIONS = { name: "string", input: "any", does: "any" } satisfies Options<ToolSpec<unknown>>;

const refused = <P extends Principal>(decision: CallDecision<P>, forModel: string): CallOutcome<P> => ({
  verdict: "deny",
  forModel,
  decision,
});

const messageOf = (error: unknown): string => visible(error instanceof Error ? error.message : String(error)).slice(0, 200);

const isList = (call: GuardCall | readonly GuardCall[]): call is readonly GuardCall[] => Array.isArray(call);
