import { addressOf, alloc, sys, SYSCALLS } from "../kernel/index.ts";
import { type OpenSocket, openSockets } from "./proc-net.ts";

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
const PROTOCOL = { tcp: 6, udp: 17 } as const;
/** Listening; for datagrams any state. */
const STATES = { tcp: 1 << 10, udp: 0xffffffff } as const;
const MSG_DONTWAIT = 0x40;
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
    const length = sys(SYSCALLS.recvfrom, descriptor, answerAt, answer.length, MSG_DONTWAIT, 0, 0);
    if (length < NLMSGHDR) break;
    const end = read(answer.subarray(0, length), port, found);
    if (end !== "more") return end === "done" ? found : undefined;
  }
  // Whatever is left in the queue belongs to no later question.
  sys(SYSCALLS.close, descriptor);
  descriptor = undefined;
  return undefined;
}

const AF_UNIX = 1;
const NLM_F_REQUEST = 1;
/** struct unix_diag_req behind the header, struct unix_diag_msg; linux/unix_diag.h. */
const UNIX_REQUEST = NLMSGHDR + 24;
const UNIX_MESSAGE = NLMSGHDR + 16;
const UDIAG_SHOW_PEER = 4;
const UNIX_DIAG_PEER = 2;

/** The inode of the UNIX socket at the other end; undefined where there is none, or the kernel does not say. */
export function unixPeer(inode: number): number | undefined {
  const fd = sys(SYSCALLS.socket, AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
  if (fd < 0) return undefined;
  request.fill(0);
  request.writeUInt32LE(UNIX_REQUEST, 0);
  request.writeUInt16LE(SOCK_DIAG_BY_FAMILY, 4);
  request.writeUInt16LE(NLM_F_REQUEST, 6);
  request[NLMSGHDR] = AF_UNIX;
  request.writeUInt32LE(0xffffffff, NLMSGHDR + 4);
  request.writeUInt32LE(inode, NLMSGHDR + 8);
  request.writeUInt32LE(UDIAG_SHOW_PEER, NLMSGHDR + 12);
  request.fill(0xff, NLMSGHDR + 16, UNIX_REQUEST);
  const sent = sys(SYSCALLS.sendto, fd, requestAt, UNIX_REQUEST, 0, 0, 0);
  const length = sent === UNIX_REQUEST ? sys(SYSCALLS.recvfrom, fd, answerAt, answer.length, MSG_DONTWAIT, 0, 0) : -1;
  sys(SYSCALLS.close, fd);
  if (length < UNIX_MESSAGE || answer.readUInt16LE(4) !== SOCK_DIAG_BY_FAMILY) return undefined;
  // struct rtattr: its length, its type.
  for (let at = UNIX_MESSAGE; at + 8 <= length;) {
    const size = answer.readUInt16LE(at);
    if (size < 4) return undefined;
    if (answer.readUInt16LE(at + 2) === UNIX_DIAG_PEER && size >= 8) return answer.readUInt32LE(at + 4);
    at += (size + 3) & ~3;
  }
  return undefined;
}

/** Messages of one answer. */
function read(bytes: Buffer, port: number, found: OpenSocket[]): "done" | "error" | "more" {
  for (let at = 0; at + NLMSGHDR <= bytes.length;) {
    const length = bytes.readUInt32LE(at);
    const type = bytes.readUInt16LE(at + 4);
    if (length < NLMSGHDR || at + length > bytes.length || type === NLMSG_ERROR) return "error";
    if (type === NLMSG_DONE) return "done";
    if (type === SOCK_DIAG_BY_FAMILY && length >= NLMSGHDR + 72) {
      const message = bytes.subarray(at + NLMSGHDR, at + length);
      const socket = socketOf(message);
      if (socket.port === port) found.push(socket);
    }
    at += (length + 3) & ~3;
  }
  return "more";
}

/** struct inet_diag_msg: family, then from byte 4 the ports and addresses; the inode is the last word. */
function socketOf(message: Buffer): OpenSocket {
  const size = message[0] === AF_INET6 ? 16 : 4;
  return { address: Uint8Array.from(message.subarray(8, 8 + size)), port: message.readUInt16BE(4), inode: message.readUInt32LE(68) };
}
