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
