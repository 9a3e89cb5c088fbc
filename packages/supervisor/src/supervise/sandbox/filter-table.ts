import { ADDR_NO_RANDOMIZE, AF, FCNTL, IOPRIO_WHO_PROCESS, IPC, MSG, O_PATH, PRCTL, PRIO_PROCESS, SO, SOCK, SOL } from "../kernel/index.ts";
import { words } from "@assent/core/data";
import type { ErrnoName, SyscallName } from "../kernel/index.ts";

export interface FilterOptions {
  /** Trap opens that only read, too. */
  readonly observeReads: boolean;
  /** UDP sockets are made without asking; what they send is still asked about. */
  readonly udp?: boolean;
  /** Every socket is made by the trap handler, which cannot copy one that the program has made. */
  readonly ownSockets?: boolean;
  /** Landlock does not keep signals inside (before ABI 6): the trap handler judges them. */
  readonly trapSignals?: boolean;
  /** Landlock does, and yet the trap handler is to hear of kill(2): there are others whom the program may signal. */
  readonly trapKill?: boolean;
  /** The program has System V IPC and POSIX message queues of its own (a new IPC namespace). */
  readonly ownIpc?: boolean;
  /** Of a tried run: what would be trapped the kernel does, but for `listenedTable`: namespaces of its own and Landlock bound it. */
  readonly tried?: true;
}

/**
 * What the filter may say of a call. Only registers can be tested; of `int` arguments only the low 32 bits, because the
 * kernel drops the others (a 64-bit comparison is passed with junk in the high word: CVE-2019-10063).
 */
export type Ruling =
  | KernelRuling
  /** The trap handler decides: the listener is asked. */
  | "trap";

/** What the kernel does without asking. */
type KernelRuling = "allow" | ErrnoRuling;

/** The call is not made; 0 pretends that it was. */
interface ErrnoRuling {
  readonly errno: ErrnoName | 0;
}

export type RegisterTest =
  /** The low 32 bits of an argument, masked, are one of `is`. */
  | { readonly arg: number; readonly mask?: number; readonly is: readonly number[] }
  | { readonly arg: number; readonly mask?: number; readonly not: readonly number[] }
  /** A pointer other than NULL: all 64 bits. */
  | { readonly arg: number; readonly pointer: true };

/** The first clause all of whose tests hold speaks. */
interface Clause<R extends Ruling = Ruling> {
  readonly when: readonly RegisterTest[];
  readonly then: R;
}
export type FilterRule<R extends Ruling = Ruling> = R | { readonly clauses: readonly Clause<R>[]; readonly otherwise: R };
export const no = (errno: ErrnoName | 0): ErrnoRuling => ({ errno });
const each = <const N extends SyscallName, const R extends FilterRule>(names: readonly N[], rule: R): (readonly [N, R])[] =>
  names.map((name) => [name, rule] as const);

/** An argument is one of the values, masked or whole. */
const is = (arg: number, ...values: readonly number[]): RegisterTest => ({ arg, is: values });
const masked = (arg: number, mask: number, ...values: readonly number[]): RegisterTest => ({ arg, mask, is: values });
/** Any bit of the mask is set. */
export const has = (arg: number, mask: number): RegisterTest => ({ arg, mask, not: [0] });

/** Names and metadata of files: never passed on trust, always done or refused by the trap handler. */
const FILE_CALLS = words(
  "creat openat2 unlink unlinkat rmdir rename renameat renameat2 link linkat symlink symlinkat mkdir mkdirat mknod",
  "mknodat truncate chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat",
  "setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat file_setattr",
);

/** They tell what is in files and folders without an open. */
const TELLING_CALLS = words("getxattr lgetxattr fgetxattr getxattrat listxattr llistxattr flistxattr listxattrat inotify_add_watch");

// open(2), asm-generic/fcntl.h: the same on x86-64 and arm64.
const O_WRITE_INTENT = 0o3 | 0o100 | 0o1000 | 0o20000000; // access mode, O_CREAT, O_TRUNC, __O_TMPFILE

/** O_PATH opens nothing: the kernel drops every flag that would write. */
const openRule = (flags: number, observeReads: boolean): FilterRule => ({
  clauses: [
    { when: [has(flags, O_PATH)], then: "allow" },
    ...(observeReads ? [] : [{ when: [masked(flags, O_WRITE_INTENT, 0)], then: "allow" } as const]),
  ],
  otherwise: "trap",
});

// ioctl numbers: linux/fs.h, linux/fscrypt.h, linux/fsverity.h, linux/btrfs.h, linux/msdos_fs.h, bcachefs_ioctl.h, ocfs2_fs.h,
// linux/kd.h, asm-generic/ioctls.h.
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
/** Make and remove folders and files through a descriptor of their parent, or by names in memory: no Landlock hook sees it. */
const SUBVOLUME_IOCTLS = [
  0x50009401, // BTRFS_IOC_SNAP_CREATE
  0x5000940e, // BTRFS_IOC_SUBVOL_CREATE
  0x5000940f, // BTRFS_IOC_SNAP_DESTROY
  0x50009417, // BTRFS_IOC_SNAP_CREATE_V2
  0x50009418, // BTRFS_IOC_SUBVOL_CREATE_V2
  0x4008941a, // BTRFS_IOC_SUBVOL_SETFLAGS
  0x5000943f, // BTRFS_IOC_SNAP_DESTROY_V2
  0xc0c89425, // BTRFS_IOC_SET_RECEIVED_SUBVOL
  0x4020bc10, // BCH_IOCTL_SUBVOLUME_CREATE
  0x4020bc11, // BCH_IOCTL_SUBVOLUME_DESTROY
  0x8008bc40, // BCHFS_IOC_REINHERIT_ATTRS
  0x40186f04, // OCFS2_IOC_REFLINK
];
/** Locks other people's encrypted files. */
const FS_IOC_REMOVE_ENCRYPTION_KEY = 0xc0406618;
/** Type into the user's terminal. Landlock says nothing about terminals that were open before. */
const TERMINAL_IOCTLS = [
  0x5412, // TIOCSTI
  0x541c, // TIOCLINUX
  0x5423, // TIOCSETD
  0x4b47, // KDSKBENT
  0x4b49, // KDSKBSENT
];

/** Who is sent a signal when a descriptor has something: fcntl(2), F_SETOWN; F_SETOWN_EX, FIOSETOWN and SIOCSPGRP say it in memory. */
const OWNER_IOCTLS = [0x8901, 0x8902];

function fileRules({ observeReads, trapSignals = false }: FilterOptions) {
  const owner: readonly Clause[] = [
    { when: [is(1, FCNTL.SETOWN), is(2, 0)], then: "allow" },
    { when: [is(1, FCNTL.SETOWN)], then: "trap" },
    { when: [is(1, FCNTL.SETOWN_EX)], then: no("EPERM") },
  ];
  return [
    ...each(FILE_CALLS, "trap"),
    ...each(TELLING_CALLS, observeReads ? "trap" : "allow"),
    ...each(["execve", "execveat"], "trap"),
    ["open", openRule(1, observeReads)],
    ["openat", openRule(2, observeReads)],
    // Whoever opens a leased file waits up to 45 seconds, and opens are done by the trap handler: F_SETLEASE (fcntl(2)).
    ["fcntl", { clauses: [{ when: [is(1, 1024)], then: no("EACCES") }, ...(trapSignals ? owner : [])], otherwise: "allow" }],
    [
      "ioctl",
      {
        clauses: [
          { when: [is(1, ...ATTRIBUTE_IOCTLS)], then: "trap" },
          ...(trapSignals ? [{ when: [is(1, ...OWNER_IOCTLS)], then: no("EPERM") } as const] : []),
          { when: [is(1, ...SUBVOLUME_IOCTLS, FS_IOC_REMOVE_ENCRYPTION_KEY, ...TERMINAL_IOCTLS)], then: no("EPERM") },
        ],
        otherwise: "allow",
      },
    ],
  ] as const;
}

/** The type without SOCK_NONBLOCK and SOCK_CLOEXEC. */
const SOCK_TYPE_MASK = 0xf;
const IPPROTO = { IP: 0, TCP: 6, UDP: 17 } as const;
const NETLINK_ROUTE = 0;
const NETLINK_SOCK_DIAG = 4;

const inet = is(0, AF.INET, AF.INET6);
const unix = is(0, AF.UNIX);
const netlink = is(0, AF.NETLINK);
const type = (...types: readonly number[]): RegisterTest => masked(1, SOCK_TYPE_MASK, ...types);

/** A stream socket reaches nobody but through connect, which is asked about; other kinds are asked about or refused. */
const socketRule = (udp: boolean, made: Ruling): FilterRule => ({
  clauses: [
    { when: [unix, type(SOCK.STREAM, SOCK.SEQPACKET)], then: made },
    // Datagrams name their receiver in memory. SOCK_RAW becomes SOCK_DGRAM here (unix_create).
    { when: [unix], then: no("EACCES") },
    { when: [inet, type(SOCK.STREAM), is(2, IPPROTO.IP, IPPROTO.TCP)], then: made },
    { when: [inet, type(SOCK.STREAM)], then: no("EPROTONOSUPPORT") }, // MPTCP, SCTP, SMC
    { when: [inet, type(SOCK.DGRAM), is(2, IPPROTO.IP, IPPROTO.UDP)], then: udp ? "allow" : "trap" },
    { when: [inet, type(SOCK.DGRAM)], then: no("EACCES") }, // ICMP "ping" sockets
    { when: [inet, type(SOCK.RAW)], then: no("EPERM") },
    { when: [inet], then: no("ESOCKTNOSUPPORT") },
    { when: [netlink, is(2, NETLINK_ROUTE, NETLINK_SOCK_DIAG)], then: made }, // getifaddrs(3); what /proc/net says, too: ss(8)
    { when: [netlink], then: no("EPROTONOSUPPORT") },
  ],
  otherwise: no("EAFNOSUPPORT"),
});

const socketpairRule: FilterRule<KernelRuling> = {
  clauses: [
    { when: [{ arg: 0, not: [AF.UNIX] }], then: no("EOPNOTSUPP") },
    { when: [type(SOCK.STREAM, SOCK.SEQPACKET)], then: "allow" },
  ],
  otherwise: no("EACCES"),
};

/** TCP Fast Open connects without connect(2); EOPNOTSUPP is what a kernel says that has it turned off (tcp(7)). */
const noFastOpen = (flags: number): Clause<KernelRuling> => ({ when: [has(flags, MSG.FASTOPEN)], then: no("EOPNOTSUPP") });

/**
 * A source route sends packets to its first stop, wherever the connection that was judged leads. IP_OPTIONS; IPV6_2292RTHDR,
 * IPV6_2292PKTOPTIONS, IPV6_RTHDR, which need no privilege (ip(7), RFC 3542).
 */
const SOURCE_ROUTES: readonly Clause<KernelRuling>[] = [
  { when: [is(1, SOL.IP), is(2, 4)], then: no("EPERM") },
  { when: [is(1, SOL.IPV6), is(2, 5, 6, 57)], then: no("EPERM") },
];

function socketRules({ udp = false, ownSockets = false }: FilterOptions) {
  return [
    ["socket", socketRule(udp && !ownSockets, ownSockets ? "trap" : "allow")],
    ["socketpair", socketpairRule],
    ...each(["connect", "bind", "listen"], "trap"),
    // The trap handler binds and connects for the program: what that shows of the trap handler is put right.
    ...each(["getsockname", "getpeername"], "trap"),
    ["getsockopt", { clauses: [{ when: [is(1, SOL.SOCKET), is(2, SO.PEERCRED)], then: "trap" }], otherwise: "allow" }],
    // A send without a receiver's address goes where connect was allowed to.
    ["sendto", { clauses: [noFastOpen(3), { when: [{ arg: 4, pointer: true }], then: "trap" }], otherwise: "allow" }],
    ["sendmsg", { clauses: [noFastOpen(2)], otherwise: "trap" }],
    ["sendmmsg", { clauses: [noFastOpen(3)], otherwise: "trap" }],
    // Who wants to know the sender of an answer may have asked the name relay in the place of a name server.
    ["recvfrom", { clauses: [{ when: [{ arg: 4, pointer: true }], then: "trap" }], otherwise: "allow" }],
    ["recvmsg", "trap"],
    ["setsockopt", { clauses: SOURCE_ROUTES, otherwise: "allow" }],
  ] as const;
}

/** Refused with what an unprivileged program gets anyway: no capability is left for most of them. */
const PRIVILEGED_CALLS = words(
  "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd userfaultfd bpf add_key request_key",
  "keyctl mount umount2 pivot_root chroot unshare setns open_tree open_tree_attr move_mount fsopen fsconfig",
  "fsmount fspick mount_setattr open_by_handle_at kexec_load kexec_file_load create_module init_module",
  "finit_module delete_module reboot swapon swapoff acct quotactl quotactl_fd vhangup settimeofday clock_settime",
  "iopl ioperm modify_ldt sethostname setdomainname",
);

/** Trapped where Landlock has no signal scope; the target is the first argument (a pidfd for `pidfd_send_signal`). */
const SIGNAL_CALLS = words("kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal");

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NAMESPACES = 0x7e020000;

const PER_LINUX = 0;
/** Asks, changes nothing. */
const PERSONALITY_QUERY = 0xffffffff;

function processRules({ trapSignals, trapKill, ownIpc }: FilterOptions) {
  return [
    ...each(PRIVILEGED_CALLS, no("EPERM")),
    // ENOSYS is what libraries fall back on: libuv to epoll, libc to clone(2), whose flags can be read here.
    ...each(["io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "uselib", "nfsservctl"], no("ENOSYS")),
    ["clone", { clauses: [{ when: [has(0, NAMESPACES)], then: no("EPERM") }], otherwise: "allow" }],
    // Only to be heard of: what the trap handler makes for a program has the mode that the program's umask leaves.
    ["umask", "trap"],
    ["perf_event_open", no("EACCES")],
    ["name_to_handle_at", no("EOPNOTSUPP")],
    // What watches by it needs handles of files; without it programs watch by inotify (`tsc --watch` of TypeScript 7).
    ["fanotify_init", no("ENOSYS")],
    [
      "personality",
      { clauses: [{ when: [is(0, PER_LINUX, PERSONALITY_QUERY, ADDR_NO_RANDOMIZE)], then: "allow" }], otherwise: no("EPERM") },
    ],
    [
      "prctl",
      {
        clauses: [
          // The trap handler could not read a program that is not dumpable.
          { when: [is(0, PRCTL.SET_DUMPABLE), is(1, 0)], then: no(0) },
          { when: [is(0, PRCTL.SET_PTRACER)], then: no(0) },
          // Changes what /proc shows as the command line and the executable.
          { when: [is(0, PRCTL.SET_MM)], then: no("EPERM") },
        ],
        otherwise: "allow",
      },
    ],
    ...pidRules(),
    ...(trapSignals === true ? each(SIGNAL_CALLS, "trap") : []),
    ...(trapSignals !== true && trapKill === true ? each(["kill"], "trap") : []),
    // In a namespace of the program's own Landlock refuses them.
    ...each(["mq_open", "mq_unlink"], "trap"),
    ...(ownIpc === true ? [] : sharedIpcRules()),
  ] as const;
}

/**
 * Calls that name another process by a number in a register. They are trapped unless the number is 0 (the caller); the trap handler lets
 * them pass for tasks of the program's own tree. The `which` of `setpriority` (PRIO_PROCESS 0) and `ioprio_set`
 * (IOPRIO_WHO_PROCESS 1) must be "a process" for that.
 */
function pidRules() {
  const self = (...args: readonly number[]): FilterRule => ({
    clauses: [{ when: args.map((arg) => is(arg, 0)), then: "allow" }],
    otherwise: "trap",
  });
  const ofKind = (process: number): FilterRule => ({ clauses: [{ when: [is(0, process), is(1, 0)], then: "allow" }], otherwise: "trap" });
  return [
    ...each(
      ["prlimit64", "sched_setscheduler", "sched_setparam", "sched_setattr", "sched_setaffinity", "move_pages", "migrate_pages"],
      self(0),
    ),
    ["kcmp", self(0, 1)],
    ["setpriority", ofKind(PRIO_PROCESS)],
    ["ioprio_set", ofKind(IOPRIO_WHO_PROCESS)],
  ] as const;
}

/** Only a segment that did not exist: IPC_CREAT and IPC_EXCL. */

/**
 * Ids of System V objects are small numbers that anybody can guess, so those of others must be out of reach: new shared memory, or
 * what a task of the tree made (`shm_cpid` of `shmctl(id, IPC_STAT)`); semaphores and queues say nothing of their maker, so the trap handler
 * makes them (trap/ipc.ts).
 */
function sharedIpcRules() {
  return [
    ...each(["shmat", "shmctl"], "trap"),
    [
      "shmget",
      {
        clauses: [
          { when: [is(0, IPC.PRIVATE)], then: "allow" },
          { when: [masked(2, IPC.NEW, IPC.NEW)], then: "allow" },
        ],
        otherwise: "trap",
      },
    ],
    ...each(["msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop", "semctl"], "trap"),
  ] as const;
}

/** The last call we know (6.18). What a newer kernel adds has not been thought about, and programs expect ENOSYS. */
export const NEWEST_CALL = 469;

/**
 * What the filter says of each call, as data. `filter.ts` compiles it; calls that are not named are allowed, calls newer
 * than `NEWEST_CALL` do not exist.
 */
export function filterTable(options: FilterOptions): ReadonlyMap<SyscallName, FilterRule> {
  const rows: readonly (readonly [SyscallName, FilterRule])[] = [...fileRules(options), ...socketRules(options), ...processRules(options)];
  return new Map(options.tried === true ? rows.map(([name, rule]) => [name, untrapped(name, rule)]) : rows);
}

/**
 * Of a tried run, on top of its own table: what is asked about all the same. `talks`: sockets, and starts of programs. They are in an empty
 * network, so that every socket which reaches somebody is one that the trap handler has made.
 */
export const listenedTable = (talks: boolean): ReadonlyMap<SyscallName, FilterRule> =>
  new Map<SyscallName, FilterRule>([
    ...each(["rename", "renameat", "renameat2"], "trap"),
    ...(talks ? [...socketRules({ observeReads: false, ownSockets: true }), ...each(["execve", "execveat"], "trap")] : []),
  ]);

/**
 * Sockets by path are not in any namespace, and no register says where a connect leads: a tried run makes no UNIX socket but by
 * socketpair(2). EAFNOSUPPORT is what libraries fall back on (nscd, D-Bus).
 */
function untrapped(name: SyscallName, rule: FilterRule): FilterRule {
  const open = (ruling: Ruling): Ruling => (ruling === "trap" ? "allow" : ruling);
  if (typeof rule === "string" || "errno" in rule) return open(rule);
  const clauses = rule.clauses.map(({ when, then }) => ({ when, then: open(then) }));
  const noUnix: readonly Clause[] = name === "socket" ? [{ when: [unix], then: no("EAFNOSUPPORT") }] : [];
  return { clauses: [...noUnix, ...clauses], otherwise: open(rule.otherwise) };
}

/** Of a row: its calls, unless the kernel settles them all. */
type TrappedBy<Row> = Row extends readonly [infer Name, infer R] ? (R extends FilterRule<KernelRuling> ? never : Name) : never;
export type TrappedSocketCall = TrappedBy<ReturnType<typeof socketRules>[number]>;
/** A call that the trap handler may be asked about: each has a handler (trap/handlers.ts). */
export type TrappedCall = TrappedBy<ReturnType<typeof fileRules | typeof processRules>[number]> | TrappedSocketCall;
