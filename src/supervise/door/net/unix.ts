import { addressOf, alloc, ERRNO, pathText, sys, SYSCALLS } from "../../kernel/index.ts";
import {
  isOpenUnix,
  isResolverSocket,
  judgeUnixBind,
  judgeUnixConnect,
  type SocketAddress,
  type SocketDeps,
  unixSockaddr,
} from "../../net/index.ts";
import { fileAction, type Bench, type Decoded, LATER } from "../operation.ts";
import { AT_FDCWD } from "../paths.ts";
import type { Task } from "../tasks.ts";
import { type ObjectStat, statAt, statFd } from "../../undo/index.ts";
import { briefly, close, connect, done, isSignalled, nameOf, type Sock } from "./socket.ts";
import { NOBODY, type NetState } from "./state.ts";
import type { Caller } from "../../judge/index.ts";

type Unix = Extract<SocketAddress, { readonly family: "unix" }>;

const ALL_MODES = 0o7777;
const EVERYBODY = 0o777;

/** Connects to the very socket that was judged, through its pinned file; to abstract names only of this run. */
export function connectUnix(state: NetState, task: Task, bench: Bench, sock: Sock, to: Unix): Decoded {
  if (to.kind === "unnamed") return done(sock, -ERRNO.EINVAL);
  if (to.kind === "abstract") return connectAbstract(state, task, sock, to.name);
  bench.paths.use(to.path);
  const place = bench.paths.object(task, AT_FDCWD, true);
  if (typeof place === "number") return done(sock, place);
  if (place.kind !== "socket" || isResolverSocket(place.path)) {
    close(place.fd);
    return done(sock, -ERRNO.ECONNREFUSED);
  }
  const address = unixSockaddr(Buffer.from(`/proc/self/fd/${place.fd}`)) ?? alloc(0);
  const own = state.ownFiles.has(madeAs(place.stat));
  const judge = (caller: Caller) => judgeUnixConnect(place.path, own, deps(state, caller));
  const { action } = judge(NOBODY);
  return {
    call: action.call ?? { name: "connect", args: [place.path, "0"] },
    actions: [action],
    note: "a socket, to connect to",
    judge: (caller) => judge(caller).verdict,
    pinned: [sock.fd, place.fd],
    perform: waiting(task, sock, address),
  };
}

/** The number of a file that is gone is given to the next one: of a program outside, perhaps. */
const madeAs = ({ id, btime }: ObjectStat): string => `${id} ${btime.join(".")}`;

/** Landlock's scope binds the program and not the door, so the door itself sees to it that the name is the run's own. */
function connectAbstract(state: NetState, task: Task, sock: Sock, name: Buffer): Decoded {
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
        ? { decision: "allow", basis: "knowledge", builtin: "own-socket", reason: "a program of this run listens there" }
        : {
            decision: "deny",
            basis: "protection",
            builtin: "abstract-socket",
            reason: `${path} has no file and no owner, and belongs to a program outside this run`,
            help: "let that program use a socket with a path, and allow that",
          },
    pinned: [sock.fd],
    perform: waiting(task, sock, Buffer.concat([Buffer.of(1, 0, 0), name])),
  };
}

/** unix(7): a full queue is waited for by a socket that waits. */
function waiting(task: Task, sock: Sock, address: Buffer): () => number {
  if (!sock.blocks) return () => connect(sock.fd, address);
  let deadline = 0;
  return () => {
    const { result, limit } = briefly(sock.fd, () => connect(sock.fd, address));
    if (result !== -ERRNO.EAGAIN) return result;
    if (deadline === 0) deadline = limit > 0 ? performance.now() + limit : Number.POSITIVE_INFINITY;
    if (performance.now() > deadline) return result;
    return isSignalled(task) ? -ERRNO.EINTR : LATER;
  };
}

/** Makes the file of a socket where the path leads, with the mode that the task's umask leaves. */
export function bindUnix(state: NetState, task: Task, bench: Bench, sock: Sock, to: Unix, bytes: Buffer): Decoded {
  if (to.kind === "unnamed") return done(sock, bindAbstract(state, sock, bytes));
  if (to.kind === "abstract") return done(sock, bindAbstract(state, sock, bytes));
  bench.paths.use(to.path);
  const slot = bench.paths.slot(task, AT_FDCWD);
  if (typeof slot === "number") return done(sock, slot);
  const refuse = (errno: number): number => {
    close(slot.parent);
    return done(sock, errno);
  };
  // As mknod(2) answers for what is there, or cannot be: bind(2) says EADDRINUSE of it.
  if (slot.hopeless || typeof statAt(slot.parent, slot.nameAt) !== "number") return refuse(-ERRNO.EADDRINUSE);
  if (slot.slash) return refuse(-ERRNO.ENOENT);
  const address = unixSockaddr(Buffer.concat([Buffer.from(`/proc/self/fd/${slot.parent}/`), slot.name.subarray(0, -1)]));
  if (address === undefined) return refuse(-ERRNO.ENAMETOOLONG);
  const { action } = judgeUnixBind(slot.path, deps(state, NOBODY));
  return {
    call: action.call ?? { name: "bind", args: [slot.path, "0"] },
    actions: [action],
    note: "new socket",
    pinned: [sock.fd, slot.parent],
    save: (undo) => undo.create(slot.parent, slot.path, "socket"),
    perform: () => {
      // unix_bind: the file gets the socket's own mode, less the umask, which is 0 here.
      const stat = statFd(sock.fd);
      const mode = typeof stat === "number" ? EVERYBODY : stat.mode & ALL_MODES;
      sys(SYSCALLS.fchmod, sock.fd, mode & ~bench.tasks.umask(task));
      const result = sys(SYSCALLS.bind, sock.fd, addressOf(address), address.length);
      sys(SYSCALLS.fchmod, sock.fd, mode);
      const made = result < 0 ? result : statAt(slot.parent, slot.nameAt);
      if (typeof made === "object") state.ownFiles.set(madeAs(made), true);
      return result;
    },
  };
}

/** A name without a file: only the run itself may connect to it, so it needs no asking. */
function bindAbstract(state: NetState, sock: Sock, bytes: Buffer): number {
  const result = sys(SYSCALLS.bind, sock.fd, addressOf(bytes), bytes.length);
  const name = result < 0 ? undefined : nameOf(sock.fd)?.address;
  if (name?.family === "unix" && name.kind === "abstract") state.ownAbstract.set(name.name.toString("hex"), sock.inode);
  return result;
}

function deps(state: NetState, caller: Caller): SocketDeps {
  return { env: state.env, judge: (action) => state.judge([action], caller) };
}
