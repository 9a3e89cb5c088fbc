import { type ChildProcess, spawn } from "node:child_process";
import { removeFile } from "@assent/guard/state";

/** What it says on descriptor 3 when a command is its own. */
export const TAKEN = "t";

export interface SpareStart {
  readonly node: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where it listens. */
  readonly socket: string;
  /** Whether anybody would hand a command over. */
  readonly isWanted: () => boolean;
}

/** The command that took the last one has just begun, and has the machine first. Milliseconds. */
const NEXT_AFTER_MS = 150;
/** One that ended without a command: it cannot start here, or somebody has ended it. */
const AGAIN_AFTER_MS = 60_000;

/** Keeps one supervisor that waits for a command (cli/spare.ts). What has taken a command is none of ours any more. */
export class Spares {
  readonly #start: SpareStart;
  #waiting: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(start: SpareStart) {
    this.#start = start;
  }

  /** Called again and again: one is there, or about to be, where it is wanted. */
  look(): void {
    if (this.#over || this.#waiting !== undefined || this.#timer !== undefined || !this.#start.isWanted()) return;
    this.#spawn();
  }

  #spawn(): void {
    const { node, words, env } = this.#start;
    const child = spawn(node, words, { cwd: "/", detached: true, stdio: ["ignore", "ignore", "ignore", "pipe"], env });
    this.#waiting = child;
    let taken = false;
    const ended = (): void => {
      if (this.#waiting !== child) return;
      this.#waiting = undefined;
      this.#timer = setTimeout(() => this.#next(), taken ? NEXT_AFTER_MS : AGAIN_AFTER_MS);
      this.#timer.unref();
    };
    const channel = child.stdio[3];
    channel?.on("data", () => (taken = true));
    channel?.on("error", ended);
    channel?.on("close", ended);
    child.on("error", ended);
    child.unref();
  }

  #next(): void {
    this.#timer = undefined;
    this.look();
  }

  /** The one that waits ends. */
  end(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    if (this.#waiting === undefined) return;
    this.#waiting.kill("SIGKILL");
    removeFile(this.#start.socket);
  }
}
