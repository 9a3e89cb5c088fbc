import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainEnvironment } from "../supervise/measure.ts";

/** A built version of the project. */
export interface BuiltTree {
  readonly name: string;
  readonly root: string;
  readonly dist: string;
}

/** A home and a project of its own, on a disk, and what is to be ended with it. */
export interface Place {
  readonly home: string;
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  readonly keep: (child: ChildProcess) => ChildProcess;
  readonly close: () => void;
}

export function makePlace(policy: string): Place {
  const home = mkdtempSync(join(tmpdir(), "assent-bench-"));
  const project = join(home, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(join(project, "src"));
  writeFileSync(join(home, ".agent-permissions.jsonc"), policy);
  const children: ChildProcess[] = [];
  return {
    home,
    project,
    env: { PATH: process.env["PATH"], HOME: home },
    keep: (child) => {
      children.push(child);
      return child;
    },
    close: () => {
      for (const child of children) child.kill("SIGKILL");
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export interface Ran {
  readonly ms: number;
  readonly stdout: string;
}

/** Runs a program to its end. Throws where it fails. */
export function ran(argv: readonly string[], at: Place, input?: string): Ran {
  const [file = "", ...args] = argv;
  const start = process.hrtime.bigint();
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd: at.project,
    env: at.env,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    input,
  });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${argv.join(" ").slice(0, 200)} exited with ${status}: ${stderr.trim().slice(-300)}`);
  return { ms, stdout };
}

/** A script of this folder over the sources or the build of a tree; what it printed last, which is JSON. */
export function measureIn(tree: BuiltTree, own: BuiltTree, words: readonly string[]): Readonly<Record<string, number>> {
  const env = plainEnvironment({ ASSENT_DIST: tree.dist, ASSENT_ROOT: tree.root, ASSENT_JSON: "1" });
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: own.root, env, encoding: "utf8", maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`${words.join(" ")} exited with ${status}: ${stderr.trim().slice(-300)}`);
  const found: unknown = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  if (typeof found !== "object" || found === null) throw new Error(`${words.join(" ")} printed no figures`);
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, Number(value)]));
}

/** Starts the judge that stays, and waits until it answers. */
export function startDaemon(tree: BuiltTree, at: Place): string {
  const folder = join(at.home, ".local/state/assent/resident");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  at.keep(spawn(process.execPath, [join(tree.dist, "bin.cjs"), "daemon", "--serve"], { env: at.env, stdio: "ignore" }));
  const until = Date.now() + 20_000;
  while (spawnSync("sh", ["-c", 'ls "$1" | grep -q ^mnt:', "sh", folder]).status !== 0) {
    if (Date.now() > until) throw new Error("the judge that stays did not start");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
  return `${folder}/`;
}

/** Waits until a supervisor waits for a command. */
export function awaitSpare(folder: string): void {
  const socket = `${folder}spare.${readlinkSync("/proc/self/ns/mnt")}`;
  const until = Date.now() + 30_000;
  while (!existsSync(socket)) {
    if (Date.now() > until) throw new Error("no supervisor waits for a command");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

export const isThere = (tree: BuiltTree, file: string): boolean => existsSync(join(tree.dist, file));
