import { existsSync, readFileSync } from "node:fs";
import { makeFixture } from "./fixture/index.ts";
import { placeAt, seclude } from "./place.ts";
import type { JudgeLine, Outcome } from "./types.ts";
import { watch } from "./watch.ts";

/** What the parent asks of a worker, and what it answers. */
export interface Task {
  readonly id: number;
  readonly line: string;
  readonly whatever: boolean;
  readonly patience: number;
}

export type Reply = { readonly id: number; readonly outcome: Outcome } | { readonly ready: true } | { readonly failed: string };

export interface WorkerOptions {
  readonly base: string;
  readonly hideTemp: boolean;
  readonly judge: JudgeLine;
}

const isTask = (value: unknown): value is Task =>
  typeof value === "object" && value !== null && "id" in value && "line" in value && "whatever" in value && "patience" in value;

/** INVARIANT: file systems are mounted over those of the machine only in a user namespace that maps few, as its first process (user_namespaces(7)). */
const isApart = (): boolean => process.pid === 1 && !/\b4294967295\b/.test(readFileSync("/proc/self/uid_map", "utf8"));

/** Runs inside the namespaces until its parent hangs up. */
export async function work({ base, hideTemp, judge }: WorkerOptions): Promise<void> {
  const send = (reply: Reply): void => void process.send?.(reply);
  try {
    if (!isApart()) throw new Error("a worker is started by `assent verify`, in namespaces of its own");
    seclude(base, hideTemp);
    const path = process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
    const place = placeAt(base, hideTemp, path);
    makeFixture(place, (program) => path.split(":").some((folder) => existsSync(`${folder}/${program}`)));
    process.chdir(place.project);
    let queue = Promise.resolve();
    process.on("message", (task: unknown) => {
      if (!isTask(task)) return;
      queue = queue.then(async () => {
        const outcome = await watch(task.line, { place, judge, whatever: task.whatever, patience: task.patience });
        send({ id: task.id, outcome });
      });
    });
    send({ ready: true });
    await new Promise<void>((resolve) => {
      process.on("disconnect", resolve);
    });
  } catch (error) {
    send({ failed: error instanceof Error ? error.message : String(error) });
  }
}
