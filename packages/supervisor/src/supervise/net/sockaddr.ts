import { addressOf, AF, alloc, ERRNO, IPV6_V6ONLY, KernelError, must, SOL, sys, SYSCALLS } from "../kernel/index.ts";
import { type Address, addressOfBytes, parseAddress } from "@assent/core/policy";

/** sizeof(struct sockaddr_storage): the kernel copies no more (move_addr_to_kernel). */
export const LONGEST_SOCKADDR = 128;
const SOCKADDR_UN = 110;
const SOCKADDR_IN = 16;
/** Without the scope id, as RFC 2133 had it: the kernel takes both. */
const SOCKADDR_IN6_SHORT = 24;

export type SocketAddress =
  /** Connecting to it ends a connection. */
  | { readonly family: "unspecified" }
  | { readonly family: "internet"; readonly version: 4 | 6; readonly address: Address; readonly port: number; readonly scope: number }
  | { readonly family: "unix"; readonly kind: "path"; readonly path: Buffer }
  /** Any bytes, NUL included. */
  | { readonly family: "unix"; readonly kind: "abstract"; readonly name: Buffer }
  /** The kernel picks an abstract name (bind), or there is no receiver (connect). */
  | { readonly family: "unix"; readonly kind: "unnamed" };

export type InternetAddress = Extract<SocketAddress, { readonly family: "internet" }>;
export type UnixAddress = Extract<SocketAddress, { readonly family: "unix" }>;

/** What is done with a sockaddr that connects to nothing we know: the errno of connect(2) and bind(2). */
type RefusedAddress = { readonly errno: number };

export function isRefused(value: SocketAddress | RefusedAddress): value is RefusedAddress {
  return "errno" in value;
}

/** A length argument as the kernel reads it; undefined where it says EINVAL. */
export function sockaddrLength(argument: number): number | undefined {
  const length = argument | 0;
  return length < 0 || length > LONGEST_SOCKADDR ? undefined : length;
}

/**
 * Reads what a task passed as `struct sockaddr` (unix(7), ip(7), ipv6(7)): a copy of exactly the bytes that will be used.
 * Bytes beyond what the family has are ignored, as the kernel does.
 */
export function readSockaddr(bytes: Buffer): SocketAddress | RefusedAddress {
  if (bytes.length < 2 || bytes.length > LONGEST_SOCKADDR) return { errno: ERRNO.EINVAL };
  const family = bytes.readUInt16LE(0);
  switch (family) {
    case AF.UNSPEC:
      return { family: "unspecified" };
    case AF.UNIX:
      return readUnix(bytes);
    case AF.INET:
      if (bytes.length < SOCKADDR_IN) return { errno: ERRNO.EINVAL };
      return { family: "internet", version: 4, address: addressOfBytes(copy(bytes, 4, 8)), port: bytes.readUInt16BE(2), scope: 0 };
    case AF.INET6:
      if (bytes.length < SOCKADDR_IN6_SHORT) return { errno: ERRNO.EINVAL };
      return {
        family: "internet",
        version: 6,
        address: addressOfBytes(copy(bytes, 8, 24)),
        port: bytes.readUInt16BE(2),
        scope: bytes.length >= 28 ? bytes.readUInt32LE(24) : 0,
      };
    default:
      return { errno: ERRNO.EAFNOSUPPORT };
  }
}

function readUnix(bytes: Buffer): SocketAddress | RefusedAddress {
  if (bytes.length > SOCKADDR_UN) return { errno: ERRNO.EINVAL };
  if (bytes.length === 2) return { family: "unix", kind: "unnamed" };
  const rest = Buffer.from(bytes.subarray(2));
  if (rest[0] === 0) return { family: "unix", kind: "abstract", name: rest.subarray(1) };
  // A path of all 108 bytes needs no NUL (unix(7), BUGS).
  const end = rest.indexOf(0);
  return { family: "unix", kind: "path", path: end === -1 ? rest : rest.subarray(0, end) };
}

/** `struct sockaddr_un` for a path; undefined where it does not fit. */
export function unixSockaddr(path: Buffer): Buffer | undefined {
  if (path.length === 0 || path.length >= SOCKADDR_UN - 2 || path.includes(0)) return undefined;
  const bytes = alloc(2 + path.length + 1);
  bytes.writeUInt16LE(AF.UNIX, 0);
  path.copy(bytes, 2);
  return bytes;
}

/** `struct sockaddr_in` or `sockaddr_in6` for an address of 4 or 16 bytes. */
export function internetSockaddr(address: Uint8Array, port: number, scope = 0): Buffer {
  const long = address.length === 16;
  const bytes = alloc(long ? 28 : SOCKADDR_IN);
  bytes.writeUInt16LE(long ? AF.INET6 : AF.INET, 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set(address, long ? 8 : 4);
  if (long) bytes.writeUInt32LE(scope, 24);
  return bytes;
}

/** The IPv4 address as an IPv6 socket knows it: `::ffff:a.b.c.d`. */
export function mapToIpv6(address: Uint8Array): Uint8Array {
  if (address.length === 16) return address;
  return Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...address);
}

function copy(bytes: Buffer, start: number, end: number): Uint8Array {
  return Uint8Array.from(bytes.subarray(start, end));
}

const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC_NONBLOCK = 0o2000000 | 0o4000;
const BACKLOG = 128;
const TRIES = 16;

/** A datagram and a listening socket on the same port, as any name server has them. Descriptors, ours to close. */
interface Bound {
  readonly port: number;
  readonly datagrams: number;
  readonly streams: number;
}

/** Bound before this returns: whatever is sent there from now on is kept for whoever reads. Undefined: there is no such address. */
export function bindBoth(host: "127.0.0.1" | "::1"): Bound | undefined {
  const address = parseAddress(host);
  if (address === undefined) return undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    const datagrams = bound(address, SOCK_DGRAM, 0);
    if (datagrams < 0) return undefined;
    const port = portOf(datagrams);
    const streams = bound(address, SOCK_STREAM, port);
    if (streams >= 0 && sys(SYSCALLS.listen, streams, BACKLOG) === 0) return { port, datagrams, streams };
    // Somebody else has the port for TCP.
    sys(SYSCALLS.close, datagrams);
    if (streams >= 0) sys(SYSCALLS.close, streams);
    else if (streams !== -ERRNO.EADDRINUSE) throw new KernelError("bind", -streams);
  }
  return undefined;
}

/** A port of this machine that stays taken and where nobody listens; undefined: there is none to be had. */
export function bindRefusingPort(): number | undefined {
  const [v4, v6] = [parseAddress("127.0.0.1"), parseAddress("::1")];
  if (v4 === undefined || v6 === undefined) return undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    const first = bound(v4, SOCK_STREAM, 0);
    if (first < 0) return undefined;
    const port = portOf(first);
    const second = bound(v6, SOCK_STREAM, port);
    // Without IPv6 there is nobody to refuse.
    if (second !== -ERRNO.EADDRINUSE) return port;
    sys(SYSCALLS.close, first);
  }
  return undefined;
}

/** A socket, or a negative errno. */
function bound(address: Uint8Array, type: number, port: number): number {
  const v6 = address.length === 16;
  const fd = sys(SYSCALLS.socket, v6 ? AF.INET6 : AF.INET, type | SOCK_CLOEXEC_NONBLOCK, 0);
  if (fd < 0) return fd;
  const one = alloc(4);
  one.writeInt32LE(1);
  if (v6) sys(SYSCALLS.setsockopt, fd, SOL.IPV6, IPV6_V6ONLY, addressOf(one), 4);
  const name = internetSockaddr(address, port);
  const result = sys(SYSCALLS.bind, fd, addressOf(name), name.length);
  if (result < 0) sys(SYSCALLS.close, fd);
  return result < 0 ? result : fd;
}

function portOf(fd: number): number {
  const name = alloc(28);
  const length = alloc(4);
  length.writeInt32LE(name.length);
  must("getsockname", fd, addressOf(name), addressOf(length));
  return name.readUInt16BE(2);
}
