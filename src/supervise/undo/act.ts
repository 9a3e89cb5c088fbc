import { KernelError } from "../kernel/index.ts";
import type { Kept } from "./kept.ts";

/** The object is not the one that the plan was made for. */
export class Changed extends Error {}

/** The result of a system call that must not fail. */
export function check(call: string, result: number): number {
  if (result < 0) throw new KernelError(call, -result);
  return result;
}

/** The undo's own store must keep what it replaces. */
export function allowed(kept: Kept): Kept {
  if (!kept.kept) throw new Error(kept.why);
  return kept;
}
