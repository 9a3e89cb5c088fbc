import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place, Suite } from "../programs/place.ts";

export const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until something holds; an error that names it after `seconds`. */
export async function until(what: string, holds: () => boolean, seconds = 60): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(20)) if (holds()) return;
  throw new Error(`never: ${what}`);
}

/** The supervisor of a run: a child of the process that was started, which only waits for it. */
export const supervisorOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ")[0]) || pid;

/** Descriptors a process has open, by what they lead to. */
export const descriptors = (pid: number): number => readdirSync(`/proc/${supervisorOf(pid)}/fd`).length;

/** Memory of a process that is in use, KiB. */
export const memory = (pid: number): number =>
  Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${supervisorOf(pid)}/status`, "utf8"))?.[1]);

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

/** A folder that nothing opens by default, beside the working folder. */
export function place(suite: Suite): Place & { readonly outside: string; readonly questions: string } {
  const made = suite.place();
  made.fresh("self");
  const [outside, questions] = [join(made.folder, "outside"), join(made.folder, "questions")];
  mkdirSync(outside);
  mkdirSync(questions, { mode: 0o700 });
  return Object.assign(made, { outside, questions });
}

/** A supervised python program with this text. */
export const python = (at: Place, text: string): readonly string[] => {
  writeFileSync(join(at.cwd, "p.py"), text);
  return ["/usr/bin/python3", "p.py"];
};
export const count = (folder: string): number => readdirSync(folder).length;

/** A supervised program that goes on beside the test. */
export function start(at: Place, argv: readonly string[], options: readonly string[] = ["-P"]) {
  const [program = "", ...args] = at.supervised(argv, options);
  const child = spawn(program, args, { cwd: at.cwd, env: at.env(), stdio: ["ignore", "pipe", "pipe"], detached: true });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number | string>((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal ?? "?")));
  return { pid: child.pid ?? 0, ended, said: () => text };
}

/** Children that have ended and that nobody has waited for. */
export function zombies(pid: number): number {
  const supervisor = supervisorOf(pid);
  return readdirSync("/proc").filter((name) => {
    try {
      const [state, parent] = (/\) (\S) (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "latin1")) ?? []).slice(1);
      return state === "Z" && Number(parent) === supervisor;
    } catch {
      return false;
    }
  }).length;
}
