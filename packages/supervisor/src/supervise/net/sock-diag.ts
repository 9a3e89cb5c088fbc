import { readFileSync } from "node:fs";
import { attempt } from "@assent/core/data";
import {
  addressOf,
  AF,
  alloc,
  AT_FDCWD,
  cString,
  ERRNO,
  MSG,
  O_CLOEXEC,
  O_NOFOLLOW,
  O_NONBLOCK,
  O_PATH,
  pathBytes,
  SOCK,
  SOCK_CLOEXEC,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { addressOfBytes } from "@assent/core/policy";
import { unixSockaddr } from "./sockaddr.ts";

/** A socket that others can send to: proc_net_tcp.txt of the kernel's documentation. */
export interface OpenSocket {
  /** 4 or 16 bytes. */
  readonly address: Uint8Array;
  readonly port: number;
  /** As fstat(2) of its descriptor says. */
  readonly inode: number;
}

/** `st` of /proc/net/tcp: TCP_LISTEN. UDP sockets have TCP_CLOSE, connected ones TCP_ESTABLISHED; both receive. */
const LISTEN = "0A";

/** Lines of `/proc/net/{tcp,udp}{,6}` that can be reached; what does not read as such is skipped. */
export function readOpenSockets(text: string, protocol: "tcp" | "udp"): readonly OpenSocket[] {
  const found: OpenSocket[] = [];
  for (const line of text.split("\n")) {
    const match = /^\s*\d+: ([\dA-F]{8}|[\dA-F]{32}):([\dA-F]{4}) \S+ ([\dA-F]{2}) \S+ \S+ \S+ +\d+ +\d+ (\d+)/.exec(line);
    if (match === null) continue;
    const [, address = "", port = "", state, inode] = match;
    if (protocol === "tcp" && state !== LISTEN) continue;
    found.push({ address: words(address), port: Number.parseInt(port, 16), inode: Number(inode) });
  }
  return found;
}

/** 32-bit words as numbers, printed by a little-endian machine: the bytes of each word stand the other way round. */
function words(hex: string): Uint8Array {
  const bytes = Buffer.from(hex, "hex");
  return Uint8Array.from(bytes.swap32());
}

/** Every socket of this network namespace that receives. */
export function openSockets(protocol: "tcp" | "udp", root = "/proc/net"): readonly OpenSocket[] {
  return [`${root}/${protocol}`, `${root}/${protocol}6`].flatMap((path) =>
    attempt(() => readOpenSockets(readFileSync(path, "latin1"), protocol), []),
  );
}

/** Whether what is sent to `address` and `port` may arrive at this socket. IPv6 wildcards take IPv4 unless told not to, which is not shown. */
export function receives(socket: OpenSocket, address: Uint8Array, port: number): boolean {
  if (socket.port !== port) return false;
  const own = addressOfBytes(socket.address);
  if (own.any) return socket.address.length === 16 || isV4(address);
  const wanted = addressOfBytes(address);
  // 0.0.0.0 and :: lead to 127.0.0.1 and ::1.
  return own.host === wanted.host || (wanted.any && own.reach === "loopback");
}

/** Whether two sockets on the same port would share what arrives. */
export function overlaps(socket: OpenSocket, address: Uint8Array, port: number): boolean {
  if (socket.port !== port || port === 0) return false;
  const [own, wanted] = [addressOfBytes(socket.address), addressOfBytes(address)];
  return own.any || wanted.any || own.host === wanted.host;
}

function isV4(address: Uint8Array): boolean {
  return address.length === 4 || addressOfBytes(address).embedded !== undefined;
}

/** A UNIX socket of this inode is there: /proc/net/unix, whose columns before the path hold no blanks. */
export const isOpenUnix = (inode: number, root = "/proc/net"): boolean =>
  attempt(
    () =>
      readFileSync(`${root}/unix`, "latin1")
        .split("\n")
        .some((line) => Number(line.trim().split(/ +/, 7)[6]) === inode),
    false,
  );

/**
 * Who receives on a port, asked of the kernel directly (sock_diag(7)): /proc/net/tcp lists every connection of the machine
 * and takes milliseconds, this takes microseconds.
 */
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0o2000000;
const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
const NLM_F_REQUEST_DUMP = 0x301;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const NLMSGHDR = 16;
/** struct inet_diag_req_v2 behind the header. */
const REQUEST = NLMSGHDR + 56;
/** struct inet_diag_msg. */
const INET_MESSAGE = 72;
const PROTOCOL = { tcp: 6, udp: 17 } as const;
/** Listening; for datagrams any state. */
const STATES = { tcp: 1 << 10, udp: 0xffffffff } as const;
/** No honest answer to a question about one port is longer; beyond it /proc/net is read. */
const MOST_ANSWERS = 256;

const request = alloc(REQUEST);
const requestAt = addressOf(request);
const answer = alloc(65_536);
const answerAt = addressOf(answer);
let descriptor: number | undefined;

/** Sockets that receive on `port`, whatever their address. */
export function socketsOn(protocol: "tcp" | "udp", port: number): readonly OpenSocket[] {
  const found = [AF_INET, AF_INET6].map((family) => dump(family, protocol, port));
  if (found.every((list) => list !== undefined)) return found.flat();
  return openSockets(protocol).filter((socket) => socket.port === port);
}

/** Undefined: the kernel does not say (no CONFIG_INET_DIAG, or a filter in the way). */
function dump(family: number, protocol: "tcp" | "udp", port: number): readonly OpenSocket[] | undefined {
  descriptor ??= sys(SYSCALLS.socket, AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
  if (descriptor < 0) return undefined;
  request.fill(0);
  request.writeUInt32LE(REQUEST, 0);
  request.writeUInt16LE(SOCK_DIAG_BY_FAMILY, 4);
  request.writeUInt16LE(NLM_F_REQUEST_DUMP, 6);
  request[NLMSGHDR] = family;
  request[NLMSGHDR + 1] = PROTOCOL[protocol];
  request.writeUInt32LE(STATES[protocol], NLMSGHDR + 4);
  request.writeUInt16BE(port, NLMSGHDR + 8);
  if (sys(SYSCALLS.sendto, descriptor, requestAt, REQUEST, 0, 0, 0) !== REQUEST) return undefined;
  const found: OpenSocket[] = [];
  // A dump is there as soon as it was asked for; its parts come one receive each.
  for (let parts = 0; parts < MOST_ANSWERS; parts++) {
    const length = sys(SYSCALLS.recvfrom, descriptor, answerAt, answer.length, MSG.DONTWAIT, 0, 0);
    if (length < NLMSGHDR) break;
    const end = readAnswer(answer.subarray(0, length), (message) => {
      const socket = message.length < INET_MESSAGE ? undefined : socketOf(message);
      if (socket?.port === port) found.push(socket);
    });
    if (end !== "more") return end === "done" ? found : undefined;
  }
  // Whatever is left in the queue belongs to no later question.
  sys(SYSCALLS.close, descriptor);
  descriptor = undefined;
  return undefined;
}

const NLM_F_REQUEST = 1;
/** struct unix_diag_req behind the header, struct unix_diag_msg; linux/unix_diag.h. */
const UNIX_REQUEST = NLMSGHDR + 24;
const UNIX_MESSAGE = 16;
const UDIAG_SHOW_NAME = 1;
const UDIAG_SHOW_VFS = 2;
const UDIAG_SHOW_PEER = 4;
const UNIX_DIAG_NAME = 0;
const UNIX_DIAG_VFS = 1;
const UNIX_DIAG_PEER = 2;

/** The inode of the UNIX socket at the other end; undefined where there is none, or the kernel does not say. */
export function unixPeer(inode: number): number | undefined {
  const peer = askUnix(NLM_F_REQUEST, inode, UDIAG_SHOW_PEER)?.flatMap((attributes) => attributes.get(UNIX_DIAG_PEER) ?? [])[0];
  return peer !== undefined && peer.length >= 4 ? peer.readUInt32LE(0) : undefined;
}

/** The trap handler binds for a program by such a path (trap/net/unix.ts). */
const BOUND_IN_A_RUN = "/proc/self/fd/";

/**
 * A program outside of every run receives on this socket file (`ObjectStat.id`): on one that is made anew in its place nobody would.
 * Where the kernel does not say, it counts as if. Of the device nothing is compared: file systems in layers name another one here
 * than to stat(2), and some another inode; so the name by which it was bound counts as well.
 */
export function isHeardOutside(id: string, path: string): boolean {
  const inode = Number(/\d+$/.exec(id)?.[0]);
  const all = askUnix(NLM_F_REQUEST_DUMP, 0, UDIAG_SHOW_NAME | UDIAG_SHOW_VFS);
  if (all === undefined) return true;
  return all.some((attributes) => {
    const name = attributes.get(UNIX_DIAG_NAME)?.toString("utf8").replace(/\0$/, "");
    if (name === undefined || name.startsWith(BOUND_IN_A_RUN)) return false;
    const file = attributes.get(UNIX_DIAG_VFS);
    // struct unix_diag_vfs: the inode's lower word, the device.
    return name === path || (file !== undefined && file.length >= 8 && file.readUInt32LE(0) === inode);
  });
}

/**
 * Somebody receives on this socket file. Of another network namespace the list says nothing: connecting does, and where nobody receives
 * that is heard by nobody.
 */
export function isHeard(id: string, path: string): boolean {
  if (isHeardOutside(id, path)) return true;
  const file = cString(pathBytes(path));
  const at = sys(SYSCALLS.openat, AT_FDCWD, addressOf(file), O_PATH | O_CLOEXEC | O_NOFOLLOW, 0);
  const fd = at < 0 ? at : sys(SYSCALLS.socket, AF.UNIX, SOCK.STREAM | SOCK_CLOEXEC | O_NONBLOCK, 0);
  const address = unixSockaddr(Buffer.from(`/proc/self/fd/${at}`)) ?? alloc(0);
  const result = fd < 0 ? fd : sys(SYSCALLS.connect, fd, addressOf(address), address.length);
  for (const one of [at, fd]) if (one >= 0) sys(SYSCALLS.close, one);
  return result !== -ERRNO.ECONNREFUSED && result !== -ERRNO.ENOENT;
}

/** Attributes of UNIX sockets: of all, or of one. Undefined: the kernel does not say. */
function askUnix(flags: number, inode: number, show: number): readonly ReadonlyMap<number, Buffer>[] | undefined {
  const fd = sys(SYSCALLS.socket, AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
  if (fd < 0) return undefined;
  request.fill(0);
  request.writeUInt32LE(UNIX_REQUEST, 0);
  request.writeUInt16LE(SOCK_DIAG_BY_FAMILY, 4);
  request.writeUInt16LE(flags, 6);
  request[NLMSGHDR] = AF.UNIX;
  request.writeUInt32LE(0xffffffff, NLMSGHDR + 4);
  request.writeUInt32LE(inode, NLMSGHDR + 8);
  request.writeUInt32LE(show, NLMSGHDR + 12);
  request.fill(0xff, NLMSGHDR + 16, UNIX_REQUEST);
  try {
    if (sys(SYSCALLS.sendto, fd, requestAt, UNIX_REQUEST, 0, 0, 0) !== UNIX_REQUEST) return undefined;
    const found: ReadonlyMap<number, Buffer>[] = [];
    for (;;) {
      const length = sys(SYSCALLS.recvfrom, fd, answerAt, answer.length, MSG.DONTWAIT, 0, 0);
      if (length < NLMSGHDR) return undefined;
      const end = readAnswer(answer.subarray(0, length), (message) => {
        if (message.length >= UNIX_MESSAGE) found.push(attributesOf(message.subarray(UNIX_MESSAGE)));
      });
      if (end === "done" || (end === "more" && flags === NLM_F_REQUEST)) return found;
      if (end === "error") return undefined;
    }
  } finally {
    sys(SYSCALLS.close, fd);
  }
}

/** struct rtattr: its length, its type. */
function attributesOf(bytes: Buffer): ReadonlyMap<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = 0; at + 4 <= bytes.length;) {
    const size = bytes.readUInt16LE(at);
    if (size < 4) break;
    // The answer's memory is used again.
    found.set(bytes.readUInt16LE(at + 2), Buffer.from(bytes.subarray(at + 4, at + size)));
    at += (size + 3) & ~3;
  }
  return found;
}

/** The messages in one piece of an answer, each without its header. */
function readAnswer(bytes: Buffer, visit: (message: Buffer) => void): "done" | "error" | "more" {
  for (let at = 0; at + NLMSGHDR <= bytes.length;) {
    const length = bytes.readUInt32LE(at);
    const type = bytes.readUInt16LE(at + 4);
    if (length < NLMSGHDR || at + length > bytes.length || type === NLMSG_ERROR) return "error";
    if (type === NLMSG_DONE) return "done";
    if (type === SOCK_DIAG_BY_FAMILY) visit(bytes.subarray(at + NLMSGHDR, at + length));
    at += (length + 3) & ~3;
  }
  return "more";
}

/** struct inet_diag_msg: family, then from byte 4 the ports and addresses; the inode is the last word. */
function socketOf(message: Buffer): OpenSocket {
  const size = message[0] === AF_INET6 ? 16 : 4;
  return { address: Uint8Array.from(message.subarray(8, 8 + size)), port: message.readUInt16BE(4), inode: message.readUInt32LE(68) };
}
