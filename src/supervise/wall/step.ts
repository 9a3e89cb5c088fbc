import type { ErrnoName, SyscallName } from "../kernel/index.ts";

/** A system call that a process makes for itself before it becomes the program (launch/routine.ts). */
export interface Step {
  readonly call: SyscallName;
  readonly args: readonly number[];
  /** Failures that do not matter. */
  readonly tolerates?: readonly ErrnoName[];
  /** What the arguments point to. */
  readonly keeps?: readonly Uint8Array[];
}
