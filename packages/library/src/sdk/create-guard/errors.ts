import type { Principal } from "@assent/core/policy";
import type { DeniedBy } from "../common/read-answer.ts";
import type { CallDecision, DeniedOutcome, PendingOutcome } from "./types.ts";

/**
 * The call must not go ahead: `by` is who said so. The message is for the model, for agents read what their tools throw. Use `code`, not the
 * text, to tell errors apart.
 */
export class PermissionDenied<P extends Principal = Principal> extends Error {
  override readonly name = "PermissionDenied";
  readonly code = "permission-denied";
  readonly by: DeniedBy;
  readonly forModel: string;
  readonly decision: CallDecision<P>;
  constructor({ by, forModel, decision }: DeniedOutcome<P>) {
    super(forModel);
    this.by = by;
    this.forModel = forModel;
    this.decision = decision;
  }
}

/** The call waits for an answer: `token` is for `resume`. */
export class ApprovalPending<P extends Principal = Principal> extends Error {
  override readonly name = "ApprovalPending";
  readonly code = "approval-pending";
  readonly token: string;
  readonly expires: Date;
  readonly forModel: string;
  readonly decision: CallDecision<P>;
  constructor({ token, expires, forModel, decision }: PendingOutcome<P>) {
    super(forModel);
    this.token = token;
    this.expires = expires;
    this.forModel = forModel;
    this.decision = decision;
  }
}

/** `resume` was given a token that this guard gave to nobody, that has been used, or that is over. */
export class UnknownApproval extends Error {
  override readonly name = "UnknownApproval";
  readonly code = "unknown-approval";
  constructor() {
    super("this question was not found: the guard did not give out its token, or it was answered, or its time is over");
  }
}
