import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { must, sys, SYSCALLS } from "../supervise/kernel/index.ts";
import { BESIDE } from "./beside.ts";

const CHANNEL = 3;
/** prctl(2) */
const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;

/** The supervisor's side of `run-front.ts`. */
export class Beside {
  /** Whom the shell waits for. */
  readonly front = process.ppid;

  /** Undefined: nobody waits for us but who started us. Takes the word out of the arguments. */
  static open(): Beside | undefined {
    if (process.argv[3] !== BESIDE) return undefined;
    process.argv.splice(3, 1);
    try {
      const stat = fstatSync(CHANNEL);
      return stat.isSocket() || stat.isFIFO() ? new Beside() : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whoever kills the process in front means us. */
  begin(): void {
    must("prctl", PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  }

  /** Lets the process in front end with this status, and goes on without a terminal, keys or anybody's pipe. */
  leave(status: number): void {
    must("prctl", PR_SET_PDEATHSIG, 0, 0, 0, 0);
    const none = openSync("/dev/null", constants.O_RDWR);
    for (const fd of [0, 1, 2]) sys(SYSCALLS.dup3, none, fd, 0);
    closeSync(none);
    sys(SYSCALLS.setsid);
    writeSync(CHANNEL, String(status));
    closeSync(CHANNEL);
  }
}
