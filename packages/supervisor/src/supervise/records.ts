import { rmSync } from "node:fs";
import type { Settings } from "@assent/core/policy";
import { retentionOf } from "@assent/guard/engine";
import { messageOf, openState } from "@assent/guard/state";
import { RunAudit } from "./audit.ts";
import type { AllowedTally } from "./trap/record.ts";
import type { Exit, RunEvent, RunOptions } from "./types.ts";
import { isSealable, limitsOf, newRunId, pruneSeldom, RunFolder, type RunLimits, type RunMeta, runsFolder, sealRun } from "./undo/index.ts";

/** A run that could not begin, or that Assent itself could not go on with. */
export class RunError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RunError";
    this.code = code;
  }
}

type RecordedRun = Pick<RunOptions, "machine" | "argv" | "cwd" | "policyFiles" | "policies" | "confined" | "onNotice"> & {
  readonly mode?: RunOptions["mode"];
};

/** What is written down of a run, whoever holds it: its folder, and its part of the audit log. */
export class RunRecords {
  readonly #run: RecordedRun;
  readonly #folder: RunFolder;
  readonly #audit: RunAudit;
  #limits: RunLimits | undefined;
  /** Why the receipt has gaps. */
  #unkept: string | undefined;

  /** Throws `RunError`: nothing can be recorded, so nothing is to be started. */
  constructor(run: RecordedRun, facts: Pick<RunMeta, "profile" | "engine">, tally: Pick<AllowedTally, "take">) {
    const { machine, cwd, mode = "enforce", policies, onNotice } = run;
    this.#run = run;
    this.#folder = newFolder(run, facts);
    this.#audit = new RunAudit({
      machine,
      run: this.id,
      cwd,
      mode,
      tally,
      principal: policies?.principal,
      logs: policies?.audit,
      onProblem: (problem) => onNotice?.(problem),
    });
  }

  get id(): string {
    return this.#folder.id;
  }

  get folder(): string {
    return this.#folder.folder;
  }

  /** How long all of it is kept. A guard's policy says nothing about what others want to keep. */
  keepAs({ audit, undo }: Settings): RunLimits {
    this.#audit.keep = retentionOf(this.#run.policies === undefined ? audit : undefined);
    return (this.#limits = limitsOf(undo));
  }

  event(event: RunEvent): void {
    try {
      if (isNotable(event)) this.#folder.event(event);
    } catch (error) {
      // A full disk: the run's own calls are refused where they could not be undone; a receipt with a gap is no reason to end it.
      this.#unkept ??= messageOf(error);
    }
    this.#audit.event(event);
  }

  note(facts: Pick<RunMeta, "engine" | "leftEnded">): void {
    this.#folder.end(facts);
  }

  /** The program has ended, and others of its tree go on: what there is so far. They may still change things. */
  endSoFar(exit: Exit, left: NonNullable<RunMeta["left"]>, undoes: boolean): void {
    try {
      const ended = Date.now();
      this.#folder.end({ ended, exit, left });
      if (undoes) this.#folder.end({ bytes: sealRun(this.folder, ended) });
    } catch (error) {
      this.#run.onNotice?.(`the receipt is not complete: ${messageOf(error)}`);
    }
  }

  /** What the run left is written down, so that an undo can tell what was changed since. `seal`: for an undo; how many bytes it holds. */
  end(exit: Exit | undefined, seal: ((ended: number) => number) | undefined): void {
    this.#audit.end();
    const { machine, policies, onNotice } = this.#run;
    if (this.#unkept !== undefined) onNotice?.(`the receipt is not complete: ${this.#unkept}`);
    const ended = Date.now();
    const facts = { ended, ...(exit === undefined ? {} : { exit }) };
    try {
      // To seal what was changed may take a while: that it has ended is written down first.
      if (seal === undefined || isSealable(this.folder)) this.#folder.end(facts);
      if (seal !== undefined) this.#folder.end({ ...facts, bytes: seal(ended) });
      this.#folder.close();
    } catch (error) {
      onNotice?.(`what the run left could not be noted, so an undo will be careful: ${messageOf(error)}`);
    }
    pruneSeldom(runsFolder(machine), this.#limits, policies === undefined ? undefined : ({ guard }) => guard !== undefined);
  }

  /** Of a run that did not begin nothing is kept. */
  discard(): void {
    this.#audit.end();
    this.#folder.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function newFolder(
  { machine, argv, cwd, policyFiles, policies, confined }: RecordedRun,
  facts: Pick<RunMeta, "profile" | "engine">,
): RunFolder {
  const state = openState(machine);
  if ("problem" in state) throw new RunError("state", unusable(state.problem));
  const started = Date.now();
  try {
    return new RunFolder(runsFolder(machine), {
      id: newRunId(started),
      argv,
      cwd,
      ...facts,
      ...(policyFiles.length === 0 ? {} : { policyFiles }),
      ...(policies === undefined ? {} : { guard: policies.principal === undefined ? {} : { principal: policies.principal } }),
      started,
      ...(confined === undefined ? {} : { confined }),
    });
  } catch (error) {
    throw new RunError("state", unusable(`the run's records cannot be kept: ${messageOf(error)}`), { cause: error });
  }
}

/** In a sandbox everything but the project may be read-only. */
function unusable(problem: string): string {
  const way = /EROFS|EACCES|EPERM/.test(problem)
    ? "; where a sandbox around this closes it, start `assent run` outside the sandbox, or set XDG_STATE_HOME to a folder that it lets you write"
    : "";
  return `${problem}: the run's records need it${way}`;
}

/** What a receipt tells. */
function isNotable({ outcome, answer, action, verdict }: RunEvent): boolean {
  if (outcome === "refused" || answer !== undefined || verdict.builtin === "run.other-names") return true;
  return action.kind === "exec" || action.kind === "net";
}
