import { closeSync, constants, openSync } from "node:fs";
import { addressOf, alloc, ERRNO, KernelError, sys, SYSCALLS } from "../kernel/index.ts";

/** landlock(7), linux/landlock.h: access rights of files, by the ABI that brought them. Reading and executing are left out: the trap handler serves opens. */
const FS_RIGHTS: readonly { readonly since: number; readonly bits: readonly number[] }[] = [
  // WRITE_FILE 1, REMOVE_DIR 4, REMOVE_FILE 5, MAKE_{CHAR 6, DIR 7, REG 8, SOCK 9, FIFO 10, BLOCK 11, SYM 12}
  { since: 1, bits: [1, 4, 5, 6, 7, 8, 9, 10, 11, 12] },
  { since: 2, bits: [13] }, // REFER
  { since: 3, bits: [14] }, // TRUNCATE
  { since: 5, bits: [15] }, // IOCTL_DEV
  { since: 9, bits: [16] }, // RESOLVE_UNIX: UNIX sockets by path, of servers outside
];
/** What a harmless device may be opened for: WRITE_FILE, TRUNCATE, IOCTL_DEV. */
export const DEVICE_RIGHTS = [1, 14, 15].reduce((all, bit) => all | (1 << bit), 0);
/** LANDLOCK_ACCESS_NET_BIND_TCP, CONNECT_TCP. UDP (ABI 10) is left to the trap handler, which may let a datagram pass after judging it. */
const TCP = { since: 4, rights: 0b11 } as const;
/** LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, SIGNAL. */
const SCOPES = { since: 6, bits: 0b11 } as const;

/** Writing there changes nothing that outlives the program. `/dev/pts` is a folder: the terminals below it. */
const HARMLESS_DEVICES = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"].map((name) => `/dev/${name}`);

const CREATE_RULESET_VERSION = 1;
const RULE_PATH_BENEATH = 1;
/** `struct landlock_ruleset_attr`: handled_access_fs, handled_access_net, scoped (u64 each); older kernels know the first ones. */
const RULESET_BYTES = { 1: 8, 4: 16, 6: 24 } as const;
/** `struct landlock_path_beneath_attr`, packed: allowed_access u64, parent_fd s32. */
const PATH_BENEATH_BYTES = 12;

/** What the kernel enforces on the program and on everything it starts. */
export interface LandlockEnforced {
  readonly abi: number;
  /** Rights of files that are denied everywhere but on harmless devices, as LANDLOCK_ACCESS_FS_* bits. */
  readonly fs: number;
  /** LANDLOCK_ACCESS_NET_* bits: no TCP port is granted. */
  readonly net: number;
  /** LANDLOCK_SCOPE_* bits: abstract UNIX sockets and signals of outside. */
  readonly scopes: number;
}

/** The kernel's ABI; 0: no Landlock (not built in, or not in `lsm=`), or a filter around us refuses it. */
export function landlockAbi(): number {
  return Math.max(0, sys(SYSCALLS.landlock_create_ruleset, 0, 0, CREATE_RULESET_VERSION));
}

/** A filter around us says no: the kernel itself asks for no right here. */
export const isLandlockRefused = (): boolean => sys(SYSCALLS.landlock_create_ruleset, 0, 0, CREATE_RULESET_VERSION) === -ERRNO.EPERM;

/** What an ABI can enforce. */
export function landlockRights(abi: number): LandlockEnforced {
  const fs = FS_RIGHTS.filter(({ since }) => abi >= since).flatMap(({ bits }) => bits);
  return {
    abi,
    fs: fs.reduce((all, bit) => all | (1 << bit), 0),
    net: abi >= TCP.since ? TCP.rights : 0,
    scopes: abi >= SCOPES.since ? SCOPES.bits : 0,
  };
}

/**
 * A ruleset that takes whoever restricts itself by it, for good, the right to change any file, to use TCP and to reach
 * abstract sockets and processes of outside (landlock_restrict_self(2); needs no_new_privs or CAP_SYS_ADMIN). `ruleset`: a
 * descriptor, to be closed; undefined: the kernel has no Landlock.
 */
export function landlockRuleset(abi = landlockAbi()): { readonly rights: LandlockEnforced; readonly ruleset: number | undefined } {
  const rights = landlockRights(abi);
  if (rights.fs === 0) return { rights, ruleset: undefined };
  const size = abi >= 6 ? RULESET_BYTES[6] : abi >= 4 ? RULESET_BYTES[4] : RULESET_BYTES[1];
  const attr = alloc(RULESET_BYTES[6]);
  attr.writeUInt32LE(rights.fs, 0);
  attr.writeUInt32LE(rights.net, 8);
  attr.writeUInt32LE(rights.scopes, 16);
  const ruleset = sys(SYSCALLS.landlock_create_ruleset, addressOf(attr), size, 0);
  if (ruleset < 0) throw new KernelError("landlock_create_ruleset", -ruleset);
  try {
    for (const path of HARMLESS_DEVICES) grantDevice(ruleset, path, rights.fs);
  } catch (error) {
    sys(SYSCALLS.close, ruleset);
    throw error;
  }
  return { rights, ruleset };
}

/** A device that is not there needs no grant. */
function grantDevice(ruleset: number, path: string, handled: number): void {
  let device: number;
  try {
    // O_PATH, which `constants` does not name: opening a terminal or /dev/ptmx itself has effects.
    device = openSync(path, 0o10000000 | constants.O_NOFOLLOW);
  } catch {
    return;
  }
  try {
    const attr = alloc(PATH_BENEATH_BYTES);
    attr.writeUInt32LE(DEVICE_RIGHTS & handled, 0);
    attr.writeInt32LE(device, 8);
    const added = sys(SYSCALLS.landlock_add_rule, ruleset, RULE_PATH_BENEATH, addressOf(attr), 0);
    if (added < 0) throw new KernelError("landlock_add_rule", -added, path);
  } finally {
    closeSync(device);
  }
}
