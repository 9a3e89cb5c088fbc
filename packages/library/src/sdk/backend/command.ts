import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { readdirSync } from "node:fs";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { attempt } from "@assent/core/data";
import { processFields, sendSignal } from "@assent/guard/state";
import type { RunOrder } from "@assent/supervisor/supervise/control-channel";
import { ConfinedRunChannel, type RunEnd, type RunListener } from "../confined/run.ts";
import { RefusedCalls, type RefusedInRun } from "../confined/refused.ts";

/** What is started: a shell with a line, or the supervisor with both. */
export interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** It is the supervisor of what it runs. */
  readonly supervises?: boolean;
  /** What is to be confined, told to the supervisor. */
  readonly order?: RunOrder;
  /** What is heard of its run: who answers its questions, and who is told what it refused. */
  readonly heard?: Partial<Pick<RunListener, "asks" | "refused">>;
}

/** Output as it comes, both streams in one, up to a limit; the rest is counted and thrown away. */
class Output {
  #text = "";
  readonly #limit: number;
  /** More was written than is kept. */
  truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get text(): string {
    return this.#text;
  }

  add(text: string): void {
    const room = this.#limit - this.#text.length;
    if (text.length > room) this.truncated = true;
    if (room > 0) this.#text += text.slice(0, room);
  }
}

/** How a command ended. */
interface Ended {
  /** As a shell gives it: 128 and the signal's number for a signal. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | undefined;
  /** What was confined: how its run ended. */
  readonly run?: RunEnd;
}

/** How long descendants that hold the output open are waited for once the command has ended. */
const LAST_OUTPUT_MS = 200;
const KILL_AFTER_MS = 2000;

const running = new Set<Command>();

const isClosed = async (stream: Readable | null): Promise<void> => {
  if (stream !== null && !stream.closed) await new Promise((resolve) => stream.once("close", resolve));
};

/** A command in a process group of its own, so that it can be ended with all it has started. */
export class Command {
  readonly output: Output;
  readonly ended: Promise<Ended>;
  /** What was started for it has ended, too: a supervisor stays while anything of its run does. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcess;
  readonly #supervises: boolean;
  readonly #channel: ConfinedRunChannel | undefined;
  readonly #refused = new RefusedCalls();
  #over = false;

  constructor({ file, args, cwd, env, supervises = false, order, heard = {} }: Start, limit: number) {
    this.#supervises = supervises;
    this.output = new Output(limit);
    const stdio: StdioOptions = ["ignore", "pipe", "pipe", ...(order === undefined ? [] : (["pipe"] as const))];
    this.#child = spawn(file, args, { cwd, env: { ...env }, detached: true, stdio });
    this.gone = new Promise((resolve) => {
      this.#child.once("error", () => resolve());
      this.#child.once("exit", () => resolve());
    });
    if (order !== undefined)
      this.#channel = new ConfinedRunChannel(this.#child, order, {
        refused: (call, judged) => {
          this.#refused.add(call);
          heard.refused?.(call, judged);
        },
        asks: heard.asks,
        notice: () => undefined,
      });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      const decoder = new StringDecoder("utf8");
      stream?.on("data", (chunk: Buffer) => this.output.add(decoder.write(chunk)));
      stream?.on("error", () => undefined);
    }
    this.ended = this.#channel === undefined ? this.#end() : this.#endConfined(this.#channel);
    running.add(this);
    hookExit();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return !this.#over;
  }

  get isConfined(): boolean {
    return this.#channel !== undefined;
  }

  /** What it was refused so far, where it is confined. */
  get refused(): readonly RefusedInRun[] {
    return this.#refused.list;
  }

  async #end(): Promise<Ended> {
    const ended = await new Promise<Ended>((resolve) => {
      this.#child.once("error", (error) => {
        this.output.add(`Error: the command could not be started: ${error.message}\n`);
        resolve({ exitCode: 127, signal: undefined });
      });
      this.#child.once("exit", (code, signal) => {
        const done = (): void => resolve({ exitCode: code ?? 128 + (SIGNALS[signal ?? ""] ?? 0), signal: signal ?? undefined });
        const timer = setTimeout(done, LAST_OUTPUT_MS);
        this.#child.once("close", () => {
          clearTimeout(timer);
          done();
        });
      });
    });
    this.#finish();
    return ended;
  }

  /** The supervisor says when the program has ended; it itself stays as long as anything of the run does. */
  async #endConfined(channel: ConfinedRunChannel): Promise<Ended> {
    const run = await channel.ended;
    const closed = Promise.all([this.#child.stdout, this.#child.stderr].map(isClosed));
    const isLeft = run.is === "ended" && run.left.length > 0;
    // What is left may hold the output open, as it does without a supervisor.
    await (isLeft
      ? Promise.race([closed, new Promise((resolve) => setTimeout(resolve, LAST_OUTPUT_MS))])
      : Promise.all([closed, this.gone]));
    this.#finish();
    if (isLeft) {
      channel.unref();
      this.#child.unref();
    }
    if (run.is === "failed") {
      const { text } = this.output;
      this.output.add(`${text === "" || text.endsWith("\n") ? "" : "\n"}Error: it could not be sandboxed: ${run.why}\n`);
      return { exitCode: 1, signal: undefined, run };
    }
    const { exit } = run;
    return { exitCode: exit.by === "exit" ? exit.code : 128 + exit.signal, signal: undefined, run };
  }

  #finish(): void {
    this.#over = true;
    running.delete(this);
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  /** Ends what a confined command has left behind, too. */
  async endAll(): Promise<void> {
    this.#channel?.close();
    if (this.#channel !== undefined) await this.gone;
  }

  /** Ends the whole group: politely, and two seconds later for good, with what has left the group since. */
  kill(): void {
    this.signal("SIGTERM");
    let timer = setTimeout(() => {
      this.#endTree();
      // Who supervises has the run to write down.
      timer = setTimeout(() => this.signal("SIGKILL"), this.#supervises ? KILL_AFTER_MS : 0);
    }, KILL_AFTER_MS);
    // Later its number may be another's.
    void this.ended.then(() => clearTimeout(timer));
  }

  /** Ends all that can be found, now. */
  end(): void {
    this.#endTree();
    // A supervisor ends with the channel, and writes down what was done.
    if (this.#channel === undefined) this.signal("SIGKILL");
  }

  #endTree(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#over) return;
    // A shell would still say that its programs were killed.
    if (!this.#supervises) this.signal("SIGSTOP");
    endDescendants(pid);
  }

  /** To every process of the group, those that outlive the command included. */
  signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid !== undefined) sendSignal(-pid, signal);
  }
}

const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

let hooked = false;

/** What is still running does not outlive the program. */
function hookExit(): void {
  if (hooked) return;
  hooked = true;
  process.once("exit", () => {
    for (const command of running) command.end();
  });
}

/** Each pass finds what was started during the one before. */
const MOST_PASSES = 50;

/** Ends everything below a process, whatever group or session it is in by now; where there is no `/proc`, nothing. */
function endDescendants(root: number): void {
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const below = descendants(root);
    if (below.length === 0) return;
    for (const pid of below) sendSignal(pid, "SIGKILL");
  }
}

function descendants(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of processes()) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found: number[] = [];
  for (const next = [root]; next.length > 0;) {
    const below = children.get(next.pop() ?? 0) ?? [];
    found.push(...below);
    next.push(...below);
  }
  return found;
}

function processes(): readonly { readonly pid: number; readonly parent: number }[] {
  return attempt(() => readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (parentOf(Number(name)) ?? []) : [])), []);
}

/** What has ended and waits for its parent does not count. */
function parentOf(pid: number): { readonly pid: number; readonly parent: number } | undefined {
  const [state, parent] = processFields(pid) ?? ["Z"];
  return state === "Z" ? undefined : { pid, parent: Number(parent) };
}
