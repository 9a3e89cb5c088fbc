import { spawn, type ChildProcess } from "node:child_process";
import { confined } from "./confine.ts";
import type { CorpusLine, LineResult, Outcome } from "./types.ts";
import type { Reply } from "./worker.ts";

export interface PoolOptions {
  /** Starts a worker: node, this program and its words. */
  readonly worker: readonly string[];
  readonly workers: number;
  readonly whatever: boolean;
  readonly patience: number;
  /** Of the worker; by default our own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly onResult?: (result: LineResult, done: number) => void;
}

/** A worker is given up when it does not answer so long beyond its patience. */
const GRACE_MS = 30_000;

/** Runs every line, each in a fresh copy of the scratch project; results come in the order of the lines. */
export async function verifyLines(lines: readonly CorpusLine[], options: PoolOptions): Promise<readonly LineResult[]> {
  const results: LineResult[] = [];
  let next = 0;
  let done = 0;
  const take = (): number | undefined => (next < lines.length ? next++ : undefined);
  const put = (at: number, outcome: Outcome): void => {
    const line = lines[at];
    if (line === undefined) return;
    const result = { ...line, outcome };
    results[at] = result;
    options.onResult?.(result, ++done);
  };
  const one = async (): Promise<void> => {
    for (let at = take(); at !== undefined;) at = await serve(at, lines, take, put, options);
  };
  await Promise.all(Array.from({ length: Math.min(options.workers, lines.length) }, one));
  return results;
}

/** One worker, from `at` on. A number: the line it failed at was told, and the next is for another worker. */
async function serve(
  first: number,
  lines: readonly CorpusLine[],
  take: () => number | undefined,
  put: (at: number, outcome: Outcome) => void,
  { worker, whatever, patience, env = process.env }: PoolOptions,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const [program, args] = confined(worker);
    // Not a file and not /dev/null: programs look at what they print to, and stop early where nobody reads.
    const child = spawn(program, [...args], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { ...env, ASSENT_POLICY: undefined },
    });
    let at: number | undefined = first;
    let tail = "";
    let timer: NodeJS.Timeout | undefined;
    child.stdout?.resume();
    child.stderr?.on("data", (chunk: Buffer) => {
      tail = `${tail}${chunk.toString()}`.slice(-300);
    });
    const ask = (): void => {
      clearTimeout(timer);
      if (at === undefined) return child.disconnect();
      timer = setTimeout(() => end(child), patience + GRACE_MS);
      child.send({ id: at, line: lines[at]?.line ?? "", whatever, patience });
    };
    let failed: string | undefined;
    child.on("message", (reply: Reply) => {
      if ("failed" in reply) failed = reply.failed;
      else if ("ready" in reply) ask();
      else {
        put(reply.id, reply.outcome);
        at = take();
        ask();
      }
    });
    child.on("error", (error) => {
      failed = error.message;
    });
    child.on("exit", () => {
      clearTimeout(timer);
      if (at === undefined) return resolve(undefined);
      put(at, { is: "broken", why: failed ?? `the worker ended: ${tail.trim()}` });
      resolve(take());
    });
  });
}

const end = (child: ChildProcess): void => void child.kill("SIGKILL");
