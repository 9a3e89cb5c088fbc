import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { barsPlot, svgText } from "../../packages/page/src/page/ui/plot.ts";
import type { Picture } from "./pictures.ts";
import { STYLE } from "./svg.ts";

/** Plots of the docs, from what benchmarks measured. */
export function plotPictures(root: string): readonly Picture[] {
  return [{ file: "evidence/pictures/speed.svg", svg: speedPlot(root) }, ...growthPictures(root), ...teamLoadPicture(root)];
}

const BACKGROUND = `${STYLE}\n<rect class="b" width="100%" height="100%" rx="8"/>\n`;

/** What `npm run bench:supervise -- programs --peers --json bench/programs.json` measured. */
interface MeasuredProgram {
  readonly name: string;
  readonly under: readonly { readonly tool: string; readonly ratio: number }[];
}

type SpeedRow = readonly [row: string, bars: readonly (readonly [name: string, value: number])[]];

/** The programs that every tool ran, as multiples of bare with the digits that mean something. */
function readSpeed(root: string): readonly SpeedRow[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by bench/supervise.ts
  const { programs } = JSON.parse(readFileSync(join(root, "bench/programs.json"), "utf8")) as {
    readonly programs: readonly MeasuredProgram[];
  };
  const most = Math.max(...programs.map(({ under }) => under.length));
  return programs
    .filter(({ under }) => under.length === most)
    .map(({ name, under }) => [
      name,
      under.map(({ tool, ratio }) => [tool, Number(ratio.toPrecision(ratio < 10 ? 2 + Number(ratio >= 1) : 3))] as const),
    ]);
}

/** The table of evidence/comparison.md as bars, by the code that makes the page's plots. */
const speedPlot = (root: string): string =>
  svgText(
    barsPlot({
      id: "speed",
      title: "Times the bare command (less is better)",
      about: "Bars for each program and tool; the numbers stand in the table of evidence/comparison.md",
      groups: readSpeed(root),
      classOf: (name) => (name === "assent" ? "c" : "m"),
    }),
    BACKGROUND,
  );

/** The table of evidence/comparison.md. */
export function speedTable(root: string): string {
  const rows = readSpeed(root);
  const head = rows[0]?.[1].map(([tool]) => tool) ?? [];
  return [
    `| | ${head.join(" | ")} |`,
    `|---|${head.map(() => "---|").join("")}`,
    ...rows.map(([name, bars]) => `| ${name} | ${bars.map(([, value]) => String(value)).join(" | ")} |`),
  ].join("\n");
}

/** What `npm run bench:growth -- --json bench/growth.json` measured. */
interface Growth {
  readonly date: string;
  readonly rounds: number;
  readonly machine: { readonly node: string; readonly processors: number; readonly load: readonly string[] };
  readonly axes: readonly {
    readonly id: string;
    readonly what: string;
    readonly rows: readonly { readonly name: string; readonly points: readonly { readonly size: number; readonly median: number }[] }[];
  }[];
}

function readGrowth(root: string): Growth | undefined {
  const file = join(root, "bench/growth.json");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by bench/growth.ts
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Growth) : undefined;
}

const rounded = (ms: number): number => Number(ms.toPrecision(ms < 10 ? 2 : 3));
const size = (count: number): string => count.toLocaleString("en-US");

/** One plot for each thing that grows; each measure has a scale of its own. */
function growthPictures(root: string): readonly Picture[] {
  return (readGrowth(root)?.axes ?? []).map(({ id, what, rows }) => ({
    file: `evidence/pictures/growth-${id}.svg`,
    svg: svgText(
      barsPlot({
        id: `growth-${id}`,
        title: `Milliseconds, by ${what.replaceAll("`", "")}`,
        about: "Bars for each size; the numbers stand in the table of evidence/performance.md",
        groups: rows.map(({ name, points }) => [name, points.map((point) => [size(point.size), rounded(point.median)] as const)]),
        classOf: () => "c",
      }),
      BACKGROUND,
    ),
  }));
}

/** What `npm run bench:team -- --write` measured, as far as it is drawn. */
interface RampedLoad {
  readonly parts: readonly {
    readonly part: string;
    readonly steps?: readonly {
      readonly rate: number;
      readonly load: { readonly latency: { readonly p50: number; readonly p99: number } };
    }[];
  }[];
}

/** The latencies of evidence/team-load.md as bars, each with a scale of its own; none where the ramp was not measured. */
export function teamLoadPicture(root: string): readonly Picture[] {
  const file = join(root, "bench/team.json");
  if (!existsSync(file)) return [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by bench/team/report.ts
  const { parts } = JSON.parse(readFileSync(file, "utf8")) as RampedLoad;
  const steps = parts.find(({ part }) => part === "ramp")?.steps ?? [];
  if (steps.length === 0) return [];
  const groups = (["p50", "p99"] as const).map(
    (name) => [name, steps.map(({ rate, load }) => [size(rate), rounded(load.latency[name])] as const)] as const,
  );
  return [
    {
      file: "evidence/pictures/team-load.svg",
      svg: svgText(
        barsPlot({
          id: "team-load",
          title: "Milliseconds of a request, by requests a second",
          about: "Bars for each rate; the numbers stand in the table of evidence/team-load.md",
          groups,
          classOf: () => "c",
        }),
        BACKGROUND,
      ),
    },
  ];
}

/** The table of evidence/performance.md about growth. */
export function growthTable(root: string): string {
  const found = readGrowth(root);
  if (found === undefined) return "Not measured.";
  const { date, rounds, machine, axes } = found;
  const rows = axes.flatMap(({ what, rows: own }) =>
    own.map(
      ({ name, points }) => `| ${what} | ${name} | ${points.map((point) => `${size(point.size)}: ${rounded(point.median)}`).join(", ")} |`,
    ),
  );
  return [
    `Milliseconds of whole processes, medians of ${rounds}, the sizes in turn; ${date}, Node ${machine.node}, ${machine.processors} processors, ${machine.load.join(" before and ")} after.`,
    "",
    "| what grows | what is measured | |",
    "|---|---|---|",
    ...rows,
  ].join("\n");
}

const BEGIN = "<!-- growth: npm run plots -->";
const END = "<!-- /growth -->";

/** Puts the table in the place of the one that is there. */
export function writeGrowthTable(file: string, table: string): void {
  const text = readFileSync(file, "utf8");
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${file} has no place for the table: ${BEGIN} … ${END}`);
  writeFileSync(file, `${text.slice(0, start + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`);
}
