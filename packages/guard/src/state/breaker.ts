import { closeSync, constants, ftruncateSync, openSync, type Stats, statSync, unlinkSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { appendText, ensureFolder, errorCode, namesIn } from "./files.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * The breaker: denials in a row, for one agent of one session. A file each, a byte for every denial, so that processes
 * that append at the same moment lose none.
 */
const FOLDER = "breaker";
const LONGEST_NAME = 200;
/** Sessions that are over leave their files. */
const FORGET_MS = 30 * 86_400_000;

export interface Breaker {
  /** `session agent`, as it was given. */
  readonly key: string;
  readonly denials: number;
  /** Of the last denial, in milliseconds since 1970. */
  readonly last: number;
}

const folderOf = (machine: Machine): string => `${stateFolder(machine)}/${FOLDER}`;

/** A file name from which the key can be read again; what is too long is cut, with a sum of the whole. */
export function fileNameOf(key: string): string {
  const name = encodeURIComponent(key.replace(/[\uD800-\uDFFF]/gu, "\uFFFD")).replaceAll("*", "%2A");
  return name.length <= LONGEST_NAME ? `${name}.` : `${name.slice(0, LONGEST_NAME)}*${sum(key)}.`;
}

/** FNV-1a, 32 bits. */
function sum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(16);
}

/** Denials in a row. `minutes`: how long ago the last one may be; 0: for ever. */
export function denialsInARow(machine: Machine, key: string, minutes: number): number {
  if (machine.memory !== undefined) return machine.memory.denials(key, minutes);
  const stats = statOf(`${folderOf(machine)}/${fileNameOf(key)}`);
  if (stats === undefined || (minutes > 0 && Date.now() - stats.mtimeMs > minutes * 60_000)) return 0;
  return stats.size;
}

/** Where the state folder can be none, below a file, nothing has been counted. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** One more. Says what went wrong. */
export function countDenial(machine: Machine, key: string, minutes: number): string | undefined {
  if (machine.memory !== undefined) {
    machine.memory.countDenial(key, minutes);
    return undefined;
  }
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  try {
    ensureFolder(folderOf(machine));
    const row = denialsInARow(machine, key, minutes);
    // What is forgotten does not count again with the next one.
    if (minutes > 0 && row === 0) resetBreaker(machine, key);
    if (row === 0) resetBreakers(machine, true);
    appendText(`${folderOf(machine)}/${fileNameOf(key)}`, "d");
    return undefined;
  } catch (error) {
    return `the breaker's count cannot be kept: ${errorCode(error)}`;
  }
}

/**
 * An allowed request takes half of the row away, unless the breaker has tripped: then only a person does. Half, because an
 * agent that is refused again and again could put a harmless request in between.
 */
export function halveRow(machine: Machine, key: string, threshold: number): void {
  if (machine.memory !== undefined) return machine.memory.halve(key, threshold);
  const path = `${folderOf(machine)}/${fileNameOf(key)}`;
  const stats = statOf(path);
  if (stats === undefined || stats.size === 0 || stats.size >= threshold) return;
  try {
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      ftruncateSync(descriptor, Math.floor(stats.size / 2));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The row goes on: the stricter of the two.
  }
}

/** All rows that are not empty, the newest first. */
export function breakers(machine: Machine): readonly Breaker[] {
  const folder = folderOf(machine);
  const found = namesIn(folder);
  return found
    .filter((name) => name.endsWith("."))
    .flatMap((name): readonly Breaker[] => {
      const stats = statOf(`${folder}/${name}`);
      if (stats === undefined || stats.size === 0) return [];
      return [{ key: readable(name.slice(0, -1)), denials: stats.size, last: stats.mtimeMs }];
    })
    .toSorted((a, b) => b.last - a.last);
}

const readable = (name: string): string => attempt(() => decodeURIComponent(name.replace(/(?:%[0-9A-F]?)?\*.*$/, "…")), name);

/** Forgets a row. */
export function resetBreaker(machine: Machine, key: string): void {
  remove(`${folderOf(machine)}/${fileNameOf(key)}`);
}

/** Forgets all rows; with `stale`, those of sessions long over. */
export function resetBreakers(machine: Machine, stale = false): void {
  const folder = folderOf(machine);
  for (const name of namesIn(folder)) {
    const path = `${folder}/${name}`;
    const stats = statOf(path);
    if (!stale || (stats !== undefined && Date.now() - stats.mtimeMs > FORGET_MS)) remove(path);
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}
