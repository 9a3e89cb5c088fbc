import { readFileSync } from "node:fs";
import { attempt } from "@assent/core/data";

/** A moment on the clock that counts since the machine was started: unlike the wall clock, nobody can set it back. */
export interface BootMoment {
  /** Names the start of the machine (proc_sys_kernel(5), random/boot_id); empty where nobody says. */
  readonly boot: string;
  /** Milliseconds since then. */
  readonly up: number;
}

export const isBootMoment = (value: { readonly boot?: unknown; readonly up?: unknown }): value is BootMoment =>
  typeof value.boot === "string" && typeof value.up === "number" && Number.isFinite(value.up);

export function bootMoment(): BootMoment {
  return { boot: lineOf("/proc/sys/kernel/random/boot_id"), up: uptime() };
}

/** Milliseconds since that moment; undefined where the machine has been started anew. */
export function passedSince({ boot, up }: BootMoment): number | undefined {
  const now = bootMoment();
  return now.boot === boot && now.up >= up ? now.up - up : undefined;
}

/**
 * As proc_uptime(5) says it: what Bun calls `hrtime` begins with the process, so that nothing which a host's plugin wrote down in it meant
 * the same to anybody else.
 */
function uptime(): number {
  const [seconds = ""] = lineOf("/proc/uptime").split(" ");
  return /^\d+\.\d+$/.test(seconds) ? Math.round(Number(seconds) * 1000) : Number(process.hrtime.bigint() / 1_000_000n);
}

/** Of a file that holds one; empty where it cannot be read. */
const lineOf = (file: string): string => attempt(() => readFileSync(file, "utf8").trim(), "");

/** Milliseconds from any start, as `performance.now()`, for which Node loads fourteen modules of its own. */
export function stopwatch(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** When the processor time was last asked for, in milliseconds, and what it was. */
let asked = -2;
let worked = 0;
/** Nobody works longer than the time that passes, on each processor: so soon the answer is hardly another. */
const ASKED_EVERY = 2;

/**
 * Milliseconds that this process has worked, from any start, to within a few milliseconds. Time in which it does not run counts a
 * tenth: a machine that is busy makes no command too costly, and what hangs is ended all the same, long before a host gives up.
 */
export function effortClock(): number {
  const now = Number(process.hrtime.bigint()) / 1e6;
  if (now - asked >= ASKED_EVERY) {
    const { user, system } = process.cpuUsage();
    worked = (user + system) / 1000;
    asked = now;
  }
  return worked + now / 10;
}
