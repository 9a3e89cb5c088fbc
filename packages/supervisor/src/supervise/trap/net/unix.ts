import { realpathSync, statSync } from "node:fs";
import { attempt } from "@assent/core/data";
import {
  addressOf,
  AF,
  alloc,
  AT_FDCWD,
  cString,
  ERRNO,
  pathBytes,
  pathText,
  RENAME_NOREPLACE,
  sys,
  SYSCALLS,
} from "../../kernel/index.ts";
import { isHeard, isOpenUnix } from "../../net/sock-diag.ts";
import { isResolverSocket, judgeUnixBind, judgeUnixConnect, type SocketDeps } from "../../net/judge-socket.ts";
import { type UnixAddress, unixSockaddr } from "../../net/sockaddr.ts";
import { type Decoded, fileAction, LATER, type TaskAccess } from "../operation.ts";
import { credentialsOf, isSignalled, type Task } from "../tasks.ts";
import { type ObjectStat, statAt } from "../../undo/index.ts";
import { close, closeAndReturn, connect, doBriefly, nameOf, type TaskSocket } from "./socket.ts";
import { type NetState, withLogin } from "./state.ts";
import { type Caller, NOBODY } from "../../judge/types.ts";
import { type Verdict, verdictOf } from "@assent/core/policy";

/** Connects to the very socket that was judged, through its pinned file; to abstract names only of this run. */
export function connectUnix(state: NetState, task: Task, access: TaskAccess, sock: TaskSocket, to: UnixAddress): Decoded {
  if (to.kind === "unnamed") return closeAndReturn(sock, -ERRNO.EINVAL);
  if (to.kind === "abstract") return connectAbstract(state, task, access, sock, to.name);
  access.paths.use(to.path);
  const place = access.paths.object(task, AT_FDCWD, true);
  if (typeof place === "number") return closeAndReturn(sock, place);
  if (place.kind !== "socket" || isResolverSocket(place.path)) {
    close(place.fd);
    return closeAndReturn(sock, -ERRNO.ECONNREFUSED);
  }
  const address = unixSockaddr(Buffer.from(`/proc/self/fd/${place.fd}`)) ?? alloc(0);
  const listener = state.ownFiles.get(madeAs(place.stat));
  const own = listener !== undefined || state.isOfSession(madeAs(place.stat));
  const judge = (caller: Caller) => {
    const found = judgeUnixConnect(place.path, own, deps(state, caller));
    return { ...found, verdict: withLogin(found.verdict, caller, () => judgeUnixConnect(place.path, false, deps(state, caller)).verdict) };
  };
  const { action } = judge(NOBODY);
  return {
    call: action.call ?? { name: "connect", args: [place.path, "0"] },
    actions: [action],
    note: "a socket, to connect to",
    judge: (caller) => judge(caller).verdict,
    pinned: [sock.fd, place.fd],
    perform: rememberPeers(state, task, access, sock, listener, connectWaiting(task, sock, address)),
  };
}

/** What may not be connected to may not be taken away, moved or changed either; undefined: nobody outside the run receives there. */
export function judgeSocketFile(state: NetState, path: string, caller: Caller): Verdict | undefined {
  const real = socketAt(path);
  if (real === undefined) return undefined;
  const stat = statAt(AT_FDCWD, addressOf(cString(pathBytes(real))));
  if (typeof stat === "number" || state.ownFiles.has(madeAs(stat)) || state.isOfSession(madeAs(stat))) return undefined;
  return isHeard(stat.id, real) ? judgeUnixConnect(real, false, deps(state, caller)).verdict : undefined;
}

/** Where links lead; undefined: to no socket, or nowhere. */
const socketAt = (path: string): string | undefined =>
  attempt(() => (statSync(path, { throwIfNoEntry: false })?.isSocket() === true ? realpathSync.native(path) : undefined), undefined);

/** The number of a file that is gone is given to the next one: of a program outside, perhaps. */
const madeAs = ({ id, btime }: ObjectStat): string => `${id} ${btime.join(".")}`;

/** Landlock's scope binds the program and not the trap handler, so the trap handler itself sees to it that the name is the run's own. */
function connectAbstract(state: NetState, task: Task, access: TaskAccess, sock: TaskSocket, name: Buffer): Decoded {
  const inode = state.ownAbstract.get(name.toString("hex"));
  const path = `@${pathText(name)}`;
  const call = { name: "connect", args: [path, "0"] } as const;
  // As long as its socket is there nobody else can have the name; after that, anybody.
  const allowed = inode !== undefined && isOpenUnix(inode);
  return {
    call,
    actions: [fileAction("write", path, call)],
    judge: () =>
      allowed
        ? verdictOf("allow", "own-socket")
        : verdictOf("deny", "abstract-socket", { reason: `the socket ${path} has no file, and a program outside this run owns it` }),
    pinned: [sock.fd],
    perform: rememberPeers(state, task, access, sock, inode, connectWaiting(task, sock, Buffer.concat([Buffer.of(1, 0, 0), name]))),
  };
}

/** The kernel takes the trap handler for who connects, and for who listens: who they were is kept. */
function rememberPeers(
  state: NetState,
  task: Task,
  access: TaskAccess,
  sock: TaskSocket,
  listener: number | undefined,
  connects: () => number,
): () => number {
  const who = listener === undefined ? undefined : state.listeners.get(listener);
  return () => {
    const result = connects();
    if (result !== 0) return result;
    access.tasks.copies.hand(sock.inode);
    state.connectors.set(sock.inode, credentialsOf(task));
    if (who === undefined) state.peers.delete(sock.inode);
    else state.peers.set(sock.inode, who);
    return result;
  };
}

/** unix(7): a full queue is waited for by a socket that waits. */
function connectWaiting(task: Task, sock: TaskSocket, address: Buffer): () => number {
  if (!sock.blocks) return () => connect(sock.fd, address);
  let deadline = 0;
  return () => {
    const { result, limit } = doBriefly(sock.fd, () => connect(sock.fd, address));
    if (result !== -ERRNO.EAGAIN) return result;
    if (deadline === 0) deadline = limit > 0 ? performance.now() + limit : Number.POSITIVE_INFINITY;
    if (performance.now() > deadline) return result;
    return isSignalled(task) ? -ERRNO.EINTR : LATER;
  };
}

/** Makes the file of a socket where the path leads, with the mode that the task's umask leaves. */
export function bindUnix(state: NetState, task: Task, access: TaskAccess, sock: TaskSocket, to: UnixAddress, bytes: Buffer): Decoded {
  if (to.kind === "unnamed") return closeAndReturn(sock, bindAbstract(state, sock, bytes));
  if (to.kind === "abstract") return closeAndReturn(sock, bindAbstract(state, sock, bytes));
  access.paths.use(to.path);
  const slot = access.paths.slot(task, AT_FDCWD);
  if (typeof slot === "number") return closeAndReturn(sock, slot);
  const refuse = (errno: number): number => {
    close(slot.parent);
    return closeAndReturn(sock, errno);
  };
  // As mknod(2) answers for what is there, or cannot be: bind(2) says EADDRINUSE of it.
  if (slot.hopeless || typeof statAt(slot.parent, slot.nameAt) !== "number") return refuse(-ERRNO.EADDRINUSE);
  if (slot.slash) return refuse(-ERRNO.ENOENT);
  // EINVAL of the kernel's own, whatever the path: it is bound already.
  if (isBound(sock)) return refuse(-ERRNO.EINVAL);
  const { path, address, brief } = pathFor(state, slot.parent, slot.name.subarray(0, -1));
  const { action } = judgeUnixBind(slot.path, deps(state, NOBODY));
  return {
    call: action.call ?? { name: "bind", args: [slot.path, "0"] },
    actions: [action],
    note: "new socket",
    pinned: [sock.fd, slot.parent],
    save: (undo) => undo.create(slot.parent, slot.path, "socket"),
    perform: () => {
      let result = access.tasks.masked(access.tasks.umask(task), () => sys(SYSCALLS.bind, sock.fd, addressOf(address), address.length));
      if (result === 0 && brief !== undefined) result = rename(slot.parent, brief, slot.nameAt);
      if (result < 0) return result === -ERRNO.EEXIST ? -ERRNO.EADDRINUSE : result;
      state.unixNames.set(path, asAsked(to.path));
      const made = statAt(slot.parent, slot.nameAt);
      if (typeof made === "object") state.binds(madeAs(made), sock.inode);
      return result;
    },
  };
}

function isBound(sock: TaskSocket): boolean {
  const address = nameOf(sock.fd)?.address;
  return address?.family === "unix" && address.kind !== "unnamed";
}

interface PathFor {
  readonly path: string;
  readonly address: Buffer;
  /** Another name, for one that is too long to be bound by this path. */
  readonly brief?: Buffer;
}

/**
 * A path to `name` in a pinned folder by which no other socket of the run was bound: the kernel shows it, to whoever is connected
 * too, and by it the one that was asked for is found. `/` and `/.` are the digits of the bind's number.
 */
function pathFor(state: NetState, parent: number, name: Buffer): PathFor {
  const number = state.nextBind();
  const digits = [...number.toString(2)].map((digit) => (digit === "1" ? "/." : "/")).join("");
  const folder = Buffer.from(`/proc/self/fd/${parent}${digits}/`);
  const whole = Buffer.concat([folder, name]);
  const address = unixSockaddr(whole);
  if (address !== undefined) return { path: whole.toString("latin1"), address };
  const brief = Buffer.from(`.${number.toString(36)}~\0`);
  const path = Buffer.concat([Buffer.from(`/proc/self/fd/${parent}/`), brief.subarray(0, -1)]);
  return { path: path.toString("latin1"), address: unixSockaddr(path) ?? alloc(0), brief };
}

function rename(parent: number, from: Buffer, nameAt: number): number {
  const result = sys(SYSCALLS.renameat2, parent, addressOf(from), parent, nameAt, RENAME_NOREPLACE);
  if (result < 0) sys(SYSCALLS.unlinkat, parent, addressOf(from), 0);
  return result;
}

/** As getsockname(2) shows a path: with its NUL, even where that is byte 109 (unix(7)). */
function asAsked(path: Buffer): Buffer {
  const bytes = Buffer.concat([alloc(2), path, alloc(1)]);
  bytes.writeUInt16LE(AF.UNIX, 0);
  return bytes;
}

/** A name without a file: only the run itself may connect to it, so it needs no asking. */
function bindAbstract(state: NetState, sock: TaskSocket, bytes: Buffer): number {
  const result = sys(SYSCALLS.bind, sock.fd, addressOf(bytes), bytes.length);
  const name = result < 0 ? undefined : nameOf(sock.fd)?.address;
  if (name?.family === "unix" && name.kind === "abstract") state.ownAbstract.set(name.name.toString("hex"), sock.inode);
  return result;
}

function deps(state: NetState, caller: Caller): SocketDeps {
  return { env: state.env, judge: (action) => state.judge([action], caller) };
}
