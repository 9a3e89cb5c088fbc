import { visible } from "@assent/core/action";
import type { LeftEnd } from "@assent/supervisor/supervise";
import { commandOf, type PathChange, type RunRecord, undoneIn, type UndoStep } from "@assent/supervisor/supervise/undo";

/** How runs, and what they changed, are put to people. */

export const VERBS: Readonly<Record<PathChange["what"], string>> = {
  created: "created",
  changed: "changed",
  deleted: "deleted",
  renamed: "renamed",
  attributes: "given other permissions or times",
};
export const WHATS = ["created", "changed", "deleted", "renamed", "attributes"] as const;

/** `exit code 0`, `ended by signal 9`, or that it lives. */
export function sayEnding({ exit, ended }: RunRecord, running: boolean): string {
  if (exit === undefined || ended === undefined) return running ? "still running" : "killed";
  return exit.by === "exit" ? `exit code ${exit.code}` : `ended by signal ${exit.signal}`;
}

/** What was run, or what was undone. */
export const sayRun = (run: RunRecord): string => (run.undoes === undefined ? commandOf(run) : `undo of ${undoneIn(run).join(", ")}`);

const LEFT_ENDED: Readonly<Record<LeftEnd, string>> = {
  session: "ended with the session",
  host: "ended with the agent's host",
  age: "ended after 24 hours",
};

/** What it left running, and what became of that; undefined: nothing. */
export function sayLeft({ left, leftEnded }: RunRecord, running: boolean): string | undefined {
  if (left === undefined) return undefined;
  const names = left.map(({ pid, name }) => `${visible(name)} (${pid})`);
  const some = names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
  return `${some}; ${leftEnded === undefined ? (running ? "still running" : "over") : LEFT_ENDED[leftEnded]}`;
}

const STEPS: Readonly<Record<Exclude<UndoStep["do"], "attributes">, string>> = {
  delete: "delete",
  move: "move back",
  restore: "bring back",
  content: "write the old bytes to",
};

/** What an undo would do, as people are told: a step of its own for what they would see, one for all permissions and times. */
export function saySteps(steps: readonly ToldStep[], short: (path: string) => string): readonly string[] {
  const shown = steps.flatMap((step) => {
    if (step.do === "attributes" || (step.do === "move" && step.aside === true)) return [];
    return [`${STEPS[step.do]} ${short(step.path)}${step.do === "move" ? ` as ${short(step.to)}` : ""}`];
  });
  const attributes = steps.filter((step) => step.do === "attributes").length;
  return attributes === 0 ? shown : [...shown, `set permissions and times of ${attributes} path${attributes === 1 ? "" : "s"}`];
}

/** As much of a step as is told. */
export type ToldStep =
  | { readonly do: "move"; readonly path: string; readonly to: string; readonly aside?: true }
  | { readonly do: Exclude<UndoStep["do"], "move">; readonly path: string };
