import { type Consent, AUTOMATION_FILE, AUTOMATION_BYTES, readConsent } from "./automation.ts";
import type { Machine } from "./machine.ts";
import { readEditable, replaceFile } from "./replace.ts";
import { openState } from "./state.ts";

// In a file of its own: the hook only reads it.
const MAX_TRIES = 20;

/** Changes what was said, in one step; two processes may do so at once. Says what went wrong. */
export function changeConsent(machine: Machine, change: (consent: Consent) => Consent): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const file = `${state.folder}/${AUTOMATION_FILE}`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = readEditable(file, AUTOMATION_BYTES);
    if (found.is === "broken") return `${file} ${found.why}`;
    const next = `${JSON.stringify(change(readConsent(machine)), undefined, 2)}\n`;
    const outcome = replaceFile(file, found.is === "missing" ? undefined : found.text, next);
    if (outcome.is === "done") return undefined;
    if (outcome.is === "failed") return `${file}: ${outcome.why}`;
  }
  return `${file} keeps changing`;
}
