import { mkdirSync, readdirSync, unlinkSync } from "node:fs";
import { isOwn, readRegular, writeAtomic } from "./files.ts";
import type { Machine } from "./machine.ts";
import { readEditable, replaceFile } from "./replace.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * Which project policies a person has agreed to: path of the file to the hash of the text agreed to.
 * Any change of the text un-trusts it.
 */
export interface Trust {
  /** The file's text, by which caches notice a change. */
  readonly text: string;
  readonly pins: ReadonlyMap<string, string>;
  /** The text agreed to, by its hash; undefined where it was not kept. */
  readonly agreed?: (hash: string, sha256: (text: string) => string) => string | undefined;
}

const NOBODY: Trust = { text: "", pins: new Map() };

/** Reads `trust.json`. A file that others could have written, or that is damaged, trusts nobody. */
export function readTrust(machine: Machine): Trust {
  const file = readRegular(`${stateFolder(machine)}/trust.json`, 1 << 20);
  if (file.is !== "text" || !isOwn(file.stats, machine.uid)) return NOBODY;
  try {
    const parsed: unknown = JSON.parse(file.text);
    if (typeof parsed !== "object" || parsed === null || !("projects" in parsed)) return NOBODY;
    const { projects } = parsed;
    if (typeof projects !== "object" || projects === null) return NOBODY;
    const pins = Object.entries(projects).filter((entry): entry is [string, string] => typeof entry[1] === "string");
    return { text: file.text, pins: new Map(pins), agreed: (hash, sha256) => readAgreed(machine, hash, sha256) };
  } catch {
    return NOBODY;
  }
}

export function isTrusted(trust: Trust, file: string, text: string, sha256: (text: string) => string): boolean {
  const pin = trust.pins.get(file);
  return pin !== undefined && pin === sha256(text);
}

const HASH = /^[0-9a-f]{64}$/;
const MAX_BYTES = 1 << 20;
const MAX_TRIES = 20;

/**
 * Changes which project policies are trusted, and with which text: path of the file to the hash of its text.
 * Two processes may do so at once. Says what went wrong.
 */
export function changePins(machine: Machine, change: (pins: Map<string, string>) => void): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const file = `${state.folder}/trust.json`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = readEditable(file, MAX_BYTES);
    if (found.is === "broken") return `${file} ${found.why}`;
    // What is no list of pins trusts nobody, and gives way.
    const pins = new Map(readTrust(machine).pins);
    change(pins);
    const next = `${JSON.stringify({ projects: Object.fromEntries(pins) }, undefined, 2)}\n`;
    const outcome = replaceFile(file, found.is === "missing" ? undefined : found.text, next);
    if (outcome.is === "done") {
      dropAgreed(machine, state.folder);
      return undefined;
    }
    if (outcome.is === "failed") return `${file}: ${outcome.why}`;
  }
  return `${file} keeps changing`;
}

/** The text that a person agreed to, by its hash: what is no such text is not given. */
export function readAgreed(machine: Machine, hash: string, sha256: (text: string) => string): string | undefined {
  if (!HASH.test(hash)) return undefined;
  const file = readRegular(`${stateFolder(machine)}/agreed/${hash}`, MAX_BYTES);
  return file.is === "text" && sha256(file.text) === hash ? file.text : undefined;
}

/** A text that no yes is about any more is not kept. It is looked for before the pins are: what another process keeps meanwhile was pinned. */
function dropAgreed(machine: Machine, state: string): void {
  try {
    const kept = readdirSync(`${state}/agreed`).filter((name) => HASH.test(name));
    const { text, pins } = readTrust(machine);
    const pinned = new Set(pins.values());
    if (text !== "") for (const hash of kept) if (!pinned.has(hash)) unlinkSync(`${state}/agreed/${hash}`);
  } catch {
    // Nothing was kept, or it goes at the next yes.
  }
}

/** Kept for the day on which the file has changed; a pack is read from here. False: it could not be kept. */
export function keepAgreed(machine: Machine, hash: string, text: string): boolean {
  const state = openState(machine);
  if ("problem" in state) return false;
  try {
    mkdirSync(`${state.folder}/agreed`, { recursive: true, mode: 0o700 });
    writeAtomic(`${state.folder}/agreed/${hash}`, text);
    return true;
  } catch {
    // The yes counts all the same.
    return false;
  }
}
