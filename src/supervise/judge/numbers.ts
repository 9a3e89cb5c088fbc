import { joinPath } from "../../path/index.ts";
import { addressOf, alloc, cString, ERRNO, pathBytes, pathText, sys, SYSCALLS } from "../kernel/index.ts";
import { kindOf, statAt, statFd } from "../undo/index.ts";

const AT_FDCWD = -100;
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
