import { BETWEEN, PREFIX, SHELL, WRAPPER } from "#knowledge/traits";
import { readFileSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { dropLeftRun, isLeftRun, type Machine, noteLeftRun, processFields } from "@assent/guard/state";
import { type ConfinedCommand, killTree, type RunResult } from "@assent/supervisor/supervise";
import type { Beside } from "./run-beside.ts";

/** What a confined command leaves behind belongs to the agent's session, and ends with it. */
interface StayOptions {
  readonly machine: Machine;
  readonly run: string;
  readonly of: ConfinedCommand;
  readonly status: number;
  /** How the process in front ends (run-front.ts). */
  readonly how: string;
  /** Whoever started the command, and who started them. */
  readonly starters: readonly Starter[];
}

/** A process, told from others that get its number later. */
export interface Starter {
  readonly pid: number;
  readonly start: string;
}

/** Milliseconds. */
const LOOK_EVERY = 1000;
/** After that, who has not ended with the command is the host, or started it. */
const HOST_STAYS = 3000;
/** These wait for one command, or for the person: neither is the host, where there is another. */
const isWaiting = (name: string): boolean => [BETWEEN, PREFIX, SHELL, WRAPPER].some((programs) => programs.has(name));
/** No session is so long; whatever should have ended it has not. */
const LONGEST = 24 * 60 * 60_000;

function processAt(pid: number): { readonly parent: number; readonly start: string } | undefined {
  const fields = processFields(pid);
  return fields === undefined || fields[0] === "Z" || fields[0] === "X"
    ? undefined
    : { parent: Number(fields[1]), start: fields[19] ?? "" };
}

/** The processes above `pid`, nearest first, without the first of the system. */
export function startersOf(pid: number): readonly Starter[] {
  const found: Starter[] = [];
  for (let at = processAt(pid)?.parent ?? 0; at > 1 && found.length < 64;) {
    const one = processAt(at);
    if (one === undefined) break;
    found.push({ pid: at, start: one.start });
    at = one.parent;
  }
  return found;
}

/** The host: nearest to the command of those that live. */
function hostAmong(starters: readonly Starter[]): Starter | undefined {
  const living = starters.filter(isAlive);
  return living.find(({ pid }) => !isWaiting(nameOf(pid))) ?? living[0];
}

const nameOf = (pid: number): string => attempt(() => readFileSync(`/proc/${pid}/comm`, "utf8").trim(), "");

const isAlive = ({ pid, start }: Starter): boolean => processAt(pid)?.start === start;

/**
 * Lets who waits for the command go on, and stays as long as anything of its tree lives: until the session ends (`endSession`), the
 * host is gone, or it is too old; then it is ended. Its records are closed in any case.
 */
export async function stayBeside(beside: Beside, left: NonNullable<RunResult["left"]>, options: StayOptions): Promise<void> {
  const { machine, run, of, status, how, starters } = options;
  const { agent, session } = of;
  // Where it cannot be noted, the end of the host ends it.
  const noted = noteLeftRun(machine, run, { agent, ...(session === undefined ? {} : { session }) }) === undefined;
  const ignore = (): void => undefined;
  for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT"] as const) process.on(signal, ignore);
  // Everything that is left ends with us.
  process.on("SIGTERM", () => killTree());
  beside.leave(status, how);
  const since = performance.now();
  let host: Starter | undefined;
  const look = setInterval(() => {
    const age = performance.now() - since;
    if (host === undefined && age > HOST_STAYS) host = hostAmong(starters);
    const why =
      noted && !isLeftRun(machine, run) ? "session" : host !== undefined && !isAlive(host) ? "host" : age > LONGEST ? "age" : undefined;
    if (why === undefined) return;
    try {
      left.noteEnd(why);
    } catch {
      // The receipt goes without.
    }
    killTree();
  }, LOOK_EVERY);
  look.unref();
  await left.over;
  clearInterval(look);
  if (noted) dropLeftRun(machine, run);
}
