import { closeSync, constants, openSync, readdirSync, writeSync } from "node:fs";
import { ensureFolder, errorCode, namesIn, readRegular, removeFile } from "./files.ts";
import type { Machine } from "./machine.ts";
import { processFields } from "./process.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * Confined commands that are running, what they left behind included: a file each in `live/` of the state folder, named after
 * the supervisor, PID and start time (proc_pid_stat(5)), and the run. In it stands the agent's session, where there is one.
 */
const LIVE = "live";
const NAME = /^(\d{1,10})-(\d{1,20})-[0-9a-z-]{8,64}$/;

const MAX_BYTES = 4096;
/** A chain of processes is no longer than this, whatever the numbers say. */
const DEEPEST = 10_000;

/** An agent's session, by one text. */
export const sessionName = (agent: string, session: string): string => `${agent} ${session}`;

/** Notes that a confined command is about to start. Throws where that cannot be noted. The result takes the note away again. */
export function noteLiveRun(machine: Machine, run: string, session?: string): () => void {
  const state = openState(machine);
  if ("problem" in state) throw new Error(state.problem);
  ensureFolder(`${state.folder}/${LIVE}`);
  const { O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const file = `${state.folder}/${LIVE}/${process.pid}-${startOf(process.pid) ?? "0"}-${run}`;
  const fd = openSync(file, O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    if (session !== undefined) writeSync(fd, session);
  } finally {
    closeSync(fd);
  }
  return () => removeFile(file);
}

/**
 * A confined command is running, and may change a file between the moment at which a request is judged and the one at which it is
 * carried out. What cannot be looked at counts as running.
 */
export function isAnyRunLive(machine: Machine): boolean {
  if (machine.alone === true) return false;
  const folder = `${stateFolder(machine)}/${LIVE}`;
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    return errorCode(error) !== "ENOENT";
  }
  return names.some((name) => {
    const found = NAME.exec(name);
    if (found !== null && startOf(Number(found[1])) === found[2]) return true;
    // Its supervisor was killed, and the tree with it.
    removeFile(`${folder}/${name}`);
    return false;
  });
}

/**
 * A process that a confined command of this session has started: it descends from a supervisor of the session. The supervisors
 * themselves are none of it.
 */
export function isOfSession(machine: Machine, session: string, pid: number): boolean {
  if (machine.alone === true) return false;
  const folder = `${stateFolder(machine)}/${LIVE}`;
  const supervisors = new Set<string>();
  for (const name of namesIn(folder)) {
    const [, supervisor, start] = NAME.exec(name) ?? [];
    const noted = readRegular(`${folder}/${name}`, MAX_BYTES);
    if (noted.is === "text" && noted.text === session) supervisors.add(`${supervisor} ${start}`);
  }
  if (supervisors.size === 0) return false;
  for (let at = parentOf(pid), depth = 0; at !== undefined && at > 1 && depth < DEEPEST; at = parentOf(at), depth++)
    if (supervisors.has(`${at} ${startOf(at)}`)) return true;
  return false;
}

/** No process or, for a negative number, group is there (kill(2): signal 0 is not sent). */
export function isGone(target: number): boolean {
  try {
    return !process.kill(target, 0);
  } catch (error) {
    return errorCode(error) === "ESRCH";
  }
}

/** The time at which a process was started; undefined: there is none. */
const startOf = (pid: number): string | undefined => processFields(pid)?.[19];

const parentOf = (pid: number): number | undefined => {
  const parent = processFields(pid)?.[1];
  return parent === undefined ? undefined : Number(parent);
};
