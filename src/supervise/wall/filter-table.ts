import type { ErrnoName, SyscallName } from "../kernel/index.ts";

/**
 * What the filter says of each call, as data. `filter.ts` compiles it; calls that are not named are allowed, calls newer
 * than `NEWEST_CALL` do not exist. Only registers can be tested; of `int` arguments only the low 32 bits, because the
 * kernel drops the others (a 64-bit comparison is passed with junk in the high word: CVE-2019-10063).
 */
export type Ruling =
  | "allow"
  /** The door decides: the listener is asked. */
  | "trap"
  /** The call is not made; 0 pretends that it was. */
  | { readonly errno: ErrnoName | 0 };

export type Test =
  /** The low 32 bits of an argument, masked, are one of `is`. */
  | { readonly arg: number; readonly mask?: number; readonly is: readonly number[] }
  | { readonly arg: number; readonly mask?: number; readonly not: readonly number[] }
  /** A pointer other than NULL: all 64 bits. */
  | { readonly arg: number; readonly pointer: true };

/** The first clause all of whose tests hold speaks. */
export interface Clause {
  readonly when: readonly Test[];
  readonly then: Ruling;
}
export type Rule = Ruling | { readonly clauses: readonly Clause[]; readonly otherwise: Ruling };
export type Table = Readonly<Partial<Record<SyscallName, Rule>>>;

export interface FilterOptions {
  /** Trap opens that only read, too. */
  readonly observeReads: boolean;
  /** UDP sockets are made without asking; what they send is still asked about. */
  readonly udp?: boolean;
  /** Landlock does not keep signals inside (before ABI 6): the door judges them. */
  readonly trapSignals?: boolean;
  /** The program has System V IPC and POSIX message queues of its own (a new IPC namespace). */
  readonly ownIpc?: boolean;
}

/** The last call we know (6.18). What a newer kernel adds has not been thought about, and programs expect ENOSYS. */
export const NEWEST_CALL = 469;

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

const no = (errno: ErrnoName | 0): Ruling => ({ errno });
const each = (names: readonly SyscallName[], rule: Rule): Table => Object.fromEntries(names.map((name) => [name, rule]));

// open(2), asm-generic/fcntl.h: the same on x86-64 and arm64.
const O_WRITE_INTENT = 0o3 | 0o100 | 0o1000 | 0o20000000; // access mode, O_CREAT, O_TRUNC, __O_TMPFILE
const O_PATH = 0o10000000;

/** O_PATH opens nothing: the kernel drops every flag that would write. */
const open = (flags: number, observeReads: boolean): Rule => ({
  clauses: [
    { when: [{ arg: flags, mask: O_PATH, not: [0] }], then: "allow" },
    ...(observeReads ? [] : [{ when: [{ arg: flags, mask: O_WRITE_INTENT, is: [0] }], then: "allow" } as const]),
  ],
  otherwise: "trap",
});

const AF = { UNIX: 1, INET: 2, INET6: 10, NETLINK: 16 } as const;
const SOCK = { STREAM: 1, DGRAM: 2, RAW: 3, SEQPACKET: 5 } as const;
/** The type without SOCK_NONBLOCK and SOCK_CLOEXEC. */
const SOCK_TYPE_MASK = 0xf;
const IPPROTO = { IP: 0, TCP: 6, UDP: 17 } as const;
const MSG_FASTOPEN = 0x20000000;

const inet = { arg: 0, is: [AF.INET, AF.INET6] } as const;
const type = (...is: number[]): Test => ({ arg: 1, mask: SOCK_TYPE_MASK, is });

/** Without names of their own no flow starts from a stream socket but by connect; everything else is asked about or refused. */
const socket = (udp: boolean): Rule => ({
  clauses: [
    { when: [{ arg: 0, is: [AF.UNIX] }, type(SOCK.STREAM, SOCK.SEQPACKET)], then: "allow" },
    // Datagrams name their receiver in memory; SOCK_RAW becomes SOCK_DGRAM here (unix_create).
    { when: [{ arg: 0, is: [AF.UNIX] }], then: no("EACCES") },
    { when: [inet, type(SOCK.STREAM), { arg: 2, is: [IPPROTO.IP, IPPROTO.TCP] }], then: "allow" },
    { when: [inet, type(SOCK.STREAM)], then: no("EPROTONOSUPPORT") }, // MPTCP, SCTP, SMC
    { when: [inet, type(SOCK.DGRAM), { arg: 2, is: [IPPROTO.IP, IPPROTO.UDP] }], then: udp ? "allow" : "trap" },
    { when: [inet, type(SOCK.DGRAM)], then: no("EACCES") }, // ICMP "ping" sockets
    { when: [inet, type(SOCK.RAW)], then: no("EPERM") },
    { when: [inet], then: no("ESOCKTNOSUPPORT") },
    {
      when: [
        { arg: 0, is: [AF.NETLINK] },
        { arg: 2, is: [0] },
      ],
      then: "allow",
    }, // NETLINK_ROUTE: getifaddrs(3)
    { when: [{ arg: 0, is: [AF.NETLINK] }], then: no("EPROTONOSUPPORT") },
  ],
  otherwise: no("EAFNOSUPPORT"),
});

const socketpair: Rule = {
  clauses: [
    { when: [{ arg: 0, not: [AF.UNIX] }], then: no("EOPNOTSUPP") },
    { when: [type(SOCK.STREAM, SOCK.SEQPACKET)], then: "allow" },
  ],
  otherwise: no("EACCES"),
};

/** TCP Fast Open connects without connect(2); EOPNOTSUPP is what a kernel says that has it turned off (tcp(7)). */
const noFastOpen = (flags: number): Clause => ({ when: [{ arg: flags, mask: MSG_FASTOPEN, not: [0] }], then: no("EOPNOTSUPP") });

// ioctl numbers: linux/fs.h, linux/fscrypt.h, linux/fsverity.h, linux/btrfs.h, linux/msdos_fs.h, linux/kd.h, asm-generic/ioctls.h.
/** Change a file's attributes through a descriptor that was opened for reading. */
const ATTRIBUTE_IOCTLS = [
  0x40086602, // FS_IOC_SETFLAGS
  0x40046602, // FS_IOC32_SETFLAGS
  0x401c5820, // FS_IOC_FSSETXATTR
  0x40087602, // FS_IOC_SETVERSION
  0x40047602, // FS_IOC32_SETVERSION
  0x40086604, // EXT4_IOC_SETVERSION
  0x40046604, // EXT4_IOC32_SETVERSION
  0x40047211, // FAT_IOCTL_SET_ATTRIBUTES
  0x800c6613, // FS_IOC_SET_ENCRYPTION_POLICY
  0x40806685, // FS_IOC_ENABLE_VERITY
];
/** Make and remove folders through a descriptor of their parent: no Landlock hook sees it. */
const SUBVOLUME_IOCTLS = [
  0x50009401, // BTRFS_IOC_SNAP_CREATE
  0x5000940e, // BTRFS_IOC_SUBVOL_CREATE
  0x5000940f, // BTRFS_IOC_SNAP_DESTROY
  0x50009417, // BTRFS_IOC_SNAP_CREATE_V2
  0x50009418, // BTRFS_IOC_SUBVOL_CREATE_V2
  0x4008941a, // BTRFS_IOC_SUBVOL_SETFLAGS
  0x5000943f, // BTRFS_IOC_SNAP_DESTROY_V2
];
/** Type into the user's terminal. Landlock says nothing about terminals that were open before. */
const TERMINAL_IOCTLS = [
  0x5412, // TIOCSTI
  0x541c, // TIOCLINUX
  0x5423, // TIOCSETD
  0x4b47, // KDSKBENT
  0x4b49, // KDSKBSENT
];

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NAMESPACES = 0x7e020000;

const IPC_PRIVATE = 0;
const IPC_CREAT_EXCL = 0o1000 | 0o2000;

const ownProcess = (which: number): Rule => ({
  clauses: [
    {
      when: [
        { arg: 0, is: [which] },
        { arg: 1, is: [0] },
      ],
      then: "allow",
    },
  ],
  otherwise: "trap",
});

/** Names and metadata of files: never passed on trust, always done or refused by the door. */
const FILE_CALLS = [
  "creat",
  "openat2",
  "unlink",
  "unlinkat",
  "rmdir",
  "rename",
  "renameat",
  "renameat2",
  "link",
  "linkat",
  "symlink",
  "symlinkat",
  "mkdir",
  "mkdirat",
  "mknod",
  "mknodat",
  "truncate",
  "chmod",
  "fchmod",
  "fchmodat",
  "fchmodat2",
  "chown",
  "fchown",
  "lchown",
  "fchownat",
  "utime",
  "utimes",
  "futimesat",
  "utimensat",
  "setxattr",
  "lsetxattr",
  "fsetxattr",
  "setxattrat",
  "removexattr",
  "lremovexattr",
  "fremovexattr",
  "removexattrat",
  "file_setattr",
] as const satisfies readonly SyscallName[];

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

export function filterTable(options: FilterOptions): Table {
  return {
    ...each(FILE_CALLS, "trap"),
    ...each(PRIVILEGED_CALLS, no("EPERM")),
    open: open(1, options.observeReads),
    openat: open(2, options.observeReads),
    execve: "trap",
    execveat: "trap",
    umask: "trap",
    ioctl: {
      clauses: [
        { when: [{ arg: 1, is: ATTRIBUTE_IOCTLS }], then: "trap" },
        { when: [{ arg: 1, is: [...SUBVOLUME_IOCTLS, ...TERMINAL_IOCTLS] }], then: no("EPERM") },
      ],
      otherwise: "allow",
    },

    socket: socket(options.udp ?? false),
    socketpair,
    ...each(["connect", "bind", "listen"], "trap"),
    // A send without a receiver's address goes where connect was allowed to.
    sendto: { clauses: [noFastOpen(3), { when: [{ arg: 4, pointer: true }], then: "trap" }], otherwise: "allow" },
    sendmsg: { clauses: [noFastOpen(2)], otherwise: "trap" },
    sendmmsg: { clauses: [noFastOpen(3)], otherwise: "trap" },

    // ENOSYS is what libraries fall back on: libuv to epoll, libc to clone(2), whose flags can be read here.
    ...each(["io_uring_setup", "io_uring_enter", "io_uring_register", "clone3"], no("ENOSYS")),
    clone: { clauses: [{ when: [{ arg: 0, mask: NAMESPACES, not: [0] }], then: no("EPERM") }], otherwise: "allow" },
    perf_event_open: no("EACCES"),
    name_to_handle_at: no("EOPNOTSUPP"),
    uselib: no("ENOSYS"),
    nfsservctl: no("ENOSYS"),
    // 0xffffffff asks; 0x40000 is ADDR_NO_RANDOMIZE (debuggers, sanitizers).
    personality: { clauses: [{ when: [{ arg: 0, is: [0, 0xffffffff, 0x40000] }], then: "allow" }], otherwise: no("EPERM") },
    prctl: {
      clauses: [
        // PR_SET_DUMPABLE: a program that is not dumpable could not be read by the door.
        {
          when: [
            { arg: 0, is: [4] },
            { arg: 1, is: [0] },
          ],
          then: no(0),
        },
        { when: [{ arg: 0, is: [0x59616d61] }], then: no(0) }, // PR_SET_PTRACER
        { when: [{ arg: 0, is: [35] }], then: no("EPERM") }, // PR_SET_MM
      ],
      otherwise: "allow",
    },

    ...pidCalls(),
    ...each(options.trapSignals === true ? TRAPPED_SIGNAL_CALLS : [], "trap"),
    ...(options.ownIpc === true ? {} : sharedIpc()),
  };
}

function pidCalls(): Table {
  const self: Table = Object.fromEntries(
    Object.entries(TRAPPED_PID_CALLS).map(([name, args]): [string, Rule] => [
      name,
      { clauses: [{ when: args.map((arg) => ({ arg, is: [0] })), then: "allow" }], otherwise: "trap" },
    ]),
  );
  return { ...self, setpriority: ownProcess(0), ioprio_set: ownProcess(1) };
}

/**
 * Ids of System V objects are small numbers that anybody can guess, so those of others must be out of reach: new shared
 * memory only, attached through the door; no message queues and semaphores, which say nothing of their maker.
 */
function sharedIpc(): Table {
  return {
    ...each(TRAPPED_IPC_CALLS, "trap"),
    shmget: {
      clauses: [
        { when: [{ arg: 0, is: [IPC_PRIVATE] }], then: "allow" },
        { when: [{ arg: 2, mask: IPC_CREAT_EXCL, is: [IPC_CREAT_EXCL] }], then: "allow" },
      ],
      otherwise: no("EACCES"),
    },
    ...each(["msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop", "semctl"], no("ENOSYS")),
    ...each(["mq_open", "mq_unlink"], no("EACCES")),
  };
}
