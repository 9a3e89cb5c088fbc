import { rmSync } from "node:fs";
import type { Action } from "@assent/core/action";
import { retentionOf } from "@assent/guard/engine";
import type { Settings, Verdict } from "@assent/core/policy";
import { messageOf, openState } from "@assent/guard/state";
import { RunAudit, type RunEvent } from "../supervise/index.ts";
import {
  compareSnapshot,
  endSnapshot,
  limitsOf,
  newRunId,
  noteAlive,
  pruneSeldom,
  RunFolder,
  type RunLimits,
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
  readonly #folder: RunFolder;
  readonly #audit: RunAudit;
  #engine: NonNullable<RunMeta["engine"]>;
  #limits: RunLimits | undefined;
  #pulse: NodeJS.Timeout | undefined;
  #isStarted = false;

  private constructor(request: EngineRequest, folder: RunFolder, engine: NonNullable<RunMeta["engine"]>) {
    this.#request = request;
    this.#folder = folder;
    this.#engine = engine;
    this.#audit = new RunAudit({
      machine: request.machine,
      run: folder.id,
      cwd: request.cwd,
      mode: "enforce",
      tally: { take: () => [] },
      onProblem: request.onNotice,
    });
  }

  /** Throws `EngineError` where nothing can be recorded: then nothing is started. */
  static begin(request: EngineRequest, engine: NonNullable<RunMeta["engine"]>): EngineRecord {
    const { machine, argv, cwd, policyFiles } = request;
    const state = openState(machine);
    if ("problem" in state) throw new EngineError("failed", `${state.problem}: the run's records need it`);
    const runs = runsFolder(machine);
    const started = Date.now();
    try {
      sealRecords(runs);
      const files = policyFiles.length === 0 ? {} : { policyFiles };
      return new EngineRecord(request, new RunFolder(runs, { id: newRunId(started), argv, cwd, ...files, started, engine }), engine);
    } catch (error) {
      throw new EngineError("failed", `the run's records cannot be kept: ${messageOf(error)}`, { cause: error });
    }
  }

  get id(): string {
    return this.#folder.id;
  }

  /** Keeps what lies in the folders that the run may write. That there will be no undo is said before anything starts. */
  keepBefore(roots: readonly string[], closed: (path: string) => boolean, settings: Settings): void {
    const { folder } = this.#folder;
    this.#audit.keep = retentionOf(settings.audit);
    this.#limits = limitsOf(settings.undo);
    if (!this.#request.undo) return this.#noUndo(NOT_ASKED);
    const limits = { ...SNAPSHOT_LIMITS, bytes: Math.min(SNAPSHOT_LIMITS.bytes, this.#limits.bytes) };
    const kept = takeSnapshot(folder, { roots, closed, limits });
    if (kept.is === "none") {
      this.#noUndo(kept.why);
      this.#request.onNotice(`undo is not possible for this run: ${kept.why}`);
      return;
    }
    noteAlive(folder);
    this.#pulse = setInterval(() => noteAlive(folder), PULSE);
    this.#pulse.unref();
  }

  #noUndo(why: string): void {
    this.#engine = { ...this.#engine, noUndo: why };
    this.#folder.end({ engine: this.#engine });
  }

  host(host: HostEvent): void {
    this.hosts.push(host);
    const event = eventOf(host, this.#request);
    try {
      this.#folder.event(event);
    } catch (error) {
      this.#request.onNotice(`the receipt is not complete: ${messageOf(error)}`);
    }
    this.#audit.event(event);
  }

  /** From now on the program may change things. */
  started(): void {
    this.#isStarted = true;
  }

  /** `status`: undefined where it did not come to an end by itself. */
  end(status: number | undefined): void {
    clearInterval(this.#pulse);
    this.#audit.end();
    const { folder } = this.#folder;
    const ended = Date.now();
    try {
      if (!this.#isStarted) {
        endSnapshot(folder);
        this.#folder.close();
        rmSync(folder, { recursive: true, force: true });
        return;
      }
      const facts = { ended, ...(status === undefined ? {} : { exit: { by: "exit" as const, code: status } }) };
      this.#folder.end(facts);
      let bytes = 0;
      if (this.#engine.noUndo === undefined) {
        const why = compareSnapshot(folder, false);
        if (why !== undefined) {
          this.#noUndo(why);
          this.#request.onNotice(`undo is not possible for this run: ${why}`);
        }
        bytes = sealRun(folder, ended);
        endSnapshot(folder);
      }
      this.#folder.end({ ...facts, bytes });
      this.#folder.close();
      pruneSeldom(runsFolder(this.#request.machine), this.#limits);
    } catch (error) {
      this.#request.onNotice(`what the run left could not be noted, so an undo will be careful: ${messageOf(error)}`);
    }
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
