import { visible, type World } from "../../action/index.ts";
import { isObject } from "../../data/index.ts";
import { resolvePath } from "../../path/index.ts";
import { LONGEST_GRANT_MS, type PolicyFile, type Principal } from "../../policy/index.ts";
import type { ShellKind } from "../../shell/index.ts";
import { checkPrincipal, readCallOptions, WITH_OPTIONS } from "../create-guard/call-options.ts";
import { type GuardCall, GuardCallError } from "../create-guard/call.ts";
import { targetsOf } from "../create-guard/combine.ts";
import { callsOf, type ToolEffect } from "../create-guard/effects.ts";
import { PermissionDenied } from "../create-guard/errors.ts";
import { GuardOptionError } from "../create-guard/policy-in-code.ts";
import { type ReadAnswer, understandAnswer } from "../create-guard/read-answer.ts";
import { snapshot } from "../create-guard/snapshot.ts";
import {
  checkEffects,
  type EffectsOf,
  type GuardedTool,
  isEffect,
  readInput,
  type RunContext,
  type ToolSpec,
  withRun,
} from "../create-guard/tool.ts";
import type { AllowedOutcome, CallDecision, DeniedOutcome, GuardCallOptions } from "../create-guard/types.ts";
import { checkOptions, type Options } from "../options.ts";
import { checkWorld } from "./given-world.ts";
import { type CorePlace, type CoreJudged, type CoreRoot, judgeCoreCalls, policyOf, tightened } from "./judge-calls.ts";

/** An answer in the core: as in a guard of `assent`, without rules and without "later". Whatever else is a no. */
export type CoreAnswer =
  | { readonly yes: "once" | "session" | { readonly for: string | number }; readonly call?: GuardCall; readonly input?: unknown }
  | { readonly no: string }
  | boolean;

/** A question to a person. All texts are free of control characters. */
export interface CoreQuestion<P extends Principal = Principal> {
  /** One line to show: what would happen, and why it is asked. */
  readonly text: string;
  /** Why the agent wants it, in its own words; empty where it said nothing. */
  readonly agentSays: string;
  readonly calls: readonly GuardCall[];
  /** The tool of the program's own that makes these calls, and what it was given. */
  readonly tool?: { readonly name: string; readonly input: unknown };
  readonly principal?: P;
  readonly decision: CallDecision<P>;
}

/** What a guard of the core decides by. `Policy` is what policies are given as. */
export interface CoreGuardOptions<Policy, P extends Principal = Principal> {
  /** The machine on which things would be done, as far as it is known: `plainWorld`, or one of your own. */
  readonly world: World;
  /** Several: those behind the first can only make it stricter. Without it the preset `default`. */
  readonly policy?: Policy | readonly Policy[];
  /** For whom calls are judged. */
  readonly principal?: P;
  /** Answers questions. Its errors are refusals; without it a question is a refusal that says so. */
  readonly onAsk?: (question: CoreQuestion<P>, options: { readonly signal: AbortSignal }) => CoreAnswer | Promise<CoreAnswer>;
  /** Is told each decision, once it stands. What it throws changes nothing. */
  readonly onDecision?: (decision: CallDecision<P>) => void;
  /** Decide and report, and stop nothing. */
  readonly shadow?: boolean;
  /** The shell that runs commands; by default it may be bash or zsh. */
  readonly shell?: ShellKind;
}

/** What may differ in a guard that is made of another one. The policy can only be stricter. */
export interface CoreGuardChange<Policy, P extends Principal = Principal> {
  readonly principal?: P;
  readonly cwd?: string;
  readonly policy?: Policy;
}

/** What becomes of a call. A refusal is a value, with a text for the model. */
export type CoreOutcome<P extends Principal = Principal> = AllowedOutcome<P> | DeniedOutcome<P>;

/** How an entry of the package makes guards. */
export interface CoreWay<Policy> {
  readonly read: (policy: Policy, option: string) => PolicyFile;
  /** Commands are understood. */
  readonly commands: boolean;
}

interface CoreShared<Policy, P extends Principal> {
  readonly way: CoreWay<Policy>;
  readonly root: CoreRoot;
  readonly options: Pick<CoreGuardOptions<Policy, P>, "onAsk" | "onDecision" | "shadow">;
  readonly answers: RememberedAnswers;
}

const OPTIONS = {
  world: "object",
  policy: "any",
  principal: "object",
  onAsk: "function",
  onDecision: "function",
  shadow: "boolean",
  shell: ["any", "bash", "sh", "zsh"],
} satisfies Options<CoreGuardOptions<unknown>>;

const TOOL_OPTIONS = { name: "string", input: "any", does: "any" } satisfies Options<ToolSpec<unknown>>;

/** Makes a guard of the core. Throws `GuardOptionError` or `TypeError` for an option that is wrong, or that does not exist. */
export function makeCoreGuard<Policy, P extends Principal>(
  way: CoreWay<Policy>,
  options: CoreGuardOptions<Policy, P>,
): CoreGuard<Policy, P> {
  const of = "createGuard";
  // What is no object at all has no world.
  checkOptions(of, options ?? {}, OPTIONS);
  const { world, policy, principal, onAsk, onDecision, shadow, shell = "any" } = options ?? {};
  checkWorld(of, world);
  checkPrincipal(of, principal);
  const list: readonly Policy[] = policy === undefined ? [] : isListOf(policy) ? policy : [policy];
  const [first, ...stricter] = list.map((one, at) => way.read(one, list.length === 1 ? "policy" : `policy[${at}]`));
  const root: CoreRoot = { world, policy: policyOf(first), shell, commands: way.commands };
  tightened(root.policy, stricter);
  return new CoreGuard<Policy, P>(
    {
      way,
      root,
      options: {
        ...(onAsk === undefined ? {} : { onAsk }),
        ...(onDecision === undefined ? {} : { onDecision }),
        ...(shadow === undefined ? {} : { shadow }),
      },
      answers: new RememberedAnswers(),
    },
    { principal: snapshot(principal), cwd: undefined, stricter },
  );
}

const isListOf = <T>(given: T | readonly T[]): given is readonly T[] => Array.isArray(given);

/** A policy as an object, where there is no machine: see `createGuard` of `assent/core`. */
export class CoreGuard<Policy = unknown, P extends Principal = Principal> {
  readonly #shared: CoreShared<Policy, P>;
  readonly #place: CorePlace;

  /** For `createGuard`. */
  constructor(shared: CoreShared<Policy, P>, place: CorePlace) {
    this.#shared = shared;
    this.#place = place;
  }

  /** Judges a call, or several that belong together. Asks nobody. Throws `GuardCallError` for what is no call. */
  async decide(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<CallDecision<P>> {
    return this.#told((await this.#judge(call, readCallOptions(options))).decision);
  }

  /** Judges, and asks where it has to. A refusal is a value. */
  async check(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<CoreOutcome<P>> {
    const own = readCallOptions(options);
    return await this.#conclude(await this.#judge(call, own), own);
  }

  /** As `check`. Throws `PermissionDenied`. */
  async require(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<AllowedOutcome<P>> {
    const outcome = await this.check(call, options);
    if (outcome.verdict === "allow") return outcome;
    throw new PermissionDenied(outcome);
  }

  /** A tool whose every call is judged by what it does with its input: as in a guard of `assent`. */
  tool<I, O>(spec: ToolSpec<I>, run: (input: I, context: RunContext<P>) => O | Promise<O>): GuardedTool<I, O, P> {
    checkOptions("tool", spec, TOOL_OPTIONS);
    if (!isEffect(spec.does)) throw new GuardOptionError("does", 'tool: the option `does` must be "nothing" or a function of the input');
    const checked = async (given: unknown, options: GuardCallOptions<P>) => {
      const own = readCallOptions(options);
      const input = await readInput(spec, given);
      return { input, outcome: await this.#checkTool(spec, input, own) };
    };
    const call = async (given: I, options: GuardCallOptions<P> = {}): Promise<O> => {
      const { input, outcome } = await checked(given, options);
      if (outcome.verdict === "deny") throw new PermissionDenied(outcome);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read by the same schema when it was judged
      return await run((outcome.tool === undefined ? input : outcome.tool.input) as I, {
        decision: outcome.decision,
        cwd: this.#folder(options),
        signal: options.signal,
      });
    };
    return Object.assign(call, {
      toolName: spec.name,
      input: spec.input,
      check: async (given: I, options: GuardCallOptions<P> = {}) => (await checked(given, options)).outcome,
    });
  }

  /** Tools of some library, or plain functions, each guarded by what it does. A tool without stated effects does not compile. */
  tools<T extends Record<string, unknown>>(tools: T, effects: EffectsOf<T>): T {
    checkEffects(tools, effects);
    const guarded = Object.entries(tools).map(([name, tool]) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `checkEffects` has looked
      const spec = { name, does: Reflect.get(effects, name) as ToolEffect<unknown> };
      const whole = withRun(tool, async (given, beside) => {
        const input = snapshot(given);
        const outcome = await this.#checkTool(spec, input, signalIn(beside));
        if (outcome.verdict === "deny") throw new PermissionDenied(outcome);
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
    const seen = Object.entries(tools).filter(([name]) => {
      if (this.#shared.options.shadow === true) return true;
      const { decision } = judgeCoreCalls([{ tool: name, input: {} }], this.#shared.root, this.#place, {});
      return decision.verdict !== "deny" || decision.rule === undefined;
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of the same names
    return Object.fromEntries(seen) as Partial<T>;
  }

  /** A guard for somebody else, at another place, or with a stricter policy: made in microseconds, for each request of a server. */
  with(change: CoreGuardChange<Policy, P>): CoreGuard<Policy, P> {
    checkOptions("with", change, WITH_OPTIONS);
    const { cwd, policy } = change;
    const principal = change.principal === undefined ? this.#place.principal : snapshot(change.principal);
    checkPrincipal("with", principal);
    const { way, root } = this.#shared;
    const before = this.#place.stricter;
    const stricter = policy === undefined ? before : [...before, way.read(policy, "policy")];
    if (stricter !== before) tightened(root.policy, stricter);
    const folder = cwd === undefined ? this.#place.cwd : this.#folder({ cwd });
    return new CoreGuard(this.#shared, { principal, cwd: folder, stricter });
  }

  #folder({ cwd }: GuardCallOptions<P>): string {
    const own = this.#place.cwd ?? this.#shared.root.world.cwd;
    return cwd === undefined ? own : resolvePath(own, cwd);
  }

  #placed(options: GuardCallOptions<P>): GuardCallOptions<P> {
    return options.cwd === undefined ? options : { ...options, cwd: this.#folder(options) };
  }

  async #judge(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P>): Promise<CoreJudged> {
    const calls = snapshot(isListOf(call) ? call : [call]);
    return await Promise.resolve(judgeCoreCalls(calls, this.#shared.root, this.#place, this.#placed(options)));
  }

  #judgeTool<I>({ name, does }: ToolSpec<I>, input: I, options: GuardCallOptions<P>): CoreJudged {
    return judgeCoreCalls(callsOf(does, input), this.#shared.root, this.#place, this.#placed(options), { name, input });
  }

  async #checkTool<I>(spec: ToolSpec<I>, input: I, options: GuardCallOptions<P>): Promise<CoreOutcome<P>> {
    return await this.#conclude(this.#judgeTool(spec, input, options), options, { spec, input });
  }

  async #conclude<I>(judged: CoreJudged, options: GuardCallOptions<P>, of?: CoreToolCall<I>): Promise<CoreOutcome<P>> {
    const { decision } = judged;
    if (this.#shared.options.shadow === true || decision.verdict === "allow") return allowed(judged, this.#told(decision), of);
    if (decision.verdict === "deny") return refused(this.#told(decision), decision.forModel);
    const { answers } = this.#shared;
    const about = this.#keyOf(judged, options, of);
    if (answers.holds(about)) return allowed(judged, this.#told({ ...decision, answer: "allowed" }), of);
    const read = await this.#ask(judged, options, of);
    if (read === "nobody") return this.#nobody(decision);
    if (options.signal?.aborted === true) return refused(this.#told({ ...decision, answer: "nobody" }), "cancelled");
    if (read.is !== "yes") {
      const note = read.is === "no" && read.note !== "" ? `, and said: ${visible(read.note).slice(0, 500)}` : "";
      return refused(this.#told({ ...decision, answer: "refused" }), `the user refused${note} (${decision.forModel})`);
    }
    if (read.call !== undefined || read.input !== undefined) return await this.#changed(judged, read, options, of);
    answers.keep(about, read.scope);
    return allowed(judged, this.#told({ ...decision, answer: "allowed" }), of);
  }

  #nobody(decision: CallDecision): CoreOutcome<P> {
    return refused(this.#told({ ...decision, answer: "nobody" }), `approval required, and nobody can be asked: ${decision.forModel}`);
  }

  async #ask<I>(judged: CoreJudged, options: GuardCallOptions<P>, of?: CoreToolCall<I>): Promise<ReadAnswer | "nobody"> {
    const { onAsk } = this.#shared.options;
    const signal = options.signal ?? new AbortController().signal;
    if (onAsk === undefined || signal.aborted) return "nobody";
    const over = new AbortController();
    const cancelled = new Promise<false>((resolveWith) => {
      signal.addEventListener("abort", () => resolveWith(false), { once: true, signal: over.signal });
    });
    try {
      // A rule is nothing that holds here: who answers with one is asked again.
      return understandAnswer(await Promise.race([onAsk(this.#question(judged, options, of), { signal }), cancelled]), () => false);
    } catch (error) {
      return { is: "no", note: `asking failed: ${messageOf(error)}` };
    } finally {
      over.abort();
    }
  }

  #question<I>(judged: CoreJudged, { reason = "" }: GuardCallOptions<P>, of?: CoreToolCall<I>): CoreQuestion<P> {
    const decision = this.#own(judged.decision);
    const { principal, forPerson } = decision;
    return {
      text: `${of === undefined ? "" : `${visible(of.spec.name)}: `}${targetsOf(judged.parts)}? ${forPerson}`,
      agentSays: visible(reason),
      calls: snapshot(decision.calls),
      ...(of === undefined ? {} : { tool: { name: of.spec.name, input: snapshot(of.input) } }),
      ...(principal === undefined ? {} : { principal }),
      decision,
    };
  }

  /** What a person changed is judged once more: a deny stays one, whoever wrote the call. */
  async #changed<I>(
    judged: CoreJudged,
    read: Extract<ReadAnswer, { is: "yes" }>,
    options: GuardCallOptions<P>,
    of: CoreToolCall<I> | undefined,
  ): Promise<CoreOutcome<P>> {
    let changed: CoreJudged;
    let tool = of;
    try {
      if (read.input !== undefined && of !== undefined) {
        tool = { ...of, input: await readInput(of.spec, read.input) };
        changed = this.#judgeTool(of.spec, tool.input, options);
      } else if (read.call !== undefined && of === undefined) changed = await this.#judge(read.call, options);
      else throw new GuardCallError(of === undefined ? "a call is changed by `call`" : "the call of a tool is changed by `input`");
    } catch (error) {
      const told = this.#told({ ...judged.decision, answer: "refused" });
      return refused(told, `what the user changed was not understood: ${messageOf(error)}`);
    }
    if (changed.decision.verdict === "deny") return refused(this.#told(changed.decision), changed.decision.forModel);
    const outcome = allowed(changed, this.#told({ ...changed.decision, answer: "allowed" }), tool);
    return tool === undefined ? outcome : { ...outcome, input: tool.input };
  }

  /** What an answer that holds for longer is about: this very question, of the same principal, in the same folder. */
  #keyOf<I>({ decision }: CoreJudged, options: GuardCallOptions<P>, of: CoreToolCall<I> | undefined): string | undefined {
    const { calls, principal, forPerson } = decision;
    const tool = of === undefined ? undefined : { name: of.spec.name, input: of.input };
    if (!isData(calls) || !isData(tool)) return undefined;
    return JSON.stringify([principal, this.#folder(options), options.subagent, calls, tool, forPerson]);
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
      console.warn(`assent: onDecision failed: ${messageOf(error)}`);
    }
    return own;
  }
}

/** A call of a tool of the program's own. */
interface CoreToolCall<I> {
  readonly spec: ToolSpec<I>;
  readonly input: I;
}

const MOST_ANSWERS = 10_000;

/** Answers that hold for longer, for as long as the guard lives: each for the very question that was answered. */
class RememberedAnswers {
  readonly #until = new Map<string, number>();

  holds(question: string | undefined): boolean {
    const until = question === undefined ? undefined : this.#until.get(question);
    return until !== undefined && until > Date.now();
  }

  keep(question: string | undefined, scope: Extract<ReadAnswer, { is: "yes" }>["scope"]): void {
    if (question === undefined || (scope.is !== "session" && scope.is !== "for")) return;
    const [oldest] = this.#until.size >= MOST_ANSWERS ? this.#until.keys() : [];
    if (oldest !== undefined) this.#until.delete(oldest);
    this.#until.set(question, Date.now() + (scope.is === "for" ? scope.ms : LONGEST_GRANT_MS));
  }
}

/** What JSON has no words for would be the same text for different values. */
function isData(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (value instanceof URL) return true;
  if (Array.isArray(value)) return value.every((item) => item !== undefined && isData(item));
  if (typeof value !== "object" || "toJSON" in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === null || prototype === Object.prototype) && Object.values(value).every((item) => item !== undefined && isData(item));
}

function allowed<P extends Principal, I>({ parts }: CoreJudged, decision: CallDecision<P>, of?: CoreToolCall<I>): AllowedOutcome<P> {
  return {
    verdict: "allow",
    calls: parts.map(({ call }) => call),
    ...(of === undefined ? {} : { tool: { name: of.spec.name, input: of.input } }),
    decision,
  };
}

const refused = <P extends Principal>(decision: CallDecision<P>, forModel: string): DeniedOutcome<P> => ({
  verdict: "deny",
  forModel,
  decision,
});

/** What SDKs hand to a tool beside its input. */
function signalIn(options: unknown): { readonly signal?: AbortSignal } {
  const signal: unknown = isObject(options) ? (options["abortSignal"] ?? options["signal"]) : undefined;
  return signal instanceof AbortSignal ? { signal } : {};
}

const messageOf = (error: unknown): string => visible(error instanceof Error ? error.message : String(error)).slice(0, 200);
