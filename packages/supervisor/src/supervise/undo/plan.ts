import type { MovedFolder } from "./run-folder.ts";
import { readdirSync } from "node:fs";
import { isWithin } from "@assent/core/path";
import { pathBytes, pathText } from "../kernel/index.ts";
import { type After, type NotUndone, whyNot } from "./after.ts";
import { Disk } from "./check.ts";
import { notKept, type PreImage } from "./journal.ts";
import { Repositories } from "./repositories.ts";
import { statSafe } from "./safe.ts";
import { type KeptStat, kindOf, sameTime } from "./stat.ts";
import type { Inode, Replay, TreeEntry } from "./tree.ts";

/** One thing an undo does, in this order. Paths are those at the time it is done. */
export type UndoStep =
  /** `other`: another name of it that stays. */
  | { readonly do: "delete"; readonly path: string; readonly id: string; readonly folder: boolean; readonly other?: string }
  /** `aside`: for a while, to make room. */
  | { readonly do: "move"; readonly path: string; readonly to: string; readonly id: string; readonly aside?: true }
  /** `from`: another name of the same object, which is there by then. */
  | {
      readonly do: "restore";
      readonly path: string;
      readonly image: PreImage;
      readonly first: KeptStat;
      readonly from?: string;
      /** It had names that are not known. */
      readonly alone?: true;
    }
  | { readonly do: "content"; readonly path: string; readonly image: PreImage }
  /** Mode, owner, attributes and flags unless `timesOnly`; times unless `first.mtime` is not to be set. */
  | {
      readonly do: "attributes";
      readonly path: string;
      readonly first: KeptStat;
      readonly inode?: Pick<Inode, "xattrs" | "flags">;
      readonly times: boolean;
      readonly rest: boolean;
    };

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const depth = (path: string): number => path.split("/").length;

/** Folders that the run closed to their owner are opened before anything is done in them. */
function openFolders(chosen: readonly TreeEntry[], disk: Disk): readonly UndoStep[] {
  const steps: UndoStep[] = [];
  for (const entry of chosen) {
    if (entry.kind !== "directory" || !entry.alive || entry.made || entry.inode?.attributes !== true || disk.held.has(entry)) continue;
    const now = disk.now(entry);
    if (typeof now === "number" || (now.mode & 0o700) === 0o700) continue;
    steps.push({ do: "attributes", path: disk.path(entry), first: { ...now, mode: now.mode | 0o700 }, times: false, rest: true });
  }
  return steps.sort((a, b) => depth(a.path) - depth(b.path));
}

/** A link that the run made may be the only known name of what was there before: its bytes go back before the link goes. */
function restoreThrough(entry: TreeEntry, disk: Disk): readonly UndoStep[] {
  const { inode, path } = entry;
  if (entry.linked === undefined || inode === undefined || (inode.content === undefined && !inode.attributes)) return [];
  for (const name of inode.names) if (!name.made && (name.alive || name.removed !== undefined) && !disk.held.has(name)) return [];
  const { content, first } = inode;
  const bytes: readonly UndoStep[] = content === undefined || content.how === "lost" ? [] : [{ do: "content", path, image: content }];
  return [...bytes, { do: "attributes", path, first, inode, times: true, rest: true }];
}

/** When every name is where it was: bytes, mode, owner, times, attributes. */
function restoreInodes(
  chosen: readonly TreeEntry[],
  disk: Disk,
  restored: ReadonlyMap<TreeEntry, "fresh" | "linked">,
  before: readonly UndoStep[],
): readonly UndoStep[] {
  const parents = new Set(before.flatMap((step) => (step.do === "move" ? [step.path, step.to] : [step.path])).map(parentOf));
  const contents: UndoStep[] = [];
  const attributes: UndoStep[] = [];
  const folders: UndoStep[] = [];
  const seen = new Set<Inode>();
  for (const entry of chosen) {
    const { inode } = entry;
    if (inode === undefined || seen.has(inode) || entry.made || !entry.alive || disk.held.has(entry)) continue;
    const back = restored.get(entry);
    const now = back === undefined ? disk.now(entry) : undefined;
    if (typeof now === "number") continue;
    seen.add(inode);
    const { path } = entry;
    const { first } = inode;
    const settled = now !== undefined && disk.asBefore(entry, now);
    if (entry.kind === "directory") {
      // A folder that somebody else has put something into since keeps the times of that.
      if ((settled && !parents.has(path)) || !(entry.folder || inode.attributes || back !== undefined)) continue;
      const left = disk.left(entry);
      const times = now === undefined || (left === undefined ? !disk.sealed : left.id === now.id && sameTime(left.mtime, now.mtime));
      const rest = now === undefined || inode.attributes;
      if (times || rest) folders.push({ do: "attributes", path, first, inode, times, rest });
      continue;
    }
    if (inode.content !== undefined && back !== "fresh" && !settled) {
      if (inode.content.how === "lost") {
        disk.held.set(entry, notKept(inode.content));
        continue;
      }
      contents.push({ do: "content", path, image: inode.content });
    }
    if (inode.content === undefined && !inode.attributes && back === undefined) continue;
    const left = disk.left(entry);
    // Somebody else has written to it since: the times of that stay.
    const written = inode.content === undefined && now !== undefined && left !== undefined && !sameTime(left.mtime, now.mtime);
    if (!settled) attributes.push({ do: "attributes", path, first, inode, times: !written, rest: true });
  }
  // A folder's times change with what is done in it, and its mode may close it.
  return [...contents, ...attributes, ...folders.sort((a, b) => depth(b.path) - depth(a.path))];
}

export interface StepPlan {
  readonly steps: readonly UndoStep[];
  /** What is left alone: changed since by somebody else, or its bytes were not kept. */
  readonly refused: readonly NotUndone[];
  /** Repositories of which not everything that the run changed would go back, and why. */
  readonly broken: ReadonlyMap<string, string>;
}

interface PlanOptions {
  /** Folders of the runs, oldest first. */
  readonly folders: readonly string[];
  /** Only what lies at or below one of these; empty: everything. */
  readonly paths: readonly string[];
  /** Also what was changed since. */
  readonly force: boolean;
  /** Repositories to leave alone, and why. */
  readonly held: ReadonlyMap<string, string>;
  readonly moved?: MovedFolder | undefined;
}

/** Longer chains of names that wait for each other are broken by moving one aside. */
const DEEPEST = 500;

/** What brings back what was there before the run. Looks at the disk, changes nothing there. */
export function planUndo(run: Replay, after: After, options: PlanOptions): StepPlan {
  return new Planner(run, after, options).plan();
}

/**
 * Takes the names of the tree from where they are to where they were. `Entry.path` is always where a name is after the
 * steps so far, `Disk.path` where it is before the first.
 */
class Planner {
  readonly #run: Replay;
  readonly #disk: Disk;
  readonly #paths: readonly string[];
  readonly #repositories: Repositories;
  readonly #steps: UndoStep[] = [];
  readonly #state = new Map<TreeEntry, "busy" | "done" | "failed">();
  /** Restored, and whether as another name of something that is there. */
  readonly #restored = new Map<TreeEntry, "fresh" | "linked">();
  #aside = 0;
  /** What was moved aside for something else. */
  readonly #later = new Set<TreeEntry>();
  /** Folders that the run made and that stay where they are. */
  readonly #stays = new Set<TreeEntry>();

  constructor(run: Replay, after: After, { folders, force, paths, held, moved }: PlanOptions) {
    this.#run = run;
    this.#paths = paths;
    this.#repositories = new Repositories(run, after, { folders, paths, held, moved });
    this.#disk = new Disk(run, after, folders.at(-1) ?? "", force, this.#repositories);
    for (const entry of run.touched) {
      const fate = this.#repositories.fate(entry);
      if (entry.stays !== undefined) this.#disk.held.set(entry, entry.stays);
      if (fate === "held" || (fate === "stays" && entry.made)) this.#disk.held.set(entry, "is part of a repository that is left as it is");
    }
  }

  plan(): StepPlan {
    const isObject = (entry: TreeEntry): boolean => this.#repositories.fate(entry) === "object";
    const wanted = [...this.#run.touched].filter(
      (entry) =>
        entry.parent !== undefined && this.#chosen(entry) && !this.#disk.held.has(entry) && this.#repositories.fate(entry) !== "stays",
    );
    // What refs name is there before they are.
    const chosen = [...wanted.filter(isObject), ...wanted.filter((entry) => !isObject(entry))];
    for (const entry of chosen) if (entry.alive) this.#disk.now(entry);
    this.#steps.push(...openFolders(chosen, this.#disk));
    for (const entry of chosen) {
      if (entry.made) this.#delete(entry, 0);
      else if (!entry.alive || entry.moved) this.#putBack(entry, 0);
    }
    for (const entry of this.#later)
      if (!this.#putBack(entry, 0)) this.#fail(entry, `stays at ${entry.path}: ${this.#disk.held.get(entry) ?? "it cannot go back"}`);
    this.#steps.push(...restoreInodes(chosen, this.#disk, this.#restored, this.#steps));
    const { held } = this.#disk;
    const partly = [...this.#run.touched].filter((entry) => entry.partly !== undefined && !held.has(entry) && this.#chosen(entry));
    const refused = new Map(
      [...held]
        .filter(([entry]) => !this.#repositories.isSilent(entry) && (entry.stays === undefined || this.#chosen(entry)))
        // A folder that can be made again is one line, however many files of it were not kept.
        .map(([entry, why]) => [
          notKeptOf(entry)?.again?.folder ?? (entry.removed === undefined ? this.#disk.path(entry) : entry.before),
          why,
        ]),
    );
    for (const entry of partly) if (!this.#repositories.isSilent(entry)) refused.set(entry.before, entry.partly ?? "");
    const plan = {
      steps: this.#steps,
      refused: [...this.#repositories.refusals((entry) => this.#chosen(entry)), ...[...refused].map(([path, why]) => ({ path, why }))],
      broken: this.#repositories.broken(held),
    };
    this.#steps.push(...this.#timesAround());
    return plan;
  }

  /**
   * Folders that are not asked for themselves, in which something goes back: with it goes all that the run did there, and their times are
   * as before, or they are as they are now.
   */
  #timesAround(): readonly UndoStep[] {
    if (this.#paths.length === 0) return [];
    const parents = new Set(this.#steps.flatMap((step) => (step.do === "move" ? [step.path, step.to] : [step.path])).map(parentOf));
    const goesBack = (entry: TreeEntry): boolean => this.#chosen(entry) && !this.#disk.held.has(entry);
    return [...this.#run.touched].flatMap((folder): readonly UndoStep[] => {
      const { inode, path } = folder;
      if (folder.kind !== "directory" || inode === undefined || !folder.alive || folder.made || this.#chosen(folder) || !parents.has(path))
        return [];
      const now = this.#disk.now(folder);
      if (typeof now === "number") return [];
      const left = this.#disk.left(folder);
      const isAsLeft = left === undefined ? !this.#disk.sealed : left.id === now.id && sameTime(left.mtime, now.mtime);
      const inside = [...this.#run.touched].filter(({ parent, origin }) => parent === folder || origin?.parent === folder);
      const first = isAsLeft && inside.every(goesBack) ? inode.first : now;
      return [{ do: "attributes", path, first, times: true, rest: false }];
    });
  }

  #chosen(entry: TreeEntry): boolean {
    if (this.#paths.length === 0) return true;
    const inside = (path: string): boolean => this.#paths.some((one) => isWithin(path, one));
    return inside(entry.path) || inside(entry.before);
  }

  #fail(entry: TreeEntry, why: string): false {
    this.#disk.held.set(entry, why);
    this.#state.set(entry, "failed");
    return false;
  }

  /** A folder that the run made stays, for what others have in it. */
  #keepFolder(entry: TreeEntry, why: string): false {
    this.#stays.add(entry);
    return this.#fail(entry, why);
  }

  #done(entry: TreeEntry): true {
    this.#state.set(entry, "done");
    return true;
  }

  /** Takes away what the run made. False: it stays. */
  #delete(entry: TreeEntry, depth: number): boolean {
    const state = this.#state.get(entry);
    if (state !== undefined) return state === "done";
    if (!entry.alive) return this.#done(entry);
    const now = this.#disk.now(entry);
    if (this.#disk.held.has(entry)) return false;
    if (typeof now === "number") {
      entry.alive = false;
      return this.#done(entry);
    }
    this.#state.set(entry, "busy");
    const folder = kindOf(now.mode) === "directory";
    if (folder && !this.#empties(entry, depth)) return false;
    this.#steps.push(...restoreThrough(entry, this.#disk));
    const other = entry.linked === undefined || entry.inode === undefined ? undefined : otherName(entry.inode, this.#disk);
    this.#steps.push({ do: "delete", path: entry.path, id: now.id, folder, ...(other === undefined ? {} : { other: other.path }) });
    entry.alive = false;
    entry.leave();
    return this.#done(entry);
  }

  /** Takes everything out of a folder that the run made. */
  #empties(entry: TreeEntry, depth: number): boolean {
    if (depth > DEEPEST) return this.#fail(entry, "lies too deep");
    for (const [name, child] of Array.from(entry.children)) {
      if (child?.alive !== true) continue;
      if (child.made ? this.#delete(child, depth + 1) : child.moved && this.#putBack(child, depth + 1)) continue;
      if (typeof statSafe(this.#disk.path(child)) !== "number") return this.#keepFolder(entry, `is not empty: \`${name}\` stays`);
    }
    // Somebody else had put it there, and the run took it away or replaced it.
    for (const [name, was] of entry.gone)
      if (was.origin?.parent === entry && was.removed !== undefined && was.removed.how !== "lost" && this.#chosen(was))
        return this.#keepFolder(entry, `is not empty: the run did not make \`${name}\``);
    const path = this.#disk.path(entry);
    try {
      const names = readdirSync(pathBytes(path), { encoding: "buffer" }).map((name) => pathText(name));
      const other = names.find((name) => !this.#leaves(`${path}/${name}`));
      return other === undefined || this.#keepFolder(entry, `is not empty: the run did not make \`${other}\``);
    } catch {
      return this.#fail(entry, "cannot be listed");
    }
  }

  /** What is at this path on the disk is gone from there when the steps so far are done. */
  #leaves(path: string): boolean {
    const entry = this.#disk.entry(path);
    return entry !== undefined && (!entry.alive || entry.path !== path || this.#state.get(entry) === "done");
  }

  /** Puts what was there before back to where it was. False: it stays as it is. */
  #putBack(entry: TreeEntry, depth: number): boolean {
    const state = this.#state.get(entry);
    if (state !== undefined) return state === "done";
    const { origin, inode } = entry;
    if (origin === undefined) return false;
    const now = entry.alive ? this.#disk.now(entry) : undefined;
    if (this.#disk.held.has(entry)) return false;
    this.#state.set(entry, "busy");
    const { parent, name } = origin;
    const noFolder = this.#folderFor(parent, depth);
    if (noFolder !== undefined) return this.#fail(entry, noFolder);
    const there = parent.children.get(name);
    if (there?.alive === true && there !== entry) {
      if (!this.#clear(there, depth))
        return this.#fail(entry, `its place is taken: ${this.#disk.held.get(there) ?? "what is there stays"}`);
    } else if (!this.#restored.has(parent)) {
      const path = `${this.#disk.path(parent)}/${name}`;
      const found = this.#leaves(path) ? -1 : statSafe(path);
      if (typeof found !== "number") {
        // It was never taken away, or is back already.
        const same = entry.removed === undefined ? inode?.id === found.id : this.#disk.sameThing(path, entry.removed, found);
        if (!same) return this.#fail(entry, "has something else in its place since");
        entry.move(parent, name);
        return this.#done(entry);
      }
    }
    if (now !== undefined) {
      if (typeof now === "number") return this.#fail(entry, whyNot(now));
      this.#steps.push({ do: "move", path: entry.path, to: `${parent.path}/${name}`, id: now.id });
    } else {
      const image = entry.removed;
      if (image?.is === undefined || inode === undefined) return this.#fail(entry, "was removed, and what it was is not known");
      if (this.#disk.isKeptChanged(image, inode)) return this.#fail(entry, "was written to since, by who had it open");
      if (image.how === "lost") this.#putSiblingBack(inode, depth);
      const other = image.how === "link" ? undefined : otherName(inode, this.#disk);
      if (image.how === "lost" && other === undefined) return this.#fail(entry, notKept(image));
      if (image.how === "link") inode.xattrs ??= this.#disk.keptXattrs(image) ?? {};
      const from = other === undefined ? {} : { from: other.path };
      const names = [...inode.names].filter(({ made }) => !made).length;
      const alone = image.how !== "link" && kindOf(inode.first.mode) === "file" && inode.first.nlink > names;
      const step = { do: "restore", path: `${parent.path}/${name}`, image, first: inode.first, ...from } as const;
      this.#steps.push(alone ? { ...step, alone: true } : step);
      this.#restored.set(entry, other === undefined ? "fresh" : "linked");
    }
    entry.move(parent, name);
    return this.#done(entry);
  }

  /** Bytes that were not kept with one name may have been kept with the last. */
  #putSiblingBack({ names }: Inode, depth: number): void {
    for (const name of names)
      if (!name.alive && !name.made && name.removed?.how === "link" && depth < DEEPEST && this.#putBack(name, depth + 1)) return;
  }

  /** Why nothing can be put into the folder; undefined where it is there, or will be. */
  #folderFor(parent: TreeEntry, depth: number): string | undefined {
    if (parent.parent === undefined || this.#restored.has(parent)) return undefined;
    if (!parent.alive)
      return parent.origin !== undefined && depth < DEEPEST && this.#putBack(parent, depth + 1)
        ? undefined
        : "was in a folder that cannot be brought back";
    if (parent.moved && this.#chosen(parent) && depth < DEEPEST && !this.#state.has(parent)) this.#putBack(parent, depth + 1);
    const now = this.#disk.now(parent);
    if (typeof now === "number") return `was in a folder that ${whyNot(now)}`;
    if (this.#stays.has(parent)) return undefined;
    return this.#disk.held.has(parent) ? `was in a folder that ${this.#disk.held.get(parent) ?? ""}` : undefined;
  }

  #clear(there: TreeEntry, depth: number): boolean {
    if (there.made) return this.#delete(there, depth + 1);
    if (this.#state.get(there) !== "busy" && !this.#waits(there) && depth < DEEPEST) return this.#putBack(there, depth + 1);
    // They wait for each other.
    const now = this.#disk.now(there);
    const { parent } = there;
    if (typeof now === "number" || parent === undefined) return false;
    this.#aside += 1;
    const name = `.assent-undo-${this.#aside}`;
    this.#steps.push({ do: "move", path: there.path, to: `${parent.path}/${name}`, id: now.id, aside: true });
    there.move(parent, name);
    this.#later.add(there);
    return true;
  }

  /** It goes back into something that is itself just being put back. */
  #waits(entry: TreeEntry): boolean {
    for (let at = entry.origin?.parent; at !== undefined; at = at.origin?.parent) if (this.#state.get(at) === "busy") return true;
    return false;
  }
}

const notKeptOf = (entry: TreeEntry): PreImage | undefined => [entry.removed, entry.inode?.content].find((image) => image?.how === "lost");

/** A name of an inode that was there before and is there, or will be by then. */
function otherName(inode: Inode, disk: Disk): TreeEntry | undefined {
  for (const name of inode.names) if (name.alive && !name.made && name.kind !== "directory" && !disk.held.has(name)) return name;
  return undefined;
}
