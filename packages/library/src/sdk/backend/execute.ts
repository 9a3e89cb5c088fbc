import { brief } from "@assent/core/action";
import { isConfined, type JudgedAction, type RequestVerdict } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";
import { type RefusedInRun, refusedText } from "../confined/refused.ts";
import type { RunEnd } from "../confined/run.ts";
import { deniedText, PermissionDeniedError } from "../common/errors.ts";
import { Command, type Start } from "./command.ts";
import { type BackendChecker, checkTarget } from "../rules/backend-checker.ts";
import { probeSandbox } from "../common/sandbox.ts";
import { type Supervising, whyNotSupervised } from "./supervision.ts";

/** How a command is run. */
export interface ExecuteOptions {
  /** Milliseconds until the command is ended, with exit code 124; 120 000 by default. */
  readonly timeout?: number;
  /** Ends the command and all it has started. */
  readonly signal?: AbortSignal;
  /** Why the agent wants it, shown to the person who is asked. */
  readonly reason?: string;
}

/** What became of a command. */
export interface ExecuteResult {
  /** 1 when it was refused, 124 after the timeout, 130 when it was cancelled; else the command's own. */
  readonly exitCode: number;
  /** What it wrote, errors included; begins with `Error: ` when it was refused. */
  readonly output: string;
  /** More was written than is given. */
  readonly truncated: boolean;
  readonly ended: "itself" | "refused" | "timeout" | "cancelled";
  /** It ran under supervision. */
  readonly supervised: boolean;
  /** It was refused or failed under supervision, and a person has said yes to running it once more without. */
  readonly outside?: true;
  /** With `supervise: "unknown"`: nobody could know what it does, so it ran confined, without a question. */
  readonly confined?: ConfinedRun;
}

/** What is known of a command that ran confined. */
export interface ConfinedRun {
  /** For `undoRun`, `assent receipt` and `assent undo`. */
  readonly run: string;
  /** What it wanted and was refused. The program itself has seen "permission denied". */
  readonly refused: readonly RefusedInRun[];
  /** The same for the model, in at most ten lines, with the way out; empty where nothing was refused. */
  readonly text: string;
  /** What it has left running: under the same rules, until `killAll` or the end of this process. */
  readonly left: readonly { readonly pid: number; readonly name: string }[];
}

/** A command in the background. */
export interface BackgroundInfo {
  readonly id: string;
  readonly command: string;
  readonly running: boolean;
  readonly exitCode: number | undefined;
  /** It ran confined, and has ended. */
  readonly confined?: ConfinedRun;
}

/** A command in the background, and what is new of its output. */
export interface BackgroundOutput extends BackgroundInfo {
  /** What was written since the last time it was asked for. */
  readonly output: string;
  readonly truncated: boolean;
}

interface RunnerOptions {
  readonly checker: BackendChecker;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeout: number;
  readonly maxOutput: number;
  /** Undefined: commands run as they are. */
  readonly supervision: Supervising | undefined;
  /** Only what nobody can know is supervised. */
  readonly unknown: boolean;
  /** Whose policy and state a confined command is held to. */
  readonly machine: Machine;
  readonly outside: "never" | "ask";
}

interface Background {
  readonly id: string;
  readonly line: string;
  readonly command: Command;
  exitCode: number | undefined;
  confined: ConfinedRun | undefined;
  given: number;
}

const SHELL = "/bin/sh";
const MOST_BACKGROUND = 64;

/** Commands behind the ruleset, with an end to each of them. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #background = new Map<string, Background>();
  /** Confined commands that have left something behind. */
  readonly #left = new Set<Command>();
  #count = 0;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  async execute(line: string, options: ExecuteOptions = {}): Promise<ExecuteResult> {
    const ready = await this.#prepare(line, options.reason);
    if ("refused" in ready) return refusedResult(ready.refused);
    if (isAborted(options.signal)) {
      ready.clean?.();
      return CANCELLED;
    }
    const { outside, unknown } = this.#options;
    const ran = "problem" in ready ? ready : await this.#run(ready, options);
    if ("problem" in ran && unknown) return await this.#askInstead(line, ran.problem, options);
    const result = "problem" in ran ? refusedResult(`Error: ${ran.problem}`) : ran;
    const failed = result.ended === "refused" || (result.ended === "itself" && result.exitCode !== 0);
    if (outside === "never" || !failed || ("supervised" in ready && !ready.supervised)) return result;
    const how = "problem" in ran ? ran.problem : `it ended with exit code ${result.exitCode} under supervision`;
    const said = await this.#offer(line, how, options.reason);
    if (said !== "approved") return result;
    return isAborted(options.signal) ? CANCELLED : { ...(await this.#runBare(line, options)), outside: true };
  }

  /** Outside supervision, after a question of its own. */
  async executeOutside(line: string, options: ExecuteOptions = {}): Promise<ExecuteResult> {
    const said = await this.#offer(line, "it is not to run under supervision", options.reason);
    if (isAborted(options.signal)) return CANCELLED;
    if (said === "approved") return { ...(await this.#runBare(line, options)), outside: true };
    return refusedResult(refusedLine(line, said));
  }

  async #offer(line: string, how: string, reason: string | undefined): Promise<"approved" | "refused" | "nobody" | "denied"> {
    const why = `${how}; outside nothing but its words is judged, and nothing it does is held back`;
    return await this.#options.checker.askAfresh(checkTarget("execute", line), line, why, reason ?? "");
  }

  /** It was to be confined, nothing could be, and nothing was started: a question, as where nothing confines. */
  async #askInstead(line: string, problem: string, options: ExecuteOptions): Promise<ExecuteResult> {
    const why = `nobody can know what it does; it would run sandboxed, but ${problem}`;
    const said = await this.#options.checker.askAfresh(checkTarget("execute", line), line, why, options.reason ?? "");
    if (isAborted(options.signal)) return CANCELLED;
    return said === "approved" ? await this.#runBare(line, options) : refusedResult(refusedLine(line, said, problem));
  }

  async #runBare(line: string, options: ExecuteOptions): Promise<ExecuteResult> {
    const ran = await this.#run(this.#bare(line), options);
    return "problem" in ran ? refusedResult(`Error: ${ran.problem}`) : ran;
  }

  async #run(start: Prepared, { timeout, signal }: ExecuteOptions): Promise<ExecuteResult | { readonly problem: string }> {
    const { maxOutput } = this.#options;
    return await runPrepared(start, { timeout: timeout ?? this.#options.timeout, signal, maxOutput }, (command) => this.#keepLeft(command));
  }

  #keepLeft(command: Command): void {
    this.#left.add(command);
    void command.gone.then(() => this.#left.delete(command));
  }

  /** Starts a command that goes on by itself. Behind the same ruleset. */
  async start(line: string, reason?: string): Promise<BackgroundInfo | { readonly error: string }> {
    if ([...this.#background.values()].filter(({ command }) => command.isRunning).length >= MOST_BACKGROUND)
      return { error: `Error: ${MOST_BACKGROUND} commands run in the background already` };
    const start = await this.#prepare(line, reason);
    if ("refused" in start) return { error: start.refused };
    if ("problem" in start) return { error: `Error: ${start.problem}` };
    this.#count += 1;
    const command = new Command(start.start, this.#options.maxOutput);
    const background: Background = { id: `bg_${this.#count}`, line, command, exitCode: undefined, confined: undefined, given: 0 };
    this.#background.set(background.id, background);
    void command.ended.then(({ exitCode, run }) => {
      background.exitCode = exitCode;
      background.confined = confinedRun(command, run);
      if ((background.confined?.left.length ?? 0) > 0) this.#keepLeft(command);
    });
    void command.gone.then(start.clean);
    return infoOf(background);
  }

  output(id: string): BackgroundOutput | undefined {
    const background = this.#background.get(id);
    if (background === undefined) return undefined;
    const { text, truncated } = background.command.output;
    const output = text.slice(background.given);
    background.given = text.length;
    return { ...infoOf(background), output, truncated };
  }

  list(): readonly BackgroundInfo[] {
    return [...this.#background.values()].map(infoOf);
  }

  /** Ends a command with all it has started; false where there is none of that name. */
  async kill(id: string): Promise<boolean> {
    const background = this.#background.get(id);
    if (background === undefined) return false;
    background.command.kill();
    await background.command.ended;
    await endWhole(background.command);
    return true;
  }

  async killAll(): Promise<void> {
    const left = [...this.#left].map(async (command) => await command.endAll());
    await Promise.all([...left, ...[...this.#background.keys()].map(async (id) => await this.kill(id))]);
  }

  /** Judges, asks where that is due, and says how it is to be started. */
  async #prepare(line: string, reason: string | undefined): Promise<Ready> {
    const { checker, cwd, env, machine, supervision, unknown } = this.#options;
    if (supervision !== undefined) await probeSandbox(cwd);
    let verdict: RequestVerdict;
    try {
      verdict = await checker.checkTarget(checkTarget("execute", line), line, reason ?? "", cwd);
    } catch (error) {
      if (!(error instanceof PermissionDeniedError)) throw error;
      return { refused: `Error: ${deniedText(error)}` };
    }
    if (supervision === undefined) return this.#bare(line);
    const problem = whyNotSupervised();
    if (unknown && (problem !== undefined || !isUnknown(verdict))) return this.#bare(line);
    if (problem !== undefined) return { problem };
    const made = supervision[unknown ? "confine" : "start"]([SHELL, "-c", line], { machine, cwd, env }, { line, reason: reason ?? "" });
    return "problem" in made ? made : { ...made, supervised: true };
  }

  #bare(line: string): Prepared {
    const { cwd, env } = this.#options;
    return { start: { file: SHELL, args: ["-c", line], cwd, env }, supervised: false, clean: () => undefined };
  }
}

const WHY_NOT = { refused: "the user refused", nobody: "approval required, and nobody can be asked", denied: "a rule denies it" };

function refusedLine(line: string, said: keyof typeof WHY_NOT, problem?: string): string {
  const unconfined = problem === undefined ? "" : `; it could not be sandboxed: ${problem}`;
  return `Error: Permission denied for execute on '${brief(line, 400)}': ${WHY_NOT[said]}${unconfined}`;
}

/**
 * What goes ahead confined only; and what a default lets go ahead of which nobody can know what it does: a preset that
 * allows it says nothing about what it reaches.
 */
function isUnknown(verdict: RequestVerdict): boolean {
  if (isConfined(verdict)) return true;
  if (verdict.decision !== "allow") return false;
  const isCode = ({ action, verdict: { basis } }: JudgedAction): boolean =>
    basis === "default" && (action.kind === "code" || action.kind === "exec");
  return verdict.unknowns.some(({ verdict: { basis } }) => basis !== "rule") || verdict.actions.some(isCode);
}

/** How a line is started, or why it is not. */
type Ready = Prepared | { readonly problem: string; readonly clean?: never } | { readonly refused: string };

export interface Prepared {
  readonly start: Start;
  readonly supervised: boolean;
  readonly clean: () => void;
}

const CANCELLED: ExecuteResult = { exitCode: 130, output: "", truncated: false, ended: "cancelled", supervised: false };

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

function infoOf({ id, line, command, exitCode, confined }: Background): BackgroundInfo {
  return { id, command: line, running: command.isRunning, exitCode, ...(confined === undefined ? {} : { confined }) };
}

/** How far a command may go. */
export interface CommandLimits {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** Characters. */
  readonly maxOutput: number;
}

/** Starts a command and waits for its end. `problem`: it could not be confined, and was not started. */
export async function runPrepared(
  start: Prepared,
  { timeout, signal, maxOutput }: CommandLimits,
  onLeft: (command: Command) => void,
): Promise<ExecuteResult | { readonly problem: string }> {
  const command = new Command(start.start, maxOutput);
  const how: { ended: ExecuteResult["ended"] } = { ended: "itself" };
  const stop = (why: "timeout" | "cancelled") => (): void => {
    if (how.ended === "itself") how.ended = why;
    command.kill();
  };
  const cancel = stop("cancelled");
  const timer = setTimeout(stop("timeout"), timeout);
  signal?.addEventListener("abort", cancel, { once: true });
  // Meanwhile it may have been cancelled.
  if (isAborted(signal)) cancel();
  try {
    const { exitCode, run } = await command.ended;
    const { text, truncated } = command.output;
    const { ended } = how;
    const code = ended === "timeout" ? 124 : ended === "cancelled" ? 130 : exitCode;
    // What it has left behind in its group would go on.
    if (ended !== "itself") await endWhole(command);
    if (run?.is === "failed" && ended === "itself" && !run.started) return { problem: run.why };
    const known = { exitCode: code, output: text, truncated, supervised: start.supervised };
    if (run?.is === "failed") return { ...known, ended: ended === "itself" ? "refused" : ended };
    const confined = confinedRun(command, run);
    if ((confined?.left.length ?? 0) > 0) onLeft(command);
    return { ...known, ended, ...(confined === undefined ? {} : { confined }) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    void command.gone.then(start.clean);
  }
}

async function endWhole(command: Command): Promise<void> {
  // A supervisor ends its run by itself, and writes down what was done.
  if (command.isConfined) await command.endAll();
  else command.signal("SIGKILL");
}

function confinedRun({ refused }: Command, run: RunEnd | undefined): ConfinedRun | undefined {
  return run?.is === "ended" ? { run: run.run, refused, text: refusedText(refused), left: run.left } : undefined;
}

export function refusedResult(error: string): ExecuteResult {
  return { exitCode: 1, output: error, truncated: false, ended: "refused", supervised: false };
}
