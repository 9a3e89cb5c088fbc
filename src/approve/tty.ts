import { closeSync, constants, openSync, writeSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { ReadStream, WriteStream } from "node:tty";
import type { Size } from "./render.ts";
import type { Turn } from "./turn.ts";

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
}

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
  readonly #turn: Turn | undefined;
  #now: { readonly input: ReadStream; readonly descriptor: number; readonly release: () => void } | undefined;

  constructor(path: string, turn?: Turn) {
    this.#path = path;
    this.#turn = turn;
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
      this.#turn?.begin(descriptor);
      input.setRawMode(true);
    } catch (error) {
      this.close();
      throw error;
    }
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
    try {
      this.#turn?.end(now.descriptor);
    } finally {
      now.input.destroy();
      closeSync(now.descriptor);
    }
  }
}
