import { realpathSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { visible } from "@assent/core/action";
import type { ProcessInfo } from "@assent/guard/approve";
import { TEAM_PATIENCE_MS } from "@assent/library/sdk/queue";
import { answerGuard } from "@assent/library/sdk/machine";
import {
  clearProfile,
  definedVariables,
  messageOf,
  programProfile,
  thisMachine,
  wrongProfileName,
  type Machine,
} from "@assent/guard/state";
import { killTree, type RunEvent, type RunOptions, type RunResult, superviseRun } from "@assent/supervisor/supervise";
import { learningApprover, Observations } from "@assent/supervisor/supervise/learn";
import { readWait } from "@assent/team/team/remote";
import { askOuter, type OuterAnswer } from "@assent/supervisor/supervise/outer";
import { innerCheck } from "./check.ts";
import { engine } from "@assent/page/preview";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { asking, realApprovers, type Approvers, type Asking } from "./run-approver.ts";
import { type Beside, senderTo } from "./run-beside.ts";
import { carryQuestionsOf } from "./carrier.ts";
import { actionLine, banner, eventJson, toFile, toStderr, traceLine, type LineOutput } from "./run-events.ts";
import { isRawTerminal, isTerminal, startAsItIs, TerminalJob, withSignals } from "./run-job.ts";
import { proposeProfile } from "./run-learn.ts";
import { contradiction, STATUS, statusOf, type RunFlags } from "./run-options.ts";
import { isFleetHere } from "./fleet-here.ts";
import { startFleetJoin } from "./fleet-start.ts";
import { findProgram } from "./run-program.ts";
import { forPeople, Refusals } from "./run-refusals.ts";
import { failedSummary, openSummary, type SummaryFile, summaryOf } from "./run-summary.ts";
import { writeStderr } from "./stdio.ts";
import { hasTerminal } from "./terminal.ts";
import { wrapped } from "./wrap-launcher.ts";

const COMMAND = "run";

/** What tests put in the place of the real thing. */
export interface RunParts {
  /** Somebody waits for the program's end alone. */
  readonly beside?: Beside;
  readonly help?: () => void;
  readonly supervise?: (options: RunOptions) => Promise<RunResult>;
  readonly approvers?: Approvers;
  /** What is said after a run. */
  readonly receipt?: (id: string, machine: Machine) => Promise<string>;
}

/** `assent run`: runs a program under the policy and exits as it does. */
export async function run(words: readonly string[], flags: RunFlags, parts: RunParts = {}): Promise<number> {
  const wrong = contradiction(flags) ?? (flags.profile === undefined ? undefined : wrongProfileName(flags.profile));
  if (wrong !== undefined) {
    complain(COMMAND, wrong, "`assent run --help` lists the options");
    return STATUS.wrongUsage;
  }
  const managed = await manage(words, flags);
  if (managed !== undefined) return managed;
  const [program, ...args] = words;
  if (program === undefined) {
    complain(COMMAND, "say which program to run", "assent run -- npm test");
    writeStderr("\n");
    parts.help?.();
    return STATUS.wrongUsage;
  }

  const machine = thisMachine();
  const cwd = workingFolder();
  if (cwd === undefined) {
    complain(COMMAND, "the working folder does not exist any more", "change into a folder that exists");
    return STATUS.cannotSupervise;
  }
  const found = findProgram(program, machine.env["PATH"], cwd);
  // A wrapped program is started as if it were not: this run is what its wrapping asks for.
  const wrapping = found.is === "program" ? wrapped(machine, found.path) : undefined;
  const profile = flags.profile ?? wrapping?.launcher.profile ?? programProfile(program, machine, cwd);
  const state: RunProgress = { blocked: false, send: undefined, gone: undefined, job: undefined };
  const summary = flags.summary === undefined ? undefined : openSummary(flags.summary, machine.env);
  const ready = summary !== undefined && "problem" in summary ? summary : prepare({ machine, cwd, flags, parts, profile, state, summary });
  if ("problem" in ready) {
    complain(COMMAND, visible(ready.problem));
    return STATUS.cannotSupervise;
  }
  if (found.is === "none") {
    complain(COMMAND, `${visible(program)}: ${found.why}`);
    tellSummary(ready, () => failedSummary(words, found.why));
    await ready.end(found.status);
    return found.status;
  }
  const start = wrapping?.start ?? found.start;
  const outer = askOuter({ ask: "run", alone: !flags.prompt });
  if (outer !== undefined) return joinOuter({ outer, argv: nonEmpty(start, args), word: program, profile: flags.profile, flags, cwd });
  // As the program was called, where it is started itself.
  const word = start.length === 1 && wrapping === undefined ? program : undefined;
  if (flags.clearRun === true) clearProfile(machine, profile);
  return supervise({ argv: nonEmpty(start, args), word, profile, machine, cwd, flags, parts, ready, state });
}

/** Undefined: it was removed. */
const workingFolder = (): string | undefined => attempt(() => absolute("."), undefined);

/** What becomes known while a run is going on. */
interface RunProgress {
  /** A question would have blocked. */
  blocked: boolean;
  send: ((signal: NodeJS.Signals) => void) | undefined;
  /** It hung up. */
  hungUp?: boolean;
  /** The terminal is gone: so is what was started on it. */
  gone: (() => void) | undefined;
  /** The program is the foreground job of this terminal. */
  job: TerminalJob | undefined;
}

interface Setting {
  readonly summary?: SummaryFile | undefined;
  readonly profile: string;
  readonly machine: Machine;
  readonly cwd: string;
  readonly flags: RunFlags;
  readonly parts: RunParts;
  readonly state: RunProgress;
}

interface Begun extends Setting {
  readonly argv: readonly [string, ...string[]];
  /** What the program is told it is called. */
  readonly word: string | undefined;
  readonly ready: PreparedRun;
}

interface PreparedRun {
  readonly summary: SummaryFile | undefined;
  readonly asking: Asking;
  readonly outputs: Outputs;
  /** For a run that never began. */
  readonly end: (status: number) => Promise<void>;
}

function nonEmpty(start: readonly string[], args: readonly string[]): readonly [string, ...string[]] {
  const [first = "", ...rest] = start;
  return [first, ...rest, ...args];
}

const say = (text: string): void => writeStderr(`assent: ${visible(text)}\n`);

/** A program that reads keys one by one may have drawn the whole screen: that is not written into. */
function sayBetween(text: string): boolean {
  if (isRawTerminal(2)) return false;
  say(text);
  return true;
}

/** Everything that can be wrong before a program is started. */
function prepare({ machine, cwd, flags, parts, state, summary }: Setting): PreparedRun | { readonly problem: string } {
  const outputs = openOutputs(flags);
  if ("problem" in outputs) return outputs;
  const onGone = (): void => state.gone?.();
  const onBlock = (): void => void (state.blocked = true);
  try {
    const longest = flags.wait === undefined ? undefined : readWait(flags.wait);
    const patience = longest ?? TEAM_PATIENCE_MS;
    const around = { machine, cwd, onNotice: say, onBlock, onGone, patience, longest };
    const made = asking(flags, machine.env, parts.approvers ?? realApprovers(around));
    const end = async (status: number): Promise<void> => {
      outputs.close();
      await made.approver?.close(status);
    };
    return { summary, asking: made, outputs, end };
  } catch (error) {
    outputs.close();
    return { problem: messageOf(error) };
  }
}

async function supervise(setting: Begun): Promise<number> {
  const { argv, word, profile, machine, cwd, flags, parts, ready, state } = setting;
  const { asking: asked, outputs } = ready;
  const quiet = flags.quiet === true;
  if (!quiet && isTerminal(2))
    writeStderr(banner({ machine, profile, how: asked.how, program: word ?? argv[0], learns: flags.learn === true }));
  const carrier = flags.wait === undefined ? undefined : await carryQuestionsOf(machine, engine.own[0] ?? "", say);
  if (asked.notice !== undefined && !quiet) say(asked.notice);

  if (isFleetHere()) startFleetJoin(engine.own[0] ?? "");
  parts.beside?.begin();
  state.gone = hasTerminal() ? () => endTree(state) : undefined;
  state.job = TerminalJob.open(() => state.gone?.());
  const refused = new Refusals(forPeople(quiet), sayBetween);
  const seen = flags.learn === true ? new Observations() : undefined;
  const options: RunOptions = {
    argv,
    word,
    cwd,
    env: definedVariables(machine.env),
    machine,
    profile,
    policyFiles: flags.policy.map((file) => absolute(file, cwd)),
    approver: seen === undefined || flags.logOnly === true ? asked.approver : learningApprover(asked.approver, seen),
    mode: flags.logOnly === true ? "observe" : "enforce",
    bestEffort: flags.bestEffort === true,
    job: state.job !== undefined || parts.beside?.ownGroup === true,
    undo: flags.undo,
    // Sending every event costs the run time.
    ...(seen === undefined && !outputs.wanted
      ? {}
      : {
          onEvent: (event: RunEvent): void => {
            seen?.add(event);
            outputs.event(event);
          },
        }),
    // Whoever reads JSON has them there.
    ...(flags.json === true ? {} : { onRefused: (event: RunEvent): void => refused.add(event) }),
    onNotice: (text) => {
      if (!quiet) say(text);
    },
    onTakenBack: say,
    onHook: (call) => innerCheck(call, engine),
    onGuard: answerGuard,
    onStart: (program) => {
      state.send = senderTo(parts.beside, program);
      state.job?.started(program.pid);
    },
    // What is written about the run is out of the program's reach.
    leaves: parts.beside !== undefined,
    own: [...engine.own, ...outputs.files, ...(ready.summary?.file === undefined ? [] : [ready.summary.file]), ...answers(flags)],
  };

  let result: RunResult;
  try {
    const start = parts.supervise ?? superviseRun;
    result = await withSignals(
      hasTerminal() && state.job === undefined,
      (signal) => state.send?.(signal),
      () => start(options),
    );
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error));
    complain(COMMAND, flags.debug === true ? (problem.stack ?? problem.message) : visible(problem.message));
    tellSummary(ready, () => failedSummary(argv, problem.message));
    await ready.end(STATUS.cannotSupervise);
    return STATUS.cannotSupervise;
  } finally {
    state.job?.end();
    carrier?.kill("SIGTERM");
  }
  const hungUp = state.hungUp === true || (state.job !== undefined && ![0, 1, 2].every(isTerminal));
  const { left } = hungUp ? { left: undefined } : result;
  if (hungUp) killTree();
  if (left === undefined) outputs.close();
  else if (!quiet) say(leftText(left.processes));
  for (const line of refused.end()) say(line);
  if (!quiet && flags.logOnly !== true) await tellReceipt(result.id, machine, parts);
  if (seen !== undefined) await proposeProfile(seen, { machine, cwd, profile, flags });
  const status = statusOf(state.blocked && result.ended === "quit" ? { ...result, ended: "no-block" } : result);
  tellSummary(ready, () => summaryOf(result.id, machine, status));
  if (left === undefined || parts.beside === undefined) return status;
  const ignore = (): void => undefined;
  for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT"] as const) process.on(signal, ignore);
  // Everything that is left ends with us.
  process.on("SIGTERM", () => process.exit(status));
  parts.beside.leave(status);
  await left.over;
  outputs.close();
  return status;
}

/** Milliseconds that programs have to end by themselves. */
const HANG_UP_MS = 1500;

/** As a terminal that hangs up does it; what does not end by itself is ended. */
function endTree(state: RunProgress): void {
  state.gone = undefined;
  state.hungUp = true;
  state.send?.("SIGHUP");
  state.send?.("SIGCONT");
  setTimeout(killTree, HANG_UP_MS);
}

function leftText(processes: readonly ProcessInfo[]): string {
  const shown = processes.slice(0, 5).map(({ pid, name }) => `${name} (${pid})`);
  const more = processes.length > shown.length ? ` and ${processes.length - shown.length} more` : "";
  const pids = processes.slice(0, 5).map(({ pid }) => pid);
  return `still running, under the same rules: ${shown.join(", ")}${more}; to end ${processes.length === 1 ? "it" : "them"}: kill ${pids.join(" ")}`;
}

/** Where the questions are answered: whoever could write there could answer its own. */
const answers = ({ backgroundDir }: RunFlags): readonly string[] =>
  backgroundDir === undefined ? [] : [realpathSync.native(backgroundDir)];

/** What the run did, in a few lines. The run is over: nothing here changes its status. */
async function tellReceipt(id: string, machine: Machine, parts: RunParts): Promise<void> {
  try {
    const receipt = parts.receipt ?? (await import("./receipt.ts")).shortReceipt;
    writeStderr(await receipt(id, machine));
  } catch (error) {
    say(`this run has no receipt: ${messageOf(error)}`);
  }
}

/** The run is over: that its page cannot be written changes nothing of its status. */
function tellSummary({ summary }: PreparedRun, page: () => string): void {
  if (summary === undefined) return;
  try {
    const problem = summary.write(page());
    if (problem !== undefined) complain(COMMAND, problem);
  } catch (error) {
    complain(COMMAND, `the summary of this run is missing: ${visible(messageOf(error))}`);
  }
}

interface Outputs {
  /** Anybody wants to hear of events. */
  readonly wanted: boolean;
  readonly event: (event: RunEvent) => void;
  readonly close: () => void;
  /** Regular files that are written. */
  readonly files: readonly string[];
}

/** Where the options want the events of a run. */
function openOutputs({ logOnly, json, output, strace, debug }: RunFlags): Outputs | { readonly problem: string } {
  const open: LineOutput[] = [];
  const sinks: ((event: RunEvent) => void)[] = [];
  const add = (file: string | undefined, line: (event: RunEvent) => string | undefined): string | undefined => {
    const to = file === undefined ? toStderr : toFile(file);
    if ("problem" in to) return to.problem;
    open.push(to);
    sinks.push((event) => {
      const text = line(event);
      if (text !== undefined) to.write(text);
    });
    return undefined;
  };
  const close = (): void => {
    for (const one of open) one.close();
  };
  const problem =
    (json === true || logOnly === true ? add(output, json === true ? eventJson : actionLine) : undefined) ??
    (strace === undefined ? undefined : add(strace, traceLine)) ??
    (debug === true && json !== true ? add(undefined, traceLine) : undefined);
  if (problem !== undefined) {
    close();
    return { problem };
  }
  return {
    wanted: sinks.length > 0,
    event: (event) => {
      for (const sink of sinks) sink(event);
    },
    close,
    files: open.flatMap(({ file }) => file ?? []),
  };
}

/** The options of `assent run` that run nothing. Undefined: there is none, so something is to be run. */
async function manage(words: readonly string[], flags: RunFlags): Promise<number | undefined> {
  const { skill, backgroundWait, backgroundRespond, backgroundPattern, list, rules, clear } = flags;
  const asked = [skill, backgroundWait, backgroundRespond, list, rules, clear].filter((one) => one !== undefined);
  if (asked.length === 0) return undefined;
  if (asked.length > 1 || words.length > 0) {
    const message = asked.length > 1 ? "these options do one thing each" : "this option runs no program";
    complain("run", message, "`assent run --help` lists the options");
    return STATUS.wrongUsage;
  }
  if (list === true) return (await import("./profile.ts")).list({});
  if (rules !== undefined) return (await import("./profile.ts")).show(rules, {});
  if (clear !== undefined) return (await import("./profile.ts")).clear(clear, {});
  const background = await import("./run-background.ts");
  if (backgroundWait !== undefined) return background.backgroundWait(backgroundWait);
  const [folder = "", seq = "", action = ""] = backgroundRespond ?? [];
  return backgroundRespond === undefined ? background.skill() : background.backgroundRespond(folder, seq, action, backgroundPattern);
}

interface Nested {
  readonly outer: OuterAnswer;
  readonly argv: readonly [string, ...string[]];
  readonly word: string;
  readonly profile: string | undefined;
  readonly flags: RunFlags;
  readonly cwd: string;
}

/**
 * `assent run` inside a run. Linux allows one supervisor, and the outer one supervises this program already: so the inner
 * run joins it, if it asks for nothing that the outer one does not do; else it would only seem to be kept, and is refused.
 */
async function joinOuter({ outer, argv, word, profile, flags, cwd }: Nested): Promise<number> {
  const wish = outer.is === "run" ? beyond(flags, profile, cwd, outer) : undefined;
  if (outer.is !== "run" || wish !== undefined) {
    const why =
      outer.is === "run"
        ? `this is inside the supervised run ${outer.run}, which does not do ${wish ?? ""}`
        : "the supervisor around this did not answer";
    complain("run", visible(why), "leave the option out, so that the outer run goes on with this program, or start it outside");
    return STATUS.cannotSupervise;
  }
  if (flags.quiet !== true) writeStderr(`assent: already supervised by run ${visible(outer.run)}, which goes on with this program\n`);
  try {
    return (await startAsItIs(argv, { argv0: word, terminal: hasTerminal() })).status;
  } catch (error) {
    complain("run", visible(`${word}: ${messageOf(error)}`));
    return STATUS.cannotExecute;
  }
}

/** What the outer run does not do. Nobody is asked where the inner one asks nobody: the supervisor was told when it was asked. */
function beyond(flags: RunFlags, profile: string | undefined, cwd: string, outer: Extract<OuterAnswer, { is: "run" }>): string | undefined {
  if (profile !== undefined && profile !== outer.profile) return `\`--profile ${profile}\``;
  const wishes: readonly (readonly [boolean, string])[] = [
    [flags.logOnly === true, "--log-only"],
    [flags.strace !== undefined, "--strace"],
    [flags.learn === true, "--learn"],
    [flags.backgroundDir !== undefined, "--background-dir"],
    [flags.policy.some((file) => !outer.policyFiles.includes(absolute(file, cwd))), "--policy"],
    [flags.json === true, "--json"],
    [flags.wait !== undefined, "--wait"],
    [flags.summary !== undefined, "--summary"],
  ];
  const wish = wishes.find(([wanted]) => wanted)?.[1];
  return wish === undefined ? undefined : `\`${wish}\``;
}
