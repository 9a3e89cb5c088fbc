import { isObject } from "@assent/core/data";
import { errorCode } from "../state/index.ts";
import { ExchangeFolder, ExchangeError, FILES, isDead, readDone, readRun, type RunFile } from "./exchange.ts";
import { printable } from "./printable.ts";

/** What who answers questions learns next about a run. */
export type BackgroundEvent =
  /** `pending` is the file of the question, with `status: "pending"`. */
  | { readonly is: "pending"; readonly pending: Readonly<Record<string, unknown>> }
  | { readonly is: "done"; readonly exit: number }
  /** The run will never say anything: it is gone, or the folder cannot be used. */
  | { readonly is: "failed"; readonly why: string };

interface WaitOptions {
  /** Looks this often. Milliseconds. */
  readonly pollMs?: number;
  /** How long a run may take to come up. Milliseconds. */
  readonly patienceMs?: number;
  /** Nobody waits any more. */
  readonly over?: () => boolean;
}

const POLL_MS = 40;
const PATIENCE_MS = 30_000;

/** Waits for an open question, or for the end of the run. A question is reported before the end. */
export async function wait(path: string, options: WaitOptions = {}): Promise<BackgroundEvent> {
  return await inFolder(path, options, (exchange) => next(exchange, options, undefined));
}

/**
 * Answers a question, then waits for the next event: the oldest open question that is not `seq`, or the end.
 * Fails without answering when `seq` is not open.
 */
export async function respond(
  path: string,
  seq: number,
  action: string,
  pattern?: string,
  options: WaitOptions = {},
): Promise<BackgroundEvent> {
  // Who answers has read the question: a run that is not there has not to come up first.
  return await inFolder(path, { ...options, patienceMs: 0 }, async (exchange) => {
    const run = readRun(exchange);
    if (run === undefined) return failed(`found no run in ${printable(path)}`);
    const isOpen = (): boolean => exchange.names().includes(`${seq}.json`);
    const response = { seq, action, nonce: run.nonce, ...(pattern === undefined ? {} : { pattern }) };
    // Another client's response is read first.
    for (;;) {
      if (!isOpen()) {
        const exit = readDone(exchange, run);
        if (exit !== undefined) return { is: "done", exit };
        if (isDead(run)) return dead(run);
        return failed(`question ${seq} is not open: \`assent run --background-wait\` shows one that is`);
      }
      if (exchange.writeNew(FILES.response, response)) break;
      if (isDead(run)) return dead(run);
      await pause(options);
    }
    return await next(exchange, options, seq);
  });
}

async function inFolder(
  path: string,
  options: WaitOptions,
  work: (exchange: ExchangeFolder) => Promise<BackgroundEvent>,
): Promise<BackgroundEvent> {
  const until = performance.now() + (options.patienceMs ?? PATIENCE_MS);
  for (;;) {
    let exchange: ExchangeFolder | undefined;
    try {
      exchange = ExchangeFolder.open(path);
      if (readRun(exchange) !== undefined || readDone(exchange, undefined) !== undefined) return await work(exchange);
      if (performance.now() >= until || options.over?.() === true) return failed(`no run has begun in ${printable(path)}`);
    } catch (error) {
      const missing = error instanceof ExchangeError && error.message === "no such folder";
      if (!missing || performance.now() >= until || options.over?.() === true)
        return failed(`${printable(path)}: ${error instanceof ExchangeError ? error.message : errorCode(error)}`);
    } finally {
      exchange?.close();
    }
    await pause(options);
  }
}

/** The next thing to tell, other than question `answered`. */
async function next(exchange: ExchangeFolder, options: WaitOptions, answered: number | undefined): Promise<BackgroundEvent> {
  for (;;) {
    // Read before the questions: a run that ends meanwhile has no open ones.
    const run = readRun(exchange);
    const gone = run !== undefined && isDead(run);
    const exit = readDone(exchange, run);
    const pending = gone || exit !== undefined ? undefined : oldest(exchange, answered);
    if (pending !== undefined) return { is: "pending", pending };
    if (exit !== undefined) return { is: "done", exit };
    if (gone) return dead(run);
    if (!exchange.exists || options.over?.() === true) return failed("the folder was removed");
    await pause(options);
  }
}

function oldest(exchange: ExchangeFolder, answered: number | undefined): Readonly<Record<string, unknown>> | undefined {
  const open = exchange
    .names()
    .map((name) => Number.parseInt(name, 10))
    .filter((seq) => seq !== answered)
    .sort((a, b) => a - b);
  for (const seq of open) {
    const found = exchange.question(`${FILES.all}/${seq}.json`);
    if (found.is === "value" && isObject(found.value)) return { ...found.value, status: "pending" };
  }
  return undefined;
}

const failed = (why: string): BackgroundEvent => ({ is: "failed", why });
const dead = ({ pid }: RunFile): BackgroundEvent => failed(`the run (process ${pid}) is gone without having said how it ended`);

const pause = ({ pollMs }: WaitOptions): Promise<void> => new Promise((resolve) => setTimeout(resolve, pollMs ?? POLL_MS));
