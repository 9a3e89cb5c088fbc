import type { Action } from "@assent/core/action";
import type { Settings, Verdict } from "@assent/core/policy";
import { messageOf } from "@assent/guard/state";
import { type RunEvent, RunRecords } from "../supervise/index.ts";
import {
  compareSnapshot,
  endSnapshot,
  noteAlive,
  type RunMeta,
  runsFolder,
  sealRecords,
  sealRun,
  SNAPSHOT_LIMITS,
  takeSnapshot,
} from "../supervise/undo/index.ts";
import { EngineError, type EngineRequest, type HostEvent } from "./contract.ts";

/** Milliseconds between two signs of life: what changes after the last one of a run that is killed is not taken for the run's. */
const PULSE = 500;

const NOT_ASKED = "nothing is kept, as you asked (--no-undo)";

/** What is known of a run whose calls nobody sees: how it began and ended, the hosts, and what differs in its folders afterwards. */
export class EngineRecord {
  readonly hosts: HostEvent[] = [];
  readonly #request: EngineRequest;
  readonly #records: RunRecords;
  #engine: NonNullable<RunMeta["engine"]>;
  #pulse: NodeJS.Timeout | undefined;
  #isStarted = false;

  /** Throws `EngineError` where nothing can be recorded: then nothing is started. */
  constructor(request: EngineRequest, engine: NonNullable<RunMeta["engine"]>) {
    this.#request = request;
    this.#engine = engine;
    try {
      sealRecords(runsFolder(request.machine));
      this.#records = new RunRecords(request, { engine }, { take: () => [] });
    } catch (error) {
      throw new EngineError("failed", messageOf(error), { cause: error });
    }
  }

  get id(): string {
    return this.#records.id;
  }

  /** Keeps what lies in the folders that the run may write. That there will be no undo is said before anything starts. */
  keepBefore(roots: readonly string[], closed: (path: string) => boolean, settings: Settings): void {
    const { folder } = this.#records;
    const { bytes } = this.#records.keepAs(settings);
    if (!this.#request.undo) return this.#noUndo(NOT_ASKED);
    const limits = { ...SNAPSHOT_LIMITS, bytes: Math.min(SNAPSHOT_LIMITS.bytes, bytes) };
    const kept = takeSnapshot(folder, { roots, closed, limits });
    if (kept.is === "none") return this.#sayNoUndo(kept.why);
    noteAlive(folder);
    this.#pulse = setInterval(() => noteAlive(folder), PULSE);
    this.#pulse.unref();
  }

  #noUndo(why: string): void {
    this.#engine = { ...this.#engine, noUndo: why };
    this.#records.note({ engine: this.#engine });
  }

  #sayNoUndo(why: string): void {
    this.#noUndo(why);
    this.#request.onNotice(`undo is not possible for this run: ${why}`);
  }

  host(host: HostEvent): void {
    this.hosts.push(host);
    this.#records.event(eventOf(host, this.#request));
  }

  /** From now on the program may change things. */
  started(): void {
    this.#isStarted = true;
  }

  /** `status`: undefined where it did not come to an end by itself. */
  end(status: number | undefined): void {
    clearInterval(this.#pulse);
    const { folder } = this.#records;
    if (!this.#isStarted) {
      endSnapshot(folder);
      return this.#records.discard();
    }
    const exit = status === undefined ? undefined : ({ by: "exit", code: status } as const);
    this.#records.end(exit, this.#engine.noUndo === undefined ? (ended) => this.#seal(ended) : undefined);
  }

  #seal(ended: number): number {
    const { folder } = this.#records;
    const why = compareSnapshot(folder, false);
    if (why !== undefined) this.#sayNoUndo(why);
    const bytes = sealRun(folder, ended);
    endSnapshot(folder);
    return bytes;
  }
}

function eventOf({ host, port, outcome, why, answer, judged }: HostEvent, { argv }: EngineRequest): RunEvent {
  const action: Action = { kind: "net", operation: "connect", host, port, origin: { by: "tool" } };
  const verdict: Verdict = judged ?? { decision: outcome === "allowed" ? "allow" : "deny", basis: "default", reason: why };
  return {
    time: Date.now(),
    process: { pid: process.pid, name: argv[0].replace(/^.*\//, ""), argv },
    call: { name: "connect", args: [port === undefined ? host : `${host}:${port}`] },
    action,
    verdict,
    outcome: outcome === "allowed" ? "done" : "refused",
    ...(answer === undefined ? {} : { answer }),
  };
}
