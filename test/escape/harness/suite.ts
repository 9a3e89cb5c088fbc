import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { inside, suiteFolder, type Outcome } from "./inside.ts";
import { chooseOther, OTHER_COMMAND, OTHER_ENGINE, OTHER_OUTCOMES } from "./other-engine.ts";
import type { Expect, One, Program } from "./program.ts";
import { fill, give, makeWorld, SECRET, snapshot, type User, type World } from "./world.ts";

/** One test of supervision.md section 5. Its number there; a neighbour of ours has a letter behind it. */
export interface Row {
  readonly number: string;
  readonly title: string;
  readonly program: Program;
  /** Makes more of the world, before anything runs. */
  readonly setUp?: (world: World) => void;
  readonly prelude?: string;
  readonly beside?: string;
  readonly after?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** More rules of the user's policy file. */
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  /** Options of `assent run` in the place of -P. */
  readonly options?: readonly string[];
  /** Starts the supervisor: `CMD assent run …`. */
  readonly wrap?: readonly string[];
  /** The one architecture that has what is tried. */
  readonly on?: NodeJS.Architecture;
  /** What is tried is code of 32 bits, which some kernels and hosts of virtual machines do not run. */
  readonly of32Bits?: true;
  /** By default both. */
  readonly as?: readonly User[];
  /** Calls that the record of the run must show as refused. */
  readonly refused?: readonly string[];
  /** Folders that must be as they were. */
  readonly unchanged?: readonly string[];
  /** The secret may be seen: somebody allowed it. */
  readonly open?: boolean;
  /** Why the program is not tried without supervision. */
  readonly bare?: string;
  /** By default 0; undefined: any. */
  readonly status?: number | "any";
  /** What else is wrong with the supervised run. */
  readonly check?: (run: Seen) => readonly string[];
  readonly seconds?: number;
}

export interface Seen extends Outcome {
  readonly world: World;
  readonly user: User;
  /** How the folders that must stay differ. */
  readonly changed: readonly string[];
  readonly events: readonly Event[];
}

/** What the tests look at of one line of `assent run --json`. */
export interface Event {
  readonly text: string;
  readonly call: { readonly name: string; readonly args: readonly (string | readonly string[])[] };
  readonly verdict: string;
  readonly outcome: string;
}

const EVENTS = "$LOG/events";
/** More of them where the first bare run shows nothing. */
const ATTEMPTS = 4;
/**
 * `ESCAPE_CONTAINER=docker`, `docker-ptrace` or `podman`: supervised behind the filter that this engine puts around a container, which
 * refuses calls that the supervisor likes to make.
 */
const { ESCAPE_CONTAINER } = process.env;
const CONTAINER = ESCAPE_CONTAINER === undefined ? [] : ["/media/container-filter", ESCAPE_CONTAINER];
const users: readonly User[] = ["root", "user"];
/** An emulated machine takes its time. */
export const SLOWER = Number(process.env["ESCAPE_SLOWER"] ?? 1);

/** Declares the tests of one family. Each runs without supervision first, where it must succeed at what it tries. */
export function escapes(family: string, rows: readonly Row[]): void {
  describe.concurrent(family, () => {
    const worlds: World[] = [];
    afterAll(() => {
      for (const world of worlds) rmSync(world.root, { recursive: true, force: true });
    });
    for (const row of rows.filter(
      ({ on = process.arch, options, wrap }) => on === process.arch && !(OTHER_ENGINE && (options ?? wrap) !== undefined),
    ))
      for (const user of row.as ?? users)
        it(`${row.number} ${row.title} (${user})`, { timeout: (row.seconds ?? 40) * SLOWER * 5000 }, async ({ expect, skip }) => {
          if (row.of32Bits === true && !runs32Bits()) skip("this machine runs no code of 32 bits");
          const world = (): World => {
            const made = makeWorld();
            worlds.push(made);
            return made;
          };
          let bare = row.bare === undefined ? await once(row, user, world(), false) : undefined;
          // A race is won now and then: on a machine that is busy not at the first attempt.
          for (let again = 0; again < ATTEMPTS && bare !== undefined && problemsBare(row, bare).length > 0; again++)
            bare = await once(row, user, world(), false);
          if (bare !== undefined) expect(problemsBare(row, bare), tell(bare, "without supervision")).toEqual([]);
          // For those who write rows: whether a probe can do harm at all.
          if (process.env["ESCAPE_BARE"] !== undefined) return;
          const seen = await once(row, user, world(), true);
          expect(problems(row, bare, seen), tell(seen, "supervised")).toEqual([]);
        });
  });
}

/** A program of the other ABI that only ends: it is none here (ENOEXEC) where the kernel or its host runs no such code. */
const runs32Bits = (): boolean => spawnSync(join(suiteFolder(), "exit-elf32"), { timeout: 20_000 }).status === 0;

async function once(row: Row, user: User, world: World, supervised: boolean): Promise<Seen> {
  row.setUp?.(world);
  if (OTHER_ENGINE) chooseOther(world);
  writeFileSync(world.at("$HOME/.agent-permissions.jsonc"), policy(row));
  if (row.program.script !== undefined) writeFileSync(world.at("$LOG/program"), fill(row.program.script));
  give(world, user);
  const kept = (row.unchanged ?? ["$O", "$S"]).map((folder) => ({ folder, lines: snapshot(world.at(folder)) }));
  const ours = ["/media/assent/dist/bin.cjs", "run", ...(row.options ?? ["-P"]), "--profile", "escape", "--json", "--output", EVENTS, "--"];
  const command = OTHER_ENGINE ? OTHER_COMMAND : [...(row.wrap ?? []), ...CONTAINER, process.execPath, ...ours];
  const outcome = await inside({
    world,
    user,
    argv: [...(supervised ? command : []), ...row.program.argv],
    seconds: (row.seconds ?? 40) * SLOWER,
    ...(row.env === undefined ? {} : { env: row.env }),
    ...(row.prelude === undefined ? {} : { prelude: row.prelude }),
    ...(row.beside === undefined ? {} : { beside: row.beside }),
    ...(row.after === undefined ? {} : { after: row.after }),
  });
  const changed = kept.flatMap(({ folder, lines }) => difference(folder, lines, snapshot(world.at(folder))));
  return { ...outcome, world, user, changed, events: supervised ? events(world) : [] };
}

/** What makes the bare run no proof. */
function problemsBare(row: Row, { labels, timedOut }: Seen): string[] {
  const all = timedOut ? ["it hung"] : [];
  for (const [label, expected] of Object.entries(row.program.expect)) {
    const [bare] = pair(expected);
    const got = labels.get(label);
    if (!fits(got, bare, undefined)) all.push(`${label} is ${got}, not ${String(bare)}`);
  }
  return all;
}

function problems(row: Row, bare: Seen | undefined, seen: Seen): string[] {
  if (OTHER_ENGINE) return escapesOf(row, seen);
  const { labels, timedOut, changed, stdout, stderr } = seen;
  const all = [...(timedOut ? ["it hung"] : []), ...changed];
  if (row.open !== true && `${stdout}${stderr}`.includes(SECRET)) all.push("the secret got out");
  const status = labels.get("exit-status");
  if (row.status !== "any" && status !== String(row.status ?? 0)) all.push(`exit status ${status}`);
  for (const [label, expected] of Object.entries(row.program.expect)) {
    const [, within] = pair(expected);
    const native = bare?.labels.get(label);
    const got = labels.get(label);
    if (!fits(got, within, native)) all.push(`${label} is ${got}, not ${within === "same" ? native : String(within)}`);
  }
  const refused = seen.events.filter(({ outcome }) => outcome === "refused").map(({ call }) => call.name);
  for (const name of row.refused ?? []) if (!refused.includes(name)) all.push(`no record of a refused ${name}`);
  return [...all, ...(row.check?.(seen) ?? [])];
}

/** Of the other engine only what was reached that should not be: it says no in other words, and writes down less. */
function escapesOf(row: Row, { labels, changed, stdout, stderr }: Seen): string[] {
  const all = [...changed];
  if (row.open !== true && `${stdout}${stderr}`.includes(SECRET)) all.push("the secret got out");
  const started = labels.get("exit-status") !== "125";
  const reached = Object.entries(row.program.expect).flatMap(([label, expected]) => {
    const [, within] = pair(expected);
    const got = labels.get(label) ?? "";
    const works = (within === "refused" || within === "hidden" || within === "absent") && /^(?:ok$|-?\d)/.test(got);
    return works ? [`${label} works: ${got}`] : [];
  });
  const [outcome, why] = OTHER_OUTCOMES[row.number] ?? [];
  if (outcome === "not started") return [...all, ...(started ? ["it was started"] : [])];
  if (!started) all.push("it was not started");
  if (outcome === "harmless") return all;
  all.push(...reached);
  if (outcome === "open") return all.length > 0 ? [] : [`it holds: it is no longer true that ${why}`];
  return all;
}

function difference(folder: string, before: readonly string[], after: readonly string[]): string[] {
  const gone = before.filter((line) => !after.includes(line)).map((line) => `${folder} lost ${line}`);
  return [...gone, ...after.filter((line) => !before.includes(line)).map((line) => `${folder} got ${line}`)];
}

function pair(expected: Expect): readonly [One, One] {
  if (typeof expected === "string" || expected instanceof RegExp) {
    const attack = expected === "refused" || expected === "hidden" || expected === "absent";
    return attack ? ["works", expected] : [expected === "same" ? "any" : expected, expected];
  }
  return expected;
}

const REFUSED = ["EACCES", "EPERM", "failed"];

function fits(text: string | undefined, expected: One, native: string | undefined): boolean {
  if (expected === "any") return true;
  if (expected instanceof RegExp) return expected.test(String(text));
  if (text === undefined) return false;
  const works = /^(?:ok$|-?\d)/.test(text);
  switch (expected) {
    case "refused":
      return REFUSED.includes(text);
    case "hidden":
      return REFUSED.includes(text) || text === "ENOENT";
    case "absent":
      return REFUSED.includes(text) || text === "ENOSYS";
    case "works":
      return works;
    case "same":
      return native === undefined || text === native || (works && /^(?:ok$|\d)/.test(native));
    default:
      return text === expected;
  }
}

const policy = ({ allow = [], ask = [], deny = [] }: Row): string =>
  fill(JSON.stringify({ version: 1, permissions: { allow, ask, deny: ["Read($S/**)", ...deny] } }, undefined, 2));

function events(world: World): Event[] {
  let text: string;
  try {
    text = readFileSync(world.at(EVENTS), "utf8");
  } catch {
    return [];
  }
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);
}

/** What happened, for the message of a failing test. */
function tell({ stdout, stderr, events: all, user }: Seen, how: string): string {
  const notable = all.filter(({ outcome, verdict }) => outcome === "refused" || outcome === "failed" || verdict !== "allow");
  const record = notable.slice(-30).map((event) => `${event.text} = ${event.outcome} [${event.verdict}]`);
  return [`${how}, ${user}`, "--- stdout", stdout.slice(-3000), "--- stderr", stderr.slice(-3000), "--- record", ...record, "---"].join(
    "\n",
  );
}
