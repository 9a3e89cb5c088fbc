/**
 * Plots as trees of SVG elements, for the page and for the pictures of the documentation: data, from which the one makes elements
 * and the other a file. Every plot has a title and a description for those who do not see it; whoever shows it puts the numbers
 * in a table beneath.
 */
export interface PlotNode {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (PlotNode | string)[];
}

const node = (tag: string, attributes: PlotNode["attributes"], ...children: PlotNode["children"]): PlotNode => ({
  tag,
  attributes,
  children,
});
const text = (x: number, y: number, says: string, more: PlotNode["attributes"] = {}): PlotNode =>
  node("text", { class: "t", x, y, ...more }, says);

const number = (value: number): string => (value >= 10_000 ? `${Math.round(value / 1000)}k` : value.toLocaleString("en-US"));

/** The least round number that is not less: 1, 2 or 5 times a power of ten. */
export function roundUp(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

interface Described {
  /** Of the elements that name it; one of a kind on a page. */
  readonly id: string;
  readonly title: string;
  readonly about: string;
}

const svg = ({ id, title, about }: Described, width: number, height: number, body: readonly PlotNode[]): PlotNode =>
  node(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-labelledby": `${id}-title ${id}-about`,
      class: "plot",
    },
    node("title", { id: `${id}-title` }, title),
    node("desc", { id: `${id}-about` }, about),
    ...body,
  );

/** Columns, each of parts on top of each other: what happened on a day, by kind. */
export interface Columns extends Described {
  readonly series: readonly { readonly name: string; readonly class: string }[];
  readonly columns: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** Every how many columns a name stands below. */
  readonly every: number;
}

const [LEFT, TOP, WIDE, HIGH] = [52, 44, 700, 160] as const;

export function columnsPlot(plot: Columns): PlotNode {
  const { series, columns, every, title } = plot;
  const most = roundUp(Math.max(0, ...columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0))));
  const step = WIDE / Math.max(1, columns.length);
  const y = (value: number): number => Math.round(TOP + HIGH - (value / most) * HIGH);
  const lines = [0, most / 2, most].flatMap((value) => [
    node("line", { class: "line", x1: LEFT, x2: LEFT + WIDE, y1: y(value), y2: y(value) }),
    text(LEFT - 6, y(value) + 4, number(value), { "text-anchor": "end", class: "m" }),
  ]);
  const bars = columns.flatMap(({ name, values }, at) => {
    let below = 0;
    const x = Math.round((LEFT + at * step + step * 0.1) * 10) / 10;
    const parts = values.flatMap((value, kind) => {
      below += value;
      const { class: colour = "m", name: of = "" } = series[kind] ?? {};
      const height = y(below - value) - y(below);
      if (height === 0) return [];
      const box = { class: colour, x, y: y(below), width: Math.max(1, Math.round(step * 8) / 10), height };
      return [node("rect", box, node("title", {}, `${name}: ${of} ${number(value)}`))];
    });
    const label =
      at % every === 0 ? [text(Math.round(x + step * 0.4), TOP + HIGH + 20, name, { "text-anchor": "middle", class: "m" })] : [];
    return [...parts, ...label];
  });
  let x = LEFT;
  const legend = series.flatMap(({ name, class: colour }) => {
    const at = x;
    x += name.length * 8.5 + 34;
    return [node("rect", { class: colour, x: at, y: TOP - 24, width: 12, height: 12, rx: 3 }), text(at + 18, TOP - 13, name)];
  });
  return svg(plot, LEFT + WIDE + 12, TOP + HIGH + 32, [text(LEFT, 14, title, { class: "t w" }), ...legend, ...lines, ...bars]);
}

/** Bars in groups, on a scale of its own for each group; a group without a name has only bars. */
export interface Bars extends Described {
  readonly groups: readonly (readonly [name: string, bars: readonly (readonly [name: string, value: number])[]])[];
  /** The class of a bar, by its name. */
  readonly classOf: (name: string) => string;
}

/** Longer names are cut: all of them stands in the table. */
const LONGEST = 24;

export function barsPlot(plot: Bars): PlotNode {
  const parts: PlotNode[] = [text(20, 30, plot.title, { class: "m" })];
  let y = plot.groups[0]?.[0] === "" ? 34 : 58;
  for (const [group, bars] of plot.groups) {
    if (group !== "") parts.push(text(20, y, group, { class: "t w" }));
    const most = Math.max(1e-9, ...bars.map(([, value]) => value));
    for (const [name, value] of bars) {
      y += 24;
      const width = Math.max(2, Math.round((value / most) * 480));
      parts.push(
        text(40, y, name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name),
        node("rect", { class: plot.classOf(name), x: 240, y: y - 12, width, height: 14, rx: 3 }),
        text(248 + width, y, value.toLocaleString("en-US")),
      );
    }
    y += 38;
  }
  return svg(plot, 800, y - 10, parts);
}

const escape = (says: string): string =>
  says.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** As a file has it. `inside`: what stands first in it, a style and a background. */
export function svgText(plot: PlotNode, inside = ""): string {
  const write = ({ tag, attributes, children }: PlotNode): string => {
    const words = Object.entries(attributes).map(([name, value]) => ` ${name}="${escape(String(value))}"`);
    const body = children.map((child) => (typeof child === "string" ? escape(child) : write(child))).join("");
    return `<${tag}${words.join("")}>${tag === "svg" ? inside : ""}${body}</${tag}>${tag === "text" || tag === "rect" ? "\n" : ""}`;
  };
  return `${write(plot)}\n`;
}
