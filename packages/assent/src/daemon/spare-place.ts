import { existsSync, readFileSync, readlinkSync, statSync } from "node:fs";

/** Where a supervisor waits that stands in the same mount namespace. */
export const sparePlace = (folder: string): string => `${folder}/spare.${readlinkSync("/proc/self/ns/mnt")}`;

/**
 * Whether one waits. Told by the kernel's list (`/proc/net/unix`: flags in the fourth field, __SO_ACCEPTCON of them), so that nobody takes a
 * command's place to find out.
 */
export function isSpareWaiting(folder: string): boolean {
  try {
    const place = sparePlace(folder);
    if (!existsSync(place) || !statSync(place).isSocket()) return false;
    return readFileSync("/proc/net/unix", "utf8")
      .split("\n")
      .some((line) => line.endsWith(` ${place}`) && (Number.parseInt(line.trim().split(/\s+/)[3] ?? "0", 16) & ACCEPTS) !== 0);
  } catch {
    return false;
  }
}

const ACCEPTS = 0x10000;
