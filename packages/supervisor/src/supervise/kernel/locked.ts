import { LOCK } from "./uapi.ts";
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { sys } from "./libc.ts";
import { emulated } from "./native.ts";
import { ERRNO, SYSCALLS } from "./syscalls.ts";

/** open(2) of macOS: with the lock of flock(2), or EAGAIN where somebody has it. */
const O_EXLOCK = 0x20;

/** Opens a file with its lock, which is held as long as the descriptor is open; undefined: somebody has it. Throws where it cannot be opened. */
export function openLocked(file: string, flags: number): number | undefined {
  if (emulated === undefined) {
    const fd = openSync(file, flags | constants.O_NOFOLLOW, 0o600);
    if (sys(SYSCALLS.flock, fd, LOCK.EX | LOCK.NB) !== -ERRNO.EAGAIN) return fd;
    closeSync(fd);
    return undefined;
  }
  if (process.platform !== "darwin") return openWithPid(file, flags);
  try {
    return openSync(file, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK | O_EXLOCK, 0o600);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "EAGAIN" || error.code === "EWOULDBLOCK")) return undefined;
    throw error;
  }
}

/** Where there is no lock that ends with its process: the process that took it last lives. */
function openWithPid(file: string, flags: number): number | undefined {
  const fd = openSync(file, flags | constants.O_NOFOLLOW, 0o600);
  const pid = Number(readFileSync(fd, "latin1").split(" ")[0] ?? "0");
  if (pid > 0 && pid !== process.pid && isAlive(pid)) {
    closeSync(fd);
    return undefined;
  }
  if ((flags & constants.O_CREAT) !== 0) writeSync(fd, `${process.pid} `, 0, "latin1");
  return fd;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
