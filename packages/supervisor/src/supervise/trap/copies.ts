import {
  alloc,
  canCopyDescriptors,
  ERRNO,
  F_GETFL,
  FCNTL,
  lastingAddressOf,
  O_CLOEXEC,
  O_PATH,
  shortName,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { statFd } from "../undo/index.ts";

/** Sockets that have not been connected yet, and datagram sockets. */
const MOST_KEPT = 512;
const O_NONBLOCK_NOCTTY = 0o4000 | 0o400;
const FORMAT = 0o170000;
const REOPENED: ReadonlySet<number> = new Set([0o100000, 0o040000]);

const text = alloc(256);
const textAt = lastingAddressOf(text);
const SOCKET = /^socket:\[(\d+)\]$/;
const FLAGS = /^flags:\t(\d+)$/m;

/** Whose descriptors are meant: a task's folder of /proc, which stays bound to it, and its pidfd. */
export interface DescriptorOwner {
  readonly proc: number;
  readonly pidfd: number;
}

/**
 * What tasks have open, for the trap handler to use: copies of the descriptors themselves (pidfd_getfd(2)). Docker's filter, and that of
 * containerd, refuse that call. There the trap handler makes the sockets of the run itself and keeps a copy of each: of a stream until it is
 * connected or listens, so that the other side hears when the program closes it. What was made otherwise is refused.
 * Other files are reached through /proc.
 */
export class Copies {
  readonly #direct = canCopyDescriptors();
  readonly #kept = new Map<number, number>();
  /** Inodes of those that were let go of. */
  readonly #handed = new Set<number>();

  /** The trap handler makes and keeps the sockets of the run. */
  get makesSockets(): boolean {
    return !this.#direct;
  }

  /** A copy of a socket of the task (same open file description), or a negative errno. Not every descriptor that it gives is a socket. */
  socket(owner: DescriptorOwner, fd: number): number {
    if (this.#direct) return duplicate(owner, fd);
    const inode = socketInode(owner, fd);
    if (inode < 0) return inode;
    const kept = this.#kept.get(inode);
    return kept === undefined ? -ERRNO.EACCES : sys(SYSCALLS.fcntl, kept, FCNTL.DUPFD_CLOEXEC, 0);
  }

  /** The inode of a stream of the task that was let go of, as it was connected, or was about to be. */
  handed(owner: DescriptorOwner, fd: number): number | undefined {
    const inode = this.#direct ? -1 : socketInode(owner, fd);
    return this.#handed.has(inode) ? inode : undefined;
  }

  /** Takes a socket that the trap handler has made for the run. */
  keep(inode: number, fd: number): void {
    this.drop(inode);
    this.#handed.delete(inode);
    this.#kept.set(inode, fd);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.drop(oldest);
  }

  /** It is connected, or connecting, or listens. */
  hand(inode: number): void {
    if (!this.#kept.has(inode)) return;
    this.drop(inode);
    this.#handed.add(inode);
    const [oldest] = this.#handed;
    if (this.#handed.size > MOST_KEPT && oldest !== undefined) this.#handed.delete(oldest);
  }

  /** From now on the socket is the program's alone. */
  drop(inode: number): void {
    const fd = this.#kept.get(inode);
    if (fd === undefined) return;
    this.#kept.delete(inode);
    sys(SYSCALLS.close, fd);
  }

  /** A descriptor of the very object behind one of the task's that is more than a name of it; with O_PATH that is EBADF (open(2)). */
  opened(owner: DescriptorOwner, fd: number): number {
    if (fd < 0) return -ERRNO.EBADF;
    if (this.#direct) {
      const copy = duplicate(owner, fd);
      if (copy < 0 || (sys(SYSCALLS.fcntl, copy, F_GETFL) & O_PATH) === 0) return copy;
      sys(SYSCALLS.close, copy);
      return -ERRNO.EBADF;
    }
    const flags = flagsOf(owner, fd);
    if (flags < 0 || (flags & O_PATH) !== 0) return -ERRNO.EBADF;
    return open(owner, fd, O_PATH);
  }

  /** For calls that a name of the object does not do for: the task's own descriptor, or a new one of the same file or folder. */
  usable(owner: DescriptorOwner, fd: number): number {
    if (this.#direct) return duplicate(owner, fd);
    const pinned = this.opened(owner, fd);
    if (pinned < 0) return pinned;
    const stat = statFd(pinned);
    // To open anything else may do something: a pipe, a device.
    const again = typeof stat === "number" || !REOPENED.has(stat.mode & FORMAT) ? -ERRNO.EACCES : reopen(pinned);
    sys(SYSCALLS.close, pinned);
    return again;
  }

  /** A copy to be passed on to another program. */
  passable(owner: DescriptorOwner, fd: number): number {
    return this.#direct ? duplicate(owner, fd) : -ERRNO.EACCES;
  }

  close(): void {
    for (const inode of this.#kept.keys()) this.drop(inode);
  }
}

/** The inode of a socket that a task has open, or a negative errno. */
function socketInode({ proc }: DescriptorOwner, fd: number): number {
  const length = sys(SYSCALLS.readlinkat, proc, shortName(`fd/${fd}`), textAt, text.length);
  if (length < 0) return length === -ERRNO.ENOENT ? -ERRNO.EBADF : length;
  const inode = SOCKET.exec(text.toString("latin1", 0, length))?.[1];
  return inode === undefined ? -ERRNO.ENOTSOCK : Number(inode);
}

const duplicate = ({ pidfd }: DescriptorOwner, fd: number): number => sys(SYSCALLS.pidfd_getfd, pidfd, fd, 0);

function open({ proc }: DescriptorOwner, fd: number, flags: number): number {
  const got = sys(SYSCALLS.openat, proc, shortName(`fd/${fd}`), flags | O_CLOEXEC, 0);
  return got === -ERRNO.ENOENT ? -ERRNO.EBADF : got;
}

const reopen = (pinned: number): number =>
  sys(SYSCALLS.openat, -100, shortName(`/proc/self/fd/${pinned}`), O_NONBLOCK_NOCTTY | O_CLOEXEC, 0);

/** Flags of a descriptor (proc_pid_fdinfo(5)), or a negative errno. */
function flagsOf({ proc }: DescriptorOwner, fd: number): number {
  const info = sys(SYSCALLS.openat, proc, shortName(`fdinfo/${fd}`), O_CLOEXEC, 0);
  if (info < 0) return info;
  const length = sys(SYSCALLS.read, info, textAt, text.length);
  sys(SYSCALLS.close, info);
  const found = length > 0 ? FLAGS.exec(text.toString("latin1", 0, length))?.[1] : undefined;
  return found === undefined ? -ERRNO.EBADF : Number.parseInt(found, 8);
}
