import { addressOf, AF, alloc, O_ACCMODE, sys, SYSCALLS } from "../kernel/index.ts";
import { OUTER_PATH } from "../outer/index.ts";
import type { SeccompTrap } from "./listener.ts";
import type { TaskAccess } from "./operation.ts";
import type { Task } from "./tasks.ts";

const SOCK_STREAM_CLOEXEC = 1 | 0o2000000;
const O_RDWR = 2;

/**
 * A program of this package asks whether it is supervised (outer/index.ts): the file it opens is a socket to us. By openat(2), as glibc's
 * open(3) does, or by open(2), as musl's does.
 */
export function isOuter(trap: SeccompTrap, { listener, paths }: TaskAccess): boolean {
  const path = trap.nr === SYSCALLS.openat ? 1 : trap.nr === SYSCALLS.open ? 0 : undefined;
  if (path === undefined || (trap.unsigned(path + 1) & O_ACCMODE) !== O_RDWR) return false;
  if (paths.read(trap, path) !== OUTER_PATH.length) return false;
  return paths.bytes.toString("latin1", 0, paths.length) === OUTER_PATH && listener.valid(trap);
}

/** Gives the task its end of a socket; our end, or a negative errno that was the answer. `cwd`: where the task works. */
export function connectInner(
  trap: SeccompTrap,
  task: Task,
  { listener, paths }: TaskAccess,
): { readonly fd: number; readonly cwd: string | undefined } {
  const pair = alloc(8);
  const made = sys(SYSCALLS.socketpair, AF.UNIX, SOCK_STREAM_CLOEXEC, 0, addressOf(pair));
  if (made < 0) {
    listener.answer(trap, made);
    return { fd: made, cwd: undefined };
  }
  const [ours, theirs] = [pair.readInt32LE(0), pair.readInt32LE(4)];
  const cwd = paths.workingFolder(task);
  const given = listener.give(trap, theirs, true);
  sys(SYSCALLS.close, theirs);
  if (given < 0) {
    listener.answer(trap, given);
    sys(SYSCALLS.close, ours);
    return { fd: given, cwd: undefined };
  }
  return { fd: ours, cwd };
}
