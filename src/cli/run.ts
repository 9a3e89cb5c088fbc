import { visible } from "../action/index.ts";
import { programProfile, thisMachine, wrongProfileName, type Machine } from "../state/index.ts";
import type { RunEvent, RunOptions, RunResult } from "../supervise/index.ts";
import { learningApprover, Observations } from "../supervise/learn/index.ts";
import { engine } from "./engine.ts";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { asking, type Approvers } from "./run-approver.ts";
import { banner } from "./run-banner.ts";
import { actionLine, eventJson, toFile, toStderr, traceLine, type LineOutput } from "./run-events.ts";
import { contradiction, type RunFlags } from "./run-flags.ts";
import { proposeProfile } from "./run-learn.ts";
import { manage } from "./run-manage.ts";
import { findProgram } from "./run-program.ts";
import { withSignals } from "./run-signals.ts";
import { STATUS, statusOf } from "./run-status.ts";
import { writeStderr } from "./stdio.ts";
import { hasTerminal } from "./terminal.ts";
import { wrapped } from "./wrap-launcher.ts";

const COMMAND = "run";

/** What tests put in the place of the real thing. */
export interface RunParts {
  readonly help?: () => void;
  readonly supervise?: (options: RunOptions) => Promise<RunResult>;
  readonly approvers?: (profile: string) => Promise<Approvers>;
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
    parts.help?.();
    return STATUS.noCommand;
  }

  const machine = thisMachine();
  const cwd = absolute(".");
  const found = findProgram(program, machine.env["PATH"], cwd);
  if (found.is === "none") {
    complain(COMMAND, `${visible(program)}: ${found.why}`);
    return found.status;
  }
  // A wrapped program is started as if it were not: this run is what its wrapping asks for.
  const wrapping = wrapped(machine, found.path);
  const argv: readonly [string, ...string[]] = wrapping === undefined ? [program, ...args] : nonEmpty(wrapping.start, args);
  const profile = flags.profile ?? wrapping?.launcher.profile ?? programProfile(program, machine, cwd);
  return supervise({ argv, profile, machine, cwd, flags, parts });
}

interface Start {
  readonly argv: readonly [string, ...string[]];
  readonly profile: string;
  readonly machine: Machine;
  readonly cwd: string;
  readonly flags: RunFlags;
  readonly parts: RunParts;
}

function nonEmpty(start: readonly string[], args: readonly string[]): readonly [string, ...string[]] {
  const [first = "", ...rest] = start;
  return [first, ...rest, ...args];
}

async function supervise({ argv, profile, machine, cwd, flags, parts }: Start): Promise<number> {
  const terminal = hasTerminal();
  const make = await (parts.approvers ?? realApprovers)(profile);
  const { approver, how, notice } = asking(flags, { env: machine.env, terminal, make });
  const outputs = openOutputs(flags);
  if ("problem" in outputs) {
    complain(COMMAND, outputs.problem);
    return STATUS.cannotSupervise;
  }
  const quiet = flags.quiet === true;
  const say = (text: string): void => writeStderr(`assent: ${text}\n`);
  if (!quiet && process.stderr.isTTY) writeStderr(banner({ machine, profile, how, argv, learns: flags.learn === true }));
  if (notice !== undefined && !quiet) say(notice);

  const seen = flags.learn === true ? new Observations() : undefined;
  let send: ((signal: NodeJS.Signals) => void) | undefined;
  const options: RunOptions = {
    argv,
    cwd,
    env: definedOnly(machine.env),
    machine,
    profile,
    policyFiles: flags.policy.map((file) => absolute(file, cwd)),
    approver: seen === undefined || flags.logOnly === true ? approver : learningApprover(approver),
    mode: flags.logOnly === true ? "observe" : "enforce",
    bestEffort: flags.bestEffort === true,
    undo: flags.undo,
    onEvent: (event) => {
      seen?.add(event);
      outputs.event(event);
    },
    onNotice: (text) => {
      if (!quiet) say(visible(text));
    },
    onStart: (started) => (send = started.signal),
    // What is written about the run is out of the program's reach.
    own: [...engine.own, ...outputs.files],
  };

  let result: RunResult;
  try {
    const start = parts.supervise ?? (await import("../supervise/index.ts")).superviseRun;
    result = await withSignals(
      terminal,
      (signal) => send?.(signal),
      () => start(options),
    );
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error));
    complain(COMMAND, flags.debug === true ? (problem.stack ?? problem.message) : visible(problem.message));
    return STATUS.cannotSupervise;
  } finally {
    outputs.close();
  }

  if (!quiet && flags.logOnly !== true) writeStderr(await (parts.receipt ?? noReceipt)(result.id, machine));
  if (seen !== undefined) await proposeProfile(seen, { machine, cwd, profile, flags });
  return statusOf(result);
}

const noReceipt = async (): Promise<string> => "";

const definedOnly = (env: Machine["env"]): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

async function realApprovers(): Promise<Approvers> {
  throw new Error("no approvers yet");
}

interface Outputs {
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
    event: (event) => {
      for (const sink of sinks) sink(event);
    },
    close,
    files: open.flatMap(({ file }) => file ?? []),
  };
}
