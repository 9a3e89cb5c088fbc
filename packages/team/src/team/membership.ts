import * as v from "valibot";
import { errorCode, type Machine, openState, readRegular, stateFolder, writeAtomic, ensureFolder } from "@assent/guard/state";
import { rmSync, unlinkSync } from "node:fs";
import { SENT_LEVELS } from "./level.ts";
import { membershipFile } from "./membership-mark.ts";

const Place = v.object({ segment: v.number(), offset: v.number(), seq: v.number() });
const Level = v.optional(v.picklist(SENT_LEVELS));
const Membership = v.object({
  v: v.literal(1),
  url: v.string(),
  machine: v.string(),
  organisation: v.string(),
  name: v.string(),
  token: v.string(),
  /** What records are salted by: nobody but this machine knows it. */
  salt: v.string(),
  /** A file with certificates that vouch for the server, beside those that Node knows. */
  ca: v.optional(v.string()),
  /** The address of the proxy that leads to the server, which may hold a password. The judge that stays has no environment to ask. */
  proxy: v.optional(v.string()),
  /** How much of each decision is sent; absent: all but the content of files. */
  level: Level,
  /** ISO 8601. */
  joined: v.string(),
  /** Where the log was then: what came before is not sent. */
  from: Place,
});
/** By which level what came before it was sent; absent: full. */
const Mark = v.object({ seq: v.number(), hash: v.string(), place: Place, level: Level });
const Progress = v.object({
  v: v.literal(1),
  epoch: v.number(),
  /** How far the server has what was sent: newest last, some older ones to go back to. */
  marks: v.array(Mark),
});

/** That this machine belongs to a team. In the state folder, for its user alone. */
export type TeamMembership = v.InferOutput<typeof Membership>;
/** How far the log has been sent. */
export type TeamProgress = v.InferOutput<typeof Progress>;

const folderOf = (machine: Machine): string => `${stateFolder(machine)}/team-member`;
const progressFile = (machine: Machine): string => `${folderOf(machine)}/sent.json`;
const MOST = 1 << 20;

function readJson<T>(file: string, schema: v.GenericSchema<unknown, T>): T | "missing" | "broken" {
  const found = readRegular(file, MOST);
  if (found.is !== "text") return found.is;
  try {
    const parsed = v.safeParse(schema, JSON.parse(found.text));
    return parsed.success ? parsed.output : "broken";
  } catch {
    return "broken";
  }
}

export const readMembership = (machine: Machine): TeamMembership | "missing" | "broken" => readJson(membershipFile(machine), Membership);

/** Undefined: it is not known, and all that can be sent is sent again; the server knows what it has. */
export function readProgress(machine: Machine): TeamProgress | undefined {
  const read = readJson(progressFile(machine), Progress);
  return typeof read === "string" ? undefined : read;
}

/** A reason where it cannot be written. */
export function writeMembership(machine: Machine, membership: TeamMembership): string | undefined {
  return written(machine, () => {
    forgetProgress(machine);
    rmSync(`${folderOf(machine)}/joining.json`, { force: true });
    writeAtomic(membershipFile(machine), `${JSON.stringify(membership)}\n`);
  });
}

/** The same membership, reached in another way: what was sent stays sent. A reason where it cannot be written. */
export const changeMembership = (machine: Machine, membership: TeamMembership): string | undefined =>
  written(machine, () => writeAtomic(membershipFile(machine), `${JSON.stringify(membership)}\n`));

export const writeProgress = (machine: Machine, progress: TeamProgress): string | undefined =>
  written(machine, () => writeAtomic(progressFile(machine), `${JSON.stringify(progress)}\n`));

function written(machine: Machine, write: () => void): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  try {
    ensureFolder(folderOf(machine));
    write();
    return undefined;
  } catch (error) {
    return `${folderOf(machine)} cannot be written: ${errorCode(error)}`;
  }
}

function forgetProgress(machine: Machine): void {
  try {
    unlinkSync(progressFile(machine));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** Nothing of the team stays on this machine but the log, which was its own before. First what says that there is one: who sends sees it. */
export function forgetTeam(machine: Machine): void {
  rmSync(membershipFile(machine), { force: true });
  rmSync(folderOf(machine), { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}
