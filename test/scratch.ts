import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { PolicyReader } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import type { Machine } from "@assent/guard/state";

export interface Scratch {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly machine: Machine;
  /** Writes a file; a path without a leading slash lies in the project. `~` is the scratch home. */
  readonly write: (path: string, text: string) => string;
}

export const reader = (): PolicyReader => ({ read });
export const engine = { reader, own: ["/opt/assent/dist"] };

/** A machine of its own: a home, a repository in it, a temporary folder. Removed when the test ends, unless it is kept. */
export function scratch(options: { readonly keep?: boolean; readonly env?: Record<string, string>; readonly base?: string } = {}): Scratch {
  const root = realpathSync(mkdtempSync(join(options.base ?? tmpdir(), "assent-test-")));
  if (options.keep !== true) onTestFinished(() => removeWhole(root));
  const home = join(root, "home");
  const project = join(home, "project");
  for (const folder of [join(project, ".git"), join(project, "src"), join(root, "tmp"), join(home, ".ssh")])
    mkdirSync(folder, { recursive: true });
  const write = (path: string, text: string): string => {
    const at = path.startsWith("~") ? `${home}${path.slice(1)}` : path.startsWith("/") ? path : join(project, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
    return at;
  };
  const machine: Machine = {
    home,
    account: home,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, ...options.env },
    platform: "linux",
    uid: process.getuid?.(),
    temp: [join(root, "tmp")],
    managedPolicy: join(root, "etc/policy.jsonc"),
  };
  return { root, home, project, machine, write };
}

export const DIST = join(import.meta.dirname, "../dist");

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the built command in the scratch project. `dist`: of another build. */
export function assent(
  place: Pick<Scratch, "home" | "project">,
  args: readonly string[],
  input: string | Uint8Array = "",
  env: Record<string, string | undefined> = {},
  dist = DIST,
): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(dist, "bin.cjs"), ...args], {
    cwd: place.project,
    input,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, NO_COLOR: "1", ...env },
    encoding: "utf8",
    maxBuffer: 1 << 28,
    // A command that goes on for good fails its test: it would hold up all others, and vitest's own limit cannot end it.
    timeout: 300_000,
  });
  return { status, stdout, stderr };
}

export function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: "utf8" });
}

/** A run writes its code cache once more after it has told its end: a folder that got a file meanwhile is looked through again. */
function removeWhole(root: string): void {
  for (let tries = 1; ; tries++)
    try {
      rmSync(root, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === 5 || !(error instanceof Error && "code" in error && error.code === "ENOTEMPTY")) throw error;
    }
}
