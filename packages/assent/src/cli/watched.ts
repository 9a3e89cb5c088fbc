import { workerData } from "node:worker_threads";
import { loadHook } from "./load-hook.ts";
import type { WatchedCall } from "./watch.ts";

// Entry of dist/watched.cjs: the thread that judges what watch.ts was given.
declare const require: (id: string) => unknown;
declare const __dirname: string;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by watch.ts
const { argv, input, done, port } = workerData as WatchedCall;
try {
  port.postMessage(loadHook(__dirname, require).hook.watched(argv, input));
} finally {
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
}
