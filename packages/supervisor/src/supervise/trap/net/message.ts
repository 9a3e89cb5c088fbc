import { closeSync, openSync, writeSync } from "node:fs";
import { addressOf, alloc, ERRNO, lastingAddressOf, SOL, sys, SYSCALLS } from "../../kernel/index.ts";
import { LONGEST_SOCKADDR } from "../../net/sockaddr.ts";
import type { TaskAccess } from "../operation.ts";
import type { Task } from "../tasks.ts";
import { close } from "./socket.ts";

/** struct msghdr of a 64-bit kernel (sendmsg(2)): name, its length, iov, its length, control, its length, flags. */
export const MSGHDR = 56;
/** struct mmsghdr: a msghdr, the number of bytes sent, padding. */
export const MMSGHDR = 64;
export const MMSG_LENGTH = 56;
const IOVEC = 16;
const CMSGHDR = 16;
const MOST_VECTORS = 1024;
/** The longest message that is sent whole. */
export const MOST_BYTES = 8 << 20;
const MOST_CONTROL = 20_480;
const LONG = 0x1_0000_0000;

export interface MessageHeader {
  readonly name: number;
  readonly nameLength: number;
  readonly vectors: readonly (readonly [address: number, length: number])[];
  readonly control: number;
  readonly controlLength: number;
}

/** Reads a msghdr of a task; an errno as the kernel gives it. */
export function headerAt(tid: number, access: TaskAccess, address: number): MessageHeader | number {
  const bytes = access.memory.bytes(tid, address, MSGHDR);
  if (typeof bytes === "number") return bytes;
  const count = long(bytes, 24);
  if (count > MOST_VECTORS) return -ERRNO.EMSGSIZE;
  const raw = access.memory.bytes(tid, long(bytes, 16), count * IOVEC);
  if (typeof raw === "number") return raw;
  const vectors = Array.from({ length: count }, (_, i): [number, number] => [long(raw, i * IOVEC), long(raw, i * IOVEC + 8)]);
  if (vectors.some(([, length]) => length >= 2 ** 47)) return -ERRNO.EINVAL;
  const nameLength = bytes.readInt32LE(8);
  if (nameLength < 0) return -ERRNO.EINVAL;
  const name = long(bytes, 0);
  return {
    name,
    // copy_msghdr_from_user: no name, no length; too long a one is cut.
    nameLength: name === 0 ? 0 : Math.min(nameLength, LONGEST_SOCKADDR),
    vectors,
    control: long(bytes, 32),
    controlLength: long(bytes, 40),
  };
}

/** At most `most` bytes of what is to be sent, from the one numbered `from` on. */
export function dataOf(tid: number, access: TaskAccess, vectors: MessageHeader["vectors"], from: number, most: number): Buffer | number {
  const parts: Buffer[] = [];
  let skip = from;
  let left = most;
  for (const [address, length] of vectors) {
    const begin = Math.min(skip, length);
    skip -= begin;
    const wanted = Math.min(length - begin, left);
    if (wanted === 0) continue;
    const part = access.memory.bytes(tid, address + begin, wanted);
    if (typeof part === "number") return parts.length > 0 ? Buffer.concat(parts) : part;
    parts.push(part);
    left -= wanted;
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}

export function long(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * LONG;
}

const SCM = { RIGHTS: 1, CREDENTIALS: 2 } as const;
/** Options of one datagram that do not change where it goes: TOS, TTL, PKTINFO; PKTINFO, HOPLIMIT, TCLASS; UDP_SEGMENT; TLS_SET_RECORD_TYPE. */
const HARMLESS: Readonly<Record<number, readonly number[]>> = {
  [SOL.IP]: [1, 2, 8],
  [SOL.IPV6]: [50, 52, 67],
  [SOL.UDP]: [103],
  [SOL.TLS]: [1],
};

export interface Control {
  readonly bytes: Buffer;
  /** Copies of descriptors that travel with it, to be closed. */
  readonly fds: readonly number[];
}

/** struct ucred: pid, uid, gid (unix(7)). */
const UCRED = 12;

/** A program without capabilities says its own numbers only; no program of a run has others than the one that it was started by. */
function isItself({ tgid }: Task, message: Buffer): boolean {
  const [pid, uid, gid] = [0, 4, 8].map((at) => message.readInt32LE(CMSGHDR + at));
  const isUser = uid === process.getuid?.() || uid === process.geteuid?.();
  return pid === tgid && isUser && (gid === process.getgid?.() || gid === process.getegid?.());
}

/**
 * Control messages as this process can send them for the task: descriptors become copies of the task's own; the task's
 * credentials are left out, for the kernel lets nobody send another's (unix(7)), and adds ours. Source routes (IP_RETOPTS,
 * IPV6_RTHDR) would send elsewhere than was judged: EPERM.
 */
export function controlOf(task: Task, access: TaskAccess, header: MessageHeader, unix: boolean): Control | number {
  if (header.control === 0 || header.controlLength < CMSGHDR) return { bytes: alloc(0), fds: [] };
  if (header.controlLength > MOST_CONTROL) return -ERRNO.ENOBUFS;
  const given = access.memory.bytes(task.tid, header.control, header.controlLength);
  if (typeof given === "number") return given;
  const kept: Buffer[] = [];
  const fds: number[] = [];
  const fail = (errno: number): number => {
    for (const fd of fds) close(fd);
    return errno;
  };
  for (let at = 0; at + CMSGHDR <= given.length;) {
    const length = long(given, at);
    if (length < CMSGHDR || at + length > given.length) return fail(-ERRNO.EINVAL);
    const [level, type] = [given.readInt32LE(at + 8), given.readInt32LE(at + 12)];
    const message = alloc(aligned(length));
    given.copy(message, 0, at, at + length);
    at += aligned(length);
    if (unix && level === SOL.SOCKET && type === SCM.RIGHTS) {
      for (let i = CMSGHDR; i + 4 <= length; i += 4) {
        const copy = access.tasks.copies.passable(task, message.readInt32LE(i));
        if (copy < 0) return fail(copy);
        fds.push(copy);
        message.writeInt32LE(copy, i);
      }
      kept.push(message);
    } else if (unix && level === SOL.SOCKET && type === SCM.CREDENTIALS) {
      if (length !== CMSGHDR + UCRED) return fail(-ERRNO.EINVAL);
      if (!isItself(task, message)) return fail(-ERRNO.EPERM);
    } else if (!unix && HARMLESS[level]?.includes(type) === true) kept.push(message);
    else return fail(unix ? -ERRNO.EINVAL : -ERRNO.EPERM);
  }
  return { bytes: Buffer.concat(kept), fds };
}

const aligned = (length: number): number => (length + 7) & ~7;

export interface Outgoing {
  readonly data: Buffer;
  readonly name: Buffer | undefined;
  readonly control: Buffer;
}

const header = alloc(MSGHDR);
const headerAddress = lastingAddressOf(header);
const vector = alloc(IOVEC);
const vectorAt = lastingAddressOf(vector);

/** sendmsg(2) with bytes of our own. */
export function send(fd: number, { data, name, control }: Outgoing, flags: number): number {
  const put = (bytes: Buffer | undefined, pointer: number, length: number): void => {
    header.writeBigUInt64LE(BigInt(bytes === undefined || bytes.length === 0 ? 0 : addressOf(bytes)), pointer);
    header.writeBigUInt64LE(BigInt(bytes?.length ?? 0), length);
  };
  put(name, 0, 8);
  put(control, 32, 40);
  vector.writeBigUInt64LE(BigInt(data.length === 0 ? 0 : addressOf(data)), 0);
  vector.writeBigUInt64LE(BigInt(data.length), 8);
  header.writeBigUInt64LE(BigInt(vectorAt), 16);
  header.writeBigUInt64LE(1n, 24);
  return sys(SYSCALLS.sendmsg, fd, headerAddress, flags);
}

/** Writes into a task's memory (process_vm_writev(2)), as far as its pages may be written. False: not all of it. */
export function write(tid: number, address: number, bytes: Buffer): boolean {
  if (bytes.length === 0) return true;
  const vectors = alloc(2 * IOVEC);
  vectors.writeBigUInt64LE(BigInt(addressOf(bytes)), 0);
  vectors.writeBigUInt64LE(BigInt(bytes.length), 8);
  vectors.writeBigUInt64LE(BigInt(address), IOVEC);
  vectors.writeBigUInt64LE(BigInt(bytes.length), IOVEC + 8);
  const at = addressOf(vectors);
  const written = sys(SYSCALLS.process_vm_writev, tid, at, 1, at + IOVEC, 1, 0);
  return (written === -ERRNO.EPERM || written === -ERRNO.ENOSYS ? writeFile(tid, address, bytes) : written) === bytes.length;
}

/** Where a filter around the supervisor refuses that call: proc_pid_mem(5). Pages that may only be read are the task's own copies then. */
function writeFile(tid: number, address: number, bytes: Buffer): number {
  let fd: number | undefined;
  try {
    fd = openSync(`/proc/${tid}/mem`, "r+");
    return writeSync(fd, bytes, 0, bytes.length, address);
  } catch {
    return -ERRNO.EFAULT;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
