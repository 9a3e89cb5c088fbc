import { isMainThread } from "node:worker_threads";
import { readdirSync } from "node:fs";
import { addressOf, alloc, ERRNO, KernelError, must, SYSCALLS, sys } from "../kernel/index.ts";
import { dropCapabilities } from "./capabilities.ts";
import { buildFilter } from "./filter.ts";
import { INSTRUCTION_BYTES } from "./assemble.ts";
import { type LandlockEnforced, landlockAbi, restrictWithLandlock } from "./landlock.ts";

const CLOSE_RANGE_CLOEXEC = 1 << 2;
const PR_SET_NO_NEW_PRIVS = 38;
const CLONE_NEWIPC = 0x08000000;
const SECCOMP_SET_MODE_FILTER = 1;
const FILTER_FLAG_NEW_LISTENER = 1 << 3;
const FILTER_FLAG_WAIT_KILLABLE_RECV = 1 << 5;
const F_SETFD = 2;
const FD_CLOEXEC = 1;

export interface RestrictOptions {
  /** Ask the door about opens that only read, too. */
  readonly observeReads: boolean;
  /** UDP sockets are made without asking. */
  readonly udp?: boolean;
  /** Go on without a piece the kernel does not have. */
  readonly bestEffort: boolean;
}

/** A piece of protection that this kernel does not give. */
export interface Missing {
  readonly piece: "landlock" | "wait-killable" | "truncate" | "tcp" | "device-ioctl" | "scopes";
  readonly why: string;
  /** What can happen now, in words. */
  readonly consequence: string;
  /** Without it nothing is started, unless with `bestEffort`. */
  readonly required: boolean;
}

export interface Enforced {
  readonly landlock: LandlockEnforced;
  /** A program that a signal interrupts waits for the door's answer all the same. */
  readonly waitKillable: boolean;
  /** The thread has an IPC namespace of its own. */
  readonly ownIpc: boolean;
}

export interface Restricted {
  /** Descriptor of the seccomp listener, for the door. Every trapped call of this thread waits for it from now on. */
  readonly listener: number;
  readonly enforced: Enforced;
  readonly missing: readonly Missing[];
}

export class WallError extends Error {
  readonly code: "no-landlock" | "no-listener" | "listener-taken" | "missing";
  readonly missing: readonly Missing[];
  constructor(code: WallError["code"], message: string, missing: readonly Missing[] = [], cause?: unknown) {
    super(message, { cause });
    this.name = "WallError";
    this.code = code;
    this.missing = missing;
  }
}

/**
 * Restricts the calling thread, for good: everything it starts from now on inherits the restrictions, and nothing else
 * in the process is touched. Must be a worker thread; the door must run on another one.
 *
 * Threads count as started, too: the worker has all its modules loaded before, and keeps from what starts node's shared
 * thread pool (`fs.promises`, `dns`, `zlib`, `crypto`, `import()`), which would confine the pool of the whole process.
 */
export function restrictThisThread(options: RestrictOptions): Restricted {
  if (isMainThread) throw new Error("the main thread would not get out again");
  // Inherited descriptors would pass every wall.
  closeOnExec();
  // While CAP_SYS_ADMIN lasts. Without it the filter takes System V IPC away.
  const ownIpc = sys(SYSCALLS.unshare, CLONE_NEWIPC) === 0;
  dropCapabilities();
  must("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

  const missing = missingOfLandlock(landlockAbi());
  refuse(missing, options.bestEffort);
  const landlock = restrictWithLandlock();

  // Last: the filter stops what the other steps need.
  const filter = buildFilter(process.arch === "arm64" ? "arm64" : "x64", {
    observeReads: options.observeReads,
    udp: options.udp ?? false,
    trapSignals: landlock.scopes === 0,
    ownIpc,
  });
  const { listener, waitKillable } = install(filter, options.bestEffort);
  return {
    listener,
    enforced: { landlock, waitKillable, ownIpc },
    missing: waitKillable ? missing : [...missing, NOT_KILLABLE],
  };
}

/** What a Landlock ABI does not give. */
export function missingOfLandlock(abi: number): Missing[] {
  if (abi === 0)
    return [
      {
        piece: "landlock",
        why: "the kernel has no Landlock (it needs 5.13, CONFIG_SECURITY_LANDLOCK and `landlock` in lsm=)",
        consequence: "nothing stands behind the door: a call it does not know could change files",
        required: true,
      },
    ];
  const lacks: [boolean, Missing["piece"], string, string][] = [
    [abi < 3, "truncate", "6.2", "only the door stands before truncating files"],
    [abi < 4, "tcp", "6.7", "only the door stands before TCP connections"],
    [abi < 5, "device-ioctl", "6.10", "device files that may be read can be sent commands"],
    [abi < 6, "scopes", "6.12", "only the door stands before abstract sockets and signals of other programs"],
  ];
  return lacks
    .filter(([lacking]) => lacking)
    .map(([, piece, since, consequence]) => ({
      piece,
      why: `Landlock ABI ${abi}; this came with Linux ${since}`,
      consequence,
      required: false,
    }));
}

export const NOT_KILLABLE: Missing = {
  piece: "wait-killable",
  why: "the kernel has no SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (it needs 5.19)",
  consequence: "a program with timers can interrupt a waiting call, which is then asked about and done again",
  required: true,
};

function refuse(missing: readonly Missing[], bestEffort: boolean): void {
  const fatal = missing.filter(({ required }) => required);
  if (fatal.length === 0 || bestEffort) return;
  throw new WallError(fatal[0]?.piece === "landlock" ? "no-landlock" : "missing", fatal.map(({ why }) => why).join("; "), fatal);
}

function closeOnExec(): void {
  if (sys(SYSCALLS.close_range, 3, 0xffffffff, CLOSE_RANGE_CLOEXEC) === 0) return;
  // Before 5.11. The folder's own descriptor is among them and closed again: EBADF.
  for (const name of readdirSync("/proc/self/fd")) {
    const fd = Number(name);
    if (fd >= 3) sys(SYSCALLS.fcntl, fd, F_SETFD, FD_CLOEXEC);
  }
}

function install(filter: Buffer, bestEffort: boolean): { listener: number; waitKillable: boolean } {
  // `struct sock_fprog`: u16 len, padding, pointer.
  const program = alloc(16);
  program.writeUInt16LE(filter.length / INSTRUCTION_BYTES, 0);
  program.writeBigUInt64LE(BigInt(addressOf(filter)), 8);
  const load = (flags: number): number => sys(SYSCALLS.seccomp, SECCOMP_SET_MODE_FILTER, flags, addressOf(program));

  let waitKillable = true;
  let listener = load(FILTER_FLAG_NEW_LISTENER | FILTER_FLAG_WAIT_KILLABLE_RECV);
  if (listener === -ERRNO.EINVAL) {
    refuse([NOT_KILLABLE], bestEffort);
    waitKillable = false;
    listener = load(FILTER_FLAG_NEW_LISTENER);
  }
  if (listener >= 0) return { listener, waitKillable };
  const cause = new KernelError("seccomp", -listener);
  if (listener === -ERRNO.EBUSY)
    throw new WallError(
      "listener-taken",
      "another supervisor already listens to this process's system calls (a container runtime, WSL2 with mirrored networking, another sandbox), and Linux allows one",
      [],
      cause,
    );
  throw new WallError(
    "no-listener",
    `the kernel refused the system call filter (${cause.message}); it needs CONFIG_SECCOMP_FILTER and Linux 5.5`,
    [],
    cause,
  );
}
