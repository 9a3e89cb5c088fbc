import type { Machine } from "./machine.ts";
import { readEditable, replaceFile } from "./replace.ts";
import { openState } from "./state.ts";
import { readTrust } from "./trust.ts";

const MAX_BYTES = 1 << 20;
const MAX_TRIES = 20;

/**
 * Changes which project policies are trusted, and with which text: path of the file to the hash of its text.
 * Two processes may do so at once. Says what went wrong.
 */
export function changePins(machine: Machine, change: (pins: Map<string, string>) => void): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const file = `${state.folder}/trust.json`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = readEditable(file, MAX_BYTES);
    if (found.is === "broken") return `${file} ${found.why}`;
    // What is no list of pins trusts nobody, and gives way.
    const pins = new Map(readTrust(machine).pins);
    change(pins);
    const next = `${JSON.stringify({ projects: Object.fromEntries(pins) }, undefined, 2)}\n`;
    const outcome = replaceFile(file, found.is === "missing" ? undefined : found.text, next);
    if (outcome.is === "done") return undefined;
    if (outcome.is === "failed") return `${file}: ${outcome.why}`;
  }
  return `${file} keeps changing`;
}
