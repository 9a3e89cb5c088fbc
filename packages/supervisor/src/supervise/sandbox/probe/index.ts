import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, statfsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import {
  addressOf,
  alloc,
  AT_FDCWD,
  canCopyDescriptors,
  ERRNO,
  errorName,
  nativePackage,
  SECCOMP_IOCTL_NOTIF_SET_FLAGS,
  SECCOMP_SET_MODE_FILTER,
  SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP,
  sys,
  SYSCALLS,
} from "../../kernel/index.ts";
import { isLandlockRefused, landlockAbi } from "../landlock.ts";
import { procProblem } from "../proc.ts";
import { yamaProblem, yamaScope } from "../yama.ts";
import { FILTERED, missingOfLandlock, NOT_KILLABLE } from "../restrict.ts";

/** One thing that supervision stands on, and what this machine says about it. */
export interface Probe {
  /** Names it in JSON. */
  readonly id:
    | "platform"
    | "package"
    | "landlock"
    | "listener"
    | "wait-killable"
    | "sync-wake-up"
    | "addfd-send"
    | "read-memory"
    | "pidfd-open"
    | "pidfd-getfd"
    | "ptrace"
    | "openat2"
    | "file-system"
    | "proc";
  readonly title: string;
  readonly ok: boolean;
  /** What was found, in words. */
  readonly why: string;
  /** What follows when it is not ok, or only partly. */
  readonly consequence?: string;
  /** Without it `assent run` refuses to start. */
  readonly required: boolean;
}

const NEW_LISTENER = 1 << 3;
const WAIT_KILLABLE_RECV = 1 << 5;

const NOTIF_ADDFD = 0x40182103;
const ADDFD_FLAG_SEND = 2;

const PTRACE_SEIZE = 0x4206;
/** `V9FS_MAGIC` (linux/magic.h): Windows drives under WSL2, shared folders of virtual machines. */
const V9FS = 0x01021997;

/** What this kernel, and whoever started us, let supervision do. Nothing of this process is restricted by asking. */
export async function probeKernel(cwd: string): Promise<readonly Probe[]> {
  const { arch, platform } = process;
  if (platform !== "linux" || (arch !== "x64" && arch !== "arm64")) {
    const why = `this is ${platform} on ${arch}; supervision is made of Linux system calls on x86-64 and arm64`;
    return [{ id: "platform", title: "operating system", ok: false, why, consequence: "only the hook protects here", required: true }];
  }
  if (nativePackage() === undefined) {
    const why = "the package that makes system calls is not installed: install Assent again, without `--omit=optional`";
    return [{ id: "package", title: "system calls", ok: false, why, consequence: "only the hook protects here", required: true }];
  }
  const proc = probeProc();
  // Without it nothing else can be tried.
  if (!proc.ok) return [probeLandlock(), proc];
  return [probeLandlock(), ...(await probeListener()), ...(await probeProcesses()), probeOpenat2(), probeFileSystem(cwd), proc];
}

/** `assent run` would start with full protection, apart from what is not required. */
export function canSupervise(probes: readonly Probe[]): boolean {
  return probes.every(({ ok, required }) => ok || !required);
}

function probeLandlock(): Probe {
  const abi = landlockAbi();
  const missing = missingOfLandlock(abi, isLandlockRefused);
  const consequence = missing.map((piece) => piece.consequence).join("; ");
  return {
    id: "landlock",
    title: "Landlock",
    ok: missing.length === 0,
    why: abi === 0 ? (missing[0]?.why ?? "") : `ABI ${abi}${missing.length === 0 ? "" : "; a newer kernel gives more"}`,
    ...(consequence === "" ? {} : { consequence }),
    required: missing.some(({ required }) => required),
  };
}

async function probeListener(): Promise<Probe[]> {
  const { noNewPrivs, listener: fd } = await listenOnThread();
  const title = "system call listener";
  if (noNewPrivs < 0 || fd < 0) {
    const errno = noNewPrivs < 0 ? -noNewPrivs : -fd;
    const why =
      errno === ERRNO.EBUSY
        ? "taken: another supervisor listens already (a container runtime, WSL2 with mirrored networking, another sandbox)"
        : errno === ERRNO.EPERM
          ? `${FILTERED} (seccomp)`
          : `refused (${errorName(errno)}): needs Linux 5.5 with CONFIG_SECCOMP_FILTER`;
    return [{ id: "listener", title, ok: false, why, consequence: "no call can be asked about", required: true }];
  }
  try {
    return [{ id: "listener", title, ok: true, why: "free", required: true }, probeWaitKillable(), ...probeFeatures(fd)];
  } finally {
    closeSync(fd);
  }
}

/** Flags are read before the program, which is NULL: EFAULT says that they are known. */
function probeWaitKillable(): Probe {
  const answer = sys(SYSCALLS.seccomp, SECCOMP_SET_MODE_FILTER, NEW_LISTENER | WAIT_KILLABLE_RECV, 0);
  const ok = answer === -ERRNO.EFAULT;
  return {
    id: "wait-killable",
    title: "uninterrupted waiting",
    ok,
    why: ok ? "yes" : NOT_KILLABLE.why,
    ...(ok ? {} : { consequence: NOT_KILLABLE.consequence }),
    required: true,
  };
}

function probeFeatures(fd: number): Probe[] {
  const sync = sys(SYSCALLS.ioctl, fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP) === 0;
  // A request that does not exist, and our standard input: ENOENT comes after the flags were understood.
  const addfd = alloc(24);
  addfd.writeUInt32LE(ADDFD_FLAG_SEND, 8);
  addfd.writeUInt32LE(fd, 12);
  const answer = sys(SYSCALLS.ioctl, fd, NOTIF_ADDFD, addressOf(addfd));
  const send = answer === -ERRNO.ENOENT;
  return [
    {
      id: "sync-wake-up",
      title: "quick wake-ups",
      ok: sync,
      why: sync ? "yes" : "needs Linux 6.6",
      ...(sync ? {} : { consequence: "judged calls take several times as long" }),
      required: false,
    },
    {
      id: "addfd-send",
      title: "opening on behalf",
      ok: send,
      why: send ? "yes" : `needs Linux 5.14 (${errorName(-answer)})`,
      ...(send ? {} : { consequence: "files cannot be opened for the program" }),
      required: true,
    },
  ];
}

/** Tried on a child, because containers filter these calls and Yama restricts them. */
async function probeProcesses(): Promise<Probe[]> {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"], env: {} });
  const ended = once(child, "exit");
  const { pid } = child;
  if (pid === undefined) throw new Error("the probe's child did not start");
  const yama = yamaProblem(yamaScope());
  try {
    const pidfd = sys(SYSCALLS.pidfd_open, pid, 0);
    if (pidfd >= 0) closeSync(pidfd);
    // No bytes at no address: only the right to read is checked.
    const read = readNothing(pid);
    const seized = sys(SYSCALLS.ptrace, PTRACE_SEIZE, pid, 0, 0);
    const probe = (id: Probe["id"], title: string, answer: number, consequence: string): Probe => {
      // Capabilities are dropped before the program starts: what only they allow does not count.
      const ok = answer >= 0 && yama === undefined;
      const why = ok ? "yes" : (yama ?? `refused (${errorName(-answer)}), perhaps by the container's own filter`);
      return { id, title, ok, why, ...(ok ? {} : { consequence }), required: true };
    };
    const held = pidfd >= 0 ? "yes" : `refused (${errorName(-pidfd)}), perhaps by the container's own filter`;
    const holding: Probe = {
      id: "pidfd-open",
      title: "holding processes",
      ok: pidfd >= 0,
      why: held,
      ...(pidfd >= 0 ? {} : { consequence: "a process could pass for another one" }),
      required: true,
    };
    return [
      probe("read-memory", "reading arguments", read, "paths in calls cannot be read"),
      holding,
      probeCopying(),
      probe("ptrace", "checking what was started", seized, "a program could start another one than the one that was judged"),
    ];
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

/** Tried on this process: another filter around us says the same of every process. */
function probeCopying(): Probe {
  const ok = canCopyDescriptors();
  return {
    id: "pidfd-getfd",
    title: "sharing descriptors",
    ok,
    why: ok ? "yes" : "refused (pidfd_getfd), as Docker and Kubernetes do; the capability SYS_PTRACE for the container gives it",
    ...(ok ? {} : { consequence: "programs cannot pass open files to each other (sendmsg); connections and servers work" }),
    required: false,
  };
}

function readNothing(pid: number): number {
  const byte = alloc(1);
  // `struct iovec`: base, length. The child's address is wrong: EFAULT comes after the right to read was checked.
  const local = alloc(16);
  local.writeBigUInt64LE(BigInt(addressOf(byte)), 0);
  local.writeBigUInt64LE(1n, 8);
  const remote = alloc(16);
  remote.writeBigUInt64LE(1n, 8);
  const answer = sys(SYSCALLS.process_vm_readv, pid, addressOf(local), 1, addressOf(remote), 1, 0);
  if (answer === -ERRNO.EFAULT) return 0;
  return opensMemory(pid) ? 0 : answer;
}

/** What is done where process_vm_readv(2) is refused. */
function opensMemory(pid: number): boolean {
  try {
    closeSync(openSync(`/proc/${pid}/mem`, "r"));
    return true;
  } catch {
    return false;
  }
}

/** Everything that is known of the program's processes is read there. */
function probeProc(): Probe {
  const why = procProblem();
  return {
    id: "proc",
    title: "/proc",
    ok: why === undefined,
    why: why ?? "mounted",
    ...(why === undefined ? {} : { consequence: "nothing is known of the processes of a run" }),
    required: true,
  };
}

/** No path and no size: EINVAL, where the call exists. */
function probeOpenat2(): Probe {
  const answer = sys(SYSCALLS.openat2, AT_FDCWD, 0, 0, 0);
  const ok = answer === -ERRNO.EINVAL;
  return {
    id: "openat2",
    title: "opening below a folder",
    ok,
    why: ok ? "yes" : answer === -ERRNO.EPERM ? `${FILTERED} (openat2)` : "needs Linux 5.6 (openat2)",
    ...(ok ? {} : { consequence: "files cannot be held while a question is open" }),
    required: true,
  };
}

function probeFileSystem(cwd: string): Probe {
  const ok = statfsSync(cwd).type !== V9FS;
  return {
    id: "file-system",
    title: "file system of the folder",
    ok,
    why: ok ? "files keep their identity" : "9P, a shared folder of another system",
    ...(ok ? {} : { consequence: "files have no lasting identity there: links and replaced files are recognised by their path only" }),
    required: false,
  };
}

/** What seccomp(2) said on a thread that is thrown away: a descriptor of the listener, or a negative errno. */
interface ThreadAnswer {
  readonly noNewPrivs: number;
  readonly listener: number;
}

/**
 * A program of its own, because a filter stays on its thread for good and a worker needs a file that every way of bundling
 * keeps apart. The filter allows everything: `return SECCOMP_RET_ALLOW`.
 */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const native = require(workerData.native);
const syscall = native.load(null).func("long syscall(long nr, long a, long b, long c, long d, long e, long f)");
const call = (...args) => { const result = syscall(...args); return result === -1 ? -native.errno() : result; };
const filter = Buffer.from("060000000000ff7f", "hex");
const program = Buffer.alloc(4096);
program.writeUInt16LE(1, 0);
program.writeBigUInt64LE(BigInt(native.address(filter)), 8);
const noNewPrivs = call(workerData.prctl, 38, 1, 0, 0, 0, 0);
const listener = call(workerData.seccomp, 1, 8, Number(native.address(program)), 0, 0, 0);
parentPort.postMessage({ noNewPrivs, listener });
`;

/** Installs a filter with a listener on a thread of its own, which ends at once. The listener is the caller's to close. */
function listenOnThread(): Promise<ThreadAnswer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(THREAD, {
      eval: true,
      // Flags of the process (`--input-type`, `-r`) are about its own program.
      execArgv: [],
      env: {},
      workerData: { native: nativePackage(), prctl: SYSCALLS.prctl, seccomp: SYSCALLS.seccomp },
    });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the probe's thread ended without an answer")));
  });
}
