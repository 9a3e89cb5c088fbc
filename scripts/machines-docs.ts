import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";

const RESULTS = "test/machines/results";

/** The columns of the table; what a cell of each says. */
export const MACHINE_COLUMNS = {
  hook: "the hook judges a request",
  judge: "`assent explain` judges a command",
  library: '`import "assent"`',
  run: "`assent run`",
  undo: "`assent undo`",
  escapes: "attempts of `test/escape` that fail under `assent run` and succeed without it, of how many that were tried",
  doctor: "what `assent doctor` says",
} as const;

const text = v.pipe(v.string(), v.minLength(1), v.regex(/^[^|\n]*$/, "a cell of a table is one line without |"));
const command = v.pipe(v.string(), v.minLength(1), v.regex(/^[^`\n]*$/, "a command is one line"));
const cell = v.strictObject({
  /** What stands in the table: `yes`, `no`, `refuses`, `183 of 183`. */
  value: text,
  /** What was seen. */
  shown: text,
  /** What shows it again; without it the machine's own command does. */
  command: v.optional(command),
});
const machine = v.strictObject({
  name: text,
  /** Where in the table it stands; the smaller number comes first. */
  order: v.number(),
  /** How it was there: emulated, a container, this machine. */
  how: text,
  /** The day of the run. */
  on: v.pipe(v.string(), v.isoDate()),
  command,
  /** What was not run has no cell. */
  cells: v.partial(v.strictObject({ hook: cell, judge: cell, library: cell, run: cell, undo: cell, escapes: cell, doctor: cell })),
});
type MachineRow = v.InferOutput<typeof machine>;

/** The rows of a repository, each a file, in their order. */
export function machineRows(root: string): readonly MachineRow[] {
  return readdirSync(join(root, RESULTS))
    .filter((file) => file.endsWith(".json"))
    .map((file) => {
      const read = v.safeParse(machine, JSON.parse(readFileSync(join(root, RESULTS, file), "utf8")));
      if (!read.success)
        throw new Error(`${RESULTS}/${file}: ${read.issues.map((issue) => `${v.getDotPath(issue) ?? ""}: ${issue.message}`).join("; ")}`);
      return read.output;
    })
    .toSorted((one, other) => one.order - other.order || one.name.localeCompare(other.name));
}

/** The page about machines: what was run where, and how to run it again. */
export function machinesPage(rows: readonly MachineRow[]): string {
  const columns = Object.entries(MACHINE_COLUMNS).flatMap(([name, meaning]) => (isColumn(name) ? [{ name, meaning }] : []));
  return [
    "# Machines: what was run where",
    "",
    `<!-- Generated from \`${RESULTS}/\` by \`npm run generate\`. CONTRIBUTING.md says how a row gets in. -->`,
    "",
    "Nothing stands here that was not run. Each row is a machine, and each machine has a part below with what was seen, and with the command that shows it again. What was not run is called so.",
    "",
    `| machine | ${columns.map(({ name }) => name).join(" | ")} | run again by |`,
    `|---|${columns.map(() => "---|").join("")}---|`,
    ...rows.map(
      (row) =>
        `| [${row.name}](#${anchor(row.name)}) | ${columns.map(({ name }) => row.cells[name]?.value ?? "not run").join(" | ")} | ${shownCommand(row.command)} |`,
    ),
    "",
    ...columns.map(({ name, meaning }) => `- **${name}**: ${meaning}.`),
    "",
    ...rows.flatMap((row) => [
      `## ${row.name}`,
      "",
      `${row.how}, on ${row.on}.`,
      "",
      "| | what was seen | shown again by |",
      "|---|---|---|",
      ...columns.flatMap(({ name }) => {
        const seen = row.cells[name];
        return seen === undefined ? [] : [`| ${name} | ${seen.value}: ${seen.shown} | ${shownCommand(seen.command ?? row.command)} |`];
      }),
      "",
    ]),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

const shownCommand = (line: string): string => `\`${line.replaceAll("|", "\\|")}\``;

const isColumn = (name: string): name is keyof typeof MACHINE_COLUMNS => name in MACHINE_COLUMNS;

/** As GitHub names headings. */
const anchor = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** For `npm run generate`. */
export const machinesDocs: readonly { readonly file: string; readonly update: () => string }[] = [
  { file: "evidence/machines.md", update: () => machinesPage(machineRows(process.cwd())) },
];
