import { existsSync, lstatSync, unlinkSync } from "node:fs";
import { parseObject, sha256 } from "@assent/core/data";
import { joinPath, parentOf, resolvePath } from "@assent/core/path";
import { ensureFolder, isOwn, namesIn, readOwnObject, readRegular, readText, writeAtomic } from "./files.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";

/** What the refs of a repository led to before a session began: whatever that session makes of them counts for nothing. */
export interface RefsBefore {
  /** The folder that all its working trees share (gitrepository-layout(5), "commondir"). */
  readonly common: string;
  /** Names of objects. */
  readonly tips: readonly string[];
}

const MOST_REFS = 5000;
const MOST_BYTES = 16 << 20;
const MOST_FILES = 1000;
const DAY_MS = 86_400_000;
const FORGET_MS = 30 * DAY_MS;
const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The folder above a path in which a working tree begins. */
export function topOf(path: string): string | undefined {
  for (let at = parentOf(path); ; at = parentOf(at)) {
    if (lstatSync(joinPath(at, ".git"), { throwIfNoEntry: false }) !== undefined) return at;
    if (at === "/") return undefined;
  }
}

/** What belongs to a working tree alone; undefined where that is not understood. */
export function gitFolderOf(top: string): string | undefined {
  const dot = joinPath(top, ".git");
  const stat = lstatSync(dot, { throwIfNoEntry: false });
  const linked = stat?.isFile() === true ? /^gitdir: (.+?)\n?$/.exec(readText(dot, MOST_BYTES) ?? "")?.[1] : undefined;
  return stat?.isDirectory() === true ? dot : linked === undefined ? undefined : resolvePath(top, linked);
}

/** The folder that the working tree shares with others; undefined where that is not understood. */
export function commonOf(top: string): string | undefined {
  const own = gitFolderOf(top);
  if (own === undefined) return undefined;
  const common = readText(joinPath(own, "commondir"), MOST_BYTES)?.trim();
  return common === undefined || common === "" ? own : resolvePath(own, common);
}

function commonAround(folder: string): string | undefined {
  const top = topOf(joinPath(folder, "#"));
  return top === undefined ? undefined : commonOf(top);
}

/** Of the repository around a folder. */
function readRefs(folder: string): RefsBefore | undefined {
  const common = commonAround(folder);
  if (common === undefined) return undefined;
  const tips = new Set<string>();
  const add = (word: string | undefined): void => {
    if (word !== undefined && OID.test(word)) tips.add(word);
  };
  add(readText(joinPath(common, "HEAD"), MOST_BYTES)?.trim());
  // Of an annotated tag the second line says what it is of.
  for (const line of readText(joinPath(common, "packed-refs"), MOST_BYTES)?.split("\n") ?? []) add(line.split(" ")[0]);
  const folders = [joinPath(common, "refs")];
  for (let at = folders.pop(); at !== undefined && tips.size < MOST_REFS; at = folders.pop())
    for (const name of namesIn(at)) {
      const path = joinPath(at, name);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat?.isDirectory() === true) folders.push(path);
      else if (stat?.isFile() === true) add(readText(path, MOST_BYTES)?.trim());
    }
  return { common, tips: [...tips].slice(0, MOST_REFS) };
}

const fileOf = (machine: Machine, session: string, common: string): string =>
  `${stateFolder(machine)}/session-refs/${sha256([Buffer.from(JSON.stringify([session, common]))])
    .toString("hex")
    .slice(0, 32)}.json`;

/** As they are before this run; of a session, as they were when it was first met here. Undefined: nothing is known of before. */
export function refsBefore(machine: Machine, folder: string, session: string | undefined): RefsBefore | undefined {
  if (session === undefined) return readRefs(folder);
  noteRefs(machine, folder, session);
  const common = commonAround(folder);
  if (common === undefined) return undefined;
  return refsIn(readOwnObject(fileOf(machine, session, common), MOST_BYTES, machine.uid), common);
}

/** For whoever asks outside of all sessions: what was there before each of those that are remembered of the repository. Undefined: not known. */
export function refsBeforeAll(machine: Machine, folder: string): RefsBefore | undefined {
  const now = readRefs(folder);
  if (now === undefined) return undefined;
  const kept = `${stateFolder(machine)}/session-refs`;
  let { tips } = now;
  for (const name of namesIn(kept)) {
    const record = readRegular(`${kept}/${name}`, MOST_BYTES);
    if (record.is !== "text" || !isOwn(record.stats, machine.uid)) return undefined;
    const before = refsIn(parseObject(record.text), now.common);
    if (before !== undefined) tips = tips.filter((tip) => before.tips.includes(tip));
  }
  return { ...now, tips };
}

/** A command of the session is about to go ahead there: what the first of them finds is written down. */
export function noteRefs(machine: Machine, folder: string, session: string): void {
  const common = commonAround(folder);
  if (common === undefined) return;
  const file = fileOf(machine, session, common);
  if (existsSync(file) || "problem" in openState(machine)) return;
  try {
    const now = readRefs(folder);
    ensureFolder(parentOf(file));
    forgetOld(parentOf(file));
    if (now !== undefined) writeAtomic(file, JSON.stringify(now));
  } catch {
    // Then nothing is known of before.
  }
}

function forgetOld(folder: string): void {
  const names = namesIn(folder);
  for (const name of names) {
    const path = joinPath(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > (names.length > MOST_FILES ? DAY_MS : FORGET_MS)) unlinkSync(path);
  }
}

function refsIn(value: Readonly<Record<string, unknown>> | undefined, common: string): RefsBefore | undefined {
  if (value?.["common"] !== common || !Array.isArray(value["tips"])) return undefined;
  return { common, tips: value["tips"].filter((tip) => typeof tip === "string") };
}
