import type { World } from "@assent/core/action";
import { resolvePath } from "@assent/core/path";
import { LONGEST_GRANT_MS, type PolicyFile, type Principal } from "@assent/core/policy";
import { readPrincipal, WITH_OPTIONS } from "../create-guard/call-options.ts";
import type { GuardCall } from "../create-guard/call.ts";
import type { NamedTool } from "../create-guard/combine.ts";
import { type FlowAnswered, type FlowWorld, GuardFlow } from "../create-guard/flow.ts";
import { isList } from "../create-guard/effects.ts";
import { type AnswerScope, type ReadAnswer, understandAnswer } from "../create-guard/read-answer.ts";
import type { EffectsOf, GuardedTool, RunContext, ToolSpec } from "../create-guard/tool.ts";
import type {
  AllowedOutcome,
  CallDecision,
  DeniedOutcome,
  GuardCallOptions,
  GuardChange,
  GuardOptions,
  GuardQuestion,
} from "../create-guard/types.ts";
import { checkOptions, type Options } from "../common/options.ts";
import { checkWorld } from "./given-world.ts";
import { type CorePlace, type CoreJudged, type CoreRoot, judgeAtOnce, judgeCoreCalls, policyOf, tightened } from "./judge-calls.ts";

/** An answer in the core: as in a guard of `assent`, without rules and without "later". Whatever else is no answer, and nothing goes ahead. */
export type CoreAnswer =
  | { readonly yes: "once" | "session" | { readonly for: string | number }; readonly call?: GuardCall; readonly input?: unknown }
  | { readonly no: string }
  | boolean;

/** A question to a person, as a guard of `assent` puts it. */
export type CoreQuestion<P extends Principal = Principal> = Omit<GuardQuestion<P>, "rules" | "suggestions">;

/** What a guard of the core decides by. `Policy` is what policies are given as. */
export interface CoreGuardOptions<Policy, P extends Principal = Principal> extends Pick<
  GuardOptions<P>,
  "principal" | "onDecision" | "shadow" | "shell"
> {
  /** The machine on which things would be done, as far as it is known: `plainWorld`, or one of your own. */
  readonly world: World;
  /** Several: those behind the first can only make it stricter. Without it the preset `default`. */
  readonly policy?: Policy | readonly Policy[];
  /** Answers questions. Where it throws, or answers in none of these forms, and without it, a question is a refusal that says so. */
  readonly onAsk?: (question: CoreQuestion<P>, options: { readonly signal: AbortSignal }) => CoreAnswer | Promise<CoreAnswer>;
}

/** What may differ in a guard that is made of another one. The policy can only be stricter. */
export interface CoreGuardChange<Policy, P extends Principal = Principal> extends Omit<GuardChange<P>, "policy"> {
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

/** Makes a guard of the core. Throws `GuardOptionError` or `TypeError` for an option that is wrong, or that does not exist. */
export function makeCoreGuard<Policy, P extends Principal>(
  way: CoreWay<Policy>,
  options: CoreGuardOptions<Policy, P>,
): CoreGuard<Policy, P> {
  const of = "createGuard";
  // What is no object at all has no world.
  checkOptions(of, options ?? {}, OPTIONS);
  const { world, policy, onAsk, onDecision, shadow, shell = "any" } = options ?? {};
  checkWorld(of, world);
  const principal = readPrincipal(of, options.principal);
  const list: readonly Policy[] = policy === undefined ? [] : isList(policy) ? policy : [policy];
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
    { principal, cwd: undefined, stricter },
  );
}

/** A policy as an object, where there is no machine: see `createGuard` of `assent/core`. */
export class CoreGuard<Policy = unknown, P extends Principal = Principal> {
  readonly #shared: CoreShared<Policy, P>;
  readonly #place: CorePlace;
  readonly #flow: GuardFlow<P, CoreJudged>;

  /** For `createGuard`. */
  constructor(shared: CoreShared<Policy, P>, place: CorePlace) {
    this.#shared = shared;
    this.#place = place;
    this.#flow = new GuardFlow<P, CoreJudged>(new CoreFlowWorld(shared, place));
  }

  /** Judges a call, or several that belong together. Asks nobody. Throws `GuardCallError` for what is no call. */
  async decide(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<CallDecision<P>> {
    return await this.#flow.decide(call, options);
  }

  /** Judges, and asks where it has to. A refusal is a value. */
  async check(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<CoreOutcome<P>> {
    return await this.#flow.check(call, options);
  }

  /** As `check`. Throws `PermissionDenied`. */
  async require(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<AllowedOutcome<P>> {
    return await this.#flow.require(call, options);
  }

  /** A tool whose every call is judged by what it does with its input: as in a guard of `assent`. */
  tool<I, O>(spec: ToolSpec<I>, run: (input: I, context: RunContext<P>) => O | Promise<O>): GuardedTool<I, O, P> {
    return this.#flow.tool(spec, run);
  }

  /** Tools of some library, or plain functions, each guarded by what it does. A tool without stated effects does not compile. */
  tools<T extends Record<string, unknown>>(tools: T, effects: EffectsOf<T>): T {
    return this.#flow.tools(tools, effects);
  }

  /** The tools that are not denied by their name: what the model need not see is left out. */
  visible<T extends Record<string, unknown>>(tools: T): Partial<T> {
    return this.#flow.visible(tools);
  }

  /** A guard for somebody else, at another place, or with a stricter policy: made in microseconds, for each request of a server. */
  with(change: CoreGuardChange<Policy, P>): CoreGuard<Policy, P> {
    checkOptions("with", change, WITH_OPTIONS);
    const { cwd, policy } = change;
    const principal = readPrincipal("with", change.principal) ?? this.#place.principal;
    const { way, root } = this.#shared;
    const before = this.#place.stricter;
    const stricter = policy === undefined ? before : [...before, way.read(policy, "policy")];
    if (stricter !== before) tightened(root.policy, stricter);
    const folder = cwd === undefined ? this.#place.cwd : folderOf(root, this.#place, cwd);
    return new CoreGuard(this.#shared, { principal, cwd: folder, stricter });
  }
}

/** A world that was given, as calls are judged in it and questions answered. */
class CoreFlowWorld<Policy, P extends Principal> implements FlowWorld<P, CoreJudged, never> {
  readonly #shared: CoreShared<Policy, P>;
  readonly #place: CorePlace;
  readonly shadow: boolean;
  readonly onDecision: CoreGuardOptions<Policy, P>["onDecision"] | undefined;
  readonly ask: FlowWorld<P, CoreJudged, never>["ask"];

  constructor(shared: CoreShared<Policy, P>, place: CorePlace) {
    this.#shared = shared;
    this.#place = place;
    const { onAsk, onDecision, shadow } = shared.options;
    this.shadow = shadow === true;
    this.onDecision = onDecision;
    this.ask = onAsk === undefined ? undefined : ({ question }, signal) => onAsk(question, { signal });
  }

  judge(calls: readonly GuardCall[], options: GuardCallOptions<P>, tool?: NamedTool): CoreJudged | Promise<CoreJudged> {
    const placed = options.cwd === undefined ? options : { ...options, cwd: this.folder(options) };
    return judgeCoreCalls(calls, this.#shared.root, this.#place, placed, tool);
  }

  judgeName(name: string): CoreJudged {
    return judgeAtOnce([{ tool: name, input: {} }], this.#shared.root, this.#place, {});
  }

  folder(options: GuardCallOptions<P>): string {
    return folderOf(this.#shared.root, this.#place, options.cwd);
  }

  isAnswered(about: FlowAnswered<P, CoreJudged>): boolean {
    return this.#shared.answers.holds(this.#keyOf(about));
  }

  understand(answer: unknown): ReadAnswer {
    // A rule is nothing that holds here, and nothing waits.
    return understandAnswer(answer === "later" ? undefined : answer, () => false);
  }

  keep(about: FlowAnswered<P, CoreJudged>, answer: "refused" | AnswerScope): void {
    if (answer !== "refused") this.#shared.answers.keep(this.#keyOf(about), answer);
  }

  async wait(): Promise<undefined> {
    return await Promise.resolve(undefined);
  }

  warn(text: string): void {
    console.warn(`assent: ${text}`);
  }

  /** What an answer that holds for longer is about: this very question, of the same principal, in the same folder. */
  #keyOf({ judged, options, of }: FlowAnswered<P, CoreJudged>): string | undefined {
    const { calls, principal, forPerson } = judged.decision;
    const tool = of === undefined ? undefined : { name: of.name, input: of.input };
    if (!isData(calls) || !isData(tool)) return undefined;
    return JSON.stringify([principal, this.folder(options), options.subagent, calls, tool, forPerson]);
  }
}

function folderOf({ world }: CoreRoot, place: CorePlace, cwd: string | undefined): string {
  const own = place.cwd ?? world.cwd;
  return cwd === undefined ? own : resolvePath(own, cwd);
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
