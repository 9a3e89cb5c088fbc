import { Worker } from "node:worker_threads";

/** Sleeps while nothing is judged, and wakes once in five seconds while something is: a call that is the same then has hung. */
const CODE = `
const { workerData } = require("node:worker_threads");
const cell = new Int32Array(workerData.memory);
for (;;) {
  const call = Atomics.load(cell, 0);
  if (call === 0) {
    Atomics.store(cell, 1, 1);
    Atomics.wait(cell, 0, 0);
    Atomics.store(cell, 1, 0);
  } else if (Atomics.wait(cell, 0, call, workerData.milliseconds) === "timed-out" && Atomics.load(cell, 0) === call)
    process.kill(process.pid, "SIGKILL");
}
`;

/** Another thread that ends this process where the kernel cannot be asked to do it (setitimer(2) has no way from Node). */
export class Watchdog {
  readonly #cell = new Int32Array(new SharedArrayBuffer(8));
  #calls = 0;

  constructor(milliseconds: number) {
    const workerData = { memory: this.#cell.buffer, milliseconds };
    new Worker(CODE, { eval: true, workerData, env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
  }

  /** A call begins. */
  start(): void {
    this.#calls = (this.#calls % 0x3fffffff) + 1;
    Atomics.store(this.#cell, 0, this.#calls);
    // Only who sleeps has to be woken, which takes microseconds.
    if (Atomics.load(this.#cell, 1) === 1) Atomics.notify(this.#cell, 0);
  }

  /** It has ended. */
  stop(): void {
    Atomics.store(this.#cell, 0, 0);
  }
}
