// What the measurements of the supervisor share: commands in turn, medians with their spread, the load of the machine.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

export interface Command {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a command to its end; its standard output. Throws where it fails. */
export function output({ argv: [file, ...args], cwd, env }: Command, anyStatus = false): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd, env, encoding: "utf8", maxBuffer: 1 << 28 });
  if (error !== undefined) throw error;
  if (status !== 0 && !anyStatus) throw new Error(`${file} ${args.join(" ")}: exit ${status}: ${stderr.trim().slice(-400)}`);
  return stdout;
}

/** Milliseconds that a command takes. */
export function timed(command: Command, anyStatus = false): number {
  const start = process.hrtime.bigint();
  output(command, anyStatus);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

export interface Spread {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), p10: at(0.1), p90: at(0.9) };
}

export const load = (): string => `load ${readFileSync("/proc/loadavg", "utf8").split(" ").slice(0, 3).join(" ")}`;

/** Keeps every processor busy while `work` is done. */
export function busily(work: () => void): void {
  const spinners = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
  try {
    work();
  } finally {
    for (const spinner of spinners) spinner.kill("SIGKILL");
  }
}

/** As people have it: what slows node down by itself is no part of what is measured. */
export function plainEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const env = { ...process.env, ...more };
  delete env["NODE_EXTRA_CA_CERTS"];
  delete env["NODE_OPTIONS"];
  return env;
}
