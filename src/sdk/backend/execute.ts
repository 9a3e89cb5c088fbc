import { brief } from "../../action/index.ts";
import { PermissionAskError, PermissionDeniedError } from "../errors.ts";
import type { PermissionChecker } from "../rules/checker.ts";
import { Command, type Start } from "./command.ts";
import type { Supervision } from "./supervision.ts";

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
}

/** A command in the background. */
export interface BackgroundInfo {
  readonly id: string;
  readonly command: string;
  readonly running: boolean;
  readonly exitCode: number | undefined;
}

/** A command in the background, and what is new of its output. */
export interface BackgroundOutput extends BackgroundInfo {
  /** What was written since the last time it was asked for. */
  readonly output: string;
  readonly truncated: boolean;
}

interface RunnerOptions {
  readonly checker: PermissionChecker;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeout: number;
  readonly maxOutput: number;
  /** Undefined: commands run as they are. */
  readonly supervision: Supervision | undefined;
  readonly outside: "never" | "ask";
}

interface Background {
  readonly id: string;
  readonly line: string;
  readonly command: Command;
  exitCode: number | undefined;
  given: number;
}

const SHELL = "/bin/sh";
const MOST_BACKGROUND = 64;

/** Commands behind the ruleset, with an end to each of them. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #background = new Map<string, Background>();
  #count = 0;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  async execute(line: string, options: ExecuteOptions = {}): Promise<ExecuteResult> {
    const refused = await this.#refusal(line, options.reason);
    if (refused !== undefined) return refusedResult(refused);
    if (isAborted(options.signal)) return CANCELLED;
    const { supervision, outside } = this.#options;
    const start = await this.#start(line);
    const result = "problem" in start ? refusedResult(`Error: ${start.problem}`) : await this.#run(start, options);
    const failed = result.ended === "refused" || (result.ended === "itself" && result.exitCode !== 0);
    if (supervision === undefined || outside === "never" || !failed) return result;
    const how = "problem" in start ? start.problem : `it ended with exit code ${result.exitCode} under supervision`;
    const said = await this.#offer(line, how, options.reason);
    if (said !== "approved") return result;
    return isAborted(options.signal) ? CANCELLED : { ...(await this.#run(this.#bare(line), options)), outside: true };
  }

  /** Outside supervision, after a question of its own. */
  async executeOutside(line: string, options: ExecuteOptions = {}): Promise<ExecuteResult> {
    const said = await this.#offer(line, "it is not to run under supervision", options.reason);
    if (isAborted(options.signal)) return CANCELLED;
    if (said === "approved") return { ...(await this.#run(this.#bare(line), options)), outside: true };
    const why = { refused: "the user refused", nobody: "approval required, and nobody can be asked", denied: "a rule denies it" }[said];
    return refusedResult(`Error: Permission denied for execute on '${brief(line, 400)}': ${why}`);
  }

  async #offer(line: string, how: string, reason: string | undefined): Promise<"approved" | "refused" | "nobody" | "denied"> {
    const why = `${how}; outside nothing but its words is judged, and nothing it does is held back`;
    return await this.#options.checker.askAfresh({ operation: "execute", text: line }, line, why, reason ?? "");
  }

  async #run(start: Prepared, { timeout, signal }: ExecuteOptions): Promise<ExecuteResult> {
    const command = new Command(start.start, this.#options.maxOutput);
    const how: { ended: ExecuteResult["ended"] } = { ended: "itself" };
    const stop = (why: "timeout" | "cancelled") => (): void => {
      if (how.ended === "itself") how.ended = why;
      command.kill();
    };
    const cancel = stop("cancelled");
    const timer = setTimeout(stop("timeout"), timeout ?? this.#options.timeout);
    signal?.addEventListener("abort", cancel, { once: true });
    // Meanwhile it may have been cancelled.
    if (isAborted(signal)) cancel();
    try {
      const { exitCode } = await command.ended;
      const { text, truncated } = command.output;
      const { ended } = how;
      const code = ended === "timeout" ? 124 : ended === "cancelled" ? 130 : exitCode;
      // What it has left behind in its group would go on.
      if (ended !== "itself") command.signal("SIGKILL");
      return { exitCode: code, output: text, truncated, ended, supervised: start.supervised };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      start.clean();
    }
  }

  /** Starts a command that goes on by itself. Behind the same ruleset. */
  async start(line: string, reason?: string): Promise<BackgroundInfo | { readonly error: string }> {
    const refused = await this.#refusal(line, reason);
    if (refused !== undefined) return { error: refused };
    if ([...this.#background.values()].filter(({ command }) => command.isRunning).length >= MOST_BACKGROUND)
      return { error: `Error: ${MOST_BACKGROUND} commands run in the background already` };
    const start = await this.#start(line);
    if ("problem" in start) return { error: `Error: ${start.problem}` };
    this.#count += 1;
    const command = new Command(start.start, this.#options.maxOutput);
    const background: Background = { id: `bg_${this.#count}`, line, command, exitCode: undefined, given: 0 };
    this.#background.set(background.id, background);
    void command.ended.then(({ exitCode }) => {
      background.exitCode = exitCode;
      start.clean();
    });
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
    background.command.signal("SIGKILL");
    return true;
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.#background.keys()].map(async (id) => await this.kill(id)));
  }

  async #refusal(line: string, reason: string | undefined): Promise<string | undefined> {
    try {
      await this.#options.checker.checkTarget({ operation: "execute", text: line }, line, reason ?? "", this.#options.cwd);
      return undefined;
    } catch (error) {
      if (error instanceof PermissionAskError || !(error instanceof PermissionDeniedError)) throw error;
      const asks = error.reason.startsWith("approval required");
      return `Error: ${error.message}${asks ? " (approval required)" : error.help === undefined ? "" : ` (${error.help})`}`;
    }
  }

  async #start(line: string): Promise<Prepared | { readonly problem: string }> {
    const { cwd, env, supervision } = this.#options;
    if (supervision === undefined) return this.#bare(line);
    const made = await supervision.start([SHELL, "-c", line], cwd, env);
    return "problem" in made ? made : { ...made, supervised: true };
  }

  #bare(line: string): Prepared {
    const { cwd, env } = this.#options;
    return { start: { file: SHELL, args: ["-c", line], cwd, env }, supervised: false, clean: () => undefined };
  }
}

interface Prepared {
  readonly start: Start;
  readonly supervised: boolean;
  readonly clean: () => void;
}

const CANCELLED: ExecuteResult = { exitCode: 130, output: "", truncated: false, ended: "cancelled", supervised: false };

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

function infoOf({ id, line, command, exitCode }: Background): BackgroundInfo {
  return { id, command: line, running: command.isRunning, exitCode };
}

function refusedResult(error: string): ExecuteResult {
  return { exitCode: 1, output: error, truncated: false, ended: "refused", supervised: false };
}
