import { NOBODY } from "../../judge/types.ts";
import type { NetAction } from "@assent/core/action";
import { type Verdict, verdictOf } from "@assent/core/policy";
import { AF, alloc, ERRNO, SIGPIPE, SOCK, sys, SYSCALLS } from "../../kernel/index.ts";
import { isRefused, readSockaddr } from "../../net/sockaddr.ts";
import type { SocketDestination } from "../../net/judge-address.ts";
import type { SeccompTrap } from "../listener.ts";
import { type Decoded, LATER, type TaskAccess } from "../operation.ts";
import { isSignalled, type Task } from "../tasks.ts";
import { callOf } from "./connect.ts";
import { controlOf, dataOf, headerAt, type MessageHeader, MMSG_LENGTH, MMSGHDR, MOST_BYTES, send, write } from "./message.ts";
import { close, isWritable, socketOf, type TaskSocket } from "./socket.ts";
import { type NetState } from "./state.ts";

const MSG = { OOB: 1, DONTROUTE: 4, DONTWAIT: 0x40, EOR: 0x80, CONFIRM: 0x800, NOSIGNAL: 0x4000, MORE: 0x8000 } as const;
const KEPT_FLAGS = MSG.OOB | MSG.DONTROUTE | MSG.EOR | MSG.CONFIRM | MSG.MORE;
const MOST_MESSAGES = 1024;
/** Of a stream so much is copied at a time, and so much is sent before others have their turn. */
const PIECE = 256 << 10;
const TURN = 8 << 20;

/** A message on its way. */
interface QueuedMessage {
  /** Where its bytes lie: they are read when they are sent, and not kept by whoever waits. */
  readonly vectors: MessageHeader["vectors"];
  readonly size: number;
  readonly name: Buffer | undefined;
  readonly control: Buffer;
  /** Copies of descriptors that travel with it. */
  readonly fds: readonly number[];
  /** The name server that the task thinks it asks. */
  readonly asked?: Buffer;
  /** Where it goes, when that is to be judged. */
  readonly to?: SocketDestination;
  readonly action?: NetAction;
}

/**
 * sendto(2) with a receiver, sendmsg(2), sendmmsg(2): always done by the trap handler, with what it has read. None may pass:
 * another thread could put a datagram socket in the place of the one that was looked at, and a message with IP_PKTINFO
 * leaves by any interface whatever the socket is bound to.
 */
export function sendtoHandler(state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess): Decoded {
  const header: MessageHeader = {
    name: trap.long(4),
    nameLength: trap.int(5),
    vectors: [[trap.long(1), trap.long(2)]],
    control: 0,
    controlLength: 0,
  };
  if (header.nameLength < 0 || header.nameLength > 128) return -ERRNO.EINVAL;
  return decodeSend(state, trap, task, access, trap.int(3), () => [header]);
}

export function sendmsgHandler(state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess): Decoded {
  return decodeSend(state, trap, task, access, trap.int(2), () => {
    const header = headerAt(trap.tid, access, trap.long(1));
    return typeof header === "number" ? header : [header];
  });
}

/** Messages before the first that fails are sent, and counted. */
export function sendmmsgHandler(state: NetState, trap: SeccompTrap, task: Task, access: TaskAccess): Decoded {
  const count = Math.min(trap.unsigned(2), MOST_MESSAGES);
  const lengths = (sent: readonly number[]): void => {
    sent.forEach((length, i) => {
      const bytes = alloc(4);
      bytes.writeUInt32LE(length, 0);
      write(trap.tid, trap.long(1) + i * MMSGHDR + MMSG_LENGTH, bytes);
    });
  };
  const read = (): MessageHeader[] | number => {
    const headers: MessageHeader[] = [];
    for (let i = 0; i < count; i++) {
      const header = headerAt(trap.tid, access, trap.long(1) + i * MMSGHDR);
      if (typeof header !== "number") headers.push(header);
      else if (i === 0) return header;
      else break;
    }
    return headers;
  };
  return decodeSend(state, trap, task, access, trap.int(3), read, lengths);
}

function decodeSend(
  state: NetState,
  trap: SeccompTrap,
  task: Task,
  access: TaskAccess,
  flags: number,
  read: () => readonly MessageHeader[] | number,
  lengths?: (sent: readonly number[]) => void,
): Decoded {
  const sock = socketOf(task, access, trap.int(0));
  if (typeof sock === "number") return sock;
  const headers = read();
  const pinned = [sock.fd];
  const end = (result: number): number => {
    for (const fd of pinned) close(fd);
    return result;
  };
  if (typeof headers === "number") return end(headers);
  const parcels: QueuedMessage[] = [];
  for (const header of headers) {
    const parcel = decodeParcel(state, task, access, sock, header);
    if (typeof parcel === "number") {
      if (parcels.length === 0) return end(parcel);
      break;
    }
    pinned.push(...parcel.fds);
    parcels.push(parcel);
  }
  const delivery = new Delivery({ state, task, access, sock, parcels, flags, lengths });
  const asked = parcels.flatMap(({ to, action }) => (to === undefined || action === undefined ? [] : [{ to, action }]));
  const [first] = asked;
  if (first === undefined) {
    const result = delivery.go();
    if (result !== LATER) return end(result);
    return { call: { name: "send", args: ["", "0"] }, actions: [], judge: () => SENT, pinned, perform: () => delivery.go() };
  }
  const call = callOf(first.action, first.to, "send");
  return {
    call,
    actions: [{ ...first.action, call }],
    judge: (caller) => {
      const verdicts = parcels.map(({ to }) => (to === undefined ? SENT : denyUnlessAllowed(state.connect(to, caller).verdict)));
      delivery.open(parcels.filter(({ to }) => to?.listener === "none" && state.isOpen(to, caller)));
      const refused = verdicts.findIndex(({ decision }) => decision !== "allow");
      if (refused > 0 && !state.observes) delivery.stopBefore(refused);
      return (
        (refused === 0 ? verdicts[0] : verdicts.find(({ decision, builtin }) => decision === "allow" && builtin !== SENT.builtin)) ?? SENT
      );
    },
    pinned,
    perform: () => delivery.go(),
  };
}

const SENT = verdictOf("allow", "connected");

/** Datagrams are sent by rule or answer only: nobody is asked for each, and what they carry needs no answer to get away. */
function denyUnlessAllowed(verdict: Verdict): Verdict {
  if (verdict.decision === "allow" || verdict.decision === "deny") return verdict;
  const { reason, help } = verdict;
  const why = { reason: `UDP goes only where a rule allows it: ${reason}`, ...(help === undefined ? {} : { help }) };
  return { ...verdict, ...verdictOf("deny", "udp", why) };
}

interface Sending {
  readonly state: NetState;
  readonly task: Task;
  readonly access: TaskAccess;
  readonly sock: TaskSocket;
  readonly parcels: readonly QueuedMessage[];
  readonly flags: number;
  readonly lengths: ((sent: readonly number[]) => void) | undefined;
}

/** Sends messages one after the other, as far as they go. */
class Delivery {
  readonly #at: Sending;
  readonly #sent: number[] = [];
  readonly #open = new Set<QueuedMessage>();
  /** Bytes of the present message that are sent. */
  #part = 0;
  /** The other side had no room. */
  #waited = false;
  #end: number;

  constructor(sending: Sending) {
    this.#at = sending;
    this.#end = sending.parcels.length;
  }

  /** They may go whoever listens there, or does a moment later. */
  open(parcels: readonly QueuedMessage[]): void {
    for (const parcel of parcels) this.#open.add(parcel);
  }

  stopBefore(at: number): void {
    this.#end = at;
  }

  /** The call's result, or LATER. */
  go(): number {
    for (let at = this.#sent.length; at < this.#end; at++) {
      const parcel = this.#at.parcels[at];
      if (parcel === undefined) break;
      const result = this.#one(parcel);
      if (result === LATER) return LATER;
      if (result < 0) {
        if (at === 0) return result;
        break;
      }
      this.#part = 0;
      this.#sent.push(result);
    }
    if (this.#at.lengths === undefined) return this.#sent[0] ?? 0;
    this.#at.lengths(this.#sent);
    return this.#sent.length;
  }

  #one(parcel: QueuedMessage): number {
    const { state, task, sock, flags } = this.#at;
    // Nothing listens there: whoever starts to a moment later was not judged. It is lost, as datagrams are.
    if (parcel.to?.listener === "none" && !state.observes && !this.#open.has(parcel)) return parcel.size;
    if (parcel.asked !== undefined) state.asResolver.set(sock.inode, parcel.asked);
    const stream = sock.type === SOCK.STREAM;
    const waits = sock.blocks && (flags & MSG.DONTWAIT) === 0;
    // Of an urgent message the last byte counts, so it is sent whole (tcp(7)).
    const piece = stream && (flags & MSG.OOB) === 0 ? PIECE : MOST_BYTES + 1;
    for (let turn = 0; ;) {
      const first = this.#part === 0;
      const result = this.#waited && !isWritable(sock.fd) ? -ERRNO.EAGAIN : this.#piece(parcel, piece);
      this.#waited = result === -ERRNO.EAGAIN;
      if (result >= 0) {
        this.#part += result;
        turn += result;
        if (!stream || this.#part >= parcel.size) return this.#part;
        if (turn >= TURN) return waits ? LATER : this.#part;
      } else if (result === -ERRNO.EAGAIN && waits) {
        if (!isSignalled(task)) return LATER;
        return first ? -ERRNO.EINTR : this.#part;
      } else {
        if (result === -ERRNO.EPIPE && stream && first && (flags & MSG.NOSIGNAL) === 0) {
          sys(SYSCALLS.tgkill, task.tgid, task.tid, SIGPIPE);
        }
        return first ? result : this.#part;
      }
    }
  }

  /** Bytes that went, or a negative errno. */
  #piece({ vectors, name, control }: QueuedMessage, most: number): number {
    const { task, access, sock, flags } = this.#at;
    const data = dataOf(task.tid, access, vectors, this.#part, most);
    if (typeof data === "number") return data;
    const rest = { data, name, control: this.#part === 0 ? control : NOTHING };
    return send(sock.fd, rest, (flags & KEPT_FLAGS) | MSG.DONTWAIT | MSG.NOSIGNAL);
  }
}

const NOTHING = alloc(0);

function decodeParcel(state: NetState, task: Task, access: TaskAccess, sock: TaskSocket, header: MessageHeader): QueuedMessage | number {
  const name = header.nameLength === 0 || header.name === 0 ? undefined : access.memory.bytes(task.tid, header.name, header.nameLength);
  if (typeof name === "number") return name;
  const control = controlOf(task, access, header, sock.domain === AF.UNIX);
  if (typeof control === "number") return control;
  const { vectors } = header;
  const size = vectors.reduce((sum, [, length]) => sum + length, 0);
  const plain = { vectors, size, name: undefined, control: control.bytes, fds: control.fds };
  if (name === undefined) return plain;
  if (sock.domain === AF.UNIX) return { ...plain, name };
  if (sock.domain === AF.NETLINK) return isKernel(name) ? { ...plain, name } : -ERRNO.EPERM;
  // A stream goes where it is connected to, whatever the name (tcp(7)).
  if (sock.type !== SOCK.DGRAM) return plain;
  // AF_UNSPEC is taken for AF_INET (udp_sendmsg).
  if (sock.domain === AF.INET && name.length >= 16 && name.readUInt16LE(0) === AF.UNSPEC) name.writeUInt16LE(AF.INET, 0);
  const to = readSockaddr(name);
  if (isRefused(to)) return -to.errno;
  if (to.family !== "internet") return -ERRNO.EAFNOSUPPORT;
  const relay = state.relayFor(to, sock);
  if (relay !== undefined) return { ...plain, name: relay, control: NOTHING, asked: name };
  const destination = state.destination(to, "udp");
  // Between the programs of the run.
  if (destination.listener === "own") return { ...plain, name };
  return { ...plain, name, to: destination, action: state.connect(destination, NOBODY).action };
}

/** struct sockaddr_nl (netlink(7)): the kernel itself, no group. */
function isKernel(name: Buffer): boolean {
  return name.length >= 12 && name.readUInt32LE(4) === 0 && name.readUInt32LE(8) === 0;
}
