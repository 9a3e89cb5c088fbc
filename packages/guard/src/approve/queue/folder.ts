import { closeSync, lstatSync, openSync } from "node:fs";
import { ensureFolder, isOwn, type Machine, openState, removeFile, stateFolder } from "../../state/index.ts";

const QUESTIONS = "questions";

export const questionsFolder = (machine: Machine): string => `${stateFolder(machine)}/${QUESTIONS}`;

/** Made where it is missing. Throws where questions cannot be kept, or others could answer them. */
export function openQueue(machine: Machine): string {
  const state = openState(machine);
  if ("problem" in state) throw new Error(state.problem);
  const folder = questionsFolder(machine);
  ensureFolder(folder);
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) throw new Error(`${folder} is not a folder`);
  if (!isOwn(stats, machine.uid)) throw new Error(`${folder} can be written by others, who could answer`);
  return folder;
}

/**
 * Whoever was asked and did not answer is away: nobody waits again until there is a sign of life. A terminal may be open for days.
 */
const awayFile = (machine: Machine): string => `${questionsFolder(machine)}/unanswered`;

/** A question that could not wait longer was not answered. */
export function noteUnanswered(machine: Machine): void {
  try {
    closeSync(openSync(awayFile(machine), "w", 0o600));
  } catch {
    // The next question waits as long as this one did.
  }
}

/** Somebody has answered, pressed a key or looked. */
export const noteSignOfLife = (machine: Machine): void => void removeFile(awayFile(machine));

export const isAway = (machine: Machine): boolean => lstatSync(awayFile(machine), { throwIfNoEntry: false }) !== undefined;
