import { readFileSync } from "node:fs";

/** A moment on the clock that counts since the machine was started: unlike the wall clock, nobody can set it back. */
export interface BootMoment {
  /** Names the start of the machine (proc_sys_kernel(5), random/boot_id); empty where nobody says. */
  readonly boot: string;
  /** Milliseconds since then (clock_gettime(2), CLOCK_MONOTONIC). */
  readonly up: number;
}

export const isBootMoment = (value: { readonly boot?: unknown; readonly up?: unknown }): value is BootMoment =>
  typeof value.boot === "string" && typeof value.up === "number" && Number.isFinite(value.up);

export function bootMoment(): BootMoment {
  return { boot: bootName(), up: Number(process.hrtime.bigint() / 1_000_000n) };
}

/** Milliseconds since that moment; undefined where the machine has been started anew. */
export function passedSince({ boot, up }: BootMoment): number | undefined {
  const now = bootMoment();
  return now.boot === boot && now.up >= up ? now.up - up : undefined;
}

function bootName(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/**
 * Milliseconds that this process has worked, from any start. Time in which it does not run counts a tenth: a machine that is
 * busy makes no command too costly, and what hangs is ended all the same, long before a host gives up.
 */
export function effortClock(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + Number(process.hrtime.bigint()) / 1e7;
}
