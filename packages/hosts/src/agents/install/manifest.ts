import { isObject, parseObject } from "@assent/core/data";
import { openState, readRegular, writeAtomic, type Machine } from "@assent/guard/state";

/** What was written where, so that it can be taken out byte for byte. Kept in the state folder. */
export interface Installed {
  readonly agent: string;
  /** Canonical. */
  readonly file: string;
  /** What it said before Assent; undefined: it did not exist. */
  readonly before: string | undefined;
  /** SHA-256 of what was written. */
  readonly after: string;
  /** Folders that were made for it, outermost first. */
  readonly folders: readonly string[];
}

const NAME = "installed.json";
const MAX_BYTES = 16 << 20;

const isText = (value: unknown): value is string => typeof value === "string";

/** A manifest that cannot be read is as none: then entries are taken out one by one. */
export function readInstalled(machine: Machine): readonly Installed[] {
  const state = openState(machine);
  const found = "folder" in state ? readRegular(`${state.folder}/${NAME}`, MAX_BYTES) : undefined;
  if (found?.is !== "text") return [];
  const files = parseObject(found.text)?.["files"];
  return Array.isArray(files) ? files.flatMap(read) : [];
}

function read(value: unknown): readonly Installed[] {
  if (!isObject(value)) return [];
  const { agent, file, before, after, folders } = value;
  if (!isText(agent) || !isText(file) || !isText(after) || (before !== undefined && !isText(before)) || !Array.isArray(folders)) return [];
  return [{ agent, file, before, after, folders: folders.filter(isText) }];
}

/** @returns a problem. */
export function writeInstalled(machine: Machine, files: readonly Installed[]): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  try {
    writeAtomic(`${state.folder}/${NAME}`, JSON.stringify({ v: 1, files }));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
