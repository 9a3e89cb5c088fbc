import { addressOf, alloc, KernelError, lastingAddressOf, sys } from "./libc.ts";
import { ERRNO, SYSCALLS } from "./syscalls.ts";
import { AT_FDCWD, O_CLOEXEC } from "./uapi.ts";

const nameBuffer = alloc(64);
const nameAt = lastingAddressOf(nameBuffer);

/** The address of a short ASCII C string; good until the next call. */
export function shortName(text: string): number {
  nameBuffer[nameBuffer.write(text, "latin1")] = 0;
  return nameAt;
}

/** Arguments of a program may be longer. */
const MOST_USUAL = 65_536;
let text = alloc(MOST_USUAL);
let textAt = addressOf(text);

/**
 * A small file of /proc as it is now, good until the next call; throws where it cannot be read. Each start of a program looks at half a
 * dozen of them, and by node's own functions that takes several times as long (evidence/performance.md). Files that the kernel makes in one
 * piece (fs/seq_file.c, single_open), and a process' words and variables (fs/proc/base.c), fill the buffer or end there: what is not full
 * needs no second call. `isList`: one such as `maps`, of which a read ends where a record no longer fits.
 */
export function readProc(path: string, isList = false): Buffer {
  const fd = sys(SYSCALLS.openat, AT_FDCWD, shortName(path), O_CLOEXEC, 0);
  if (fd < 0) throw new KernelError("openat", -fd, path);
  let length = 0;
  let got = 0;
  let more: boolean;
  do {
    if (length === text.length) grow();
    got = sys(SYSCALLS.read, fd, textAt + length, text.length - length);
    if (got > 0) length += got;
    more = isList || length === text.length;
  } while (got === -ERRNO.EINTR || (got > 0 && more));
  sys(SYSCALLS.close, fd);
  if (got < 0) throw new KernelError("read", -got, path);
  return text.subarray(0, length);
}

function grow(): void {
  const more = alloc(2 * text.length);
  text.copy(more);
  text = more;
  textAt = addressOf(text);
}
