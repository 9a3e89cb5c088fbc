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

function worker(name: string): Worker {
  const made = new Worker(fileURLToPath(new URL(`${name}.cjs`, import.meta.url)).replace("/chunks/", "/"), OPTIONS);
  made.unref();
  return made;
}
