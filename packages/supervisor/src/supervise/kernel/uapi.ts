/** Numbers of the kernel's interface that more than one file needs: the same on x86-64 and arm64, but where it says otherwise. */

// open(2), fcntl(2)
export const O_ACCMODE = 3;
export const O_NONBLOCK = 0o4000;
export const O_DIRECTORY = process.arch === "arm64" ? 0o40000 : 0o200000;
export const O_NOFOLLOW = process.arch === "arm64" ? 0o100000 : 0o400000;
export const O_CLOEXEC = 0o2000000;
export const O_PATH = 0o10000000;
export const F_GETFL = 3;
export const F_SETFL = 4;

// The calls whose names end in `at`; linkat(2), renameat2(2), unlinkat(2)
export const AT_FDCWD = -100;
export const AT_SYMLINK_NOFOLLOW = 0x100;
export const AT_REMOVEDIR = 0x200;
export const AT_EMPTY_PATH = 0x1000;
export const RENAME_NOREPLACE = 1;

// poll(2)
export const POLLIN = 1;
export const POLLHUP = 0x10;

// signal(7)
export const SIGKILL = 9;
export const SIGPIPE = 13;
export const SIGXFSZ = 25;

// socket(2), ip(7), ipv6(7), tcp(7), udp(7)
export const AF = { UNSPEC: 0, UNIX: 1, INET: 2, INET6: 10, NETLINK: 16 } as const;
export const SOCK = { STREAM: 1, DGRAM: 2, RAW: 3, SEQPACKET: 5 } as const;
export const SOCK_CLOEXEC = 0o2000000;
export const SOL = { IP: 0, SOCKET: 1, UDP: 17, IPV6: 41, TLS: 282 } as const;
export const IPV6_V6ONLY = 26;

// getpriority(2), ioprio_set(2), personality(2)
export const PRIO_PROCESS = 0;
export const IOPRIO_WHO_PROCESS = 1;
export const ADDR_NO_RANDOMIZE = 0x40000;

// seccomp(2), seccomp_unotify(2)
export const SECCOMP_SET_MODE_FILTER = 1;
export const SECCOMP_IOCTL_NOTIF_SET_FLAGS = 0x40082104;
export const SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP = 1;

// prctl(2)
export const PRCTL = {
  SET_PDEATHSIG: 1,
  SET_DUMPABLE: 4,
  CAP_AMBIENT_CLEAR_ALL: 4,
  CAPBSET_DROP: 24,
  GET_SECUREBITS: 27,
  SET_SECUREBITS: 28,
  GET_TIMERSLACK: 30,
  SET_MM: 35,
  SET_CHILD_SUBREAPER: 36,
  SET_NO_NEW_PRIVS: 38,
  CAP_AMBIENT: 47,
  GET_MDWE: 66,
  SET_PTRACER: 0x59616d61,
} as const;

// fcntl(2)
export const FCNTL = { RDLCK: 0, GETFD: 1, SETFD: 2, SETOWN: 8, SETSIG: 10, SETOWN_EX: 15, SETLEASE: 1024, DUPFD_CLOEXEC: 1030 } as const;

// recvmsg(2), sendmsg(2)
export const MSG = { CTRUNC: 8, DONTWAIT: 0x40, NOSIGNAL: 0x4000, FASTOPEN: 0x20000000, CMSG_CLOEXEC: 0x40000000 } as const;

// socket(7)
export const SO = { PEERCRED: 17, RCVTIMEO: 20, SNDTIMEO: 21 } as const;

// flock(2)
export const LOCK = { EX: 2, NB: 4 } as const;

// shmctl(2) and its like
export const IPC = { PRIVATE: 0, RMID: 0, STAT: 2, INFO: 3, CREAT: 0o1000, EXCL: 0o2000, NEW: 0o3000 } as const;

// clone(2)
export const CLONE = { VM: 0x100, FS: 0x200, FILES: 0x400, NEWIPC: 0x08000000 } as const;

// openat2(2)
export const RESOLVE = { NO_MAGICLINKS: 2, NO_SYMLINKS: 0x04, IN_ROOT: 0x10 } as const;

// waitid(2)
export const WAIT = { NOHANG: 1, STOPPED: 2, NOWAIT: 0x0100_0000 } as const;
export const IDTYPE = { ALL: 0, PID: 1 } as const;

// sigprocmask(2)
export const SIGMASK = { BLOCK: 0, SET: 2 } as const;
export const SIGNAL = { TRAP: 5, CHLD: 17, STOP: 19, TTOU: 22, URG: 23, PWR: 30 } as const;

// ioctl_tty(2)
export const IOCTL = { TCGETS: 0x5401, TIOCGPGRP: 0x540f, TIOCSPGRP: 0x5410 } as const;
