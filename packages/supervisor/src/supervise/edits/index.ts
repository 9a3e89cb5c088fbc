import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  type BigIntStats,
  writeFileSync,
} from "node:fs";
import { baseName, joinPath, parentOf } from "@assent/core/path";
import { type Machine, openState, namesIn } from "@assent/guard/state";
import type { EditBefore, PathBefore, StatRecord } from "../undo/index.ts";

// What a tool of an agent's host is about to change. The hook notes it before it answers, in a process that has no way to the kernel
// but node:fs; `undo/edits.ts` makes a run's record of it once the tool has written.

export interface EditedBy {
  readonly agent: string;
  readonly session?: string | undefined;
  readonly tool: string;
  readonly cwd: string;
}

/** Why nothing more is kept for undo without a question; undefined: there is room. `FULL` in `undo/limits.ts` notes it. */
export function undoProblem(stateAt: string): string | undefined {
  return statSync(`${stateAt}/runs/full`, { throwIfNoEntry: false }) === undefined
    ? undefined
    : "what is kept for undo is at its limit: `assent runs clean` makes room";
}

/** What is kept in the folder of runs; without a native part, which `undo/limits.ts` needs. */
export function storedBytes(runs: string): { readonly count: number; readonly bytes: number } {
  let count = 0;
  let bytes = 0;
  for (const id of namesIn(runs)) {
    if (!namesIn(`${runs}/${id}`).includes("meta.json")) continue;
    count += 1;
    for (const name of namesIn(`${runs}/${id}/kept`)) {
      const stat = lstatSync(`${runs}/${id}/kept/${name}`, { throwIfNoEntry: false });
      bytes += stat === undefined || stat.nlink > 1 ? 0 : stat.blocks * 512;
    }
  }
  return { count, bytes };
}

/** As a supervised run copies at most of one file (`DEFAULT_CAPS`). */
const LARGEST = 64 << 20;
/** Paths in one call. */
const MOST = 500;

/** What cannot be kept, in words that continue "it cannot be taken back: ". */
class Unkept extends Error {}

/**
 * Keeps what a tool is about to change, or says why that cannot be done. `paths`: absolute, as they were judged; `deleted` are those that
 * the tool takes away.
 */
export function keepEdit(
  machine: Machine,
  by: EditedBy,
  paths: readonly string[],
  deleted: ReadonlySet<string>,
  now = Date.now(),
): string | undefined {
  const started = inOrder(now);
  if (machine.platform !== "linux") return "only Linux has an undo";
  if (paths.length > MOST) return `it changes more than ${MOST} files at once`;
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const full = undoProblem(state.folder);
  if (full !== undefined) return full;
  let folder: string | undefined;
  try {
    const { path, id } = newFolder(`${state.folder}/runs`, started);
    folder = path;
    const before = new Keeper(folder).keep(paths, deleted);
    if (before.length === 0) {
      rmSync(folder, { recursive: true, force: true });
      return undefined;
    }
    const { agent, session, tool, cwd } = by;
    const edit = { agent, ...(session === undefined ? {} : { session }), tool };
    const edited: EditBefore = { time: started, paths: before };
    const bytes = before.reduce((sum, { key, is }) => sum + (key === undefined ? 0 : (is?.[3] ?? 0)), 0);
    const meta = { id, argv: [tool, ...paths.slice(0, 20)], cwd, started, ended: started, exit: { by: "exit", code: 0 }, bytes, edit };
    writeNew(`${folder}/edit.json`, JSON.stringify(edited));
    // Last: what has none is no record.
    writeNew(`${folder}/meta.json`, `${JSON.stringify(meta)}\n`);
    return undefined;
  } catch (error) {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    if (error instanceof Unkept) return error.message;
    const { code = "an error" } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
    return code === "ENOSPC" || code === "EDQUOT"
      ? "the disk that holds Assent's records is full"
      : `keeping what is there failed (${code})`;
  }
}

let lastStarted = 0;

/** Milliseconds: of edits in one millisecond each is later than the one before, as undo takes them back newest first. */
function inOrder(now: number): number {
  lastStarted = Math.floor(lastStarted) === now ? lastStarted + 1 / 1024 : now;
  return lastStarted;
}

/** As `newRunId`. */
function newFolder(runs: string, now: number): { readonly path: string; readonly id: string } {
  const time = new Date(now).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  for (let tries = 0; ; tries += 1) {
    const id = `${time}-${Math.floor(Math.random() * 0x1_000_000)
      .toString(16)
      .padStart(6, "0")}`;
    const path = `${runs}/${id}`;
    try {
      mkdirSync(path, { mode: 0o700 });
      return { path, id };
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (tries > 3 || (code !== "EEXIST" && code !== "ENOENT")) throw error;
      if (code === "ENOENT") mkdirSync(runs, { mode: 0o700, recursive: true });
    }
  }
}

function writeNew(path: string, text: string | Buffer): void {
  writeFileSync(path, text, { mode: 0o600, flag: "wx" });
}

class Keeper {
  readonly #folder: string;
  readonly #before = new Map<string, PathBefore>();
  #next = 1;

  constructor(folder: string) {
    this.#folder = folder;
  }

  keep(paths: readonly string[], deleted: ReadonlySet<string>): readonly PathBefore[] {
    for (const path of paths) this.#path(path, deleted.has(path), 0);
    return [...this.#before.values()].sort((a, b) => depth(a.path) - depth(b.path));
  }

  #path(given: string, goes: boolean, links: number): void {
    if (links > 40) throw new Unkept("its path leads in a circle");
    const path = this.#canonical(given);
    if (this.#before.has(path)) return;
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    const more = goes ? { goes } : {};
    if (stat === undefined) this.#before.set(path, { path, ...more });
    else if (stat.isSymbolicLink()) {
      const text = readlinkSync(path);
      this.#before.set(path, { path, is: recordOf(stat), text, ...more });
      // Most tools write to what it leads to, others put a file into its place.
      this.#path(text.startsWith("/") ? text : `${parentOf(path)}/${text}`, false, links + 1);
    } else if (stat.isFile()) this.#before.set(path, { ...this.#file(path), ...more });
    else if (!stat.isDirectory()) throw new Unkept("it is not a regular file");
    else this.#before.set(path, { path, is: recordOf(stat) });
  }

  /** The path without links on the way, folders that are not there noted. */
  #canonical(path: string): string {
    const parent = parentOf(path);
    const name = baseName(path);
    if (name === "" || name === "." || name === "..") throw new Unkept("its path cannot be followed");
    let real: string;
    try {
      real = realpathSync.native(parent);
    } catch (error) {
      const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (!missing || parent === "/") throw error;
      real = this.#canonical(parent);
      // A link that leads nowhere.
      if (lstatSync(real, { throwIfNoEntry: false }) !== undefined) throw new Unkept("a folder on its path leads nowhere");
      this.#before.set(real, { path: real });
      return joinPath(real, name);
    }
    if (real !== "/" && !this.#before.has(real)) this.#before.set(real, { path: real, is: recordOf(lstatSync(real, { bigint: true })) });
    return joinPath(real, name);
  }

  #file(path: string): PathBefore {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = fstatSync(fd, { bigint: true });
      // A folder on the way may have become a link since.
      if (!stat.isFile() || readlinkSync(`/proc/self/fd/${fd}`) !== path)
        throw new Unkept("its path leads elsewhere from one moment to the next");
      if (stat.size > LARGEST) throw new Unkept(`it has ${stat.size >> 20n} MB, more than undo copies of one file (${LARGEST >> 20} MB)`);
      const is = recordOf(stat);
      if (stat.size === 0n) return { path, is };
      const bytes = readFileSync(fd);
      const after = fstatSync(fd, { bigint: true });
      if (after.mtimeNs !== stat.mtimeNs || BigInt(bytes.length) !== stat.size) throw new Unkept("somebody else is writing to it");
      const key = this.#next;
      this.#next += 1;
      if (key === 1) mkdirSync(`${this.#folder}/kept`, { mode: 0o700 });
      writeNew(`${this.#folder}/kept/${key}`, bytes);
      return { path, is, key };
    } finally {
      closeSync(fd);
    }
  }
}

const depth = (path: string): number => path.split("/").length;

/** As `statx` says it: a device number is two, an inode number of more than 32 bits is told as two words. */
function recordOf(stat: BigIntStats): StatRecord {
  const high = stat.ino >> 32n;
  const low = stat.ino & 0xffff_ffffn;
  const [major, minor] = deviceOf(stat.dev);
  const id = `${major}:${minor}:${high === 0n ? "" : `${high}.`}${low}`;
  const times = [stat.atimeNs, stat.mtimeNs, stat.ctimeNs].map(timeOf);
  const [atime = NEVER, mtime = NEVER, ctime = NEVER] = times;
  const owner = [Number(stat.uid), Number(stat.gid)] as const;
  return [
    Number(stat.mode),
    ...owner,
    Number(stat.size),
    Number(stat.nlink),
    id,
    atime,
    mtime,
    ctime,
    deviceOf(stat.rdev),
    timeOf(stat.birthtimeNs),
  ];
}

const NEVER = [0, 0] as const;
const SECOND = 1_000_000_000n;

function timeOf(nanoseconds: bigint): readonly [number, number] {
  const rest = ((nanoseconds % SECOND) + SECOND) % SECOND;
  return [Number((nanoseconds - rest) / SECOND), Number(rest)];
}

/** makedev(3) */
function deviceOf(device: bigint): readonly [number, number] {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn & 0xffff_ffffn);
  return [Number(major), Number(minor)];
}
