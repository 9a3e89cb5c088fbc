import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, readdirSync, statSync, type BigIntStats } from "node:fs";
import { attempt, isObject } from "@assent/core/data";
import { bootMoment, isBootMoment, passedSince } from "./clock.ts";
import { ensureFolder, errorCode, isOwn, readRegular, removeFile, writeAtomic } from "./files.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";
import { LONGEST_GRANT_MS } from "@assent/core/policy";

export { LONGEST_GRANT_MS };

/**
 * Remembered answers: a file each in `grants/` of the state folder, so that one is made and taken back in one step and no
 * two processes change the same file. A use of a grant that holds a number of times is a file, too, which only one process
 * can make (open(2): O_EXCL): a grant is never used more often than it says, whoever is killed or stopped meanwhile.
 */

/** How a process is told from a later one with its number. */
export interface Holder {
  readonly pid: number;
  /** Clock ticks since boot when it started (proc_pid_stat(5), field 22). */
  readonly started: number;
  /** Names the process-id namespace that `pid` counts in. */
  readonly namespace: string;
}

interface GrantOrigin {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly made: number;
  readonly until: number;
  /** When it was made on the clock that cannot be set back. */
  readonly boot?: string;
  readonly up?: number;
  /** Who made it: `you, at the terminal`, `MCP gateway`. */
  readonly by: string;
  readonly why?: string;
  /** What was asked, where it answered a question: the rule's text and place, or the id of the built-in entry. */
  readonly answered?: string;
  /** Name of the program that asked; it holds for what that program does. */
  readonly program?: string;
}

/** An answer to whatever the rule speaks of. All that is given must hold. */
export interface RuleGrant extends GrantOrigin {
  readonly kind: "rule";
  /** As it would stand in `permissions.allow`. */
  readonly rule: string;
  readonly session?: string;
  /** The host agent or the sub-agent, folded. */
  readonly agent?: string;
  /** Canonical folder: it holds for what happens inside. */
  readonly project?: string;
  readonly count?: number;
  /** It lifts the sandbox as well: what it allows is not confined. */
  readonly confined?: false;
}

/** An answer to one run's question. It holds in that run's memory only; this is how others see it and take it back. */
export interface RunGrant extends GrantOrigin {
  readonly kind: "run";
  readonly run: string;
  readonly holder: Holder;
  /** What was asked about, for people. */
  readonly what: string;
  readonly scope: "session" | "tree";
}

export type StoredGrant = RuleGrant | RunGrant;

export const GRANTS = "grants";
const MAX_BYTES = 1 << 16;
/** Files that are looked at: a folder somebody has filled grants nothing more. */
const MOST_FILES = 4000;
const NAME = /^([a-z0-9]{6,12})\.json$/;
const USE = /^([a-z0-9]{6,12})\.use-\d+$/;
export const MOST_USES = 1000;

export const grantsFolder = (machine: Machine): string => `${stateFolder(machine)}/${GRANTS}`;

export interface Grants {
  /** Those that hold now, the oldest first. */
  readonly all: readonly StoredGrant[];
  /** How often each has been used. */
  readonly uses: ReadonlyMap<string, number>;
  /** Files that are none, or that are over: they grant nothing. */
  readonly void: readonly { readonly name: string; readonly why: string }[];
}

export const NO_GRANTS: Grants = { all: [], uses: new Map(), void: [] };

/**
 * What has been granted; `holder` is whose grants are meant, where a program keeps them for several.
 * INVARIANT: a file that is damaged, that others could have written, that is over, or that comes
 * from the future grants nothing.
 */
export function readGrants(machine: Machine, now: number, holder = ""): Grants {
  if (machine.memory !== undefined) return machine.memory.grants(holder, now);
  const folder = grantsFolder(machine);
  let names: readonly string[];
  try {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) return NO_GRANTS;
    if (!isOwn(stats, machine.uid)) return { ...NO_GRANTS, void: [{ name: GRANTS, why: "others may write the folder" }] };
    names = readdirSync(folder).slice(0, MOST_FILES);
  } catch {
    return NO_GRANTS;
  }
  const all: StoredGrant[] = [];
  const over: Grants["void"][number][] = [];
  const uses = new Map<string, number>();
  for (const name of names) {
    const used = USE.exec(name)?.[1];
    if (used !== undefined) uses.set(used, (uses.get(used) ?? 0) + 1);
    const [, id] = NAME.exec(name) ?? [];
    if (id === undefined) continue;
    const read = grantIn(`${folder}/${name}`, id, machine, now);
    if ("why" in read) over.push({ name, why: read.why });
    else all.push(read.grant);
  }
  return { all: all.toSorted((a, b) => a.made - b.made || (a.id < b.id ? -1 : 1)), uses, void: over };
}

type ReadGrant = { readonly grant: StoredGrant } | { readonly why: string };

function grantIn(file: string, id: string, machine: Machine, now: number): ReadGrant {
  const found = readRegular(file, MAX_BYTES);
  if (found.is !== "text") return { why: found.is === "missing" ? "is gone" : found.why };
  if (!isOwn(found.stats, machine.uid)) return { why: "others could have written it" };
  const grant = parse(found.text);
  if (grant === undefined || grant.id !== id) return { why: "is damaged" };
  if (grant.made > now + CLOCKS_MS || grant.until > grant.made + LONGEST_GRANT_MS) return { why: "is from the future" };
  const passed = isBootMoment(grant) ? passedSince(grant) : undefined;
  const over = grant.until <= now || (passed !== undefined && passed >= grant.until - grant.made);
  return over ? { why: "is over" } : { grant };
}

/** Clocks of one machine, set while a process was reading them. */
const CLOCKS_MS = 60_000;

const text = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= 8192;
const number = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const TEXTS = ["why", "answered", "program"] as const;
const SCOPES = ["session", "agent", "project"] as const;
/** INVARIANT: an unknown field could have narrowed it. */
const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  rule: new Set(["v", "kind", "id", "made", "until", "boot", "up", "by", ...TEXTS, "rule", "count", "confined", ...SCOPES]),
  run: new Set(["v", "kind", "id", "made", "until", "boot", "up", "by", ...TEXTS, "run", "holder", "what", "scope"]),
};

function parse(json: string): StoredGrant | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (!isObject(value)) return undefined;
    const { v, kind, id, made, until, by } = value;
    if (v !== 1 || (kind !== "rule" && kind !== "run") || !text(id) || !number(made) || !number(until) || !text(by)) return undefined;
    if (!Object.keys(value).every((name) => FIELDS[kind]?.has(name))) return undefined;
    const optional = kind === "rule" ? [...TEXTS, ...SCOPES] : TEXTS;
    if (!optional.every((name) => value[name] === undefined || text(value[name]))) return undefined;
    const common = {
      id,
      made,
      until,
      by,
      ...(isBootMoment(value) ? { boot: value.boot, up: value.up } : {}),
      ...Object.fromEntries(optional.flatMap((name) => (text(value[name]) ? [[name, value[name]]] : []))),
    };
    return kind === "rule" ? ruleGrant(common, value) : runGrant(common, value);
  } catch {
    return undefined;
  }
}

function ruleGrant(common: GrantOrigin, { rule, count, confined }: Readonly<Record<string, unknown>>): RuleGrant | undefined {
  if (!text(rule) || (confined !== undefined && confined !== false)) return undefined;
  const grant: RuleGrant = { ...common, kind: "rule", rule, ...(confined === false ? { confined: false } : {}) };
  if (count === undefined) return grant;
  return number(count) && Number.isInteger(count) && count > 0 && count <= MOST_USES ? { ...grant, count } : undefined;
}

function runGrant(common: GrantOrigin, { run, holder, what, scope }: Readonly<Record<string, unknown>>): RunGrant | undefined {
  if (!text(run) || !text(what) || (scope !== "session" && scope !== "tree") || !isObject(holder)) return undefined;
  const { pid, started, namespace } = holder;
  if (!number(pid) || !number(started) || typeof namespace !== "string") return undefined;
  return { ...common, kind: "run", run, what, scope, holder: { pid, started, namespace } };
}

/**
 * Uses a grant `times` times, or not at all. What was taken by a process that then finds too few left stays taken.
 * Undefined: done; else why not.
 */
export function useGrant(machine: Machine, { id, count }: RuleGrant, times: number): string | undefined {
  if (count === undefined) return undefined;
  if (machine.memory !== undefined) return machine.memory.useGrant(id, count, times) ? undefined : "it is used up";
  const folder = grantsFolder(machine);
  try {
    let taken = 0;
    for (let slot = 1; slot <= count && taken < times; slot++) if (take(`${folder}/${id}.use-${slot}`)) taken += 1;
    // INVARIANT: a grant goes before its uses do. Where it still is, none of them had been cleared away.
    if (!stillGranted(machine, id)) return "it was taken back";
    return taken === times ? undefined : "it is used up";
  } catch (error) {
    return errorCode(error);
  }
}

function take(slot: string): boolean {
  try {
    closeSync(openSync(slot, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** True while nobody has taken it back. */
export function stillGranted(machine: Machine, id: string): boolean {
  return statSync(`${grantsFolder(machine)}/${id}.json`, { throwIfNoEntry: false }) !== undefined;
}

/** Younger than this, a folder may change again without its time changing (the kernel's clock ticks every 1 to 10 ms). */
const TICK_NS = 20_000_000n;

/** Changes whenever a grant is made, used or taken back; undefined where there have been none. */
export function grantsStamp(machine: Machine): string | undefined {
  let stats: BigIntStats | undefined;
  try {
    stats = statSync(grantsFolder(machine), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
  if (stats === undefined) return undefined;
  const now = BigInt(Date.now()) * 1_000_000n;
  return now - stats.mtimeNs < TICK_NS ? `${stats.mtimeNs} ${process.hrtime.bigint()}` : `${stats.ino} ${stats.mtimeNs}`;
}

/** Who has granted so much has another wish: a rule. */
const MOST_GRANTS = 200;

export type NewGrant = Omit<RuleGrant, "id" | "made"> | Omit<RunGrant, "id" | "made">;

/** Remembers an answer. What is over is cleared away. */
export function addGrant(machine: Machine, grant: NewGrant, now: number): { readonly grant: StoredGrant } | { readonly problem: string } {
  const state = openState(machine);
  if ("problem" in state) return state;
  try {
    const folder = grantsFolder(machine);
    ensureFolder(folder);
    pruneGrants(machine, now);
    if (readGrants(machine, now).all.length >= MOST_GRANTS)
      return { problem: `there are ${MOST_GRANTS} grants already: \`assent grants revoke\` takes some back` };
    // 40 bits: no two are alike, and a person can type them.
    const id = BigInt(`0x${randomBytes(5).toString("hex")}`)
      .toString(32)
      .padStart(8, "0");
    const made = { ...grant, id, made: now, ...bootMoment(), until: Math.min(grant.until, now + LONGEST_GRANT_MS) };
    writeAtomic(`${folder}/${id}.json`, `${JSON.stringify({ v: 1, ...made })}\n`);
    return { grant: made };
  } catch (error) {
    return { problem: `the grant cannot be kept: ${errorCode(error)}` };
  }
}

/** Takes a grant back. False: there is none of that id. */
export function revokeGrant(machine: Machine, id: string): boolean {
  const folder = grantsFolder(machine);
  const names = namesIn(folder).filter((name) => name.startsWith(`${id}.`));
  // The grant first: whoever uses it now looks for it before he does.
  const found = names.includes(`${id}.json`) && removeFile(`${folder}/${id}.json`);
  for (const name of names) removeFile(`${folder}/${name}`);
  return found;
}

/** Clears away what is over, is used up or never was a grant, and the uses of what is gone. */
export function pruneGrants(machine: Machine, now: number): void {
  const folder = grantsFolder(machine);
  // Before it is looked which hold: what comes to be meanwhile stays.
  const names = namesIn(folder).toSorted((a, b) => Number(b.endsWith(".json")) - Number(a.endsWith(".json")));
  const { all, uses } = readGrants(machine, now);
  const live = new Set(
    all.filter((grant) => grant.kind === "run" || grant.count === undefined || (uses.get(grant.id) ?? 0) < grant.count).map(({ id }) => id),
  );
  for (const name of names) {
    const [, id = ""] = /^([a-z0-9]+)\.(?:json|use-\d+)$/.exec(name) ?? [];
    if (id !== "" && !live.has(id)) removeFile(`${folder}/${name}`);
  }
}

function namesIn(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder), []);
}
