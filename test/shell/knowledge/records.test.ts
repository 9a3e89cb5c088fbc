import { describe, expect, it } from "vitest";
import {
  aboutEntry,
  allEntries,
  bsdEntryFor,
  entriesBelow,
  entryFor,
  grammarOf,
  type KnowledgeEntry,
  type Grammar,
} from "../../../packages/core/src/shell/knowledge/entries.ts";
import { DIGITS, readTables } from "../../../packages/core/src/shell/knowledge/read-table.ts";
import { readOptionLine, type Option } from "../../../packages/core/src/shell/knowledge/read-spec.ts";
import type { CommandSpec, SubcommandSpec } from "../../../packages/core/src/shell/knowledge/spec.ts";
import { tableFiles } from "./table-files.ts";

const { entries: TABLES, lines: LINES } = readTables(tableFiles());

/** One that has a name of the command above stands in its place. */
const sorted = (options: readonly Option[]): readonly Option[] =>
  options.toSorted((a, b) => (a.names.join(" ") < b.names.join(" ") ? -1 : 1));

/** What an entry of the table means, by the table alone. */
function written(spec: (SubcommandSpec & Pick<CommandSpec, "bsd">) | CommandSpec): unknown {
  const { options, subcommands, bsd, ...fields } = spec;
  const line = LINES.get(spec);
  const rows = (options ?? "").split("\n").filter((row) => row !== "");
  // Names of packages stand in the index.
  const { names: _, package: __, ...rest } = { names: "", package: "", ...fields };
  return {
    ...rest,
    ...(line === undefined ? {} : { line }),
    digits: rows.some((row) => DIGITS.test(row)),
    options: sorted(rows.filter((row) => !DIGITS.test(row)).map(readOptionLine)),
    below: Object.entries(subcommands ?? {}).map(([keys, one]) => [keys.split("|"), written(one)]),
    ...(bsd === undefined ? {} : { bsd: Object.fromEntries(bsd.names.split(" ").map((name) => [name, written(bsd.spec)])) }),
  };
}

/** What is read of it, with all names of all its options asked for, and all its subcommands. */
function read(entry: KnowledgeEntry, parent?: Grammar): unknown {
  const { rows, about: _, names: __, ...fields } = { names: "", ...entry };
  const { family: ___, ...about } = aboutEntry(entry);
  const grammar = grammarOf(entry, parent);
  const above = new Set(parent?.options.values());
  const own = [...new Set(grammar.options.values())].filter((option) => !above.has(option));
  for (const option of own) for (const name of option.names) expect([name, grammar.options.get(name)]).toEqual([name, option]);
  const below = entriesBelow(entry);
  for (const one of below)
    for (const key of one.keys) {
      const [first = ""] = key.split(" ");
      const found = first.endsWith("*") ? grammar.subcommands?.verbs : grammar.subcommands?.named.get(first);
      expect([key, found?.find((other) => other.key === key)?.spec]).toEqual([key, one.entry]);
    }
  return {
    ...fields,
    ...about,
    digits: rows.digits === true,
    options: sorted(own),
    below: below.map((one) => [one.keys, read(one.entry, grammar)]),
    ...(rows.bsd === undefined ? {} : { bsd: readBsd(entry) }),
  };
}

/** By each name of the command that a program of BSD has. */
function readBsd(entry: KnowledgeEntry): unknown {
  const command = entryFor((entry.rows.bsd ?? "").trim().split(" ")[0] ?? "");
  const readings = (command?.names.split(" ") ?? []).map((name) => [name, command && bsdEntryFor(command, name)] as const);
  return Object.fromEntries(readings.flatMap(([name, bsd]) => (bsd === undefined ? [] : [[name, read(bsd)]])));
}

describe("the records are the tables", () => {
  it("every command is found by each of its names", () => {
    expect(
      allEntries()
        .map(({ names }) => names)
        .toSorted(),
    ).toEqual(TABLES.map(({ spec }) => spec.names).toSorted());
    for (const { spec } of TABLES) {
      const all = spec.names.split(" ").map(entryFor);
      expect([spec.names, new Set(all).size]).toEqual([spec.names, 1]);
      expect(all[0]?.names).toBe(spec.names);
    }
  });

  it.each(TABLES.map(({ family, spec }) => [family, spec.names.split(" ")[0] ?? "", spec] as const))("%s: %s", (family, name, spec) => {
    const entry = entryFor(name);
    expect(entry && aboutEntry(entry).family).toBe(family);
    expect(entry && read(entry)).toEqual(written(spec));
  });

  it.each(["", "no-such-program", "ls:", "\n", "git\n", "0", "constructor", "__proto__", " ls ", "ls dir", "\t"])(
    "no entry: %j",
    (name) => {
      expect(entryFor(name)).toBeUndefined();
    },
  );

  it("what a command line may hold is not the name of an option or of a subcommand", () => {
    for (const entry of allEntries()) {
      const { options, subcommands } = grammarOf(entry);
      for (const name of ["", " ", "->", "-> stop", "=text", "\t=text", "-\n", "\n", "stop", "--help -> stop"])
        expect([entry.names, name, options.has(name), options.get(name)]).toEqual([entry.names, name, false, undefined]);
      for (const first of ["", "|", "a|b", "\t", "\n", "*", "describe-*", "0:1:2"])
        expect([entry.names, first, subcommands?.named.get(first)]).toEqual([entry.names, first, undefined]);
    }
  });
});
