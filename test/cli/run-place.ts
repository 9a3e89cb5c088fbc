import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DIST, scratch, type Run, type Scratch } from "../scratch.ts";

/** Where the tests of `assent run` start it: a scratch project, and a folder that no policy speaks of. */
export interface Here extends Scratch {
  /** A folder outside the project and every temporary folder. */
  readonly outside: string;
  readonly run: (args: readonly string[], env?: Record<string, string>) => Run;
  /** A script of the project. What it does is not named on the command line, so it is asked about. */
  readonly script: (text: string) => string;
}

/** A folder that is not temporary, even where the tests themselves lie in one. */
export function lasting(): string {
  const cache = join(DIST, "../node_modules/.cache/assent");
  mkdirSync(cache, { recursive: true });
  const places = [realpathSync(cache), homedir(), "/srv", "/opt", "/var/lib"].filter((folder) => !/^\/(?:var\/)?tmp(?:\/|$)/.test(folder));
  const writable = places.find((folder) => {
    try {
      accessSync(folder, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (writable === undefined) throw new Error("no folder outside the temporary ones can be written");
  return writable;
}

export function here(): Here {
  const place = scratch();
  const outside = mkdtempSync(join(lasting(), "outside-"));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  // Without a terminal: a person who runs the tests is not asked.
  const run = (args: readonly string[], env: Record<string, string> = {}): Run => {
    const { status, stdout, stderr } = spawnSync("setsid", ["-w", process.execPath, join(DIST, "bin.cjs"), "run", ...args], {
      cwd: place.project,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, NO_COLOR: "1", OUT: outside, ...env },
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  return { ...place, outside, run, script: (text) => place.write("s.sh", text) };
}

/** A prompt takes no key at once. Milliseconds. */
const LOOK_MS = 700;

/** So many that no path of a test is broken over two lines, wherever the tests lie. */
const COLUMNS = 240;

/** Runs in a terminal of its own. `typed`: what a person waits to see, and then types. */
export async function inTerminal(
  place: Here,
  args: readonly string[],
  typed: readonly (readonly [sees: string, types: string])[],
  env: Record<string, string> = {},
): Promise<{ readonly status: number | null; readonly screen: string }> {
  const command = [process.execPath, join(DIST, "bin.cjs"), ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${COLUMNS}; exec ${command}`, "/dev/null"], {
    cwd: place.project,
    env: { PATH: "/usr/bin:/bin", HOME: place.home, TERM: "xterm", SHELL: "/bin/sh", OUT: place.outside, ...env },
  });
  let screen = "";
  child.stdout.on("data", (text: Buffer) => (screen += text.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
  for (const [sees, types] of typed) {
    while (child.exitCode === null && !screen.includes(sees)) await pause(20);
    await pause(LOOK_MS);
    if (child.exitCode === null) child.stdin.write(types);
  }
  return { status: await ended, screen };
}
