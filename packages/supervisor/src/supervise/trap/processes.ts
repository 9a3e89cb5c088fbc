import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { attempt } from "@assent/core/data";
import type { ProcessInfo } from "@assent/guard/approve";
import { ADDR_NO_RANDOMIZE, alloc, ERRNO, IDTYPE, lastingAddressOf, readProc, SIGKILL, sys, SYSCALLS, WAIT } from "../kernel/index.ts";

const ZERO = 0x30;

/** Fields of proc_pid_stat(5) from the third on; undefined when the process is gone. */
function readStat(pid: number): readonly string[] | undefined {
  try {
    const stat = readProc(`/proc/${pid}/stat`).toString("latin1");
    // The name, in parentheses, may hold anything; the last parenthesis ends it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** Parent of a process; undefined when it is gone. */
export function parentOf(pid: number): number | undefined {
  const stat = readStat(pid);
  return stat === undefined ? undefined : Number(stat[1]);
}

/** Process group; undefined when the process is gone. */
export function groupOf(pid: number): number | undefined {
  const stat = readStat(pid);
  return stat === undefined ? undefined : Number(stat[2]);
}

/** True when the process descends from this one, the supervisor. */
export function inTree(pid: number): boolean {
  for (let at = pid, depth = 0; at > 1 && depth < 10_000; depth++) {
    const parent = parentOf(at);
    if (parent === undefined) return false;
    if (parent === process.pid) return true;
    at = parent;
  }
  return false;
}

/** A process of the tree that is in this process group: who leads it, unless that one has ended. */
function memberOf(group: number): number | undefined {
  if (groupOf(group) === group) return inTree(group) ? group : undefined;
  const isMember = (pid: number): boolean => groupOf(pid) === group && inTree(pid);
  return readdirSync("/proc")
    .flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
    .find(isMember);
}

export const isGroupOfTree = (group: number): boolean => memberOf(group) !== undefined;

/** Who leads a process group of the tree, last, and above it the tree's processes, from the program on. */
export function lineOfGroup(group: number): readonly number[] {
  const line: number[] = [];
  for (let at = memberOf(group); at !== undefined && at > 1 && at !== process.pid && line.length < 64; at = parentOf(at))
    if (at === group || groupOf(at) !== group) line.unshift(at);
  return line;
}

/** What is typed is what it reads. */
export const readsTerminal = (pid: number): boolean =>
  attempt(() => /^\/dev\/(?:pts\/|tty|console)/.test(readlinkSync(`/proc/${pid}/fd/0`)), false);

/** A process as a person recognises it. */
export function describeProcess(pid: number): ProcessInfo {
  const argv = argvOf(pid);
  return { pid, name: programOf(pid)?.split("/").at(-1) || argv[0] || "?", argv };
}

/** Parents of a process, nearest first, the supervisor last. */
export function ancestryOf(pid: number): readonly ProcessInfo[] {
  const found: ProcessInfo[] = [];
  for (let at = parentOf(pid); at !== undefined && at > 1 && found.length < 64; at = parentOf(at)) {
    if (at === process.pid) return [...found, { pid: at, name: "assent", argv: [] }];
    found.push(describeProcess(at));
  }
  return found;
}

/** The file a process runs, as the kernel knows it. */
export const programOf = (pid: number): string | undefined => attempt(() => readlinkSync(`/proc/${pid}/exe`), undefined);

/** Its working folder. */
export const folderOf = (pid: number): string | undefined => attempt(() => readlinkSync(`/proc/${pid}/cwd`), undefined);

/** Arguments as the process shows them: it may have changed them, so they are for display only. */
export function argvOf(pid: number): readonly string[] {
  try {
    const text = readProc(`/proc/${pid}/cmdline`).toString("utf8");
    return text === "" ? [] : text.replace(/\0$/, "").split("\0");
  } catch {
    return [];
  }
}

/** When a process began, in clock ticks since boot (field 22). With the number it names a process for good. */
export const startOf = (pid: number): string | undefined => readStat(pid)?.[19];

/** A process, and the program in it. */
export interface ProcessStamp {
  /** As `startOf` tells it. */
  readonly start: string;
  /**
   * Where the kernel laid out a program's code, stack, arguments and environment when it was started (proc_pid_stat(5), fields 26 to
   * 28 and 45 to 51). What is forked has the same, another program does not, where that is random: the sandbox refuses PR_SET_MM.
   * Undefined where nothing is told.
   */
  readonly layout: string | undefined;
}

/** Undefined when the process is gone. */
export function stampOf(pid: number): ProcessStamp | undefined {
  const fields = readStat(pid);
  const start = fields?.[19];
  if (fields === undefined || start === undefined) return undefined;
  const layout = [...fields.slice(23, 26), ...fields.slice(42, 49)];
  // Whoever may not look is told 0 or 1.
  return { start, layout: layout.some((address) => Number(address) > 1) ? layout.join(" ") : undefined };
}

/** Whether the kernel lays a process' program out at random, so that its layout says which one it is. */
export function isLaidOutAtRandom(pid: number): boolean {
  try {
    // personality(2): the memory lies where anybody can make it lie.
    const personality = Number.parseInt(readProc(`/proc/${pid}/personality`).toString("latin1"), 16);
    return (personality & ADDR_NO_RANDOMIZE) === 0 && readProc("/proc/sys/kernel/randomize_va_space")[0] !== ZERO;
  } catch {
    return false;
  }
}

const WEXITED = 4;
/** Children by clone(2) that tell their end by another signal or none, too. */
const SANDBOX = 0x40000000;

/** Orphans of the tree become our children (PR_SET_CHILD_SUBREAPER): who has no child has no descendant. */
const hasChildren = (): boolean => sys(SYSCALLS.waitid, IDTYPE.ALL, 0, 0, WEXITED | WAIT.NOHANG | WAIT.NOWAIT | SANDBOX) !== -ERRNO.ECHILD;

/** Every process that descends from this one. Each is looked at once: a machine may have a chain of thousands. */
export function listDescendants(): readonly number[] {
  const children = new Map<number, number[]>();
  if (!hasChildren()) return [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const parent = /^\d+$/.test(name) ? parentOf(pid) : undefined;
    if (parent !== undefined) {
      const own = children.get(parent);
      if (own === undefined) children.set(parent, [pid]);
      else own.push(pid);
    }
  }
  const found: number[] = [];
  for (let next = children.get(process.pid) ?? []; next.length > 0; next = next.flatMap((pid) => children.get(pid) ?? []))
    found.push(...next);
  return found;
}

/** As `descendants`, without those that have ended and wait to be fetched. */
export function listLiving(): readonly number[] {
  return listDescendants().filter((pid) => !isZombie(pid));
}

function isZombie(pid: number): boolean {
  const stat = readStat(pid);
  return stat === undefined || stat[0] === "Z";
}

/** The controlling terminal of a process: its device number stands in proc_pid_stat(5), field 7. */
export function terminalPath(pid: number): string | undefined {
  try {
    const device = Number(readStat(pid)?.[4] ?? 0);
    const major = (device >> 8) & 0xfff;
    const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
    if (device === 0) return undefined;
    // UNIX98 pseudo-terminals have the majors 136 to 143.
    if (major >= 136 && major <= 143) return `/dev/pts/${(major - 136) * 256 + minor}`;
    const name = /^DEVNAME=(.*)$/m.exec(readFileSync(`/sys/dev/char/${major}:${minor}/uevent`, "utf8"))?.[1];
    return name === undefined ? undefined : `/dev/${name}`;
  } catch {
    return undefined;
  }
}

/** The process is that one, or descends from it. */
export function isBelow(pid: number, above: number): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1 && at !== process.pid; at = parentOf(at)) if (at === above) return true;
  return false;
}

/** It has ended: its number may be another's. */
export const isOver = (pid: number, start: string): boolean => startOf(pid) !== start || isZombie(pid);

/** Ends a process and everything below it, and waits until none of it goes on. */
export function endProcesses(above: number): void {
  const known = new Set([above]);
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const living = listLiving();
    for (const pid of living) if ([...known].some((one) => isBelow(pid, one))) known.add(pid);
    const left = living.filter((pid) => known.has(pid));
    if (left.length === 0) return;
    for (const pid of left) sys(SYSCALLS.kill, pid, SIGKILL);
  }
}

/** Each pass finds what was forked during the one before. */
const MOST_PASSES = 200;
const status = alloc(4);
const statusAt = lastingAddressOf(status);

/** As wait(2) would say it of a program whose end nobody saw: exit 127. */
export const NO_STATUS = 0x7f00;

/**
 * Fetches the status of what has ended. Orphans of the tree are our children (PR_SET_CHILD_SUBREAPER), and nobody else
 * takes them; without this their numbers would stay taken. The status of `root`, where it was among them.
 */
export function reapTree(root: number): number | undefined {
  let found: number | undefined;
  for (let pid = reapNext(); pid > 0; pid = reapNext()) if (pid === root) found = status.readInt32LE(0);
  return found;
}

const reapNext = (): number => sys(SYSCALLS.wait4, -1, statusAt, WAIT.NOHANG, 0);

/** Ends everything of the tree, also what is forked meanwhile. */
export function killTree(): void {
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const left = listLiving();
    if (left.length === 0) return;
    for (const pid of left) sys(SYSCALLS.kill, pid, SIGKILL);
  }
}
