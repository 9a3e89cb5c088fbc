import { h, type VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PlotLine, PlotNumbers } from "../../api/plots.ts";
import { lines, messageOf } from "../client.ts";
import { announce } from "../parts/announce.tsx";
import { barsPlot, columnsPlot, type PlotNode } from "../plot.ts";
import type { PageView, ViewProps } from "./view.ts";

const drawn = ({ tag, attributes, children }: PlotNode): VNode =>
  h(tag, attributes, ...children.map((child) => (typeof child === "string" ? child : drawn(child))));

interface PlotProps {
  readonly plot: PlotNode;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** A plot, and its numbers for those who read them. */
function Plot({ plot, head, rows }: PlotProps) {
  const title = plot.children[0];
  const name = typeof title === "object" && typeof title.children[0] === "string" ? title.children[0] : "";
  return (
    <figure class="card plot-card">
      <div class="plot-box" role="group" aria-label={name} tabIndex={0}>
        {drawn(plot)}
      </div>
      <details>
        <summary>{`${name} as a table`}</summary>
        <div class="plot-table" role="group" aria-label={`${name}, the numbers`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {head.map((text) => (
                  <th key={text} scope="col">
                    {text}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([first, ...rest], at) => (
                <tr key={at}>
                  <th scope="row">{first}</th>
                  {rest.map((value, column) => (
                    <td key={column}>{value.toLocaleString("en-US")}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  allow: "allowed",
  confined: "sandboxed",
  none: "no opinion",
  ask: "asked",
  deny: "refused",
};
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function All({ numbers }: { readonly numbers: PlotNumbers }) {
  const { verdicts, days, asks, refusals, latency } = numbers;
  const decisions = sum(days.map((day) => sum(day.verdicts)));
  const asked = sum(days.map((day) => day.asked));
  const every = Math.max(1, Math.ceil(days.length / 10));
  const short = (day: string): string => day.slice(5);
  const series = verdicts.map((verdict) => ({ name: WORDS[verdict] ?? verdict, class: `fill-${verdict}` }));
  return (
    <>
      <Plot
        plot={columnsPlot({
          id: "decisions",
          title: "Decisions a day",
          about: `${decisions.toLocaleString("en-US")} decisions in ${days.length} days`,
          series,
          columns: days.map(({ day, verdicts: values }) => ({ name: short(day), values })),
          every,
        })}
        head={["day", ...series.map(({ name }) => name)]}
        rows={days.map((day) => [day.day, ...day.verdicts])}
      />
      <Plot
        plot={columnsPlot({
          id: "interruptions",
          title: "Interruptions a day",
          about: `you were asked ${asked.toLocaleString("en-US")} times in ${days.length} days`,
          series: [{ name: "questions", class: "fill-ask" }],
          columns: days.map((day) => ({ name: short(day.day), values: [day.asked] })),
          every,
        })}
        head={["day", "questions"]}
        rows={days.map((day) => [day.day, day.asked])}
      />
      <Ranked id="asks" title="What asks most" kind="ask" rows={asks} head="program" />
      <Ranked id="refusals" title="Refusals by agent" kind="deny" rows={refusals} head="agent" />
      <Plot
        plot={columnsPlot({
          id: "latency",
          title: "How long decisions took, in milliseconds",
          about: latency.map(([name, count]) => `${name}: ${count}`).join(", "),
          series: [{ name: "decisions", class: "fill-confined" }],
          columns: latency.map(([name, count]) => ({ name, values: [count] })),
          every: 1,
        })}
        head={["milliseconds", "decisions"]}
        rows={latency}
      />
    </>
  );
}

interface RankedProps {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly rows: readonly (readonly [string, number])[];
  readonly head: string;
}

function Ranked({ id, title, kind, rows, head }: RankedProps) {
  if (rows.length === 0)
    return (
      <figure class="card">
        <h2>{title}</h2>
        <p class="empty">Nothing in these days.</p>
      </figure>
    );
  const about = rows.map(([name, count]) => `${name}: ${count}`).join(", ");
  return (
    <Plot plot={barsPlot({ id, title, about, groups: [["", rows]], classOf: () => `fill-${kind}` })} head={[head, "times"]} rows={rows} />
  );
}

const SPANS = [7, 30, 90] as const;

function Plots({ query, go }: ViewProps) {
  const days = SPANS.find((span) => String(span) === query.get("days")) ?? 30;
  const [numbers, setNumbers] = useState<PlotNumbers>();
  const [done, setDone] = useState(0);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const gone = new AbortController();
    const load = async (): Promise<void> => {
      for await (const line of lines<PlotLine>("plots", { days }, undefined, gone.signal)) {
        if (gone.signal.aborted) return;
        if ("done" in line) setDone(line.done);
        else {
          setNumbers(line.numbers);
          announce("Plots are drawn");
        }
      }
    };
    setProblem(undefined);
    load().catch((error: unknown) => {
      if (!gone.signal.aborted) setProblem(messageOf(error));
    });
    return () => gone.abort();
  }, [days]);
  return (
    <>
      <p class="row">
        {SPANS.map((span) => (
          <button key={span} type="button" aria-pressed={span === days} onClick={() => go("plots", { days: String(span) })}>
            {span} days
          </button>
        ))}
      </p>
      {problem === undefined ? null : <p class="deny">{problem}</p>}
      {numbers === undefined && problem === undefined ? (
        <label>
          Counting <progress value={done} max={1} />
        </label>
      ) : null}
      {numbers === undefined ? null : <All numbers={numbers} />}
    </>
  );
}

export const PLOTS: PageView = { id: "plots", title: "Plots", keys: [], View: Plots };
