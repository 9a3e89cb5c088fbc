import { lstatSync } from "node:fs";
import { isObject, parseJson } from "@assent/core/data";
import { parentOf } from "@assent/core/path";
import { ensureFolder, errorCode, isOwn, type Machine, openState, readRegular, stateFolder, writeAtomic } from "@assent/guard/state";
import { membershipMark } from "../membership-mark.ts";

/** Where root says by which key the machines of a fleet join. */
export const fleetFile = (machine: Machine): string => `${parentOf(machine.managedPolicy)}/team.json`;

/**
 * What tells that the file is the one it was; empty where there is none, or none that this user may see. One system call, and nothing is
 * loaded for it.
 */
export function fleetMark(machine: Machine): string {
  try {
    const stats = lstatSync(fleetFile(machine), { throwIfNoEntry: false });
    return stats === undefined ? "" : [stats.dev, stats.ino, stats.size, stats.mtimeMs].join(":");
  } catch {
    return "";
  }
}

/** What came of joining by the file, until it works. */
export interface FleetJoining {
  /** `trying`: another process does it now, or was killed. `left`: a person took this machine out again. */
  readonly is: "trying" | "away" | "refused" | "left";
  /** Of the file that it is about. */
  readonly mark: string;
  /** From which the machine's token follows: who asks again is the same machine. */
  readonly secret: string;
  readonly tries: number;
  /** When it was tried, and will be again: milliseconds since 1970. */
  readonly at: number;
  readonly next: number;
  /** For people. */
  readonly why: string;
}

const LARGEST = 1 << 14;
const STATES: ReadonlySet<unknown> = new Set(["trying", "away", "refused", "left"] satisfies FleetJoining["is"][]);
const folderOf = (machine: Machine): string => `${stateFolder(machine)}/team-member`;
const joiningFile = (machine: Machine): string => `${folderOf(machine)}/joining.json`;

/** Undefined: nothing is known, so nothing was tried. */
export function readJoining(machine: Machine): FleetJoining | undefined {
  const found = readRegular(joiningFile(machine), LARGEST);
  if (found.is !== "text" || !isOwn(found.stats, machine.uid)) return undefined;
  const value = parseJson(found.text);
  return isJoining(value) ? value : undefined;
}

function isJoining(value: unknown): value is FleetJoining {
  if (!isObject(value)) return false;
  const { is, mark, secret, tries, at, next, why } = value;
  const areTexts = [mark, secret, why].every((text) => typeof text === "string");
  return STATES.has(is) && areTexts && [tries, at, next].every((number) => typeof number === "number");
}

/** A reason where it cannot be written: then nothing is tried, or every hook would try it again. */
export function writeJoining(machine: Machine, joining: FleetJoining): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  try {
    ensureFolder(folderOf(machine));
    writeAtomic(joiningFile(machine), `${JSON.stringify(joining)}\n`);
    return undefined;
  } catch (error) {
    return `${folderOf(machine)} cannot be written: ${errorCode(error)}`;
  }
}

/** Whether this machine is to join now: root's file says so, it belongs to no team, and it is time to try (again). */
export function isFleetDue(machine: Machine, now: number): boolean {
  const mark = fleetMark(machine);
  if (mark === "" || membershipMark(machine) !== "") return false;
  const joining = readJoining(machine);
  if (joining?.mark !== mark) return true;
  // A clock that was set back would have it wait for as long.
  return joining.is !== "left" && (now >= joining.next || now < joining.at);
}
