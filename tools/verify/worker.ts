import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tellsOptions } from "./corpus/index.ts";
import { makeFixture, resetFixture } from "./fixture/index.ts";
import { type ScratchPlace, placeAt, seclude } from "./place.ts";
import type { JudgeLine, LineOutcome } from "./types.ts";
import { watch } from "./watch.ts";

/** What the parent asks of a worker, and what it answers. */
export interface WorkerTask {
  readonly id: number;
  readonly line: string;
  /** What to say instead while nothing tells an option. */
  readonly otherwise?: readonly string[];
  /** `run`: watch it and compare; `say`: what it prints. */
  readonly does: "run" | "say";
  readonly whatever: boolean;
  readonly patience: number;
}

export type WorkerReply =
  /** `isLast`: what the line changed cannot be made as it was; this worker takes no other. */
  | { readonly id: number; readonly outcome: LineOutcome; readonly isLast?: boolean }
  | { readonly ready: true }
  | { readonly failed: string };

export interface WorkerOptions {
  readonly base: string;
  readonly hideTemp: boolean;
  readonly judge: JudgeLine;
}

const isTask = (value: unknown): value is WorkerTask =>
  typeof value === "object" && value !== null && "id" in value && "line" in value && "whatever" in value && "patience" in value;

/** INVARIANT: file systems are mounted over those of the machine only in a user namespace that maps few, as its first process (user_namespaces(7)). */
const isApart = (): boolean => process.pid === 1 && !/\b4294967295\b/.test(readFileSync("/proc/self/uid_map", "utf8"));

/** Runs inside the namespaces until its parent hangs up. */
export async function work({ base, hideTemp, judge }: WorkerOptions): Promise<void> {
  const send = (reply: WorkerReply): void => void process.send?.(reply);
  try {
    if (!isApart()) throw new Error("a worker is started by tools/verify, in namespaces of its own");
    seclude(base, hideTemp);
    const path = process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
    const place = placeAt(base, hideTemp, path);
    makeFixture(place, (program) => path.split(":").some((folder) => existsSync(`${folder}/${program}`)));
    process.chdir(place.project);
    let queue = Promise.resolve();
    let isUntouched = true;
    process.on("message", (task: unknown) => {
      if (!isTask(task)) return;
      queue = queue.then(async () => {
        if (task.does === "say") {
          isUntouched = false;
          return send({ id: task.id, outcome: { is: "said", text: said(task, place) } });
        }
        if (!isUntouched) resetFixture(place);
        isUntouched = true;
        const { outcome, isSpoiled } = await watch(task.line, { place, judge, whatever: task.whatever, patience: task.patience });
        send({ id: task.id, outcome, isLast: isSpoiled });
        // Nothing else is run here: the parent ends us.
        if (isSpoiled) await new Promise(() => undefined);
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

const MOST_SAID = 2 ** 20;

function said({ line, otherwise = [], patience }: WorkerTask, place: ScratchPlace): string {
  let text = "";
  for (const way of [line, ...otherwise]) {
    const { stdout, stderr } = spawnSync("/bin/bash", ["-c", way], {
      cwd: place.project,
      env: { ...place.env, PAGER: "cat", MANPAGER: "cat" },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: patience,
      killSignal: "SIGKILL",
      maxBuffer: MOST_SAID,
      encoding: "utf8",
    });
    text = `${stdout}\n${stderr}`;
    if (tellsOptions(text)) break;
  }
  return text;
}
