import { baseName, parentOf } from "@assent/core/path";
import { addressOf, AT_FDCWD, cString, ERRNO, pathBytes, sys, SYSCALLS } from "../kernel/index.ts";
import { copyTree, removeBelow } from "../undo/copy-tree.ts";
import { kindOf, statAt, statFd } from "../undo/index.ts";
import type { SeccompTrap } from "./listener.ts";
import { closeAll, type Decoded, type Handlers, PASS, type TaskAccess } from "./operation.ts";
import type { Task } from "./tasks.ts";

/** Renames of a tried run, in its own view: nothing of it is on disk, so nothing is judged. */
export const inViewHandlers = {
  rename: (trap, task, access) => renameInView(trap, task, access, [AT_FDCWD, 0], [AT_FDCWD, 1], 0),
  renameat: (trap, task, access) => renameInView(trap, task, access, [trap.int(0), 1], [trap.int(2), 3], 0),
  renameat2: (trap, task, access) => renameInView(trap, task, access, [trap.int(0), 1], [trap.int(2), 3], trap.unsigned(4)),
} satisfies Handlers;

/** A name, and its folder, opened as the task finds it. */
interface NameInView {
  readonly folder: number;
  /** A C string, and its address. */
  readonly name: Buffer;
  readonly nameAt: number;
}

function named(folder: number, text: string): NameInView {
  const name = cString(pathBytes(text));
  return { folder, name, nameAt: addressOf(name) };
}

const NOREPLACE = 1;
/** A folder with more than a person would wait for fails as it did. */
const LARGEST = 50_000;

/**
 * The kernel renames no folder that lies below a layer, by itself or with something of it (EXDEV, overlayfs.rst, "redirect_dir"). It is
 * copied to its new name, and what was there taken away. Everything else is the kernel's.
 */
function renameInView(
  trap: SeccompTrap,
  task: Task,
  access: TaskAccess,
  [fromFd, fromAt]: readonly [number, number],
  [toFd, toAt]: readonly [number, number],
  flags: number,
): Decoded {
  if (flags !== 0 && flags !== NOREPLACE) return PASS;
  const from = nameOf(trap, task, access, fromFd, fromAt);
  if (from === undefined) return PASS;
  const to = nameOf(trap, task, access, toFd, toAt);
  const opened = [from.folder, ...(to === undefined ? [] : [to.folder])];
  try {
    const source = statAt(from.folder, from.nameAt);
    if (to === undefined || typeof source === "number" || kindOf(source.mode) !== "directory" || !access.listener.valid(trap)) return PASS;
    const result = rename(from, to, flags);
    return result === -ERRNO.EXDEV && onSameLayer(from.folder, to.folder) ? moveFolder(from, to, flags) : result;
  } finally {
    closeAll(opened);
  }
}

const rename = (from: NameInView, to: NameInView, flags: number): number =>
  sys(SYSCALLS.renameat2, from.folder, from.nameAt, to.folder, to.nameAt, flags);

/** Undefined: it is nothing that could be renamed so. INVARIANT: the folder is one of the task's own mounts, whatever it has open. */
function nameOf(trap: SeccompTrap, task: Task, access: TaskAccess, dirfd: number, at: number): NameInView | undefined {
  const { paths } = access;
  if (paths.read(trap, at) < 0) return undefined;
  const slot = paths.slot(task, dirfd);
  if (typeof slot === "number") return undefined;
  closeAll([slot.parent]);
  if (slot.hopeless) return undefined;
  paths.use(pathBytes(parentOf(slot.path)));
  const folder = paths.object(task, AT_FDCWD, true);
  if (typeof folder === "number") return undefined;
  return named(folder.fd, baseName(slot.path));
}

/** The kernel names another device for each layer's folders. */
function onSameLayer(one: number, other: number): boolean {
  const [a, b] = [statFd(one), statFd(other)];
  return typeof a !== "number" && typeof b !== "number" && deviceOf(a.id) === deviceOf(b.id);
}

const deviceOf = (id: string): string => id.slice(0, id.lastIndexOf(":"));

function moveFolder(from: NameInView, to: NameInView, flags: number): number {
  const between = named(to.folder, `.assent-${process.pid}`);
  let left = LARGEST;
  try {
    copyTree(from.folder, from.nameAt, between.folder, between.nameAt, (xattrs) => {
      if (--left < 0) throw new Error("the folder is too large");
      return xattrs;
    });
  } catch {
    removeBelow(between.folder, between.nameAt);
    return -ERRNO.EXDEV;
  }
  const result = rename(between, to, flags);
  if (result < 0) removeBelow(between.folder, between.nameAt);
  return result < 0 ? result : removeBelow(from.folder, from.nameAt);
}
