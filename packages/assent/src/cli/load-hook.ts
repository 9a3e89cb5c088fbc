import { isMainThread, workerData } from "node:worker_threads";
import type { AgentId } from "@assent/hosts/agents";
import type { HookOutput } from "./check.ts";
import { type Parts, partsOf } from "./load-part.ts";
import type { WatchedCall } from "./watch.ts";

// Entry of dist/load-hook.cjs: the thread that judges what watch.ts was given. The build warms the code caches by it, too.
declare const require: (id: string) => unknown;
declare const __dirname: string;

interface Hook {
  readonly main: (argv: readonly string[]) => void;
  readonly rehearse: (envelope: string, agent: AgentId | "auto") => void;
  readonly watched: (argv: readonly string[], input: string) => HookOutput;
}

/** The hook, made of parts. */
export function loadHook(folder: string, find: (id: string) => unknown, useCaches = true): Parts & { readonly hook: Hook } {
  const parts = partsOf(folder, find, useCaches);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built from hook.ts
  return { ...parts, hook: parts.load("./hook.cjs") as Hook };
}

function judge({ argv, input, done, port }: WatchedCall): void {
  try {
    port.postMessage(loadHook(__dirname, require).hook.watched(argv, input));
  } finally {
    Atomics.store(done, 0, 1);
    Atomics.notify(done, 0);
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by watch.ts
if (!isMainThread) judge(workerData as WatchedCall);
