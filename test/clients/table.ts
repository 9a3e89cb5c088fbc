import type { Client } from "./client.ts";
import type { Cell } from "./judge.ts";
import { TITLES } from "./scenarios.ts";

/** One client's part of the table. */
export interface Row {
  readonly client: Client;
  readonly date: string;
  /** Undefined: it could not be installed, for the reason given. */
  readonly cells: readonly Cell[] | undefined;
  readonly missing: string | undefined;
}

const OPEN = "<!-- clients: written by npm run test:agents -->";
const END = "<!-- end -->";
const HEAD = ["client", "version", "run on", ...TITLES];
const NOTES = "Where a client differs:";

/** The text of evidence/clients.md with the row of a client replaced. */
export function withRow(text: string, row: Row, order: readonly Client[]): string {
  const start = text.indexOf(OPEN);
  const end = text.indexOf(END, start);
  if (start < 0 || end < 0) throw new Error(`evidence/clients.md lacks the markers \`${OPEN}\` and \`${END}\``);
  const before = text.slice(start, end).split("\n");
  const lines = (kind: "row" | "note", name: string): string[] => {
    if (row.client.name === name) return kind === "row" ? [print(row)] : notes(row);
    return before.filter((line) => line.startsWith(kind === "row" ? `| ${name} |` : `- ${name}, `));
  };
  const table = order.flatMap(({ name }) => lines("row", name));
  const remarks = order.flatMap(({ name }) => lines("note", name));
  const content = [
    `| ${HEAD.join(" | ")} |`,
    `|${HEAD.map(() => "---").join("|")}|`,
    ...table,
    ...(remarks.length === 0 ? [] : ["", NOTES, "", ...remarks]),
  ];
  return `${text.slice(0, start + OPEN.length)}\n\n${content.join("\n")}\n\n${text.slice(end)}`;
}

function print({ client, date, cells, missing }: Row): string {
  const results = cells?.map(({ result, why }) => (result === "absent" ? "–" : why === undefined ? result : `${result} *`));
  return `| ${[client.name, client.package.version, date, ...(results ?? [`not run: ${missing ?? "unknown"}`])].join(" | ")} |`;
}

function notes({ client, cells }: Row): string[] {
  return (cells ?? []).flatMap(({ why }, index) => {
    const title = TITLES[index] ?? "";
    return why === undefined ? [] : [`- ${client.name}, ${title}: ${why}`];
  });
}
