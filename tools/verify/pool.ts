import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { unpredicted, type CorpusLine, type LineResult, type LineOutcome } from "./types.ts";
import type { WorkerReply, WorkerTask } from "./worker.ts";

export interface PoolOptions {
  /** Starts a worker: node, this program and its words. */
  readonly worker: readonly string[];
  readonly workers: number;
  readonly whatever: boolean;
  readonly patience: number;
  /** Of the worker; by default our own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What results hold in the end: a run of hundreds of thousands of lines would not fit. `onResult` is told everything. */
  readonly keeps?: "all" | "what was not predicted";
  readonly onResult?: (result: LineResult, done: number) => void;
}

/** A worker is given up when it does not answer so long beyond its patience. */
const GRACE_MS = 30_000;
/** So many tasks lie ready at a worker: most lines are only judged, and that is faster than asking for the next. */
const AHEAD = 16;

/** Runs every line, each in a fresh copy of the scratch project; results come in the order of the lines. */
export async function verifyLines(lines: readonly CorpusLine[], options: PoolOptions): Promise<readonly LineResult[]> {
  const { whatever, patience } = options;
  const results: LineResult[] = [];
  let done = 0;
  await inWorkers(
    lines.map(({ line }) => ({ line, does: "run", whatever, patience })),
    options,
    (at, outcome) => {
      const line = lines[at];
      if (line === undefined) return;
      const result = { ...line, outcome };
      results[at] = options.keeps === "what was not predicted" ? { ...result, outcome: lean(outcome) } : result;
      options.onResult?.(result, ++done);
    },
  );
  return results;
}

const lean = (outcome: LineOutcome): LineOutcome =>
  outcome.is === "run" ? { ...outcome, predictions: [], effects: unpredicted(outcome) } : outcome;

/** What each prints, asked in its ways until one tells an option, in the scratch project, whatever that does there; by the first way. */
export async function askHelp(asked: readonly (readonly string[])[], options: PoolOptions): Promise<ReadonlyMap<string, string>> {
  const ways = new Map(asked.map(([line = "", ...otherwise]) => [line, otherwise]));
  const tasks = [...ways].map(
    ([line, otherwise]) => ({ line, otherwise, does: "say", whatever: true, patience: options.patience }) as const,
  );
  const said = new Map<string, string>();
  await inWorkers(tasks, { ...options, patience: options.patience * MOST_WAYS }, (at, outcome) => {
    const line = tasks[at]?.line;
    if (line !== undefined && outcome.is === "said") said.set(line, outcome.text);
  });
  return said;
}

/** Each may take as long as a line. */
const MOST_WAYS = 4;

type Work = Omit<WorkerTask, "id">;

async function inWorkers(work: readonly Work[], options: PoolOptions, put: (at: number, outcome: LineOutcome) => void): Promise<void> {
  const left = new WorkQueue(work.length);
  const one = async (): Promise<void> => {
    while (!left.isEmpty) await serve(work, left, put, options);
  };
  await Promise.all(Array.from({ length: Math.min(options.workers, work.length) }, one));
}

/** Which work nobody has yet. */
class WorkQueue {
  #next = 0;
  #back: number[] = [];
  readonly #length: number;

  constructor(length: number) {
    this.#length = length;
  }

  get isEmpty(): boolean {
    return this.#back.length === 0 && this.#next >= this.#length;
  }

  take(): number | undefined {
    return this.#back.shift() ?? (this.#next < this.#length ? this.#next++ : undefined);
  }

  giveBack(all: readonly number[]): void {
    this.#back.push(...all);
  }
}

/** One worker, until nothing is left, it fails at something (which is told), or its world is used up. */
async function serve(
  work: readonly Work[],
  left: WorkQueue,
  put: (at: number, outcome: LineOutcome) => void,
  { worker, patience, env = process.env }: PoolOptions,
): Promise<void> {
  return new Promise((resolve) => {
    const [program, args] = confined(worker);
    // Not a file and not /dev/null: programs look at what they print to, and stop early where nobody reads.
    const child = spawn(program, [...args], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { ...env, ASSENT_POLICY: undefined },
    });
    /** Given to it and not answered, in order. */
    const given: number[] = [];
    let tail = "";
    let failed: string | undefined;
    let isReady = false;
    let isUsedUp = false;
    let timer: NodeJS.Timeout | undefined;
    child.stdout?.resume();
    child.stderr?.on("data", (chunk: Buffer) => {
      tail = `${tail}${chunk.toString()}`.slice(-300);
    });
    const ask = (): void => {
      clearTimeout(timer);
      for (
        let at = given.length < AHEAD / 2 ? left.take() : undefined;
        at !== undefined;
        at = given.length < AHEAD ? left.take() : undefined
      ) {
        given.push(at);
        child.send({ id: at, ...work[at] });
      }
      if (given.length === 0) return child.disconnect();
      timer = setTimeout(() => end(child), patience + GRACE_MS);
    };
    child.on("message", (reply: WorkerReply) => {
      if ("failed" in reply) failed = reply.failed;
      else if ("ready" in reply) {
        isReady = true;
        ask();
      } else if (!isUsedUp) {
        given.splice(given.indexOf(reply.id), 1);
        put(reply.id, reply.outcome);
        isUsedUp = reply.isLast === true;
        if (isUsedUp) end(child);
        else ask();
      }
    });
    child.on("error", (error) => {
      failed = error.message;
    });
    child.on("exit", () => {
      clearTimeout(timer);
      // What is broken is what it was at; one that never began was asked for nothing, and another would not begin either.
      const broken = isUsedUp ? undefined : (given.shift() ?? (isReady ? undefined : left.take()));
      left.giveBack(given);
      if (broken !== undefined) put(broken, { is: "broken", why: failed ?? `the worker ended: ${tail.trim()}` });
      resolve();
    });
  });
}

const end = (child: ChildProcess): void => void child.kill("SIGKILL");

const NAMESPACES = ["--user", "--map-root-user", "--pid", "--mount", "--net", "--ipc", "--fork", "--kill-child", "--mount-proc"];

/** How a worker is started in user, process, mount, network and IPC namespaces of its own: unshare(1). */
const confined = (argv: readonly string[]): readonly [string, readonly string[]] => ["unshare", [...NAMESPACES, "--", ...argv]];

/** Undefined: namespaces are to be had. Else why not. */
export function cannotConfine(): string | undefined {
  const [program, args] = confined(["true"]);
  const { status, error, stderr } = spawnSync(program, [...args], { encoding: "utf8" });
  if (status === 0) return undefined;
  return error === undefined ? (stderr.trim().split("\n")[0] ?? "unshare failed") : "unshare(1) of util-linux is not installed";
}
