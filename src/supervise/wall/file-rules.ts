import type { SyscallName } from "../kernel/index.ts";
import { type Clause, each, has, is, masked, no, type Rule, type Rules } from "./ruling.ts";

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

// open(2), asm-generic/fcntl.h: the same on x86-64 and arm64.
const O_WRITE_INTENT = 0o3 | 0o100 | 0o1000 | 0o20000000; // access mode, O_CREAT, O_TRUNC, __O_TMPFILE
const O_PATH = 0o10000000;

/** O_PATH opens nothing: the kernel drops every flag that would write. */
const open = (flags: number, observeReads: boolean): Rule => ({
  clauses: [
    { when: [has(flags, O_PATH)], then: "allow" },
    ...(observeReads ? [] : [{ when: [masked(flags, O_WRITE_INTENT, 0)], then: "allow" } as const]),
  ],
  otherwise: "trap",
});

// ioctl numbers: linux/fs.h, linux/fscrypt.h, linux/fsverity.h, linux/btrfs.h, linux/msdos_fs.h, bcachefs_ioctl.h, ocfs2_fs.h, linux/kd.h, asm-generic/ioctls.h.
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
const F_SETOWN = 8;
const F_SETOWN_EX = 15;
const OWNER_IOCTLS = [0x8901, 0x8902];

/** `trapSignals`: Landlock does not keep signals inside. */
export function fileRules(observeReads: boolean, trapSignals: boolean): Rules {
  const owner: readonly Clause[] = [
    { when: [is(1, F_SETOWN), is(2, 0)], then: "allow" },
    { when: [is(1, F_SETOWN)], then: "trap" },
    { when: [is(1, F_SETOWN_EX)], then: no("EPERM") },
  ];
  return [
    ...each(FILE_CALLS, "trap"),
    ...each(["execve", "execveat"], "trap"),
    ["open", open(1, observeReads)],
    ["openat", open(2, observeReads)],
    // Whoever opens a leased file waits up to 45 seconds, and opens are done by the door: F_SETLEASE (fcntl(2)).
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
  ];
}
