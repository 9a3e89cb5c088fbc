import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DIST, type Scratch } from "../../scratch.ts";

/** The server as people start it: a process, and what it said. */
export interface Serving {
  readonly process: ChildProcess;
  readonly port: number;
  readonly said: () => string;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.address();
  await new Promise((resolve) => server.close(resolve));
  return at !== null && typeof at === "object" ? at.port : 0;
}

export async function serve(place: Scratch, port: number, ...words: readonly string[]): Promise<Serving> {
  const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "team", "serve", "--listen", `127.0.0.1:${port}`, ...words], {
    cwd: place.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.on("data", (part: Buffer) => (said += part.toString()));
  child.stderr.on("data", (part: Buffer) => (said += part.toString()));
  const serving = { process: child, port, said: () => said };
  await until(() => child.exitCode !== null || said.includes('"started"'));
  return serving;
}

export async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await is()); tries++) {
    if (tries > 2400) throw new Error("nothing came of it in two minutes");
    await pause(50);
  }
}

export const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => child.once("exit", () => resolve()));

export async function end(serving: Pick<Serving, "process"> | undefined, signal: NodeJS.Signals): Promise<void> {
  serving?.process.kill(signal);
  if (serving !== undefined) await ended(serving.process);
}
