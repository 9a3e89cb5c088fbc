import { type DayTally, LATENCIES, LogTally, TALLY_VERDICTS, type TallyVerdict, topOf } from "../../preview/index.ts";
import { type Machine, stateFolder } from "@assent/guard/state";
import { shown } from "../text.ts";
import { inTurns } from "../turns.ts";
import { type Endpoint, refused } from "./endpoint.ts";

/** What the plots are made of. */
export interface PlotNumbers {
  readonly verdicts: readonly TallyVerdict[];
  readonly days: readonly { readonly day: string; readonly verdicts: readonly number[]; readonly asked: number }[];
  readonly asks: readonly (readonly [string, number])[];
  readonly refusals: readonly (readonly [string, number])[];
  /** At most so many milliseconds, and how many decisions took that; the last: longer. */
  readonly latency: readonly (readonly [string, number])[];
}

/** First how far it is, of 1, as long as it is not all counted. */
export type PlotLine = { readonly done: number } | { readonly numbers: PlotNumbers };

const MOST_DAYS = 90;
const MOST_BARS = 10;
const NAME = 60;

function numbersOf(days: readonly DayTally[]): PlotNumbers {
  const named = (rows: readonly (readonly [string, number])[]) => rows.map(([name, count]) => [shown(name, NAME), count] as const);
  const sums = days.reduce<readonly number[]>(
    (sum, { latency }) => latency.map((count, at) => count + (sum[at] ?? 0)),
    LATENCIES.map(() => 0),
  );
  return {
    verdicts: TALLY_VERDICTS,
    days: days.map(({ day, verdicts, asked }) => ({ day, verdicts: TALLY_VERDICTS.map((verdict) => verdicts[verdict]), asked })),
    asks: named(topOf(days, "asks", MOST_BARS)),
    refusals: named(topOf(days, "refusals", MOST_BARS)),
    latency: sums.map((count, at) => [LATENCIES[at] === undefined ? "more" : `≤ ${LATENCIES[at]}`, count] as const),
  };
}

const tallies = new Map<string, LogTally>();

/** One for the page's process: what is counted once stays counted. */
function tallyOf(machine: Machine): LogTally {
  const folder = stateFolder(machine);
  const tally = tallies.get(folder) ?? new LogTally(folder);
  tallies.set(folder, tally);
  return tally;
}

async function* numbers(machine: Machine, days: number, signal: AbortSignal): AsyncGenerator<PlotLine> {
  const turns = inTurns(tallyOf(machine).update(days), signal);
  for (let turn = await turns.next(); ; turn = await turns.next()) {
    if (turn.done !== true) yield { done: turn.value };
    else {
      if (turn.value !== undefined) yield { numbers: numbersOf(turn.value) };
      return;
    }
  }
}

export const PLOTS: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/api/plots",
    answer: ({ query, signal }, { machine }) => {
      const days = Number(query.get("days") ?? "30");
      if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) return refused("how many days is not clear");
      return { is: "lines", lines: numbers(machine, days, signal) };
    },
  },
];
