import type { World } from "@assent/core/action";
import { resolvePath } from "@assent/core/path";
import { LONGEST_GRANT_MS, type PolicyFile, type Principal } from "@assent/core/policy";
import { changedPrincipal, readPrincipal } from "../create-guard/call-options.ts";
import type { GuardCall } from "../create-guard/call.ts";
import type { NamedTool } from "../create-guard/combine.ts";
import { CoreGuard } from "../create-guard/core-guard.ts";
import type { FlowAnswered, FlowWorld } from "../create-guard/flow.ts";
import { isList } from "../create-guard/effects.ts";
import { type AnswerScope, type ReadAnswer, understandAnswer } from "../common/read-answer.ts";
import type {
  AllowedOutcome,
  CoreGuardChange,
  CoreQuestion,
  DeniedOutcome,
  Given,
  GuardCallOptions,
  GuardOptions,
} from "../create-guard/types.ts";
import { checkOptions, type Options } from "../common/options.ts";
import { checkWorld } from "./given-world.ts";
import { type CorePlace, type CoreJudged, type CoreRoot, judgeAtOnce, judgeCoreCalls, policyOf, tightened } from "./judge-calls.ts";

/** An answer in the core: as in a guard of `assent`, without rules and without "later". Whatever else is no answer, and nothing goes ahead. */
export type CoreAnswer =
  | { readonly yes: "once" | "session" | { readonly for: string | number }; readonly call?: GuardCall; readonly input?: unknown }
  | { readonly no: string }
  | boolean;

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

/** What becomes of a call. A refusal is a value, with a text for the model. */
export type CoreOutcome<P extends Principal = Principal> = AllowedOutcome<P> | DeniedOutcome<P>;

/** A guard in a world that was given. */
export type GivenWorldGuard<Policy = unknown, P extends Principal = Principal> = CoreGuard<Policy, P, never, CoreJudged>;

/** How an entry of the package makes guards. */
export interface CoreWay<Policy> {
  readonly read: (policy: Policy, option: string) => PolicyFile;
  /** Commands are understood. */
  readonly commands: boolean;
}

interface CoreShared<Policy, P extends Principal> {
  readonly way: CoreWay<Policy>;
  readonly root: CoreRoot;
  readonly options: Given<Pick<CoreGuardOptions<Policy, P>, "onAsk" | "onDecision" | "shadow">>;
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
): GivenWorldGuard<Policy, P> {
  const of = "createGuard";
  // What is no object at all has no world.
  checkOptions(of, options ?? {}, OPTIONS);
  const { world, policy, onAsk, onDecision, shadow, shell = "any" } = options ?? {};
  checkWorld(of, world);
  const principal = readPrincipal(of, options.principal);
  const list: readonly Policy[] = policy === undefined ? [] : isList(policy) ? policy : [policy];
  const [first, ...stricter] = Array.from(list, (one, at) => way.read(one, list.length === 1 ? "policy" : `policy[${at}]`));
  const root: CoreRoot = { world, policy: policyOf(first), shell, commands: way.commands };
  tightened(root.policy, stricter);
  const shared = { way, root, options: { onAsk, onDecision, shadow }, answers: new RememberedAnswers() };
  return new CoreGuard<Policy, P, never, CoreJudged>(new CoreFlowWorld(shared, { principal, cwd: undefined, stricter }));
}

/** A world that was given, as calls are judged in it and questions answered. */
class CoreFlowWorld<Policy, P extends Principal> implements FlowWorld<P, CoreJudged, never, Policy> {
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

  with(change: CoreGuardChange<Policy, P>): CoreFlowWorld<Policy, P> {
    const principal = changedPrincipal(change, this.#place.principal);
    const { cwd, policy } = change;
    const { way, root } = this.#shared;
    const before = this.#place.stricter;
    const stricter = policy === undefined ? before : [...before, way.read(policy, "policy")];
    if (stricter !== before) tightened(root.policy, stricter);
    const folder = cwd === undefined ? this.#place.cwd : folderOf(root, this.#place, cwd);
    return new CoreFlowWorld(this.#shared, { principal, cwd: folder, stricter });
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
