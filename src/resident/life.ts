import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, statSync } from "node:fs";
import { isAlive, type ownLife } from "../approve/index.ts";
import { isObject } from "../data/index.ts";
import { readRegular, writeAtomic } from "../state/index.ts";
import { addressOf, alloc, sys, SYSCALLS } from "../supervise/kernel/index.ts";

/** Where a judge of this user is found: a socket and a lock for each mount namespace, which is what the machine looks like. */
export interface ResidentPlace {
  readonly folder: string;
  readonly socket: string;
  readonly lock: string;
  /** What the judge last said of itself. */
  readonly life: string;
}

/** The socket is named by the link itself (namespaces(7)), so that a client needs one system call to know it. */
export function residentPlace(folder: string): ResidentPlace {
  const name = readlinkSync("/proc/self/ns/mnt");
  return { folder, socket: `${folder}/${name}`, lock: `${folder}/lock.${name}`, life: `${folder}/life.${name}` };
}

const LOCK_EX = 2;
const LOCK_NB = 4;

/** Holds the lock for as long as this process lives; false: another judge does. `inherited`: whoever started us took it already. */
export function holdLock({ lock }: ResidentPlace, inherited?: number): boolean {
  if (inherited !== undefined) return isFileOf(inherited, lock);
  const descriptor = openSync(lock, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  if (sys(SYSCALLS.flock, descriptor, LOCK_EX | LOCK_NB) === 0) return true;
  closeSync(descriptor);
  return false;
}

function isFileOf(descriptor: number, file: string): boolean {
  try {
    const [held, found] = [fstatSync(descriptor), lstatSync(file)];
    return held.ino === found.ino && held.dev === found.dev && sys(SYSCALLS.flock, descriptor, LOCK_EX | LOCK_NB) === 0;
  } catch {
    return false;
  }
}

const ITIMER_REAL = 0;
/** Two moments, each of seconds and microseconds: when it rings again, and when first. */
const ALARM = alloc(32);

/**
 * Has the kernel end this process (SIGALRM, signal(7)) unless it is called again in time: what hangs in a request serves nobody, and the
 * next hook starts another one. 0 seconds: it rings no more.
 */
export function ringAfter(seconds: number): void {
  ALARM.writeBigInt64LE(BigInt(seconds), 16);
  sys(SYSCALLS.setitimer, ITIMER_REAL, addressOf(ALARM), 0);
}

/** What tells that a file is the one it was. */
export function markOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "" : [stats.dev, stats.ino, stats.size, stats.mode, stats.mtimeMs, stats.ctimeMs].join(":");
}

/** What a judge says of itself every few seconds. */
export interface ResidentLife extends ReturnType<typeof ownLife> {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly answered: number;
  /** Calls left to a fresh process. */
  readonly left: number;
}

export function writeLife({ life }: ResidentPlace, said: ResidentLife): void {
  try {
    writeAtomic(life, `${JSON.stringify(said)}\n`);
  } catch {
    // A full disk: it judges all the same.
  }
}

/** The judge that lives there; undefined: none does. */
export function readLife({ life }: ResidentPlace): ResidentLife | undefined {
  const found = readRegular(life, 1 << 12);
  if (found.is !== "text") return undefined;
  try {
    const value: unknown = JSON.parse(found.text);
    if (!isObject(value)) return undefined;
    const { pid, started, namespace, since, answered, left } = value;
    if (typeof pid !== "number" || typeof started !== "number" || typeof namespace !== "string" || typeof since !== "number")
      return undefined;
    if (typeof answered !== "number" || typeof left !== "number") return undefined;
    return isAlive({ pid, started, namespace }) ? { pid, started, namespace, since, answered, left } : undefined;
  } catch {
    return undefined;
  }
}
