import { Worker } from "node:worker_threads";
import type { SideWork } from "../daemon/index.ts";
import type { Machine } from "@assent/guard/state";
import { isFleetDue, membershipMark } from "@assent/team/team";

/** One that ended while this machine belongs to a team: it failed, or was out of memory. Milliseconds. */
const AGAIN_MS = 30_000;
/** What a batch, its message and the code take is less than half of that. */
const MOST_MEGABYTES = 64;

/**
 * The connection to the team, in a thread of its own: what comes from a server, however much and whatever it is, is read there, and no
 * call waits for it.
 */
export class TeamThread implements SideWork {
  readonly #file: string;
  readonly #machine: Machine;
  #worker: Worker | undefined;
  #ended = -Infinity;
  #over = false;

  constructor(file: string, machine: Machine) {
    this.#file = file;
    this.#machine = machine;
  }

  /** Called again and again: it runs where this machine belongs to a team, or is to join one. */
  look(): void {
    if (this.#over || this.#worker !== undefined || performance.now() - this.#ended < AGAIN_MS) return;
    if (!this.isBusy() && !isFleetDue(this.#machine, Date.now())) return;
    const worker = new Worker(this.#file, {
      stdin: false,
      stdout: true,
      stderr: true,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES, maxYoungGenerationSizeMb: 4 },
    });
    worker.unref();
    this.#worker = worker;
    worker.on("error", () => undefined);
    worker.on("exit", () => {
      this.#worker = undefined;
      // Left, and perhaps joined again: that is no failure.
      if (this.isBusy()) this.#ended = performance.now();
    });
  }

  /** There is something to do, though nobody calls. */
  isBusy = (): boolean => membershipMark(this.#machine) !== "";

  end(): void {
    this.#over = true;
    this.#worker?.postMessage("end");
  }
}
