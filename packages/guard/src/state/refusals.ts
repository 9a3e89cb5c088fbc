import { readdirSync, statSync, unlinkSync, type BigIntStats } from "node:fs";
import { isObject, parseObject } from "@assent/core/data";
import { fileNameOf } from "./breaker.ts";
import { appendText, ensureFolder, errorCode, isOwn, readRegular, writeAtomic } from "./files.ts";
import { withLock } from "./lock.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * Paths that were refused, a file for each session, a line for each refusal: appended in one write, so that processes that
 * refuse at the same moment lose none.
 */
const FOLDER = "refusals";
/** A file that has grown to this is written anew with the last ones in it. */
const FULL_BYTES = 1 << 17;
const MAX_BYTES = 1 << 20;
const MOST_KEPT = 200;
const LONGEST_LINE = 8192;
const PATIENCE_MS = 200;
/** Sessions that are over leave their files. */
const FORGET_MS = 2 * 86_400_000;

/** An object of the file system, whatever it is called. */
export interface FileIdentity {
  readonly device: string;
  readonly inode: string;
  /** Nanoseconds since 1970. Where the file system keeps no time of birth, node gives that of the last change. */
  readonly born: string;
  /** Whether `born` surely is the time of birth. */
  readonly knows: boolean;
}

export interface RecordedRefusal {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** What was refused: looking at it, or changing it. Links and renames are refused with either. */
  readonly what: "read" | "change";
  /** Canonical. */
  readonly path: string;
  readonly identity?: FileIdentity | undefined;
  /** The policy, for this path and whoever asks; the policy, for one tool; or a person. */
  readonly by: "policy" | "tool" | "person";
  /** The tool it was asked through. */
  readonly tool: string;
  /** A person has allowed it after all: what was refused before counts no more. */
  readonly over?: true | undefined;
}

const fileOf = (machine: Machine, session: string): string => `${stateFolder(machine)}/${FOLDER}/${fileNameOf(session)}`;

/** What was refused in a session since a time, the newest last. One look where nothing was. */
export function refusalsSince(machine: Machine, session: string, since: number): readonly RecordedRefusal[] {
  if (machine.memory !== undefined) return machine.memory.refusalsSince(session, since);
  const found = readRegular(fileOf(machine, session), MAX_BYTES);
  if (found.is !== "text" || !isOwn(found.stats, machine.uid)) return NONE;
  let live: RecordedRefusal[] = [];
  for (const line of found.text.split("\n")) {
    const refusal = line === "" ? undefined : parse(line);
    if (refusal === undefined || refusal.time < since) continue;
    live = live.filter((other) => other.path !== refusal.path || other.what !== refusal.what || other.by === "policy");
    if (refusal.over !== true) live.push(refusal);
  }
  return live;
}

const NONE: readonly RecordedRefusal[] = [];

function parse(line: string): RecordedRefusal | undefined {
  const { time, what, path, identity, by, tool, over } = parseObject(line) ?? {};
  if (typeof time !== "number" || (what !== "read" && what !== "change") || typeof path !== "string" || typeof tool !== "string")
    return undefined;
  if (by !== "policy" && by !== "tool" && by !== "person") return undefined;
  return { time, what, path, by, tool, identity: identityIn(identity), ...(over === true ? { over } : {}) };
}

function identityIn(value: unknown): FileIdentity | undefined {
  if (!isObject(value)) return undefined;
  const { device, inode, born, knows } = value;
  const texts = typeof device === "string" && typeof inode === "string" && typeof born === "string";
  return texts ? { device, inode, born, knows: knows === true } : undefined;
}

/** Adds to what is remembered. Says what went wrong. */
export function addRefusals(machine: Machine, session: string, refusals: readonly RecordedRefusal[]): string | undefined {
  if (machine.memory !== undefined) {
    machine.memory.addRefusals(session, refusals);
    return undefined;
  }
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const lines = refusals.map((refusal) => `${JSON.stringify(refusal)}\n`).filter((line) => line.length <= LONGEST_LINE);
  if (lines.length === 0) return undefined;
  const file = fileOf(machine, session);
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) {
      ensureFolder(`${state.folder}/${FOLDER}`);
      forgetOld(`${state.folder}/${FOLDER}`);
    }
    // Under the lock: a line must not be written to what is just being replaced.
    const done = withLock(`${state.folder}/${FOLDER}.lock`, PATIENCE_MS, () => {
      if (stats !== undefined && stats.size > FULL_BYTES) shorten(machine, session, file);
      appendText(file, lines.join(""));
      return true;
    });
    if (done !== true) appendText(file, lines.join(""));
    return undefined;
  } catch (error) {
    return `what was refused cannot be remembered: ${errorCode(error)}`;
  }
}

function shorten(machine: Machine, session: string, file: string): void {
  const kept = refusalsSince(machine, session, 0).slice(-MOST_KEPT);
  writeAtomic(file, kept.map((refusal) => `${JSON.stringify(refusal)}\n`).join(""));
}

function forgetOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const stats = statSync(`${folder}/${name}`, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > FORGET_MS) unlinkSync(`${folder}/${name}`);
  }
}

/** The object at a path; undefined where there is none. */
export function identityOfPath(path: string): FileIdentity | undefined {
  let stats: BigIntStats | undefined;
  try {
    stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
  if (stats === undefined) return undefined;
  const { dev, ino, birthtimeNs, ctimeNs } = stats;
  return { device: String(dev), inode: String(ino), born: String(birthtimeNs), knows: birthtimeNs !== 0n && birthtimeNs !== ctimeNs };
}
