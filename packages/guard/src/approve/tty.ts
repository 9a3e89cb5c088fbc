import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { ReadStream, WriteStream } from "node:tty";
import { attempt } from "@assent/core/data";
import { processFields, sendSignal } from "../state/index.ts";
import type { Size } from "./render.ts";

/**
 * Who may use the terminal. The supervised program shares it: while a prompt is open, it could read the keys meant for us
 * and write over the question. `begin` comes before the terminal's mode is changed, `end` after it was restored.
 */
export interface ForegroundControl {
  /** Whoever may be asked has the terminal in front of them: not so a shell's job in the background, which would be stopped. */
  readonly isOurs: (descriptor: number) => boolean;
  /** Writes on the terminal, even from the background, without being stopped. */
  readonly unstopped: (work: () => void) => void;
  /** False: the terminal was given to somebody else just now. */
  readonly begin: (descriptor: number) => boolean;
  /** A shell takes the terminal when its job ends: "kept" says that nobody did, "retaken" that we did so again. */
  readonly look: (descriptor: number) => "kept" | "retaken" | "lost";
  readonly end: (descriptor: number) => void;
}

/** System calls as `supervise/kernel` has them: the result, or the negative errno. */
export interface Kernel {
  readonly sys: (nr: number, ...args: readonly number[]) => number;
  readonly addressOf: (bytes: Uint8Array) => number;
  /** Zeroed memory that does not move. */
  readonly alloc: (size: number) => Buffer;
}

const { arch } = process;
const IOCTL = arch === "arm64" ? 29 : 16;
const RT_SIGPROCMASK = arch === "arm64" ? 135 : 14;
// asm-generic/ioctls.h and termbits.h: the same on both architectures.
const TCGETS = 0x5401;
const TCSETS = 0x5402;
const TIOCGPGRP = 0x540f;
const TIOCSPGRP = 0x5410;
const TOSTOP = 0o400;
const LOCAL_FLAGS = 12;
const TERMIOS_BYTES = 64;
const SIG_BLOCK = 0;
const SIG_SETMASK = 2;
const SIGTTIN = 21;
const SIGTTOU = 22;

/**
 * Takes the terminal as a shell does: makes our process group the foreground one, and has the kernel stop whoever reads or
 * writes in the background (SIGTTIN, TOSTOP and SIGTTOU). Others go on. Afterwards the group that had it has it again and is
 * continued. Does nothing where the program is in our own group, or where the foreground is not `owns`: a shell that put us
 * into the background keeps its terminal, and nobody is asked until `fg` (`isOurs`).
 * A program that ignores SIGTTOU can still write: only a terminal of its own would keep it from that.
 * `line`: who leads a group, last, and the processes of the program above it. They are held meanwhile, in this order, so that none
 * sees the next one stopped: a shell whose job ends would take the terminal and keep our mode for its own, and whoever waits for keys
 * would take an error for their end.
 */
export function controlForeground(
  { sys, addressOf, alloc }: Kernel,
  owns: (group: number) => boolean,
  line: (group: number) => readonly number[] = () => [],
): ForegroundControl {
  let taken: { readonly group: number; readonly mode: Buffer } | undefined;
  const ioctl = (descriptor: number, request: number, bytes: Uint8Array): number => sys(IOCTL, descriptor, request, addressOf(bytes));
  const foreground = (descriptor: number): number | undefined => {
    const bytes = alloc(4);
    return ioctl(descriptor, TIOCGPGRP, bytes) < 0 ? undefined : bytes.readInt32LE();
  };
  const give = (descriptor: number, group: number): void => {
    const bytes = alloc(4);
    bytes.writeInt32LE(group);
    ioctl(descriptor, TIOCSPGRP, bytes);
  };
  /** From the background reading and writing would stop us, were the signals not blocked (tcsetpgrp(3)): reading fails in place of it. */
  const block = (): (() => void) => {
    const signals = alloc(8);
    signals.writeBigUInt64LE((1n << BigInt(SIGTTIN - 1)) | (1n << BigInt(SIGTTOU - 1)));
    const before = alloc(8);
    sys(RT_SIGPROCMASK, SIG_BLOCK, addressOf(signals), addressOf(before), 8);
    return () => void sys(RT_SIGPROCMASK, SIG_SETMASK, addressOf(before), 0, 8);
  };
  const unstopped = (work: () => void): void => {
    const unblock = block();
    try {
      work();
    } finally {
      unblock();
    }
  };
  let unblock: (() => void) | undefined;
  const held = new Set<number>();
  const hold = (group: number): void => {
    for (const pid of line(group)) {
      if (held.has(pid) || (pid === group && !waitsForKeys(pid))) continue;
      sendSignal(pid, "SIGSTOP");
      held.add(pid);
    }
  };
  /** Whether the terminal is ours, or the program's and is now ours. */
  const take = (descriptor: number): boolean => {
    const group = foreground(descriptor);
    const own = ownGroup();
    if (group === undefined || own === undefined || group <= 1 || group === own) return true;
    if (!owns(group)) return false;
    hold(group);
    const mode = alloc(TERMIOS_BYTES);
    if (ioctl(descriptor, TCGETS, mode) < 0) return true;
    taken = { group, mode };
    give(descriptor, own);
    const stopping = alloc(TERMIOS_BYTES);
    stopping.set(mode);
    stopping.writeUInt32LE(stopping.readUInt32LE(LOCAL_FLAGS) | TOSTOP, LOCAL_FLAGS);
    ioctl(descriptor, TCSETS, stopping);
    return true;
  };
  return {
    unstopped,
    isOurs(descriptor) {
      const group = foreground(descriptor);
      return taken !== undefined || group === undefined || group <= 1 || group === ownGroup() || owns(group);
    },
    begin(descriptor) {
      unblock ??= block();
      return take(descriptor);
    },
    look(descriptor) {
      const group = foreground(descriptor);
      if (group !== undefined && group > 1 && group !== ownGroup()) return take(descriptor) ? "retaken" : "lost";
      // It may have come to wait for keys since then.
      if (taken !== undefined) hold(taken.group);
      return "kept";
    },
    end(descriptor) {
      const before = taken;
      taken = undefined;
      // A shell outside that took it keeps it.
      if (before !== undefined && foreground(descriptor) === ownGroup()) {
        ioctl(descriptor, TCSETS, before.mode);
        give(descriptor, before.group);
      }
      unblock?.();
      unblock = undefined;
      for (const pid of [...held].toReversed()) sendSignal(pid, "SIGCONT");
      held.clear();
      if (before !== undefined) sendSignal(-before.group, "SIGCONT");
    },
  };
}

/** read, poll, select, pselect6, ppoll; on arm64 read, pselect6, ppoll. */
const READING: ReadonlySet<string> = new Set(arch === "arm64" ? ["63", "72", "73"] : ["0", "7", "23", "270", "271"]);

/** proc_pid_syscall(5) */
const waitsForKeys = (pid: number): boolean =>
  attempt(() => READING.has(readFileSync(`/proc/${pid}/syscall`, "latin1").split(" ")[0] ?? ""), false);

function ownGroup(): number | undefined {
  const group = processFields("self")?.[2];
  return group === undefined ? undefined : Number(group);
}

export interface DeviceEvents {
  readonly input: (text: string) => void;
  /** The terminal is gone. */
  readonly closed: () => void;
  /** Its size changed, or we are back from the background. */
  readonly resized: () => void;
}

/** A terminal that prompts are shown on. Tests put their own in its place. */
export interface Device {
  /** Raw mode from here to `close`; throws where there is no terminal any more. */
  open(events: DeviceEvents): void;
  write(text: string): void;
  size(): Size;
  close(): void;
  /** It can be asked now; absent: always. */
  isOurs?(): boolean;
  /** There is a terminal still; absent: not after it failed. */
  isThere?(): boolean;
  /** Says something beside questions. */
  tell?(work: () => void): void;
}

/** Milliseconds between two looks who has the terminal. */
const LOOK_MS = 50;

const ENDING = ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT"] as const;
const FALLBACK: Size = { columns: 80, rows: 24 };
const flags = constants.O_RDWR | constants.O_NOCTTY;

/** True when `path` is a terminal that can be read and written. */
export function isTerminal(path: string): boolean {
  try {
    const descriptor = openSync(path, flags);
    try {
      const output = new WriteStream(descriptor);
      output.destroy();
      return true;
    } catch {
      closeSync(descriptor);
      return false;
    }
  } catch {
    return false;
  }
}

/** The terminal at `path` (`/dev/tty`: the controlling one, tty(4)), opened anew for each prompt. */
export class TerminalDevice implements Device {
  readonly #path: string;
  readonly #foreground: ForegroundControl | undefined;
  #now: { readonly input: ReadStream; readonly descriptor: number; readonly release: () => void } | undefined;

  constructor(path: string, foreground?: ForegroundControl) {
    this.#path = path;
    this.#foreground = foreground;
  }

  open(events: DeviceEvents): void {
    if (this.#now !== undefined) return;
    const descriptor = openSync(this.#path, flags);
    let input: ReadStream;
    try {
      input = new ReadStream(openSync(this.#path, flags));
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    const decoder = new StringDecoder("utf8");
    const gone = (): void => events.closed();
    input.on("data", (bytes: Buffer) => events.input(decoder.write(bytes)));
    for (const event of ["error", "end", "close"] as const) input.on(event, gone);
    const continued = (): void => {
      // A shell that took the terminal while we were stopped gave it back in its own mode.
      input.setRawMode(false);
      input.setRawMode(true);
      events.resized();
    };
    let isLost = false;
    const look = (): void => {
      const found = this.#foreground?.look(descriptor) ?? "kept";
      if (found === "lost") input.pause();
      else if (isLost || found === "retaken") {
        input.resume();
        continued();
      }
      isLost = found === "lost";
    };
    const looking = setInterval(look, LOOK_MS);
    looking.unref();
    const onExit = (): void => this.close();
    const onSignal = (signal: NodeJS.Signals): void => {
      // Ours is the only one that listens: as without it, but with the terminal as it was.
      if (process.listenerCount(signal) > 1) return;
      this.close();
      process.kill(process.pid, signal);
    };
    process.on("exit", onExit);
    for (const signal of ENDING) process.on(signal, onSignal);
    process.on("SIGWINCH", events.resized);
    process.on("SIGCONT", continued);
    const release = (): void => {
      clearInterval(looking);
      process.off("exit", onExit);
      for (const signal of ENDING) process.off(signal, onSignal);
      process.off("SIGWINCH", events.resized);
      process.off("SIGCONT", continued);
      for (const event of ["error", "end", "close"] as const) input.off(event, gone);
      // Closing may still fail, and nobody is there to hear it.
      input.on("error", () => undefined);
    };
    this.#now = { input, descriptor, release };
    try {
      if (this.#foreground?.begin(descriptor) === false) throw Object.assign(new Error("in the background"), { code: "EAGAIN" });
      input.setRawMode(true);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  isThere(): boolean {
    return isTerminal(this.#path);
  }

  isOurs(): boolean {
    if (this.#foreground === undefined || this.#now !== undefined) return true;
    const descriptor = openSync(this.#path, flags);
    try {
      return this.#foreground.isOurs(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  tell(work: () => void): void {
    if (this.#foreground === undefined) work();
    else this.#foreground.unstopped(work);
  }

  write(text: string): void {
    if (this.#now === undefined) return;
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(this.#now.descriptor, bytes, at);
  }

  size(): Size {
    try {
      // A stream of its own: node refreshes only those of standard output and error.
      const output = new WriteStream(openSync(this.#path, flags));
      const { columns, rows } = output;
      output.destroy();
      return { columns: columns > 0 ? columns : FALLBACK.columns, rows: rows > 0 ? rows : FALLBACK.rows };
    } catch {
      return FALLBACK;
    }
  }

  close(): void {
    const now = this.#now;
    if (now === undefined) return;
    this.#now = undefined;
    now.release();
    try {
      now.input.setRawMode(false);
    } catch {
      // Gone: there is no mode left to restore.
    }
    // While the terminal is ours: Node from 26 on sets its mode once more when it closes it, which would stop us in the background.
    now.input.destroy();
    try {
      this.#foreground?.end(now.descriptor);
    } finally {
      closeSync(now.descriptor);
    }
  }
}
