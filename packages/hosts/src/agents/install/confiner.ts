import { randomBytes } from "node:crypto";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { confinedCommand, isConfinedCommand } from "@assent/core/action";
import { attempt, isObject, parseJson } from "@assent/core/data";
import { readJson5, toValue } from "@assent/core/edit/json5";
import { type DecideOptions, type Host, projectOf, type Request } from "@assent/guard/engine";
import { isConfined, type RequestVerdict, startsOf, unconfined } from "@assent/core/policy";
import {
  bootMoment,
  isReportUnheard,
  type Machine,
  openState,
  readRegular,
  stateFolder,
  ticketIdOf,
  writeAtomic,
  writeTicket,
} from "@assent/guard/state";
import { undoProblem } from "@assent/supervisor/supervise/edits";
import { HOST_SANDBOXES } from "../native/host-sandboxes.ts";
import { otherQuestion } from "../native/host-questions.ts";
import { HOST_READERS, hostMightObject, type Objection } from "../native/host-rules.ts";
import { ensureConfineLauncher } from "./confine-launcher.ts";
import { isOwnHandler, isOwnText } from "./own.ts";
import type { Program } from "./program.ts";
import { ensureShellPrefix } from "./shell-prefix.ts";

type Confine = NonNullable<DecideOptions["confine"]>;

/** One argument of a program has 128 KiB at most (execve(2), MAX_ARG_STRLEN), and a host adds words of its own. */
const LONGEST = 100 << 10;

/**
 * The command that a host is to start in the place of the one asked about. Whatever goes wrong is said, and then nothing is confined:
 * the verdict is the one without.
 */
export function confine(request: Request, machine: Machine, verdict: RequestVerdict, program: Program): ReturnType<Confine> {
  const { facts, input, session, host } = request;
  if (facts?.does !== "shell") return { problem: "the host runs it in another way than as lines of shell" };
  if (facts.list === true) return confineEach(request, input[facts.field], machine, program);
  const command = input[facts.field];
  if (typeof command !== "string" || command === "") return { problem: "the command is missing" };
  // It has moved, or was updated, since it was installed.
  const around = host.wrapped === "unheard" ? ensureShellPrefix(request.agent, machine, program) : undefined;
  if (around !== undefined && "problem" in around) return around;
  if (host.wrapped === "unheard" && !isConfined(verdict)) return leaveTicket(request, command, machine, session, verdict);
  const sandboxed = host.sandbox === undefined ? undefined : HOST_SANDBOXES[request.agent]?.(host.sandbox, machine.home);
  if (sandboxed !== undefined) return { problem: sandboxed };
  const objection = host.wrapped === "unheard" ? undefined : objectionOf(request, command, machine);
  if (objection !== undefined) return { problem: objection.why, ...(objection.asks === true ? { asks: true } : {}) };
  // It comes back where a host shows its hooks what others made of the call.
  if (isConfinedCommand(machine.home, command)) return { command };
  const unable = whyUnable(machine, program);
  if (unable !== undefined) {
    // The host asks then, and what a person says yes to starts as it is.
    if (host.wrapped === "unheard") leaveTicket(request, command, machine, session, unconfined(verdict));
    return { problem: unable };
  }
  if (host.wrapped === "heard") return { command };
  if (host.wrapped === "unheard") {
    const left = leaveTicket(request, command, machine, session, "confined", verdict);
    const speaks: Host = { ...host, unheard: ["ask", "deny"] };
    return { ...left, answered: host.answered === true && objectionOf({ ...request, host: speaks }, command, machine) === undefined };
  }
  return putInPlace(request, command, machine, verdict);
}

/** A tool that takes several commands starts each by itself: each has a ticket of its own. */
function confineEach(request: Request, commands: unknown, machine: Machine, program: Program): ReturnType<Confine> {
  const { host } = request;
  if (!Array.isArray(commands) || commands.length === 0) return { problem: "the command is missing" };
  if (host.wrapped !== undefined || host.unheard !== undefined)
    return { problem: "the host runs it in another way than as one line of shell" };
  const unable = whyUnable(machine, program);
  if (unable !== undefined) return { problem: unable };
  const instead: string[] = [];
  for (const command of commands as readonly unknown[]) {
    if (typeof command !== "string" || command === "") return { problem: "one of the commands is not a line of shell" };
    const made = isConfinedCommand(machine.home, command) ? { command } : putInPlace(request, command, machine);
    if ("problem" in made) return made;
    instead.push(made.command);
  }
  return { command: instead };
}

/** Why nothing can be started confined here. */
function whyUnable(machine: Machine, program: Program): string | undefined {
  const launcher = ensureConfineLauncher(machine, program);
  return "problem" in launcher ? launcher.problem : (undoProblem(stateFolder(machine)) ?? cannotSupervise(machine, program));
}

function putInPlace(
  request: Request,
  command: string,
  machine: Machine,
  verdict?: RequestVerdict,
): { readonly command: string } | { readonly problem: string } {
  const ticket = writeTicket(machine, confinedTicket(request, command, machine, verdict));
  if ("problem" in ticket) return ticket;
  const instead = confinedCommand(machine.home, ticket.id, command);
  return Buffer.byteLength(instead) > LONGEST ? { problem: "the command is too long" } : { command: instead };
}

/** For the program that a host starts around every command, which knows the session and the command. */
/** `as`: it goes ahead confined, or as it is by this verdict, which is a person's where it is a question. */
function leaveTicket(
  request: Request,
  command: string,
  machine: Machine,
  session = "",
  as: "confined" | Pick<RequestVerdict, "decision" | "actions">,
  verdict?: RequestVerdict,
): ReturnType<Confine> {
  const bare = (found: Exclude<typeof as, "confined">) => ({
    bare: true as const,
    ...(found.decision === "allow" ? { starts: startsOf(found) } : {}),
  });
  const ticket = as === "confined" ? confinedTicket(request, command, machine, verdict) : { ...ticketOf(request, command), ...bare(as) };
  const written = writeTicket(machine, ticket, Date.now(), ticketIdOf(session, command));
  return "problem" in written ? written : { command };
}

const ticketOf = ({ agent, session, toolUse, cwd, sessionRoot = cwd }: Request, command: string) => ({
  agent,
  ...(session === undefined ? {} : { session }),
  ...(toolUse === undefined ? {} : { toolUse }),
  command,
  cwd,
  root: sessionRoot,
});

const confinedTicket = (request: Request, command: string, machine: Machine, verdict?: RequestVerdict) => ({
  ...ticketOf(request, command),
  ...(verdict === undefined ? {} : inTwoOf(verdict)),
  ...(hearsEnds(request.host, machine) ? { reports: true as const } : {}),
});

/** `starts`: what it starts, of which the first part is as it is. */
const inTwoOf = ({ inTwo, actions }: RequestVerdict) =>
  inTwo === undefined ? {} : { first: inTwo.first, rest: inTwo.rest, starts: startsOf({ actions }) };

/** A hook of ours is called when the command has ended: all of them stand in the settings, no administrator keeps them from it, and they were heard so far. */
function hearsEnds({ ends }: Request["host"], machine: Machine): boolean {
  if (ends === undefined || isReportUnheard(machine)) return false;
  const { settings, events, locked } = ends;
  const hooks = settingsIn(`${machine.home}/${settings}`)["hooks"];
  const above = settingsIn(locked.file);
  return (
    isObject(hooks) &&
    events.every((event) => isOwnHook(hooks[event], event)) &&
    locked.keys.every((key) => (above[key] ?? false) === false)
  );
}

const MAX_SETTINGS = 4 << 20;

/** Nothing where it cannot be read. */
function settingsIn(file: string): Readonly<Record<string, unknown>> {
  const found = readRegular(file, MAX_SETTINGS);
  const { root } = found.is === "text" ? readJson5(found.text) : { root: undefined };
  const value = root === undefined ? undefined : toValue(root);
  return isObject(value) ? value : {};
}

/** A handler of ours for the event is in the list. */
function isOwnHook(groups: unknown, event: string): boolean {
  const handlers = (value: unknown): readonly unknown[] => (isObject(value) && Array.isArray(value["hooks"]) ? value["hooks"] : []);
  return (
    Array.isArray(groups) &&
    groups.flatMap(handlers).some((handler) => {
      const args: unknown = isObject(handler) ? handler["args"] : undefined;
      const text = Array.isArray(args) ? args.join(" ") : "";
      return isOwnText(text) && / ended --agent .* --event /.test(text) && text.endsWith(` ${event}`);
    })
  );
}

/** Rules of the host's own: of the user, of the folder where the session started and of those around it up to the repository. */
function objectionOf(
  { agent, host: { unheard = [], unsaid }, cwd, sessionRoot = cwd }: Request,
  command: string,
  machine: Machine,
): Objection | undefined {
  const found: Objection[] = [];
  const folders = [cwd, sessionRoot].flatMap((start) => foldersUpTo(projectOf(start, machine), start));
  for (const project of new Set(folders)) {
    const around = { home: machine.home, project, env: machine.env, ...(machine.asker === undefined ? {} : { asker: machine.asker }) };
    const objection = hostMightObject(agent, unheard, command, around);
    if (objection !== undefined) found.push(objection);
    const reader = HOST_READERS[agent];
    const why = unsaid === undefined || reader === undefined ? undefined : otherQuestion(reader, around, isOwnHandler);
    if (why !== undefined) found.push({ why });
  }
  // One that the host hears asks or refuses by itself.
  return found.find(({ asks }) => asks !== true) ?? found[0];
}

const MOST_FOLDERS = 40;

function foldersUpTo(top: string, start: string): readonly string[] {
  const folders = [top, start];
  for (let at = start; at.startsWith(`${top}/`) && folders.length < MOST_FOLDERS; at = at.slice(0, at.lastIndexOf("/"))) folders.push(at);
  return folders;
}

/** What was tried is believed for so long where it failed: somebody may mend it. */
const FAILED_LASTS_MS = 10 * 60_000;
const TRIED = "supervises.json";

/**
 * Why no command can be supervised here; undefined: it can. A run that does nothing is tried, once for this kernel, program and place:
 * what a system call says that only asks is not what a sandbox needs.
 */
function cannotSupervise(machine: Machine, program: Program): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const file = `${state.folder}/${TRIED}`;
  const here = placeOfTrial(program);
  const known = readTrial(file, here);
  if (known !== undefined) return known.problem;
  const problem = tryToSupervise(state.folder, program);
  try {
    writeAtomic(file, `${JSON.stringify({ v: 1, here, time: Date.now(), ...(problem === undefined ? {} : { problem }) })}\n`);
  } catch {
    // It is tried again.
  }
  return problem;
}

/** What it depends on: this start of the machine, the program, and in which namespaces and under which filters we are. */
function placeOfTrial({ node, folder }: Program): string {
  const bin = statSync(`${folder}/run.cjs`, { throwIfNoEntry: false });
  const namespaces = ["user", "mnt", "pid", "net"].map((name) => readOr(() => readlinkSync(`/proc/self/ns/${name}`)));
  const filters = readOr(() => readFileSync("/proc/self/status", "utf8"))
    .split("\n")
    .filter((line) => /^(?:NoNewPrivs|Seccomp|CapEff)/.test(line));
  return JSON.stringify([bootMoment().boot, node, folder, bin?.mtimeMs, bin?.size, process.getuid?.(), ...namespaces, ...filters]);
}

const readOr = (read: () => string): string => attempt(() => read(), "");

function readTrial(file: string, here: string): { readonly problem: string | undefined } | undefined {
  const found = readRegular(file, 1 << 16);
  if (found.is !== "text") return undefined;
  const value = parseJson(found.text);
  if (!isObject(value) || value["v"] !== 1 || value["here"] !== here) return undefined;
  const { problem, time } = value;
  if (problem === undefined) return { problem };
  const isFresh = typeof time === "number" && Math.abs(Date.now() - time) < FAILED_LASTS_MS;
  return typeof problem === "string" && isFresh ? { problem } : undefined;
}

const TRIAL_MS = 10_000;

/** In a state of its own: a run that does nothing is nothing to undo or to be listed. */
function tryToSupervise(state: string, { node, folder }: Program): string | undefined {
  const scratch = `${state}/trial-${randomBytes(6).toString("hex")}`;
  try {
    mkdirSync(scratch, { mode: 0o700 });
    const { status, stderr, error } = spawnSync(node, [`${folder}/bin.cjs`, "run", "--confined", "-", "--", ":"], {
      cwd: "/",
      env: { HOME: scratch, XDG_STATE_HOME: scratch },
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
      timeout: TRIAL_MS,
      killSignal: "SIGKILL",
    });
    if (status === 0) return undefined;
    const said = stderr.trim().split("\n")[0] ?? "";
    return `commands cannot be supervised here: ${error === undefined ? said.replace(/^assent(?: run)?: /, "").slice(0, 200) : error.message}`;
  } catch (error) {
    return `commands cannot be supervised here: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    clear(scratch);
  }
}

/** What is left of it is in nobody's way: a command is judged all the same. */
function clear(scratch: string): void {
  try {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Its supervisor was killed, and something of it still writes.
  }
}
