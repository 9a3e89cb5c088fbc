import { chmodSync, lstatSync, readdirSync, renameSync } from "node:fs";
import { isObject, parseObject, sha256 } from "@assent/core/data";
import { type BootMoment, bootMoment, isBootMoment, passedSince } from "./clock.ts";
import { ensureFolder, errorCode, isOwn, readRegular, removeFile, writeAtomic } from "./files.ts";
import type { Machine } from "./machine.ts";
import { randomHex } from "./random.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * What a hook leaves for the program that a host starts in the place of a command: who asked, and what for. A file each in
 * `tickets/` of the state folder, taken once. A ticket loosens nothing by itself: the command is confined with or without it.
 */
export interface Ticket {
  readonly agent: string;
  /** The host's; a command without one belongs to no session. */
  readonly session?: string;
  /** The host's name of the call. */
  readonly toolUse?: string;
  readonly command: string;
  /** As the agent gave it, where the host starts another text around it; and the file of its own that the host writes there. */
  readonly given?: string;
  readonly aside?: string;
  readonly cwd: string;
  /** What only looks goes first, as it is, and these texts are the rest, with `(exit STATUS)` of the first between them. */
  readonly first?: string;
  readonly rest?: readonly string[];
  /** Where the session started. */
  readonly root: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The hook answered that it may start as it is: only for a host that starts every command through Assent. */
  readonly bare?: true;
  /** Then, where nobody was asked: the files of the programs that it starts, but for those of which a rule says that they are not confined. */
  readonly starts?: readonly string[];
  /**
   * No command, but the gateway in front of a server, which a person's own settings name: the words behind `assent mcp`. What starts is
   * this Assent, whatever stands in the command.
   */
  readonly gateway?: readonly string[];
  /** Nothing is started, and this is why: a client that waits for a server is answered so. */
  readonly refused?: string;
  /** The host's hook that hears of the command's end tells what was refused (confined-reports.ts); else it stands on standard error. */
  readonly reports?: true;
  /**
   * The policies of a guard in a program, by which the run goes in the place of the machine's (engine/given). Such a ticket is sealed: its
   * number is the digest of its text.
   */
  readonly policies?: Readonly<Record<string, unknown>>;
  /** Where that program listens for what the run refuses (`tell-guard.ts`). */
  readonly tells?: Readonly<Record<string, unknown>>;
}

const TICKETS = "tickets";
const ID = /^[0-9a-f]{16}(?:[0-9a-f]{48})?$/;
/** A person may think about the host's own question meanwhile. */
export const TICKET_LASTS_MS = 10 * 60_000;
/** Clocks of one machine, set while a process was reading them. */
const CLOCKS_MS = 60_000;
const MAX_BYTES = 1 << 20;
/** With policies. */
const MAX_SEALED = 4 << 20;
/** Names that are looked at when old ones are cleared away. */
const MOST_FILES = 4000;
/** INVARIANT: an unknown field could have narrowed it. */
const FIELDS = new Set(
  (
    "v id agent session toolUse command given aside first rest cwd root time bare starts gateway refused reports policies " +
    "tells boot up"
  ).split(" "),
);

export const ticketsFolder = (machine: Machine): string => `${stateFolder(machine)}/${TICKETS}`;

/** The id of the ticket for a command of a session, where the program that takes it is told nothing but these. */
export function ticketIdOf(session: string, command: string): string {
  return sha256([Buffer.from(JSON.stringify([session, command]))])
    .toString("hex")
    .slice(0, 16);
}

/** Leaves a ticket; without an id, under one that nobody can guess. What is too old is cleared away. */
export const writeTicket = (
  machine: Machine,
  ticket: Omit<Ticket, "time">,
  now: number = Date.now(),
  id: string = randomHex(8),
): WrittenTicket => leave(machine, `${JSON.stringify({ v: 1, id, ...ticket, time: now, ...bootMoment() })}\n`, id, now);

/**
 * Leaves a ticket without which its command is not started at all: its number is the digest of its text, so that whoever has the number
 * starts what was judged, by the policies by which it was, or nothing. Nobody can guess it.
 */
export function writeSealedTicket(machine: Machine, ticket: Omit<Ticket, "time">, now: number = Date.now()): WrittenTicket {
  const text = `${JSON.stringify({ v: 1, id: randomHex(16), ...ticket, time: now, ...bootMoment() })}\n`;
  return leave(machine, text, digestOf(text), now);
}

/** The number of a ticket that is sealed: where it is not found, nothing is started. */
export const isSealed = (id: string): boolean => id.length > UNSEALED && ID.test(id);

const UNSEALED = 16;

const mostBytes = (id: string): number => (isSealed(id) ? MAX_SEALED : MAX_BYTES);

const digestOf = (text: string): string => sha256([Buffer.from(text)]).toString("hex");

type WrittenTicket = { readonly id: string } | { readonly problem: string };

function leave(machine: Machine, text: string, id: string, now: number): WrittenTicket {
  const state = openState(machine);
  if ("problem" in state) return state;
  try {
    const folder = ticketsFolder(machine);
    ensureFolder(folder);
    const stats = lstatSync(folder);
    if (!stats.isDirectory() || !isOwn(stats, machine.uid)) return { problem: `${folder} is not a folder of this user alone` };
    if ((stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    clearOld(folder, now);
    if (Buffer.byteLength(text) > mostBytes(id))
      return { problem: isSealed(id) ? "the command and the policy are too long" : "the command is too long" };
    writeAtomic(`${folder}/${id}.json`, text);
    return { id };
  } catch (error) {
    return { problem: `no ticket can be written: ${errorCode(error)}` };
  }
}

/**
 * Takes a ticket: whoever renames the file has it (rename(2) of a name that is gone fails), everybody else finds none.
 * INVARIANT: one that is damaged, too old, from the future, or that others could have written, is none.
 */
export function takeTicket(machine: Machine, id: string, now: number = Date.now()): Ticket | undefined {
  if (!ID.test(id)) return undefined;
  const folder = ticketsFolder(machine);
  const taken = `${folder}/${id}.${randomHex(8)}.taken`;
  try {
    const stats = lstatSync(folder);
    if (!stats.isDirectory() || !isOwn(stats, machine.uid)) return undefined;
    renameSync(`${folder}/${id}.json`, taken);
  } catch {
    return undefined;
  }
  try {
    if (!lstatSync(taken).isFile()) return undefined;
    const found = readRegular(taken, mostBytes(id));
    return found.is === "text" && isOwn(found.stats, machine.uid) ? parse(found.text, id, now) : undefined;
  } catch {
    return undefined;
  } finally {
    removeFile(taken);
  }
}

function parse(json: string, id: string, now: number): Ticket | undefined {
  const value = parseObject(json);
  const sealed = isSealed(id);
  if (value?.["v"] !== 1 || !Object.keys(value).every((name) => FIELDS.has(name))) return undefined;
  if (sealed ? digestOf(json) !== id || !isObject(value["policies"]) : value["id"] !== id || value["policies"] !== undefined)
    return undefined;
  const { agent, session, toolUse, command, given, aside, first, rest, cwd, root, time, bare, starts, gateway, refused, reports } = value;
  const { policies, tells } = value;
  if (!text(agent) || !text(command) || !text(cwd) || !text(root) || typeof time !== "number") return undefined;
  if (!maybe(session) || !maybe(toolUse) || !maybe(given) || !maybe(aside) || !maybe(first) || !maybe(refused)) return undefined;
  if (!maybeTexts(rest) || (first === undefined) !== (rest === undefined) || (rest !== undefined && rest.length !== 2)) return undefined;
  if ((bare !== undefined && bare !== true) || (reports !== undefined && reports !== true)) return undefined;
  if (!maybeTexts(starts) || !maybeTexts(gateway)) return undefined;
  if (!isFresh(time, value, now)) return undefined;
  return {
    agent,
    ...(session === undefined ? {} : { session }),
    ...(toolUse === undefined ? {} : { toolUse }),
    command,
    ...(given === undefined ? {} : { given }),
    ...(aside === undefined ? {} : { aside }),
    ...(first === undefined || rest === undefined ? {} : { first, rest }),
    cwd,
    root,
    time,
    ...(bare === undefined ? {} : { bare }),
    ...(starts === undefined ? {} : { starts }),
    ...(gateway === undefined ? {} : { gateway }),
    ...(refused === undefined ? {} : { refused }),
    ...(reports === undefined ? {} : { reports }),
    ...(isObject(policies) ? { policies, ...(isObject(tells) ? { tells } : {}) } : {}),
  };
}

const text = (value: unknown): value is string => typeof value === "string" && value !== "";
const maybe = (value: unknown): value is string | undefined => value === undefined || text(value);
const maybeTexts = (value: unknown): value is readonly string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every((item) => typeof item === "string"));

function isFresh(time: number, moment: Partial<Record<keyof BootMoment, unknown>>, now: number): boolean {
  if (!(time <= now + CLOCKS_MS && now - time < TICKET_LASTS_MS)) return false;
  // The wall clock may have been set back since.
  const passed = isBootMoment(moment) ? passedSince(moment) : undefined;
  return passed !== undefined && passed < TICKET_LASTS_MS;
}

function clearOld(folder: string, now: number): void {
  for (const name of readdirSync(folder).slice(0, MOST_FILES)) {
    const stats = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
    if (stats !== undefined && now - stats.mtimeMs >= TICKET_LASTS_MS) removeFile(`${folder}/${name}`);
  }
}
