import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import {
  addressOf,
  AF,
  alloc,
  cString,
  ERRNO,
  FCNTL,
  MSG,
  must,
  O_CLOEXEC,
  SO,
  SOCK,
  SOCK_CLOEXEC,
  SOL,
  sys,
  SYSCALLS,
} from "@assent/supervisor/supervise/kernel";
import { removeFile } from "@assent/guard/state";
import { inodeOf } from "./life.ts";

/** The other side of `stubs/spare.c`, which says what is sent. Without node's event loop, which cannot take descriptors. */
const MAGIC = "assent?2";
const OWN_VALUES = 7;
const HEAD = 24 + 8 * OWN_VALUES;
const MOST_TEXTS = 4 << 20;
const PIECE = 256 << 10;
const TAKE = "r".charCodeAt(0);
const GO = "g".charCodeAt(0);
const COLD = "c".charCodeAt(0);

/** A client waits for 200 ms. */
const PATIENCE_MS = 150;
const SCM_RIGHTS = 1;
/** Of descriptors: standard input, output, error, and the folder. */
const DESCRIPTORS = 4;
/** The client knows the number. */
const SECRET_AT = 63;

/** A command that somebody hands over. */
export interface HandedCommand {
  /** Who connected, by the kernel's word. */
  readonly pid: number;
  readonly uid: number;
  /** What a fresh supervisor would be started with: Node, the program, `run` and its words. */
  readonly words: readonly string[];
  /** `NAME=VALUE`. */
  readonly env: readonly string[];
  /** As `ownStanding`, by the client's word: who lies gets less than it could have. */
  readonly own: readonly bigint[];
}

/** What it is begun with. */
export interface BegunCommand extends HandedCommand {
  /** Standard input, output, error. */
  readonly stdio: readonly number[];
  readonly folder: number;
  /** The connection. */
  readonly channel: number;
}

/** Where commands are handed over. Whoever cannot be taken at once goes another way, so nobody queues. */
export class SpareSocket {
  readonly #path: string;
  readonly #inode: string;
  readonly #listener: number;
  readonly #secret: string;

  readonly #patience: number;

  /** `comesIn`: milliseconds until `take` throws, for nobody has come; 0: never. `patience`: of a client, in milliseconds. */
  constructor(path: string, comesIn = 0, patience = PATIENCE_MS) {
    this.#patience = patience;
    this.#path = path;
    const address = alloc(110);
    const name = Buffer.from(`${path}\0`);
    if (name.length > 108) throw new Error("the path of the socket is too long");
    address.writeUInt16LE(AF.UNIX, 0);
    address.set(name, 2);
    this.#listener = must("socket", AF.UNIX, SOCK.STREAM | SOCK_CLOEXEC, 0, 0, 0, 0);
    removeFile(path);
    must("bind", this.#listener, addressOf(address), 2 + name.length);
    // Before anybody can come, and after what may fail: a client that finds no secret goes another way, and who could not wait leaves none.
    this.#secret = makeSecret();
    must("listen", this.#listener, 0);
    if (comesIn > 0) limitWaiting(this.#listener, SO.RCVTIMEO, comesIn);
    this.#inode = inodeOf(path);
  }

  /**
   * Waits for a command that `mayTake` agrees to and that its client lets begin; then nobody else finds this place. `mayBegin`: it can be
   * begun with what came with it.
   */
  take(mayTake: (command: HandedCommand) => boolean, mayBegin: (command: BegunCommand) => boolean): BegunCommand {
    for (;;) {
      const channel = sys(SYSCALLS.accept4, this.#listener, 0, 0, SOCK_CLOEXEC);
      if (channel === -ERRNO.EINTR || channel === -ERRNO.ECONNABORTED) continue;
      if (channel < 0) throw new Error(`accept4: ${-channel}`);
      const command = this.#hear(channel);
      const descriptors = command !== undefined && mayTake(command) ? begunWith(channel) : [];
      const [stdin, stdout, stderr, folder] = descriptors;
      if (command !== undefined && stdin !== undefined && stdout !== undefined && stderr !== undefined && folder !== undefined) {
        const begun = { ...command, stdio: [stdin, stdout, stderr], folder, channel };
        if (mayBegin(begun)) {
          this.close();
          return begun;
        }
      }
      if (descriptors.length > 0) say(channel, COLD);
      for (const fd of [channel, ...descriptors]) sys(SYSCALLS.close, fd);
    }
  }

  /** Nobody is taken any more. */
  close(): void {
    if (inodeOf(this.#path) === this.#inode) removeFile(this.#path);
    sys(SYSCALLS.close, this.#listener);
    sys(SYSCALLS.close, SECRET_AT);
  }

  /** Undefined: that was no command, or of who may not look into this process. */
  #hear(channel: number): HandedCommand | undefined {
    for (const option of [SO.RCVTIMEO, SO.SNDTIMEO]) limitWaiting(channel, option, this.#patience);
    const peer = alloc(12);
    const size = alloc(4);
    size.writeUInt32LE(12);
    if (sys(SYSCALLS.getsockopt, channel, SOL.SOCKET, SO.PEERCRED, addressOf(peer), addressOf(size)) < 0) return undefined;
    const bytes = receive(channel);
    const command = bytes === undefined ? undefined : parseCommand(bytes);
    if (command === undefined || command.secret !== this.#secret) return undefined;
    const { words, env, own } = command;
    return { pid: peer.readUInt32LE(0), uid: peer.readUInt32LE(4), words, env, own };
  }
}

function say(channel: number, word: number): boolean {
  const bytes = alloc(1);
  bytes[0] = word;
  return sys(SYSCALLS.sendto, channel, addressOf(bytes), 1, MSG.NOSIGNAL, 0, 0) === 1;
}

/** The descriptors that come with the word to begin. INVARIANT: whoever has not said it by now goes another way; then there are none. */
function begunWith(channel: number): readonly number[] {
  if (!say(channel, TAKE)) return [];
  const word = alloc(1);
  const vector = alloc(16);
  vector.writeBigUInt64LE(BigInt(addressOf(word)), 0);
  vector.writeBigUInt64LE(1n, 8);
  const control = alloc(256);
  const header = alloc(56);
  header.writeBigUInt64LE(BigInt(addressOf(vector)), 16);
  header.writeBigUInt64LE(1n, 24);
  header.writeBigUInt64LE(BigInt(addressOf(control)), 32);
  header.writeBigUInt64LE(256n, 40);
  const got = sys(SYSCALLS.recvmsg, channel, addressOf(header), MSG.CMSG_CLOEXEC);
  if (got < 0) return [];
  const descriptors = descriptorsIn(control, Number(header.readBigUInt64LE(40)));
  const cut = (header.readInt32LE(48) & MSG.CTRUNC) !== 0;
  if (got === 1 && word[0] === GO && !cut && descriptors.length === DESCRIPTORS) return descriptors;
  for (const fd of descriptors) sys(SYSCALLS.close, fd);
  say(channel, COLD);
  return [];
}

/** A link that only who may trace this process can read. Its text. */
function makeSecret(): string {
  if (sys(SYSCALLS.fcntl, SECRET_AT, FCNTL.GETFD) !== -ERRNO.EBADF) throw new Error(`descriptor ${SECRET_AT} is taken`);
  const name = `assent-${randomBytes(16).toString("hex")}`;
  const memory = must("memfd_create", addressOf(cString(Buffer.from(name))), 1);
  must("dup3", memory, SECRET_AT, O_CLOEXEC);
  sys(SYSCALLS.close, memory);
  return readlinkSync(`/proc/self/fd/${SECRET_AT}`);
}

function limitWaiting(socket: number, option: number, milliseconds: number): void {
  const time = alloc(16);
  time.writeBigInt64LE(BigInt(Math.trunc(milliseconds / 1000)), 0);
  time.writeBigInt64LE(BigInt((milliseconds % 1000) * 1000), 8);
  must("setsockopt", socket, SOL.SOCKET, option, addressOf(time), 16);
}

/** Undefined: not the whole of a command, or more. */
function receive(channel: number): Buffer | undefined {
  const piece = alloc(PIECE);
  const got = sys(SYSCALLS.recvfrom, channel, addressOf(piece), PIECE, 0, 0, 0);
  return got <= 0 ? undefined : restOf(channel, piece, got);
}

/** cmsg(3) */
function descriptorsIn(control: Buffer, length: number): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at + 16 <= length;) {
    const size = Number(control.readBigUInt64LE(at));
    if (size < 16 || at + size > length) break;
    if (control.readInt32LE(at + 8) === SOL.SOCKET && control.readInt32LE(at + 12) === SCM_RIGHTS)
      for (let one = at + 16; one + 4 <= at + size; one += 4) found.push(control.readInt32LE(one));
    at += (size + 7) & ~7;
  }
  return found;
}

function restOf(channel: number, first: Buffer, got: number): Buffer | undefined {
  if (got < HEAD || first.toString("latin1", 0, 8) !== MAGIC) return undefined;
  const texts = Number(first.readBigUInt64LE(16));
  if (texts > MOST_TEXTS) return undefined;
  const total = HEAD + texts;
  if (got >= total) return got === total ? first.subarray(0, total) : undefined;
  const all = alloc(total);
  all.set(first.subarray(0, got));
  const address = addressOf(all);
  for (let at = got; at < total;) {
    const more = sys(SYSCALLS.recvfrom, channel, address + at, total - at, 0, 0, 0);
    if (more === -ERRNO.EINTR) continue;
    if (more <= 0) return undefined;
    at += more;
  }
  return all;
}

interface ParsedCommand {
  readonly secret: string;
  readonly words: readonly string[];
  readonly env: readonly string[];
  readonly own: readonly bigint[];
}

function parseCommand(bytes: Buffer): ParsedCommand | undefined {
  const words = bytes.readUInt32LE(8);
  const variables = bytes.readUInt32LE(12);
  const own = Array.from({ length: OWN_VALUES }, (_, at) => bytes.readBigInt64LE(24 + 8 * at));
  const all = bytes.toString("utf8", HEAD).split("\0");
  // The last one is what lies behind the last NUL.
  if (all.length !== 1 + words + variables + 1 || all.at(-1) !== "") return undefined;
  const [secret = ""] = all;
  return { secret, words: all.slice(1, 1 + words), env: all.slice(1 + words, -1), own };
}
