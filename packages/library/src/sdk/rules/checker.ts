import { adviceForPerson } from "@assent/core/action";
import { appendAudit, auditLine, KEEP_UNSENT } from "@assent/guard/audit";
import { type Effect, isConfined, type RequestVerdict, type RuleSource, unconfined } from "@assent/core/policy";
import { meant } from "@assent/core/policy/read";
import { failedVerdict } from "@assent/guard/engine";
import type { ShellKind } from "@assent/core/shell";
import { thisMachine, type Machine } from "@assent/guard/state";
import { ask, type AskQuestion, isApproved, isPlainYes, type OnAsk, readPlain } from "../common/ask.ts";
import { PermissionAskError, PermissionDeniedError } from "../common/errors.ts";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";
import { forgetful, type GuardRoot, judgeCalls, type OwnPlace } from "../create-guard/judging.ts";
import { openedDecision } from "../create-guard/opened.ts";
import { type BackendChecker, CallJudge } from "./call-checker.ts";
import { type CheckTarget, effectOf, RulesetPolicies } from "./judge.ts";
import { compileRuleset, isOffered, type Operation, OPERATIONS, readRuleset, type Ruleset } from "./ruleset.ts";

/** Where and how a ruleset is asked. */
export interface CheckerOptions {
  /** Answers the questions of `check`. */
  readonly onAsk?: OnAsk;
  /** What `check` throws where nobody can be asked (no `onAsk`, or it fails): `PermissionAskError` (by default) or `PermissionDeniedError`. */
  readonly askFallback?: "error" | "deny";
  /** What relative paths and commands start from; by default the process's folder when the checker is made. */
  readonly cwd?: string;
  /** Root of the project; by default the git top level above `cwd`. */
  readonly projectRoot?: string;
  /**
   * Whether the policy files of this machine and project hold too: what they deny is denied, what they ask is asked, and
   * what they allow changes nothing. `machine` by default.
   */
  readonly files?: "machine" | "none";
  /** Further policy files, by path. */
  readonly policyFiles?: readonly string[];
  /** The shell that runs commands; `any` (by default) means that it may be bash or zsh. */
  readonly shell?: ShellKind;
  /** Append what `check` decides to the audit log; true unless said otherwise. */
  readonly audit?: boolean;
  /** For tests: another home, other environment variables. */
  readonly machine?: Machine;
}

const OPTIONS = {
  onAsk: "function",
  askFallback: ["error", "deny"],
  cwd: "string",
  projectRoot: "string",
  files: ["machine", "none"],
  policyFiles: "texts",
  shell: "string",
  audit: "boolean",
  machine: "object",
} satisfies Options<CheckerOptions>;

/** What a checker says, and why. */
export interface Explanation {
  readonly effect: Effect;
  /** One line: what and why. No control characters. */
  readonly reason: string;
  /** What to do next. */
  readonly help: string | undefined;
  /** The rule that decided, with its place; in `ruleset` for the ruleset's own. */
  readonly rule: RuleSource | undefined;
  /** Every action that was found, with its own verdict. */
  readonly verdict: RequestVerdict;
}

/**
 * Asks a ruleset.
 *
 * ```ts
 * const checker = new PermissionChecker(presets.default, { onAsk: async ({ question }) => confirm(question) });
 * checker.checkSync("read", "/repo/app.ts"); // "allow"
 * await checker.check("execute", "rm -rf build"); // asks; resolves, or throws PermissionDeniedError
 * ```
 */
export class PermissionChecker implements BackendChecker {
  readonly ruleset: Ruleset;
  readonly #calls: CallJudge;
  readonly #wall: (() => string | undefined) | undefined;
  readonly #options: CheckerOptions & { readonly machine: Machine; readonly cwd: string };

  /**
   * Throws `RulesetError` when the ruleset is none, `TypeError` for an option that does not exist. What is allowed may be
   * started as it is, unless `wall` is given, which is for Assent's own backend: commands that nobody can know are allowed
   * then, and started confined; why they cannot be, where they cannot.
   */
  constructor(ruleset: Ruleset, options: CheckerOptions = {}, wall?: () => string | undefined) {
    checkOptions("PermissionChecker", options, OPTIONS, "rules stand in the ruleset");
    this.ruleset = readRuleset(ruleset);
    this.#wall = wall;
    const { files = "machine", policyFiles = [], shell = "any", projectRoot, machine = thisMachine(), cwd = process.cwd() } = options;
    this.#options = { ...options, machine, cwd };
    const rules = new RulesetPolicies(compileRuleset(this.ruleset));
    const own: OwnPlace = {
      agent: "library",
      point: "library",
      sessionRoot: projectRoot,
      policies: { files, policyFiles, extensions: "off" },
    };
    let made: GuardRoot | undefined;
    const root = (): GuardRoot =>
      (made ??= { machine: forgetful(machine), policy: undefined, files: "all", confine: false, audit: false, shell, own });
    this.#calls = new CallJudge(
      (calls, called, way) => judgeCalls(calls, root(), { principal: undefined, cwd, stricter: [] }, called, way),
      cwd,
      { shell, looks: true, ...(wall === undefined ? {} : { wall: () => undefined }) },
      (operation, found) => rules.with(found, operation),
    );
  }

  /** What holds for an operation on a path or for a command. Asks nobody, changes nothing. Throws `GuardOptionError` for an unknown operation. */
  checkSync(operation: Operation, target: string): Effect {
    return effectOf(this.verdictOn(checked(operation, target)).decision);
  }

  /** As `checkSync`, with the reasons. */
  explain(operation: Operation, target: string): Explanation {
    const verdict = this.verdictOn(checked(operation, target));
    const { reason, help, rule } = verdict;
    return { effect: effectOf(verdict.decision), reason, help: help === undefined ? undefined : adviceForPerson(help), rule, verdict };
  }

  isAllowed(operation: Operation, target: string): boolean {
    return this.checkSync(operation, target) === "allow";
  }

  isDenied(operation: Operation, target: string): boolean {
    return this.checkSync(operation, target) === "deny";
  }

  requiresApproval(operation: Operation, target: string): boolean {
    return this.checkSync(operation, target) === "ask";
  }

  /**
   * Asks where a question is due. Resolves to `true` when the operation may go ahead; else throws `PermissionDeniedError`,
   * or `PermissionAskError` where nobody can be asked. `reason` is the agent's own and is shown to the person.
   */
  async check(operation: Operation, target: string, reason = ""): Promise<true> {
    await this.checkTarget(checked(operation, target), target, reason);
    return true;
  }

  /** @internal As `check`, for what a backend has found out about the target. Resolves to the verdict, which may be confined. */
  async checkTarget(asked: CheckTarget, target: string, reason = "", cwd?: string): Promise<RequestVerdict> {
    const { operation } = asked;
    const start = process.hrtime.bigint();
    const verdict = this.verdictOn(asked, cwd);
    const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
    const effect = effectOf(verdict.decision);
    const said = effect === "ask" ? await this.#ask({ operation, target, reason, verdict }, isApproved()) : undefined;
    const goesAhead = effect === "allow" || said === "approved";
    const answer = goesAhead ? "allow" : effect === "deny" || said === "refused" ? "deny" : "ask";
    this.#log({ operation, target, verdict, answer, milliseconds });
    if (goesAhead) return verdict;
    if (effect === "deny") throw new PermissionDeniedError({ operation, target, reason: verdict.reason, verdict });
    if (said === "refused") throw new PermissionDeniedError({ operation, target, reason: "the user refused", verdict });
    if ((this.#options.askFallback ?? "error") === "error") throw new PermissionAskError({ operation, target, reason, verdict });
    throw new PermissionDeniedError({ operation, target, reason: `approval required: ${verdict.reason}`, verdict });
  }

  /** @internal A question that rules and earlier approvals do not answer: only a person, now. Denies hold. */
  async askAfresh(asked: CheckTarget, target: string, why: string, reason: string): Promise<"approved" | "refused" | "nobody" | "denied"> {
    const judged = this.verdictOn(asked);
    if (judged.decision === "deny") return "denied";
    const verdict: RequestVerdict = { ...judged, decision: "ask", reason: why };
    const { operation } = asked;
    const said = await this.#ask({ operation, target, reason, verdict });
    this.#log({ operation, target, verdict, answer: said === "approved" ? "allow" : "deny", milliseconds: 0 });
    return said;
  }

  /** @internal The verdict alone. Never throws: what goes wrong is a question. */
  verdictOn(asked: CheckTarget, cwd?: string): RequestVerdict {
    let verdict: RequestVerdict;
    try {
      ({ verdict } = openedDecision(this.#calls.judge(asked, cwd), false));
    } catch (error) {
      return failedVerdict(error);
    }
    const problem = isConfined(verdict) ? this.#wall?.() : undefined;
    if (problem === undefined) return verdict;
    const plain = unconfined(verdict);
    return plain.decision === "allow" ? plain : { ...plain, reason: `${plain.reason}; it would run sandboxed, but ${problem}` };
  }

  /** @internal */
  offers(operation: Operation): boolean {
    return isOffered(this.ruleset, operation);
  }

  async #ask(asked: Omit<AskQuestion, "question">, isSaid = false): Promise<"approved" | "refused" | "nobody"> {
    const read = isSaid ? readPlain(true) : await ask(this.#options.onAsk, asked);
    return isPlainYes(read) ? "approved" : read.is === "yes" || read.is === "no" ? "refused" : "nobody";
  }

  #log({ operation, target, verdict, answer, milliseconds }: Logged): void {
    const { machine, cwd, audit = true } = this.#options;
    if (!audit) return;
    try {
      const input = { target };
      appendAudit(
        machine,
        auditLine({ time: Date.now(), point: "library", agent: "library", cwd, tool: operation, input, verdict, answer, milliseconds }),
        KEEP_UNSENT,
      );
    } catch {
      // The decision stands without its line.
    }
  }
}

/** In plain JavaScript nothing else finds an operation that is misspelt: it would be judged as none of them. */
function checked(given: unknown, text: unknown): CheckTarget {
  const operation = OPERATIONS.find((name) => name === given);
  if (operation === undefined)
    throw new GuardOptionError("operation", `the operation ${JSON.stringify(given)} does not exist${meant(String(given), OPERATIONS)}`);
  if (typeof text !== "string") throw new GuardOptionError("target", `the target of ${operation} must be a text`);
  return { operation, text };
}

interface Logged {
  readonly operation: Operation;
  readonly target: string;
  readonly verdict: RequestVerdict;
  readonly answer: string;
  readonly milliseconds: number;
}
