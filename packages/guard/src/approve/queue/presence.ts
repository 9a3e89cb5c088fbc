import { lstatSync, readdirSync } from "node:fs";
import { ensureFolder, type Machine, randomHex, readOwnObject, removeFile } from "../../state/index.ts";
import { keepFile, type Life, lifeState, ownLife, readLife } from "../life.ts";
import { type Channel, channelOf } from "../types.ts";
import { isToldOf } from "./notify-settings.ts";
import { isAway, noteSignOfLife, openQueue, questionsFolder } from "./folder.ts";

/**
 * Who is there to answer: a file each in `questions/approvers/`, as long as the terminal, page or popup is open. Askers wait only
 * where somebody is there, so the look costs no more than a folder that is missing.
 */
const APPROVERS = "approvers";
const NAME = /^([a-z]+)-\d+-[0-9a-f]{8}$/;
const MOST_FILES = 100;
/** Of a process that cannot be looked for: it lives in another container. */
const SILENT_MS = 20_000;
const LARGEST = 4096;

const approversFolder = (machine: Machine): string => `${questionsFolder(machine)}/${APPROVERS}`;

/** Somebody can answer here, until it is closed. Throws where that cannot be written down. */
export function announceApprover(machine: Machine, channel: Channel): { close(): void } {
  openQueue(machine);
  noteSignOfLife(machine);
  const folder = approversFolder(machine);
  ensureFolder(folder);
  return keepFile(`${folder}/${channel}-${process.pid}-${randomHex(4)}`, `${JSON.stringify({ v: 1, ...ownLife() })}\n`);
}

/** By which ways somebody can answer now. One that was stopped (Ctrl-Z) answers nothing. */
export function approversThere(machine: Machine): readonly Channel[] {
  const folder = approversFolder(machine);
  let names: readonly string[];
  try {
    names = readdirSync(folder).slice(0, MOST_FILES);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const [, word] = NAME.exec(name) ?? [];
    const channel = channelOf(word);
    const file = `${folder}/${name}`;
    const life = channel === undefined ? undefined : lifeIn(file, machine);
    if (channel === undefined || life === undefined) return [];
    const state = lifeState(life);
    if (state === "gone") removeFile(file);
    return state === "runs" || (state === "unknown" && isFresh(file)) ? [channel] : [];
  });
}

/** Somebody could answer, or wants to be told that there is a question. */
export const isAnybodyReached = (machine: Machine): boolean => approversThere(machine).length > 0 || isToldOf(machine);

/** A question that is put now has somebody to answer it. */
export function isSomebodyThere(machine: Machine): boolean {
  return isAnybodyReached(machine) && !isAway(machine);
}

function lifeIn(file: string, machine: Machine): Life | undefined {
  const value = readOwnObject(file, LARGEST, machine.uid);
  return value?.["v"] === 1 ? readLife(value) : undefined;
}

function isFresh(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < SILENT_MS;
}
