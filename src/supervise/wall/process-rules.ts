import type { SyscallName } from "../kernel/index.ts";
import { each, has, is, masked, no, type Rule, type Rules } from "./ruling.ts";

/** Refused with what an unprivileged program gets anyway: no capability is left for most of them. */
const PRIVILEGED_CALLS = [
  "ptrace",
  "process_vm_readv",
  "process_vm_writev",
  "process_madvise",
  "pidfd_getfd",
  "userfaultfd",
  "bpf",
  "add_key",
  "request_key",
  "keyctl",
  "mount",
  "umount2",
  "pivot_root",
  "chroot",
  "unshare",
  "setns",
  "open_tree",
  "open_tree_attr",
  "move_mount",
  "fsopen",
  "fsconfig",
  "fsmount",
  "fspick",
  "mount_setattr",
  "open_by_handle_at",
  "kexec_load",
  "kexec_file_load",
  "create_module",
  "init_module",
  "finit_module",
  "delete_module",
  "reboot",
  "swapon",
  "swapoff",
  "acct",
  "quotactl",
  "quotactl_fd",
  "vhangup",
  "settimeofday",
  "clock_settime",
  "iopl",
  "ioperm",
  "modify_ldt",
  "sethostname",
  "setdomainname",
] as const satisfies readonly SyscallName[];

/**
 * Calls that name another process by a number in a register, and where the numbers stand. They are trapped unless the
 * number is 0 (the caller); the door lets them pass for tasks of the program's own tree. The `which` of `setpriority`
 * (PRIO_PROCESS 0) and `ioprio_set` (IOPRIO_WHO_PROCESS 1) must be "a process" for that.
 */
export const TRAPPED_PID_CALLS = {
  prlimit64: [0],
  sched_setscheduler: [0],
  sched_setparam: [0],
  sched_setattr: [0],
  sched_setaffinity: [0],
  move_pages: [0],
  migrate_pages: [0],
  kcmp: [0, 1],
  setpriority: [1],
  ioprio_set: [1],
} as const satisfies Partial<Record<SyscallName, readonly number[]>>;

/** Trapped where Landlock has no signal scope; the target is the first argument (a pidfd for `pidfd_send_signal`). */
export const TRAPPED_SIGNAL_CALLS = [
  "kill",
  "tkill",
  "tgkill",
  "rt_sigqueueinfo",
  "rt_tgsigqueueinfo",
  "pidfd_send_signal",
] as const satisfies readonly SyscallName[];

/**
 * Trapped where the program shares its IPC namespace: the segment's id is the first argument, and only segments that
 * a task of the tree made (`shm_cpid` of `shmctl(id, IPC_STAT)`) are its business.
 */
export const TRAPPED_IPC_CALLS = ["shmat", "shmctl"] as const satisfies readonly SyscallName[];

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NAMESPACES = 0x7e020000;

const PR_SET_DUMPABLE = 4;
const PR_SET_MM = 35;
const PR_SET_PTRACER = 0x59616d61;

const PER_LINUX = 0;
const ADDR_NO_RANDOMIZE = 0x40000;
/** Asks, changes nothing. */
const PERSONALITY_QUERY = 0xffffffff;

export interface ProcessOptions {
  /** Landlock does not keep signals inside (before ABI 6): the door judges them. */
  readonly trapSignals?: boolean;
  /** The program has System V IPC and POSIX message queues of its own (a new IPC namespace). */
  readonly ownIpc?: boolean;
}

export function processRules(options: ProcessOptions): Rules {
  return [
    ...each(PRIVILEGED_CALLS, no("EPERM")),
    // ENOSYS is what libraries fall back on: libuv to epoll, libc to clone(2), whose flags can be read here.
    ...each(["io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "uselib", "nfsservctl"], no("ENOSYS")),
    ["clone", { clauses: [{ when: [has(0, NAMESPACES)], then: no("EPERM") }], otherwise: "allow" }],
    ["perf_event_open", no("EACCES")],
    ["name_to_handle_at", no("EOPNOTSUPP")],
    [
      "personality",
      { clauses: [{ when: [is(0, PER_LINUX, PERSONALITY_QUERY, ADDR_NO_RANDOMIZE)], then: "allow" }], otherwise: no("EPERM") },
    ],
    [
      "prctl",
      {
        clauses: [
          // The door could not read a program that is not dumpable.
          { when: [is(0, PR_SET_DUMPABLE), is(1, 0)], then: no(0) },
          { when: [is(0, PR_SET_PTRACER)], then: no(0) },
          // Changes what /proc shows as the command line and the executable.
          { when: [is(0, PR_SET_MM)], then: no("EPERM") },
        ],
        otherwise: "allow",
      },
    ],
    ...pidRules(),
    ...(options.trapSignals === true ? each(TRAPPED_SIGNAL_CALLS, "trap") : []),
    ...(options.ownIpc === true ? [] : sharedIpcRules()),
  ];
}

const PRIO_PROCESS = 0;
const IOPRIO_WHO_PROCESS = 1;

function pidRules(): Rules {
  const self = (...args: readonly number[]): Rule => ({
    clauses: [{ when: args.map((arg) => is(arg, 0)), then: "allow" }],
    otherwise: "trap",
  });
  const ofKind = (process: number): Rule => ({ clauses: [{ when: [is(0, process), is(1, 0)], then: "allow" }], otherwise: "trap" });
  return [
    ...each(
      ["prlimit64", "sched_setscheduler", "sched_setparam", "sched_setattr", "sched_setaffinity", "move_pages", "migrate_pages"],
      self(0),
    ),
    ["kcmp", self(0, 1)],
    ["setpriority", ofKind(PRIO_PROCESS)],
    ["ioprio_set", ofKind(IOPRIO_WHO_PROCESS)],
  ];
}

const IPC_PRIVATE = 0;
/** Only a segment that did not exist: IPC_CREAT and IPC_EXCL. */
const IPC_NEW = 0o3000;

/**
 * Ids of System V objects are small numbers that anybody can guess, so those of others must be out of reach: new shared
 * memory only, attached through the door; no message queues and semaphores, which say nothing of their maker.
 */
function sharedIpcRules(): Rules {
  return [
    ...each(TRAPPED_IPC_CALLS, "trap"),
    [
      "shmget",
      {
        clauses: [
          { when: [is(0, IPC_PRIVATE)], then: "allow" },
          { when: [masked(2, IPC_NEW, IPC_NEW)], then: "allow" },
        ],
        otherwise: no("EACCES"),
      },
    ],
    ...each(["msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop", "semctl"], no("ENOSYS")),
    ...each(["mq_open", "mq_unlink"], no("EACCES")),
  ];
}
