import { lstatSync, readdirSync, type Stats } from "node:fs";
import { type Policy, SECRET_FILES, SECRET_FOLDERS } from "../../policy/index.ts";
import type { ObjectStat } from "../undo/index.ts";
import { Mounts } from "./mounts.ts";
import { Numbers } from "./numbers.ts";

/** Entries read for files with several names. */
const MOST_READ = 40_000;
const MOST_SOUGHT = 50_000;
const MOST_MOVED = 20_000;
/** Public, many, and full of hard links. */
const SKIPPED = new Set(["node_modules", ".git", ".cache", ".npm", ".cargo", ".rustup", ".pyenv", ".nvm"]);

export interface ObjectsOptions {
  readonly home: string;
  readonly roots: readonly string[];
  readonly policy: Policy;
  /** Whether a rule, a protection or the floor speaks against reading or changing the file at a path. */
  readonly isKept: (path: string) => boolean;
}

/** Something that was pinned, as far as its identity goes. */
export type Identity = Pick<ObjectStat, "id" | "nlink" | "btime">;

/**
 * Protected files under other names than those that are protected: hard links that were there before the run, places
 * mounted twice, and files that were moved during the run with the folder they lie in. Links made during the run were
 * judged as reading and changing what they lead to.
 */
export class ProtectedObjects {
  readonly #options: ObjectsOptions;
  readonly #mounts: Mounts;
  #policy: Policy;
  /** Protected paths by object; its birth, for the number may be given to another one. */
  readonly #kept = new Map<string, { readonly birth: bigint; readonly paths: readonly string[] }>();
  /** What lies where protected files may lie; undefined: nobody has asked yet. */
  #numbers: Numbers | undefined;
  /** Files whose other names were looked for. */
  readonly #sought = new Set<string>();

  constructor(options: ObjectsOptions, mounts = new Mounts()) {
    this.#options = options;
    this.#policy = options.policy;
    this.#mounts = mounts;
  }

  /** Files that the rules spoke of before stay protected. */
  rulesChanged(policy: Policy): void {
    this.#policy = policy;
    this.#numbers = undefined;
    this.#sought.clear();
  }

  /** Other paths of an object that rules may speak of. */
  aliases(path: string, object: Identity | undefined): readonly string[] {
    const mounted = this.#mounts.aliases(path);
    if (object === undefined) return mounted;
    if (object.nlink > 1) this.#seek(object);
    if (this.#kept.size === 0) return mounted;
    const known = this.#kept.get(object.id);
    if (known === undefined) return mounted;
    if (object.btime[0] !== 0 && birthOf(object) !== known.birth) return mounted;
    return [...mounted, ...known.paths].filter((other) => other !== path);
  }

  /** What is moved stays protected. False: there is more in it than can be looked through. */
  moved(from: string, to: string, arrives: (path: string, before: string) => void): boolean {
    const complete = walk(from, MOST_MOVED, undefined, (path, stats) => {
      if (stats.isDirectory()) return;
      if (this.#options.isKept(path)) this.#add(path);
      arrives(to + path.slice(from.length), path);
    });
    return complete;
  }

  /** Everything in a folder, as what is to be added to its path; what new files in it would be, too. False: there is too much. */
  within(folder: string, visit: (inside: string) => void): boolean {
    return walk(folder, MOST_MOVED, undefined, (path, stats) => visit(`${path.slice(folder.length)}${stats.isDirectory() ? "/#" : ""}`));
  }

  #add(path: string): void {
    const { dev, ino, birthtimeNs } = lstatSync(path, { bigint: true });
    const id = objectId(dev, ino);
    const known = this.#kept.get(id);
    const paths = known?.birth === birthtimeNs ? known.paths : [];
    this.#kept.set(id, { birth: birthtimeNs, paths: paths.includes(path) ? paths : [...paths, path] });
  }

  /** Finds the other names of a file that has several, and keeps those that are protected. */
  #seek(object: Identity): void {
    this.#numbers ??= this.#read();
    if (this.#sought.has(object.id)) return;
    if (this.#sought.size >= MOST_SOUGHT) this.#sought.clear();
    this.#sought.add(object.id);
    const paths = this.#numbers.pathsOf(object.id).filter((path) => this.#options.isKept(path));
    if (paths.length === 0) return;
    const birth = birthOf(object);
    const known = this.#kept.get(object.id);
    const before = known?.birth === birth ? known.paths : [];
    this.#kept.set(object.id, { birth, paths: [...new Set([...before, ...paths])] });
  }

  #read(): Numbers {
    const { home, roots } = this.#options;
    const starts = [
      ...SECRET_FOLDERS.map((name) => `${home}/${name}`),
      ...SECRET_FILES.map((name) => `${home}/${name}`),
      "/etc/shadow",
      "/etc/gshadow",
      "/etc/ssh",
      "/etc/ssl/private",
      ...this.#placesOfRules(),
    ];
    const numbers = new Numbers();
    for (const start of starts) numbers.add(start, MOST_READ);
    for (const root of new Set([...roots, home])) if (root !== "/") numbers.add(root, MOST_READ, SKIPPED);
    return numbers;
  }

  /** Where rules begin that forbid or ask: a whole path, or the folder in front of the first wildcard. */
  #placesOfRules(): readonly string[] {
    const { home, roots } = this.#options;
    return this.#policy.rules.flatMap(({ effect, matcher }) => {
      if (effect === "allow" || matcher.kind !== "path" || matcher.pattern === undefined) return [];
      const literal = /^[^*?[{\\]*/.exec(matcher.pattern)?.[0] ?? "";
      const start = literal === matcher.pattern ? literal : literal.slice(0, literal.lastIndexOf("/"));
      if (start.startsWith("~/")) return [home + start.slice(1)];
      if (start.startsWith("/")) return start.lastIndexOf("/") > 0 ? [start] : [];
      return start === "" ? [] : roots.map((root) => `${root}/${start}`);
    });
  }
}

const birthOf = ({ btime: [seconds, nanoseconds] }: Identity): bigint => BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);

/** As `ObjectStat.id` spells it: makedev(3) taken apart. */
export function objectId(dev: bigint, ino: bigint): string {
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & 0xfffff000n);
  const minor = (dev & 0xffn) | ((dev >> 12n) & 0xffffff00n);
  const high = ino >> 32n;
  const low = ino & 0xffffffffn;
  return high === 0n ? `${major}:${minor}:${low}` : `${major}:${minor}:${high}.${low}`;
}

/** Everything at and below a path, folders that lie higher first. False where there is more than `most`. */
function walk(start: string, most: number, skip: ReadonlySet<string> | undefined, visit: (path: string, stats: Stats) => void): boolean {
  const queue = [start];
  let seen = 0;
  for (let at = 0; at < queue.length; at++) {
    const path = queue[at] ?? "";
    try {
      const stats = lstatSync(path);
      visit(path, stats);
      if (!stats.isDirectory()) continue;
      for (const name of readdirSync(path)) {
        if (++seen > most) return false;
        if (skip?.has(name) !== true) queue.push(`${path}/${name}`);
      }
    } catch {
      // Gone, or not to be looked at.
    }
  }
  return true;
}
