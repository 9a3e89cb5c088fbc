import { readFileSync, readlinkSync } from "node:fs";
import { attempt } from "@assent/core/data";
import type { DaemonCall } from "./wire.ts";

/** What decides which files, programs and processes one sees (namespaces(7)), and what one may do (proc(5), seccomp(2)). */
const NAMESPACES = ["mnt", "pid", "user", "net"];
const RIGHTS = /^(?:Uid|Gid|Groups|NSpid|CapEff|CapBnd|NoNewPrivs|Seccomp|Seccomp_filters):.*$/gm;

/**
 * Where a process stands: its user, groups, capabilities, filters, namespaces, root and security label. Two that stand alike read the same
 * files and find the same programs. Undefined: it is gone, or cannot be looked at.
 */
export function standingOf(pid: number | "self"): string | undefined {
  const proc = `/proc/${pid}`;
  try {
    const rights = readFileSync(`${proc}/status`, "latin1").match(RIGHTS) ?? [];
    const own = rights.map((line) => (line.startsWith("NSpid:") ? `NSpid: ${line.trim().split(/\s+/).length}` : line));
    return [...own, ...NAMESPACES.map((name) => linkOf(`${proc}/ns/${name}`)), readlinkSync(`${proc}/root`), labelOf(proc)].join("\n");
  } catch {
    return undefined;
  }
}

/** Kernels have more or fewer of them. */
function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/** Of AppArmor, SELinux or Smack; empty where there is none. */
const labelOf = (proc: string): string => attempt(() => readFileSync(`${proc}/attr/current`, "latin1"), "");

/** The process of that number is who calls: a number of another namespace would be somebody else's here. */
export const isCaller = ({ pid, words }: Pick<DaemonCall, "pid" | "words">): boolean =>
  attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").endsWith(`\0${words.join("\0")}\0`), false);
