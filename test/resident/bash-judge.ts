import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { hookCommand } from "@assent/hosts/agents/install";
import { loopbackPlace, readBashPlace } from "@assent/assent/resident";
import { isJudge } from "../../packages/assent/src/resident/life.ts";
import type { AgentId } from "@assent/hosts/agents";
import { residentFolder } from "@assent/guard/state";
import { DIST, type Run, type Scratch } from "../scratch.ts";
import { ended } from "./judge.ts";

/** The judge that stays where there is no native client: the way is forced by the platform that a registration is made for. */

export const portOf = ({ machine }: Scratch): string => loopbackPlace(residentFolder(machine)).port;
export const placeOf = (place: Scratch) => readBashPlace(portOf(place));

/**
 * A program whose fresh hook says that it was started, and whose judge is the real one. It has no node_modules, as on systems for which there
 * is no koffi.
 */
export function markedDist(root: string): string {
  const dist = join(root, "dist");
  cpSync(DIST, dist, { recursive: true });
  renameSync(join(dist, "bin.cjs"), join(dist, "real.cjs"));
  const marker = 'require("fs").readFileSync(0); console.log("FRESH"); process.exit();';
  writeFileSync(join(dist, "bin.cjs"), `if (process.argv[2] === "check") { ${marker} } else require("./real.cjs");\n`);
  return dist;
}

/** As the script starts it; it takes calls when this resolves. */
export async function startBashJudge(place: Scratch, dist: string): Promise<ChildProcess> {
  mkdirSync(residentFolder(place.machine), { recursive: true, mode: 0o700 });
  const judge = spawn(process.execPath, [join(dist, "bin.cjs"), "daemon", "--serve", "bash"], {
    cwd: "/",
    stdio: "ignore",
    env: { HOME: place.home, PATH: "/usr/local/bin:/usr/bin:/bin" },
  });
  onTestFinished(async () => {
    judge.kill("SIGKILL");
    await ended(judge);
  });
  await listens(place);
  return judge;
}

export async function listens(place: Scratch, other?: number): Promise<number> {
  for (let tries = 0; tries < 3000; tries += 1) {
    const pid = existsSync(portOf(place)) ? placeOf(place)?.pid : undefined;
    if (pid !== undefined && pid !== other) return pid;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("no judge has started");
}

export interface BashCalling {
  readonly agent?: AgentId;
  readonly event?: string;
  /** What the host has in its environment. */
  readonly env?: Record<string, string>;
  readonly variables?: readonly string[];
  /** Starts it through these words: `unshare -m`. */
  readonly through?: readonly string[];
  readonly cwd?: string;
  /** The registration of a system with a native client, and of one without the script: a fresh hook. */
  readonly fresh?: boolean;
}

/** The line that is registered on macOS. */
export const lineOf = (place: Scratch, dist: string, { agent = "claude", event = "PreToolUse", variables = [], fresh }: BashCalling = {}) =>
  hookCommand(agent, event, { node: process.execPath, folder: dist }, place.machine, variables, fresh === true ? "" : "darwin");

const hostEnv = (place: Scratch, env: Record<string, string> = {}) => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: place.home,
  BASH_ENV: "/dev/null/evil",
  NODE_OPTIONS: "--no-such-option",
  ...env,
});

/** One hook call, as a host makes it. */
export function callLine(place: Scratch, dist: string, input: string | Uint8Array, calling: BashCalling = {}): Run {
  const words = [...(calling.through ?? []), "/bin/sh", "-c", lineOf(place, dist, calling)];
  const { status, stdout, stderr } = spawnSync("/usr/bin/env", words, {
    cwd: calling.cwd ?? place.project,
    input,
    env: hostEnv(place, calling.env),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}

/** The same, again where a busy machine had no time to answer within 300 ms. */
export function callWarm(place: Scratch, dist: string, input: string | Uint8Array, calling: BashCalling = {}): Run {
  for (let tries = 0; ; tries += 1) {
    const run = callLine(place, dist, input, calling);
    if (run.stdout !== "FRESH\n" || tries === 20) return run;
  }
}

/** Several at once. */
export function startLine(
  place: Scratch,
  dist: string,
  input: string,
  detached = false,
): { readonly child: ChildProcess; readonly said: Promise<string> } {
  const child = spawn("/bin/sh", ["-c", lineOf(place, dist)], {
    cwd: place.project,
    env: hostEnv(place),
    stdio: ["pipe", "pipe", "ignore"],
    detached,
  });
  let stdout = "";
  child.stdout.on("data", (chunk) => (stdout += String(chunk)));
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return { child, said: new Promise((resolve) => child.once("close", () => resolve(stdout))) };
}

/** Ends what a script has started, which is nobody's child. */
export function endJudgeOf(place: Scratch): void {
  const pid = placeOf(place)?.pid;
  if (pid !== undefined && isJudge(pid)) process.kill(pid, "SIGKILL");
}

/** Whoever listens on a port that a judge had. */
export async function squat(port: number, says: string): Promise<() => string> {
  let heard = "";
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => ((heard += chunk.toString("latin1")), socket.write(says)));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return () => heard;
}
