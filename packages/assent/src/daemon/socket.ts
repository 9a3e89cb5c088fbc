import { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { addressOf, alloc, FCNTL, LOCK, sys, SYSCALLS } from "@assent/supervisor/supervise/kernel";
import { isCaller, standingOf } from "./caller.ts";
import { removeFile } from "@assent/guard/state";
import { inodeOf, type SocketPlace } from "./life.ts";
import { CallReader, printAnswerFrame, type DaemonAnswer, type DaemonCall } from "./wire.ts";

/** Judges a call; undefined: the caller is to find out by itself. */
export type JudgeCall = (call: DaemonCall) => DaemonAnswer | undefined;

/** A call that hangs serves nobody, and cannot be ended from within: so much later the process ends. */
const HUNG_SECONDS = 5;

const FD_CLOEXEC = 1;

/** Holds the lock for as long as this process lives; false: another judge does. `inherited`: whoever started us took it already. */
function holdLock({ lock }: SocketPlace, inherited?: number): boolean {
  if (inherited !== undefined) {
    // What this process starts is not to hold it.
    sys(SYSCALLS.fcntl, inherited, FCNTL.SETFD, FD_CLOEXEC);
    return isFileOf(inherited, lock);
  }
  const descriptor = openSync(lock, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  if (sys(SYSCALLS.flock, descriptor, LOCK.EX | LOCK.NB) === 0) return true;
  closeSync(descriptor);
  return false;
}

function isFileOf(descriptor: number, file: string): boolean {
  try {
    const [held, found] = [fstatSync(descriptor), lstatSync(file)];
    return held.ino === found.ino && held.dev === found.dev && sys(SYSCALLS.flock, descriptor, LOCK.EX | LOCK.NB) === 0;
  } catch {
    return false;
  }
}

const ITIMER_REAL = 0;
/** Two moments, each of seconds and microseconds: when it rings again, and when first. */
const ALARM = alloc(32);

/** By the kernel (SIGALRM, signal(7)). */
function ringAfter(seconds: number): void {
  ALARM.writeBigInt64LE(BigInt(seconds), 16);
  sys(SYSCALLS.setitimer, ITIMER_REAL, addressOf(ALARM), 0);
}

/** How callers find a judge that stays: by a socket file. */
export class SocketWay {
  /** What the judge last said of itself. */
  readonly life: string;
  readonly #place: SocketPlace;
  readonly #inherited: number | undefined;
  readonly #standing = standingOf("self");
  #server: Server | undefined;
  #socket = "";

  /** `lock`: its descriptor, where whoever started us took it. */
  constructor(place: SocketPlace, lock?: number) {
    this.#place = place;
    this.#inherited = lock;
    this.life = place.life;
  }

  /** From now on calls are taken. False: another one takes them. */
  async listen(judge: JudgeCall): Promise<boolean> {
    if (!holdLock(this.#place, this.#inherited)) return false;
    const { socket } = this.#place;
    // Whoever holds the lock is the only one that listens: what lies there was left behind.
    removeFile(socket);
    const server = createServer((connection) => hearClient(connection, judge));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ path: socket, backlog: 511 }, resolve);
    });
    this.#server = server;
    this.#socket = inodeOf(socket);
    // The next one may be started as soon as this one has gone (stubs/ask.c).
    chmodSync(this.#place.lock, 0o600);
    return true;
  }

  /** Callers would still come to us. */
  isFound(): boolean {
    // Nothing: it was taken away before anybody looked what it is.
    return this.#socket !== "" && inodeOf(this.#place.socket) === this.#socket;
  }

  /** The caller sees the files and programs that we see, and may do what we may. */
  standsAlike(call: DaemonCall): boolean {
    return this.#standing !== undefined && isCaller(call) && standingOf(call.pid) === this.#standing;
  }

  readonly begin = (): void => ringAfter(HUNG_SECONDS);
  readonly end = (): void => ringAfter(0);

  /** No more calls, and nobody finds us; `over` once the last has its answer. */
  close(over: () => void): void {
    // Closing removes the name, whoever's that is by now.
    if (this.isFound()) this.#server?.close(over);
    removeFile(this.life);
  }
}

function hearClient(socket: Socket, judge: JudgeCall): void {
  const reader = new CallReader();
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    const call = reader.take(chunk);
    if (call === undefined) return;
    const answer = call === "wrong" ? undefined : judge(call);
    // At once, with all that it may still be sending: the client is not to wait.
    if (answer === undefined) socket.destroy();
    else socket.end(printAnswerFrame(answer));
  });
}
