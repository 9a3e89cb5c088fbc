import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { sendSignal } from "@assent/guard/state";
import { alloc, IOCTL, lastingAddressOf, must, PRCTL, SIGNAL, sys, SYSCALLS } from "@assent/supervisor/supervise/kernel";
import { BESIDE } from "./beside.ts";

const CHANNEL = 3;
/** As for who is killed. */
const KILLED = 137;

/** Somebody else waits for the program: the process in front. */
export interface Beside {
  /** Its number. */
  readonly front: number;
  /** The program gets a process group of its own: it cannot be in the one in front. What ends that ends this. */
  readonly ownGroup: boolean;
  /** From now on whoever kills the process in front means us, and with us the whole tree. */
  readonly begin: () => void;
  /** Tells the process in front how to end: `7` with that status, `s15` by that signal. Nothing is written to its streams any more. */
  readonly tell: (how: string) => void;
  /** Lets the process in front end, by this status or as `how` says, and goes on without a terminal, keys or anybody's pipe. */
  readonly leave: (status: number, how?: string) => void;
}

const termios = alloc(64);
const termiosAt = lastingAddressOf(termios);

/**
 * Nobody's pipe is ours any more: a host waits for the end of what a command wrote, and the end of a process with all that a supervisor has
 * in memory takes some milliseconds. A terminal stays, to be left as it was found.
 */
export function releaseStreams(terminals: "too" | "stay"): void {
  const none = openSync("/dev/null", constants.O_RDWR);
  for (const fd of [0, 1, 2])
    if (terminals === "too" || sys(SYSCALLS.ioctl, fd, IOCTL.TCGETS, termiosAt) !== 0) sys(SYSCALLS.dup3, none, fd, 0);
  closeSync(none);
}

/** These end a command, and mean all of it. */
const ENDING: ReadonlySet<string> = new Set(["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGKILL"]);

/** How signals reach the program: where it has a group of its own, what was sent to the group in front is for all of that. */
export function senderTo(
  beside: Beside | undefined,
  { pid, signal }: { readonly pid: number; readonly signal: (name: NodeJS.Signals) => void },
): (name: NodeJS.Signals) => void {
  if (beside?.ownGroup !== true) return signal;
  return (name) => sendSignal(ENDING.has(name) ? -pid : pid, name);
}

/** The supervisor's side of `run-front.ts`. */
export class StartedBeside implements Beside {
  /** Whom the shell waits for. */
  readonly front = process.ppid;
  readonly ownGroup = false;

  readonly #keep: () => void;

  private constructor(keep: () => void) {
    this.#keep = keep;
  }

  /** Undefined: nobody waits for us but who started us. Takes the word out of the arguments. `keep`: what is still to be written. */
  static open(keep: () => void): StartedBeside | undefined {
    if (process.argv[3] !== BESIDE) return undefined;
    process.argv.splice(3, 1);
    try {
      const stat = fstatSync(CHANNEL);
      return stat.isSocket() || stat.isFIFO() ? new StartedBeside(keep) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whoever kills the process in front means us, and with us the whole tree: what ends us kills it first. */
  begin(): void {
    process.on("SIGPWR", this.#orphaned);
    // Of the power supply: nobody else has a use for it.
    must("prctl", PRCTL.SET_PDEATHSIG, SIGNAL.PWR, 0, 0, 0);
    if (process.ppid !== this.front) this.#orphaned();
  }

  readonly #orphaned = (): void => process.exit(KILLED);

  #told = false;

  /** Tells the process in front how to end (run-front.ts), once: then it is gone. */
  tell(how: string): void {
    if (this.#told) return;
    this.#told = true;
    // Whoever started us may take the state folder away as soon as they know.
    this.#keep();
    releaseStreams("stay");
    writeSync(CHANNEL, how);
  }

  /** Lets the process in front end, by this status or as `how` says, and goes on without a terminal, keys or anybody's pipe. */
  leave(status: number, how = String(status)): void {
    must("prctl", PRCTL.SET_PDEATHSIG, 0, 0, 0, 0);
    process.off("SIGPWR", this.#orphaned);
    releaseStreams("too");
    sys(SYSCALLS.setsid);
    this.tell(how);
    closeSync(CHANNEL);
  }
}
