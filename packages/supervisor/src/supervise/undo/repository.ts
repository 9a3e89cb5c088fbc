import { createHash } from "node:crypto";
import { closeSync, constants, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { readGitIndex } from "@assent/guard/engine";
import { baseName } from "@assent/core/path";
import { pathBytes, pathText } from "../kernel/index.ts";
import { openSafe, statSafe } from "./safe.ts";
import { kindOf, milliseconds, type ObjectStat, sameTime, type Time } from "./stat.ts";
import type { Replay, TreeEntry } from "./tree.ts";

/**
 * What git's index says, without what it remembers of the files on the disk (times, inode numbers): that is written anew by
 * every `git status`. Undefined where it is not fully understood.
 */
function meantByIndex(bytes: Buffer): Buffer | undefined {
  const index = readGitIndex(bytes);
  // Lower case: git itself refuses what it does not know (`link`: a split index, whose entries are elsewhere).
  if (index?.extensions.every(({ kind }) => /^(?:[A-Z]|sdir)/.test(kind)) !== true) return undefined;
  // `REUC`: a conflict that was resolved.
  const resolved = index.extensions.flatMap(({ kind, bytes: said }) => (kind === "REUC" ? [said] : []));
  return Buffer.concat([...index.entries.flatMap(({ mode, rest }) => [mode, rest]), ...resolved]);
}

/**
 * A repository is undone as a unit. Its refs, index and logs name objects of one another, so that taking some of its files
 * back under what somebody has made since would break it. The unit is the outermost git folder (`.git`, a bare repository,
 * one that GIT_DIR names), with its worktrees and submodules; `.hg`, `.jj` and `.svn` are units too.
 */
const FOLDERS = new Set([".hg", ".jj", ".svn"]);

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const isFolder = (path: string): boolean => kindAt(path) === "directory";
const kindAt = (path: string): string | undefined => {
  const stat = statSafe(path);
  return typeof stat === "number" ? undefined : kindOf(stat.mode);
};

/** What is not on the disk any more, or not yet again. */
interface Gone {
  /** Was there before the run. */
  readonly has: (path: string) => boolean;
  readonly folder: (path: string) => boolean;
}
const NOTHING_GONE: Gone = { has: () => false, folder: () => false };

/** Says which repository a path lies in. */
export class Units {
  readonly #gone: Gone;
  readonly #known: ReadonlySet<string>;
  readonly #of = new Map<string, string | undefined>([["", undefined]]);

  /** `known`: roots that were found when the run ended. */
  constructor(gone: Gone = NOTHING_GONE, known: ReadonlySet<string> = new Set()) {
    this.#gone = gone;
    this.#known = known;
  }

  /** Root of the repository that the thing at `path` is part of, itself included. */
  of(path: string, folder: boolean): string | undefined {
    return folder && path !== "" ? this.#folder(path) : (this.#folder(parentOf(path)) ?? this.#linked(path));
  }

  #folder(folder: string): string | undefined {
    if (this.#of.has(folder)) return this.#of.get(folder);
    const above = this.#folder(parentOf(folder));
    let found: string | undefined;
    if (above === undefined) found = this.#isRoot(folder) ? folder : undefined;
    // Files of a worktree that lies inside a bare repository are files like any others.
    else if (!this.#exists(`${folder}/.git`)) found = above;
    this.#of.set(folder, found);
    return found;
  }

  #isRoot(folder: string): boolean {
    if (this.#known.has(folder)) return true;
    const name = baseName(folder);
    if (name === ".git" || FOLDERS.has(name)) return isFolder(folder) || this.#gone.folder(folder);
    // gitrepository-layout(5): what git itself takes for a repository.
    return this.#exists(`${folder}/HEAD`) && this.#exists(`${folder}/objects`) && this.#exists(`${folder}/refs`);
  }

  #exists(path: string): boolean {
    return this.#gone.has(path) || typeof statSafe(path) !== "number";
  }

  /** The `.git` file of a worktree or submodule goes with the repository that it names (gitrepository-layout(5)). */
  #linked(path: string): string | undefined {
    if (baseName(path) !== ".git") return undefined;
    const named = /^gitdir: (.+)\n?$/.exec(textOf(path) ?? "")?.[1];
    if (named === undefined) return undefined;
    const parts: string[] = [];
    for (const part of (named.startsWith("/") ? named : `${parentOf(path)}/${named}`).split("/"))
      if (part === "..") parts.pop();
      else if (part !== "." && part !== "") parts.push(part);
    return this.#folder(`/${parts.join("/")}`);
  }
}

/** Kept by name of their content, and needed by whoever names them: never removed while the repository stays. */
const OBJECTS = /^\/(?:(?:(?:modules|worktrees)\/.+?|repo\/store\/git|lfs|annex)\/)?objects(?:\/(.*))?$/;
/** As above, where a repository keeps its objects elsewhere (GIT_OBJECT_DIRECTORY). */
const LOOSE = /\/(?:[0-9a-f]{2}\/(?:[0-9a-f]{38}|[0-9a-f]{62})|pack\/pack-[0-9a-f]{40,64}\.\w+)$/;
/** Says what was done last, and controls nothing. */
const NOISE = new RegExp(
  String.raw`(?:^|\/)(?:FETCH_HEAD|ORIG_HEAD|AUTO_MERGE|COMMIT_EDITMSG|SQUASH_MSG|gc\.(?:log|pid)|gitk\.cache|` +
    String.raw`fsmonitor--daemon(?:\.ipc|\/.*)?|\.watchman-cookie-[^/]*|lfs\/(?:cache|tmp|logs)(?:\/.*)?)$`,
);

export type RepositoryPart = "object" | "noise" | "state";

export function partOf(root: string, path: string): RepositoryPart {
  const rest = path.slice(root.length);
  const objects = OBJECTS.exec(rest);
  if (objects !== null) return objects[1] === "info/alternates" ? "state" : "object";
  return NOISE.test(rest) ? "noise" : "state";
}

export const looksLikeObject = (path: string): boolean => LOOSE.test(path);

/** The git folder whose objects these are. */
export const ownerOf = (object: string): string => object.slice(0, object.lastIndexOf("/objects"));

/** One file of a repository, as the run left it. `sum`: of its content, where it was read. */
type FileRecord = readonly [id: string, size: number, mtime: Time, ctime: Time, sum?: string];

export interface UnitRecord {
  readonly root: string;
  /** By path below `root`. */
  readonly files: Readonly<Record<string, FileRecord>>;
  /** Objects that were there, by folder: the first digits of their names. */
  readonly objects: Readonly<Record<string, string>>;
  readonly head?: GitHead;
}

/** Where HEAD leads. */
interface GitHead {
  readonly ref?: string;
  readonly oid?: string;
}

const DIGITS = 8;
/** More files than this are told apart by their times alone. */
const MOST_READ = 5000;
const MOST_BYTES = 64 << 20;
const FILE = "repositories.json";

/** Notes how the run leaves every repository that it touched. Throws where that cannot be written. */
export function sealRepositories(folder: string, { touched }: Pick<Replay, "touched">): void {
  const units = new Units();
  const roots = new Set<string>();
  /** Of what lies in a folder, and is none itself: in which repository. */
  const around = new Map<TreeEntry, string | undefined>();
  for (const { parent, name, kind } of touched) {
    if (parent === undefined) continue;
    let root: string | undefined;
    if (kind === "directory" || name === ".git") root = units.of(`${parent.path}/${name}`, kind === "directory");
    else if (around.has(parent)) root = around.get(parent);
    else around.set(parent, (root = units.of(`${parent.path}/${name}`, false)));
    if (root !== undefined) roots.add(root);
  }
  const records = [...roots].filter(isFolder).map(recordOf);
  if (records.length > 0) writeFileSync(`${folder}/${FILE}`, JSON.stringify(records), { mode: 0o600 });
}

export function readRepositories(folder: string): readonly UnitRecord[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Assent's own file, in a folder nobody else may write
  return attempt(() => JSON.parse(readFileSync(`${folder}/${FILE}`, "utf8")) as readonly UnitRecord[], []);
}

function recordOf(root: string): UnitRecord {
  const files: Record<string, FileRecord> = {};
  const objects: Record<string, string> = {};
  const found = [...filesOf(root, (folder) => (objects[folder.slice(root.length)] = namesOf(folder)))];
  for (const [rest, stat] of found) {
    const sum = found.length > MOST_READ ? undefined : sumOf(`${root}${rest}`, stat);
    files[rest] = sum === undefined ? [stat.id, stat.size, stat.mtime, stat.ctime] : [stat.id, stat.size, stat.mtime, stat.ctime, sum];
  }
  return { root, files, objects, head: headOf((path) => textOf(`${root}/${path}`)) };
}

/** All files below but objects, by path below `root`. `onObjects` is told each folder of objects. */
function* filesOf(root: string, onObjects: (folder: string) => void): Generator<readonly [rest: string, stat: ObjectStat]> {
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of listed(`${root}${folder}`)) {
      const rest = `${folder}/${name}`;
      const stat = statSafe(`${root}${rest}`);
      if (typeof stat === "number") continue;
      const part = partOf(root, `${root}${rest}`);
      if (kindOf(stat.mode) !== "directory") {
        if (part === "state") yield [rest, stat];
        continue;
      }
      // A worktree inside a bare repository.
      if (typeof statSafe(`${root}${rest}/.git`) !== "number") continue;
      if (part === "object") onObjects(`${root}${rest}`);
      if (part !== "noise") folders.push(rest);
    }
  }
}

const listed = (folder: string): readonly string[] =>
  attempt(() => readdirSync(pathBytes(folder), { encoding: "buffer" }).map((name) => pathText(name)), []);

/** Names of a folder of objects, shortened: enough to see that one of them is gone. */
const namesOf = (folder: string): string =>
  listed(folder)
    .filter((name) => !name.startsWith("tmp_"))
    .map((name) => short(name))
    .sort()
    .join("");

const short = (name: string): string =>
  name
    .replace(/^pack-/, "")
    .slice(0, DIGITS)
    .padEnd(DIGITS, "-");

function sumOf(path: string, { size, mode }: ObjectStat): string | undefined {
  if (kindOf(mode) !== "file" || size > MOST_BYTES) return undefined;
  const bytes = bytesOf(path);
  return bytes === undefined ? undefined : sumOfBytes(path, bytes);
}

/** The sum of what the file `path` of a repository means, when these are its bytes. */
export function sumOfBytes(path: string, bytes: Buffer): string {
  // A look at its files is written into the index, and means nothing.
  const what = baseName(path) === "index" ? (meantByIndex(bytes) ?? bytes) : bytes;
  return createHash("sha256").update(what).digest("hex").slice(0, 32);
}

/** The sums of all files of these repositories, by path. */
export function sumsOf(records: readonly UnitRecord[]): ReadonlyMap<string, string> {
  const sums = new Map<string, string>();
  for (const { root, files } of records)
    for (const [rest, [, , , , sum]] of Object.entries(files)) if (sum !== undefined) sums.set(`${root}${rest}`, sum);
  return sums;
}

/** Repositories that somebody else has changed between two of these runs, and in what way. `paths`: what each run spoke of. */
export function changedBetween(
  runs: readonly { readonly folder: string; readonly paths: ReadonlySet<string> }[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const last = new Map<string, UnitRecord>();
  for (const { folder, paths } of runs)
    for (const record of readRepositories(folder)) {
      const before = last.get(record.root);
      last.set(record.root, record);
      if (before === undefined || found.has(record.root)) continue;
      const own = (rest: string): boolean => paths.has(`${record.root}${rest}`);
      const names = [...new Set([...Object.keys(before.files), ...Object.keys(record.files)])].filter(
        (rest) => !own(rest) && !isSameFile(before.files[rest], record.files[rest]),
      );
      const [first] = names.sort((a, b) => weight(a.slice(1)) - weight(b.slice(1)));
      if (first !== undefined) found.set(record.root, `was changed by somebody else between two of these runs (${first.slice(1)})`);
    }
  return found;
}

function isSameFile(a: FileRecord | undefined, b: FileRecord | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a[4] !== undefined && b[4] !== undefined) return a[4] === b[4];
  return a[0] === b[0] && a[1] === b[1] && sameTime(a[2], b[2]) && sameTime(a[3], b[3]);
}

/** Why the repository is not as the run left it, in words that continue "PATH …"; undefined where it is. */
export function changedUnit({ root, files, objects }: UnitRecord): string | undefined {
  if (!isFolder(root)) return "is gone: moved or deleted since";
  const names: string[] = [];
  const missing = new Set(Object.keys(files));
  for (const [rest, stat] of filesOf(root, () => undefined)) {
    missing.delete(rest);
    if (!isSame(files[rest], stat, `${root}${rest}`)) names.push(rest.slice(1));
  }
  names.push(...[...missing].map((rest) => rest.slice(1)));
  if (names.length > 0) {
    const first = names.sort((a, b) => weight(a) - weight(b) || (a < b ? -1 : 1)).slice(0, 3);
    return `was changed since (${first.join(", ")}${names.length > 3 ? " and more" : ""})`;
  }
  return lacksObjects({ root, objects }) ? "was cleaned up since (objects are gone: `git gc`, `git repack` or `git prune`)" : undefined;
}

/** Objects that were there when the run ended are in other files now, or gone. */
export function lacksObjects({ root, objects }: Pick<UnitRecord, "root" | "objects">): boolean {
  for (const [rest, before] of Object.entries(objects)) {
    const now = namesOf(`${root}${rest}`);
    const there = new Set<string>();
    for (let at = 0; at < now.length; at += DIGITS) there.add(now.slice(at, at + DIGITS));
    for (let at = 0; at < before.length; at += DIGITS) if (!there.has(before.slice(at, at + DIGITS))) return true;
  }
  return false;
}

/** What says most comes first. */
const weight = (name: string): number => (name === "HEAD" ? 0 : name.startsWith("refs/") ? 1 : name === "index" ? 2 : 3);

function isSame(before: FileRecord | undefined, now: ObjectStat, path: string): boolean {
  if (before === undefined) return false;
  const [id, size, mtime, ctime, sum] = before;
  if (id === now.id && size === now.size && sameTime(mtime, now.mtime) && sameTime(ctime, now.ctime)) return true;
  return sum !== undefined && sum === sumOf(path, now);
}

/** As `changedUnit`, of a run that could not note what it left; `last`: its last sign of life, in milliseconds. */
export function touchedSince(root: string, last: number): string | undefined {
  const why = "may have been changed since the run was killed";
  const folders: string[] = [];
  for (const [, stat] of filesOf(root, (folder) => folders.push(folder))) if (milliseconds(stat.ctime) > last) return why;
  const later = folders.some((folder) => {
    const stat = statSafe(folder);
    return typeof stat !== "number" && milliseconds(stat.mtime) > last;
  });
  return later ? why : undefined;
}

/** Files among the objects of a git folder that the run left none of: somebody has put them there since. */
export function* objectFiles(gitFolder: string): Generator<string> {
  const folders = [`${gitFolder}/objects`];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const name of listed(folder)) {
      const path = `${folder}/${name}`;
      const kind = kindAt(path);
      if (kind === "directory") folders.push(path);
      else if (kind !== undefined) yield path;
    }
}

const OID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** `read`: a file of the git folder, by its path in it. */
export function headOf(read: (path: string) => string | undefined): GitHead {
  const text = read("HEAD")?.trim() ?? "";
  if (OID.test(text)) return { oid: text };
  const ref = /^ref: (refs\/.+)$/.exec(text)?.[1];
  if (ref === undefined) return {};
  const loose = read(ref)?.trim();
  const packed = (): string | undefined =>
    read("packed-refs")
      ?.split("\n")
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(" ")[0];
  const oid = loose ?? packed();
  return oid !== undefined && OID.test(oid) ? { ref, oid } : { ref };
}

export const textOf = (path: string): string | undefined => bytesOf(path)?.toString("utf8");

/** Undefined where nothing can be read there without a link on the way. */
export function bytesOf(path: string): Buffer | undefined {
  const fd = openSafe(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (fd < 0) return undefined;
  try {
    return readFileSync(fd);
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
