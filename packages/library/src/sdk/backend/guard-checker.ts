import { adviceForModel, type FileAction } from "@assent/core/action";
import { realWorld } from "@assent/guard/engine";
import type { Effect, Policy, RequestVerdict } from "@assent/core/policy";
import { type GuardInside, INSIDE, type InsideGuard } from "../adapters/guards.ts";
import { isApproved } from "../common/ask.ts";
import { GuardCallError, type GuardCall } from "../create-guard/call.ts";
import type { JudgedCalls, JudgingWay } from "../create-guard/judging.ts";
import { openedDecision } from "../create-guard/opened.ts";
import type { CallOutcome } from "../create-guard/types.ts";
import { PermissionDeniedError } from "../common/errors.ts";
import { effectOf, type CheckTarget } from "../rules/judge.ts";
import { isOffered, type Operation, type Ruleset } from "../rules/ruleset.ts";

/** Who judges what a backend is asked to do: a ruleset, or a guard of `createGuard`. */
export interface BackendChecker {
  /** What holds for a path or a command. Asks nobody. */
  checkSync(operation: Operation, target: string): Effect;
  verdictOn(asked: CheckTarget, cwd?: string): RequestVerdict;
  /** Asks where a question is due. Resolves to the verdict, or throws `PermissionDeniedError` or `PermissionAskError`. */
  checkTarget(asked: CheckTarget, target: string, reason?: string, cwd?: string): Promise<RequestVerdict>;
  /** A question that rules and earlier approvals do not answer: only a person, now. Denies hold. */
  askAfresh(asked: CheckTarget, target: string, why: string, reason: string): Promise<"approved" | "refused" | "nobody" | "denied">;
}

/** Whether an operation is worth being offered to a model: what is denied altogether is not. */
export function isWorthOffering(checker: BackendChecker, permissions: Ruleset | undefined, operation: Operation): boolean {
  if (permissions !== undefined) return isOffered(permissions, operation);
  return checker instanceof GuardChecker ? checker.offers(operation) : true;
}

/** The calls of a backend behind a guard of `createGuard`: its policy, its principal, whoever answers for it, whoever listens. */
export class GuardChecker implements BackendChecker {
  readonly #inside: GuardInside;
  readonly #cwd: string;

  readonly #wall: JudgingWay["wall"];

  /** `wall`: commands that nobody can know are allowed, and started confined; why they cannot be, where they cannot. */
  constructor(guard: InsideGuard, cwd: string, wall?: JudgingWay["wall"]) {
    this.#wall = wall;
    this.#inside = guard[INSIDE]({ cwd });
    this.#cwd = cwd;
  }

  checkSync(operation: Operation, target: string): Effect {
    return effectOf(this.verdictOn({ operation, text: target }).decision);
  }

  verdictOn(asked: CheckTarget, cwd = this.#cwd): RequestVerdict {
    return this.#verdictOf(this.#judge(asked, cwd, { looks: true }));
  }

  async checkTarget(asked: CheckTarget, target: string, reason = "", cwd = this.#cwd): Promise<RequestVerdict> {
    const judged = this.#judge(asked, cwd, {});
    const { decision } = judged;
    // A person has said yes in the dialogue of an SDK.
    if (decision.verdict === "ask" && isApproved()) {
      this.#inside.tell({ ...decision, answer: "allowed" });
      return this.#verdictOf(judged);
    }
    const outcome = await this.#inside.conclude(judged, { cwd, reason });
    const verdict = this.#verdictOf(judged);
    if (outcome.verdict === "allow") return verdict;
    throw new PermissionDeniedError({ operation: asked.operation, target, reason: whyNot(outcome, verdict), verdict });
  }

  async askAfresh(asked: CheckTarget, target: string, why: string, reason: string): Promise<"approved" | "refused" | "nobody" | "denied"> {
    const judged = this.#judge(asked, this.#cwd, {});
    if (judged.decision.verdict === "deny" && !this.#inside.shadow) return "denied";
    const afresh: JudgedCalls = { ...judged, decision: { ...judged.decision, verdict: "ask", forPerson: why, forModel: why } };
    const { verdict, decision } = await this.#inside.conclude(afresh, { cwd: this.#cwd, reason });
    if (verdict === "allow") return "approved";
    return decision.answer === "refused" ? "refused" : "nobody";
  }

  /** Nothing that the operation could be is anything but denied. */
  offers(operation: Operation): boolean {
    const text = operation === "execute" ? PROBE : `${this.#cwd === "/" ? "" : this.#cwd}/${PROBE}`;
    const judged = this.#judge({ operation, text }, this.#cwd, { looks: true });
    if (judged.decision.verdict !== "deny" || this.#inside.shadow) return true;
    const policies = judged.parts.flatMap(({ outcome }) => outcome.basis?.policy ?? []);
    return policies.some((policy) => mayAllow(policy, operation));
  }

  #judge(asked: CheckTarget, cwd: string, way: JudgingWay): JudgedCalls {
    const { calls, pinned } = callsOf(asked);
    const world: JudgingWay["world"] = (machine, folder, root) => {
      const real = realWorld(machine, folder, root);
      return { ...real, canonical: (path) => pinned.get(path) ?? real.canonical(path) };
    };
    const wall = this.#wall === undefined || !("text" in asked && asked.operation === "execute") ? {} : { wall: this.#wall };
    return this.#inside.judge(calls, { cwd }, { ...way, ...wall, fixed: true, shell: "sh", ...(pinned.size === 0 ? {} : { world }) });
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

/** As `PermissionChecker` says it: what starts with "approval required" is a question that nobody has answered, and the help stands apart. */
function whyNot({ verdict, ...outcome }: Exclude<CallOutcome, { verdict: "allow" }>, { help }: RequestVerdict): string {
  const asks = verdict === "pending" || outcome.decision.answer === "nobody";
  const shown = help === undefined ? "" : ` (${adviceForModel(help)})`;
  const why = outcome.forModel.endsWith(shown) ? outcome.forModel.slice(0, outcome.forModel.length - shown.length) : outcome.forModel;
  return asks && !why.startsWith("approval required") ? `approval required: ${why}` : why;
}

interface CheckedCalls {
  readonly calls: readonly GuardCall[];
  readonly pinned: ReadonlyMap<string, string>;
}

const NOTHING_PINNED: ReadonlyMap<string, string> = new Map();

function callsOf(asked: CheckTarget): CheckedCalls {
  if ("actions" in asked) return { calls: asked.actions.map(callOf), pinned: asked.pinned };
  if ("argv" in asked) return { calls: [{ argv: asked.argv }], pinned: NOTHING_PINNED };
  const { operation, text } = asked;
  return { calls: [TEXTS[operation](text)], pinned: NOTHING_PINNED };
}

const TEXTS: Readonly<Record<Operation, (text: string) => GuardCall>> = {
  execute: (shell) => ({ shell }),
  read: (read) => ({ read }),
  write: (write) => ({ write }),
  edit: (edit) => ({ edit }),
  ls: (list) => ({ list }),
  glob: (list) => ({ list }),
  grep: (list) => ({ list }),
};

function callOf({ operation, target }: FileAction): GuardCall {
  const path = target.kind === "path" || target.kind === "tree" ? target.path : "";
  switch (operation) {
    case "read":
      return { read: path };
    case "list":
      return { list: path };
    case "write":
      return { write: path };
    case "edit":
      return { edit: path };
    case "delete":
      return { delete: path };
    case "mkdir":
      return { mkdir: path };
    default:
      throw new GuardCallError(`a backend does not do this: ${operation}`);
  }
}
