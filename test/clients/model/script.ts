import type { Heard, Reply } from "./dialect.ts";

/** A tool as the client names it, and what the model asks of it. */
export interface ToolCall {
  readonly tool: string;
  /** Some calls need what an earlier one gave back. */
  readonly input: Readonly<Record<string, unknown>> | ((lastOutcome: string) => Readonly<Record<string, unknown>>);
  /** Asked again until the outcome looks so, for what is not there at once. */
  readonly until?: RegExp;
  /** The client takes it by name though it is in none of its lists. */
  readonly unlisted?: true;
  /** What is asked then in its place, by what was given back last: a command goes on, and its host is asked for the rest. */
  readonly again?: (lastOutcome: string) => ToolCall;
}

/** What the model does in one conversation: one call after the other, then it says it is done. */
export type Script = readonly ToolCall[];

/** The words by which a prompt names its script. A sub-agent's prompt names another one. */
export const prompt = (script: string): string => `Please carry out SCRIPT:${script} now, one step after the other.`;

/**
 * What the model answers to what it heard. It keeps nothing: the last script that a user named is the one,
 * and the outcomes since then are those of the steps done. So a request that is sent twice gets the same answer.
 */
export function converse(
  scripts: Readonly<Record<string, Script>>,
  heard: Heard,
): { readonly script: string | undefined; readonly reply: Reply; readonly problem: string | undefined } {
  const named = heard.turns.findLastIndex((turn) => turn.by === "user" && /SCRIPT:\w/.test(turn.text));
  const turn = heard.turns[named];
  const script = turn?.by === "user" ? /SCRIPT:(\w+)/.exec(turn.text)?.[1] : undefined;
  // Titles, summaries and the like are asked for without tools.
  if (script === undefined || heard.offers.size === 0) return { script: undefined, reply: { say: "A title" }, problem: undefined };
  const steps = scripts[script] ?? [];
  const outcomes = heard.turns.slice(named).filter((one) => one.by === "tool");
  const last = outcomes.at(-1)?.text ?? "";
  const at = stepsOf(
    steps,
    outcomes.map(({ text }) => text),
  ).at(-1);
  const goesOn = at !== undefined && steps[at]?.until?.test(last) === false;
  const due = steps[at === undefined ? 0 : goesOn ? at : at + 1];
  const step = goesOn ? (due?.again?.(last) ?? due) : due;
  if (step === undefined) return { script, reply: { say: "All done." }, problem: undefined };
  const offer = heard.offers.get(step.tool) ?? (step.unlisted === true ? [...heard.offers.values()][0] : undefined);
  if (offer === undefined) return { script, reply: { say: "I lack a tool." }, problem: `the client offers no tool \`${step.tool}\`` };
  const input = typeof step.input === "function" ? step.input(last) : step.input;
  return { script, reply: { call: step.tool, input, offer }, problem: undefined };
}

/** The number of the step that each outcome belongs to. */
export function stepsOf(steps: Script, outcomes: readonly string[]): readonly number[] {
  let at = 0;
  return outcomes.map((text) => (steps[at]?.until?.test(text) === false ? at : at++));
}
