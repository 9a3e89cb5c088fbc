import { closeSync, constants, existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { attempt, parseObject } from "@assent/core/data";
import { ensureFolder, type Machine, readRegular, stateFolder, writeAtomic } from "@assent/guard/state";
import {
  AT_REMOVEDIR,
  ERRNO,
  LOCK,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  openLocked,
  pathBytes,
  RENAME_NOREPLACE,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import type { ConfinedCommand, Exit, RunEvent } from "../types.ts";
import { isRunning, type RunFolder } from "../undo/index.ts";
import { requireSuccess } from "../undo/keep.ts";
import { cTextAddress, openOwnFolder } from "../undo/safe.ts";
import type { ViewPlace } from "./plan.ts";

/**
 * Where a tried run is: `running`; `kept`, looked at or not, nothing of it applied; `applying`, some of it may be; `applied`; `dropped`.
 * A record that says `running` whose lock is free was killed, and is as good as kept.
 */
export type TriedState = "running" | "kept" | "applying" | "applied" | "dropped";

/** The records of a tried run: `$XDG_STATE_HOME/assent/tried/ID/`: `meta.json`, the layers of its places, `scan.json` once it is applied. */
export interface TriedMeta {
  readonly id: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly started: number;
  readonly ended?: number;
  readonly exit?: Exit;
  /** Hosts that it has talked to. */
  readonly reached?: readonly string[];
  /** What it was refused meanwhile, a line each. */
  readonly refused?: readonly string[];
  readonly caches?: TriedCaches;
  /** How its start was judged, where it was begun by a plan that was kept. */
  readonly start?: RunEvent;
  /** Those that were thrown away. */
  readonly dropped?: readonly string[];
  readonly state: TriedState;
  readonly ofAgent: boolean;
  readonly confined?: TriedConfined;
  readonly policyFiles: readonly string[];
  readonly places: readonly TriedPlace[];
  /** A file that was about to be written in its place when applying was last heard of. */
  readonly writing?: string;
}

/** A command that a host runs sandboxed; `root`: where its session started. */
export interface TriedConfined extends ConfinedCommand {
  readonly root: string;
}

/** What tools keep for themselves at home (try/caches.ts). */
export interface TriedCaches {
  /** Files and folders, and beginnings of names (`*`). */
  readonly places: readonly string[];
  /** Those among them in which every program of the run may write. */
  readonly own: readonly string[];
}

/** `stamp`: the file system's own time when nothing of it had begun; whatever was changed there later was changed by others. */
export interface TriedPlace extends ViewPlace {
  readonly stamp: readonly [seconds: number, nanoseconds: number];
}

const isEmpty = (folder: string): boolean => attempt(() => readdirSync(pathBytes(folder)).length === 0, false);

const ID = /^[0-9a-z][0-9a-z-]{7,63}$/;
const MAX_META = 1 << 22;

export const triedFolder = (machine: Machine): string => `${stateFolder(machine)}/tried`;

/** Takes a tried run for oneself; undefined: somebody has it. */
export class HeldTry {
  readonly folder: string;
  #meta: TriedMeta;
  readonly #lock: number;

  private constructor(folder: string, meta: TriedMeta, lock: number) {
    this.folder = folder;
    this.#meta = meta;
    this.#lock = lock;
  }

  /** Throws where its folder cannot be made. */
  static make(machine: Machine, meta: TriedMeta): HeldTry {
    const folder = `${triedFolder(machine)}/${meta.id}`;
    ensureFolder(folder);
    const held = HeldTry.#take(folder, meta);
    if (held === undefined) throw new Error(`${folder} is in use`);
    for (const name of ["blank", "layers", "layers/aside", "layers/dropped"]) mkdirSync(`${folder}/${name}`, { mode: 0o700 });
    held.note({});
    return held;
  }

  static take(machine: Machine, id: string): HeldTry | undefined {
    const meta = readTried(machine, id);
    return meta === undefined ? undefined : HeldTry.#take(`${triedFolder(machine)}/${id}`, meta);
  }

  /** Of one that goes on: `lock` is its own, from the process that began it. */
  static adopt(machine: Machine, id: string, lock: number): HeldTry {
    const meta = readTried(machine, id);
    if (meta?.state !== "running" || sys(SYSCALLS.flock, lock, LOCK.EX | LOCK.NB) < 0) throw new Error(`${id} is not this command`);
    return new HeldTry(`${triedFolder(machine)}/${id}`, meta, lock);
  }

  static #take(folder: string, meta: TriedMeta): HeldTry | undefined {
    const lock = openLocked(`${folder}/lock`, constants.O_RDWR | constants.O_CREAT);
    return lock === undefined ? undefined : new HeldTry(folder, meta, lock);
  }

  get meta(): TriedMeta {
    return this.#meta;
  }

  get lock(): number {
    return this.#lock;
  }

  /** Of the program, as a shell says it. */
  get status(): number {
    const { exit } = this.#meta;
    return exit === undefined ? 137 : exit.by === "exit" ? exit.code : 128 + exit.signal;
  }

  /** Nothing lies in its layers. */
  get isUntouched(): boolean {
    return this.#meta.places.every(({ upper, mode }) => isEmpty(upper) && lstatSync(upper).mode === mode);
  }

  /** It has reached others, or was refused something: a person is told. */
  get hasTalked(): boolean {
    const { reached = [], refused = [] } = this.#meta;
    return reached.length + refused.length > 0;
  }

  note(facts: Partial<TriedMeta>): void {
    this.#meta = { ...this.#meta, ...facts };
    writeAtomic(`${this.folder}/meta.json`, `${JSON.stringify(this.#meta)}\n`);
  }

  /** Nothing of it is kept any more, nor are folders that were made for caches, if they are empty. */
  discard(): void {
    for (const { path, cache } of this.#meta.places) if (cache === "made" && isEmpty(path)) rmdirSync(pathBytes(path));
    // Half of its layers must not be taken for what it did. On a full disk there is no room to say so.
    if (!isSettled(this.#meta)) attempt(() => this.note({ state: "dropped" }), undefined);
    if (existsSync(`${this.folder}/layers`)) removeTree(`${this.folder}/layers`);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Removes a folder with everything in it. A program may have left folders that nobody may look into, and paths longer than the kernel
 * takes: each folder inside moves up beside the first one before its parent goes. Throws `KernelError`, or what Node throws.
 */
export function removeTree(path: string): void {
  const top = openOwnFolder(path);
  try {
    let moved = 0;
    for (let folders = namesIn(top); folders.length > 0; folders = namesIn(top)) {
      for (const { name, isFolder } of folders) {
        const at = cTextAddress(name);
        if (!isFolder) {
          requireGone("unlinkat", sys(SYSCALLS.unlinkat, top, at, 0));
          continue;
        }
        sys(SYSCALLS.fchmodat, top, at, 0o700);
        const inside = requireGone("openat", sys(SYSCALLS.openat, top, at, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
        if (inside < 0) continue;
        for (const entry of namesIn(inside)) {
          const below = cTextAddress(entry.name);
          if (entry.isFolder) {
            sys(SYSCALLS.fchmodat, inside, below, 0o700);
            const to = cTextAddress(`moved ${process.pid} ${++moved}`);
            requireGone("renameat2", sys(SYSCALLS.renameat2, inside, below, top, to, RENAME_NOREPLACE));
          } else requireGone("unlinkat", sys(SYSCALLS.unlinkat, inside, below, 0));
        }
        closeSync(inside);
        requireGone("unlinkat", sys(SYSCALLS.unlinkat, top, at, AT_REMOVEDIR));
      }
    }
  } finally {
    closeSync(top);
  }
  rmdirSync(path);
}

/** The kernel takes its own files out of a layer's work folder when it gets to the end of the view, which may be now. */
const requireGone = (call: string, result: number): number => (result === -ERRNO.ENOENT ? result : requireSuccess(call, result));

const namesIn = (fd: number): readonly { readonly name: Buffer; readonly isFolder: boolean }[] =>
  readdirSync(`/proc/self/fd/${fd}`, { withFileTypes: true, encoding: "buffer" }).map((entry) => ({
    name: entry.name,
    isFolder: entry.isDirectory(),
  }));

export function readTried(machine: Machine, id: string): TriedMeta | undefined {
  if (!ID.test(id)) return undefined;
  const found = readRegular(`${triedFolder(machine)}/${id}/meta.json`, MAX_META);
  if (found.is !== "text") return undefined;
  const value = parseObject(found.text);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Assent's own file, in a folder nobody else may write
  return Array.isArray(value?.["argv"]) && Array.isArray(value["places"]) ? (value as unknown as TriedMeta) : undefined;
}

/** Another tried run that is going on, or being applied, and may change what lies there. */
export const goesOnIn = (machine: Machine, path: string, own: string): boolean =>
  listTried(machine).some(
    ({ id, places }) => id !== own && places.some((place) => place.path === path) && isRunning(`${triedFolder(machine)}/${id}`),
  );

const isSettled = ({ state }: TriedMeta): boolean => state === "applied" || state === "dropped";

/** Every tried run that is still there, oldest first. One that was killed while it was taken away is taken away whole. */
export function listTried(machine: Machine): readonly TriedMeta[] {
  const names = attempt(() => readdirSync(triedFolder(machine)), []);
  const found = names.flatMap((id) => readTried(machine, id) ?? []);
  for (const meta of found) if (isSettled(meta)) HeldTry.take(machine, meta.id)?.discard();
  return found.filter((meta) => !isSettled(meta)).sort((a, b) => a.started - b.started);
}

/** What `assent receipt` is told of it. */
export const runMeta = ({ id, argv, cwd, started, policyFiles, confined }: TriedMeta): ConstructorParameters<typeof RunFolder>[1] => ({
  id,
  argv,
  cwd,
  started,
  ...(policyFiles.length === 0 ? {} : { policyFiles }),
  ...(confined && { confined }),
});
