import type { MessagePort } from "node:worker_threads";
import type { Errand, RunJudge } from "../judge/index.ts";
import type { UndoStore } from "../undo/index.ts";
import type { Handler } from "./operation.ts";

export interface DoorOptions {
  readonly listener: number;
  /** eventfd that says that a message waits. */
  readonly wake: number;
  readonly port: MessagePort;
  readonly judge: RunJudge;
  readonly undo: UndoStore | undefined;
  readonly run: string;
  readonly profile: string;
  readonly home: string;
  readonly cwd: string;
  /** As the program was given it. */
  readonly env: Readonly<Record<string, string>>;
  /** Observe: nothing is blocked. */
  readonly observes: boolean;
  /** Somebody answers questions. */
  readonly asks: boolean;
  /** Tell of every judged call, not only of what a receipt needs. */
  readonly tellsAll: boolean;
  /** What the typed command says it does. */
  readonly typed: Errand;
  /** Handlers of network calls. */
  readonly net: Readonly<Record<string, Handler>>;
}
