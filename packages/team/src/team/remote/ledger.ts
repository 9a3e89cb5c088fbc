import { keepFile } from "@assent/guard/approve";
import { createHash, randomBytes } from "node:crypto";
import { closeSync, constants, lstatSync, openSync, readdirSync } from "node:fs";
import { isObject, pointOf, type QueuePoint } from "@assent/core/data";
import type { PasskeyProof } from "@assent/guard/signature";
import {
  ensureFolder,
  isOwn,
  type Machine,
  openState,
  readOwnObject,
  removeFile,
  stateFolder,
  writeAtomic,
  writeOnce,
} from "@assent/guard/state";
import { type RemoteDemand, readDemand, readProofs, signersOf } from "./passkeys.ts";

/**
 * What this machine has asked people of its team, and what they said: files in `team-member/questions/` of the state folder, where no
 * judged or supervised program comes. Who asks (a hook) and who carries it (`assent team send --follow`) meet here.
 *
 * - `ID.asked`: what was asked. INVARIANT: nothing else is ever answered: an answer carries the id and the hash of a request that is here.
 * - `ID.answer`: what people said, linked to its name (link(2)): there is at most one. INVARIANT: where the question demands passkeys, a yes
 *   that they did not sign is none, whoever wrote it there.
 * - `ID.used`: it was used, or needs no answer any more (open(2): O_EXCL): one yes lets one request through, once.
 */

/** A question that people of the team may answer. */
export interface AskedRemote {
  /** 16 random bytes, base64url. */
  readonly id: string;
  /** `hashRequest` of what was asked. */
  readonly request: string;
  /** Milliseconds since 1970. */
  readonly asked: number;
  /** No yes is one after that. */
  readonly until: number;
  readonly people: 1 | 2;
  /** By whose passkeys a yes has to be signed; undefined: the server's word is enough. */
  readonly passkeys: RemoteDemand | undefined;
  /** What people see, secrets taken out. */
  readonly about: RemoteAbout;
}

export interface RemoteAbout {
  readonly point: QueuePoint;
  readonly agent?: string;
  readonly what: string;
  readonly reason: string;
  readonly folder: string;
  readonly rule?: string;
}

export interface RemoteAnswer {
  readonly id: string;
  readonly request: string;
  readonly answer: "allow" | "deny";
  /** Who gave it. */
  readonly by: readonly string[];
  readonly note?: string;
  /** What their passkeys signed, with a yes. */
  readonly proofs?: readonly PasskeyProof[];
}

const ID = /^[\w-]{22}$/;
const NAME = /^([\w-]{22})\.(asked|answer|used)$/;
/** With all that 200 passkeys are known by. */
const LARGEST = 1 << 20;
const MOST_FILES = 4000;
/** After its end a question stays so long that an answer that is told again is known. */
const STAYS_MS = 2 * 86_400_000;
const SILENT_MS = 20_000;

const memberFolder = (machine: Machine): string => `${stateFolder(machine)}/team-member`;
export const remoteFolder = (machine: Machine): string => `${memberFolder(machine)}/questions`;
const fileOf = (machine: Machine, id: string, what: "asked" | "answer" | "used"): string => `${remoteFolder(machine)}/${id}.${what}`;
const connectedFile = (machine: Machine): string => `${memberFolder(machine)}/connected`;

/** A hash of exactly this request: what asks, where, and what it would do. */
export const hashRequest = (parts: readonly unknown[]): string =>
  createHash("sha256")
    .update(`assent request 1\n${JSON.stringify(parts)}\n`)
    .digest("base64url");

/** Somebody carries questions to the team's server now, and is heard there. */
export function isTeamReached(machine: Machine): boolean {
  try {
    const stats = lstatSync(connectedFile(machine), { throwIfNoEntry: false });
    return stats !== undefined && stats.isFile() && isOwn(stats, machine.uid) && Math.abs(Date.now() - stats.mtimeMs) < SILENT_MS;
  } catch {
    return false;
  }
}

/** Says that questions are carried, until it is closed. */
export function announceTeam(machine: Machine): { close(): void } {
  openLedger(machine);
  return keepFile(connectedFile(machine), `${process.pid}\n`);
}

/** Made where it is missing. Throws where it cannot be kept, or others could write in it. */
export function openLedger(machine: Machine): string {
  const state = openState(machine);
  if ("problem" in state) throw new Error(state.problem);
  ensureFolder(memberFolder(machine));
  const folder = remoteFolder(machine);
  ensureFolder(folder);
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || !isOwn(stats, machine.uid)) throw new Error(`${folder} can be written by others, who could answer`);
  return folder;
}

/** There may be something: one look. */
export const isAnyRemote = (machine: Machine): boolean => lstatSync(remoteFolder(machine), { throwIfNoEntry: false }) !== undefined;

/** Puts a question where it is carried to the team. Throws where it cannot be kept. */
export function askRemote(machine: Machine, asked: Omit<AskedRemote, "id">): AskedRemote {
  openLedger(machine);
  const made = { ...asked, id: randomBytes(16).toString("base64url") };
  const text = `${JSON.stringify({ v: 1, ...made })}\n`;
  if (text.length > LARGEST) throw new Error("the question is too large to be shown");
  writeAtomic(fileOf(machine, made.id, "asked"), text);
  return made;
}

/** A question with what became of it. */
export interface KnownRemote {
  readonly asked: AskedRemote;
  readonly answer: RemoteAnswer | undefined;
  /** Used, or it needs no answer any more. */
  readonly isOver: boolean;
}

/** All that was asked and is not forgotten, the oldest first. */
export function knownRemote(machine: Machine): readonly KnownRemote[] {
  const names = namesIn(machine);
  const over = new Set(names.filter((name) => name.endsWith(".used")).map((name) => name.slice(0, 22)));
  return names
    .flatMap((name): KnownRemote[] => {
      const [, id = "", what] = NAME.exec(name) ?? [];
      if (what !== "asked") return [];
      const asked = readAsked(machine, id);
      return asked === undefined ? [] : [{ asked, answer: readAnswer(machine, asked), isOver: over.has(id) }];
    })
    .toSorted((a, b) => a.asked.asked - b.asked.asked || (a.asked.id < b.asked.id ? -1 : 1));
}

/** What is known of exactly this request: the newest that an answer is still worth something for, and that is none of the others. */
export function findRemote(machine: Machine, request: string, now: number, others: ReadonlySet<string>): KnownRemote | undefined {
  const isMeant = ({ asked, isOver }: KnownRemote): boolean => !isOver && asked.request === request && !others.has(asked.id);
  return knownRemote(machine).findLast((known) => isMeant(known) && isOpenAt(known.asked, now));
}

/** A clock that was set back makes nothing last longer. */
const isOpenAt = ({ asked, until }: AskedRemote, now: number): boolean => now < until && now > asked - 60_000;

/** The answer that came, if one did. INVARIANT: one for another request, or that others could have written, is none. */
export function readAnswer(machine: Machine, asked: AskedRemote): RemoteAnswer | undefined {
  const { id, request } = asked;
  const value = readFileOf(machine, fileOf(machine, id, "answer"));
  if (value === undefined || value["id"] !== id || value["request"] !== request) return undefined;
  const { answer, by, note } = value;
  if ((answer !== "allow" && answer !== "deny") || !Array.isArray(by)) return undefined;
  const names = by.filter((one): one is string => typeof one === "string");
  const proofs = readProofs(value["proofs"]);
  const read: RemoteAnswer = {
    id,
    request,
    answer,
    by: names,
    ...(typeof note === "string" ? { note } : {}),
    ...(proofs.length > 0 ? { proofs } : {}),
  };
  return counted(asked, read);
}

/** As it counts, with the names that it counts for; undefined: too few said yes. One who says yes for two must be two. */
function counted(asked: AskedRemote, answer: RemoteAnswer): RemoteAnswer | undefined {
  if (answer.answer === "deny") return answer;
  const by = asked.passkeys === undefined ? answer.by : signersOf(asked, asked.passkeys, answer.proofs ?? []);
  return new Set(by).size < asked.people ? undefined : { ...answer, by };
}

function readAsked(machine: Machine, id: string): AskedRemote | undefined {
  const value = readFileOf(machine, fileOf(machine, id, "asked"));
  if (value === undefined || value["id"] !== id) return undefined;
  const { request, asked, until, people, about } = value;
  if (typeof request !== "string" || typeof asked !== "number" || typeof until !== "number") return undefined;
  if ((people !== 1 && people !== 2) || !isObject(about)) return undefined;
  const passkeys = value["passkeys"] === undefined ? undefined : readDemand(value["passkeys"]);
  if (passkeys === "broken") return undefined;
  const { agent, what, reason, folder, rule } = about;
  const point = pointOf(about["point"]);
  if (point === undefined || typeof what !== "string" || typeof reason !== "string" || typeof folder !== "string") return undefined;
  const shown: RemoteAbout = {
    point,
    what,
    reason,
    folder,
    ...(typeof agent === "string" ? { agent } : {}),
    ...(typeof rule === "string" ? { rule } : {}),
  };
  return { id, request, asked, until, people, passkeys, about: shown };
}

/**
 * Takes an answer that the server brings. It may come again. `refused`: it is none to anything that was asked, or by too few.
 * `late`: it needs no answer any more.
 */
export function noteAnswer(machine: Machine, answer: RemoteAnswer, now: number): "applied" | "late" | "refused" {
  const asked = ID.test(answer.id) ? readAsked(machine, answer.id) : undefined;
  if (asked === undefined || asked.request !== answer.request) return "refused";
  const there = readAnswer(machine, asked);
  if (there !== undefined) return there.answer === answer.answer ? "applied" : "refused";
  const taken = counted(asked, answer);
  if (taken === undefined) return "refused";
  if (!isOpenAt(asked, now) || lstatSync(fileOf(machine, answer.id, "used"), { throwIfNoEntry: false }) !== undefined) return "late";
  if (writeOnce(fileOf(machine, answer.id, "answer"), `${JSON.stringify({ v: 1, ...taken, at: now })}\n`)) return "applied";
  return readAnswer(machine, asked)?.answer === answer.answer ? "applied" : "refused";
}

/** Uses up the question, so that no answer to it lets anything through any more. False: somebody else did, or it cannot be. */
export function takeRemote(machine: Machine, id: string): boolean {
  if (!ID.test(id)) return false;
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    closeSync(openSync(fileOf(machine, id, "used"), flags, 0o600));
    return true;
  } catch {
    return false;
  }
}

/** Clears away what nobody can answer any more. INVARIANT: the question first: without it its answer is none. */
export function clearRemote(machine: Machine, now: number): void {
  for (const { asked } of knownRemote(machine))
    if (now - asked.until > STAYS_MS || asked.asked - now > STAYS_MS)
      for (const what of ["asked", "answer", "used"] as const) removeFile(fileOf(machine, asked.id, what));
}

function namesIn(machine: Machine): readonly string[] {
  try {
    const folder = remoteFolder(machine);
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isDirectory() || !isOwn(stats, machine.uid)) return [];
    return readdirSync(folder).slice(0, MOST_FILES);
  } catch {
    return [];
  }
}

function readFileOf(machine: Machine, file: string): Readonly<Record<string, unknown>> | undefined {
  const value = readOwnObject(file, LARGEST, machine.uid);
  return value?.["v"] === 1 ? value : undefined;
}
