/**
 * The other side of the real tests, as a process of its own: `inside.mjs PROGRAM [ARG…]`. A worker restricts itself and
 * starts PROGRAM with posix_spawn; this thread answers every trapped call and prints what it saw, as JSON, when PROGRAM has ended.
 * ANSWER=number: that errno for everything but execve. OBSERVE_READS=1: those, too. WRITES=file: written by this thread at the end.
 * KERNEL=JSON of [call, rule] pairs: a kernel that lacks something, played by a filter on all of this. BEST_EFFORT=1.
 */
import { writeFileSync, writeSync } from "node:fs";
import { arch, argv, env, exit } from "node:process";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import {
  addressOf,
  alloc,
  cString,
  cStrings,
  must,
  posixSpawn,
  SYSCALLS,
  type SyscallName,
  sys,
} from "../../../src/supervise/kernel/index.ts";
import { assemble, INSTRUCTION_BYTES } from "../../../src/supervise/wall/assemble.ts";
import { compile } from "../../../src/supervise/wall/filter.ts";
import type { Rule } from "../../../src/supervise/wall/ruling.ts";
import { type Restricted, restrictThisThread, WallError } from "../../../src/supervise/wall/index.ts";

/** seccomp_unotify(2): `struct seccomp_notif` is 80 bytes, `struct seccomp_notif_resp` 24. */
const RECV = 0xc0502100;
const SEND = 0xc0182101;
const CONTINUE = 1;
const POLLIN = 1;
const F_SETFD = 2;
const PR_SET_NO_NEW_PRIVS = 38;

/** Shared: whether PROGRAM has ended, and its wait status (negative: the errno of posix_spawn). */
const ENDED = 0;
const STATUS = 1;

function door(listener: number, cells: Int32Array): number[] {
  const pollfd = alloc(8);
  pollfd.writeInt32LE(listener, 0);
  pollfd.writeInt16LE(POLLIN, 4);
  const request = alloc(80);
  const response = alloc(24);
  const seen: number[] = [];
  const errno = Number(env["ANSWER"] ?? 0);
  while (Atomics.load(cells, ENDED) === 0) {
    if (sys(SYSCALLS.poll, addressOf(pollfd), 1, 20) <= 0) continue;
    request.fill(0);
    if (sys(SYSCALLS.ioctl, listener, RECV, addressOf(request)) < 0) continue;
    const nr = request.readInt32LE(16);
    seen.push(nr);
    response.fill(0);
    request.copy(response, 0, 0, 8);
    if (errno === 0 || nr === SYSCALLS.execve) response.writeUInt32LE(CONTINUE, 20);
    else response.writeInt32LE(-errno, 16);
    sys(SYSCALLS.ioctl, listener, SEND, addressOf(response));
  }
  return seen;
}

type Message = Restricted | { readonly error: string };
function tell(message: Message): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message);
}

function launch(program: readonly string[], cells: Int32Array): void {
  try {
    tell(restrictThisThread({ observeReads: env["OBSERVE_READS"] === "1", bestEffort: env["BEST_EFFORT"] === "1" }));
  } catch (error) {
    tell({ error: error instanceof WallError ? error.code : String(error) });
    return;
  }
  for (const fd of [0, 1, 2]) sys(SYSCALLS.fcntl, fd, F_SETFD, 0);
  const pid = alloc(4);
  const args = cStrings(program.map((arg) => Buffer.from(arg)));
  const environment = cStrings(Object.entries(env).map(([name, value]) => Buffer.from(`${name}=${value}`)));
  const failed = posixSpawn(pid, cString(Buffer.from(program[0] ?? "")), null, null, args.address, environment.address);
  const status = alloc(4);
  if (failed === 0) sys(SYSCALLS.wait4, pid.readInt32LE(0), addressOf(status), 0, 0);
  Atomics.store(cells, STATUS, failed === 0 ? status.readInt32LE(0) : -failed);
  Atomics.store(cells, ENDED, 1);
}

/** No listener; children and threads inherit it. */
function playKernel(json: string): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- confined.ts writes it
  const rules = new Map(JSON.parse(json) as [SyscallName, Rule][]);
  const filter = assemble(compile(arch === "arm64" ? "arm64" : "x64", rules));
  const program = alloc(16);
  program.writeUInt16LE(filter.length / INSTRUCTION_BYTES, 0);
  program.writeBigUInt64LE(BigInt(addressOf(filter)), 8);
  must("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  must("seccomp", 1, 0, addressOf(program));
}

if (isMainThread) {
  if (env["KERNEL"] !== undefined) playKernel(env["KERNEL"]);
  const cells = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL(import.meta.url), { workerData: cells, argv: argv.slice(2) });
  worker.once("message", (message: Message) => {
    const report = "error" in message ? message : { ...message, seen: door(message.listener, cells), status: cells[STATUS] };
    if (env["WRITES"] !== undefined) writeFileSync(env["WRITES"], "free");
    writeSync(1, `${JSON.stringify(report)}\n`);
    exit(0);
  });
} else {
  launch(argv.slice(2), workerData as Int32Array);
}
