import { adviceForModel } from "@assent/core/action";
import { realWorld } from "@assent/guard/engine";
import type { Policy, RequestVerdict } from "@assent/core/policy";
import { isApproved } from "../common/ask.ts";
import type { GuardCall } from "../create-guard/call.ts";
import type { GuardInside } from "../create-guard/inside.ts";
import type { JudgedCalls, JudgingWay } from "../create-guard/judging.ts";
import { openedDecision } from "../create-guard/opened.ts";
import type { CallOutcome, DeniedOutcome, PendingOutcome } from "../create-guard/types.ts";
import { PermissionDeniedError } from "../common/errors.ts";
import type { Operation } from "./ruleset.ts";

/** What is asked: the calls that an operation on a path, or a command, means. */
export interface CheckTarget {
  readonly operation: Operation;
  readonly calls: readonly GuardCall[];
  /** Where paths lead that are held by descriptor: looking again could find something else. */
  readonly pinned?: ReadonlyMap<string, string>;
}

const CALLS: Readonly<Record<Operation, (text: string) => readonly GuardCall[]>> = {
  execute: (shell) => [{ shell }],
  read: (read) => [{ read }],
  write: (write) => [{ write }],
  edit: (edit) => [{ edit }],
  ls: (list) => [{ list }],
  glob: (list) => [{ list }],
  // Searching shows what is in the files.
  grep: (list) => [{ list }, { read: list, tree: true }],
};

/** An operation on a path as it is written, or a command. */
export const checkTarget = (operation: Operation, text: string): CheckTarget => ({ operation, calls: CALLS[operation](text) });

/** An operation on paths that are held: what lies there is judged, and not what the paths would lead to by then. */
export const heldTarget = (operation: Operation, paths: readonly string[], pinned: ReadonlyMap<string, string>): CheckTarget => ({
  operation,
  calls: paths.flatMap((path) => CALLS[operation](path).slice(0, 1)),
  pinned,
});

/** What a question or a refusal is about. */
export interface CheckedRequest {
  readonly operation: Operation;
  readonly target: string;
  /** The agent's own. */
  readonly reason: string;
  readonly verdict: RequestVerdict;
}

export type RefusedOutcome = DeniedOutcome | PendingOutcome;

/** How a backend's operations are judged by a guard, and what becomes of its refusals. */
export interface CheckerWay {
  /** `sandbox`: commands that nobody can know are allowed, and started confined; why they cannot be, where they cannot. */
  readonly way: JudgingWay;
  /** What an operation makes of the policy. */
  readonly adapt?: (operation: Operation, found: Policy) => Policy;
  /** Answers the questions, in the place of whoever answers the guard's. */
  readonly ask?: (asked: CheckedRequest) => Promise<boolean>;
  /** What is thrown. By default `PermissionDeniedError`. */
  readonly refusal?: (outcome: RefusedOutcome, asked: CheckedRequest) => Error;
  /** Is told what was decided. */
  readonly log?: (asked: CheckedRequest, outcome: CallOutcome) => void;
}

/** Judges by a guard what a backend is asked to do: by its policy, its principal, whoever answers for it. */
export class BackendChecker {
  readonly #inside: GuardInside;
  readonly #cwd: string;
  readonly #as: CheckerWay;

  /** @internal */
  constructor(inside: GuardInside, as: CheckerWay) {
    this.#inside = inside;
    this.#cwd = inside.place.cwd;
    this.#as = as;
  }

  /** @internal The verdict alone. Asks nobody. */
  verdictOn(asked: CheckTarget, cwd?: string): RequestVerdict {
    return this.#verdictOf(this.#judge(asked, cwd, true));
  }

  /** @internal Asks where a question is due. Resolves to the verdict, which may be confined, or throws. */
  async checkTarget(asked: CheckTarget, target: string, reason = "", cwd?: string): Promise<RequestVerdict> {
    const judged = this.#judge(asked, cwd);
    const request = { operation: asked.operation, target, reason, verdict: this.#verdictOf(judged) };
    // A person has said yes in the dialogue of an SDK.
    const outcome = await this.#conclude(judged, request, cwd, isApproved() ? async () => await Promise.resolve(true) : undefined);
    if (outcome.verdict === "allow") return request.verdict;
    throw (this.#as.refusal ?? refusalByGuard)(outcome, request);
  }

  /** @internal A question that rules and earlier approvals do not answer: only a person, now. Denies hold. */
  async askAfresh(asked: CheckTarget, target: string, why: string, reason: string): Promise<"approved" | "refused" | "nobody" | "denied"> {
    const judged = this.#judge(asked);
    if (judged.decision.verdict === "deny" && !this.#inside.shadow) return "denied";
    const afresh: JudgedCalls = { ...judged, decision: { ...judged.decision, verdict: "ask", forPerson: why, forModel: why } };
    const verdict: RequestVerdict = { ...this.#verdictOf(judged), decision: "ask", reason: why };
    const outcome = await this.#conclude(afresh, { operation: asked.operation, target, reason, verdict });
    if (outcome.verdict === "allow") return "approved";
    return outcome.decision.answer === "refused" ? "refused" : "nobody";
  }

  /** @internal Whether an operation is worth being offered to a model: what is denied altogether, whatever it is about, is not. */
  offers(operation: Operation): boolean {
    const text = operation === "execute" ? PROBE : `${this.#cwd === "/" ? "" : this.#cwd}/${PROBE}`;
    const judged = this.#judge(checkTarget(operation, text), this.#cwd, true);
    if (judged.decision.verdict !== "deny" || this.#inside.shadow) return true;
    const policies = judged.parts.flatMap(({ outcome }) => outcome.basis?.policy ?? []);
    return policies.some((policy) => mayAllow(policy, operation));
  }

  async #conclude(judged: JudgedCalls, asked: CheckedRequest, cwd = this.#cwd, said?: () => Promise<boolean>): Promise<CallOutcome> {
    const { ask, log } = this.#as;
    const answers = said ?? (ask === undefined ? undefined : async () => await ask(asked));
    const outcome = await this.#inside.conclude(judged, { cwd, reason: asked.reason }, answers);
    log?.(asked, outcome);
    return outcome;
  }

  #judge({ operation, calls, pinned }: CheckTarget, cwd = this.#cwd, looks = false): JudgedCalls {
    const {
      way: { sandbox, ...way },
      adapt,
    } = this.#as;
    const world: JudgingWay["world"] = (machine, folder, root) => {
      const real = realWorld(machine, folder, root);
      return { ...real, canonical: (path) => pinned?.get(path) ?? real.canonical(path) };
    };
    const own: JudgingWay = {
      ...way,
      ...(looks ? { looks } : {}),
      ...(sandbox !== undefined && operation === "execute" ? { sandbox } : {}),
      ...(pinned === undefined ? {} : { world }),
      ...(adapt === undefined ? {} : { adapt: (found) => adapt(operation, found) }),
    };
    const judge = (some: readonly GuardCall[]): JudgedCalls => this.#inside.judge(some, { cwd }, own);
    const judged = judge(calls);
    // Searching is asked by its own default; what reading adds is what is protected, or written.
    const isDefault = operation === "grep" && calls.length > 1 && openedDecision(judged, false).verdict.basis === "default";
    return isDefault && judged.decision.verdict === "ask" ? judge(calls.slice(0, 1)) : judged;
  }

  #verdictOf(judged: JudgedCalls): RequestVerdict {
    const { decision, verdict } = openedDecision(judged, this.#inside.shadow);
    return decision === verdict.decision ? verdict : { ...verdict, decision };
  }
}

const PROBE = "assent-offers-nothing-of-this-name";

/** Something that a rule wants allowed, or asked about. */
const mayAllow = ({ rules, operations }: Policy, operation: Operation): boolean =>
  rules.some(({ effect }) => effect !== "deny") ||
  operations.some((block) => block.operation === operation && block.rules.some(({ effect }) => effect !== "deny"));

/** Whose no it is. What waits for an answer has none yet. */
export const byWhom = (outcome: RefusedOutcome): DeniedOutcome["by"] => (outcome.verdict === "pending" ? "nobody" : outcome.by);

/** What nobody has answered begins with "approval required", and the help stands apart. */
function refusalByGuard(outcome: RefusedOutcome, asked: CheckedRequest): PermissionDeniedError {
  const { help } = asked.verdict;
  const by = byWhom(outcome);
  const shown = help === undefined ? "" : ` (${adviceForModel(help)})`;
  const why = outcome.forModel.endsWith(shown) ? outcome.forModel.slice(0, outcome.forModel.length - shown.length) : outcome.forModel;
  const reason = by === "nobody" && !why.startsWith("approval required") ? `approval required: ${why}` : why;
  return new PermissionDeniedError({ ...asked, reason, by });
}
