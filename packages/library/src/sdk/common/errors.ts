import { adviceForModel, brief, visible } from "@assent/core/action";
import type { RequestVerdict, RuleSource } from "@assent/core/policy";

/** What a refused request was, and why. */
export interface Refusal {
  /** `read`, `write`, `edit`, `execute`, `glob`, `grep`, `ls`, or the name of a tool. */
  readonly operation: string;
  /** The path, or the whole command. */
  readonly target: string;
  /** What is to be said after the message's colon; empty for nothing. */
  readonly reason: string;
  readonly verdict: RequestVerdict;
}

/** What the errors of the library have in common. Use `code`, not the text, to tell them apart. */
abstract class PermissionIssue extends Error {
  abstract readonly code: "permission-denied" | "permission-ask";
  readonly operation: string;
  readonly target: string;
  readonly reason: string;
  /** The rule that decided, as written, with its place; undefined where built-in knowledge did. */
  readonly rule: RuleSource | undefined;
  /** What to do next, for the model whose request it was. */
  readonly help: string | undefined;
  readonly verdict: RequestVerdict;

  constructor(what: string, { operation, target, reason, verdict }: Refusal) {
    const why = reason === "" ? "" : `: ${visible(reason)}`;
    super(`${what} for ${visible(operation)} on '${brief(target, 400)}'${why}`);
    this.operation = operation;
    this.target = target;
    this.reason = reason;
    this.rule = verdict.rule;
    this.help = verdict.help === undefined ? undefined : adviceForModel(verdict.help);
    this.verdict = verdict;
  }
}

/** The policy, or a person, said no: `Permission denied for execute on 'rm -rf /': …`. */
export class PermissionDeniedError extends PermissionIssue {
  override readonly name = "PermissionDeniedError";
  readonly code = "permission-denied";
  constructor(refusal: Refusal) {
    super("Permission denied", refusal);
  }
}

/** A person would have to be asked and nobody can be: `Permission required for write on '/repo/a.ts'`. */
export class PermissionAskError extends PermissionIssue {
  override readonly name = "PermissionAskError";
  readonly code = "permission-ask";
  constructor(refusal: Refusal) {
    super("Permission required", refusal);
  }
}
