import { spawn } from "node:child_process";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { architectureOf, commandPrograms, installedProgram } from "@assent/hosts/agents/install";
import { isAlive } from "@assent/guard/approve";
import { isSpareWaiting, readLife, type DaemonLife, daemonPlace } from "../daemon/index.ts";
import { errorCode, type Machine, openState, daemonFolder, thisMachine, writeAtomic } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { isTeamReached } from "@assent/team/team/remote";
import { membershipMark, readSender } from "@assent/team/team";
import { writeJson } from "./json.ts";
import { complain, failing } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { confirmed, unattended } from "./terminal.ts";

const COMMAND = "daemon";
const fail = failing(COMMAND);
/** A hook waits as long for an answer. */
const PATIENCE_MS = 300;
const END_MS = 2000;

interface DaemonReport {
  /** A person wants one. */
  readonly on: boolean;
  /** It takes calls. */
  readonly answers: boolean;
  readonly life: DaemonLife | undefined;
  /** A supervisor for the next confined command; `unused`: no host has one to start. */
  readonly supervisor: "waits" | "none" | "unused";
  /** Whether it sends to the team of this machine; undefined: it has none. */
  readonly team: "connected" | "away" | "other" | undefined;
}

async function reportOn(machine: Machine): Promise<DaemonReport> {
  const folder = daemonFolder(machine);
  const on = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!on || !isPossible(machine)) return { on, answers: false, life: undefined, supervisor: "none", team: undefined };
  const team = teamOf(machine);
  const place = daemonPlace(folder);
  return { on, answers: await takesCalls(place.socket), life: readLife(place), supervisor: supervisorFor(machine, folder), team };
}

function teamOf(machine: Machine): DaemonReport["team"] {
  if (membershipMark(machine) === "") return undefined;
  if (readSender(machine)?.by !== "daemon") return "other";
  return isTeamReached(machine) ? "connected" : "away";
}

function supervisorFor({ home }: Machine, folder: string): DaemonReport["supervisor"] {
  if (!commandPrograms(home).some((file) => statSync(file, { throwIfNoEntry: false }) !== undefined)) return "unused";
  return isSpareWaiting(folder) ? "waits" : "none";
}

/** A static program asks the judge that stays: where there is none, each hook call starts its own. */
const isPossible = ({ platform }: Machine): boolean => architectureOf(platform, process.arch) !== undefined;

/** Ends at once what is no call: who does not even that has stopped. */
async function takesCalls(socket: string): Promise<boolean> {
  const connection = connect(socket);
  try {
    return await new Promise<boolean>((resolve) => {
      connection.once("error", () => resolve(false));
      connection.once("close", () => resolve(true));
      connection.once("connect", () => connection.end("?".repeat(64)));
      setTimeout(() => resolve(false), PATIENCE_MS).unref();
    });
  } finally {
    connection.destroy();
  }
}

/** `assent daemon`: whether a judge stays between calls, and how it goes with it. */
export async function daemon(options: { readonly json?: boolean }): Promise<number> {
  const machine = thisMachine();
  const report = await reportOn(machine);
  const { on, answers, life, supervisor, team } = report;
  if (options.json === true) {
    const { pid, since, answered, left } = life ?? {};
    const running =
      life === undefined
        ? null
        : { pid, since: new Date(since ?? 0).toISOString(), answered, left, answers, supervisor, team: team ?? null };
    return writeJson({ on, possible: isPossible(machine), running });
  }
  writeStdout(`${say(machine, report).join("\n")}\n`);
  return 0;
}

const NEEDED = "that needs Linux on x86-64 or arm64";

const SUPERVISOR: Readonly<Record<DaemonReport["supervisor"], readonly string[]>> = {
  waits: ["  a supervisor waits for the next sandboxed command"],
  none: ["  no supervisor waits: the next sandboxed command starts its own"],
  unused: [],
};

const TEAM = {
  connected: ["  it sends to the team (assent team status)"],
  away: ["  it sends to the team, and is not connected now (assent team status)"],
  other: ["  it does not send to the team now (assent team status)"],
} as const;

function say(machine: Machine, { on, answers, life, supervisor, team }: DaemonReport): readonly string[] {
  if (!isPossible(machine)) return [`no judge stays between calls here: ${NEEDED}`];
  if (!on)
    return ["no judge stays between calls: each hook call starts its own", "  assent daemon on   answers hooks in a few milliseconds"];
  if (life === undefined) return ["a judge may stay between calls; none runs now, the next hook call starts one"];
  const since = new Date(life.since).toISOString().slice(0, 16).replace("T", " ");
  const counts = `  ${life.answered.toLocaleString("en-US")} calls answered, ${life.left.toLocaleString("en-US")} left to a fresh process`;
  if (!answers) return [`the judge (process ${life.pid}) does not answer, so each hook call starts its own: assent daemon stop`, counts];
  return [
    `a judge runs since ${since} UTC (process ${life.pid})`,
    counts,
    ...SUPERVISOR[supervisor],
    ...(team === undefined ? [] : TEAM[team]),
  ];
}

/** `assent daemon on`: from now on hooks start a judge that stays. */
export function daemonOn(): number {
  const machine = thisMachine();
  if (!isPossible(machine)) return fail(`no judge can stay between calls here: ${NEEDED}`);
  const problem = want(machine);
  if (problem !== undefined) return fail(problem);
  start(machine);
  writeStdout("a judge stays between calls now: it starts with a hook call, and ends after 30 minutes without one\n");
  if (membershipMark(machine) !== "") writeStdout("  it stays as long as this machine belongs to a team, and sends what is decided here\n");
  return 0;
}

/** Undefined: done. */
function want(machine: Machine): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  try {
    mkdirSync(daemonFolder(machine), { recursive: true, mode: 0o700 });
    rmSync(offFile(machine), { force: true });
    return undefined;
  } catch (error) {
    return `${daemonFolder(machine)} cannot be made: ${errorCode(error)}`;
  }
}

/** Where a person wants one: one runs from now on. False: nobody does, or none can. */
export function startDaemon(machine: Machine): boolean {
  if (!isPossible(machine) || statSync(daemonFolder(machine), { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  start(machine);
  return true;
}

/** The first hook need not wait for it. */
function start(machine: Machine): void {
  const { XDG_STATE_HOME: state, PATH } = machine.env;
  spawn(
    process.execPath,
    // It answers calls to the program that it is: the one that hooks name.
    [`${installedProgram(machine, engine.own[0] ?? "").folder}/bin.cjs`, "daemon", "--serve"],
    {
      cwd: "/",
      detached: true,
      stdio: "ignore",
      env: { HOME: machine.home, ...(state === undefined ? {} : { XDG_STATE_HOME: state }), ...(PATH === undefined ? {} : { PATH }) },
    },
  ).unref();
}

/** That a person has said no: they are not asked again. */
const offFile = (machine: Machine): string => `${daemonFolder(machine)}-off`;

/** `assent daemon stop`: ends the one that runs; the next hook call starts another. */
export async function daemonStop(): Promise<number> {
  const machine = thisMachine();
  const { life } = await reportOn(machine);
  if (life === undefined) writeStdout("no judge runs\n");
  else if (!(await end(life))) return fail(`the judge (process ${life.pid}) did not end`);
  else writeStdout(`the judge (process ${life.pid}) has ended\n`);
  return 0;
}

/** After the program that it is was replaced: the next hook call starts the new one. */
export async function endOldDaemon(machine: Machine): Promise<void> {
  const { life } = await reportOn(machine);
  if (life !== undefined) await end(life);
}

/** `assent daemon off`: ends it, and none is started again. */
export async function daemonOff(): Promise<number> {
  const machine = thisMachine();
  const state = openState(machine);
  if ("problem" in state) return fail(state.problem);
  let left: DaemonLife | undefined;
  try {
    left = await removeDaemon(machine);
    writeAtomic(offFile(machine), "");
  } catch (error) {
    return fail(`${daemonFolder(machine)} cannot be removed: ${errorCode(error)}`);
  }
  if (left !== undefined) return fail(`the judge (process ${left.pid}) did not end`);
  writeStdout("no judge stays between calls any more: each hook call starts its own\n");
  return 0;
}

/** Where Assent is taken out: none runs, and none is started any more. Throws where its folder cannot be removed. */
export async function forgetDaemon(machine: Machine): Promise<void> {
  await removeDaemon(machine);
  rmSync(offFile(machine), { force: true });
}

/**
 * Takes away what says that a judge may stay, and ends the one that runs; it is given back where it did not end. Throws where the folder
 * cannot be removed.
 */
async function removeDaemon(machine: Machine): Promise<DaemonLife | undefined> {
  const folder = daemonFolder(machine);
  const { life } = await reportOn(machine);
  try {
    // First, so that no hook starts another.
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Somebody writes there meanwhile; it goes below.
  }
  const left = life !== undefined && !(await end(life)) ? life : undefined;
  // A supervisor that was getting ready makes folders: it has ended with its judge, and what it made is still there.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  return left;
}

async function end(life: DaemonLife): Promise<boolean> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    process.kill(life.pid, signal);
    for (let waited = 0; waited < END_MS; waited += 20) {
      if (!isAlive(life)) return true;
      await pause(20);
    }
  }
  return false;
}

const PAGE = [
  "Keep one process that answers hooks?",
  "  Each hook call starts a process of Node.js, which takes your agent tens of milliseconds. One judge that stays answers in a few.",
  "  It starts with a hook call, ends after 30 minutes without one, and judges by the same rules; without it hooks judge as before.",
  "  `assent daemon off` ends it.",
  "",
].join("\n");

/** Whether `assent install` asks about it: once. */
export function isDaemonOffered(machine: Machine): boolean {
  const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;
  return isPossible(machine) && unattended(process.env) === undefined && !isThere(daemonFolder(machine)) && !isThere(offFile(machine));
}

/** After `assent install`. */
export async function offerDaemon(machine: Machine): Promise<void> {
  if (!isDaemonOffered(machine)) return;
  const agreed = await confirmed(PAGE, "Keep one process that answers hooks?", "[Y/n]");
  if (agreed === undefined)
    return writeStdout("`assent daemon on` lets a judge stay between calls: hooks are answered in a few milliseconds\n");
  if (!agreed) return writeAtomic(offFile(machine), "");
  const problem = want(machine);
  if (problem !== undefined) complain(COMMAND, problem, "hooks judge by themselves");
}
