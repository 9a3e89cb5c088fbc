import { statfsSync, statSync } from "node:fs";

/** `PROC_SUPER_MAGIC` (linux/magic.h). */
const PROC = 0x9fa0;

const NOT_MOUNTED = "it is not mounted; `mount -t proc proc /proc` does that";

/** Why /proc cannot tell of the processes of a run; undefined where it can. */
export function procProblem(): string | undefined {
  try {
    if (statfsSync("/proc").type !== PROC) return NOT_MOUNTED;
  } catch {
    return NOT_MOUNTED;
  }
  // Another PID namespace's shows nothing of ours, or somebody else under our number.
  const self = statSync("/proc/self", { throwIfNoEntry: false });
  const own = statSync(`/proc/${process.pid}`, { throwIfNoEntry: false });
  if (self === undefined || own === undefined || self.ino !== own.ino)
    return "it shows another PID namespace; `mount -t proc proc /proc` shows this one";
  return undefined;
}
