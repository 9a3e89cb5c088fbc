import { closeSync, constants, openSync, writeSync } from "node:fs";
import { errorCode, openState, type Machine } from "../state/index.ts";

export const AUDIT_FILE = "audit.jsonl";
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Adds one line to the audit log. One open, one write with O_APPEND, one close: concurrent processes lose nothing.
 * Never throws: what went wrong is returned, and the decision stands.
 */
export function appendAudit(machine: Machine, line: string): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const file = `${state.folder}/${AUDIT_FILE}`;
  try {
    const descriptor = openSync(file, FLAGS, 0o600);
    try {
      writeSync(descriptor, `${line}\n`);
    } finally {
      closeSync(descriptor);
    }
    return undefined;
  } catch (error) {
    return `${file} cannot be written: ${errorCode(error)}`;
  }
}
