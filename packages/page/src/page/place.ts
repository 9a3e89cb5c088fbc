import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { isAlive, ownLife } from "@assent/guard/approve";
import { ensureFolder, type Machine, openState, readOwnObject, writeAtomic } from "@assent/guard/state";

declare const ASSENT_BUILD: string | undefined;
/** Which build this is: a page of another one is replaced. */
export const BUILD = typeof ASSENT_BUILD === "string" ? ASSENT_BUILD : "source";

/** The one page process of a user and a set of namespaces, as those who open the page find it. No secret of an open page stands in it. */
export interface PageProcess {
  readonly pid: number;
  readonly started: number;
  readonly namespace: string;
  /** The address is this name and this port. No program that is judged reads it. */
  readonly name: string;
  readonly port: number;
  readonly build: string;
}

const LARGEST = 4096;

/**
 * `<state>/questions/page/HERE`, owner-only, where no judged program reads: what the page process and `assent open` share.
 * Each set of process and network namespaces has its own, since a port of another one leads to somebody else.
 */
export function pageFolder(machine: Machine): { readonly folder: string } | { readonly problem: string } {
  const state = openState(machine);
  if ("problem" in state) return state;
  const folder = `${state.folder}/questions/page/${here(machine)}`;
  try {
    ensureFolder(folder);
  } catch (error) {
    return { problem: `${folder} cannot be made: ${error instanceof Error ? error.message : String(error)}` };
  }
  return { folder };
}

function here({ platform }: Machine): string {
  if (platform !== "linux") return "here";
  const names = [
    () => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"),
    () => readlinkSync("/proc/self/ns/pid"),
    () => readlinkSync("/proc/self/ns/net"),
  ].map((read) => attempt(() => read(), "?"));
  return createHash("sha256").update(names.join("\n")).digest("hex").slice(0, 16);
}

const recordFile = (folder: string): string => `${folder}/process.json`;

export function writePageProcess(folder: string, { name, port }: Pick<PageProcess, "name" | "port">): PageProcess {
  const process: PageProcess = { ...ownLife(), name, port, build: BUILD };
  writeAtomic(recordFile(folder), `${JSON.stringify(process)}\n`);
  return process;
}

/** The page process, if it is certainly there. */
export function findPageProcess(folder: string, machine: Machine): PageProcess | undefined {
  const value = readOwnObject(recordFile(folder), LARGEST, machine.uid);
  if (value === undefined) return undefined;
  const { pid, started, namespace, name, port, build } = value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 2 || typeof started !== "number") return undefined;
  if (
    typeof namespace !== "string" ||
    typeof name !== "string" ||
    !/^[\w.]+$/.test(name) ||
    typeof port !== "number" ||
    typeof build !== "string"
  )
    return undefined;
  const process = { pid, started, namespace, name, port, build };
  return lives(process, machine) ? process : undefined;
}

function lives(page: PageProcess, { platform }: Machine): boolean {
  if (platform === "linux") return isAlive(page);
  return attempt(() => process.kill(page.pid, 0), false);
}
