/** The errors of this package: which class has which code. */
const FAMILY = {
  PermissionDenied: "permission-denied",
  ApprovalPending: "approval-pending",
  UnknownApproval: "unknown-approval",
  GuardCallError: "guard-call",
  GuardOptionError: "guard-option",
  PermissionDeniedError: "permission-denied",
  PermissionAskError: "permission-ask",
  RulesetError: "ruleset-invalid",
  PartMissing: "part-missing",
  NobodyThereError: "nobody-there",
  ExecuteDisabledError: "execute-disabled",
} as const;

/** An error of this package. */
export interface AssentError extends Error {
  readonly name: keyof typeof FAMILY;
  readonly code: (typeof FAMILY)[keyof typeof FAMILY];
}

/** Whether it is an error of this package, of whichever of its entries, or of another copy of it. `code` says which. */
export const isAssentError = (error: unknown): error is AssentError =>
  error instanceof Error && "code" in error && Object.entries(FAMILY).some(([name, code]) => error.name === name && error.code === code);
