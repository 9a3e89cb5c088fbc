import { attempt } from "@assent/core/data";
import type { Call, CallName, NetAction } from "@assent/core/action";
import { type Verdict, verdictOf } from "@assent/core/policy";
import { addressOf, AF, alloc, ERRNO, IPV6_V6ONLY, readProc, SOCK, SOCK_CLOEXEC, SOL, sys, SYSCALLS } from "../../kernel/index.ts";
import { isRefused, readSockaddr, type InternetAddress } from "../../net/sockaddr.ts";
import type { SocketDestination } from "../../net/judge-address.ts";
import { type Caller, NOBODY } from "../../judge/types.ts";
import type { SeccompTrap } from "../listener.ts";
import { type Decoded, type DecodedCall, LATER, type TaskAccess } from "../operation.ts";
import { isSignalled, type Task } from "../tasks.ts";
import {
  close,
  closeAndReturn,
  connect,
  doBriefly,
  isWritable,
  nameOf,
  option,
  peerOf,
  setOption,
  SO,
  sockaddrAt,
  socketOf,
  type TaskSocket,
} from "./socket.ts";
import { type NetState, type SocketNames } from "./state.ts";
import { connectUnix } from "./unix.ts";

const LOOK_FOR_SIGNALS_EVERY = 50;

/** connect(2). */
export function connectHandler(state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess): Decoded {
  const sock = socketOf(task, access, trap.int(0));
  if (typeof sock === "number") {
    const handed = access.tasks.copies.handed(task, trap.int(0));
    return handed === undefined ? sock : connectAgain(handed);
  }
  const bytes = sockaddrAt(trap.tid, access, trap.long(1), trap.int(2));
  if (typeof bytes === "number") return closeAndReturn(sock, bytes);
  const to = readSockaddr(bytes);
  if (isRefused(to)) return closeAndReturn(sock, -to.errno);
  if (to.family === "unix")
    return sock.domain === AF.UNIX ? connectUnix(state, task, access, sock, to) : closeAndReturn(sock, -ERRNO.EAFNOSUPPORT);
  if (sock.domain !== AF.INET && sock.domain !== AF.INET6) return closeAndReturn(sock, -ERRNO.EINVAL);
  // It ends a connection, or fails as it would.
  if (to.family === "unspecified") {
    state.asResolver.delete(sock.inode);
    state.socketNames.delete(sock.inode);
    return closeAndReturn(sock, connect(sock.fd, bytes));
  }
  return sock.type === SOCK.STREAM ? connectStream(state, task, access, sock, to, bytes) : connectDatagrams(state, task, sock, to, bytes);
}

function connectStream(state: NetState, task: Task, access: TaskAccess, sock: TaskSocket, to: InternetAddress, bytes: Buffer): Decoded {
  // INVARIANT: answered here. The kernel says so whatever the address, but the connection may be ended meanwhile.
  if (peerOf(sock.fd) !== undefined || option(sock.fd, SO.ACCEPTCONN) === 1) {
    const waited = state.connecting.has(sock.inode);
    state.connecting.delete(sock.inode);
    // Whoever did not wait is told once.
    return closeAndReturn(sock, waited ? 0 : -ERRNO.EISCONN);
  }
  const relay = state.relayFor(to, sock);
  // The relay is on this machine: nothing to wait for, nothing to ask.
  if (relay !== undefined) {
    const { result } = doBriefly(sock.fd, () => connect(sock.fd, relay));
    const names = result < 0 ? result : namesOnceConnected(state, sock, bytes);
    if (typeof names === "object") state.socketNames.set(sock.inode, names);
    if (goesOn(result)) access.tasks.copies.hand(sock.inode);
    return closeAndReturn(sock, result);
  }
  const destination = state.destination(to, "tcp");
  const { judge, ...operation } = prepareJudging(state, destination);
  let open = state.observes || destination.listener !== "none";
  let perform: (() => number) | undefined;
  return {
    ...operation,
    judge: (caller) => {
      open ||= state.isOpen(destination, caller);
      return judge(caller);
    },
    pinned: [sock.fd],
    perform: () => {
      // Whoever starts to listen a moment later was not judged: it is refused by a port at which nobody ever will.
      // Another address of this machine leads to another device.
      const around = destination.confined === true && to.address.reach !== "loopback";
      const at = around ? state.loopbackFor(sock, to) : open ? bytes : state.refuserFor(sock, to);
      perform ??= at === undefined ? () => -ERRNO.ECONNREFUSED : connectWaiting(task, sock, at);
      const result = perform();
      const names = around && (result === 0 || result === -ERRNO.EINPROGRESS) ? namesOnceConnected(state, sock, bytes) : undefined;
      if (typeof names === "object") state.socketNames.set(sock.inode, names);
      if (result === -ERRNO.EINPROGRESS || result === -ERRNO.EINTR) state.connecting.set(sock.inode, true);
      else state.connecting.delete(sock.inode);
      if (goesOn(result)) access.tasks.copies.hand(sock.inode);
      return result;
    },
  };
}

/** Nothing of it is the trap handler's to do any more. */
const goesOn = (result: number): boolean => result === 0 || result === -ERRNO.EINPROGRESS;

/** A stream that the trap handler has no copy of any more is connected once more: what the kernel would say of it. */
function connectAgain(inode: number): number {
  for (const name of ["tcp", "tcp6"]) {
    // proc(5): the state is the fourth field, the inode the tenth.
    const line = tableOf(name).find((fields) => fields[9] === String(inode));
    if (line !== undefined) return line[3] === "01" ? -ERRNO.EISCONN : line[3] === "02" ? -ERRNO.EALREADY : -ERRNO.EINVAL;
  }
  return -ERRNO.ECONNREFUSED;
}

const tableOf = (name: string): readonly (readonly string[])[] =>
  attempt(
    () =>
      readProc(`/proc/self/net/${name}`)
        .toString("latin1")
        .split("\n")
        .map((line) => line.trim().split(/\s+/)),
    [],
  );

/** The call, its actions, and who judges them: under every name of the address. */
export function prepareJudging(
  state: NetState,
  to: SocketDestination,
): Pick<DecodedCall, "call" | "actions"> & { judge: (caller: Caller) => Verdict } {
  const { action } = state.connect(to, NOBODY);
  return {
    call: callOf(action, to),
    actions: [action],
    judge: (caller) => state.connect(to, caller).verdict,
  };
}

export function callOf(action: NetAction, to: Pick<SocketDestination, "address" | "port">, name: CallName = "connect"): Call {
  return { name, args: [action.host ?? to.address.host, String(to.port)] };
}

/** Connects a socket that may wait, and says LATER until it is connected. The same errors as connect(2). */
export function connectWaiting(task: Task, sock: TaskSocket, bytes: Buffer): () => number {
  if (!sock.blocks) return () => connect(sock.fd, bytes);
  const begun = performance.now();
  let deadline = Number.POSITIVE_INFINITY;
  let looked = begun;
  let started = false;
  return () => {
    const now = performance.now();
    if (!started || isWritable(sock.fd)) {
      const { result, limit } = doBriefly(sock.fd, () => connect(sock.fd, bytes));
      if (limit > 0) deadline = begun + limit;
      started = true;
      if (result !== -ERRNO.EINPROGRESS && result !== -ERRNO.EALREADY) return result;
    }
    if (now > deadline) return -ERRNO.EINPROGRESS;
    if (now - looked > LOOK_FOR_SIGNALS_EVERY) {
      looked = now;
      if (isSignalled(task)) return -ERRNO.EINTR;
    }
    return LATER;
  };
}

/** Connecting a datagram socket sends nothing; but from then on it sends without being asked. */
function connectDatagrams(state: NetState, task: Task, sock: TaskSocket, to: InternetAddress, bytes: Buffer): Decoded {
  const relay = state.relayFor(to, sock);
  if (relay !== undefined) {
    const names = namesOnceConnected(state, sock, bytes);
    const result = connect(sock.fd, relay);
    if (result === 0) state.asResolver.set(sock.inode, bytes);
    if (typeof names === "object") state.socketNames.set(sock.inode, names);
    else state.socketNames.delete(sock.inode);
    return closeAndReturn(sock, result);
  }
  const destination = state.destination(to, "udp");
  let real = state.observes;
  const { action } = state.connect(destination, NOBODY);
  return {
    call: callOf(action, destination),
    // Never a question, and only what is really connected is told of: libraries try addresses this way that they will
    // not use (getaddrinfo(3) sorts them by it).
    get actions() {
      return real ? [action] : [];
    },
    judge: (caller) => {
      real ||= state.isOpen(destination, caller);
      return ALLOWED;
    },
    pinned: [sock.fd],
    perform: () => {
      if (!real) return pretendConnected(state, sock, bytes);
      const result = connect(sock.fd, bytes);
      if (result < 0) return result;
      state.asResolver.delete(sock.inode);
      state.socketNames.delete(sock.inode);
      return result;
    },
  };
}

const ALLOWED = verdictOf("allow", "no-data");

/**
 * What a library wants to know by it: whether there is a route, and which address of ours would speak. Another socket finds
 * that out; this one gets a port, as it would, shows the names of the other, and stays unconnected, so that every datagram
 * still names its receiver. It is never bound to an address: that would outlast the connection (SOCK_BINDADDR_LOCK).
 */
function pretendConnected(state: NetState, sock: TaskSocket, bytes: Buffer): number {
  takePort(sock);
  const names = namesOnceConnected(state, sock, bytes);
  if (typeof names === "number") return names;
  disconnect(state, sock);
  state.socketNames.set(sock.inode, names);
  return 0;
}

/** The names that a socket like this one has when it is connected; or the errno of connecting. */
function namesOnceConnected(state: NetState, sock: TaskSocket, bytes: Buffer): SocketNames | number {
  const other = sys(SYSCALLS.socket, sock.domain, SOCK.DGRAM | SOCK_CLOEXEC, 0);
  if (other < 0) return other;
  try {
    setOption(other, SO.BROADCAST, option(sock.fd, SO.BROADCAST));
    if (sock.domain === AF.INET6) setOption(other, IPV6_V6ONLY, option(sock.fd, IPV6_V6ONLY, SOL.IPV6), SOL.IPV6);
    const device = option(sock.fd, SO.BINDTOIFINDEX);
    if (device > 0) setOption(other, SO.BINDTOIFINDEX, device);
    // An address of its own, or of a connection before that was not ended, is kept (ip4_datagram_connect).
    const own = Buffer.from(state.socketNames.get(sock.inode)?.own ?? nameOf(sock.fd)?.bytes ?? []);
    if (own.length >= 16) {
      own.writeUInt16BE(0, 2);
      sys(SYSCALLS.bind, other, addressOf(own), own.length);
    }
    const result = connect(other, bytes);
    const mine = result < 0 ? undefined : nameOf(other);
    // To port 0 it is connected, and shows nobody.
    return mine === undefined ? result : { own: mine.bytes, peer: peerOf(other)?.bytes };
  } finally {
    close(other);
  }
}

/** Ends what it is connected to, and keeps its port. */
function disconnect(state: NetState, sock: TaskSocket): void {
  state.asResolver.delete(sock.inode);
  if (peerOf(sock.fd) === undefined) return;
  const before = nameOf(sock.fd)?.address;
  connect(sock.fd, UNSPECIFIED);
  takePort(sock, before?.family === "internet" ? before.port : 0);
}

/** As connecting and sending give one to a socket that has none, at the address it has (inet_autobind). */
function takePort(sock: TaskSocket, port = 0): void {
  const name = nameOf(sock.fd);
  if (name?.address.family !== "internet" || name.address.port !== 0) return;
  name.bytes.writeUInt16BE(port, 2);
  sys(SYSCALLS.bind, sock.fd, addressOf(name.bytes), name.bytes.length);
}

const UNSPECIFIED = alloc(16);
