import { errorCode, isNumberTaken, readRegular, withLock, writeAtomic } from "../../state/index.ts";
import { EXPORTED_FILE, fields } from "../files.ts";

/** How far the log has been sent: everything before `offset` of this segment. The log itself is the spool. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
  /** Of the last record sent; 0 before the first. */
  readonly seq: number;
}

const START: Position = { segment: 1, offset: 0, seq: 0 };

/** A process that sends says so, again before each attempt. */
interface Stored extends Position {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const LOCK = "audit.exported.lock";
const PATIENCE_MS = 5000;
/** Longer than an attempt takes. */
const LEASE_MS = 120_000;

const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

function read(folder: string): Stored | "missing" | "broken" {
  const found = readRegular(`${folder}/${EXPORTED_FILE}`, 4096);
  if (found.is === "missing") return "missing";
  if (found.is === "broken") return "broken";
  try {
    const { segment, offset, seq, pid, at } = fields(JSON.parse(found.text));
    return isCount(segment) && isCount(offset) && isCount(seq) && isCount(pid) && isCount(at)
      ? { segment, offset, seq, pid, at }
      : "broken";
  } catch {
    return "broken";
  }
}

/** Who sends: one process at a time, so that nothing is sent twice but what a killed one had not noted down yet. */
export class Claim {
  readonly #folder: string;
  readonly #pid: number;

  constructor(folder: string, pid = process.pid) {
    this.#folder = folder;
    this.#pid = pid;
  }

  /** Where to go on. A damaged note begins anew: twice is better than never. */
  take(now: number): { readonly position: Position } | { readonly problem: string } {
    return this.#locked((stored) => {
      if (stored === "missing" || stored === "broken") {
        this.#write(START, now);
        return { position: START };
      }
      if (stored.pid !== this.#pid && now - stored.at < LEASE_MS && isNumberTaken(stored.pid))
        return { problem: `process ${stored.pid} is sending the log already` };
      const { segment, offset, seq } = stored;
      this.#write({ segment, offset, seq }, now);
      return { position: { segment, offset, seq } };
    });
  }

  /** Notes how far it has come, and that it still is here. */
  keep(position: Position, now: number): { readonly position: Position } | { readonly problem: string } {
    return this.#locked((stored) => {
      if (typeof stored === "object" && stored.pid !== this.#pid && isNumberTaken(stored.pid))
        return { problem: `process ${stored.pid} has taken over sending the log` };
      this.#write(position, now);
      return { position };
    });
  }

  /** Another one may send. */
  release(position: Position): void {
    this.#locked((stored) => {
      if (typeof stored === "object" && stored.pid === this.#pid) this.#write(position, 0);
      return {};
    });
  }

  #write(position: Position, at: number): void {
    const stored: Stored = { ...position, pid: this.#pid, at };
    writeAtomic(`${this.#folder}/${EXPORTED_FILE}`, `${JSON.stringify(stored)}\n`);
  }

  #locked<T extends object>(work: (stored: ReturnType<typeof read>) => T): T | { readonly problem: string } {
    try {
      return (
        withLock(`${this.#folder}/${LOCK}`, PATIENCE_MS, () => work(read(this.#folder))) ?? {
          problem: `another process holds ${this.#folder}/${LOCK}`,
        }
      );
    } catch (error) {
      return { problem: `${this.#folder}/${EXPORTED_FILE} cannot be written: ${errorCode(error)}` };
    }
  }
}
