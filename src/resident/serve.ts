import { chmodSync, statSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { ownLife } from "../approve/index.ts";
import { isOwn } from "../state/index.ts";
import { isCaller, standingOf } from "./caller.ts";
import { holdLock, markOf, residentPlace, type ResidentPlace, ringAfter, writeLife } from "./life.ts";
import { CallReader, printAnswerFrame, type ResidentAnswer, type ResidentCall } from "./wire.ts";

/** What a resident judge needs of who starts it. */
export interface Residence {
  /** `<state>/resident`; where it is not, nobody wants a judge that stays. */
  readonly folder: string;
  /** What it is made of: it goes when one of these is another. */
  readonly program: readonly string[];
  /** Undefined: a fresh process is to judge this. */
  readonly answer: (call: ResidentCall) => ResidentAnswer | undefined;
  /** Goes after so long without a call. Milliseconds. */
  readonly idle?: number;
  /** The descriptor of the lock, where whoever started us took it. */
  readonly lock?: number;
}

interface Counts {
  answered: number;
  /** Calls left to a fresh process. */
  left: number;
}

const IDLE_MS = 30 * 60_000;
const LOOK_MS = 5000;
/** A client waits for 300 ms: what it would not hear any more is not judged, and nothing is left behind of it. */
const IN_TIME_NS = 150_000_000n;
/** A judge that grew larger than this goes, and the next call starts another. */
const MOST_BYTES = 400 << 20;
const HUNG_SECONDS = 5;
/** What a client may still want of one that goes. Milliseconds. */
const LAST_WORDS_MS = 500;

/** Whether the caller still waits for the answer. */
export const isInTime = ({ sent }: Pick<ResidentCall, "sent">): boolean => {
  const waited = process.hrtime.bigint() - sent;
  return waited >= 0n && waited < IN_TIME_NS;
};

/** Judges until nobody asks any more. False: another one does already, or nobody wants one. */
export async function serve(residence: Residence): Promise<boolean> {
  process.umask(0o077);
  // Whoever may write there could take our place.
  if (!isOwn(statSync(residence.folder), process.getuid?.())) return false;
  chmodSync(residence.folder, 0o700);
  const place = residentPlace(residence.folder);
  if (!holdLock(place, residence.lock)) return false;
  const judge = new Resident(residence, place);
  await judge.listen();
  await judge.gone;
  return true;
}

class Resident {
  readonly gone: Promise<void>;
  readonly #residence: Residence;
  readonly #place: ResidentPlace;
  readonly #server: Server;
  readonly #standing = standingOf("self");
  readonly #program: string;
  readonly #since = Date.now();
  readonly #counts: Counts = { answered: 0, left: 0 };
  #socket = "";
  #last = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #over: () => void = () => undefined;

  constructor(residence: Residence, place: ResidentPlace) {
    this.#residence = residence;
    this.#place = place;
    this.#program = this.#marks();
    this.gone = new Promise((resolve) => (this.#over = resolve));
    this.#server = createServer((socket) => this.#hear(socket));
  }

  async listen(): Promise<void> {
    const { socket } = this.#place;
    // Whoever holds the lock is the only one that listens: what lies there was left behind.
    removeFile(socket);
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ path: socket, backlog: 511 }, resolve);
    });
    this.#socket = inode(socket);
    // The next one may be started as soon as this one has gone (ask-client.ts).
    chmodSync(this.#place.lock, 0o600);
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#look();
    process.once("SIGTERM", () => this.leave());
  }

  #hear(socket: Socket): void {
    const reader = new CallReader();
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk) => {
      const call = reader.take(chunk);
      if (call === undefined) return;
      const answer = call === "wrong" ? undefined : this.#answer(call);
      if (answer === undefined) {
        if (call !== "wrong") this.#counts.left += 1;
        // At once, with all that it may still be sending: the client is not to wait.
        socket.destroy();
      } else {
        this.#counts.answered += 1;
        socket.end(printAnswerFrame(answer));
      }
    });
  }

  #answer(call: ResidentCall): ResidentAnswer | undefined {
    this.#last = performance.now();
    if (!isInTime(call) || this.#standing === undefined || !isCaller(call) || standingOf(call.pid) !== this.#standing) return undefined;
    if (this.#marks() !== this.#program) {
      this.leave();
      return undefined;
    }
    ringAfter(HUNG_SECONDS);
    try {
      return this.#residence.answer(call);
    } catch {
      return undefined;
    } finally {
      ringAfter(0);
    }
  }

  /** Nobody asks, nobody would find us, nobody wants us, we are another program by now, or too large. */
  #look(): void {
    const idle = performance.now() - this.#last > (this.#residence.idle ?? IDLE_MS);
    if (idle || inode(this.#place.socket) !== this.#socket || this.#marks() !== this.#program || process.memoryUsage.rss() > MOST_BYTES)
      return this.leave();
    writeLife(this.#place, { ...ownLife(), since: this.#since, ...this.#counts });
  }

  leave(): void {
    clearInterval(this.#timer);
    // Closing removes the name, whoever's that is by now.
    if (inode(this.#place.socket) === this.#socket) this.#server.close(() => this.#over());
    removeFile(this.#place.life);
    setTimeout(() => this.#over(), LAST_WORDS_MS);
  }

  #marks = (): string => this.#residence.program.map(markOf).join("\n");
}

const inode = (file: string): string => markOf(file).split(":").slice(0, 2).join(":");

function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Nothing is there; listening says what else is wrong.
  }
}
