import { constants as system } from "node:os";
import { join } from "node:path";
import { brief, restAfter, visible } from "@assent/core/action";
import { type Approver, checkRule } from "@assent/guard/approve";
import { queueApprover } from "@assent/guard/approve/queue";
import { sha256 } from "@assent/core/data";
import { isGiven, type RunPolicies, runPolicies } from "@assent/guard/engine/given";
import { OUR_PACKS } from "@assent/guard/engine/reader";
import { realWorld } from "@assent/guard/engine";
import {
  type ConfinedReport,
  dropReport,
  expectReport,
  isSealed,
  type Machine,
  messageOf,
  readConsent,
  reportIdOf,
  takeTicket,
  thisMachine,
  type Ticket,
  ticketIdOf,
  writeReport,
  isSamePlace,
  isProgram,
} from "@assent/guard/state";
import { teamClient } from "@assent/team/team/remote";
import { killTree, RunError, type RunEvent, type RunOptions, type RunResult, superviseRun } from "@assent/supervisor/supervise";
import { askOuter } from "@assent/supervisor/supervise/outer";
import { countChanges, runsFolder } from "@assent/supervisor/supervise/undo";
import { answerClient } from "./answer-client.ts";
import { CALLER_VARIABLE, callerEnvironment } from "./caller-environment.ts";
import { engine } from "@assent/page/preview";
import { judgeAfresh } from "./judge-afresh.ts";
import { gatewayEnvironment } from "./own-gateway.ts";
import { absolute } from "./place.ts";
import { type Beside, senderTo } from "./run-beside.ts";
import { answers } from "./run-approver.ts";
import { type AsItIs, type ChildEnd, isForeground, startAsItIs, withSignals } from "./run-job.ts";
import { startersOf, stayBeside } from "./run-left.ts";
import { STATUS, statusOf } from "./run-options.ts";
import { forModels, PERSON, Refusals } from "./run-refusals.ts";
import { writeStderr } from "./stdio.ts";
import { tellGuard } from "./tell-guard.ts";
import { tryConfined } from "./try-confined.ts";

/** What tests put in the place of the real thing. */
export interface ConfinedParts {
  readonly supervise?: (options: RunOptions) => Promise<RunResult>;
}

interface ConfinedStart {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly machine: Machine;
  readonly shell: RunOptions["argv"];
  /** That of a host's hook, for this very command. */
  readonly ticket: Ticket | undefined;
  readonly ticketId: string;
  readonly beside: Beside | undefined;
}

/** In the place of a ticket's number: it is that of the command (shell-start.ts). */
const OF_COMMAND = "=";

/** Lines of a report. */
const MOST_LINES = 10;
const LONGEST_LINE = 500;

const say = (text: string): void => writeStderr(`assent: ${text}\n`);

/**
 * `assent run --confined TICKET -- COMMAND`: what a host starts in the place of a command that its hook let go ahead confined.
 * INVARIANT: the command is started under supervision or not at all. The ticket of the hook says that it was judged; without one
 * that fits it is judged here, as the hook would judge it, and whatever would be a question is refused: nobody is asked.
 * What its programs do is asked about where somebody is there to answer.
 */
export async function runConfined(
  ticketId: string,
  command: string,
  beside: Beside | undefined,
  parts: ConfinedParts = {},
): Promise<number> {
  const env = callerEnvironment(process.env, beside?.front);
  let cwd: string;
  try {
    cwd = absolute(".");
  } catch {
    return refuse("the working folder does not exist any more", "change into a folder that exists", STATUS.cannotSupervise);
  }
  const machine = machineOf(env);
  const shell = shellFor(command);
  if (shell === undefined) return refuse("no shell was found in /bin or /usr/bin", "ask the user to install bash", STATUS.cannotSupervise);
  const outer = askOuter({ ask: "run" });
  const sealed = isSealed(ticketId);
  if (outer !== undefined) {
    if (sealed)
      return refuse("the policy of the guard that allowed it would not hold inside another run", "start it outside", STATUS.cannotExecute);
    // Inside a run everything is supervised, as that run's person wants it; there is one supervisor, which goes on with this program.
    if (outer.is === "run") return await become(shell, env);
    return refuse("the supervisor around this did not answer", "try it once more, or ask the user", STATUS.cannotSupervise);
  }
  const found = takeTicket(machine, ticketId === OF_COMMAND ? ticketIdOf("", command) : ticketId);
  const ticket = found !== undefined && found.command === command && isSamePlace(found.cwd, cwd) ? found : undefined;
  if (ticket?.refused !== undefined) {
    say(`the command was not started: ${ticket.refused}`);
    await answerClient(`the server was not started: ${ticket.refused}`);
    return STATUS.cannotExecute;
  }
  if (ticket?.gateway !== undefined) return await startGateway(ticket.gateway, env);
  if (sealed && ticket === undefined)
    return refuse(
      "what a guard allows is started once, as it was judged, within ten minutes",
      "ask the guard once more",
      STATUS.cannotExecute,
    );
  const refusal = ticket === undefined ? judgeAfresh(command, cwd, machine) : undefined;
  if (refusal !== undefined) return refuse(refusal.why, refusal.way, STATUS.cannotExecute);
  const start = { command, cwd, env, machine, shell, ticket, ticketId, beside };
  const run = parts.supervise ?? superviseRun;
  const { first, rest: [before, after] = [] } = ticket ?? {};
  if (first === undefined || before === undefined || after === undefined) return await supervise(start, run);
  beside?.begin();
  // The first of two lines, as it is: the hook allowed it so. What interrupts it is for both.
  let by: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (INTERRUPTS.some((one) => one === signal)) by = signal;
  };
  const { status } = await startBare(shellFor(first) ?? shell, { env, bound: true, onSignal });
  if (by !== undefined) {
    beside?.tell(`s${system.signals[by]}`);
    return status;
  }
  return await supervise({ ...start, shell: shellFor(restAfter({ rest: [before, after] }, status)) ?? shell }, run);
}

/** Two tenants of one program may have a session of the same name. */
const sessionOf = (session: string, policies: RunPolicies | undefined): string =>
  policies === undefined ? session : sha256([Buffer.from(JSON.stringify([session, policies.key]))]).toString("hex");

/** Throws for what is none, or for a text that is no policy. */
function policiesIn(value: Readonly<Record<string, unknown>>): RunPolicies {
  if (!isGiven(value)) throw new Error("the policy of the guard that allowed it is not understood");
  return runPolicies(value, OUR_PACKS);
}

function refuse(why: string, way: string, status: number): number {
  say(`the command was not started: ${brief(why, LONGEST_LINE)}. Way out: ${brief(way, LONGEST_LINE)}`);
  return status;
}

/** Policy and state are where this process was told; where programs are found, as the caller finds them. */
function machineOf(env: Readonly<Record<string, string>>): Machine {
  const { [CALLER_VARIABLE]: handed, ...own } = process.env;
  if (handed === undefined) return thisMachine(own);
  const { PATH = own["PATH"], TMPDIR = own["TMPDIR"] } = env;
  return thisMachine({ ...own, PATH, TMPDIR });
}

/** Not from PATH, which a project may have shaped. */
function shellFor(command: string): RunOptions["argv"] | undefined {
  const path = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash", "/bin/sh"].find(isProgram);
  // A shell takes what begins with these for options, behind -c as well.
  const separator = /^[-+]/.test(command) ? ["--"] : [];
  return path === undefined ? undefined : [path, "-c", ...separator, command];
}

/** Ours, from where this lies: neither a shell nor PATH has a say in it, and no variable controls it. What it starts is confined or known. */
async function startGateway(words: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const [own = ""] = engine.own;
  return await become([process.execPath, join(own, "bin.cjs"), "mcp", ...words], gatewayEnvironment(env, process.env));
}

/** Ends as it does. */
async function become(argv: RunOptions["argv"], env: Readonly<Record<string, string>>): Promise<number> {
  const { status, signal } = await startBare(argv, { env });
  if (signal !== null) process.kill(process.pid, signal);
  return signal === null ? status : STATUS.cannotExecute;
}

async function startBare(argv: RunOptions["argv"], how: Omit<AsItIs, "terminal">): Promise<ChildEnd> {
  try {
    return await startAsItIs(argv, { ...how, terminal: isForeground() });
  } catch (error) {
    return { status: refuse(messageOf(error), "ask the user", STATUS.cannotExecute), signal: null };
  }
}

const INTERRUPTS = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const;

/** Where a person chose so, and it can be: nothing on disk changes before it has ended. Undefined: it is to be held. */
async function tryFirst(start: ConfinedStart): Promise<number | undefined> {
  const { command, cwd, env, machine, shell, ticket, beside } = start;
  // A host that does not wait for its end has nobody who hears of it.
  if (ticket?.reports !== true || ticket.policies !== undefined || readConsent(machine).tried !== true) return undefined;
  const { agent, session, root, aside, given } = ticket;
  let interrupted = false;
  const interrupt = (): void => void (interrupted = true);
  for (const signal of INTERRUPTS) process.on(signal, interrupt);
  let tried: Awaited<ReturnType<typeof tryConfined>>;
  try {
    const confined = { agent, root, command: given ?? command, ...(session && { session }), ...(aside && { aside }) };
    tried = await tryConfined({ machine, own: engine.own, cwd, env, shell, confined, isInterrupted: () => interrupted });
  } finally {
    for (const signal of INTERRUPTS) process.off(signal, interrupt);
  }
  if (tried === undefined) return undefined;
  const { id, status, refused, said } = tried;
  const refusals = new Refusals(forModels(cwd, machine.home));
  for (const event of refused) refusals.add(event);
  const lines = reportLines([...said, ...refusals.lines], [], undefined);
  const reportId = waitedFor(start);
  const told = reportId !== undefined && report(machine, reportId, { id }, { lines, refused: refused.length, left: [] });
  if (!told) for (const line of lines) say(line);
  beside?.tell(String(status));
  return status;
}

async function supervise(start: ConfinedStart, run: NonNullable<ConfinedParts["supervise"]>): Promise<number> {
  const { command, cwd, env, machine, shell, ticket, beside } = start;
  beside?.begin();
  const triedStatus = await tryFirst(start);
  if (triedStatus !== undefined) return triedStatus;
  const starters = beside === undefined ? [] : startersOf(beside.front);
  let policies: RunPolicies | undefined;
  try {
    policies = ticket?.policies === undefined ? undefined : policiesIn(ticket.policies);
  } catch (error) {
    return refuse(messageOf(error), "ask the guard once more", STATUS.cannotExecute);
  }
  const guard = await tellGuard(ticket?.tells);
  const refusals = new Refusals(forModels(cwd, machine.home));
  const notices: string[] = [];
  let send: ((signal: NodeJS.Signals) => void) | undefined;
  let interrupted = false;
  let refused = 0;
  const options: RunOptions = {
    argv: shell,
    // A shell names itself in what it complains of, and hosts start theirs by its path.
    word: shell[0],
    cwd,
    root: ticket?.root,
    env,
    machine,
    // Answers that a person gave for programs they started themselves are not meant for this.
    profile: "confined",
    policyFiles: policies?.policyFiles ?? [],
    policies,
    // Who answers on this machine answers for its user, and not for whom a guard judges.
    approver: policies === undefined ? heldQuestions(machine, cwd, ticket) : undefined,
    mode: "enforce",
    undo: true,
    confined: {
      agent: ticket?.agent ?? "unknown",
      ...(ticket?.session === undefined ? {} : { session: sessionOf(ticket.session, policies) }),
      command: ticket?.given ?? command,
      ...(ticket?.aside === undefined ? {} : { aside: ticket.aside }),
    },
    onRefused: (event: RunEvent) => {
      refused += 1;
      refusals.add(event);
      guard?.refused(event);
    },
    // What is said of policy files before is for people.
    onNotice: (text) => {
      if (send !== undefined) notices.push(text);
    },
    onStart: (program) => {
      send = senderTo(beside, program);
    },
    job: beside?.ownGroup === true,
    leaves: beside !== undefined,
    own: engine.own,
  };
  const reportId = waitedFor(start);
  const interrupt = (): void => void (interrupted = true);
  for (const signal of INTERRUPTS) process.on(signal, interrupt);
  let result: RunResult;
  try {
    result = await withSignals(
      isForeground(),
      (signal) => send?.(signal),
      () => run(options),
    );
  } catch (error) {
    if (reportId !== undefined) dropReport(machine, reportId);
    const isRefused = error instanceof RunError && error.code === "exec";
    if (mayServe(start)) await answerClient(`the server was not started: ${brief(messageOf(error), LONGEST_LINE)}`);
    return refuse(messageOf(error), PERSON, isRefused ? STATUS.cannotExecute : STATUS.cannotSupervise);
  } finally {
    for (const signal of INTERRUPTS) process.off(signal, interrupt);
    guard?.end();
  }
  const { left } = result;
  if (left !== undefined && interrupted) {
    // Whoever ends a command means all of it.
    killTree();
    await left.over;
  }
  const stays = interrupted ? undefined : left;
  // Where it went well nothing was missed.
  const removed = statusOf(result) === 0 ? [] : (result.removed ?? []);
  const lacked = statusOf(result) === 0 ? [] : (result.lacked ?? []);
  const lines = reportLines([...refusals.lines, ...lacked.map(lackLine), ...removedLine(removed)], notices, stays);
  const running = (stays?.processes ?? []).map(({ pid, name }) => `${visible(name)} (${pid})`);
  // The host's own channel carries it, where there is one and it was reached.
  const told = reportId !== undefined && report(machine, reportId, result, { lines, refused, left: running });
  if (!told) for (const line of lines) say(line);
  const status = statusOf(result);
  if (status !== 0 && lines.length > 0 && left === undefined && mayServe(start))
    await answerClient(`the server ended (exit code ${status}) after this: ${lines.join("; ")}`);
  const how = result.exit.by === "signal" ? `s${result.exit.signal}` : String(status);
  if (beside === undefined) return status;
  if (stays === undefined) {
    beside.tell(how);
    return status;
  }
  await stayBeside(beside, stays, {
    machine,
    run: result.id,
    of: options.confined ?? { agent: "unknown", command },
    status,
    how,
    starters,
  });
  return status;
}

/** It is no command of a tool: what a host starts for itself, as a server. */
const mayServe = ({ ticket, ticketId }: ConfinedStart): boolean =>
  ticketId === OF_COMMAND && ticket !== undefined && ticket.given === undefined;

/** How long a call waits for a person: what the host does with a command that takes longer is its own. Milliseconds. */
const PATIENCE_MS = 110_000;

/** Where somebody is there for it, or people of the team may answer it, a call is held until it is answered; else it is refused at once. */
function heldQuestions(machine: Machine, cwd: string, ticket: Ticket | undefined): Approver {
  const world = realWorld(machine, cwd, undefined);
  const asking = {
    machine,
    point: "confined",
    agent: ticket?.agent,
    session: ticket?.session,
    patience: PATIENCE_MS,
    longest: PATIENCE_MS,
  } as const;
  return queueApprover({ ...asking, checkRule, covers: (rule, question) => answers(rule, question, world) }, teamClient(asking));
}

/** At most ten lines: what was refused first, for that is why something failed. */
function reportLines(refused: readonly string[], notices: readonly string[], left: RunResult["left"]): readonly string[] {
  const running = left === undefined ? [] : [leftLine(left.processes.map(({ pid, name }) => `${visible(name)} (${pid})`))];
  const told = [...refused, ...notices.map((text) => brief(text, LONGEST_LINE))];
  const room = MOST_LINES - running.length;
  const shown =
    told.length > room
      ? [...told.slice(0, room - 1), `${told.length - room + 1} more lines: the user has them by \`assent receipt\``]
      : told;
  return [...shown, ...running];
}

function removedLine(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const shown = brief(names.join(", "), 120);
  return [`left out of the environment, for the policy lets code of this run reach other hosts: ${shown}. Way out: ${PERSON}`];
}

const lackLine = (lack: string): string =>
  `started ${lack}: that does not work in a sandboxed command. Way out: leave it out, or ask the user to let the whole command run once, not sandboxed`;

function leftLine(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return `still running, under the same rules until the session ends: ${names.slice(0, 5).join(", ")}${more}`;
}

/** The report that the host's hook comes for when the command has ended; undefined: none comes. */
function waitedFor({ machine, ticket, ticketId }: ConfinedStart): string | undefined {
  if (ticket?.reports !== true) return undefined;
  const id = ticket.toolUse === undefined ? ticketId : reportIdOf(ticket.session ?? "", ticket.toolUse);
  return expectReport(machine, id) === undefined ? id : undefined;
}

/** For the host's hook that hears of the end. False: it could not be left, or the hook was there before. */
function report(machine: Machine, id: string, { id: run }: Pick<RunResult, "id">, found: Omit<ConfinedReport, "run" | "changed">): boolean {
  let changed: number | undefined;
  try {
    changed = countChanges(runsFolder(machine), run);
  } catch {
    // The receipt says what is wrong with the records.
  }
  if (changed !== 0 || found.lines.length > 0)
    return writeReport(machine, id, { run, ...(changed === undefined ? {} : { changed }), ...found }) === undefined;
  dropReport(machine, id);
  return true;
}
