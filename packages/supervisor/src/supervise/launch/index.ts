import { readdirSync, readFileSync } from "node:fs";
import {
  addressOf,
  alloc,
  CLONE,
  cString,
  cStrings,
  ERRNO,
  FCNTL,
  KernelError,
  must,
  pathBytes,
  POLLIN,
  SIGMASK,
  SIGNAL,
  SIGPIPE,
  SIGXFSZ,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { LaunchSteps } from "./routine.ts";
import { type Enforced, type KernelOffer, type LaunchStep, type Missing, type RestrictOptions, Sandbox } from "../sandbox/restrict.ts";

const SIGSET_BYTES = 8;
/** `struct sigaction` of the kernel: handler, flags, restorer, mask; all zero: SIG_DFL. */
const SIGACTION_BYTES = 32;

const FD_CLOEXEC = 1;
const CLOSE_RANGE_UNSHARE = 1 << 1;
const CLOSE_RANGE_CLOEXEC = 1 << 2;
const ALL = 0xffffffff;

interface LaunchOptions extends RestrictOptions {
  /** Absolute path of the program. */
  readonly path: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** In a process group of its own, for a terminal to give the foreground to. */
  readonly job: boolean;
}

/** A process inside the sandbox, whose exec of the program waits for whoever listens. */
export interface Launched {
  readonly pid: number;
  /** Descriptor of the seccomp listener. */
  readonly listener: number;
  readonly enforced: Enforced;
  readonly missing: readonly Missing[];
  /** Why the program was not started, once the process has ended. */
  readonly failure: () => KernelError | undefined;
}

/**
 * Starts a program inside the sandbox. A fresh process that shares our memory sandboxes itself in and execs (`routine.ts`): nothing
 * of this process is restricted, and no thread of it is lost. Not through the runtime: that would wait for the process and
 * take the stops that the trap handler waits for.
 *
 * Standard input, output and error are inherited; everything else is closed. Throws `SandboxError` and `KernelError`.
 */
export function launch(options: LaunchOptions): Launched {
  // What a process without close_range(2) inherits would pass every sandbox.
  closeOnExec();
  const sandbox = new Sandbox(options);
  try {
    let given: KernelOffer = { ownIpc: true, waitKillable: true };
    for (;;) {
      const child = begin(options, sandbox, given);
      if (typeof child !== "number")
        return {
          ...child,
          enforced: { landlock: sandbox.landlock, ...given },
          missing: sandbox.missing(given),
        };
      if (child === UNCLONED) given = { ...given, ownIpc: false };
      else {
        sandbox.without(child, given);
        given = { ...given, waitKillable: false };
      }
    }
  } finally {
    sandbox.close();
  }
}

const UNCLONED = 0;

type Child = Pick<Launched, "pid" | "listener" | "failure">;

/** One try. UNCLONED: there is no namespace to be had; negative: what seccomp(2) said. */
function begin(options: LaunchOptions, sandbox: Sandbox, given: KernelOffer): Child | number {
  const ready = must("eventfd2", 0, 0o2000000);
  try {
    const list = stepsOf(options, sandbox, given, ready);
    const steps = new LaunchSteps(list);
    const pid = cloned(steps, CLONE.VM | CLONE.FILES | SIGNAL.CHLD | (given.ownIpc ? CLONE.NEWIPC : 0));
    if (pid < 0 && given.ownIpc) return UNCLONED;
    if (pid < 0) throw new KernelError("clone", -pid);
    const filter = list.findIndex(({ call }) => call === "seccomp");
    wait(ready, pid);
    const listener = steps.result(filter) ?? -1;
    const failure = (): KernelError | undefined => {
      const failed = steps.failure;
      return failed === undefined
        ? undefined
        : new KernelError(failed.call, failed.errno, failed.call === "execve" ? options.path : undefined);
    };
    if (listener >= 0) return { pid, listener, failure };
    sys(SYSCALLS.wait4, pid, 0, 0, 0);
    if (steps.result(filter) === undefined)
      throw failure() ?? new KernelError("clone", 0, "the process that was to become the program ended");
    return listener;
  } finally {
    sys(SYSCALLS.close, ready);
  }
}

/** What the process does on its way to the program. Nothing after the filter is trapped but execve. */
function stepsOf({ path, argv, env, job }: LaunchOptions, sandbox: Sandbox, given: KernelOffer, ready: number): readonly LaunchStep[] {
  const words = cStrings(argv.map(pathBytes));
  const variables = cStrings(Object.entries(env).map(([name, value]) => pathBytes(`${name}=${value}`)));
  const program = cString(pathBytes(path));
  const one = alloc(8);
  one.writeUInt32LE(1, 0);
  const none = alloc(SIGACTION_BYTES);
  return [
    ...(job ? [{ call: "setpgid", args: [0, 0] } as const] : []),
    // Before any signal is let in: our handlers would run on our memory.
    ...handledSignals().map((signal): LaunchStep => ({
      call: "rt_sigaction",
      args: [signal, addressOf(none), 0, SIGSET_BYTES],
      keeps: [none],
    })),
    ...sandbox.steps(given),
    { call: "write", args: [ready, addressOf(one), one.length], keeps: [one] },
    // From here on we may go: the listener is ours alone, and ends with us. ENOSYS, EINVAL: before 5.9; exec closes them.
    { call: "close_range", args: [3, ALL, CLOSE_RANGE_UNSHARE], tolerates: ["ENOSYS", "EINVAL"] },
    // Node marks its standard streams close-on-exec. EBADF: closed when Assent was started, so it is for the program.
    ...[0, 1, 2].map((fd): LaunchStep => ({ call: "fcntl", args: [fd, FCNTL.SETFD, 0], tolerates: ["EBADF"] })),
    { call: "rt_sigprocmask", args: [SIGMASK.SET, addressOf(none), 0, SIGSET_BYTES] },
    {
      call: "execve",
      args: [addressOf(program), words.address, variables.address],
      keeps: [program, ...words.keep, ...variables.keep],
    },
  ];
}

/** proc_pid_status(5). */
function handledSignals(): readonly number[] {
  const caught = BigInt(`0x${/^SigCgt:\t(\w+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1] ?? "0"}`);
  const signals = Array.from({ length: 64 }, (_, at) => at + 1);
  // Node ignores these two, and what is ignored stays so across exec(2): without them `yes | head` would never end quietly.
  return signals.filter((signal) => signal === SIGPIPE || signal === SIGXFSZ || ((caught >> BigInt(signal - 1)) & 1n) === 1n);
}

/** With every signal blocked: the child begins with our mask, and must not take one before its handlers are gone. */
function cloned(steps: LaunchSteps, flags: number): number {
  const all = alloc(SIGSET_BYTES).fill(0xff);
  const before = alloc(SIGSET_BYTES);
  sys(SYSCALLS.rt_sigprocmask, SIGMASK.SET, addressOf(all), addressOf(before), SIGSET_BYTES);
  try {
    return steps.start(flags);
  } finally {
    sys(SYSCALLS.rt_sigprocmask, SIGMASK.SET, addressOf(before), 0, SIGSET_BYTES);
  }
}

/** Until the child listens, or has ended. */
function wait(ready: number, pid: number): void {
  const pidfd = must("pidfd_open", pid, 0);
  const polled = alloc(16);
  polled.writeInt32LE(ready, 0);
  polled.writeInt16LE(POLLIN, 4);
  polled.writeInt32LE(pidfd, 8);
  polled.writeInt16LE(POLLIN, 12);
  while (sys(SYSCALLS.ppoll, addressOf(polled), 2, 0, 0, SIGSET_BYTES) === -ERRNO.EINTR);
  sys(SYSCALLS.close, pidfd);
}

function closeOnExec(): void {
  if (sys(SYSCALLS.close_range, 3, ALL, CLOSE_RANGE_CLOEXEC) === 0) return;
  // Before 5.11. The folder's own descriptor is among them and closed again: EBADF.
  for (const name of readdirSync("/proc/self/fd")) {
    const fd = Number(name);
    if (fd >= 3) sys(SYSCALLS.fcntl, fd, FCNTL.SETFD, FD_CLOEXEC);
  }
}
