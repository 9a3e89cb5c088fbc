import { addressOf, ERRNO, sys, SYSCALLS } from "../kernel/index.ts";
import { kindOf, statFd } from "../undo/index.ts";
import { inTree } from "./processes.ts";
import type { Task } from "./tasks.ts";

const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;
const O_NOFOLLOW = process.arch === "arm64" ? 0o100000 : 0o400000;
const AT_FDCWD = -100;
const NO_MAGICLINKS = 2;
const MOST_LINKS = 40;
const SLASH = 0x2f;

/** What walking needs; all numbers are descriptors of ours or negative errnos. */
export interface Ground {
  readonly root: () => number;
  readonly openat2: (base: number, path: number, flags: number, resolve: number) => number;
  readonly nameOf: (fd: number) => string | number;
  readonly linkText: (folder: number, name: number) => Buffer | number;
}

/**
 * Segment by segment, so that `/proc/self`, `/proc/thread-self` and the magic links (`fd/N`, `cwd`, `root`, `exe`)
 * mean the task's own. Takes `base` over. proc(5), path_resolution(7).
 */
export function walk(ground: Ground, task: Task, base: number, path: Buffer, follow: boolean): number {
  let rest = segments(path);
  let here = base === AT_FDCWD ? ground.root() : base;
  for (let links = 0; rest.length > 0;) {
    if (here < 0) return here;
    const [segment = "", ...after] = rest;
    rest = after;
    const name = Buffer.from(`${segment}\0`, "latin1");
    const next = ground.openat2(here, addressOf(name), O_PATH | O_CLOEXEC | O_NOFOLLOW, NO_MAGICLINKS);
    const place = next < 0 ? next : statFd(next);
    if (typeof place === "number") return leave(here, next, place);
    if (kindOf(place.mode) !== "symlink" || (rest.length === 0 && !follow)) {
      sys(SYSCALLS.close, here);
      here = next;
      continue;
    }
    if (++links > MOST_LINKS) return leave(here, next, -ERRNO.ELOOP);
    const folder = ground.nameOf(here);
    const own = folder === "/proc" ? ownName(segment, task) : undefined;
    const target = own === undefined ? ground.linkText(here, addressOf(name)) : Buffer.from(own);
    sys(SYSCALLS.close, next);
    if (typeof target === "number") return leave(here, -1, target);
    if (own === undefined && typeof folder === "string" && isMagic(folder, segment)) {
      const jumped = magic(task, folder, here, name);
      sys(SYSCALLS.close, here);
      here = jumped;
      continue;
    }
    rest = [...segments(target), ...rest];
    if (target[0] === SLASH) {
      sys(SYSCALLS.close, here);
      here = ground.root();
    }
  }
  return here;
}

/** Follows a magic link, if it belongs to the tree. */
function magic(task: Task, folder: string, here: number, name: Buffer): number {
  const pid = Number(/^\/proc\/(\d+)/.exec(folder)?.[1]);
  if (pid !== task.tgid && pid !== task.tid && !inTree(pid)) return -ERRNO.EACCES;
  return sys(SYSCALLS.openat, here, addressOf(name), O_PATH | O_CLOEXEC, 0);
}

function leave(here: number, next: number, errno: number): number {
  sys(SYSCALLS.close, here);
  if (next >= 0) sys(SYSCALLS.close, next);
  return errno;
}

function segments(path: Buffer): string[] {
  const parts = path.toString("latin1").split("/");
  const slash = parts.at(-1) === "";
  const named = parts.filter((part) => part !== "" && part !== ".");
  // A last `/` asks for a folder, and follows a link.
  return slash ? [...named, "."] : named;
}

function ownName(segment: string, task: Task): string | undefined {
  if (segment === "self") return String(task.tgid);
  return segment === "thread-self" ? `${task.tgid}/task/${task.tid}` : undefined;
}

function isMagic(folder: string, segment: string): boolean {
  const inside = /^\/proc\/\d+(?:\/task\/\d+)?(\/fd|\/map_files|\/ns)?$/.exec(folder);
  if (inside === null) return false;
  return inside[1] !== undefined || segment === "cwd" || segment === "root" || segment === "exe";
}
