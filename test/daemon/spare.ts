import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { isSpareWaiting, sparePlace } from "@assent/assent/daemon";
import { daemonFolder } from "@assent/guard/state";
import { DIST, type Scratch } from "../scratch.ts";

/** A supervisor that waits, and clients that hand commands over, as hosts start them. */

export const SPARE_CLIENT = join(DIST, `spare-${process.arch}`);

/** What the client waits for at most, and for how long this one does (spare.c: PATIENCE_NS). */
const [PATIENCE, PATIENT] = [200_000_000, 2_000_000_000].map((nanoseconds) => {
  const immediate = Buffer.alloc(4);
  immediate.writeUInt32LE(nanoseconds);
  return immediate;
});

/**
 * The client, with more patience: what a machine does in the meantime that is busy with other tests is nobody's fault. On arm64 it is the one
 * that is shipped: there the number lies in two instructions.
 */
function patientClient(place: Scratch): string {
  const bytes = readFileSync(SPARE_CLIENT);
  const at = bytes.indexOf(PATIENCE ?? "");
  if (process.arch !== "x64") return SPARE_CLIENT;
  if (at === -1 || bytes.indexOf(PATIENCE ?? "", at + 1) !== -1) throw new Error("the client's patience was not found");
  PATIENT?.copy(bytes, at);
  const file = join(place.root, "patient-client");
  if (!existsSync(file)) writeFileSync(file, bytes, { mode: 0o755 });
  return file;
}

export interface Spare {
  readonly child: ChildProcess;
  readonly socket: string;
  /** It has taken a command. */
  readonly isTaken: () => boolean;
  readonly ended: Promise<void>;
}

/** Starts one, without the rehearsal that makes it fast; it takes commands when this resolves. Ended with the test. */
export async function startSpare(place: Scratch, dist = DIST, rehearsals = 0): Promise<Spare> {
  const folder = daemonFolder(place.machine);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const child = spawn(process.execPath, [join(dist, "bin.cjs"), "run", "--beside", "--spare", String(rehearsals), "2000"], {
    cwd: "/",
    detached: true,
    stdio: ["ignore", "ignore", "inherit", "pipe"],
    env: { HOME: place.home },
  });
  let taken = false;
  child.stdio[3]?.on("data", () => (taken = true));
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const socket = sparePlace(folder);
  for (let tries = 0; !isSpareWaiting(folder); tries += 1) {
    if (tries > 3000) throw new Error("the supervisor did not start");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { child, socket, isTaken: () => taken, ended };
}

export interface Handing {
  /** Behind `run`. */
  readonly words: readonly string[];
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly input?: string;
  /** Starts it through these words: `unshare -m`. */
  readonly through?: readonly string[];
  readonly folder?: string;
  readonly dist?: string;
  /** Instead of the client: today's way. */
  readonly cold?: boolean;
  /** The client as it is shipped: it waits no longer than 200 ms. */
  readonly hasty?: boolean;
}

export interface Handed {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function startHanding(place: Scratch, { words, env, cwd, through = [], folder, dist = DIST, cold, hasty }: Handing): ChildProcess {
  const client = cold === true ? [] : [hasty === true ? SPARE_CLIENT : patientClient(place), folder ?? `${daemonFolder(place.machine)}/`];
  const [program = "", ...rest] = [...through, ...client, process.execPath, join(dist, "bin.cjs"), "run", ...words];
  return spawn(program, rest, {
    cwd: cwd ?? place.project,
    detached: true,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, ...env },
  });
}

export async function handOver(place: Scratch, handing: Handing, during?: (child: ChildProcess) => Promise<void>): Promise<Handed> {
  const child = startHanding(place, handing);
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(handing.input ?? "");
  const end = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => child.once("close", (...how) => resolve(how)));
  await during?.(child);
  const [status, signal] = await end;
  return { status, signal, stdout, stderr };
}
