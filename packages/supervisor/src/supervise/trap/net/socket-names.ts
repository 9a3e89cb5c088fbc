import type { SeccompTrap } from "../listener.ts";
import { write } from "./message.ts";
import { close, nameOf, peerOf, type SocketName, socketOf, type TaskSocket } from "./socket.ts";
import type { NetState } from "./state.ts";
import { type Decoded, PASS, type TaskAccess } from "../operation.ts";
import type { Task } from "../tasks.ts";
import { AF, alloc, ERRNO } from "../../kernel/index.ts";
import { unixPeer } from "../../net/sock-diag.ts";

/**
 * What sockets are called. The trap handler binds UNIX sockets by a path of its own, lets datagram sockets seem connected that are
 * not, and connects in the program's place: getsockname(2), getpeername(2) and SO_PEERCRED say what they would say without
 * it. Nothing is decided here, so nothing is lost by a race.
 */
export function getsocknameHandler(state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess): Decoded {
  return answerName(state, trap, task, access, ownName);
}

export function getpeernameHandler(state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess): Decoded {
  return answerName(state, trap, task, access, peerName);
}

function answerName(
  state: NetState,
  trap: SeccompTrap,
  task: Task,
  access: TaskAccess,
  find: (state: NetState, sock: TaskSocket) => Buffer | undefined,
): Decoded {
  if (state.socketNames.size === 0 && state.unixNames.size === 0) return PASS;
  const sock = socketOf(task, access, trap.int(0));
  if (typeof sock === "number") return PASS;
  const shown = find(state, sock);
  close(sock.fd);
  return shown === undefined ? PASS : writeAnswer(trap, access, shown, [trap.long(1), trap.long(2)]);
}

function ownName(state: NetState, sock: TaskSocket): Buffer | undefined {
  if (sock.domain === AF.UNIX) return unixName(state, nameOf(sock.fd));
  const shown = state.socketNames.get(sock.inode);
  const real = shown === undefined ? undefined : nameOf(sock.fd);
  if (shown === undefined || real === undefined) return undefined;
  const bytes = Buffer.from(shown.own);
  real.bytes.copy(bytes, 2, 2, 4);
  return bytes;
}

function peerName(state: NetState, sock: TaskSocket): Buffer | undefined {
  return sock.domain === AF.UNIX ? unixName(state, peerOf(sock.fd)) : state.socketNames.get(sock.inode)?.peer;
}

/** What a UNIX socket was asked to be bound to; undefined where the kernel knows. */
export function unixName(state: NetState, name: SocketName | undefined): Buffer | undefined {
  const address = name?.address;
  return address?.family === "unix" && address.kind === "path" ? state.unixNames.get(address.path.toString("latin1")) : undefined;
}

/** getsockopt(2), SO_PEERCRED: the process that connected or listened, not the trap handler, which did it in its place. */
export function peerCredentialsHandler(state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess): Decoded {
  if (state.connectors.size === 0) return PASS;
  const sock = socketOf(task, access, trap.int(0));
  if (typeof sock === "number") return PASS;
  close(sock.fd);
  if (sock.domain !== AF.UNIX) return PASS;
  const peer = unixPeer(sock.inode);
  const shown = state.peers.get(sock.inode) ?? (peer === undefined ? undefined : state.connectors.get(peer));
  return shown === undefined ? PASS : writeAnswer(trap, access, shown, [trap.long(3), trap.long(4)], true);
}

/** Writes as much as there is room for, and how long it is: of a name the whole length, of an option what was written. */
function writeAnswer(trap: SeccompTrap, access: TaskAccess, bytes: Buffer, [at, lengthAt]: readonly [number, number], cut = false): number {
  const given = access.memory.bytes(trap.tid, lengthAt, 4);
  if (typeof given === "number") return given;
  const room = given.readInt32LE(0);
  if (room < 0) return -ERRNO.EINVAL;
  const part = bytes.subarray(0, room);
  const length = alloc(4);
  length.writeInt32LE(cut ? part.length : bytes.length, 0);
  return write(trap.tid, at, part) && write(trap.tid, lengthAt, length) ? 0 : -ERRNO.EFAULT;
}
