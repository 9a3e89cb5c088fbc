import { baseName } from "@assent/core/path";
import { type Verdict, verdictOf, type Address } from "@assent/core/policy";
import { addressOf, AF, ERRNO, SOCK, sys, SYSCALLS } from "../../kernel/index.ts";
import { isRefused, readSockaddr } from "../../net/sockaddr.ts";
import { judgeListen, type NetVerdict } from "../../net/judge-address.ts";
import { overlaps, socketsOn } from "../../net/sock-diag.ts";
import { type Caller, NOBODY } from "../../judge/types.ts";
import type { SeccompTrap } from "../listener.ts";
import type { Decoded, DecodedCall, TaskAccess } from "../operation.ts";
import { programOf } from "../processes.ts";
import { credentialsOf, type Task } from "../tasks.ts";
import { callOf } from "./connect.ts";
import { closeAndReturn, nameOf, option, setOption, SO, sockaddrAt, socketOf, type TaskSocket } from "./socket.ts";
import { type NetState } from "./state.ts";
import { bindUnix } from "./unix.ts";

const DNS = 53;

/** bind(2). */
export function bindHandler(state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess): Decoded {
  const sock = socketOf(task, access, trap.int(0));
  if (typeof sock === "number") return sock;
  const bytes = sockaddrAt(trap.tid, access, trap.long(1), trap.int(2));
  if (typeof bytes === "number") return closeAndReturn(sock, bytes);
  const internet = isInternet(sock);
  // netlink(7), whose routes reach no further than this machine.
  if (!internet && sock.domain !== AF.UNIX) return closeAndReturn(sock, bind(sock, bytes));
  // AF_UNSPEC is taken for AF_INET where no address follows (inet_bind).
  if (sock.domain === AF.INET && bytes.length >= 16 && bytes.readUInt16LE(0) === AF.UNSPEC) bytes.writeUInt16LE(AF.INET, 0);
  const at = readSockaddr(bytes);
  if (isRefused(at)) return closeAndReturn(sock, -at.errno);
  if (at.family === "unix" && !internet) return bindUnix(state, task, access, sock, at, bytes);
  if (at.family !== "internet" || !internet) return closeAndReturn(sock, -ERRNO.EINVAL);

  const { address, port } = at;
  const confines = address.any && canConfine(sock);
  const perform = (): number => (isTaken(state, sock, address, port) ? -ERRNO.EADDRINUSE : bind(sock, bytes));
  state.bound.delete(sock.inode);
  // Any free port: with a stream what matters is listen(2); a datagram socket has to have one to hear answers.
  if (port === 0 || isLocal(address, port)) return closeAndReturn(sock, perform());
  const found = prepareJudging(state, "bind", address, port, confines);
  return {
    ...found.operation,
    pinned: [sock.fd],
    perform: () => {
      // What a stream is bound to matters when it listens: until then it may still connect from there.
      const near = found.confined() && sock.type !== SOCK.STREAM && !isTaken(state, sock, address, port) ? confine(state, sock) : 0;
      const result = near < 0 ? near : perform();
      if (result === 0 && !found.confined()) state.bound.set(sock.inode, consent(address, port));
      return result;
    },
  };
}

/** listen(2). A stream socket that was never bound gets a port of every address. */
export function listenHandler(state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess): Decoded {
  const sock = socketOf(task, access, trap.int(0));
  if (typeof sock === "number") return sock;
  const listen = (): number => {
    const result = sys(SYSCALLS.listen, sock.fd, trap.int(1));
    if (result !== 0) return result;
    access.tasks.copies.hand(sock.inode);
    if (isInternet(sock)) state.listens(sock.inode);
    else state.own.set(sock.inode, true);
    if (sock.domain === AF.UNIX) state.listeners.set(sock.inode, credentialsOf(task));
    return result;
  };
  if (!isInternet(sock) || sock.type !== SOCK.STREAM) return closeAndReturn(sock, listen());
  const name = nameOf(sock.fd)?.address;
  if (name?.family !== "internet") return closeAndReturn(sock, -ERRNO.EINVAL);
  const { address, port } = name;
  const isFree = isLocal(address, port) || state.bound.get(sock.inode) === consent(address, port);
  const isInspector = port === INSPECTOR && /^(?:node|nodejs)$/.test(baseName(programOf(task.tgid) ?? "node"));
  if (isFree && !isInspector) return closeAndReturn(sock, listen());
  const found = prepareJudging(state, "listen", address, port, address.any && canConfine(sock));
  const judge = (caller: Caller): Verdict => {
    if (isInspector && (caller.logins().length > 0 || caller.toolService().hosts.length > 0)) return INSPECTED;
    return isFree ? ALLOWED : found.operation.judge(caller);
  };
  const perform = (): number => {
    const near = found.confined() ? confine(state, sock) : 0;
    return near < 0 ? near : listen();
  };
  return { ...found.operation, judge, pinned: [sock.fd], perform };
}

/**
 * Where node opens its inspector at SIGUSR1, whoever sends it (nodejs.org, "Debugging"): it does whatever it is told there. Another port
 * is an option or a variable, which takes a tool its logins.
 */
const INSPECTOR = 9229;
const ALLOWED = verdictOf("allow", "no-data");
const INSPECTED = verdictOf("deny", "protect.secrets", { reason: "it may read a login, and does what it is told at this port" });

/** Of every network device the loopback one has number 1 (LOOPBACK_IFINDEX). */
const LOOPBACK = 1;

/** A socket that belongs to no other device can be tied to loopback. */
const canConfine = (sock: TaskSocket): boolean => [0, LOOPBACK].includes(option(sock.fd, SO.BINDTOIFINDEX));

/**
 * Whoever listens everywhere and was given no more is heard on this machine: the socket shows the address it asked for, and
 * takes what comes by the loopback device only. INVARIANT: without CAP_NET_RAW, which no program of a run has, nobody loosens it again (socket(7)).
 */
function confine(state: NetState, sock: TaskSocket): number {
  setOption(sock.fd, SO.BINDTOIFINDEX, LOOPBACK);
  if (option(sock.fd, SO.BINDTOIFINDEX) !== LOOPBACK) return -ERRNO.EACCES;
  state.confined.set(sock.inode, true);
  return 0;
}

const isInternet = ({ domain }: TaskSocket): boolean => domain === AF.INET || domain === AF.INET6;

/** Nobody but this machine gets there. Port 53 is asked about: who answers there could pass for a local name server. */
const isLocal = (address: Address, port: number): boolean => address.reach === "loopback" && !address.any && port !== DNS;

/** What was said yes to when the socket was bound. */
const consent = (address: Address, port: number): string => `${address.host}:${port}`;

function bind(sock: TaskSocket, bytes: Buffer): number {
  return sys(SYSCALLS.bind, sock.fd, addressOf(bytes), bytes.length);
}

/** SO_REUSEPORT and, for datagrams, SO_REUSEADDR would give a share of what belongs to a program outside the run. */
function isTaken(state: NetState, sock: TaskSocket, address: Address, port: number): boolean {
  if (port === 0) return false;
  const there = socketsOn(sock.type === SOCK.STREAM ? "tcp" : "udp", port).filter((socket) => overlaps(socket, address.bytes, port));
  return there.some(({ inode }) => !state.own.has(inode));
}

interface JudgedListening {
  readonly operation: Pick<DecodedCall, "call" | "actions"> & { readonly judge: (caller: Caller) => Verdict };
  /** It was judged, and is to be heard on this machine only. */
  readonly confined: () => boolean;
}

function prepareJudging(state: NetState, name: "bind" | "listen", address: Address, port: number, confines: boolean): JudgedListening {
  const judge = (caller: Caller): NetVerdict =>
    judgeListen({ address, port, confines }, { judge: (action) => state.judge([action], caller) });
  const { action } = judge(NOBODY);
  const call = callOf(action, { address, port }, name);
  let confined = confines;
  return {
    operation: {
      call,
      actions: [{ ...action, call }],
      judge: (caller) => {
        const found = judge(caller);
        confined = found.confined === true && !state.observes;
        return found.verdict;
      },
    },
    confined: () => confined,
  };
}
