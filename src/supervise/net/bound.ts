import { addressOf, alloc, ERRNO, KernelError, must, sys, SYSCALLS } from "../kernel/index.ts";
import { parseAddress } from "./addresses.ts";
import { AF, internetSockaddr } from "./sockaddr.ts";

const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC_NONBLOCK = 0o2000000 | 0o4000;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
const BACKLOG = 128;
const TRIES = 16;

/** A datagram and a listening socket on the same port, as any name server has them. Descriptors, ours to close. */
export interface Bound {
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
export function refuser(): number | undefined {
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
  if (v6) sys(SYSCALLS.setsockopt, fd, IPPROTO_IPV6, IPV6_V6ONLY, addressOf(one), 4);
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
