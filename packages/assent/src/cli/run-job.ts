import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { processFields, sendSignal } from "@assent/guard/state";
import { addressOf, alloc, IDTYPE, IOCTL, SIGMASK, SIGNAL, sys, SYSCALLS, WAIT } from "@assent/supervisor/supervise/kernel";

// asm-generic/ioctls.h, termbits.h; signal(7).
const LOCAL_MODES = 12;
const ICANON = 2;
// waitid(2), with the layout of siginfo_t on 64-bit machines.
const SI_PID = 16;
const SI_STATUS = 24;
/** How often it is looked whether the program was stopped (Ctrl-Z). */
const LOOK_EVERY = 100;

/**
 * The program as the foreground job of the terminal, as a shell would have it: keys and their signals are the
 * program's, until a question takes the terminal over. What the terminal stops (Ctrl-Z) stops us too, so that the shell
 * gets its prompt back, and `fg` continues both.
 */
export class TerminalJob {
  readonly #tty: number;
  readonly #own: number;
  readonly #onGone: () => void;
  #group = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Undefined where there is no terminal of our own to give: one of a pipeline is not to be taken from the others. */
  static open(onGone: () => void): TerminalJob | undefined {
    if (![0, 1, 2].every(isTerminal)) return undefined;
    try {
      const tty = openSync("/dev/tty", "r+");
      const own = foreground(tty);
      if (own !== undefined && own === groupOf("self")) return new TerminalJob(tty, own, onGone);
      closeSync(tty);
    } catch {
      // No controlling terminal.
    }
    return undefined;
  }

  private constructor(tty: number, own: number, onGone: () => void) {
    this.#onGone = onGone;
    this.#tty = tty;
    this.#own = own;
  }

  started(pid: number): void {
    this.#group = pid;
    this.#resume();
    process.on("SIGCONT", this.#continued);
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY);
    this.#timer.unref();
  }

  /** The terminal is ours again. */
  end(): void {
    clearInterval(this.#timer);
    process.off("SIGCONT", this.#continued);
    if (this.#group !== 0) give(this.#tty, this.#own);
    closeSync(this.#tty);
  }

  readonly #continued = (): void => this.#resume();

  #resume(): void {
    if (this.#group === 0) return;
    give(this.#tty, this.#group);
    // It may have asked for the terminal before it had it.
    sendSignal(-this.#group, "SIGCONT");
  }

  #look(): void {
    if (foreground(this.#tty) === undefined) {
      clearInterval(this.#timer);
      return this.#onGone();
    }
    if (stateOf(this.#group) !== "T" || foreground(this.#tty) !== this.#group) return;
    if (isOrphaned(this.#own)) {
      // Nobody could continue us. The terminal's signals stop no process there (setpgid(2)); one of its own does.
      if (stoppedBy(this.#group) !== SIGNAL.STOP) sendSignal(-this.#group, "SIGCONT");
      return;
    }
    give(this.#tty, this.#own);
    // At once, as the terminal would: whom the shell waits for and us one after the other, and its SIGCONT comes in between.
    sendSignal(-this.#own, "SIGSTOP");
  }
}

/** isatty(3), for less than loading node's own. */
export function isTerminal(fd: number): boolean {
  return sys(SYSCALLS.ioctl, fd, IOCTL.TCGETS, addressOf(alloc(64))) === 0;
}

/** A terminal that gives keys as they are typed, and no lines (termios(3)). */
export function isRawTerminal(fd: number): boolean {
  const settings = alloc(64);
  return sys(SYSCALLS.ioctl, fd, IOCTL.TCGETS, addressOf(settings)) === 0 && (settings.readUInt32LE(LOCAL_MODES) & ICANON) === 0;
}

/** We are in the foreground of the terminal that is among the standard streams: its keys' signals reach the program by themselves. */
export function isForeground(): boolean {
  const own = groupOf("self");
  return [0, 1, 2].some((fd) => foreground(fd) === own);
}

function foreground(tty: number): number | undefined {
  const bytes = alloc(4);
  return sys(SYSCALLS.ioctl, tty, IOCTL.TIOCGPGRP, addressOf(bytes)) < 0 ? undefined : bytes.readInt32LE();
}

/** tcsetpgrp(3): from the background it would stop us, were SIGTTOU not blocked. */
function give(tty: number, group: number): void {
  const block = alloc(8);
  block.writeBigUInt64LE(1n << BigInt(SIGNAL.TTOU - 1));
  const before = alloc(8);
  const bytes = alloc(4);
  bytes.writeInt32LE(group);
  sys(SYSCALLS.rt_sigprocmask, SIGMASK.BLOCK, addressOf(block), addressOf(before), 8);
  sys(SYSCALLS.ioctl, tty, IOCTL.TIOCSPGRP, addressOf(bytes));
  sys(SYSCALLS.rt_sigprocmask, SIGMASK.SET, addressOf(before), 0, 8);
}

/** The state, the parent, the group, the session. */
const fieldsOf = (pid: number | "self"): readonly string[] => processFields(pid) ?? [];

/** No shell of this session can continue the group: setpgid(2), credentials(7). */
function isOrphaned(group: number): boolean {
  const session = fieldsOf("self")[3];
  for (let fields = fieldsOf("self"); ;) {
    const parent = Number(fields[1]);
    if (!(parent > 0)) return true;
    fields = fieldsOf(parent);
    if (Number(fields[2]) !== group) return fields[3] !== session;
  }
}

/** The signal that stopped a child. */
function stoppedBy(pid: number): number | undefined {
  const info = alloc(128);
  if (sys(SYSCALLS.waitid, IDTYPE.PID, pid, addressOf(info), WAIT.STOPPED | WAIT.NOHANG | WAIT.NOWAIT, 0) < 0) return undefined;
  return info.readInt32LE(SI_PID) === pid ? info.readInt32LE(SI_STATUS) : undefined;
}

const stateOf = (pid: number): string | undefined => fieldsOf(pid)[0];
const groupOf = (pid: number | "self"): number => Number(fieldsOf(pid)[2]);

/**
 * Signals while a program runs. Where it is in our process group (TerminalJob gives it its own on a terminal), what the
 * terminal sends (Ctrl-C, Ctrl-\, Ctrl-Z, a hang-up) reaches both, and we only must not die before it. What is sent to us
 * alone is meant for the program.
 */

/** Sent by a terminal to the whole group: passing them on would deliver them twice. */
const FROM_TERMINAL = ["SIGINT", "SIGQUIT"] as const;
const MEANT_FOR_IT = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM"] as const;

/** Milliseconds. */
const ONCE = 200;

/**
 * Waits for `run` with the signals passed on by `send`, once there is a program to send them to.
 * `terminal`: there is one, so it delivers its own. A second SIGTERM ends the program, whatever it does about the first.
 */
export async function withSignals<T>(terminal: boolean, send: (signal: NodeJS.Signals) => void, run: () => Promise<T>): Promise<T> {
  const ignore = (): void => undefined;
  let asked = 0;
  const pass = (signal: NodeJS.Signals): void => {
    // timeout(1) sends it to a process and to its group: that is once.
    const again = signal === "SIGTERM" && asked > 0 && Date.now() - asked > ONCE;
    if (signal === "SIGTERM" && asked === 0) asked = Date.now();
    send(again ? "SIGKILL" : signal);
  };
  for (const signal of FROM_TERMINAL) process.on(signal, terminal ? ignore : pass);
  for (const signal of MEANT_FOR_IT) process.on(signal, pass);
  try {
    return await run();
  } finally {
    for (const signal of FROM_TERMINAL) process.off(signal, terminal ? ignore : pass);
    for (const signal of MEANT_FOR_IT) process.off(signal, pass);
  }
}

/** How a program ended that was started as it is. */
export interface ChildEnd {
  readonly status: number;
  readonly signal: NodeJS.Signals | null;
}

export interface AsItIs {
  readonly argv0?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** There is one, so it delivers its own signals. */
  readonly terminal: boolean;
  /** Where we end, it ends, too. */
  readonly bound?: boolean;
  /** A signal is passed on to it. */
  readonly onSignal?: (signal: NodeJS.Signals) => void;
}

/** Starts a program as it is, and waits for its end. Rejects where it cannot be started. */
export async function startAsItIs(
  [path, ...words]: readonly [string, ...string[]],
  { argv0, env, terminal, bound, onSignal }: AsItIs,
): Promise<ChildEnd> {
  const child = spawn(path, words, { stdio: "inherit", argv0, env });
  const end = (): void => void child.kill("SIGKILL");
  if (bound === true) process.on("exit", end);
  const pass = (signal: NodeJS.Signals): void => {
    onSignal?.(signal);
    child.kill(signal);
  };
  return await withSignals(
    terminal,
    pass,
    () =>
      new Promise((resolve, reject) => {
        child.on("error", reject);
        child.on("exit", (code, signal) => {
          process.off("exit", end);
          resolve({ status: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal });
        });
      }),
  );
}
