import { addressOf, AF, alloc, ERRNO, lastingAddressOf, SO, SOCK, SOL, sys, SYSCALLS } from "../../kernel/index.ts";
import { isRefused, LONGEST_SOCKADDR, readSockaddr } from "../../net/sockaddr.ts";
import type { SeccompTrap } from "../listener.ts";
import { type Decoded, LATER, PASS, type TaskAccess } from "../operation.ts";
import { isSignalled, type Task } from "../tasks.ts";
import { headerAt, long, write } from "./message.ts";
import { unixName } from "./socket-names.ts";
import { close, peerOf, socketOf, type TaskSocket } from "./socket.ts";
import type { NetState } from "./state.ts";

const MSG = { PEEK: 2, TRUNC: 0x20, DONTWAIT: 0x40 } as const;
/** The largest datagram. */
const LARGEST = 65_536;

/** Where what was received is to be put. */
interface WantedMessage {
  readonly vectors: readonly (readonly [address: number, length: number])[];
  /** There is room for control messages, or nobody wants the sender's name. */
  readonly more: boolean;
  /** Called with the length of the datagram's part that fits, its sender, and whether it was cut. */
  readonly finish: (sender: Buffer, cut: boolean) => void;
}

/**
 * recvfrom(2) that wants to know the sender, recvmsg(2): they pass, but for sockets that talk to the relay. Resolvers
 * take an answer only from the server they asked (glibc, musl and c-ares compare addresses), so its address is put in place
 * of the relay's. Nothing is decided here, so nothing is lost by a race.
 */
export function recvfromHandler(state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess): Decoded {
  return decodeReceive(state, trap, task, access, trap.int(3), () => ({
    vectors: [[trap.long(1), trap.long(2)]],
    more: false,
    finish: (sender) => {
      const lengthAt = trap.long(5);
      const room = lengthAt === 0 ? undefined : access.memory.bytes(trap.tid, lengthAt, 4);
      if (room === undefined || typeof room === "number") return;
      write(trap.tid, trap.long(4), sender.subarray(0, Math.max(0, room.readInt32LE(0))));
      write(trap.tid, lengthAt, lengthOf(sender));
    },
  }));
}

export function recvmsgHandler(state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess): Decoded {
  return decodeReceive(state, trap, task, access, trap.int(2), () => {
    const at = trap.long(1);
    const header = headerAt(trap.tid, access, at);
    if (typeof header === "number") return header;
    return {
      vectors: header.vectors,
      more: header.controlLength > 0 || header.name === 0,
      finish: (sender, cut) => {
        if (header.name !== 0) {
          write(trap.tid, header.name, sender.subarray(0, header.nameLength));
          write(trap.tid, at + 8, lengthOf(sender));
        }
        // No control messages; msg_flags.
        const rest = alloc(16);
        rest.writeUInt32LE(cut ? MSG.TRUNC : 0, 8);
        write(trap.tid, at + 40, rest);
      },
    };
  });
}

function lengthOf(sender: Buffer): Buffer {
  const bytes = alloc(4);
  bytes.writeUInt32LE(sender.length, 0);
  return bytes;
}

function decodeReceive(
  state: NetState,
  trap: SeccompTrap,
  task: Task,
  access: TaskAccess,
  flags: number,
  read: () => WantedMessage | number,
): Decoded {
  if (state.asResolver.size === 0 && state.unixNames.size === 0) return PASS;
  const sock = socketOf(task, access, trap.int(0));
  if (typeof sock === "number") return PASS;
  const server = sock.domain === AF.UNIX ? unixName(state, peerOf(sock.fd)) : state.asResolver.get(sock.inode);
  const wanted = server === undefined || (flags & ~(MSG.PEEK | MSG.TRUNC | MSG.DONTWAIT)) !== 0 ? undefined : read();
  // Descriptors that come with a message are the kernel's to install.
  if (server === undefined || wanted === undefined || (typeof wanted === "object" && sock.domain === AF.UNIX && wanted.more)) {
    close(sock.fd);
    return PASS;
  }
  if (typeof wanted === "number") {
    close(sock.fd);
    return wanted;
  }
  const limit = limitOf(sock);
  const begun = performance.now();
  const perform = (): number => {
    const result = receive(state, trap, sock, server, wanted, flags);
    if (result !== -ERRNO.EAGAIN || !sock.blocks || (flags & MSG.DONTWAIT) !== 0) return result;
    if (limit > 0 && performance.now() - begun > limit) return result;
    return isSignalled(task) ? -ERRNO.EINTR : LATER;
  };
  const result = perform();
  if (result !== LATER) {
    close(sock.fd);
    return result;
  }
  return {
    call: { name: "send", args: ["", "0"] },
    actions: [],
    pinned: [sock.fd],
    perform,
  };
}

const data = alloc(LARGEST);
const dataAt = lastingAddressOf(data);
const from = alloc(LONGEST_SOCKADDR);
const fromAt = lastingAddressOf(from);
const small = alloc(16);
const smallAt = lastingAddressOf(small);

function receive(state: NetState, trap: SeccompTrap, sock: TaskSocket, server: Buffer, wanted: WantedMessage, flags: number): number {
  small.writeUInt32LE(LONGEST_SOCKADDR, 0);
  const room = wanted.vectors.reduce((sum, [, length]) => sum + length, 0);
  // What a stream has beyond that is for the next call.
  const most = sock.type === SOCK.STREAM ? Math.min(LARGEST, room) : LARGEST;
  const got = sys(SYSCALLS.recvfrom, sock.fd, dataAt, most, (flags & MSG.PEEK) | MSG.DONTWAIT, fromAt, smallAt);
  if (got < 0) return got;
  const sender = Buffer.from(from.subarray(0, Math.min(LONGEST_SOCKADDR, small.readUInt32LE(0))));
  const address = readSockaddr(sender);
  const isRelay = sock.domain === AF.UNIX || (!isRefused(address) && address.family === "internet" && state.isRelay(address));
  let done = 0;
  for (const [at, room] of wanted.vectors) {
    const part = data.subarray(done, Math.min(got, done + room));
    if (!write(trap.tid, at, part)) return -ERRNO.EFAULT;
    done += part.length;
  }
  wanted.finish(isRelay ? server : sender, done < got);
  return (flags & MSG.TRUNC) !== 0 ? got : done;
}

/** SO_RCVTIMEO (socket(7)) in milliseconds; 0: none. */
function limitOf(sock: TaskSocket): number {
  small.writeInt32LE(16, 0);
  const value = alloc(16);
  if (sys(SYSCALLS.getsockopt, sock.fd, SOL.SOCKET, SO.RCVTIMEO, addressOf(value), smallAt) !== 0) return 0;
  return long(value, 0) * 1000 + long(value, 8) / 1000;
}
