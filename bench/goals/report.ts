import { readFileSync, writeFileSync } from "node:fs";
import { spread, type Spread } from "../supervise/measure.ts";
import type { GoalRow, Unit } from "./rows.ts";

/** What was measured of one row, in its unit; `figure` is what the goal is about. */
export interface MeasuredGoal {
  readonly id: string;
  readonly area: string;
  readonly what: string;
  readonly how: string;
  readonly unit: Unit;
  readonly goal: number;
  readonly figure: number;
  /** Tenth and ninetieth percentile, of the pairs where there is a bare side. */
  readonly p10: number;
  readonly p90: number;
  readonly bare?: number;
  readonly own: number;
  readonly reached: boolean;
  readonly failed?: string;
}

/** One run of all rows. */
export interface GoalReport {
  readonly date: string;
  readonly commit: string;
  readonly rounds: number;
  readonly machine: {
    readonly node: string;
    readonly linux: string;
    readonly processors: number;
    readonly load: readonly [before: string, after: string];
  };
  readonly rows: readonly MeasuredGoal[];
}

/** The pairs of a row, in the order in which they were taken. */
export interface Pairs {
  readonly own: number[];
  readonly bare: number[];
}

export function measuredGoal({ id, area, what, how, unit, goal, bare }: GoalRow, pairs: Pairs, failed?: string): MeasuredGoal {
  const own = spread(pairs.own);
  const base = { id, area, what, how, unit, goal, own: own.median };
  if (failed !== undefined || pairs.own.length === 0) {
    const nothing = Number.NaN;
    return { ...base, figure: nothing, p10: nothing, p90: nothing, reached: false, failed: failed ?? "it was not measured" };
  }
  if (bare === undefined) return { ...base, figure: own.median, p10: own.p10, p90: own.p90, reached: own.median <= goal };
  const alone = spread(pairs.bare);
  const { p10, p90 } = ratios(pairs.own, pairs.bare);
  const figure = own.median / alone.median;
  return { ...base, bare: alone.median, figure, p10, p90, reached: figure <= goal };
}

/** How many times the one is the other, pair by pair. */
export const ratios = (these: readonly number[], those: readonly number[]): Spread =>
  spread(these.map((value, at) => value / (those[at] ?? Number.NaN)));

const digits = (value: number): string => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
const inUnit = (value: number, unit: Unit): string => `${digits(value)} ${unit === "x" ? "×" : unit}`;

/** One line for the terminal. */
export function lineOf({ what, unit, goal, figure, p10, p90, reached, failed }: MeasuredGoal): string {
  const said = failed === undefined ? `${inUnit(figure, unit)} (${digits(p10)} to ${digits(p90)})` : `did not run: ${failed.slice(0, 160)}`;
  return `${reached ? "reached" : "missed "}  ${said.padEnd(30)} at most ${inUnit(goal, unit).padEnd(9)} ${what}`;
}

const BEGIN = "<!-- goals: npm run bench:goals -->";
const END = "<!-- /goals -->";

/** The table of the documentation. */
export function tableOf({ date, commit, rounds, machine, rows }: GoalReport): string {
  const reached = rows.filter((row) => row.reached).length;
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  const lines = rows.map(({ what, how, unit, goal, figure, p10, p90, reached: is, failed }) => {
    const said = failed === undefined ? `${inUnit(figure, unit)} (${digits(p10)} to ${digits(p90)})` : "not measured";
    return `| ${cell(what)} | ≤ ${inUnit(goal, unit)} | ${said} | ${is ? "reached" : failed === undefined ? "**missed**" : "**no figure**"} | \`${how}\` |`;
  });
  return [
    `${reached} of ${rows.length} goals are reached. Measured on ${date} at ${commit}, ${rounds} rounds, Node ${machine.node}, Linux ${machine.linux}, ${machine.processors} processors, ${machine.load[0]} before and ${machine.load[1]} after; medians, in brackets the 10th and the 90th percentile (of the pairs, where it is a multiple).`,
    "",
    "| what | goal | measured | | how, alone |",
    "|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

/** Puts the table in the place of the one that is there. */
export function writeTable(file: string, report: GoalReport): void {
  const text = readFileSync(file, "utf8");
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${file} has no place for the table: ${BEGIN} … ${END}`);
  writeFileSync(file, `${text.slice(0, start + BEGIN.length)}\n\n${tableOf(report)}\n\n${text.slice(end)}`);
}
