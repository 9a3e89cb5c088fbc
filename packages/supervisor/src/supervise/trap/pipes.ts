import {
  alloc,
  ERRNO,
  F_SETFL,
  lastingAddressOf,
  O_ACCMODE,
  O_CLOEXEC,
  O_NONBLOCK,
  POLLHUP,
  POLLIN,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { type DecodedCall, LATER } from "./operation.ts";
import { type PinnedObject, reopen } from "./paths.ts";
import { findInterruption, type Task } from "./tasks.ts";

const O_WRONLY = 1;
const polled = alloc(8);
const polledAt = lastingAddressOf(polled);
const atOnce = alloc(16);
const atOnceAt = lastingAddressOf(atOnce);

/** How often each pipe was opened for writing by the tree: a writer may come and go between two looks. */
const writers = new Map<string, number>();
const MOST_PIPES = 1000;

/**
 * fifo(7): opening one end waits for the other, which must not keep the trap handler. The end is opened without waiting, and
 * handed over when the other end is there.
 */
export function decodePipeOpen(
  task: Task,
  { fd: fifo, stat: { id } }: PinnedObject,
  flags: number,
): Pick<DecodedCall, "pinned" | "perform"> {
  const pinned = [fifo];
  const reads = (flags & O_ACCMODE) === 0;
  let fd = -1;
  let seen = 0;
  /** Whether a hang-up says that there is no writer. */
  let tells = false;
  const hand = (): number => {
    sys(SYSCALLS.fcntl, fd, F_SETFL, flags & ~O_CLOEXEC);
    pinned.pop();
    return fd;
  };
  const begin = (): number => {
    fd = reopen(fifo, flags | O_NONBLOCK);
    if (fd < 0) return fd;
    pinned.push(fd);
    seen = writers.get(id) ?? 0;
    if (!reads) {
      if (writers.size >= MOST_PIPES) writers.clear();
      writers.set(id, seen + 1);
      return fd;
    }
    // The kernel tells a reader of a hang-up only after a writer was there since it opened (pipe_poll): this one was.
    const writer = reopen(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    tells = writer >= 0;
    if (tells) sys(SYSCALLS.close, writer);
    return fd;
  };
  const hasWriter = (): boolean => {
    polled.writeInt32LE(fd, 0);
    polled.writeInt32LE(POLLIN, 4);
    sys(SYSCALLS.ppoll, polledAt, 1, atOnceAt, 0, 8);
    const events = polled.readInt16LE(6);
    if ((events & POLLIN) !== 0 || (writers.get(id) ?? 0) !== seen) return true;
    return tells ? (events & POLLHUP) === 0 : (events & POLLHUP) !== 0;
  };
  return {
    pinned,
    perform: () => {
      if (fd < 0) {
        const begun = begin();
        if (begun === -ERRNO.ENXIO) return findInterruption(task) || LATER;
        if (begun < 0) return begun;
      }
      if (!reads || hasWriter()) return hand();
      return findInterruption(task) || LATER;
    },
  };
}
