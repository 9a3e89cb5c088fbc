export {
  type Approval,
  type ApprovalPolicy,
  type Assessment,
  type AutoApproveOptions,
  canAutoApprove,
  isSafeCommand,
  mayRunOutside,
  type OutsideOptions,
  type PatchInCommand,
  resolvePathAgainstWorkdir,
  SessionApprovals,
} from "./can-auto-approve.ts";
