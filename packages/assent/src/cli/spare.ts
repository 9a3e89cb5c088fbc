import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, rmSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { daemonFolder, thisMachine } from "@assent/guard/state";
import {
  type BegunCommand,
  commandStanding,
  type HandedCommand,
  isCaller,
  markOf,
  ownStanding,
  sparePlace,
  SpareSocket,
  TAKEN,
} from "../daemon/index.ts";
import { addressOf, alloc, IOCTL, must, O_CLOEXEC, PRCTL, readProc, sys, SYSCALLS } from "@assent/supervisor/supervise/kernel";
import { ORDERED } from "@assent/supervisor/supervise/control-channel";
import { BESIDE } from "./beside.ts";
import { type Beside, releaseStreams } from "./run-beside.ts";

// `assent run --beside --spare`, a supervisor without a command. It has loaded what `assent run` loads, waits for one
// command without a terminal that the static client hands over (agents/install/spare.c), and is from then on the supervisor that
// run-front.ts would have started for it, with the client as the process in front.
declare const __dirname: string;

/** What run-main.ts has. */
interface RunPart {
  readonly main: (keep: () => void, beside: Beside) => Promise<void>;
  readonly rehearseRuns: (folder: string, rounds: number) => Promise<void>;
}

const BIN = `${__dirname}/bin.cjs`;
const CLIENT = `${__dirname}/spare-${process.arch}`;
const FRONT = `${__dirname}/front-${process.arch}`;
/** Of the pipe to the judge that keeps us, and then of the connection to the client. */
const CHANNEL = 3;
const SIGKILL = 9;
/** As for who is killed. */
const KILLED = 137;
/** Of rehearsal, each with half as much left to compile as the one before. */
const ROUNDS = 6;
/** Milliseconds, for a client of a rehearsal. */
const CLIENT_COMES_IN = 500;

/** The signals that a client passes on. */
const PASSED: Readonly<Partial<Record<number, NodeJS.Signals>>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  10: "SIGUSR1",
  12: "SIGUSR2",
  14: "SIGALRM",
  15: "SIGTERM",
};

/** What would have controlled Node, its libraries or the loader when it started: a fresh process obeys it. */
const CONTROLLING =
  /^(?:NODE_|LD_|GLIBC_|MALLOC_|GCONV_PATH=|NLSPATH=|LOCPATH=|UV_|OPENSSL_|SSL_|ICU_|TZ=|TZDIR=|ASAN_|HOSTALIASES=|RES_OPTIONS=|LOCALDOMAIN=)/;

export async function main(keep: () => void, run: RunPart): Promise<void> {
  const parent = process.ppid;
  must("prctl", PRCTL.SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (process.ppid !== parent || parent === 1) process.exit(0);
  const marks = programMarks();
  const folder = daemonFolder(thisMachine());
  // Both are given by tests: the rehearsals, and the patience of their client.
  const [, , , , , rounds, patience] = process.argv;
  const times = rounds === undefined ? ROUNDS : Number(rounds);
  const rehearse = async (each: number): Promise<void> => {
    await run.rehearseRuns(folder, each);
    await rehearseHandingOver(`${folder}/rehearsal-${process.pid}`, each, marks);
  };
  await rehearse(times);
  collectGarbage();
  // The memory that was given back is asked for again, page by page: not while a command waits for it.
  await rehearse(Math.min(times, 1));
  keep();
  const socket = new SpareSocket(sparePlace(folder), 0, patience === undefined ? undefined : Number(patience));
  const command = socket.take((handed) => mayTake(handed, marks), mayBegin);
  const beside = new HandedBeside(command.pid, CHANNEL, keep);
  adopt(command);
  beside.hear();
  await run.main(keep, beside);
}

/** A real client hands a command over, and is told that it has ended. INVARIANT: what it leaves behind is below `scratch`, and goes with it. */
async function rehearseHandingOver(scratch: string, rounds: number, marks: string): Promise<void> {
  if (!existsSync(CLIENT)) return;
  try {
    mkdirSync(scratch, { mode: 0o700 });
    for (let round = 0; round < rounds; round += 1) await meetClient(scratch, marks);
  } catch {
    // The command that comes is slower by what it compiles.
  } finally {
    process.chdir("/");
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function meetClient(scratch: string, marks: string): Promise<void> {
  const socket = new SpareSocket(sparePlace(scratch), CLIENT_COMES_IN);
  // INVARIANT: where it is not taken in time it starts nothing.
  const nothing = `${scratch}/nothing`;
  const child = spawn(CLIENT, [`${scratch}/`, nothing, BIN, "run", "-P", "-q", "--", "true"], { cwd: scratch, stdio: "ignore", env: {} });
  const ended = new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
  try {
    const { pid, stdio, folder, channel } = socket.take((handed) => mayTake(handed, marks, nothing), mayBegin);
    umaskOf(pid);
    for (const fd of [...stdio, folder]) closeSync(fd);
    const beside = new HandedBeside(pid, channel, () => undefined);
    beside.hear();
    beside.leave(0);
  } catch {
    // On a busy machine it went its own way.
    socket.close();
  }
  await ended;
}

/** Now, and not while a command waits for it. V8 takes code caches only under the flags that they were made with. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
  setFlagsFromString("--no-expose-gc");
}

/** In memory for good: a supervisor of which one is another takes nothing any more. */
function programMarks(): string {
  const files = ["bin", "run", "shell", "start"].map((name) => `${__dirname}/${name}.cjs`);
  return [process.execPath, __dirname, ...files, `${__dirname}/knowledge.mjs`].map(markOf).join("\n");
}

const startOf = (words: readonly string[]): readonly string[] => (words[0] === FRONT ? words.slice(1) : words);

/** A fresh supervisor that the client started itself would see, may and hand on the same, and obey the same. */
function mayTake(command: HandedCommand, marks: string, program = process.execPath): boolean {
  const { pid, uid, words, env } = command;
  // What stands in front of a fresh supervisor (stubs/front.c) is what the client is here.
  const [node, bin, word, first] = startOf(words);
  if (node !== program || bin !== BIN || word !== "run" || first === ORDERED || first === BESIDE) return false;
  if (uid !== process.getuid?.() || pid === 0 || !isCaller({ pid, words })) return false;
  if (env.some((text) => CONTROLLING.test(text))) return false;
  const [theirs, ours] = [commandStanding(pid), commandStanding("self")];
  if (theirs === undefined || ours === undefined || theirs.bound || theirs.alike !== ours.alike) return false;
  return String(command.own) === String(ownStanding()) && programMarks() === marks;
}

/** No terminal came with it, and we can go where it is. */
function mayBegin({ stdio, folder }: BegunCommand): boolean {
  if (stdio.some((fd) => sys(SYSCALLS.ioctl, fd, IOCTL.TCGETS, addressOf(alloc(64))) === 0)) return false;
  if (sys(SYSCALLS.fchdir, folder) !== 0) return false;
  try {
    // Node remembers where it is.
    process.chdir(".");
    return true;
  } catch {
    process.chdir("/");
    return false;
  }
}

/** proc_pid_status(5) */
function umaskOf(pid: number): number {
  const [, umask] = /^Umask:\t([0-7]+)$/m.exec(readProc(`/proc/${pid}/status`).toString("latin1")) ?? [];
  if (umask === undefined) throw new Error("a client without a umask");
  return Number.parseInt(umask, 8);
}

/** From here on this process is what the client would have started. */
function adopt({ pid, words, env, stdio, folder, channel }: BegunCommand): void {
  process.umask(umaskOf(pid));
  must("prctl", PRCTL.SET_PDEATHSIG, 0, 0, 0, 0);
  writeSync(CHANNEL, TAKEN);
  stdio.forEach((fd, at) => void must("dup3", fd, at, 0));
  must("dup3", channel, CHANNEL, O_CLOEXEC);
  for (const fd of [...stdio, folder, channel]) closeSync(fd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  // The first of a name counts, as it does for getenv(3).
  for (const text of env.toReversed()) {
    const at = text.indexOf("=", 1);
    if (at > 0) process.env[text.slice(0, at)] = text.slice(at + 1);
  }
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...startOf(words).slice(2));
}

/** The client, which waits for the command: what is run-beside.ts where the process in front is one of Node. */
class HandedBeside implements Beside {
  readonly front: number;
  readonly ownGroup = true;
  readonly #channel: number;
  readonly #keep: () => void;
  #socket: Socket | undefined;
  #told = false;

  /** `keep`: what is still to be written. */
  constructor(front: number, channel: number, keep: () => void) {
    this.front = front;
    this.#channel = channel;
    this.#keep = keep;
  }

  /** Signals come as bytes; the end of it is the end of who waits, and with it of the whole tree: what ends us kills it first. */
  hear(): void {
    const socket = new Socket({ fd: this.#channel, readable: true, writable: true });
    socket.on("data", (bytes: Buffer) => bytes.forEach((number) => this.#signalled(number)));
    socket.on("error", this.#orphaned);
    socket.on("close", this.#orphaned);
    this.#socket = socket;
    process.once("exit", this.#exits);
  }

  begin(): void {
    // It is heard already.
  }

  readonly #exits = (status: number): void => this.tell(String(status));

  readonly #orphaned = (): void => process.exit(KILLED);

  #signalled(number: number): void {
    const name = PASSED[number];
    // As it would have ended a process that does not expect it.
    if (name !== undefined && !process.emit(name, name)) process.exit(128 + number);
  }

  tell(how: string): void {
    if (this.#told) return;
    this.#told = true;
    this.#keep();
    releaseStreams("too");
    try {
      writeSync(this.#channel, how);
    } catch {
      // It has gone.
    }
  }

  leave(status: number, how = String(status)): void {
    this.#socket?.off("close", this.#orphaned);
    process.off("exit", this.#exits);
    this.tell(how);
    this.#socket?.destroy();
  }
}
