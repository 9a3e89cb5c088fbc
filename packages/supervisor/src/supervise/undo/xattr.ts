import { alloc, lastingAddressOf, sys, SYSCALLS } from "../kernel/index.ts";
import { cTextAddress } from "./safe.ts";

/** Extended attributes, values in base64. ACLs are among them (`system.posix_acl_access`). */
export type Xattrs = Readonly<Record<string, string>>;

/** In the place of a value: it is there, and may not be read. No base64 is spelled so. */
const UNREADABLE = "?";

const SIZE = 65_536;
const list = alloc(SIZE);
const listAt = lastingAddressOf(list);
const value = alloc(SIZE);
const valueAt = lastingAddressOf(value);
const path = alloc(512);
const pathAt = lastingAddressOf(path);
const name = alloc(256);
const nameAt = lastingAddressOf(name);

/**
 * `/proc/self/fd/N`, or with a name `/proc/self/fd/N/NAME`, as a C string: a descriptor opened with O_PATH has no other
 * way to its attributes (open(2)).
 */
function spell(fd: number, entry: Uint8Array | undefined): void {
  let length = path.write(`/proc/self/fd/${fd}`, "latin1");
  if (entry !== undefined) {
    path[length++] = 0x2f;
    path.set(entry, length);
    length += entry.length;
  }
  path[length] = 0;
}

/** The attributes of what `fd` holds, or of `entry` in the folder `fd` (not followed). None, or unreadable: undefined. */
export function readXattrs(fd: number, entry?: Uint8Array): Xattrs | undefined {
  spell(fd, entry);
  const length = sys(entry === undefined ? SYSCALLS.listxattr : SYSCALLS.llistxattr, pathAt, listAt, SIZE);
  if (length <= 0) return undefined;
  const found: Record<string, string> = {};
  for (const text of list.toString("latin1", 0, length - 1).split("\0")) {
    spellName(text);
    const got = sys(entry === undefined ? SYSCALLS.getxattr : SYSCALLS.lgetxattr, pathAt, nameAt, valueAt, SIZE);
    found[text] = got >= 0 ? value.toString("base64", 0, got) : UNREADABLE;
  }
  return found;
}

function spellName(text: string): void {
  name[name.write(text, 0, 255, "latin1")] = 0;
}

/**
 * Makes the attributes of what `fd` holds those of `wanted`. Returns the names that could not be set: `security.*` and
 * `trusted.*` need rights that an undo has no claim to.
 */
export function writeXattrs(fd: number, wanted: Xattrs): readonly string[] {
  const now = readXattrs(fd) ?? {};
  const failed: string[] = [];
  spell(fd, undefined);
  for (const text of Object.keys(now)) {
    // Who kept them had no capability, and so saw none of these: XFS shows an ACL by another such name, too.
    if (text in wanted || text.startsWith("trusted.")) continue;
    spellName(text);
    if (sys(SYSCALLS.removexattr, pathAt, nameAt) < 0) failed.push(text);
  }
  for (const [text, base64] of Object.entries(wanted)) {
    if (now[text] === base64 || base64 === UNREADABLE) continue;
    spellName(text);
    const bytes = Buffer.from(base64, "base64");
    if (sys(SYSCALLS.setxattr, pathAt, nameAt, cTextAddress(bytes), bytes.length, 0) < 0) failed.push(text);
  }
  return failed;
}

export const sameXattrs = (a: Xattrs = {}, b: Xattrs = {}): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, base64]) => b[key] === base64);
