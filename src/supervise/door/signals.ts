import { alloc, ERRNO, lastingAddressOf, sys, SYSCALLS } from "../kernel/index.ts";
import { RESTART } from "./operation.ts";
import { shortName, type Task } from "./tasks.ts";

const O_CLOEXEC = 0o2000000;
const status = alloc(8192);
const statusAt = lastingAddressOf(status);

/**
 * What a waiting call of the task comes to because of a signal; 0: no signal waits (proc_pid_status(5)). A task that waits for
 * the door is woken by deadly signals only (WAIT_KILLABLE_RECV), so calls that may wait for ever must be given up here.
 *
 * INVARIANT: RESTART only for a signal that nobody but this task can take, for without one the program would see the 512 itself.
 */
export function interruption(task: Task): number {
  const fd = sys(SYSCALLS.openat, task.proc, shortName("status"), O_CLOEXEC, 0);
  if (fd < 0) return 0;
  const length = sys(SYSCALLS.read, fd, statusAt, status.length);
  sys(SYSCALLS.close, fd);
  const text = status.toString("latin1", 0, Math.max(0, length));
  const field = (name: string): string | undefined => new RegExp(`^${name}:\\t(\\w+)`, "m").exec(text)?.[1];
  const mask = (name: string): bigint => BigInt(`0x${field(name) ?? "0"}`);
  const stopped = mask("SigBlk") | mask("SigIgn");
  if ((mask("SigPnd") & ~stopped) !== 0n) return RESTART;
  if ((mask("ShdPnd") & ~stopped) === 0n) return 0;
  return field("Threads") === "1" ? RESTART : -ERRNO.EINTR;
}
