import {
  addressOf,
  alloc,
  ERRNO,
  type ErrnoName,
  KernelError,
  PRCTL,
  SECCOMP_SET_MODE_FILTER,
  sys,
  type SyscallName,
  SYSCALLS,
} from "../kernel/index.ts";
import { buildFilter, INSTRUCTION_BYTES } from "./filter.ts";
import { isLandlockRefused, landlockAbi, type LandlockEnforced, landlockRuleset } from "./landlock.ts";

/** A system call that a process makes for itself before it becomes the program (launch/routine.ts). */
export interface LaunchStep {
  readonly call: SyscallName;
  readonly args: readonly number[];
  /** Failures that do not matter. */
  readonly tolerates?: readonly ErrnoName[];
  /** What the arguments point to. */
  readonly keeps?: readonly Uint8Array[];
}

// linux/prctl.h, linux/capability.h, linux/securebits.h
/** More than any kernel has (41 in 6.18); one that does not exist is EINVAL. */
const MOST_CAPABILITIES = 64;
/** NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, and locks on these and on KEEP_CAPS: uid 0 is a user like any other. */
const SECUREBITS = 0b1110_1111;
/** `_LINUX_CAPABILITY_VERSION_3`: two 32-bit halves of effective, permitted and inheritable. */
const CAPABILITY_VERSION_3 = 0x20080522;

/**
 * Drops every capability, and what exec could give back. As root the bounding set and the securebits keep the programs that
 * are started from regaining any; no_new_privs, set later, does so for everybody else.
 */
function capabilitySteps(): readonly LaunchStep[] {
  const header = alloc(8);
  header.writeUInt32LE(CAPABILITY_VERSION_3, 0);
  const none = alloc(24);
  return [
    // EPERM: no CAP_SETPCAP, hence nothing that exec under no_new_privs would add to.
    ...Array.from({ length: MOST_CAPABILITIES }, (_, capability): LaunchStep => ({
      call: "prctl",
      args: [PRCTL.CAPBSET_DROP, capability, 0, 0, 0],
      tolerates: ["EINVAL", "EPERM"],
    })),
    { call: "prctl", args: [PRCTL.SET_SECUREBITS, SECUREBITS, 0, 0, 0], tolerates: ["EPERM"] },
    // EINVAL: a kernel without ambient capabilities (before 4.3).
    { call: "prctl", args: [PRCTL.CAP_AMBIENT, PRCTL.CAP_AMBIENT_CLEAR_ALL, 0, 0, 0], tolerates: ["EINVAL"] },
    { call: "capset", args: [addressOf(header), addressOf(none)], keeps: [header, none] },
  ];
}

const FILTER_FLAG_NEW_LISTENER = 1 << 3;
const FILTER_FLAG_WAIT_KILLABLE_RECV = 1 << 5;

export interface RestrictOptions {
  /** Ask the trap handler about opens that only read, too. */
  readonly observeReads: boolean;
  /** UDP sockets are made without asking. */
  readonly udp?: boolean;
  /** Ask the trap handler about kill(2), whatever Landlock can do. */
  readonly trapKill?: boolean;
  /** The trap handler makes every socket. */
  readonly ownSockets?: boolean;
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
  /** A program that a signal interrupts waits for the trap handler's answer all the same. */
  readonly waitKillable: boolean;
  /** The program has an IPC namespace of its own. */
  readonly ownIpc: boolean;
}

export class SandboxError extends Error {
  readonly code: "no-landlock" | "no-listener" | "listener-taken" | "missing";
  readonly missing: readonly Missing[];
  constructor(code: SandboxError["code"], message: string, missing: readonly Missing[] = [], cause?: unknown) {
    super(message, { cause });
    this.name = "SandboxError";
    this.code = code;
    this.missing = missing;
  }
}

/** What the kernel gave that can be had only once. */
export interface KernelOffer {
  /** The process is in an IPC namespace of its own. Without one the filter takes System V IPC away. */
  readonly ownIpc: boolean;
  readonly waitKillable: boolean;
}

/** The sandbox as calls that a process makes for itself: everything it starts is inside, and nothing else. */
export class Sandbox {
  readonly landlock: LandlockEnforced;
  readonly #options: RestrictOptions;
  readonly #missing: readonly Missing[];
  readonly #ruleset: number | undefined;

  /** Throws `SandboxError`, where the kernel lacks what is required. */
  constructor(options: RestrictOptions) {
    this.#options = options;
    this.#missing = missingOfLandlock(landlockAbi(), isLandlockRefused);
    refuse(this.#missing, options.bestEffort);
    const { rights, ruleset } = landlockRuleset();
    this.landlock = rights;
    this.#ruleset = ruleset;
  }

  /** The last one answers with the listener: from then on calls are trapped. */
  steps({ ownIpc, waitKillable }: KernelOffer): readonly LaunchStep[] {
    const { observeReads, udp = false, trapKill = false, ownSockets = false } = this.#options;
    const trapSignals = this.landlock.scopes === 0;
    const filter = buildFilter(process.arch === "arm64" ? "arm64" : "x64", {
      observeReads,
      udp,
      trapSignals,
      trapKill,
      ownIpc,
      ...(ownSockets ? { ownSockets } : {}),
    });
    // `struct sock_fprog`: u16 len, padding, pointer.
    const program = alloc(16);
    program.writeUInt16LE(filter.length / INSTRUCTION_BYTES, 0);
    program.writeBigUInt64LE(BigInt(addressOf(filter)), 8);
    const flags = FILTER_FLAG_NEW_LISTENER | (waitKillable ? FILTER_FLAG_WAIT_KILLABLE_RECV : 0);
    return [
      ...capabilitySteps(),
      { call: "prctl", args: [PRCTL.SET_NO_NEW_PRIVS, 1, 0, 0, 0] },
      ...(this.#ruleset === undefined ? [] : [{ call: "landlock_restrict_self", args: [this.#ruleset, 0] } as const]),
      // Last: the filter stops what the other steps need.
      { call: "seccomp", args: [SECCOMP_SET_MODE_FILTER, flags, addressOf(program)], keeps: [filter, program] },
    ];
  }

  /** `installed`: what seccomp(2) said where it failed. Throws, unless it is worth trying without. */
  without(installed: number, { waitKillable }: KernelOffer): void {
    if (installed === -ERRNO.EINVAL && waitKillable) return refuse([NOT_KILLABLE], this.#options.bestEffort);
    const cause = new KernelError("seccomp", -installed);
    if (installed === -ERRNO.EBUSY)
      throw new SandboxError(
        "listener-taken",
        "another supervisor already listens to this process's system calls (a container runtime, WSL2 with mirrored networking, " +
          "another sandbox), and Linux allows one",
        [],
        cause,
      );
    if (installed === -ERRNO.EPERM) throw new SandboxError("no-listener", `the system call filter is ${FILTERED} (seccomp)`, [], cause);
    throw new SandboxError(
      "no-listener",
      `the kernel refused the system call filter (${cause.message}); it needs CONFIG_SECCOMP_FILTER and Linux 5.5`,
      [],
      cause,
    );
  }

  missing(given: KernelOffer): readonly Missing[] {
    return given.waitKillable ? this.#missing : [...this.#missing, NOT_KILLABLE];
  }

  /** The process is inside. */
  close(): void {
    if (this.#ruleset !== undefined) sys(SYSCALLS.close, this.#ruleset);
  }
}

/** Of a system call that the kernel has, and that somebody else says no to. */
export const FILTERED = "refused (EPERM) by a filter around this process: a container engine's, or another sandbox's";

/** What a Landlock ABI does not give. `isRefused`: asked where there is none. */
export function missingOfLandlock(abi: number, isRefused: () => boolean = () => false): Missing[] {
  if (abi === 0)
    return [
      {
        piece: "landlock",
        why: isRefused()
          ? `Landlock is ${FILTERED}`
          : "the kernel has no Landlock (it needs 5.13, CONFIG_SECURITY_LANDLOCK and `landlock` in lsm=), or a container hides it",
        consequence: "a system call that Assent does not know could change files",
        required: true,
      },
    ];
  const lacks: [boolean, Missing["piece"], string, string][] = [
    [abi < 3, "truncate", "6.2", "the kernel by itself does not stop programs from cutting files"],
    [abi < 4, "tcp", "6.7", "the kernel by itself does not stop TCP connections"],
    [abi < 5, "device-ioctl", "6.10", "device files that may be read can be sent commands"],
    [abi < 6, "scopes", "6.12", "the kernel by itself does not stop signals and sockets of other programs"],
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
  throw new SandboxError(fatal[0]?.piece === "landlock" ? "no-landlock" : "missing", fatal.map(({ why }) => why).join("; "), fatal);
}
