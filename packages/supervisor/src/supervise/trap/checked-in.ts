import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { baseName, joinPath, parentOf } from "@assent/core/path";
import { commonOf, type RefsBefore, topOf, isSamePlace } from "@assent/guard/state";
import { bytesAt } from "../undo/index.ts";
import type { GitObjects } from "./git-objects.ts";

/** Commits that are looked through, newest first. */
const MOST_COMMITS = 2000;

/** Of a file system's clock. */
const TICK_MS = 50;

interface GitObject {
  readonly type: string;
  readonly body: Buffer;
}

/** Of an object's name. */
export const sizeOf = ({ tips: [tip] }: RefsBefore): number => tip?.length ?? 40;

/** A commit, as far as it counts. */
interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
}

/**
 * Which files a repository held before the session: at which path, with which bytes. INVARIANT: an agent can write objects, an index, refs
 * and the repository's configuration. So none of its configuration is read, the refs are those of before, and of what they lead to each
 * object on the way is what its name says.
 */
export class CheckedIn {
  readonly #before: RefsBefore;
  readonly #objects: GitObjects;
  #commits: ReadonlyMap<string, Commit> | undefined;
  #tips: readonly string[] = [];
  /** What files were when they were found to be so. */
  readonly #looked = new Map<string, string>();

  constructor(before: RefsBefore, objects: GitObjects) {
    this.#before = before;
    this.#objects = objects;
  }

  /** The repository has held something at the path. */
  knows(path: string): boolean {
    const name = this.#nameOf(path);
    return name !== undefined && this.#held(name).size > 0;
  }

  /** What is at the path now stood there before, or a branch had nothing there. */
  holds(path: string): boolean {
    const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true });
    const stamp = stat === undefined ? "" : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    const known = this.#looked.get(path);
    // A file that was written a moment ago may be written again within the same tick of the clock.
    if (stat !== undefined && known === stamp && Date.now() - Number(stat.ctimeMs) > TICK_MS) return true;
    const holds = this.#look(path);
    if (holds) this.#looked.set(path, stamp);
    else this.#looked.delete(path);
    return holds;
  }

  #look(path: string): boolean {
    const name = this.#nameOf(path);
    if (name === undefined) return false;
    const stat = lstatSync(path, { throwIfNoEntry: false });
    this.#load();
    if (stat === undefined) return this.#tips.some((tip) => this.#entry(tip, name) === "none");
    const bytes = stat.isFile() ? bytesAt(path) : undefined;
    if (bytes === undefined) return false;
    const oid = nameOf("blob", bytes, this.#size);
    const mode = (stat.mode & 0o100) === 0 ? "100644" : "100755";
    return (
      this.#held(name)
        .get(oid)
        ?.some((commit) => this.#entry(commit, name) === `${mode} ${oid}`) === true
    );
  }

  /** Of a file in another working tree: what there is of it in the repository's own. Undefined: nothing, or it lies there itself. */
  twinOf(path: string): "same" | "other" | undefined {
    const { common } = this.#before;
    const name = this.#nameOf(path);
    if (name === undefined || baseName(common) !== ".git") return undefined;
    const twin = bytesAt(joinPath(parentOf(common), name));
    if (twin === undefined || isSamePlace(path, joinPath(parentOf(common), name))) return undefined;
    return bytesAt(path)?.equals(twin) === true ? "same" : "other";
  }

  get #size(): number {
    return sizeOf(this.#before);
  }

  /** A path as the trees have it; undefined where it lies in no working tree of this repository. */
  #nameOf(path: string): string | undefined {
    const top = topOf(path);
    const common = top === undefined ? undefined : commonOf(top);
    if (top === undefined || common === undefined || !isSamePlace(common, this.#before.common)) return undefined;
    const name = path.slice(top === "/" ? 1 : top.length + 1);
    return name.includes("\n") ? undefined : name;
  }

  /** Of each content that stood at the name, commits that say so; none of which is believed yet. */
  #held(name: string): ReadonlyMap<string, readonly string[]> {
    const commits = [...this.#load().keys()];
    const input = `${commits.map((one) => `${one}:${name}`).join("\n")}\n`;
    const out = this.#objects.run(["cat-file", "--batch-check=%(objecttype) %(objectname)"], { input });
    const found = new Map<string, string[]>();
    for (const [at, line] of out.toString("latin1").split("\n").entries()) {
      const [, oid] = /^blob ([0-9a-f]+)$/.exec(line) ?? [];
      const commit = commits[at];
      if (oid !== undefined && commit !== undefined) found.set(oid, [...(found.get(oid) ?? []), commit].slice(0, 5));
    }
    return found;
  }

  /** What the tree of a commit has at a name: `MODE OID`, or that there is none. Undefined: that is not sure. */
  #entry(commit: string, name: string): string | undefined {
    let tree = this.#commits?.get(commit)?.tree;
    const parts = name.split("/");
    for (const [at, part] of parts.entries()) {
      if (tree === undefined) return undefined;
      const object = this.#read([tree]).get(tree);
      if (object?.type !== "tree") return undefined;
      const entry = entriesOf(object.body, this.#size / 2).get(part);
      if (entry === undefined) return "none";
      if (at === parts.length - 1) return entry;
      tree = entry.startsWith("40000 ") ? entry.slice(6) : undefined;
      if (tree === undefined) return "none";
    }
    return undefined;
  }

  /** What the refs led to, as far as each step is sure. */
  #load(): ReadonlyMap<string, Commit> {
    if (this.#commits !== undefined) return this.#commits;
    const { tips } = this.#before;
    const input = `${tips.join("\n")}\n`;
    const listed = this.#objects.run(["rev-list", "--ignore-missing", `--max-count=${MOST_COMMITS}`, "--stdin"], { input });
    const names = listed.toString("latin1").split("\n");
    const objects = this.#read([...new Set([...tips, ...names])].filter((name) => name !== ""));
    const commits = new Map<string, Commit>();
    const heads: string[] = [];
    const wait = [...tips].map((name) => ({ name, isTip: true }));
    for (let next = wait.pop(); next !== undefined; next = wait.pop()) {
      const { name, isTip } = next;
      const object = objects.get(name);
      if (object === undefined || commits.has(name)) continue;
      const head = object.body.toString("latin1").split("\n\n", 1)[0] ?? "";
      const first = /^(?:tree|object) ([0-9a-f]+)$/m.exec(head)?.[1];
      if (first === undefined) continue;
      if (object.type === "tag") wait.push({ name: first, isTip });
      if (object.type !== "commit") continue;
      const parents = [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent = ""]) => parent);
      commits.set(name, { tree: first, parents });
      if (isTip) heads.push(name);
      wait.unshift(...parents.map((parent) => ({ name: parent, isTip: false })));
    }
    this.#commits = commits;
    this.#tips = heads;
    return commits;
  }

  /** Objects that are what their names say. */
  #read(names: readonly string[]): ReadonlyMap<string, GitObject> {
    const out = this.#objects.run(["cat-file", "--batch"], { input: `${names.join("\n")}\n` });
    const found = new Map<string, GitObject>();
    for (let at = 0; at < out.length;) {
      const end = out.indexOf(0x0a, at);
      const [, name, type, length] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(out.toString("latin1", at, end)) ?? [];
      at = end + 1;
      if (end < 0) break;
      if (name === undefined || type === undefined) continue;
      const body = out.subarray(at, at + Number(length));
      at += Number(length) + 1;
      if (nameOf(type, body, name.length) === name) found.set(name, { type, body });
    }
    return found;
  }
}

/** gitformat-loose(5), in words of the object's own. */
const nameOf = (type: string, body: Buffer, size: number): string =>
  createHash(size === 64 ? "sha256" : "sha1")
    .update(`${type} ${body.length}\0`)
    .update(body)
    .digest("hex");

/** `MODE NAME`, a NUL and the object's name in bytes, one after the other. */
function entriesOf(tree: Buffer, size: number): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < tree.length;) {
    const nul = tree.indexOf(0, at);
    const [mode = "", ...name] = tree.toString("utf8", at, nul).split(" ");
    found.set(name.join(" "), `${mode} ${tree.toString("hex", nul + 1, nul + 1 + size)}`);
    at = nul + 1 + size;
  }
  return found;
}
