import { chmodSync, statSync } from "node:fs";
import { ownLife } from "@assent/guard/approve";
import { isOwn } from "@assent/guard/state";
import { markOf, writeLife } from "./life.ts";
import type { SocketWay } from "./socket.ts";
import type { Spares } from "./spares.ts";
import type { DaemonAnswer, DaemonCall } from "./wire.ts";

/** What a daemon judge needs of who starts it. */
export interface Residence {
  /** `<state>/resident`; where it is not, nobody wants a judge that stays. */
  readonly folder: string;
  /** What it is made of: it goes when one of these is another. */
  readonly program: readonly string[];
  /** Undefined: a fresh process is to judge this. */
  readonly answer: (call: DaemonCall) => DaemonAnswer | undefined;
  /** Goes after so long without a call. Milliseconds. */
  readonly idle?: number;
  /** Done piece by piece once it listens, between calls: what makes the first answers as quick as later ones. */
  readonly warm?: Iterable<unknown>;
  /** What waits for commands beside it, and ends with it. */
  readonly spares?: Spares | undefined;
  /** The same, and it stays as long as this one is busy. */
  readonly beside?: SideWork | undefined;
  /** How it is reached in that folder, which is private by then. */
  readonly way: () => SocketWay;
}

/** Something that a judge does beside judging, in a thread or process of its own. */
export interface SideWork {
  /** Called every few seconds. */
  look(): void;
  isBusy(): boolean;
  end(): void;
}

interface Counts {
  answered: number;
  /** Calls left to a fresh process. */
  left: number;
}

const IDLE_MS = 30 * 60_000;
const LOOK_MS = 5000;
/** How it goes is not written more often than this. */
const TELL_MS = 500;
/** The hook that had it started is judging by itself just now. */
const WARM_AFTER_MS = 300;
/** A client waits for 300 ms: what it would not hear any more is not judged, and nothing is left behind of it. */
const IN_TIME_NS = 150_000_000n;
/** A judge that grew larger than this goes, and the next call starts another. */
const MOST_BYTES = 400 << 20;
/** What a client may still want of one that goes. Milliseconds. */
const LAST_WORDS_MS = 500;

/** Whether the caller still waits for the answer. */
export const isInTime = ({ sent }: Pick<DaemonCall, "sent">): boolean => {
  const waited = process.hrtime.bigint() - sent;
  return waited >= 0n && waited < IN_TIME_NS;
};

/** Judges until nobody asks any more. False: another one does already, or nobody wants one. */
export async function serve(residence: Residence): Promise<boolean> {
  process.umask(0o077);
  // Whoever may write there could take our place.
  if (!isOwn(statSync(residence.folder), process.getuid?.())) return false;
  chmodSync(residence.folder, 0o700);
  const judge = new Daemon(residence);
  if (!(await judge.listen())) return false;
  await judge.gone;
  return true;
}

class Daemon {
  readonly gone: Promise<void>;
  readonly #residence: Residence;
  readonly #way: SocketWay;
  readonly #program: string;
  readonly #since = Date.now();
  readonly #counts: Counts = { answered: 0, left: 0 };
  #last = performance.now();
  #told = 0;
  #gone = false;
  #timer: NodeJS.Timeout | undefined;
  #over: () => void = () => undefined;

  constructor(residence: Residence) {
    this.#residence = residence;
    this.#way = residence.way();
    this.#program = this.#marks();
    this.gone = new Promise((resolve) => (this.#over = resolve));
  }

  async listen(): Promise<boolean> {
    if (!(await this.#way.listen((call) => this.#judge(call)))) return false;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#look();
    process.once("SIGTERM", () => this.leave());
    const pieces = (this.#residence.warm ?? [])[Symbol.iterator]();
    const { spares } = this.#residence;
    const next = (): void => void (pieces.next().done === true ? spares?.look() : setImmediate(next));
    setTimeout(next, WARM_AFTER_MS).unref();
    return true;
  }

  #judge(call: DaemonCall): DaemonAnswer | undefined {
    const answer = this.#answer(call);
    this.#counts[answer === undefined ? "left" : "answered"] += 1;
    if (performance.now() - this.#told > TELL_MS) setImmediate(() => this.#tell());
    return answer;
  }

  #answer(call: DaemonCall): DaemonAnswer | undefined {
    this.#last = performance.now();
    if (!isInTime(call) || !this.#way.standsAlike(call)) return undefined;
    if (this.#marks() !== this.#program) {
      this.leave();
      return undefined;
    }
    this.#way.begin();
    try {
      return this.#residence.answer(call);
    } catch {
      return undefined;
    } finally {
      this.#way.end();
    }
  }

  /** Nobody asks, nobody would find us, nobody wants us, we are another program by now, or too large. */
  #look(): void {
    const { beside, idle: most = IDLE_MS } = this.#residence;
    const idle = performance.now() - this.#last > most && beside?.isBusy() !== true;
    if (idle || !this.#way.isFound() || this.#marks() !== this.#program || process.memoryUsage.rss() > MOST_BYTES) return this.leave();
    this.#residence.spares?.look();
    beside?.look();
    this.#tell();
  }

  #tell(): void {
    if (this.#gone) return;
    this.#told = performance.now();
    writeLife(this.#way, { ...ownLife(), since: this.#since, ...this.#counts });
  }

  leave(): void {
    clearInterval(this.#timer);
    this.#gone = true;
    this.#residence.spares?.end();
    this.#residence.beside?.end();
    this.#way.close(() => this.#over());
    setTimeout(() => this.#over(), LAST_WORDS_MS);
  }

  #marks = (): string => this.#residence.program.map(markOf).join("\n");
}
