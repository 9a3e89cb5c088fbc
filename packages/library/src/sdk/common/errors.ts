import { adviceForModel, brief, visible } from "@assent/core/action";
import type { RequestVerdict, RuleSource } from "@assent/core/policy";
import type { DeniedBy } from "./read-answer.ts";

/** What a refused request was, and why. */
export interface Refusal {
  /** `read`, `write`, `edit`, `execute`, `glob`, `grep`, `ls`, or the name of a tool. */
  readonly operation: string;
  /** The path, or the whole command. */
  readonly target: string;
  /** What is to be said after the message's colon; empty for nothing. */
  readonly reason: string;
  readonly verdict: RequestVerdict;
  /** Who kept it from going ahead. */
  readonly by?: DeniedBy;
  /** What the error says, where it is no more than the reason. */
  readonly message?: string;
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
  /** Whose no it is: that of the policy, of a person, or of nobody. */
  readonly by: DeniedBy;

  constructor(what: string, { operation, target, reason, verdict, by, message }: Refusal & { readonly by: DeniedBy }) {
    const why = reason === "" ? "" : `: ${visible(reason)}`;
    super(message ?? `${what} for ${visible(operation)} on '${brief(target, 400)}'${why}`);
    this.operation = operation;
    this.target = target;
    this.reason = reason;
    this.rule = verdict.rule;
    this.help = verdict.help === undefined ? undefined : adviceForModel(verdict.help);
    this.verdict = verdict;
    this.by = by;
  }
}

/** The policy, or a person, said no: `Permission denied for execute on 'rm -rf /': …`. */
export class PermissionDeniedError extends PermissionIssue {
  override readonly name = "PermissionDeniedError";
  readonly code = "permission-denied";
  constructor(refusal: Refusal) {
    super("Permission denied", { by: "policy", ...refusal });
  }
}

/** A person would have to be asked and nobody can be: `Permission required for write on '/repo/a.ts'`. */
export class PermissionAskError extends PermissionIssue {
  override readonly name = "PermissionAskError";
  readonly code = "permission-ask";
  constructor(refusal: Refusal) {
    super("Permission required", { by: "nobody", ...refusal });
  }
}

/** Nobody has said no: whoever would be asked has not answered, or could not be asked. */
export const isUnanswered = ({ by }: Pick<PermissionIssue, "by">): boolean => by === "nobody" || by === "failure";

/** A refusal in one line for the model, with what to do next. */
export const deniedText = (error: PermissionDeniedError): string =>
  `${error.message}${isUnanswered(error) ? " (approval required)" : error.help === undefined ? "" : ` (${error.help})`}`;
