import { lstatSync, readdirSync, unlinkSync } from "node:fs";
import { isObject } from "../data/index.ts";
import { ensureFolder, errorCode, isOwn, readRegular, writeAtomic } from "./files.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * What a confined run has to tell, left for the host's hook that hears of the command's end: a file for each ticket in
 * `reports/` of the state folder, which no run can reach. Texts are safe to show: objects in them are quoted and cut.
 */
export interface ConfinedReport {
  /** Names the run in `assent receipt` and `assent undo`. */
  readonly run: string;
  /** Files and folders that it made, changed, deleted or renamed; absent: more than could be counted. */
  readonly changed?: number;
  /** For the model: what was refused, why, and the way out; at most ten lines, nothing where nothing was refused. */
  readonly lines: readonly string[];
  /** Calls that were refused. */
  readonly refused: number;
  /** Programs that it left running. */
  readonly left: readonly string[];
}

const REPORTS = "reports";
const ID = /^[0-9a-f]{16}$/;
/** A host hears of the end of a command at once. */
const LASTS_MS = 60 * 60_000;
const MAX_BYTES = 1 << 16;
const MOST_FILES = 1000;

const folderOf = (machine: Machine): string => `${stateFolder(machine)}/${REPORTS}`;

/** Leaves the report of a ticket; why it could not be left. */
export function writeReport(machine: Machine, ticketId: string, report: ConfinedReport, now = Date.now()): string | undefined {
  if (!ID.test(ticketId)) return "no ticket has such a number";
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  try {
    const folder = folderOf(machine);
    ensureFolder(folder);
    for (const name of readdirSync(folder).slice(0, MOST_FILES)) {
      const stats = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
      if (stats !== undefined && now - stats.mtimeMs > LASTS_MS) remove(`${folder}/${name}`);
    }
    writeAtomic(`${folder}/${ticketId}.json`, `${JSON.stringify({ v: 1, ...report })}\n`);
    return undefined;
  } catch (error) {
    return `the report cannot be written: ${errorCode(error)}`;
  }
}

/** Takes the report that the command of a ticket left: it is told once. Undefined: it has not ended, or told already. */
export function readReport(machine: Machine, ticketId: string): ConfinedReport | undefined {
  if (!ID.test(ticketId)) return undefined;
  const path = `${folderOf(machine)}/${ticketId}.json`;
  const found = readRegular(path, MAX_BYTES);
  if (found.is !== "text" || !isOwn(found.stats, machine.uid)) return undefined;
  remove(path);
  return parse(found.text);
}

function parse(text: string): ConfinedReport | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value["v"] !== 1) return undefined;
    const { run, changed, lines, refused, left } = value;
    if (typeof run !== "string" || (changed !== undefined && typeof changed !== "number") || typeof refused !== "number") return undefined;
    return isTexts(lines) && isTexts(left) ? { run, ...(changed === undefined ? {} : { changed }), lines, refused, left } : undefined;
  } catch {
    return undefined;
  }
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === "string");

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody else was faster.
  }
}
