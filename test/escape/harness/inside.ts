import { spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { fill, type User, type World } from "./world.ts";

/** Folder of the compiled probes and of the built program; made by set-up.ts. */
export const suiteFolder = (): string => process.env["ESCAPE_SUITE"] ?? "";

export interface Start {
  readonly world: World;
  readonly user: User;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A line that runs as root of the namespaces, before anything else. */
  readonly prelude?: string;
  /** A line that runs beside the program, outside supervision; it makes /srv/ready when it is set up. */
  readonly beside?: string;
  /** A line that runs when the program has ended, outside supervision. */
  readonly after?: string;
  readonly seconds: number;
}

/** The supervisor while the program prints `checkpoint NAME`. */
export interface Checkpoint {
  readonly name: string;
  readonly descriptors: readonly string[];
  /** KiB. */
  readonly memory: number;
}

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  /** The last value of every label. */
  readonly labels: ReadonlyMap<string, string>;
  readonly timedOut: boolean;
  readonly checkpoints: readonly Checkpoint[];
}

/** Starts a program in user, process, mount, network and IPC namespaces of its own, and waits for all of them to end. */
export async function inside({ world, user, argv, env = {}, prelude, beside, after, seconds }: Start): Promise<Outcome> {
  const root = process.getuid?.() === 0;
  const child = spawn(
    "unshare",
    [
      root ? "-pmni" : "-Urpmni",
      "--fork",
      "--kill-child",
      "--mount-proc",
      "/bin/sh",
      join(import.meta.dirname, "inside.sh"),
      ...argv.map(fill),
    ],
    {
      // A session of its own: what is sent to the process group does not reach the tests.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        ESCAPE_WORLD: world.root,
        ESCAPE_SUITE: suiteFolder(),
        ESCAPE_USER: user,
        ESCAPE_REAL_ROOT: root ? "1" : "0",
        ESCAPE_NODE: process.execPath,
        ESCAPE_ENV: Object.entries(env)
          .map(([name, value]) => `${name}=${fill(value)}`)
          .join(" "),
        ESCAPE_PRELUDE: fill(prelude ?? ""),
        ESCAPE_BESIDE: fill(beside ?? ""),
        ESCAPE_AFTER: fill(after ?? ""),
      },
    },
  );
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const checkpoints: Checkpoint[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    out.push(chunk);
    for (const [, name = ""] of chunk.toString().matchAll(/^checkpoint (\S+)$/gm)) {
      const point = child.pid === undefined ? undefined : checkpoint(name, child.pid);
      if (point !== undefined) checkpoints.push(point);
    }
  });
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill("SIGKILL");
  }, seconds * 1000);
  await new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve());
  });
  clearTimeout(timer);
  const stdout = Buffer.concat(out).toString();
  return { stdout, stderr: Buffer.concat(err).toString(), labels: labelsOf(stdout), timedOut, checkpoints };
}

function labelsOf(stdout: string): Map<string, string> {
  return new Map([...stdout.matchAll(/^([\w.+-]+) (.*)$/gm)].map(([, label = "", value = ""]) => [label, value]));
}

/** The supervisor is the one process below `pid` that runs our program. */
function checkpoint(name: string, pid: number): Checkpoint | undefined {
  const supervisor = descendants(pid).find((each) => {
    const [, script = "", command] = textOf(`/proc/${each}/cmdline`).split("\0");
    return script.endsWith("/bin.cjs") && command === "run";
  });
  if (supervisor === undefined) return undefined;
  const folder = `/proc/${supervisor}/fd`;
  const descriptors = readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`);
    } catch {
      return "gone";
    }
  });
  const memory = Number(/^VmRSS:\s*(\d+)/m.exec(textOf(`/proc/${supervisor}/status`))?.[1] ?? 0);
  return { name, descriptors, memory };
}

function descendants(pid: number): number[] {
  const children = taskNames(pid).flatMap((task) => textOf(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean).map(Number));
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function taskNames(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
