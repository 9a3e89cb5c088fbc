import { addressOf, alloc, ERRNO, F_GETFL, lastingAddressOf, O_NONBLOCK, SOL, sys, SYSCALLS } from "../../kernel/index.ts";
import { isRefused, LONGEST_SOCKADDR, readSockaddr, sockaddrLength, type SocketAddress } from "../../net/sockaddr.ts";
import { type ObjectStat, statFd } from "../../undo/index.ts";
import type { TaskAccess } from "../operation.ts";
import type { Task } from "../tasks.ts";

export const SO = { TYPE: 3, BROADCAST: 6, SNDTIMEO: 21, ACCEPTCONN: 30, DOMAIN: 39, BINDTOIFINDEX: 62 } as const;
const SOCKET_MODE = 0o140000;
const FORMAT = 0o170000;
const POLLOUT = 4;
const POLLERR_HUP = 0x18;

/** A copy of a task's socket: the same socket and the same flags, whatever becomes of the task's descriptor. */
export interface TaskSocket {
  readonly fd: number;
  readonly inode: number;
  readonly domain: number;
  readonly type: number;
  readonly blocks: boolean;
}

const buffer = alloc(LONGEST_SOCKADDR);
const at = lastingAddressOf(buffer);
const lengthBuffer = alloc(4);
const lengthAt = lastingAddressOf(lengthBuffer);

/** The socket behind a descriptor of the task, or the errno that the kernel would give. */
export function socketOf(task: Task, access: TaskAccess, fd: number): TaskSocket | number {
  const copy = fd < 0 ? -ERRNO.EBADF : access.tasks.copies.socket(task, fd);
  if (copy < 0) return copy;
  const stat = statFd(copy);
  if (typeof stat === "number" || (stat.mode & FORMAT) !== SOCKET_MODE) {
    sys(SYSCALLS.close, copy);
    return -ERRNO.ENOTSOCK;
  }
  const flags = sys(SYSCALLS.fcntl, copy, F_GETFL);
  return {
    fd: copy,
    inode: inodeOf(stat),
    domain: option(copy, SO.DOMAIN),
    type: option(copy, SO.TYPE),
    blocks: (flags & O_NONBLOCK) === 0,
  };
}

/** As /proc/net shows it: the last part of `id`. */
export function inodeOf({ id }: ObjectStat): number {
  return Number(id.slice(id.lastIndexOf(":") + 1));
}

export function close(fd: number): void {
  if (fd >= 0) sys(SYSCALLS.close, fd);
}

/** Closes the copy and passes the result on. */
export function closeAndReturn(sock: TaskSocket, result: number): number {
  close(sock.fd);
  return result;
}

/** An `int` of getsockopt(2); -1 where there is none. */
export function option(fd: number, name: number, level: number = SOL.SOCKET): number {
  lengthBuffer.writeInt32LE(4, 0);
  return sys(SYSCALLS.getsockopt, fd, level, name, at, lengthAt) === 0 ? buffer.readInt32LE(0) : -1;
}

/** Sets an `int` of setsockopt(2). */
export function setOption(fd: number, name: number, value: number, level: number = SOL.SOCKET): number {
  buffer.writeInt32LE(value, 0);
  return sys(SYSCALLS.setsockopt, fd, level, name, at, 4);
}

/** The sockaddr at `address` with this length argument, as the kernel would copy it. */
export function sockaddrAt(tid: number, access: TaskAccess, address: number, argument: number): Buffer | number {
  const length = sockaddrLength(argument);
  if (length === undefined) return -ERRNO.EINVAL;
  return access.memory.bytes(tid, address, length);
}

export interface SocketName {
  readonly address: SocketAddress;
  readonly bytes: Buffer;
}

/** Where the socket is bound; undefined where that is nowhere. */
export const nameOf = (fd: number): SocketName | undefined => named(SYSCALLS.getsockname, fd);

/** Where it is connected to; undefined where that is nowhere. */
export const peerOf = (fd: number): SocketName | undefined => named(SYSCALLS.getpeername, fd);

function named(call: number, fd: number): SocketName | undefined {
  lengthBuffer.writeInt32LE(LONGEST_SOCKADDR, 0);
  if (sys(call, fd, at, lengthAt) !== 0) return undefined;
  const bytes = Buffer.from(buffer.subarray(0, Math.min(LONGEST_SOCKADDR, lengthBuffer.readInt32LE(0))));
  const address = readSockaddr(bytes);
  return isRefused(address) ? undefined : { address, bytes };
}

export function connect(fd: number, sockaddr: Buffer): number {
  return sys(SYSCALLS.connect, fd, addressOf(sockaddr), sockaddr.length);
}

const polled = alloc(8);
const polledAt = lastingAddressOf(polled);
const atOnce = alloc(16);
const atOnceAt = lastingAddressOf(atOnce);

/** Whether `events` of poll(2) have come, without waiting for them. */
export function isReady(fd: number, events: number): boolean {
  polled.writeInt32LE(fd, 0);
  polled.writeInt32LE(events, 4);
  return sys(SYSCALLS.ppoll, polledAt, 1, atOnceAt, 0, 8) > 0;
}

export const isWritable = (fd: number): boolean => isReady(fd, POLLOUT | POLLERR_HUP);

const timeout = alloc(16);
const timeoutAt = lastingAddressOf(timeout);

/**
 * Does what may wait, on a socket that waits, for one clock tick at most: O_NONBLOCK belongs to the task too and is left
 * alone, but a limit on sending (SO_SNDTIMEO, socket(7)) bounds connect(2). The task's own limit is put back, in milliseconds returned.
 */
export function doBriefly(fd: number, act: () => number): { readonly result: number; readonly limit: number } {
  timeout.fill(0);
  lengthBuffer.writeInt32LE(16, 0);
  sys(SYSCALLS.getsockopt, fd, SOL.SOCKET, SO.SNDTIMEO, timeoutAt, lengthAt);
  const before = Buffer.from(timeout);
  timeout.fill(0);
  timeout.writeUInt32LE(1, 8);
  sys(SYSCALLS.setsockopt, fd, SOL.SOCKET, SO.SNDTIMEO, timeoutAt, 16);
  const result = act();
  before.copy(timeout);
  sys(SYSCALLS.setsockopt, fd, SOL.SOCKET, SO.SNDTIMEO, timeoutAt, 16);
  return { result, limit: Number(before.readBigInt64LE(0)) * 1000 + Number(before.readBigInt64LE(8)) / 1000 };
}
