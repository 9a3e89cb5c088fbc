import { type Client, directoryClient, QuestionQueue, terminalClient, type TerminalOptions } from "@assent/guard/approve";
import { TerminalClient } from "../../packages/guard/src/approve/terminal.ts";
import type { AskOptions } from "../../packages/guard/src/approve/questions.ts";
import type { Device } from "../../packages/guard/src/approve/tty.ts";
import { checkRule } from "./question.ts";

/** Queues of one client each, for tests. */

type Options = Partial<AskOptions & TerminalOptions>;

export const queueOf = (client: Client, options: Partial<AskOptions> = {}): QuestionQueue =>
  new QuestionQueue({ checkRule, ...options }, [client]);

export const askedOn = (device: Device, options: Options = {}): QuestionQueue =>
  queueOf(new TerminalClient(device, { env: { TERM: "xterm" }, checkRule, ...options }), options);

export function askedHere(options: Options): QuestionQueue | undefined {
  const terminal = terminalClient({ env: process.env, checkRule, ...options });
  return terminal === undefined ? undefined : queueOf(terminal, options);
}

export const askedIn = (dir: string, nonce = "n", onNotice?: (text: string) => void): QuestionQueue =>
  queueOf(directoryClient(dir, { nonce, onNotice }), { onNotice });
