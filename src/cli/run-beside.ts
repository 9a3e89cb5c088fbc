import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { must, sys, SYSCALLS } from "../supervise/kernel/index.ts";
import { BESIDE } from "./beside.ts";

const CHANNEL = 3;
/** prctl(2) */
const PR_SET_PDEATHSIG = 1;
/** Of the power supply: nobody else has a use for it. */
const SIGPWR = 30;
/** As for who is killed. */
const KILLED = 137;

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

  /** Whoever kills the process in front means us, and with us the whole tree: what ends us kills it first. */
  begin(): void {
    process.on("SIGPWR", this.#orphaned);
    must("prctl", PR_SET_PDEATHSIG, SIGPWR, 0, 0, 0);
    if (process.ppid !== this.front) this.#orphaned();
  }

  readonly #orphaned = (): void => process.exit(KILLED);

  #told = false;

  /** Tells the process in front how to end (run-front.ts), once: then it is gone. */
  tell(how: string): void {
    if (this.#told) return;
    this.#told = true;
    writeSync(CHANNEL, how);
  }

  /** Lets the process in front end, by this status or as `how` says, and goes on without a terminal, keys or anybody's pipe. */
  leave(status: number, how = String(status)): void {
    must("prctl", PR_SET_PDEATHSIG, 0, 0, 0, 0);
    process.off("SIGPWR", this.#orphaned);
    const none = openSync("/dev/null", constants.O_RDWR);
    for (const fd of [0, 1, 2]) sys(SYSCALLS.dup3, none, fd, 0);
    closeSync(none);
    sys(SYSCALLS.setsid);
    this.tell(how);
    closeSync(CHANNEL);
  }
}
