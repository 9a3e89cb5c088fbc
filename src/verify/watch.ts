import { existsSync } from "node:fs";
import { realWorld } from "../guard/index.ts";
import { killTree, RunError, superviseRun } from "../supervise/index.ts";
import { Comparison } from "./compare.ts";
import { resetFixture } from "./fixture/index.ts";
import type { Place } from "./place.ts";
import { predictionsOf } from "./predict.ts";
import type { JudgeLine, Outcome } from "./types.ts";

export interface WatchOptions {
  readonly place: Place;
  readonly judge: JudgeLine;
  /** Run what the judge does not allow, too. */
  readonly whatever: boolean;
  /** After so many milliseconds it is ended. */
  readonly patience: number;
}

const SHELL = "/bin/bash";

/** Runs one line in the scratch project and holds what it did against what lowering said. */
export async function watch(line: string, { place, judge, whatever, patience }: WatchOptions): Promise<Outcome> {
  const { decision, reason, lowered } = judge(line, place.project, place.machine);
  if (decision !== "allow" && !whatever) return { is: "refused", decision, why: reason };
  const world = realWorld(place.machine, place.project, undefined);
  const absent = lowered.actions.flatMap((action) =>
    action.kind === "exec" && action.builtin !== true && action.resolved === undefined && !existsSync(`/bin/${action.program}`)
      ? [action.program]
      : [],
  );
  if (absent.length > 0) return { is: "absent", programs: [...new Set(absent)] };
  const predictions = predictionsOf(lowered.actions, world);
  const comparison = new Comparison(predictions, place, world);
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
      bestEffort: false,
      undo: false,
      onEvent: (event) => comparison.add(event),
      own: [],
    });
    const effects = comparison.effects();
    return {
      is: "run",
      decision,
      predictions: predictions.map(({ text }) => text),
      effects,
      slack: predictions
        .filter(({ seen, action }) => !seen && action.kind !== "code" && !(action.kind === "exec" && action.builtin === true))
        .map(({ text }) => text),
      ended: late ? `ended after ${patience} ms` : exit.by === "exit" ? `exit ${exit.code}` : `signal ${exit.signal}`,
    };
  } catch (error) {
    if (error instanceof RunError || error instanceof Error) return { is: "broken", why: error.message };
    throw error;
  } finally {
    clearTimeout(timer);
    if (comparison.changed) resetFixture(place);
  }
}
