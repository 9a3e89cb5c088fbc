import { readdirSync, statSync, unlinkSync, utimesSync } from "node:fs";
import { isObject } from "@assent/core/data";
import { fileNameOf } from "./breaker.ts";
import { ensureFolder, errorCode, isOwn, readRegular, writeAtomic, dropFile } from "./files.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * Commands that failed confined, with what they were refused: the next time the same is asked about beforehand. A file for each
 * command of a folder, by the two of them.
 */
export interface ConfinedFailure {
  readonly cwd: string;
  readonly command: string;
  /** What was refused, for people. */
  readonly refused: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

const FOLDER = "confined-failures";
const MAX_BYTES = 1 << 16;
const LONGEST = 4096;
const FORGET_MS = 14 * 86_400_000;
/** A host may ask in more than one way about the same call, and a person may take a while. */
const ASKED_MS = 10 * 60_000;
/** A file is written this soon after its `time`. */
const WRITTEN_MS = 5000;
const MOST_FILES = 1000;

/** What an agent adds to a command to read less of it, or to go where it is. */
const AROUND = [/^cd\s+[^\s;&|]+\s*&&\s*/, /(?:2>&1|\|\s*(?:tail|head)(?:\s+-(?:n\s*)?\d+)?|\|\|\s*true|\|\s*cat)\s*$/];

/** The same for commands that do the same. */
export function commandShape(command: string): string {
  let text = command.trim();
  for (let before = ""; before !== text;) {
    before = text;
    for (const around of AROUND) text = text.replace(around, "").trim();
  }
  return text.replaceAll(/[ \t]+/g, " ");
}

const fileOf = (machine: Machine, cwd: string, command: string): string =>
  `${stateFolder(machine)}/${FOLDER}/${fileNameOf(`${cwd}\0${commandShape(command)}`)}json`;

/** What the same command was refused the last time, where it failed. One look where there is nothing. */
export function confinedFailure(machine: Machine, cwd: string, command: string, now: number = Date.now()): ConfinedFailure | undefined {
  if (machine.alone === true) return undefined;
  const found = readRegular(fileOf(machine, cwd, command), MAX_BYTES);
  if (found.is !== "text" || !isOwn(found.stats, machine.uid)) return undefined;
  try {
    const value: unknown = JSON.parse(found.text);
    if (!isObject(value)) return undefined;
    const { cwd: where, command: shape, refused, time } = value;
    // A name of a file may be cut, so that it is not the command by itself.
    if (where !== cwd || shape !== commandShape(command) || typeof refused !== "string" || typeof time !== "number") return undefined;
    const asked = found.stats.mtimeMs;
    if (now - time > FORGET_MS || (asked - time > WRITTEN_MS && now - asked > ASKED_MS)) return undefined;
    return { cwd, command: shape, refused, time };
  } catch {
    return undefined;
  }
}

/** Says what went wrong. */
export function noteConfinedFailure(machine: Machine, failure: ConfinedFailure): string | undefined {
  const command = commandShape(failure.command);
  if (command.length > LONGEST) return undefined;
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  try {
    const folder = `${state.folder}/${FOLDER}`;
    ensureFolder(folder);
    forgetOld(folder);
    const text = JSON.stringify({ v: 1, ...failure, command });
    writeAtomic(fileOf(machine, failure.cwd, command), `${text}\n`);
    return undefined;
  } catch (error) {
    return `what failed sandboxed cannot be remembered: ${errorCode(error)}`;
  }
}

/** A person is asked about it, which the time of the file says: whatever the answer, it counts no longer a while later. */
export function askedAboutFailure(machine: Machine, { cwd, command, time }: ConfinedFailure, now: number = Date.now()): void {
  const file = fileOf(machine, cwd, command);
  try {
    if (statSync(file).mtimeMs - time <= WRITTEN_MS) utimesSync(file, now / 1000, now / 1000);
  } catch {
    // It is asked about once more.
  }
}

/** It works after all. */
export function forgetConfinedFailure(machine: Machine, cwd: string, command: string): void {
  dropFile(fileOf(machine, cwd, command));
}

function forgetOld(folder: string): void {
  const names = readdirSync(folder);
  for (const name of names) {
    const stats = statSync(`${folder}/${name}`, { throwIfNoEntry: false });
    if (stats !== undefined && (names.length > MOST_FILES || Date.now() - stats.mtimeMs > FORGET_MS)) unlinkSync(`${folder}/${name}`);
  }
}
