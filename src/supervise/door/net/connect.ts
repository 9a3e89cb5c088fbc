import type { Call, CallName, NetAction, Verdict } from "../../../action/index.ts";
import { addressOf, ERRNO, sys, SYSCALLS } from "../../kernel/index.ts";
import { type Destination, isRefused, readSockaddr, type SocketAddress } from "../../net/index.ts";
import type { Trap } from "../listener.ts";
import { type Bench, type Decoded, LATER, type Operation } from "../operation.ts";
import type { Task } from "../tasks.ts";
import { AF, briefly, close, connect, done, isSignalled, isWritable, nameOf, SOCK, type Sock, sockaddrAt, socketOf } from "./socket.ts";
import { NOBODY, type NetState } from "./state.ts";
import { connectUnix } from "./unix.ts";

export type Internet = Extract<SocketAddress, { readonly family: "internet" }>;

const SOCK_CLOEXEC = 0o2000000;
const LOOK_FOR_SIGNALS_EVERY = 50;

/** connect(2). */
export function connectHandler(state: NetState, trap: Trap, task: Task, bench: Bench): Decoded {
  const sock = socketOf(task, bench, trap.int(0));
  if (typeof sock === "number") return sock;
  const bytes = sockaddrAt(trap.tid, bench, trap.long(1), trap.int(2));
  if (typeof bytes === "number") return done(sock, bytes);
  const to = readSockaddr(bytes);
  if (isRefused(to)) return done(sock, -to.errno);
  if (to.family === "unix") return sock.domain === AF.UNIX ? connectUnix(state, task, bench, sock, to) : done(sock, -ERRNO.EAFNOSUPPORT);
  if (sock.domain !== AF.INET && sock.domain !== AF.INET6) return done(sock, -ERRNO.EINVAL);
  // It ends a connection, or fails as it would.
  if (to.family === "unspecified") {
    state.asResolver.delete(sock.inode);
    return done(sock, connect(sock.fd, bytes));
  }
  return sock.type === SOCK.STREAM ? connectStream(state, task, sock, to, bytes) : connectDatagrams(state, task, sock, to, bytes);
}

function connectStream(state: NetState, task: Task, sock: Sock, to: Internet, bytes: Buffer): Decoded {
  const relay = state.relayFor(to, sock);
  // The relay is on this machine: nothing to wait for, nothing to ask.
  if (relay !== undefined) return done(sock, briefly(sock.fd, () => connect(sock.fd, relay)).result);
  const destination = state.destination(to, "tcp");
  return {
    ...judgement(state, destination),
    pinned: [sock.fd],
    // Whoever starts to listen a moment later was not judged.
    perform: destination.listener === "none" ? () => -ERRNO.ECONNREFUSED : connecting(task, sock, bytes),
  };
}

/** The call, its actions, and who judges them: under every name of the address. */
export function judgement(state: NetState, to: Destination): Pick<Operation, "call" | "actions" | "judge"> {
  const { action } = state.connect(to, NOBODY);
  return {
    call: callOf(action, to),
    actions: [action],
    judge: (caller) => state.connect(to, caller).verdict,
  };
}

export function callOf(action: NetAction, to: Pick<Destination, "address" | "port">, name: CallName = "connect"): Call {
  return { name, args: [action.host ?? to.address.host, String(to.port)] };
}

/** Connects a socket that may wait, and says LATER until it is connected. The same errors as connect(2). */
export function connecting(task: Task, sock: Sock, bytes: Buffer): () => number {
  if (!sock.blocks) return () => connect(sock.fd, bytes);
  const begun = performance.now();
  let deadline = Number.POSITIVE_INFINITY;
  let looked = begun;
  let started = false;
  return () => {
    const now = performance.now();
    if (!started || isWritable(sock.fd)) {
      const { result, limit } = briefly(sock.fd, () => connect(sock.fd, bytes));
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
function connectDatagrams(state: NetState, task: Task, sock: Sock, to: Internet, bytes: Buffer): Decoded {
  const relay = state.relayFor(to, sock);
  if (relay !== undefined) {
    state.asResolver.set(sock.inode, bytes);
    return done(sock, connect(sock.fd, relay));
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
      real ||= destination.listener !== "none" && state.connect(destination, caller).verdict.decision === "allow";
      return ALLOWED;
    },
    pinned: [sock.fd],
    perform: () => {
      if (!real) return pretendConnected(sock, bytes);
      state.asResolver.delete(sock.inode);
      return connect(sock.fd, bytes);
    },
  };
}

const ALLOWED: Verdict = { decision: "allow", basis: "knowledge", builtin: "no-data", reason: "nothing is sent" };

/**
 * What a library wants to know by it: whether there is a route, and which address of ours would speak. The socket gets
 * that address and stays unconnected, so that every datagram still names its receiver.
 */
function pretendConnected(sock: Sock, bytes: Buffer): number {
  const other = sys(SYSCALLS.socket, sock.domain, SOCK.DGRAM | SOCK_CLOEXEC, 0);
  if (other < 0) return other;
  const result = connect(other, bytes);
  const name = result < 0 ? undefined : nameOf(other);
  close(other);
  if (result < 0 || name === undefined) return result;
  name.bytes.writeUInt16BE(0, 2);
  // Bound already: then that is the address.
  sys(SYSCALLS.bind, sock.fd, addressOf(name.bytes), name.bytes.length);
  return 0;
}
