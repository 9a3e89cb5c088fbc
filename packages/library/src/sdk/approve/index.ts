export {
  type ApprovalPolicy,
  type Assessment,
  type AutoApproveOptions,
  canAutoApprove,
  mayRunOutside,
  type OutsideOptions,
  type PatchInCommand,
  SessionApprovals,
} from "./can-auto-approve.ts";
export { probeSandbox } from "../common/sandbox.ts";
