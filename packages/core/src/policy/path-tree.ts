import type { World } from "../action/index.ts";
import { foldCase, isWithin, joinPath, segmentsOf } from "../path/index.ts";
import { bindPattern, DEEP, mistake, ok, pathPattern, type PatternBase, type Region, type Result, type Segment } from "../pattern/index.ts";
import { forms, perWorld } from "./match/location.ts";

/** Rules by the folders their patterns start with, and below that by how the patterns end. They are numbers here. */
interface FolderNode {
  /** As they are written; several spellings only where the file system folds case. */
  readonly spellings: string[];
  readonly children: Map<string, FolderNode>;
  /** Patterns that start with this folder and go on with a wildcard, or end here. */
  readonly here: number[];
  readonly named: Map<string, number[]>;
  readonly ending: Map<string, number[]>;
  /** Rules here and below. */
  size: number;
}

/** A folder that rules name by another path, because a link leads there. */
interface Alias {
  /** Where it really is. */
  readonly path: string;
  readonly node: FolderNode;
}

const newNode = (): FolderNode => ({ spellings: [], children: new Map(), here: [], named: new Map(), ending: new Map(), size: 0 });

/** More children than this are compared with a listing of their folder instead of being looked at one by one. */
const FEW = 4;

/**
 * Finds the patterns that could match a place without trying them all.
 * INVARIANT: what it leaves out does not match; a property test holds it to the patterns themselves.
 */
export class PathTree {
  readonly #root = newNode();
  readonly #fold: boolean;
  readonly #aliases: (world: World) => readonly Alias[];
  /** Wrong patterns: nobody knows what they mean. */
  readonly unread: number[] = [];

  constructor(patterns: Iterable<readonly [number, string]>, base: PatternBase) {
    this.#fold = base.fold;
    this.#aliases = perWorld((world) => this.#findAliases(world));
    for (const [at, pattern] of patterns) {
      const keys = keysOf(pattern, base);
      if (keys.ok) for (const key of keys.value) this.#add(key, at);
      else this.unread.push(at);
    }
  }

  #add({ folders, name, ending }: PathKey, at: number): void {
    let node = this.#root;
    node.size++;
    for (const folder of folders) {
      const key = this.#fold ? foldCase(folder) : folder;
      let child = node.children.get(key);
      if (child === undefined) node.children.set(key, (child = newNode()));
      if (!child.spellings.includes(folder)) child.spellings.push(folder);
      child.size++;
      node = child;
    }
    if (name !== undefined) put(node.named, name, at);
    else if (ending !== undefined) put(node.ending, ending, at);
    else node.here.push(at);
  }

  /** Patterns that could surely match the region; `below` adds those that could match something in it. */
  collect(region: Region, below: boolean, world: World, into: Set<number>): void {
    const names = region.path ?? literalNames(region.segments);
    const last = region.path === undefined ? lastOf(region.segments) : exactly(region.path.at(-1));
    walk(this.#root, names, 0, last, below, into);
    const aliases = this.#aliases(world);
    if (aliases.length === 0) return;
    const path = `/${names.join("/")}`;
    for (const { path: real, node } of aliases) {
      if (isWithin(path, real)) walk(node, names, real === "/" ? 0 : segmentsOf(real).length, last, below, into);
      else if (below && isWithin(real, path)) takeAll(node, into);
    }
  }

  /** Links in front of the first wildcard of patterns, resolved as `patternForms` resolves them. */
  #findAliases(world: World): readonly Alias[] {
    const found: Alias[] = [];
    const add = (path: string, node: FolderNode): void => void found.push({ path: this.#fold ? foldCase(path) : path, node });
    const own = new Set<string>();
    for (const folder of [world.projectRoot, ...world.temp]) {
      for (const form of forms(folder, world)) own.add(this.#fold ? foldCase(form) : form);
      const node = this.#nodeOf(folder);
      const real = world.canonical(folder);
      if (node !== undefined && real !== folder) add(real, node);
    }
    const enter = (child: FolderNode, written: string, real: string, link: boolean | undefined): void => {
      for (const name of child.spellings) {
        const path = joinPath(written, name);
        if (own.has(this.#fold ? foldCase(path) : path)) continue;
        const here = link === false ? joinPath(real, name) : world.canonical(path);
        if (here !== joinPath(real, name)) add(here, child);
        // Nothing below what is not there is a link.
        if (child.size > FEW && link === undefined && world.entries !== undefined && world.kind(path) === "missing") continue;
        visit(child, path, here);
      }
    };
    const visit = (node: FolderNode, written: string, real: string): void => {
      const entries = node.children.size > FEW && !this.#fold ? world.entries?.(real) : undefined;
      if (entries === undefined) {
        for (const child of node.children.values()) enter(child, written, real, undefined);
        return;
      }
      for (const [name, link] of entries) {
        const child = node.children.get(name);
        if (child !== undefined) enter(child, written, real, link);
      }
    };
    if (!own.has("/")) visit(this.#root, "/", "/");
    return found;
  }

  #nodeOf(path: string): FolderNode | undefined {
    let node: FolderNode | undefined = this.#root;
    for (const name of segmentsOf(path)) node = node?.children.get(this.#fold ? foldCase(name) : name);
    return node;
  }
}

/** What is known of the last name of all that is looked for. */
interface LastName {
  readonly name: string | undefined;
  readonly ending: string | undefined;
}

function exactly(name: string | undefined): LastName {
  return { name, ending: name === undefined ? undefined : lastEnding(name) };
}

const UNKNOWN: LastName = exactly(undefined);

/** Only a pattern without its own ending, or with the same, surely matches all that a pattern stands for; a name never. */
function lastOf(segments: readonly Segment[]): LastName {
  const last = segments.at(-1);
  if (last === undefined || last === DEEP) return UNKNOWN;
  return last.literal === undefined ? { name: undefined, ending: lastEnding(last.end) } : exactly(last.literal);
}

function literalNames(segments: readonly Segment[]): readonly string[] {
  const names: string[] = [];
  for (const segment of segments) {
    if (segment === DEEP || segment.literal === undefined) break;
    names.push(segment.literal);
  }
  return names;
}

function walk(start: FolderNode, names: readonly string[], from: number, last: LastName, whole: boolean, into: Set<number>): void {
  let node = start;
  for (let depth = from; ; depth++) {
    take(node, last, whole, into);
    const name = names[depth];
    const child = name === undefined ? undefined : node.children.get(name);
    if (child === undefined) {
      if (name === undefined && whole) for (const below of node.children.values()) takeAll(below, into);
      return;
    }
    node = child;
  }
}

function take({ here, named, ending }: FolderNode, last: LastName, whole: boolean, into: Set<number>): void {
  for (const at of here) into.add(at);
  if (whole) {
    for (const list of named.values()) for (const at of list) into.add(at);
    for (const list of ending.values()) for (const at of list) into.add(at);
    return;
  }
  if (last.name !== undefined) for (const at of named.get(last.name) ?? NONE) into.add(at);
  if (last.ending !== undefined) for (const at of ending.get(last.ending) ?? NONE) into.add(at);
}

const NONE: readonly number[] = [];

function takeAll(node: FolderNode, into: Set<number>): void {
  take(node, UNKNOWN, true, into);
  for (const child of node.children.values()) takeAll(child, into);
}

/** Notes a rule's place in its list under a key. */
export function put(places: Map<string, number[]>, key: string, at: number): void {
  const list = places.get(key);
  if (list === undefined) places.set(key, [at]);
  else list.push(at);
}

/** What every path that a pattern matches has in common: the folders it starts with, and how its last name ends. */
interface PathKey {
  /** From `/`. */
  readonly folders: readonly string[];
  /** Its last name. */
  readonly name?: string;
  /** What follows the last dot of its last name. */
  readonly ending?: string;
}

/**
 * The keys of a pattern, one for each of its alternatives: what matches has one of them.
 * Most patterns are read by their looks, so that ten thousand rules need not be compiled to be told apart.
 */
function keysOf(pattern: string, base: PatternBase): Result<readonly PathKey[]> {
  if (isPlain(pattern)) return ok([plainKey(pattern, base)]);
  const read = pathPattern(pattern);
  if (!read.ok) return mistake(read.message);
  return ok(bindPattern(read.value, base).alternatives.map(keyOf));
}

/** Only names, `*`, `**` and a leading `~/`; nothing that is spelled in more than one way. */
function isPlain(pattern: string): boolean {
  return pattern !== "" && pattern.length < 1000 && !/[\\{}[\]?$\0]|(?:^|\/)\.{0,2}(?:\/|$)|^~[^/]/.test(pattern.replace(/^~?\//, ""));
}

function plainKey(pattern: string, { project, home, fold }: PatternBase): PathKey {
  const atHome = pattern.startsWith("~/");
  const anchor = atHome ? home : pattern.startsWith("/") || pattern.startsWith("**") ? "" : project;
  const names = (fold ? foldCase(pattern) : pattern).split("/");
  if (atHome || pattern.startsWith("/")) names.shift();
  const wild = names.findIndex((name) => name.includes("*"));
  const folders = [...namesOf(fold ? foldCase(anchor) : anchor), ...(wild === -1 ? names : names.slice(0, wild))];
  const last = names.at(-1) ?? "";
  if (wild === -1) return { folders };
  return last.includes("*") ? { folders, ...endingOf(last.slice(last.lastIndexOf("*") + 1)) } : { folders, name: last };
}

function namesOf(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "");
}

function keyOf(segments: readonly Segment[]): PathKey {
  const wild = segments.findIndex((segment) => segment === DEEP || segment.literal === undefined);
  const folders: string[] = [];
  for (const segment of wild === -1 ? segments : segments.slice(0, wild))
    if (segment !== DEEP && segment.literal !== undefined) folders.push(segment.literal);
  const last = segments.at(-1);
  if (wild === -1 || last === undefined || last === DEEP) return { folders };
  if (last.literal !== undefined) return { folders, name: last.literal };
  // With a set, the text of the pattern matches as well, and there a quoted character looks otherwise.
  return last.hasSet && last.raw.includes("\\") ? { folders } : { folders, ...endingOf(last.end) };
}

function endingOf(end: string): { readonly ending?: string } {
  const ending = lastEnding(end);
  return ending === undefined ? {} : { ending };
}

/** What follows the last dot; undefined without one. */
function lastEnding(name: string): string | undefined {
  const dot = name.lastIndexOf(".");
  return dot === -1 ? undefined : name.slice(dot + 1);
}
