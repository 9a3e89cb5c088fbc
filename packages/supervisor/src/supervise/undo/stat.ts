import { alloc, AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, lastingAddressOf, sys, SYSCALLS } from "../kernel/index.ts";

/** What statx(2) says of one object. Times are seconds and nanoseconds, exact. */
export interface ObjectStat {
  /** File type and permission bits, as st_mode. */
  readonly mode: number;
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
  /** Bytes. */
  readonly size: number;
  /** Bytes on the disk: less than `size` where there are holes. */
  readonly allocated: number;
  /** Device and inode: `8:1:123`. Names an object as long as it lives; may come again after. */
  readonly id: string;
  readonly rdev: readonly [major: number, minor: number];
  readonly atime: Time;
  readonly mtime: Time;
  readonly ctime: Time;
  /** When the object was made; `[0, 0]` where the file system does not say. Tells a new object from an old one of the same id. */
  readonly btime: Time;
}

export type Time = readonly [seconds: number, nanoseconds: number];

export const S_IFMT = 0o170000;
const TYPES: Readonly<Record<number, FileKind>> = {
  0o100000: "file",
  0o040000: "directory",
  0o120000: "symlink",
  0o010000: "fifo",
  0o140000: "socket",
  0o020000: "char",
  0o060000: "block",
};
export type FileKind = "file" | "directory" | "symlink" | "fifo" | "socket" | "char" | "block";

export function kindOf(mode: number): FileKind {
  return TYPES[mode & S_IFMT] ?? "file";
}

export const sameTime = (a: Time, b: Time): boolean => a[0] === b[0] && a[1] === b[1];
/** Milliseconds since the epoch. */
export const milliseconds = (time: Time): number => time[0] * 1000 + time[1] / 1e6;

/** STATX_BASIC_STATS | STATX_BTIME */
const MASK = 0xfff;
const STATX_BTIME = 0x800;

const buffer = alloc(256);
const bufferAt = lastingAddressOf(buffer);
const words = new Uint32Array(buffer.buffer, buffer.byteOffset, 64);
const empty = alloc(8);
const emptyAt = lastingAddressOf(empty);

/** The object behind a descriptor (O_PATH too), or a negative errno. */
export function statFd(fd: number): ObjectStat | number {
  const result = sys(SYSCALLS.statx, fd, emptyAt, AT_EMPTY_PATH, MASK, bufferAt);
  return result < 0 ? result : decoded();
}

/** The object of that name; a symlink is not followed. `nameAt`: address of the C string. */
export function statAt(parentFd: number, nameAt: number): ObjectStat | number {
  const result = sys(SYSCALLS.statx, parentFd, nameAt, AT_SYMLINK_NOFOLLOW, MASK, bufferAt);
  return result < 0 ? result : decoded();
}

/** Something has that name. `nameAt`: address of the C string. */
export const isThere = (parentFd: number, nameAt: number): boolean =>
  sys(SYSCALLS.statx, parentFd, nameAt, AT_SYMLINK_NOFOLLOW, MASK, bufferAt) === 0;

/** The little that tells a plain file or folder. */
export interface Glance {
  kind: FileKind;
  nlink: number;
  /** Device. */
  major: number;
  minor: number;
}

const glance: Glance = { kind: "file", nlink: 0, major: 0, minor: 0 };

/** A look at the object behind a descriptor, for where thousands are looked at: good until the next one. */
export function glanceAt(fd: number): Readonly<Glance> | undefined {
  if (sys(SYSCALLS.statx, fd, emptyAt, AT_EMPTY_PATH, MASK, bufferAt) < 0) return undefined;
  glance.kind = kindOf(word(28) & 0xffff);
  glance.nlink = word(16);
  glance.major = word(136);
  glance.minor = word(140);
  return glance;
}

const statfs = alloc(256);
const statfsAt = lastingAddressOf(statfs);
/** statfs(2): ext, XFS, tmpfs, btrfs, overlayfs, SquashFS, EROFS. */
const NAMED: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x01021994, 0x9123683e, 0x794c7630, 0x73717368, 0xe0f5e1e2]);
const named = new Map<number, boolean>();

/** It lies on a file system of plain files, on which a name is what its bytes say: no FAT, no network, no process. */
export function isOnNamedDisk(fd: number, { major, minor }: Readonly<Glance>): boolean {
  const device = major * 0x10_0000 + minor;
  let known = named.get(device);
  if (known === undefined) {
    known = sys(SYSCALLS.fstatfs, fd, statfsAt) === 0 && NAMED.has(statfs.readUInt32LE(0));
    named.set(device, known);
  }
  return known;
}

const word = (at: number): number => words[at >> 2] ?? 0;
const long = (at: number): number => word(at) + word(at + 4) * 0x1_0000_0000;
/** Seconds before 1970 are negative. */
const time = (at: number): Time => [word(at) + (word(at + 4) | 0) * 0x1_0000_0000, word(at + 8)];

/** Two words: an inode number may be larger than a number holds exactly. */
const identity = (): string =>
  word(36) === 0 ? `${word(136)}:${word(140)}:${word(32)}` : `${word(136)}:${word(140)}:${word(36)}.${word(32)}`;

function decoded(): ObjectStat {
  return {
    nlink: word(16),
    uid: word(20),
    gid: word(24),
    mode: word(28) & 0xffff,
    id: identity(),
    size: long(40),
    allocated: long(48) * 512,
    atime: time(64),
    btime: (word(0) & STATX_BTIME) === 0 ? [0, 0] : time(80),
    ctime: time(96),
    mtime: time(112),
    rdev: [word(128), word(132)],
  };
}

/** As it stands in a journal. Order is the format. */
export type StatRecord = readonly [
  mode: number,
  uid: number,
  gid: number,
  size: number,
  nlink: number,
  id: string,
  atime: Time,
  mtime: Time,
  ctime: Time,
  rdev: readonly [number, number],
  btime: Time,
];

export const statRecord = (stat: ObjectStat): StatRecord => [
  stat.mode,
  stat.uid,
  stat.gid,
  stat.size,
  stat.nlink,
  stat.id,
  stat.atime,
  stat.mtime,
  stat.ctime,
  stat.rdev,
  stat.btime,
];

/** What is noted of an object that a run left: `text` is its `statRecord` as JSON. */
export interface StatText {
  readonly kind: FileKind;
  readonly size: number;
  readonly text: string;
}

/** As `statAt`, where ten thousands are only to be written down: a quarter of the time. */
export function statTextAt(parentFd: number, nameAt: number): StatText | number {
  const result = sys(SYSCALLS.statx, parentFd, nameAt, AT_SYMLINK_NOFOLLOW, MASK, bufferAt);
  if (result < 0) return result;
  const mode = word(28) & 0xffff;
  const size = long(40);
  const birth = (word(0) & STATX_BTIME) === 0 ? "[0,0]" : timeText(80);
  const times = `${timeText(64)},${timeText(112)},${timeText(96)},[${word(128)},${word(132)}],${birth}`;
  return { kind: kindOf(mode), size, text: `[${mode},${word(20)},${word(24)},${size},${word(16)},"${identity()}",${times}]` };
}

const timeText = (at: number): string => `[${word(at) + (word(at + 4) | 0) * 0x1_0000_0000},${word(at + 8)}]`;

/** What a journal keeps of an object. */
export type KeptStat = Omit<ObjectStat, "allocated">;

export function statFrom(record: StatRecord): KeptStat {
  const [mode, uid, gid, size, nlink, id, atime, mtime, ctime, rdev, btime] = record;
  return { mode, uid, gid, size, nlink, id, atime, mtime, ctime, rdev, btime };
}
