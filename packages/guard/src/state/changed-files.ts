import { isObject, sha256, parseJson } from "@assent/core/data";
import { appendText, errorCode, isOwn, readRegular, writeAtomic } from "./files.ts";
import { withLock } from "./lock.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * Files that name programs or hosts for later commands, and that an agent changed: a line for each change, with what the
 * file was before, and one where a person has looked at it. Appended in one write before the change is made, so that
 * processes that change files at the same moment lose none, and one that is killed has said what it was about to do.
 */
const FILE = "changed.jsonl";
const MAX_BYTES = 1 << 20;
/** A file that has grown to this is written anew, without what is over. */
const FULL_BYTES = 1 << 16;
const LONGEST_LINE = 8192;
const PATIENCE_MS = 500;
/** A file of settings is smaller; one that is larger is never as a person knew it. */
const LARGEST = 4 << 20;

/** A file that is not as the person knew it. */
export interface UnseenChange {
  readonly path: string;
  /** Milliseconds since 1970: the first change that nobody has looked at. */
  readonly time: number;
  /** Who changed it: `run 20261121-061530-4f2a9c`, `claude, with Edit`. */
  readonly by: string;
}

export type UnseenChanges =
  | { readonly is: "known"; readonly files: readonly UnseenChange[] }
  /** What was written down cannot be read: any file may have been changed. */
  | { readonly is: "unclear"; readonly why: string };

interface Known extends UnseenChange {
  /** What it was before: its hash, `missing`; `other` is never what it is now. */
  readonly was: string;
}

const fileOf = (machine: Machine): string => `${stateFolder(machine)}/${FILE}`;

/** What a file is now, to be compared. */
function digestOf(path: string): string {
  const found = readRegular(path, LARGEST);
  if (found.is === "missing") return "missing";
  return found.is === "text" ? sha256([Buffer.from(found.text)]).toString("hex") : "other";
}

/** By path, the first change since a person has looked. */
function changesIn(text: string): ReadonlyMap<string, Known> {
  const open = new Map<string, Known>();
  for (const line of text.split("\n")) {
    const entry = line === "" ? undefined : parse(line);
    if (entry === undefined) continue;
    const { path, seen, was, time, by } = entry;
    if (seen !== undefined) open.set(path, { path, was: seen, time, by: "" });
    else if (was !== undefined) {
      const before = open.get(path);
      // What a person has looked at is what is known from then on.
      if (before === undefined) open.set(path, { path, was, time, by });
      else if (before.by === "") open.set(path, { ...before, time, by });
    }
  }
  return open;
}

interface Line {
  readonly path: string;
  readonly was?: string;
  readonly seen?: string;
  readonly time: number;
  readonly by: string;
}

function parse(line: string): Line | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return undefined;
  const { path, was, seen, time, by } = value;
  if (typeof path !== "string" || typeof time !== "number" || typeof by !== "string") return undefined;
  if (typeof seen === "string") return { path, seen, time, by };
  return typeof was === "string" ? { path, was, time, by } : undefined;
}

/** The files that an agent changed, that are not what they were, and that nobody has looked at. One look where there are none. */
export function unseenChanges(machine: Machine, wanted: (path: string) => boolean = () => true): UnseenChanges {
  if (machine.alone === true) return NONE;
  const found = readRegular(fileOf(machine), MAX_BYTES);
  if (found.is === "missing") return NONE;
  if (found.is === "broken") return { is: "unclear", why: `what agents changed ${found.why}` };
  if (!isOwn(found.stats, machine.uid)) return { is: "unclear", why: "others may write the list of what agents changed" };
  const files = [...changesIn(found.text).values()].filter(({ path, was, by }) => by !== "" && wanted(path) && digestOf(path) !== was);
  return files.length === 0 ? NONE : { is: "known", files: files.map(({ path, time, by }) => ({ path, time, by })) };
}

const NONE: UnseenChanges = { is: "known", files: [] };

/** An agent is about to change these files. Says what went wrong. */
export function noteChanges(machine: Machine, paths: readonly string[], by: string): string | undefined {
  if (machine.alone === true) return undefined;
  const time = Date.now();
  return add(
    machine,
    paths.map((path) => ({ path, was: digestOf(path), time, by })),
  );
}

/** A change is written down before it is made, by another process perhaps. */
const JUST_MS = 500;

/** From now on: whether an agent changes such a file; `own`: whoever has surely made by now what it has written down. Where nobody can know, it does. */
export function watchChanges(machine: Machine, own: string): (wanted: (path: string) => boolean) => boolean {
  const before = readRegular(fileOf(machine), MAX_BYTES);
  const from = Date.now();
  return (wanted) => {
    if (machine.alone === true) return true;
    const now = readRegular(fileOf(machine), MAX_BYTES);
    if (now.is === "missing") return before.is !== "missing";
    if (now.is !== "text" || !isOwn(now.stats, machine.uid)) return true;
    // What was over was left out.
    if (before.is === "text" && before.stats.ino !== now.stats.ino) return true;
    const lines = now.text.split("\n").flatMap((line) => parse(line) ?? []);
    return lines.some(({ path, was, time, by }) => was !== undefined && time >= (by === own ? from : from - JUST_MS) && wanted(path));
  };
}

/** A person has looked at these files as they are now. Says what went wrong. */
export function noteSeen(machine: Machine, paths: readonly string[]): string | undefined {
  const time = Date.now();
  return add(
    machine,
    paths.map((path) => ({ path, seen: digestOf(path), time, by: "you" })),
  );
}

function add(machine: Machine, lines: readonly Line[]): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const texts = lines.map((line) => `${JSON.stringify(line)}\n`);
  if (texts.some((text) => text.length > LONGEST_LINE)) return "the path is too long to be written down";
  const file = fileOf(machine);
  try {
    // Under the lock: a line must not be written to what is just being replaced.
    const done = withLock(`${state.folder}/changed.lock`, PATIENCE_MS, () => {
      appendText(file, texts.join(""));
      shorten(machine, file);
      return true;
    });
    if (done !== true) appendText(file, texts.join(""));
    return undefined;
  } catch (error) {
    return `what an agent changes cannot be written down: ${errorCode(error)}`;
  }
}

/** One line a file; a file that is what it was before needs none. */
function shorten(machine: Machine, file: string): void {
  const found = readRegular(file, MAX_BYTES);
  if (found.is !== "text" || found.text.length <= FULL_BYTES || !isOwn(found.stats, machine.uid)) return;
  const kept = [...changesIn(found.text).values()].flatMap(({ path, was, time, by }) =>
    by === "" || digestOf(path) === was ? [] : [`${JSON.stringify({ path, was, time, by })}\n`],
  );
  writeAtomic(file, kept.join(""));
}
