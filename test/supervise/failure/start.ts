import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until something holds; an error that names it after `seconds`. */
export async function until(what: string, holds: () => boolean, seconds = 60): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(20)) if (holds()) return;
  throw new Error(`never: ${what}`);
}

/** Descriptors a process has open, by what they lead to. */
export const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Memory of a process that is in use, KiB. */
export const memory = (pid: number): number => Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Numbers of the questions that are open. */
export function open(folder: string): readonly number[] {
  const all = join(folder, "pending");
  return existsSync(all)
    ? readdirSync(all)
        .flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
        .map(Number)
    : [];
}

export async function respond(folder: string, seq: number, action: string): Promise<void> {
  const file = join(folder, "response.json");
  await until("the last response was read", () => !existsSync(file));
  writeFileSync(join(folder, "mine"), JSON.stringify({ seq, action }));
  renameSync(join(folder, "mine"), file);
}
