import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { errorCode } from "./files.ts";

const FIRST_PAUSE_MS = 0.05;
const LONGEST_PAUSE_MS = 8;
/** A lock is held for milliseconds; what is older was left behind, and its process id may be another's by now. */
const LEFT_BEHIND_MS = 10_000;

/**
 * Does `work` while no other process does its own under the same lock, a file that is there as long as somebody holds it.
 * A holder that has died is noticed by its process id. Returns undefined, without having done it, when the lock was not
 * to be had for `patience` milliseconds.
 */
export function withLock<T>(lock: string, patience: number, work: () => T): T | undefined {
  const until = performance.now() + patience;
  for (let pause = FIRST_PAUSE_MS; !take(lock); pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    if (breakDead(lock)) continue;
    if (performance.now() > until) return undefined;
    // Not all at the same moment.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause * (0.5 + Math.random()));
  }
  try {
    return work();
  } finally {
    drop(lock);
  }
}

/** A symbolic link, whose target is the holder's process id: it comes to be with its content, or not at all. */
function take(lock: string): boolean {
  try {
    symlinkSync(String(process.pid), lock);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Removes the lock of a process that is no more. Two that try this at once are kept apart by a lock of their own. */
function breakDead(lock: string): boolean {
  if (!isDead(lock)) return false;
  const breaking = `${lock}.break`;
  if (!take(breaking)) {
    const stats = lstatSync(breaking, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > LEFT_BEHIND_MS) drop(breaking);
    return false;
  }
  try {
    // Again: before we had the right to break it, another may have, and a third may hold it now.
    if (!isDead(lock)) return false;
    drop(lock);
    return true;
  } finally {
    drop(breaking);
  }
}

function isDead(lock: string): boolean {
  let pid: number;
  try {
    if (Date.now() - lstatSync(lock).mtimeMs > LEFT_BEHIND_MS) return true;
    pid = Number(readlinkSync(lock));
  } catch {
    // Gone meanwhile; or something that is no lock of ours.
    return false;
  }
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === "ESRCH";
  }
}

function drop(lock: string): void {
  try {
    unlinkSync(lock);
  } catch {
    // Gone with its folder.
  }
}
