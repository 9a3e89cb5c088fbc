import { closeSync, constants, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { isObject, isTexts } from "@assent/core/data";
import { ensureFolder, type Machine, randomHex, readRegular, stateFolder, writeAtomic } from "@assent/guard/state";
import type { Principal } from "@assent/core/policy";
import type { ConfinedCommand, Exit, LeftEnd, RunEvent } from "../types.ts";
import { openLocked } from "../kernel/index.ts";
import { linesOf } from "./journal.ts";

/**
 * The folder of a run, `$XDG_STATE_HOME/assent/runs/ID/`: `meta.json`; `events.jsonl`, what was judged; `journal.jsonl`,
 * what was about to change; `kept/`, pre-images; `after.jsonl`, what was left; `listens.json`, its servers' sockets; `intended.json`, what an undo
 * is about to do; `lock`, held while the run lives.
 */
export interface RunMeta {
  readonly id: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly profile?: string;
  /** Given beside those that hold everywhere (`--policy`); absolute. */
  readonly policyFiles?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly started: number;
  readonly ended?: number;
  readonly exit?: Exit;
  /** Bytes of pre-images. */
  readonly bytes?: number;
  /** Processes that the program left behind when it ended. */
  readonly left?: readonly { readonly pid: number; readonly name: string }[];
  /** Why they were ended; absent: they ended by themselves, or live. */
  readonly leftEnded?: LeftEnd;
  /** This is an undo of that run, of all of it unless `paths` says which; and of those runs with it, oldest first. */
  readonly undoes?: string;
  readonly undoesToo?: readonly string[];
  readonly paths?: readonly string[];
  /** It ran in place of a command that an agent's host asked about: nobody was asked, for it was confined. */
  readonly confined?: ConfinedCommand;
  /** A guard in a program judged it, by policies of its own: for whom. */
  readonly guard?: { readonly principal?: Principal };
  /** Another engine than ours held it: what that one does not do, and why nothing was kept for undo. */
  readonly engine?: { readonly id: string; readonly cannot: readonly string[]; readonly noUndo?: string };
  /** No run, but what a tool of an agent's host was about to change; `argv` is the tool and the paths. */
  readonly edit?: ToolEdit;
}

/** A tool of an agent's host that changed files by itself. */
export interface ToolEdit {
  readonly agent: string;
  /** The host's id of its session. */
  readonly session?: string;
  readonly tool: string;
}

/** What lay below `from` when the run ended lies below `to` now. */
export interface MovedFolder {
  readonly from: string;
  readonly to: string;
}

export interface RunRecord extends RunMeta {
  readonly folder: string;
  /** What it speaks of lies elsewhere by now: not in its records (`runMovedTo`). */
  readonly moved?: MovedFolder;
}

const ID = /^[0-9a-z][0-9a-z-]{7,63}$/;
const MAX_META = 1 << 20;
const FLUSH_AT = 1 << 16;

export const runsFolder = (machine: Machine): string => `${stateFolder(machine)}/runs`;

/** `20261121-061530-4f2a9c`: sortable by time, and not to be guessed. */
export function newRunId(now: number): string {
  const time = new Date(now).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${time}-${randomHex(3)}`;
}

/** Writes the records of one run, from its start to its end. Throws where the folder cannot be made or written. */
export class RunFolder {
  readonly folder: string;
  #meta: RunMeta;
  readonly #lock: number | undefined;
  #events: number | undefined;
  #text = "";

  constructor(runs: string, meta: RunMeta) {
    this.folder = `${runs}/${meta.id}`;
    this.#meta = meta;
    ensureFolder(this.folder);
    this.#lock = openLocked(`${this.folder}/lock`, constants.O_RDWR | constants.O_CREAT);
    this.#write();
  }

  get id(): string {
    return this.#meta.id;
  }

  event(event: RunEvent): void {
    this.#text += `${JSON.stringify(event)}\n`;
    if (this.#text.length >= FLUSH_AT) this.#flush();
  }

  /** The program has ended; what is still to come (sealing) may take a moment. */
  end(facts: Pick<RunMeta, "ended" | "exit" | "bytes" | "left" | "leftEnded" | "engine">): void {
    this.#flush();
    this.#meta = { ...this.#meta, ...facts };
    this.#write();
  }

  close(): void {
    this.#flush();
    if (this.#events !== undefined) closeSync(this.#events);
    if (this.#lock !== undefined) closeSync(this.#lock);
  }

  #write(): void {
    writeAtomic(`${this.folder}/meta.json`, `${JSON.stringify(this.#meta)}\n`);
  }

  #flush(): void {
    if (this.#text === "") return;
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
    this.#events ??= openSync(`${this.folder}/events.jsonl`, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    for (let at = 0; at < bytes.length;) at += writeSync(this.#events, bytes, at);
  }
}

/** Takes the lock of a run that has ended; undefined: somebody has it. A descriptor, to be closed. */
export function lockRun(folder: string): number | undefined {
  return openLocked(`${folder}/lock`, constants.O_RDWR | constants.O_CREAT);
}

/** The run's process lives: it holds the lock (flock(2)). */
export function isRunning(folder: string): boolean {
  let fd: number | undefined;
  try {
    fd = openLocked(`${folder}/lock`, constants.O_RDWR);
  } catch {
    return false;
  }
  if (fd === undefined) return true;
  closeSync(fd);
  return false;
}

/** Every run, oldest first. What has no readable `meta.json` is left out. */
export function listRuns(runs: string): readonly RunRecord[] {
  let names: readonly string[];
  try {
    names = readdirSync(runs);
  } catch {
    return [];
  }
  const found = names.flatMap((id) => readRun(runs, id) ?? []);
  const undo = ({ undoes }: RunRecord): number => (undoes === undefined ? 0 : 1);
  return found.sort((a, b) => a.started - b.started || undo(a) - undo(b) || (a.id < b.id ? -1 : 1));
}

export function readRun(runs: string, id: string): RunRecord | undefined {
  if (!ID.test(id)) return undefined;
  const folder = `${runs}/${id}`;
  const found = readRegular(`${folder}/meta.json`, MAX_META);
  if (found.is !== "text") return undefined;
  try {
    const value: unknown = JSON.parse(found.text);
    if (!isObject(value) || !isTexts(value["argv"]) || typeof value["started"] !== "number" || typeof value["cwd"] !== "string")
      return undefined;
    const { confined, edit, ...rest } = value;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Assent's own file, in a folder nobody else may write
    const meta = rest as unknown as RunMeta;
    const command = withAside(readByAgent(confined, "command"), confined);
    const tool = readByAgent(edit, "tool");
    return { ...meta, id, folder, ...(command === undefined ? {} : { confined: command }), ...(tool === undefined ? {} : { edit: tool }) };
  } catch {
    return undefined;
  }
}

/** `what` is the field that says what was done. */
function readByAgent<K extends "command" | "tool">(
  value: unknown,
  what: K,
): ({ readonly agent: string; readonly session?: string } & Readonly<Record<K, string>>) | undefined {
  if (!isObject(value)) return undefined;
  const { agent, session, [what]: text } = value;
  if (typeof agent !== "string" || typeof text !== "string") return undefined;
  const done: Readonly<Record<string, string>> = { [what]: text };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its one field is `what`
  return { agent, ...(done as Readonly<Record<K, string>>), ...(typeof session === "string" && session !== "" ? { session } : {}) };
}

function withAside(command: ConfinedCommand | undefined, value: unknown): ConfinedCommand | undefined {
  const aside = isObject(value) ? value["aside"] : undefined;
  return command === undefined || typeof aside !== "string" ? command : { ...command, aside };
}

/** The runs that this one took back, oldest first; none where it is no undo. */
export const undoneIn = ({ undoes, undoesToo = [] }: RunMeta): readonly string[] => (undoes === undefined ? [] : [...undoesToo, undoes]);

/** What was run, as the person or the agent wrote it. */
export const commandOf = ({ argv, confined }: RunMeta): string => confined?.command ?? argv.join(" ");

/** The events of a run, in order; lines that cannot be read are left out. */
export function* readEvents(folder: string): Generator<RunEvent> {
  for (const line of linesOf(`${folder}/events.jsonl`)) {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      yield JSON.parse(line) as RunEvent;
    } catch {
      // Cut short when the run was killed.
    }
  }
}

/** Milliseconds since the epoch of the last sign of life in a run's folder. */
export function lastSign({ folder, started, ended }: RunRecord): number {
  const times = ["journal.jsonl", "events.jsonl"].map((name) => statSync(`${folder}/${name}`, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(ended ?? started, ...times);
}
