import { adviceForPerson } from "@assent/core/action";
import { appendAudit, auditLine, KEEP_UNSENT } from "@assent/guard/audit";
import type { Effect, RequestVerdict, RuleSource } from "@assent/core/policy";
import { meant } from "@assent/core/policy/read";
import type { ShellKind } from "@assent/core/shell";
import { thisMachine, type Machine } from "@assent/guard/state";
import { askPerson, type OnAsk } from "../common/ask.ts";
import { PermissionAskError, PermissionDeniedError } from "../common/errors.ts";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";
import { machineGuard } from "../create-guard/inside.ts";
import { forgetful, type JudgingWay } from "../create-guard/judging.ts";
import type { CallOutcome } from "../create-guard/types.ts";
import { BackendChecker, byWhom, type CheckedRequest, type CheckTarget, checkTarget, type RefusedOutcome } from "./backend-checker.ts";
import { effectOf, RulesetPolicies } from "./judge.ts";
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
export class PermissionChecker extends BackendChecker {
  readonly ruleset: Ruleset;

  /** Throws `RulesetError` when the ruleset is none, `GuardOptionError` for an option that is wrong. `sandbox` is for Assent's own backend. */
  constructor(ruleset: Ruleset, options: CheckerOptions = {}, sandbox?: JudgingWay["sandbox"]) {
    checkOptions("PermissionChecker", options, OPTIONS, "rules stand in the ruleset");
    const own = readRuleset(ruleset);
    const { files = "machine", policyFiles = [], shell = "any", projectRoot, machine = thisMachine(), cwd = process.cwd() } = options;
    const rules = new RulesetPolicies(compileRuleset(own));
    const policies = { files, policyFiles, extensions: "off" } as const;
    const root = { machine: forgetful(machine), shell, own: { agent: "library", point: "library", sessionRoot: projectRoot, policies } };
    const { onAsk } = options;
    super(machineGuard(root, cwd), {
      way: { shell, looks: true, ...(sandbox === undefined ? {} : { sandbox }) },
      adapt: (operation, found) => rules.with(found, operation),
      ...(onAsk === undefined ? {} : { ask: async (asked) => await askPerson(onAsk, asked) }),
      refusal: (outcome, asked) => refusalByRuleset(outcome, asked, options.askFallback),
      log: (asked, outcome) => logChecked(asked, outcome, { ...options, machine, cwd }),
    });
    this.ruleset = own;
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

  /** @internal */
  override offers(operation: Operation): boolean {
    return isOffered(this.ruleset, operation);
  }
}

function refusalByRuleset(outcome: RefusedOutcome, asked: CheckedRequest, fallback: CheckerOptions["askFallback"] = "error"): Error {
  const by = byWhom(outcome);
  const { reason } = asked.verdict;
  if (by === "policy") return new PermissionDeniedError({ ...asked, reason, by });
  if (by === "person") return new PermissionDeniedError({ ...asked, reason: "the user refused", by });
  return fallback === "error"
    ? new PermissionAskError({ ...asked, by })
    : new PermissionDeniedError({ ...asked, reason: `approval required: ${reason}`, by });
}

function logChecked(
  { operation, target, verdict }: CheckedRequest,
  outcome: CallOutcome,
  { machine, cwd, audit = true }: CheckerOptions & { readonly machine: Machine; readonly cwd: string },
): void {
  if (!audit) return;
  const { milliseconds } = outcome.decision;
  const isNo = outcome.verdict !== "allow" && ["policy", "person"].includes(byWhom(outcome));
  const answer = outcome.verdict === "allow" ? "allow" : isNo ? "deny" : "ask";
  const line = {
    time: Date.now(),
    point: "library",
    agent: "library",
    cwd,
    tool: operation,
    input: { target },
    verdict,
    answer,
    milliseconds,
  };
  try {
    appendAudit(machine, auditLine(line), KEEP_UNSENT);
  } catch {
    // The decision stands without its line.
  }
}

/** In plain JavaScript nothing else finds an operation that is misspelt: it would be judged as none of them. */
function checked(given: unknown, text: unknown): CheckTarget {
  const operation = OPERATIONS.find((name) => name === given);
  if (operation === undefined)
    throw new GuardOptionError("operation", `the operation ${JSON.stringify(given)} does not exist${meant(String(given), OPERATIONS)}`);
  if (typeof text !== "string") throw new GuardOptionError("target", `the target of ${operation} must be a text`);
  return checkTarget(operation, text);
}
