import { existsSync } from "node:fs";
import { realWorld } from "@assent/guard/engine";
import { addressOf, alloc, SYSCALLS, sys } from "@assent/supervisor/supervise/kernel";
import { killTree, RunError, superviseRun } from "@assent/supervisor/supervise";
import { Comparison } from "./compare.ts";
import { resetFixture } from "./fixture/index.ts";
import type { ScratchPlace } from "./place.ts";
import { predictionsOf } from "./predict.ts";
import type { JudgeLine, LineOutcome } from "./types.ts";

export interface WatchOptions {
  readonly place: ScratchPlace;
  readonly judge: JudgeLine;
  /** Run what the judge does not allow, too. */
  readonly whatever: boolean;
  /** After so many milliseconds it is ended. */
  readonly patience: number;
}

const SHELL = "/bin/bash";

/** sys/resource.h, and what a line may have at most: seconds of a processor, bytes of one file, of memory, of a core. */
const LIMITS: readonly (readonly [resource: number, most: number])[] = [
  [0, 20],
  [1, 2 ** 28],
  [2, 2 ** 32],
  [4, 0],
];

/** prlimit(2): its first process hands them on to all others. */
function limit(pid: number): void {
  for (const [resource, most] of LIMITS) {
    const value = alloc(16);
    value.writeBigUInt64LE(BigInt(most), 0);
    value.writeBigUInt64LE(BigInt(most), 8);
    // It may be over already.
    sys(SYSCALLS.prlimit64, pid, resource, addressOf(value), 0);
  }
}

export interface WatchedLine {
  readonly outcome: LineOutcome;
  /** It changed something that lies beyond what is made anew. */
  readonly isSpoiled: boolean;
}

/** Runs one line in the scratch project and holds what it did against what lowering said. */
export async function watch(line: string, { place, judge, whatever, patience }: WatchOptions): Promise<WatchedLine> {
  const { decision, reason, lowered } = judge(line, place.project, place.machine);
  const unrun = (outcome: LineOutcome): WatchedLine => ({ outcome, isSpoiled: false });
  if (decision !== "allow" && !whatever) return unrun({ is: "refused", decision, why: reason });
  const world = realWorld(place.machine, place.project, undefined);
  const absent = lowered.actions.flatMap((action) =>
    action.kind === "exec" && action.builtin !== true && action.resolved === undefined && !existsSync(`/bin/${action.program}`)
      ? [action.program]
      : [],
  );
  if (absent.length > 0) return unrun({ is: "absent", programs: [...new Set(absent)] });
  const predictions = predictionsOf(lowered.actions, world);
  const comparison = new Comparison(line, predictions, place, world);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    killTree();
  }, patience);
  try {
    const { exit } = await superviseRun({
      argv: [SHELL, "-c", line],
      word: "bash",
      cwd: place.project,
      env: { ...place.env, PWD: place.project },
      machine: place.machine,
      profile: "verify",
      policyFiles: [],
      approver: undefined,
      mode: "observe",
      undo: false,
      onEvent: (event) => comparison.add(event),
      onStart: ({ pid }) => limit(pid),
      own: [],
    });
    const effects = comparison.effects();
    const outcome: LineOutcome = {
      is: "run",
      decision,
      predictions: predictions.map(({ text }) => text),
      effects,
      slack: predictions
        .filter(({ seen, action }) => !seen && action.kind !== "code" && !(action.kind === "exec" && action.builtin === true))
        .map(({ text }) => text),
      ended: late ? `ended after ${patience} ms` : exit.by === "exit" ? `exit ${exit.code}` : `signal ${exit.signal}`,
    };
    return { outcome, isSpoiled: comparison.changed === "beyond" };
  } catch (error) {
    if (error instanceof RunError || error instanceof Error) return { outcome: { is: "broken", why: error.message }, isSpoiled: true };
    throw error;
  } finally {
    clearTimeout(timer);
    if (comparison.changed === "scratch") resetFixture(place);
  }
}
