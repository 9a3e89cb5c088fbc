/**
 * The other side of the real tests, as a process of its own: `inside.mjs PROGRAM [ARG…]`. A worker restricts itself and starts
 * PROGRAM with posix_spawn; this thread answers CONTINUE to everything and prints, as the last line, what was seen.
 */
import { writeSync } from "node:fs";
import { argv, env, exit } from "node:process";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { addressOf, cString, cStrings, posixSpawn, SYSCALLS, sys } from "../../../src/supervise/kernel/index.ts";
import { type Restricted, restrictThisThread, WallError } from "../../../src/supervise/wall/index.ts";

const RECV = 0xc0502100;
const SEND = 0xc0182101;
const CONTINUE = 1;
const POLLIN = 1;

/** State, exit status of the program. */
interface Shared {
  readonly cells: Int32Array;
}

function door(listener: number, { cells }: Shared): number[] {
  const pollfd = Buffer.alloc(8);
  pollfd.writeInt32LE(listener, 0);
  pollfd.writeInt16LE(POLLIN, 4);
  const notification = Buffer.alloc(80);
  const answer = Buffer.alloc(24);
  const seen: number[] = [];
  while (Atomics.load(cells, 0) === 0) {
    if (sys(SYSCALLS.poll, addressOf(pollfd), 1, 20) <= 0) continue;
    notification.fill(0);
    if (sys(SYSCALLS.ioctl, listener, RECV, addressOf(notification)) < 0) continue;
    seen.push(notification.readInt32LE(16));
    answer.fill(0);
    notification.copy(answer, 0, 0, 8);
    answer.writeUInt32LE(CONTINUE, 20);
    sys(SYSCALLS.ioctl, listener, SEND, addressOf(answer));
  }
  return seen;
}

function launch(program: readonly string[], { cells }: Shared): void {
  let restricted: Restricted;
  try {
    restricted = restrictThisThread({ observeReads: env["OBSERVE_READS"] === "1", bestEffort: false });
  } catch (error) {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    parentPort?.postMessage({ error: error instanceof WallError ? error.code : String(error) });
    return;
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(restricted);
  for (const fd of [0, 1, 2]) sys(SYSCALLS.fcntl, fd, 2, 0);
  const pid = Buffer.alloc(4);
  const args = cStrings(program.map((arg) => Buffer.from(arg)));
  const environment = cStrings(Object.entries(env).map(([name, value]) => Buffer.from(`${name}=${value}`)));
  const failed = posixSpawn(pid, cString(Buffer.from(program[0] ?? "")), null, null, args.address, environment.address);
  const status = Buffer.alloc(4);
  if (failed === 0) sys(SYSCALLS.wait4, pid.readInt32LE(0), addressOf(status), 0, 0);
  Atomics.store(cells, 1, failed === 0 ? status.readInt32LE(0) : -failed);
  Atomics.store(cells, 0, 1);
}

if (isMainThread) {
  const cells = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL(import.meta.url), { workerData: cells, argv: argv.slice(2) });
  worker.once("message", (message: Restricted | { readonly error: string }) => {
    if ("error" in message) {
      writeSync(1, `${JSON.stringify(message)}\n`);
      exit(0);
    }
    const seen = door(message.listener, { cells });
    writeSync(1, `${JSON.stringify({ ...message, seen, status: cells[1] })}\n`);
    exit(0);
  });
} else {
  launch(argv.slice(2), { cells: workerData as Int32Array });
}
