import { readlinkSync, statSync } from "node:fs";
import { isAlive, type ownLife } from "@assent/guard/approve";
import { isObject, parseJson } from "@assent/core/data";
import { readRegular, writeAtomic } from "@assent/guard/state";

/** Where a judge of this user is found: a socket and a lock for each mount namespace, which is what the machine looks like. */
export interface SocketPlace {
  readonly socket: string;
  readonly lock: string;
  /** What the judge last said of itself. */
  readonly life: string;
}

/** The socket is named by the link itself (namespaces(7)), so that a client needs one system call to know it. */
export function daemonPlace(folder: string): SocketPlace {
  const name = readlinkSync("/proc/self/ns/mnt");
  return { socket: `${folder}/${name}`, lock: `${folder}/lock.${name}`, life: `${folder}/life.${name}` };
}

/** What tells that a file is the one it was. */
export function markOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "" : [stats.dev, stats.ino, stats.size, stats.mode, stats.mtimeMs, stats.ctimeMs].join(":");
}

export const inodeOf = (file: string): string => markOf(file).split(":").slice(0, 2).join(":");

/** What a judge says of itself every few seconds. */
export interface DaemonLife extends ReturnType<typeof ownLife> {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly answered: number;
  /** Calls left to a fresh process. */
  readonly left: number;
}

export function writeLife({ life }: Pick<SocketPlace, "life">, said: DaemonLife): void {
  try {
    writeAtomic(life, `${JSON.stringify(said)}\n`);
  } catch {
    // A full disk: it judges all the same.
  }
}

/** The judge that lives there; undefined: none does. */
export function readLife({ life }: Pick<SocketPlace, "life">): DaemonLife | undefined {
  const found = readRegular(life, 1 << 12);
  if (found.is !== "text") return undefined;
  const value = parseJson(found.text);
  if (!isObject(value)) return undefined;
  const { pid, started, namespace, since, answered, left } = value;
  if (typeof pid !== "number" || typeof started !== "number" || typeof namespace !== "string" || typeof since !== "number")
    return undefined;
  if (typeof answered !== "number" || typeof left !== "number" || !isAlive({ pid, started, namespace })) return undefined;
  // Where a number is all that is known of a process, another one may have it by now.
  if (namespace === "") return undefined;
  return { pid, started, namespace, since, answered, left };
}
