import fs, { type BigIntStats, constants } from "node:fs";
import { isWithin, joinPath } from "@assent/core/path";
import { pathBytes, pathText } from "../kernel/index.ts";
import { watchedPaths } from "../undo/safe.ts";

/** More than a plan is worth. */
const MOST_GUARDS = 20_000;
const MOST_BYTES = 65_536;
/** Of what begins a program. */
const HEAD = 4096;
/** Kernels note the time of the last tick, so what was changed just now may be changed once more and have the same time. */
const YOUNG_MS = 50;
/** File systems of which the kernel itself notes the time of every change: ext4, xfs, btrfs, tmpfs, overlay, f2fs, zfs, squashfs, erofs. */
const NOTING: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0x73717368, 0xe0f5e1e2,
]);
/** What they are told is a descriptor, and that was looked at when it was opened. */
const OF_DESCRIPTORS = /^(?:fstat|readv|close|write|writev|fsync|fdatasync|fchmod|fchown|futimes|ftruncate)Sync$/;
const OF_CHANGES = /^(?:mkdir|writeFile|appendFile|rename|unlink|rm|rmdir|chmod|lchown|chown|utimes|symlink|link)Sync$/;

type Look = (...given: readonly unknown[]) => unknown;
type Guard = (path: string) => void;

/**
 * Everything that is looked at of the file system while a run is planned, as stubs/kept.h looks at it again. It stands in for `node:fs`
 * itself, so nothing that looks by it is left out; what it does not know, or cannot compare, means that no plan is kept.
 */
export class PlanLooks {
  readonly #guards = new Map<string, readonly [letter: string, path: string, state: string]>();
  readonly #devices = new Set<bigint>();
  /** Open files of which no more than their beginning may be read. */
  readonly #heads = new Set<number>();
  readonly #undo: (() => void)[] = [];
  readonly #state: string;
  readonly #own: readonly string[];
  #isLooking = false;
  #isBegun = false;
  #whyNot: string | undefined;

  /** `state`: Assent's own folder; `own`: those of its program, whose files are compared by their times. */
  constructor(state: string, own: readonly string[]) {
    this.#state = state;
    this.#own = own;
    const see: Guard = (path) => this.#see("s", path, false);
    const link: Guard = (path) => this.#see("l", path, false);
    const real: Guard = (path) => this.#lead(path);
    const looks: Readonly<Record<string, Guard>> = {
      lstatSync: link,
      readlinkSync: link,
      statSync: see,
      existsSync: see,
      accessSync: see,
      readdirSync: (path) => this.#see("s", path, true),
      realpathSync: real,
      readFileSync: (path) => this.#read(path, false),
      openSync: (path) => this.#read(path, true),
    };
    for (const [name, original] of functionsOf(fs)) {
      if (!name.endsWith("Sync") || OF_DESCRIPTORS.test(name)) continue;
      if (name === "readSync") {
        this.#replace(fs, name, original, (...given) => this.#readHead(given));
        continue;
      }
      const change: Guard = (path) => this.#change(path, name);
      const look = looks[name] ?? (OF_CHANGES.test(name) ? change : (path: string) => this.#refuse(`${name} ${path}`));
      this.#replace(fs, name, original, (path, flags) => {
        const reads = name !== "openSync" || flags === undefined || flags === "r";
        this.#at(path, reads || (typeof flags === "number" && (flags & (constants.O_WRONLY | constants.O_RDWR)) === 0) ? look : change);
      });
    }
    for (const [name, original] of functionsOf(fs.realpathSync))
      this.#replace(fs.realpathSync, name, original, (path) => this.#at(path, real));
    watchedPaths.see = (text) => {
      const bytes = typeof text === "string" ? pathBytes(text) : Buffer.from(text);
      // AT_EMPTY_PATH: what a descriptor leads to.
      if (bytes.length === 0) return;
      if (bytes[0] !== 0x2f) this.#refuse(`${pathText(bytes)} in a folder`);
      this.#at(bytes, (path) => {
        this.#see("s", path, false);
        this.#see("l", path, false);
      });
    };
    this.#undo.push(() => (watchedPaths.see = undefined));
  }

  /** Nothing more is looked at for the plan. The fields of its guards; undefined: none is kept. */
  stop(): readonly string[] | undefined {
    for (const undo of this.#undo.splice(0)) undo();
    // What other programs said is not looked at again.
    if (othersAreAsked()) this.#refuse("another program was asked");
    return this.#whyNot === undefined && this.#guards.size <= MOST_GUARDS ? [...this.#guards.values()].flat() : undefined;
  }

  #refuse(why: string): void {
    this.#whyNot ??= why;
  }

  #replace(of: object, name: string, original: Look, before: Look): void {
    const by: Look = (...given) => {
      if (this.#isLooking) return original(...given);
      this.#isLooking = true;
      try {
        before(...given);
        const result = original(...given);
        if (name === "openSync" && typeof result === "number") this.#opened(result);
        return result;
      } finally {
        this.#isLooking = false;
      }
    };
    Reflect.set(of, name, Object.assign(by, original));
    this.#undo.push(() => void Reflect.set(of, name, original));
  }

  /** `given`: as `node:fs` takes it. */
  #at(given: unknown, guard: Guard): void {
    if (typeof given === "number" || this.#whyNot !== undefined) return;
    const text = Buffer.isBuffer(given) ? pathText(given) : given;
    if (typeof text !== "string" || text.includes("\0") || (text === given && text.includes("\ufffd"))) return this.#refuse("a path");
    const path = text.startsWith("/") ? text : joinPath(process.cwd(), text);
    // What this very run makes, code caches, and random numbers.
    const isOwn = isWithin(path, `${this.#state}/tried`) || (isWithin(path, this.#state) && path.endsWith(".cache"));
    if (!isOwn && path !== "/dev/urandom") guard(path);
  }

  #change(path: string, name: string): void {
    if (!isWithin(path, this.#state)) this.#refuse(`${name} ${path}`);
  }

  #add(letter: string, path: string, state: string): void {
    // These are not the same for two processes.
    if (/^\/(?:proc|sys)(?:\/|$)/.test(path) && letter !== "b") this.#refuse(path);
    const key = `${letter}${state.split(".").length} ${path}`;
    const known = this.#guards.get(key);
    if (known === undefined) this.#guards.set(key, [letter, path, state]);
    else if (known[2] !== state) this.#refuse(`${path} has changed`);
  }

  /** By all that there is of a file, and of a folder that is listed; else that there is such a folder. */
  #see(letter: "s" | "l", path: string, isListed: boolean): void {
    let stat: BigIntStats;
    try {
      stat = (letter === "l" ? lstatSync : statSync)(path, { bigint: true });
    } catch (error) {
      return this.#add(letter, path, errnoText(error));
    }
    const { dev, ino, mode, uid, gid, size, mtimeNs, ctimeNs } = stat;
    const isWhole = isListed || stat.isFile() || stat.isSymbolicLink();
    const numbers = [dev, ino, mode, uid, gid, ...(isWhole ? [size, ...parted(mtimeNs), ...parted(ctimeNs)] : [])];
    if (isWhole && Number(ctimeNs / 1_000_000n) > Date.now() - YOUNG_MS) this.#refuse(`${path} has just changed`);
    if (isWhole && !this.#notes(dev, path)) this.#refuse(`${path} lies where a change may not be seen`);
    this.#add(letter, path, numbers.map((number) => BigInt.asUintN(64, number).toString(16)).join("."));
  }

  #notes(device: bigint, path: string): boolean {
    if (!this.#devices.has(device) && NOTING.has(statfsSync(path).type)) this.#devices.add(device);
    return this.#devices.has(device);
  }

  #lead(path: string): void {
    try {
      this.#add("R", path, realpathSync.native(path));
    } catch (error) {
      this.#add("R", path, errnoText(error));
    }
  }

  /** `isOpened`: of what cannot be compared the beginning may be read. */
  #read(path: string, isOpened: boolean): void {
    const isOfKernel = path.startsWith("/proc/");
    if (!isOfKernel) this.#see("s", path, true);
    if (this.#own.some((folder) => isWithin(path, folder))) return;
    let bytes: Buffer;
    try {
      if (isOpened && !isOfKernel && statSync(path).size > MOST_BYTES) return this.#begin(path);
      bytes = readFileSync(path);
    } catch {
      // What was seen of it says why.
      return isOfKernel ? this.#refuse(path) : undefined;
    }
    if (isOpened && bytes.includes(0) && !isOfKernel) return this.#begin(path);
    if (bytes.length > MOST_BYTES || bytes.includes(0) || path === "/proc/uptime") this.#refuse(`${path} cannot be compared`);
    // What it says holds for a time only.
    else if (!isOfKernel && /until|expires/i.test(bytes.toString("latin1"))) this.#refuse(`${path} has an end`);
    else this.#add("b", path, pathText(bytes));
  }

  /** A program: by its beginning, which may say what runs it. */
  #begin(path: string): void {
    const head = Buffer.alloc(HEAD);
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const size = readSync(fd, head, 0, HEAD, 0);
    closeSync(fd);
    this.#add("h", path, head.toString("hex", 0, size));
    this.#isBegun = true;
  }

  #opened(fd: number): void {
    if (this.#isBegun) this.#heads.add(fd);
    else this.#heads.delete(fd);
    this.#isBegun = false;
  }

  /** `given`: as to `readSync`. */
  #readHead([fd, , offset, length, position]: readonly unknown[]): void {
    if (typeof fd !== "number" || !this.#heads.has(fd)) return;
    if (offset !== 0 || position !== 0 || typeof length !== "number" || length > HEAD) this.#refuse("a program is read further");
  }
}

const { closeSync, lstatSync, openSync, readFileSync, readSync, realpathSync, statfsSync, statSync } = fs;

/** Of Node's own modules one is loaded that starts programs or talks to them. */
function othersAreAsked(): boolean {
  const loaded: unknown = Reflect.get(process, "moduleLoadList");
  return (
    !Array.isArray(loaded) ||
    loaded.some((name) => /^NativeModule (?:child_process|net|dgram|worker_threads|internal\/worker)$/.test(String(name)))
  );
}

function* functionsOf(of: object): Generator<readonly [name: string, function_: Look]> {
  for (const name of Object.keys(of)) {
    // To ask for it loads it.
    const value: unknown = name === "promises" ? undefined : Reflect.get(of, name);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is called as it would have been
    if (typeof value === "function") yield [name, value as Look];
  }
}

function parted(time: bigint): readonly [seconds: bigint, nanoseconds: bigint] {
  const rest = ((time % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return [(time - rest) / 1_000_000_000n, rest];
}

function errnoText(error: unknown): string {
  const errno: unknown = error instanceof Error && "errno" in error ? error.errno : undefined;
  return typeof errno === "number" ? `!${-errno}` : "!";
}
