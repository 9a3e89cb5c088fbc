import { cString, cStrings, KernelError, must, pathBytes, posixSpawn, spawnAttributes } from "../kernel/index.ts";

const F_SETFD = 2;
const POSIX_SPAWN_SETPGROUP = 2;
const POSIX_SPAWN_SETSIGDEF = 4;
const POSIX_SPAWN_SETSIGMASK = 8;
/** Larger than posix_spawnattr_t of any C library (336 bytes in glibc and musl). */
const ATTRIBUTES_BYTES = 1024;
const SIGSET_BYTES = 128;
/** Node ignores these, and what is ignored stays so across exec(2): without them `yes | head` would never end quietly. */
const SIGPIPE = 13;
const SIGXFSZ = 25;

/**
 * Starts a program with posix_spawn(3) from the calling thread, whose restrictions it inherits. Not through the runtime:
 * that would wait for the process and take the stops that the door waits for.
 *
 * Standard input, output and error are inherited; everything else is closed. Returns the pid; throws `KernelError`.
 */
export function spawn(path: string, argv: readonly string[], env: Readonly<Record<string, string>>, job: boolean): number {
  // Node marks its standard streams close-on-exec.
  for (const fd of [0, 1, 2]) {
    try {
      must("fcntl", fd, F_SETFD, 0);
    } catch {
      // Closed when Assent was started: so it is for the program.
    }
  }
  const words = cStrings(argv.map(pathBytes));
  const variables = cStrings(Object.entries(env).map(([name, value]) => pathBytes(`${name}=${value}`)));
  const pid = Buffer.alloc(4);
  const errno = posixSpawn(pid, cString(pathBytes(path)), null, attributesFor(job), words.address, variables.address);
  // What the arrays point to must outlive the call.
  if (errno !== 0 || words.keep.length === 0 || variables.keep.length === 0) throw new KernelError("execve", errno, path);
  return pid.readInt32LE(0);
}

/** Signals as a program expects them: none of node's are ignored, none is blocked; a job has a process group of its own. */
function attributesFor(job: boolean): Buffer {
  const attributes = Buffer.alloc(ATTRIBUTES_BYTES);
  const reset = Buffer.alloc(SIGSET_BYTES);
  for (const signal of [SIGPIPE, SIGXFSZ]) reset[(signal - 1) >> 3] = (reset[(signal - 1) >> 3] ?? 0) | (1 << ((signal - 1) & 7));
  const errno =
    spawnAttributes.init(attributes) ||
    spawnAttributes.setDefaultSignals(attributes, reset) ||
    spawnAttributes.setSignalMask(attributes, Buffer.alloc(SIGSET_BYTES)) ||
    spawnAttributes.setFlags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (job ? POSIX_SPAWN_SETPGROUP : 0));
  if (errno !== 0) throw new KernelError("execve", errno, "posix_spawnattr");
  return attributes;
}
