import { randomBytes } from "node:crypto";
import { readdirSync, unlinkSync } from "node:fs";
import { bootMoment } from "./clock.ts";
import { ensureFolder, errorCode, writeAtomic } from "./files.ts";
import { grantsFolder, LONGEST_GRANT_MS, readGrants, type RuleGrant, type RunGrant, type StoredGrant } from "./grants.ts";
import type { Machine } from "./machine.ts";
import { openState } from "./state.ts";

/** Who has granted so much has another wish: a rule. */
const MOST_GRANTS = 200;

type New = Omit<RuleGrant, "id" | "made"> | Omit<RunGrant, "id" | "made">;

/** Remembers an answer. What is over is cleared away. */
export function addGrant(machine: Machine, grant: New, now: number): { readonly grant: StoredGrant } | { readonly problem: string } {
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
  const found = names.includes(`${id}.json`) && removed(`${folder}/${id}.json`);
  for (const name of names) removed(`${folder}/${name}`);
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
    if (id !== "" && !live.has(id)) removed(`${folder}/${name}`);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removed(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch {
    return false;
  }
}
