export { canAutoApprove, type ApprovalPolicy, type Assessment, type AutoApproveOptions, type PatchInCommand } from "./can-auto-approve.ts";
export { mayRunOutside, type OutsideOptions } from "./outside.ts";
export { probeSandbox } from "./sandbox.ts";
export { SessionApprovals } from "./session.ts";
