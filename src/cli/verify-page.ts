import { brief, visible } from "../action/index.ts";
import { type Effect, type LineResult, type Outcome, unpredicted } from "../verify/index.ts";
import { JSON_VERSION } from "./json.ts";
import type { Style } from "./style.ts";

/** One result as a line of JSON (docs/json.md). */
export function resultJson({ line, family, outcome }: LineResult): string {
  const { is, ...rest } = outcome;
  return JSON.stringify({ v: JSON_VERSION, command: line, family, result: is, ...rest });
}

type Ran = Extract<Outcome, { is: "run" }>;

/** One command: what was predicted and what was seen of it, side by side; then what nothing predicted, and what did not happen. */
export function linePage({ line, outcome }: LineResult, style: Style): string {
  if (outcome.is !== "run") return `${notRun(line, outcome)}\n`;
  const missed = unpredicted(outcome);
  const verdict = missed.length === 0 ? style.bold("as predicted") : style.bold(`${missed.length} not predicted`);
  const out = [`${verdict}  ${brief(line, style.width - 20)}`, style.dim(`${outcome.decision}, ${outcome.ended}`), ""];
  out.push(...columns(outcome, style));
  const background = outcome.effects.filter(({ expected }) => expected !== undefined && !outcome.predictions.includes(expected));
  if (background.length > 0) out.push("", style.bold("what the programs do for themselves"), ...reasons(background));
  if (missed.length > 0)
    out.push(
      "",
      style.bold("not predicted"),
      ...missed.map(({ text, program }) => `  ${brief(text, style.width - 20)}  ${style.dim(`by ${visible(program)}`)}`),
    );
  return `${out.join("\n")}\n`;
}

function columns({ predictions, effects, slack }: Ran, style: Style): readonly string[] {
  const rows = [...new Set(predictions)].map((text): readonly [string, string] => {
    const seen = effects.filter(({ expected }) => expected === text).map((effect) => effect.text);
    const [first] = seen;
    return [
      text,
      first === undefined
        ? slack.includes(text)
          ? style.dim("never happened")
          : ""
        : seen.length === 1
          ? first
          : `${first} and ${seen.length - 1} more`,
    ];
  });
  const room = Math.max(20, Math.floor(style.width / 2) - 4);
  const width = Math.min(room, Math.max(9, ...rows.map(([text]) => text.length)));
  return [["predicted", "observed"] as const, ...rows].map(
    ([left, right]) => `  ${brief(left, width).padEnd(width)}  ${brief(right, room)}`,
  );
}

/** Many effects, few reasons. */
function reasons(effects: readonly Effect[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { expected = "" } of effects) counts.set(expected, (counts.get(expected) ?? 0) + 1);
  return [...counts].map(([why, count]) => `  ${String(count).padStart(4)}  ${visible(why)}`);
}

function notRun(line: string, outcome: Exclude<Outcome, Ran>): string {
  const shown = brief(line);
  if (outcome.is === "absent") return `not run: ${shown}\n  not installed here: ${visible(outcome.programs.join(", "))}`;
  if (outcome.is === "refused") return `not run: ${shown}\n  ${outcome.decision}: ${visible(outcome.why)}`;
  if (outcome.is === "said") return `not run: ${shown}`;
  return `not observed: ${shown}\n  ${visible(outcome.why)}`;
}

export interface Tally {
  readonly lines: number;
  readonly ran: number;
  readonly notAllowed: number;
  readonly absent: number;
  readonly broken: number;
  /** Lines that did something that was not predicted. */
  readonly unpredicted: number;
  /** Predictions that never came true. */
  readonly slack: number;
}

export function tally(results: readonly LineResult[]): Tally {
  const count = (is: Outcome["is"]): number => results.filter(({ outcome }) => outcome.is === is).length;
  return {
    lines: results.length,
    ran: count("run"),
    notAllowed: count("refused"),
    absent: count("absent"),
    broken: count("broken"),
    unpredicted: results.filter(({ outcome }) => unpredicted(outcome).length > 0).length,
    slack: results.reduce((sum, { outcome }) => sum + (outcome.is === "run" ? outcome.slack.length : 0), 0),
  };
}

/** The whole corpus: what went wrong, and the counts of each family. */
export function corpusPage(results: readonly LineResult[], style: Style): string {
  const out: string[] = [];
  for (const { line, outcome } of results) {
    if (outcome.is === "broken") out.push(notRun(line, outcome));
    const missed = unpredicted(outcome);
    if (missed.length > 0)
      out.push(brief(line), ...missed.map(({ text, program }) => `  ${brief(text)}  ${style.dim(`by ${visible(program)}`)}`));
  }
  if (out.length > 0) out.push("");
  const families = [...new Set(results.map(({ family }) => family))].toSorted();
  const width = Math.max(8, ...families.map((family) => family.length));
  const row = (name: string, counts: readonly (string | number)[]): string =>
    `${name.padEnd(width)}${counts.map((one) => String(one).padStart(13)).join("")}`;
  out.push(style.bold(row("family", ["lines", "run", "not allowed", "absent", "unpredicted", "slack"])));
  const cells = ({ lines, ran, notAllowed, absent, unpredicted: wrong, slack }: Tally): readonly number[] => [
    lines,
    ran,
    notAllowed,
    absent,
    wrong,
    slack,
  ];
  for (const family of families) out.push(row(family, cells(tally(results.filter((one) => one.family === family)))));
  out.push(style.bold(row("all", cells(tally(results)))));
  return `${out.join("\n")}\n`;
}
