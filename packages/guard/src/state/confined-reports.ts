import { closeSync, ftruncateSync, lstatSync, openSync, readdirSync, renameSync, rmdirSync, writeSync } from "node:fs";
import { sha256, isTexts } from "@assent/core/data";
import { ensureFolder, errorCode, readOwnObject, removeFile } from "./files.ts";
import type { Machine } from "./machine.ts";
import { randomHex } from "./random.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * What a confined run has to tell, left for the host's hook that hears of the command's end: a file each in `reports/` of the state
 * folder, which no run can reach. The folder is there as long as it holds something, so that one look says that there is nothing
 * to tell. Texts are safe to show: objects in them are quoted and cut.
 *
 * While the command runs its file is `ID.run`. INVARIANT: it is told once: the run that ends renames it to `ID.json`, a hook that
 * comes before that takes it away (rename(2) of a name that is gone fails), and then the run tells it itself.
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
const HEARD_MS = 60_000;
const MAX_BYTES = 1 << 16;
const MOST_FILES = 1000;

/** There while any command runs whose report is waited for, and while one waits to be told. */
export const reportsFolder = (machine: Machine): string => `${stateFolder(machine)}/${REPORTS}`;

/** The report of a host's call, where the host names its calls. */
export function reportIdOf(session: string, toolUse: string): string {
  return sha256([Buffer.from(JSON.stringify([session, toolUse]))])
    .toString("hex")
    .slice(0, 16);
}

/** Before a command starts whose end a hook hears of. Why there can be no report; it is told in another way then. */
export function expectReport(machine: Machine, id: string, now = Date.now()): string | undefined {
  if (!ID.test(id)) return "no report has such a number";
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const folder = reportsFolder(machine);
  for (let again = true; ; again = false) {
    try {
      ensureFolder(folder);
      clearOld(folder, now);
      closeSync(openSync(`${folder}/${id}.run`, "w", 0o600));
      return undefined;
    } catch (error) {
      if (!again) return `no report can be left: ${errorCode(error)}`;
    }
  }
}

/** The command has ended. Why its report could not be left: the hook has been there already, or it cannot be written. */
export function writeReport(machine: Machine, id: string, report: ConfinedReport): string | undefined {
  if (!ID.test(id)) return "no report has such a number";
  const running = `${reportsFolder(machine)}/${id}.run`;
  try {
    const file = openSync(running, "r+");
    try {
      ftruncateSync(file);
      writeSync(file, `${JSON.stringify({ v: 1, ...report })}\n`);
    } finally {
      closeSync(file);
    }
    renameSync(running, `${reportsFolder(machine)}/${id}.json`);
    return undefined;
  } catch (error) {
    return `the report cannot be left: ${errorCode(error)}`;
  }
}

/** The command has ended, and there is nothing to tell. */
export function dropReport(machine: Machine, id: string): void {
  removeFile(`${reportsFolder(machine)}/${id}.run`);
  leaveEmpty(reportsFolder(machine));
}

/** Takes the report of a command: it is told once. Undefined: there is none, or the command goes on and will tell it by itself. */
export function readReport(machine: Machine, id: string): ConfinedReport | undefined {
  if (!ID.test(id)) return undefined;
  const folder = reportsFolder(machine);
  const taken = `${folder}/${id}.${randomHex(8)}.taken`;
  try {
    try {
      renameSync(`${folder}/${id}.run`, taken);
      return undefined;
    } catch {
      renameSync(`${folder}/${id}.json`, taken);
    }
    return reportIn(readOwnObject(taken, MAX_BYTES, machine.uid));
  } catch {
    return undefined;
  } finally {
    removeFile(taken);
    leaveEmpty(folder);
  }
}

/** A report that nobody has taken for a while: no hook hears of the end of commands here. */
export function isReportUnheard(machine: Machine, now = Date.now()): boolean {
  const folder = reportsFolder(machine);
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .slice(0, MOST_FILES)
      .some((name) => now - (lstatSync(`${folder}/${name}`, { throwIfNoEntry: false })?.mtimeMs ?? now) > HEARD_MS);
  } catch {
    return false;
  }
}

function clearOld(folder: string, now: number): void {
  for (const name of readdirSync(folder).slice(0, MOST_FILES)) {
    const stats = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
    if (stats !== undefined && now - stats.mtimeMs > LASTS_MS) removeFile(`${folder}/${name}`);
  }
}

function leaveEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something else is in it.
  }
}

function reportIn(value: Readonly<Record<string, unknown>> | undefined): ConfinedReport | undefined {
  if (value?.["v"] !== 1) return undefined;
  const { run, changed, lines, refused, left } = value;
  if (typeof run !== "string" || (changed !== undefined && typeof changed !== "number") || typeof refused !== "number") return undefined;
  return isTexts(lines) && isTexts(left) ? { run, ...(changed === undefined ? {} : { changed }), lines, refused, left } : undefined;
}
