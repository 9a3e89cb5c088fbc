import { randomBytes } from "node:crypto";
import { unlinkSync, utimesSync } from "node:fs";
import { isAlive, type Life, ownLife, readLife } from "@assent/guard/approve";
import { isObject } from "@assent/core/data";
import {
  ensureFolder,
  errorCode,
  isOwn,
  type Machine,
  openState,
  readRegular,
  stateFolder,
  withLock,
  writeAtomic,
} from "@assent/guard/state";

/** Who sends what is decided here to the team, and fetches its policy: one process at a time. */
export interface TeamSender extends Life {
  /** `daemon`: the judge that stays. `command`: `assent team send`. */
  readonly by: "daemon" | "command";
  /** Milliseconds since 1970. */
  readonly since: number;
}

export type HeldSending =
  | { readonly is: "held"; readonly isStill: () => boolean; readonly close: () => void }
  | { readonly is: "taken"; readonly by: TeamSender }
  | { readonly is: "impossible"; readonly why: string };

const LARGEST = 1 << 12;
const LOCK_MS = 2000;
const BEAT_MS = 5000;
/** Of a process in another namespace only its signs of life are seen. */
const SILENT_MS = 20_000;

const folderOf = (machine: Machine): string => `${stateFolder(machine)}/team-member`;
const senderFile = (machine: Machine): string => `${folderOf(machine)}/sender`;
const lockFile = (machine: Machine): string => `${folderOf(machine)}/sender.lock`;

/** Who sends now; undefined: nobody does. */
export const readSender = (machine: Machine): TeamSender | undefined => readHolder(machine)?.sender;

/**
 * This process sends from now on, unless another one does. INVARIANT: nothing is lost or doubled where two do all the same (a copied
 * folder, a lock of another namespace): the server knows each record by its place in the chain.
 */
export function holdSending(machine: Machine, by: TeamSender["by"]): HeldSending {
  const state = openState(machine);
  if ("problem" in state) return { is: "impossible", why: state.problem };
  const mark = randomBytes(16).toString("base64url");
  try {
    ensureFolder(folderOf(machine));
    const taken = withLock(lockFile(machine), LOCK_MS, (): HeldSending => {
      const there = readHolder(machine);
      if (there !== undefined) return { is: "taken", by: there.sender };
      writeAtomic(senderFile(machine), `${JSON.stringify({ v: 1, mark, by, since: Date.now(), ...ownLife() })}\n`);
      return holding(machine, mark);
    });
    return taken ?? { is: "impossible", why: "another process is about to send" };
  } catch (error) {
    return { is: "impossible", why: `${folderOf(machine)} cannot be written: ${errorCode(error)}` };
  }
}

function holding(machine: Machine, mark: string): HeldSending {
  const file = senderFile(machine);
  const isStill = (): boolean => readHolder(machine)?.mark === mark;
  const beat = setInterval(() => {
    try {
      const now = new Date();
      if (isStill()) utimesSync(file, now, now);
    } catch {
      // A full disk, or the team was left.
    }
  }, BEAT_MS);
  const close = (): void => {
    clearInterval(beat);
    process.off("exit", close);
    try {
      withLock(lockFile(machine), LOCK_MS, () => isStill() && unlinkSync(file));
    } catch {
      // The folder has gone with the team, or the disk is full: who looks sees that we are not there.
    }
  };
  process.on("exit", close);
  return { is: "held", isStill, close };
}

function readHolder(machine: Machine): { readonly mark: string; readonly sender: TeamSender } | undefined {
  const found = readRegular(senderFile(machine), LARGEST);
  if (found.is !== "text" || !isOwn(found.stats, machine.uid)) return undefined;
  try {
    const value: unknown = JSON.parse(found.text);
    const life = readLife(value);
    if (!isObject(value) || life === undefined) return undefined;
    const { mark, by, since } = value;
    if (typeof mark !== "string" || (by !== "daemon" && by !== "command") || typeof since !== "number") return undefined;
    const isHere = life.namespace === ownLife().namespace;
    const lives = isHere ? isAlive(life) : Math.abs(Date.now() - found.stats.mtimeMs) < SILENT_MS;
    return lives ? { mark, sender: { ...life, by, since } } : undefined;
  } catch {
    return undefined;
  }
}
