import { lstatSync, readdirSync, type Stats } from "node:fs";
import { joinPath } from "@assent/core/path";
import { pathScopeOf, type Policy, SECRET_FILES, SECRET_FOLDERS } from "@assent/core/policy";
import { Mounts } from "./mounts.ts";
import { addressOf, alloc, AT_FDCWD, cString, ERRNO, pathBytes, pathText, sys, SYSCALLS } from "../kernel/index.ts";
import { kindOf, type ObjectStat, statAt, statFd } from "../undo/index.ts";

/** O_CLOEXEC, O_NONBLOCK; O_DIRECTORY, O_NOFOLLOW. */
const FLAGS = 0o2004000 | (process.arch === "arm64" ? 0o40000 | 0o100000 : 0o200000 | 0o400000);
const SIZE = 65_536;
/** struct linux_dirent64: number u64, offset u64, length u16, type u8, name (getdents(2)). */
const LENGTH = 16;
const TYPE = 18;
const NAME = 19;
const UNKNOWN = 0;
const DIRECTORY = 4;
const FILE = 8;
/** File systems whose folders tell the numbers that stat(2) tells: ext, XFS, tmpfs (statfs(2)). Others need not (overlayfs). */
const TELLING: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x01021994]);

/** A folder that is open. */
interface Opened {
  readonly fd: number;
  /** Device, as `ObjectStat.id` begins. */
  readonly device: string;
  readonly telling: boolean;
}

/** A name in it; `at`: where it stands in the buffer. */
type Visit = (type: number, number: number, device: string, at: number) => void;

/**
 * Which files lie below some folders, by their number: a file with several names is found under the others. To read the
 * folders is all it takes; to look at each file would take several times as long.
 */
export class Numbers {
  /** By device and number: places in `#folders`. */
  readonly #all = new Map<string, Map<number, number | readonly number[]>>();
  readonly #folders: string[] = [];
  readonly #telling = new Map<string, boolean>();
  readonly #entries = alloc(SIZE);
  readonly #entriesAt = addressOf(this.#entries);
  readonly #statfs = alloc(256);
  readonly #statfsAt = addressOf(this.#statfs);

  /** Adds what lies at and below `start`, about `most` entries. `skip`: names of folders that are left out. */
  add(start: string, most: number, skip?: ReadonlySet<string>): void {
    const queue = [start];
    let seen = 0;
    for (let next = 0; next < queue.length && seen <= most; next++) {
      const path = queue[next] ?? "";
      const place = this.#folders.push(path) - 1;
      const opened = this.#open(path);
      if (opened === undefined) this.#addFile(path);
      else
        seen += this.#read(opened, (type, number, device, at) => {
          if (type === FILE) this.#note(device, number, place);
          else if (type === DIRECTORY) {
            const name = this.#nameAt(at);
            if (skip?.has(name) !== true) queue.push(joinPath(path, name));
          }
        });
    }
  }

  /** The names that a file had when it was added. `id` as `ObjectStat` has it. */
  pathsOf(id: string): readonly string[] {
    const [device, number] = parted(id);
    const places = this.#all.get(device)?.get(number);
    if (places === undefined) return NONE;
    const found = new Set<string>();
    for (const place of typeof places === "number" ? [places] : places) {
      const folder = this.#folders[place] ?? "/";
      const opened = this.#open(folder);
      if (opened !== undefined)
        this.#read(opened, (type, own, on, at) => {
          if (type === FILE && own === number && on === device) found.add(`${folder}/${this.#nameAt(at)}`);
        });
    }
    return [...found];
  }

  /** One that was meant by its own name. */
  #addFile(path: string): void {
    const name = cString(pathBytes(path));
    const stat = statAt(AT_FDCWD, addressOf(name));
    if (typeof stat === "number" || kindOf(stat.mode) !== "file") return;
    const place = this.#folders.push(path.slice(0, path.lastIndexOf("/"))) - 1;
    this.#note(...parted(stat.id), place);
  }

  #note(device: string, number: number, place: number): void {
    let numbers = this.#all.get(device);
    if (numbers === undefined) this.#all.set(device, (numbers = new Map<number, number | readonly number[]>()));
    const known = numbers.get(number);
    if (known === undefined) numbers.set(number, place);
    else if (typeof known !== "number") numbers.set(number, known.includes(place) ? known : [...known, place]);
    else if (known !== place) numbers.set(number, [known, place]);
  }

  #open(path: string): Opened | undefined {
    const name = cString(pathBytes(path));
    const fd = sys(SYSCALLS.openat, AT_FDCWD, addressOf(name), FLAGS, 0);
    const stat = fd < 0 ? fd : statFd(fd);
    if (typeof stat !== "number") {
      const [device] = parted(stat.id);
      return { fd, device, telling: this.#tells(fd, device) };
    }
    if (fd >= 0) sys(SYSCALLS.close, fd);
    return undefined;
  }

  #tells(fd: number, device: string): boolean {
    let telling = this.#telling.get(device);
    if (telling === undefined) {
      telling = sys(SYSCALLS.fstatfs, fd, this.#statfsAt) === 0 && TELLING.has(this.#statfs.readUInt32LE(0));
      this.#telling.set(device, telling);
    }
    return telling;
  }

  /** Closes it. How many names there are. */
  #read({ fd, device, telling }: Opened, visit: Visit): number {
    for (let count = 0; ;) {
      const length = sys(SYSCALLS.getdents64, fd, this.#entriesAt, SIZE);
      if (length === -ERRNO.EINTR) continue;
      if (length <= 0) {
        sys(SYSCALLS.close, fd);
        return count;
      }
      for (let at = 0; at < length; at += this.#entries.readUInt16LE(at + LENGTH)) {
        const type = this.#entries[at + TYPE] ?? UNKNOWN;
        count += 1;
        if (this.#isDots(at + NAME) || (type !== UNKNOWN && type !== FILE && type !== DIRECTORY)) continue;
        if (type === DIRECTORY || (telling && type === FILE)) {
          visit(type, this.#entries.readUInt32LE(at) + this.#entries.readUInt32LE(at + 4) * 0x1_0000_0000, device, at + NAME);
          continue;
        }
        const stat = statAt(fd, this.#entriesAt + at + NAME);
        if (typeof stat === "number") continue;
        const [on, number] = parted(stat.id);
        const kind = kindOf(stat.mode);
        visit(kind === "file" ? FILE : kind === "directory" ? DIRECTORY : UNKNOWN, number, on, at + NAME);
      }
    }
  }

  #isDots(at: number): boolean {
    const [first, second, third] = [this.#entries[at], this.#entries[at + 1], this.#entries[at + 2]];
    return first === DOT && (second === 0 || (second === DOT && third === 0));
  }

  #nameAt(at: number): string {
    return pathText(this.#entries, at, this.#entries.indexOf(0, at));
  }
}

const DOT = 0x2e;
const NONE: readonly string[] = [];

/** Device and number of `ObjectStat.id`. */
function parted(id: string): readonly [device: string, number: number] {
  const colon = id.lastIndexOf(":");
  const [high = "0", low] = id.slice(colon + 1).split(".");
  return [id.slice(0, colon), low === undefined ? Number(high) : Number(high) * 0x1_0000_0000 + Number(low)];
}

/** Entries read for files with several names. */
const MOST_READ = 40_000;
const MOST_SOUGHT = 50_000;
const MOST_MOVED = 20_000;
/** Public, many, and full of hard links. */
const SKIPPED = new Set(["node_modules", ".git", ".cache", ".npm", ".cargo", ".rustup", ".pyenv", ".nvm"]);

interface ObjectsOptions {
  readonly home: string;
  readonly roots: readonly string[];
  readonly policy: Policy;
  /** Whether a rule, a protection or the floor speaks against reading or changing the file at a path. */
  readonly isKept: (path: string) => boolean;
}

/** Something that was pinned, as far as its identity goes. */
export type ObjectIdentity = Pick<ObjectStat, "id" | "nlink" | "btime">;

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
  aliases(path: string, object: ObjectIdentity | undefined): readonly string[] {
    const mounted = this.#mounts.aliases(path);
    if (object === undefined) return mounted;
    if (object.nlink > 1) this.#seek(object);
    if (this.#kept.size === 0) return mounted;
    const known = this.#kept.get(object.id);
    if (known === undefined) return mounted;
    if (object.btime[0] !== 0 && birthOf(object) !== known.birth) return mounted;
    return [...mounted, ...known.paths].filter((other) => other !== path);
  }

  /** A path that no other one stands for, as far as places mounted more than once go. */
  isOnce(path: string): boolean {
    return this.#mounts.isOnce(path);
  }

  /** Some object is protected, whatever its name is now. */
  get any(): boolean {
    return this.#kept.size > 0;
  }

  /** What is moved stays protected. False: there is more in it than can be looked through. */
  moved(from: string, to: string, arrives: (path: string, before: string, isSocket: boolean) => void): boolean {
    const complete = walk(from, MOST_MOVED, undefined, (path, stats) => {
      if (stats.isDirectory()) return;
      if (this.#options.isKept(path)) this.#add(path);
      arrives(to + path.slice(from.length), path, stats.isSocket());
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
  #seek(object: ObjectIdentity): void {
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
      ...placesOfRules(this.#policy, home, roots).filter((place) => place.lastIndexOf("/") > 0),
    ];
    const numbers = new Numbers();
    for (const start of starts) numbers.add(start, MOST_READ);
    for (const root of new Set([...roots, home])) if (root !== "/") numbers.add(root, MOST_READ, SKIPPED);
    return numbers;
  }
}

/** Where rules begin that forbid or ask: a whole path, or the folder in front of the first wildcard. */
export const placesOfRules = (policy: Pick<Policy, "rules">, home: string, roots: readonly string[]): readonly string[] =>
  policy.rules.flatMap(({ effect, matcher }) => {
    const pattern = pathScopeOf(matcher)?.pattern;
    if (effect === "allow" || pattern === undefined) return [];
    const literal = /^[^*?[{\\]*/.exec(pattern)?.[0] ?? "";
    const start = literal === pattern ? literal : literal.slice(0, literal.lastIndexOf("/"));
    if (start.startsWith("~/")) return [home + start.slice(1)];
    if (start.startsWith("/") || pattern.startsWith("/")) return [start === "" ? "/" : start];
    return start === "" ? [] : roots.map((root) => `${root}/${start}`);
  });

const birthOf = ({ btime: [seconds, nanoseconds] }: ObjectIdentity): bigint => BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);

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
