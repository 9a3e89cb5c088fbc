import { adviceForModel, type FileAction } from "@assent/core/action";
import { realWorld } from "@assent/guard/engine";
import type { Policy, RequestVerdict } from "@assent/core/policy";
import { type GuardInside, INSIDE, type InsideGuard } from "../adapters/guards.ts";
import { isApproved } from "../common/ask.ts";
import { GuardCallError, type GuardCall } from "../create-guard/call.ts";
import type { JudgedCalls, JudgingWay } from "../create-guard/judging.ts";
import { openedDecision } from "../create-guard/opened.ts";
import type { CallOutcome } from "../create-guard/types.ts";
import { PermissionDeniedError } from "../common/errors.ts";
import type { CheckTarget } from "./judge.ts";
import type { Operation } from "./ruleset.ts";

/** Who judges what a backend is asked to do: a ruleset, or a guard of `createGuard`. */
export interface BackendChecker {
  /** @internal The verdict for a path or a command. Asks nobody. */
  verdictOn(asked: CheckTarget, cwd?: string): RequestVerdict;
  /** @internal Asks where a question is due. Resolves to the verdict, or throws `PermissionDeniedError` or `PermissionAskError`. */
  checkTarget(asked: CheckTarget, target: string, reason?: string, cwd?: string): Promise<RequestVerdict>;
  /** @internal A question that rules and earlier approvals do not answer: only a person, now. Denies hold. */
  askAfresh(asked: CheckTarget, target: string, why: string, reason: string): Promise<"approved" | "refused" | "nobody" | "denied">;
  /** @internal Whether an operation is worth being offered to a model: what is denied altogether is not. */
  offers(operation: Operation): boolean;
}

/** Operations on paths and commands as calls of a guard, judged by its judge. */
export class CallJudge {
  readonly #judge: GuardInside["judge"];
  readonly #cwd: string;
  readonly #way: JudgingWay;
  /** What an operation makes of the policy. */
  readonly #adapt: ((operation: Operation, found: Policy) => Policy) | undefined;

  /** `way.wall`: commands that nobody can know are allowed, and started confined; why they cannot be, where they cannot. */
  constructor(judge: GuardInside["judge"], cwd: string, way: JudgingWay, adapt?: (operation: Operation, found: Policy) => Policy) {
    this.#judge = judge;
    this.#cwd = cwd;
    this.#way = way;
    this.#adapt = adapt;
  }

  judge(asked: CheckTarget, cwd = this.#cwd, looks = false): JudgedCalls {
    const { calls, pinned } = callsOf(asked);
    const { operation } = asked;
    const { wall, ...way } = this.#way;
    const adapt = this.#adapt;
    const world: JudgingWay["world"] = (machine, folder, root) => {
      const real = realWorld(machine, folder, root);
      return { ...real, canonical: (path) => pinned.get(path) ?? real.canonical(path) };
    };
    const judge = (some: readonly GuardCall[]): JudgedCalls =>
      this.#judge(
        some,
        { cwd },
        {
          ...way,
          ...(looks ? { looks } : {}),
          ...(wall !== undefined && "text" in asked && operation === "execute" ? { wall } : {}),
          ...(pinned.size === 0 ? {} : { world }),
          ...(adapt === undefined ? {} : { adapt: (found) => adapt(operation, found) }),
        },
      );
    const judged = judge(calls);
    // Searching is asked by its own default; what reading adds is what is protected, or written.
    const isDefault = operation === "grep" && calls.length > 1 && openedDecision(judged, false).verdict.basis === "default";
    return isDefault && judged.decision.verdict === "ask" ? judge(calls.slice(0, 1)) : judged;
  }
}

/** The calls of a backend behind a guard of `createGuard`: its policy, its principal, whoever answers for it, whoever listens. */
export class GuardChecker implements BackendChecker {
  readonly #inside: GuardInside;
  readonly #cwd: string;
  readonly #calls: CallJudge;

  constructor(guard: InsideGuard, cwd: string, wall?: JudgingWay["wall"]) {
    const inside = guard[INSIDE]({ cwd });
    this.#inside = inside;
    this.#cwd = cwd;
    this.#calls = new CallJudge((...asked) => inside.judge(...asked), cwd, {
      fixed: true,
      shell: "sh",
      ...(wall === undefined ? {} : { wall }),
    });
  }

  verdictOn(asked: CheckTarget, cwd?: string): RequestVerdict {
    return this.#verdictOf(this.#calls.judge(asked, cwd, true));
  }

  async checkTarget(asked: CheckTarget, target: string, reason = "", cwd = this.#cwd): Promise<RequestVerdict> {
    const judged = this.#calls.judge(asked, cwd);
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
    const judged = this.#calls.judge(asked);
    if (judged.decision.verdict === "deny" && !this.#inside.shadow) return "denied";
    const afresh: JudgedCalls = { ...judged, decision: { ...judged.decision, verdict: "ask", forPerson: why, forModel: why } };
    const { verdict, decision } = await this.#inside.conclude(afresh, { cwd: this.#cwd, reason });
    if (verdict === "allow") return "approved";
    return decision.answer === "refused" ? "refused" : "nobody";
  }

  /** Nothing that the operation could be is anything but denied. */
  offers(operation: Operation): boolean {
    const text = operation === "execute" ? PROBE : `${this.#cwd === "/" ? "" : this.#cwd}/${PROBE}`;
    const judged = this.#calls.judge({ operation, text }, this.#cwd, true);
    if (judged.decision.verdict !== "deny" || this.#inside.shadow) return true;
    const policies = judged.parts.flatMap(({ outcome }) => outcome.basis?.policy ?? []);
    return policies.some((policy) => mayAllow(policy, operation));
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
  return { calls: TEXTS[operation](text), pinned: NOTHING_PINNED };
}

const TEXTS: Readonly<Record<Operation, (text: string) => readonly GuardCall[]>> = {
  execute: (shell) => [{ shell }],
  read: (read) => [{ read }],
  write: (write) => [{ write }],
  edit: (edit) => [{ edit }],
  ls: (list) => [{ list }],
  glob: (list) => [{ list }],
  // Searching shows what is in the files.
  grep: (list) => [{ list }, { read: list, tree: true }],
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
