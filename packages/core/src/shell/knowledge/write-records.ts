import { inertOptions, steadyOptions } from "./read-spec.ts";
import type { EntryRows } from "./entries.ts";
import { DIGITS, type TableEntry } from "./read-table.ts";
import type { SubcommandSpec } from "./spec.ts";

/** What `entries.ts` reads. All of it is ASCII, so that places count bytes too, and can stand in a raw template. */
export interface Records {
  readonly index: string;
  /** What judging needs. */
  readonly records: string;
  /** What is for people, a row for each record that has any: where the record begins, a tab, and what is said. `aboutEntry` reads it. */
  readonly notes: string;
}

const asText = (value: object): string =>
  JSON.stringify(value)
    .replaceAll(/[^\x20-\x5f\x61-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replaceAll("${", "\\u0024{");

export function writeRecords(entries: readonly TableEntry[], lines: ReadonlyMap<SubcommandSpec, number>): Records {
  let records = "";
  let notes = "\n";
  const write = (spec: SubcommandSpec, line: number | undefined, family?: string): string => {
    const { options, subcommands, summary, examples, bsd, ...fields } = spec;
    const other = bsd === undefined ? undefined : ` ${bsd.names} \t${write(bsd.spec, undefined)}`;
    const places = Object.entries(subcommands ?? {}).map(([keys, one]) => [keys, write(one, lines.get(one))] as const);
    const start = records.length;
    let before = start;
    const below = places.map(([keys, place]) => {
      const [from = 0, length = 0] = place.split("+").map(Number);
      const gap = from - before;
      before = from + length;
      return `|${keys}\t${gap}+${length}\n`;
    });
    const rows = (options ?? "").split("\n").filter((row) => row !== "");
    const listed = rows.filter((row) => !DIGITS.test(row));
    const own: EntryRows = {
      ...(listed.length > 0 ? { options: listed.map(writeOptionRow).join("") } : {}),
      ...(listed.length < rows.length ? { digits: true } : {}),
      ...(inertOptions(listed) ? { inert: true } : {}),
      ...(steadyOptions(listed) ? { steady: true } : {}),
      ...(subcommands === undefined ? {} : { subcommands: below.join("") }),
      ...(other === undefined ? {} : { bsd: other }),
    };
    const about = {
      ...(family === undefined ? {} : { family }),
      ...(line === undefined ? {} : { line }),
      ...(summary === undefined ? {} : { summary }),
      ...examples,
    };
    records += asText({ ...fields, rows: own });
    if (Object.keys(about).length > 0) notes += `${start}\t${asText(about)}\n`;
    return family === undefined ? `${start}+${records.length - start}` : `${start}:${records.length}`;
  };
  const index = entries.map(({ family, line, spec }) => {
    const { names, package: packages, ...rest } = spec;
    return ` ${names} \t${write(rest, line, family)}${packages === undefined ? "" : `\t${packages}`}\n`;
  });
  return { index: index.join(""), records, notes };
}

/** See `EntryRows.options`. */
export function writeOptionRow(row: string): string {
  const end = row.search(/\s*(?:\[?=|->)/);
  const names = (end === -1 ? row : row.slice(0, end)).trim().split(/\s+/).join(" ");
  return ` ${names} ${end === -1 ? "" : `\t${row.slice(end).trim()}`}\n`;
}
