import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

export interface Threads {
  /** Answers the calls; waits for its `DoorData` as a message. */
  readonly door: Worker;
  /** Starts the program; waits for its `LaunchData` as a message. */
  readonly launcher: Worker;
}

/**
 * Streams of their own: else node joins a worker's streams to ours, which opens them, and a pipe that node has opened is
 * non-blocking for all who share it: the program's writes would fail with EAGAIN.
 */
const OPTIONS = { stdout: true, stderr: true, trackUnmanagedFds: false } as const;

let started: Threads | undefined;
const loading = new Set<Promise<void>>();

/** The two threads of a run. Starting them takes as long as node itself: begun early, it costs nothing. */
export function startThreads(): Threads {
  started ??= { door: worker("door-worker"), launcher: worker("launch-worker") };
  return started;
}

/** The threads, for one run; they keep the process alive from now on. */
export function takeThreads(): Threads {
  const threads = startThreads();
  started = undefined;
  threads.door.ref();
  threads.launcher.ref();
  return threads;
}

/**
 * Until the threads have loaded. A thread that is ended while it loads a native module (koffi) takes the whole process
 * with it (napi_throw), so nothing may end before.
 */
export async function threadsLoaded(): Promise<void> {
  const idle = started;
  idle?.door.ref();
  idle?.launcher.ref();
  await Promise.all(loading);
  // Those that no run has taken keep nothing alive.
  if (idle !== started) return;
  idle?.door.unref();
  idle?.launcher.unref();
}

function worker(name: string): Worker {
  const made = new Worker(fileURLToPath(new URL(`${name}.cjs`, import.meta.url)).replace("/chunks/", "/"), OPTIONS);
  made.unref();
  const loaded = new Promise<void>((resolve) => {
    // The first thing each says is that it is there.
    made.once("message", () => resolve());
    made.once("error", () => resolve());
    made.once("exit", () => resolve());
  });
  loading.add(loaded);
  return made;
}
