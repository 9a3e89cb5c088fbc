import type { Verdict } from "@assent/core/policy";
import type { Caller } from "../../judge/types.ts";
import { ERRNO, SOCK, SOCK_CLOEXEC, sys, SYSCALLS } from "../../kernel/index.ts";
import { statFd } from "../../undo/index.ts";
import type { SeccompTrap } from "../listener.ts";
import type { Decoded, Handler, TaskAccess } from "../operation.ts";
import type { TrappedSocketCall } from "../../sandbox/filter-table.ts";
import type { Task } from "../tasks.ts";
import { bindHandler, listenHandler } from "./bind.ts";
import { connectHandler } from "./connect.ts";
import { recvfromHandler, recvmsgHandler } from "./receive.ts";
import { getpeernameHandler, getsocknameHandler, peerCredentialsHandler } from "./socket-names.ts";
import { sendmmsgHandler, sendmsgHandler, sendtoHandler } from "./send.ts";
import { close, inodeOf } from "./socket.ts";
import { type NetOptions, NetState } from "./state.ts";
import { judgeSocketFile } from "./unix.ts";

export { write as writeMemory } from "./message.ts";
export type { NetOptions } from "./state.ts";

/** Who decodes calls about sockets. */
export type NetHandlers = Readonly<Record<TrappedSocketCall, Handler>>;

/** What the trap handler does about the network. */
export interface NetTraps {
  readonly handlers: NetHandlers;
  /** What is said of changing the file of a socket, or taking it away. */
  readonly judgeFile: (path: string, caller: Caller) => Verdict | undefined;
}

export function netTraps(options: NetOptions): NetTraps {
  const state = new NetState(options);
  const bound =
    (handler: (state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess) => Decoded): Handler =>
    (trap, task, access) =>
      handler(state, trap, task, access);
  const handlers: NetHandlers = {
    socket: bound(socketHandler),
    connect: bound(connectHandler),
    bind: bound(bindHandler),
    listen: bound(listenHandler),
    sendto: bound(sendtoHandler),
    sendmsg: bound(sendmsgHandler),
    sendmmsg: bound(sendmmsgHandler),
    recvfrom: bound(recvfromHandler),
    recvmsg: bound(recvmsgHandler),
    getsockname: bound(getsocknameHandler),
    getpeername: bound(getpeernameHandler),
    getsockopt: bound(peerCredentialsHandler),
  };
  return { handlers, judgeFile: (path, caller) => judgeSocketFile(state, path, caller) };
}

/**
 * Datagram sockets are made here, so that it is known which are the run's own; others where the trap handler could not copy what a program
 * has made. The filter lets no other kind come here.
 */
function socketHandler(state: NetState, trap: SeccompTrap, _task: Task, access: TaskAccess): Decoded {
  const type = trap.int(1);
  const fd = sys(SYSCALLS.socket, trap.int(0), type | SOCK_CLOEXEC, trap.int(2));
  if (fd < 0) return fd;
  const stat = statFd(fd);
  if (typeof stat === "number") {
    close(fd);
    return -ERRNO.EACCES;
  }
  const inode = inodeOf(stat);
  if (isDatagram(type)) state.own.set(inode, true);
  state.socketNames.delete(inode);
  state.connecting.delete(inode);
  // A socket by itself reaches nobody: it is nothing to judge or to tell of. The descriptor itself is the answer.
  const given = access.listener.give(trap, fd, (type & SOCK_CLOEXEC) !== 0);
  if (given >= 0 && access.tasks.copies.makesSockets) access.tasks.copies.keep(inode, fd);
  else close(fd);
  return given;
}

const SOCK_TYPE_MASK = 0xf;
const isDatagram = (type: number): boolean => (type & SOCK_TYPE_MASK) === SOCK.DGRAM;
