import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { HookOutput } from "./check.ts";

// A hook whose input may have been made to take long. It is judged in another thread, and this one
// waits no longer than the host would be patient; the counters of `action/budget.ts` mostly end it before.

/** From the start of the process. Hosts wait for 30 seconds and more. */
const PATIENCE_MS = 4000;
/** However long the host took to say what it wants. */
const LEAST_MS = 2500;

/** What the other thread is given. */
export interface WatchedCall {
  readonly argv: readonly string[];
  readonly input: string;
  readonly done: Int32Array;
  readonly port: MessageChannel["port1"];
}

export function watch(folder: string, argv: readonly string[], input: string): HookOutput | undefined {
  const { port1, port2 } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WatchedCall = { argv, input, done, port: port2 };
  const worker = new Worker(`${folder}/load-hook.cjs`, { workerData, transferList: [port2], stdin: false });
  // Nobody hears it: this thread does not come back to its event loop before it has answered.
  worker.unref();
  const left = Math.max(LEAST_MS, PATIENCE_MS - process.uptime() * 1000);
  Atomics.wait(done, 0, 0, left);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by load-hook.ts
  return receiveMessageOnPort(port1)?.message as HookOutput | undefined;
}
