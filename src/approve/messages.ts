import { isObject } from "../data/index.ts";
import { isAlive, type Exchange, FILES, type Life } from "./exchange.ts";

/** What the files of an exchange folder hold. They come from outside: read through the functions here. */

/** `run.json` */
export interface RunFile extends Life {
  readonly nonce: string;
}

/** `response.json` */
export interface Response {
  readonly seq: number;
  readonly action: string;
  readonly pattern?: string;
  readonly nonce?: string;
}

export const ACTIONS = ["approve", "deny", "pattern", "deny_pattern", "trust", "quit"] as const;
export type ActionWord = (typeof ACTIONS)[number];

export const actionWord = (text: string): ActionWord | undefined => ACTIONS.find((word) => word === text);

export function readRun(exchange: Exchange): RunFile | undefined {
  const found = exchange.question(FILES.run);
  if (found.is !== "value" || !isObject(found.value)) return undefined;
  const { nonce, pid, started, namespace } = found.value;
  if (typeof nonce !== "string" || typeof pid !== "number" || typeof started !== "number" || typeof namespace !== "string")
    return undefined;
  return { nonce, pid, started, namespace };
}

/** The response, or why it is none. Fields that are no text are as if they were missing. */
export function parseResponse(value: unknown): Response | undefined {
  if (!isObject(value)) return undefined;
  const { seq, action, pattern, nonce } = value;
  if (typeof seq !== "number" || !Number.isSafeInteger(seq)) return undefined;
  return {
    seq,
    action: typeof action === "string" ? action : "",
    ...(typeof pattern === "string" ? { pattern } : {}),
    ...(typeof nonce === "string" ? { nonce } : {}),
  };
}

/** `done.json`: the exit status, as a shell would give it. */
export function readDone(exchange: Exchange, run: RunFile | undefined): number | undefined {
  const found = exchange.question(FILES.done);
  if (found.is !== "value" || !isObject(found.value)) return undefined;
  const { exit_code: code, nonce } = found.value;
  if (typeof code !== "number" || (run !== undefined && nonce !== run.nonce)) return undefined;
  return code;
}

export const isDead = (run: RunFile): boolean => !isAlive(run);
