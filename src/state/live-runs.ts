import { closeSync, constants, openSync, readdirSync, readFileSync, unlinkSync } from "node:fs";
import { ensureFolder, errorCode } from "./files.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * Confined commands that are running, what they left behind included: an empty file each in `live/` of the state folder, named after
 * the supervisor, PID and start time (proc_pid_stat(5)), and the run.
 */
const LIVE = "live";
const NAME = /^(\d{1,10})-(\d{1,20})-[0-9a-z-]{8,64}$/;

/** Notes that a confined command is about to start. Throws where that cannot be noted. The result takes the note away again. */
export function noteLiveRun(machine: Machine, run: string): () => void {
  const state = openState(machine);
  if ("problem" in state) throw new Error(state.problem);
  ensureFolder(`${state.folder}/${LIVE}`);
  const { O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const file = `${state.folder}/${LIVE}/${process.pid}-${startOf(process.pid) ?? "0"}-${run}`;
  closeSync(openSync(file, O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600));
  return () => remove(file);
}

/**
 * A confined command is running, and may change a file between the moment at which a request is judged and the one at which it is
 * carried out. What cannot be looked at counts as running.
 */
export function isAnyRunLive(machine: Machine): boolean {
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
    remove(`${folder}/${name}`);
    return false;
  });
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Somebody else was first.
  }
}

/** The time at which a process was started; undefined: there is none. */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
