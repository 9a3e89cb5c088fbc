import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { stopwatch } from "./clock.ts";
import { errorCode } from "./files.ts";

const FIRST_PAUSE_MS = 0.05;
const LONGEST_PAUSE_MS = 8;
/** A lock is held for milliseconds; what is older was left behind, and its process id may be another's by now. */
const LEFT_BEHIND_MS = 10_000;

/**
 * Does `work` while no other process does its own under the same lock, a file that is there as long as somebody holds it.
 * A holder that has died is noticed by its process id, in another namespace by the lock's age. Returns undefined, without having done it, when the lock was not
 * to be had for `patience` milliseconds.
 */
export function withLock<T>(lock: string, patience: number, work: () => T): T | undefined {
  const until = stopwatch() + patience;
  for (let pause = FIRST_PAUSE_MS; !take(lock); pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    if (breakDead(lock)) continue;
    if (stopwatch() > until) return undefined;
    // Not all at the same moment.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause * (0.5 + Math.random()));
  }
  try {
    return work();
  } finally {
    drop(lock);
  }
}

/** A symbolic link, whose target names the holder: it comes to be with its content, or not at all. */
function take(lock: string): boolean {
  try {
    symlinkSync(`${process.pid} ${pidNamespace()}`, lock);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Names the namespace that process ids count in (namespaces(7)): a container that shares the folder has others. */
const pidNamespace = (): string => attempt(() => readlinkSync("/proc/self/ns/pid"), "?");

/** Removes the lock of a process that is no more. Two that try this at once are kept apart by a lock of their own. */
function breakDead(lock: string): boolean {
  if (!isDead(lock)) return false;
  const breaking = `${lock}.break`;
  if (!take(breaking)) {
    if (isLeftBehind(breaking)) drop(breaking);
    return false;
  }
  try {
    // Again: before we had the right to break it, another may have, and a third may hold it now.
    return isDead(lock) && drop(lock);
  } finally {
    drop(breaking);
  }
}

/** A clock that was set back makes what is old look as if it were still to come. */
function isLeftBehind(lock: string): boolean {
  const stats = lstatSync(lock, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) > LEFT_BEHIND_MS;
}

function isDead(lock: string): boolean {
  if (isLeftBehind(lock)) return true;
  let holder: string;
  try {
    holder = readlinkSync(lock);
  } catch {
    // Gone meanwhile; or something that is no lock of ours.
    return false;
  }
  const [pid = "", namespace] = holder.split(" ");
  if (!/^[1-9]\d{0,9}$/.test(pid)) return true;
  // Whether a process of another namespace lives cannot be seen from here.
  if (namespace === undefined || namespace === "?" || namespace !== pidNamespace()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return errorCode(error) === "ESRCH";
  }
}

/** False where something stands there that is no lock and cannot be removed: a folder. */
function drop(lock: string): boolean {
  try {
    unlinkSync(lock);
    return true;
  } catch (error) {
    // Gone with its folder.
    return errorCode(error) === "ENOENT";
  }
}
