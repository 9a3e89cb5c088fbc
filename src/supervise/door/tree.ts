import { alloc, lastingAddressOf, sys, SYSCALLS } from "../kernel/index.ts";
import { living } from "./processes.ts";

const WNOHANG = 1;
const SIGKILL = 9;
/** Each pass finds what was forked during the one before. */
const MOST_PASSES = 200;
const status = alloc(4);
const statusAt = lastingAddressOf(status);

/** As wait(2) would say it of a program whose end nobody saw: exit 127. */
export const NO_STATUS = 0x7f00;

/**
 * Fetches the status of what has ended. Orphans of the tree are our children (PR_SET_CHILD_SUBREAPER), and nobody else
 * takes them; without this their numbers would stay taken. The status of `root`, where it was among them.
 */
export function reapTree(root: number): number | undefined {
  let found: number | undefined;
  for (let pid = next(); pid > 0; pid = next()) if (pid === root) found = status.readInt32LE(0);
  return found;
}

const next = (): number => sys(SYSCALLS.wait4, -1, statusAt, WNOHANG, 0);

/** Ends everything of the tree, also what is forked meanwhile. */
export function killTree(): void {
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const left = living();
    if (left.length === 0) return;
    for (const pid of left) sys(SYSCALLS.kill, pid, SIGKILL);
  }
}
