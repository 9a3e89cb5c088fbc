import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { isWithin } from "../path/index.ts";
import { errorCode, type Machine } from "../state/index.ts";
import { firstLine, headOf, interpreterOf, launcherPath, writeLauncher, type Launcher, type Own } from "./wrap-launcher.ts";

/** Longest `#!` line that every kernel takes, without the end (Linux before 5.1: 127 bytes). */
const LONGEST_LINE = 126;

/** True for a script in the user's own home, whose first line can be changed. Elsewhere it is the system's, and other users run it. */
export function canRewrite(machine: Machine, file: string): boolean {
  const line = headOf(file);
  if (line === undefined || interpreterOf(line) === undefined) return false;
  const path = launcherPath(machine, { name: "x".repeat(20), how: "line" });
  return isWithin(file, machine.home) && !/\s/.test(path) && path.length <= LONGEST_LINE && statSync(file).uid === machine.uid;
}

/** The line that a wrapped script begins with. */
const lineFor = (machine: Machine, launcher: Launcher): Buffer => Buffer.from(`#!${launcherPath(machine, launcher)}\n`);

/** Puts a launcher in place: first the launcher, then what leads to it, so that nothing ever leads nowhere. */
export function install(machine: Machine, launcher: Launcher, own: Own): void {
  writeLauncher(machine, launcher, own);
  if (launcher.how === "shim") return;
  try {
    swapLine(launcher.file, firstLine(launcher), lineFor(machine, launcher));
  } catch (error) {
    unlinkSync(launcherPath(machine, launcher));
    throw error;
  }
}

/** @returns `changed` when the script is no longer the one that was wrapped: it is left as it is. */
export function remove(machine: Machine, launcher: Launcher): "restored" | "changed" | "missing" {
  const state = stateOf(machine, launcher);
  if (launcher.how === "line" && state === "wrapped") swapLine(launcher.file, lineFor(machine, launcher), firstLine(launcher));
  unlinkSync(launcherPath(machine, launcher));
  return state === "wrapped" ? "restored" : state;
}

export function stateOf(machine: Machine, launcher: Launcher): "wrapped" | "changed" | "missing" {
  if (statSync(launcher.file, { throwIfNoEntry: false })?.isFile() !== true) return "missing";
  if (launcher.how === "shim") return "wrapped";
  return headOf(launcher.file)?.equals(lineFor(machine, launcher)) === true ? "wrapped" : "changed";
}

/** Exchanges the first line of a file in one step; every other byte, mode and owner stay. `file` is canonical. */
function swapLine(file: string, was: Buffer, next: Buffer): void {
  const before = readFileSync(file);
  if (!before.subarray(0, was.length).equals(was)) throw new Error("its first line has changed meanwhile");
  const stats = statSync(file);
  const temporary = `${file}.assent-${process.pid}`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const descriptor = openSync(temporary, flags, 0o600);
  try {
    // A script that is nothing but its first line may lack the end of it.
    for (const part of [next, before.subarray(was.length)]) for (let at = 0; at < part.length;) at += writeSync(descriptor, part, at);
    if (stats.uid !== process.getuid?.() || stats.gid !== process.getgid?.()) fchownSync(descriptor, stats.uid, stats.gid);
    fchmodSync(descriptor, stats.mode & 0o7777);
    fsyncSync(descriptor);
    if (!readFileSync(file).equals(before)) throw new Error("it has changed meanwhile");
    renameSync(temporary, file);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

export const problemOf = (error: unknown): string => {
  const code = errorCode(error);
  return code === "EACCES" || code === "EPERM" ? "permission denied" : code;
};
