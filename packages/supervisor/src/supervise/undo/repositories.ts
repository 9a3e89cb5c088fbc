import { attempt, shellWord } from "@assent/core/data";
import { pathNow } from "./moved.ts";
import type { MovedFolder } from "./run-folder.ts";
import { readFileSync } from "node:fs";
import { isWithin } from "@assent/core/path";
import type { After, NotUndone } from "./after.ts";
import { keptPath, type PreImage } from "./journal.ts";
import { ObjectCheck } from "./objects.ts";
import {
  changedUnit,
  headOf,
  lacksObjects,
  looksLikeObject,
  objectFiles,
  ownerOf,
  partOf,
  readRepositories,
  type RepositoryPart,
  textOf,
  touchedSince,
  type UnitRecord,
  Units,
} from "./repository.ts";
import { statSafe } from "./safe.ts";
import type { Replay, TreeEntry } from "./tree.ts";

export interface RepositoryOptions {
  /** Of the runs, oldest first. */
  readonly folders: readonly string[];
  /** Only what lies at or below one of these; empty: everything. */
  readonly paths: readonly string[];
  /** Repositories that were found to be in the way of a plan, and why. */
  readonly held: ReadonlyMap<string, string>;
  readonly moved?: MovedFolder | undefined;
}

interface RepositoryUnit {
  readonly root: string;
  /** Nothing in it is undone but what brings objects back. */
  why: string | undefined;
  /** An undo before this one has brought it back already. */
  back: boolean;
}

/**
 * What becomes of one name in a repository:
 * - `held`: it stays, as everything in that repository does;
 * - `stays`: an object that the run made, which is never removed as long as it is what its name says, or something that means nothing;
 * - `settled`: what is there now is what the run left, whatever its times say;
 * - `object`: an object that the run removed or changed: brought back first, also where the repository is held.
 */
type Fate = "held" | "stays" | "settled" | "object";

/** The repositories that a run touched: which go back, whole, and which are left alone. */
export class Repositories {
  readonly #fates = new Map<TreeEntry, Fate>();
  readonly #units = new Map<string, RepositoryUnit>();
  readonly #of = new Map<TreeEntry, RepositoryUnit>();
  readonly #noise = new Set<TreeEntry>();
  readonly #objects = new ObjectCheck();
  readonly #records: ReadonlyMap<string, UnitRecord>;
  readonly #before = new Map<string, TreeEntry>();
  readonly #there = new Map<string, TreeEntry>();
  readonly #folder: string;

  constructor({ touched: all }: Replay, after: After, { folders: runs, paths, held, moved }: RepositoryOptions) {
    this.#folder = runs.at(-1) ?? "";
    this.#records = new Map(
      runs.flatMap(readRepositories).map((record) => [pathNow(record.root, moved), { ...record, root: pathNow(record.root, moved) }]),
    );
    const touched = [...all].filter(({ stays }) => stays === undefined);
    const folders = new Set<string>();
    for (const entry of touched) {
      if (entry.origin !== undefined) {
        this.#before.set(entry.before, entry);
        if (!entry.alive || entry.moved)
          for (let at = entry.origin.parent; at.parent !== undefined; at = at.origin?.parent ?? at.parent) folders.add(at.before);
        if (entry.kind === "directory") folders.add(entry.before);
      }
      if (entry.alive) this.#there.set(entry.path, entry);
    }
    const gone = (path: string): boolean => this.#before.has(path);
    const units = new Units({ has: gone, folder: (path) => folders.has(path) }, new Set(this.#records.keys()));
    for (const entry of touched) {
      if (entry.parent === undefined) continue;
      const { path, kind } = entry;
      const isFolder = kind === "directory";
      const root = units.of(path, isFolder) ?? (entry.moved || !entry.alive ? units.of(entry.before, isFolder) : undefined);
      if (root === undefined) {
        if (entry.made && entry.alive && looksLikeObject(path) && !this.#isFalse(entry)) this.#fates.set(entry, "stays");
        continue;
      }
      let unit = this.#units.get(root);
      if (unit === undefined) this.#units.set(root, (unit = { root, why: held.get(root), back: false }));
      this.#of.set(entry, unit);
    }
    for (const unit of this.#units.values()) unit.why ??= this.#inTheWay(unit, after, paths);
    // What works on one folder together (jj and git) is undone together.
    for (const unit of this.#units.values()) {
      if (unit.why !== undefined) continue;
      const beside = (other: RepositoryUnit): boolean =>
        folderOf(other.root) === folderOf(unit.root) && isWorkingCopy(other.root) && isWorkingCopy(unit.root);
      const other = [...this.#units.values()].find((one) => one.why !== undefined && beside(one));
      if (other !== undefined) unit.why = `goes with ${other.root}, which ${other.why ?? ""}`;
    }
    for (const [entry, unit] of this.#of) this.#decide(entry, unit);
  }

  fate(entry: TreeEntry): Fate | undefined {
    return this.#fates.get(entry);
  }

  /** A folder of objects: any will do. */
  isForObjects(entry: TreeEntry): boolean {
    const fate = this.#fates.get(entry);
    return entry.kind === "directory" && (fate === "object" || fate === "stays");
  }

  /** What is left alone in a repository is said once. */
  isSilent(entry: TreeEntry): boolean {
    return this.#of.has(entry) || this.#fates.get(entry) === "stays";
  }

  /** Repositories that cannot go back whole, after a plan was made that leaves these names alone. */
  broken(held: ReadonlyMap<TreeEntry, string>): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const [entry, why] of held) {
      const unit = this.#of.get(entry);
      const fate = this.#fates.get(entry);
      if (unit === undefined || unit.why !== undefined || unit.back || fate === "stays" || this.#noise.has(entry)) continue;
      if (!found.has(unit.root)) found.set(unit.root, `cannot go back whole (${entry.before.slice(unit.root.length + 1) || "it"} ${why})`);
    }
    return found;
  }

  /** `chosen`: a name is in what the person wants undone. */
  refusals(chosen: (entry: TreeEntry) => boolean): readonly NotUndone[] {
    const wanted = new Set<RepositoryUnit>();
    for (const [entry, unit] of this.#of)
      if (unit.why !== undefined && chosen(entry) && this.#fates.get(entry) === "held") wanted.add(unit);
    return [...wanted].map(({ root, why = "" }) => ({ path: root, why: `${why}: nothing in it was undone${this.#wayOut(root)}` }));
  }

  #inTheWay(unit: RepositoryUnit, after: After, paths: readonly string[]): string | undefined {
    const { root } = unit;
    const covers = (path: string): boolean => isWithin(root, path);
    if (paths.length > 0 && !paths.some(covers) && paths.some((path) => path.startsWith(`${root}/`)))
      return "is a repository, which goes back as a whole or not at all";
    if ([...this.#of].some(([entry, its]) => its === unit && entry.foreign && partOf(root, entry.path) === "state"))
      return "was changed by somebody else while the run went on";
    const record = this.#records.get(root);
    const why = record === undefined ? this.#unrecorded(root, after) : changedUnit(record);
    if (why === undefined) return this.#strange(root, after);
    unit.back = this.#isBack(root);
    return unit.back ? undefined : why;
  }

  #unrecorded(root: string, after: After): string | undefined {
    if (typeof statSafe(root) === "number") return undefined;
    if (!after.sealed) return touchedSince(root, after.lastAlive);
    // The run took it away.
    return this.#before.get(root)?.alive === false ? "was made anew since" : touchedSince(root, after.lastAlive);
  }

  /** Every file of it that the run changed is as it was before: an undo before this one. */
  #isBack(root: string): boolean {
    for (const [entry, unit] of this.#of) {
      if (unit.root !== root || entry.kind === "directory") continue;
      const path = entry.origin === undefined ? entry.path : entry.before;
      if (partOf(root, path) !== "state") continue;
      if (entry.made && this.#before.has(path)) continue;
      if ((entry.made ? undefined : this.#textBefore(path)) !== textOf(path)) return false;
    }
    return true;
  }

  /** A git folder that the run made would go with its objects: not with such as somebody has put there since. */
  #strange(root: string, after: After): string | undefined {
    const owners = new Set<string>();
    for (const [entry, unit] of this.#of)
      if (unit.root === root && entry.made && partOf(root, entry.path) === "object") owners.add(ownerOf(entry.path));
    for (const owner of owners) {
      if (!this.#isMade(owner)) continue;
      for (const file of objectFiles(owner)) if (after.entries.get(file)?.is === undefined) return "has objects that were made since";
    }
    return undefined;
  }

  #isMade = (folder: string): boolean => this.#there.get(folder)?.made === true;

  #decide(entry: TreeEntry, { root, why, back }: RepositoryUnit): void {
    const inside = entry.path.startsWith(`${root}/`) ? entry.path : entry.before;
    const part: RepositoryPart = inside.startsWith(`${root}/`) ? partOf(root, inside) : "state";
    if (part === "noise") this.#noise.add(entry);
    if (part === "object" && !(entry.made && this.#isMade(ownerOf(inside)) && why === undefined)) {
      if (!this.#isFalse(entry)) this.#fates.set(entry, this.#isWanted(entry) ? "object" : "stays");
      return;
    }
    if (why !== undefined) this.#fates.set(entry, "held");
    else if (part !== "noise" && !back) this.#fates.set(entry, "settled");
  }

  /** The run made it, and it is not the object that it is called, or can be made again: nobody needs it. */
  #isFalse = ({ made, alive, kind, path }: TreeEntry): boolean =>
    made && alive && kind !== "directory" && this.#objects.of(path) !== "sound";

  /** An object that was there before, and is not now, or has other bytes. */
  #isWanted(entry: TreeEntry): boolean {
    if (entry.made) return false;
    if (entry.alive && !entry.moved) return entry.inode?.content !== undefined;
    return typeof statSafe(entry.before) === "number";
  }

  /** The command of the repository itself that takes back what the run did. */
  #wayOut(root: string): string {
    const record = this.#records.get(root);
    // What was there before may have been thrown away since.
    if (record === undefined || lacksObjects(record)) return "";
    const end = record.head;
    const now = headOf((path) => textOf(`${root}/${path}`));
    const before = headOf((path) => this.#textBefore(`${root}/${path}`));
    if (end?.oid === undefined || before.oid === undefined || before.oid === end.oid || before.ref !== end.ref) return "";
    const git = root.endsWith("/.git") ? `git -C ${shellWord(folderOf(root))}` : `git --git-dir=${shellWord(root)}`;
    if (now.ref === end.ref && now.oid === end.oid) return `; to take its commits back: ${git} reset --soft ${before.oid}`;
    const log = textOf(`${root}/logs/${end.ref ?? "HEAD"}`)?.split("\n") ?? [];
    const from = log.findIndex((line) => line.startsWith(before.oid ?? ""));
    const to = log.findLastIndex((line) => line.split(" ")[1] === end.oid);
    const isPlain = (line: string): boolean => /\t(?:commit(?: \((?:merge|initial)\))?|merge [^:]*|pull[^:]*|cherry-pick):/.test(line);
    return from >= 0 && to >= from && log.slice(from).every((line) => line === "" || isPlain(line))
      ? `; to take its commits back: ${git} revert --no-edit ${before.oid}..${end.oid}`
      : `; what was there before is ${before.oid}: ${git} branch before-the-run ${before.oid}`;
  }

  /** A file as it was before the run. */
  #textBefore(path: string): string | undefined {
    const entry = this.#before.get(path);
    if (entry === undefined) return this.#there.get(path)?.made === true ? undefined : textOf(path);
    const image = entry.inode?.content ?? entry.removed;
    if (image !== undefined) return this.#textOf(image);
    return textOf(entry.path);
  }

  #textOf(image: PreImage): string | undefined {
    const { is, key, text } = image;
    if (text !== undefined || is === undefined) return text;
    if (is[3] === 0) return "";
    return attempt(() => (key === undefined ? undefined : readFileSync(keptPath(image, this.#folder), "utf8")), undefined);
  }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const isWorkingCopy = (root: string): boolean => /\/\.(?:git|jj|hg|svn)$/.test(root);
