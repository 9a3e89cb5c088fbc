import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { showTyped } from "./run.ts";
import { barsPlot, svgText } from "../../src/page/ui/plot.ts";
import { boxesSvg, STYLE, terminalSvg } from "./svg.ts";

export interface Picture {
  readonly file: string;
  readonly svg: string;
}

const SCRIPT = [
  "mkdir -p ~/.ssh; echo key > ~/.ssh/id_rsa; echo 'old words' > draft.txt",
  "printf '%s\\n' '#!/bin/sh' 'echo \"new words\" > draft.txt' 'echo done > report.md' 'cat ~/.ssh/id_rsa' 'exit 0' > tidy.sh; chmod +x tidy.sh",
].join("\n");

/** What the README shows, from the real program. */
export async function terminalPictures(root: string): Promise<readonly Picture[]> {
  const shown = await showTyped(root, SCRIPT, [
    ['assent explain "git log --oneline | head && rm -rf ~"', []],
    ["assent run mkdir ~/notes", ["n"]],
    ["assent run -P -- ./tidy.sh >/dev/null 2>&1; assent receipt; assent diff", []],
  ]);
  const titles = ['assent explain "git log --oneline | head && rm -rf ~"', "assent run mkdir ~/notes", "assent receipt; assent diff"];
  return ["explain", "question", "receipt"].map((name, at) => ({
    file: `docs/pictures/${name}.svg`,
    svg: terminalSvg(titles[at] ?? "", shown[at] ?? ""),
  }));
}

/** The folders of src/, where they stand in a request's way. A folder that stands nowhere is an error. */
const ARCHITECTURE: readonly (readonly [title: string, folders: readonly string[]])[] = [
  ["who asks", ["cli", "page", "look", "agents", "sdk", "resident", "approve"]],
  ["the whole decision", ["engine", "state", "audit", "import", "inspect", "lint", "policy-test", "suggest", "verify"]],
  ["what a request would do", ["shell", "patch", "action"]],
  ["what the policy says", ["policy", "policy-edit", "pattern", "edit", "path", "data"]],
  ["the kernel's side", ["supervise"]],
];

/** Pictures that are drawn from tables and folders. */
export function drawnPictures(root: string): readonly Picture[] {
  const there = readdirSync(join(root, "src"), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  const placed = ARCHITECTURE.flatMap(([, folders]) => folders);
  const wrong = [...there.filter((name) => !placed.includes(name)), ...placed.filter((name) => !there.includes(name))];
  if (wrong.length > 0) throw new Error(`the picture of the architecture has no place for, or no folder of: ${wrong.join(", ")}`);
  return [
    { file: "docs/pictures/architecture.svg", svg: boxesSvg("The folders of src/: each row may use those below it", ARCHITECTURE) },
    {
      file: "docs/pictures/threat-model.svg",
      svg: boxesSvg("From a hostile text to your machine, and what stands in between", [
        ["a hostile text", ["an issue", "a web page", "a file", "a tool's answer"]],
        ["the agent, taken over", ["commands", "edits", "MCP calls", "file names"]],
        ["judged before it runs", ["hook", "MCP gateway", "library", "your policy", "built-in protection"]],
        ["held while it runs", ["assent run", "confined", "Landlock", "seccomp"]],
        ["what is left to you", ["questions with a reason", "circuit breaker", "receipt", "undo", "log"]],
        ["what is protected", ["secrets", "files outside the project", "hosts", "remotes", "the policy itself"]],
      ]),
    },
    { file: "docs/pictures/speed.svg", svg: speedPlot(root) },
  ];
}

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

/** The table of docs/comparison.md as bars, by the code that makes the page's plots. */
const speedPlot = (root: string): string =>
  svgText(
    barsPlot({
      id: "speed",
      title: "Times the bare command (less is better)",
      about: "Bars for each program and tool; the numbers stand in the table of docs/comparison.md",
      groups: readSpeed(root),
      classOf: (name) => (name === "assent" ? "c" : "m"),
    }),
    `${STYLE}\n<rect class="b" width="100%" height="100%" rx="8"/>\n`,
  );

/** The table of docs/comparison.md. */
export function speedTable(root: string): string {
  const rows = readSpeed(root);
  const head = rows[0]?.[1].map(([tool]) => tool) ?? [];
  return [
    `| | ${head.join(" | ")} |`,
    `|---|${head.map(() => "---|").join("")}`,
    ...rows.map(([name, bars]) => `| ${name} | ${bars.map(([, value]) => String(value)).join(" | ")} |`),
  ].join("\n");
}

/** The lines of text of a picture. */
export const textOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/<text[^>]*>([\s\S]*?)<\/text>/g)].map(([, text = ""]) =>
    text
      .replaceAll(/<[^>]+>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );
