import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { daemonFolder } from "@assent/guard/state";
import { daemonPlace } from "@assent/assent/daemon";
import { DIST, type Run, type Scratch } from "../scratch.ts";

/** A judge that stays, and callers of it, as hosts start them. */

export const CLIENT = join(DIST, `ask-${process.arch}`);
export const LAUNCHER = join(DIST, `launch-${process.arch}`);
/** Without it these tests have nothing to start. */
export const HAS_CLIENT = existsSync(CLIENT);

export const socketOf = ({ machine }: Scratch): string => daemonPlace(daemonFolder(machine)).socket;

/** Starts one; it listens when this resolves. `dist`: of another installation. */
export async function startJudge(place: Scratch, env: Record<string, string> = {}, dist = DIST): Promise<ChildProcess> {
  mkdirSync(daemonFolder(place.machine), { recursive: true, mode: 0o700 });
  const judge = spawn(process.execPath, [join(dist, "bin.cjs"), "daemon", "--serve"], {
    cwd: "/",
    stdio: "ignore",
    env: { HOME: place.home, PATH: "/usr/local/bin:/usr/bin:/bin", ...env },
  });
  await isThere(place);
  return judge;
}

export async function isThere(place: Scratch): Promise<void> {
  for (let tries = 0; !existsSync(socketOf(place)); tries += 1) {
    if (tries > 1000) throw new Error("the judge did not start");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => child.once("exit", () => resolve()));

/** What a host starts: the client, and what it becomes where no judge answers. */
export function hookWords(place: Pick<Scratch, "home" | "machine">, argv: readonly string[], launcher = LAUNCHER, dist = DIST): string[] {
  return [`${daemonFolder(place.machine)}/`, launcher, `HOME=${place.home}`, process.execPath, join(dist, "bin.cjs"), "check", ...argv];
}

export const CLAUDE = ["--agent", "claude", "--event", "PreToolUse"] as const;

interface Calling {
  readonly argv?: readonly string[];
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Starts it through these words: `unshare -m`. */
  readonly through?: readonly string[];
  readonly launcher?: string;
  readonly dist?: string;
}

/** One hook call. */
export function callHook(place: Scratch, input: string | Uint8Array, calling: Calling = {}): Run {
  const { argv = CLAUDE, env = {}, cwd = place.project, through = [], launcher, dist } = calling;
  const [program = "", ...words] = [...through, CLIENT, ...hookWords(place, argv, launcher, dist)];
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd,
    input,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, ...env },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}

/** A launcher that says that it was started in place of an answer. */
export function freshMarker(place: Scratch): string {
  const file = join(place.root, "fresh");
  writeFileSync(file, "#!/bin/sh\ncat > /dev/null\necho FRESH\n");
  chmodSync(file, 0o755);
  return file;
}

export const envelope = (place: Pick<Scratch, "project">, command: string, more: object = {}): string =>
  JSON.stringify({
    session_id: "s",
    cwd: place.project,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    ...more,
  });
