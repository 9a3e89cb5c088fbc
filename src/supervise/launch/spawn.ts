import { cString, cStrings, KernelError, must, pathBytes, posixSpawn } from "../kernel/index.ts";

const F_SETFD = 2;

/**
 * Starts a program with posix_spawn(3) from the calling thread, whose restrictions it inherits. Not through the runtime:
 * that would wait for the process and take the stops that the door waits for.
 *
 * Standard input, output and error are inherited; everything else is closed. Returns the pid; throws `KernelError`.
 */
export function spawn(path: string, argv: readonly string[], env: Readonly<Record<string, string>>): number {
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
  const errno = posixSpawn(pid, cString(pathBytes(path)), null, null, words.address, variables.address);
  // What the arrays point to must outlive the call.
  if (errno !== 0 || words.keep.length === 0 || variables.keep.length === 0) throw new KernelError("execve", errno, path);
  return pid.readInt32LE(0);
}

