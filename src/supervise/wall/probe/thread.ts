import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { SYSCALLS } from "../../kernel/index.ts";

/** What seccomp(2) said on a thread that is thrown away: a descriptor of the listener, or a negative errno. */
interface Answer {
  readonly noNewPrivs: number;
  readonly listener: number;
}

/**
 * A program of its own, because a filter stays on its thread for good and a worker needs a file that every way of bundling
 * keeps apart. The filter allows everything: `return SECCOMP_RET_ALLOW`.
 */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const koffi = require(workerData.koffi);
const syscall = koffi.load(null).func("long syscall(long nr, long a, long b, long c, long d, long e, long f)");
const call = (...args) => { const result = syscall(...args); return result === -1 ? -koffi.errno() : result; };
const filter = Buffer.from("060000000000ff7f", "hex");
const program = Buffer.alloc(4096);
program.writeUInt16LE(1, 0);
program.writeBigUInt64LE(BigInt(koffi.address(filter)), 8);
const noNewPrivs = call(workerData.prctl, 38, 1, 0, 0, 0, 0);
const listener = call(workerData.seccomp, 1, 8, Number(koffi.address(program)), 0, 0, 0);
parentPort.postMessage({ noNewPrivs, listener });
`;

/** Installs a filter with a listener on a thread of its own, which ends at once. The listener is the caller's to close. */
export function listenerOfThread(): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(THREAD, {
      eval: true,
      workerData: { koffi: createRequire(import.meta.url).resolve("koffi"), prctl: SYSCALLS.prctl, seccomp: SYSCALLS.seccomp },
    });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the probe's thread ended without an answer")));
  });
}
