import { describe, expect, test } from "vitest";
import { printAction } from "@assent/core/action";
import { ANALYSERS } from "@assent/core/shell/programs/analyse";
import {
  aboutEntry,
  allEntries,
  entriesBelow,
  grammarOf,
  type KnowledgeEntry,
  type Grammar,
} from "../../../packages/core/src/shell/knowledge/entries.ts";
import { printMistake, readTables } from "../../../packages/core/src/shell/knowledge/read-table.ts";
import type { Examples } from "../../../packages/core/src/shell/knowledge/spec.ts";
import { dangersNamed, dangersShown, mustDeny, type Named } from "./dangers.ts";
import { verdictFor } from "./decide.ts";
import { tableFiles } from "./table-files.ts";

const ENTRIES = allEntries();
const VERDICTS = ["allow", "none", "ask", "deny"] as const;

/** An entry and all subcommands below it, with the name they go by. */
function levels(entry: KnowledgeEntry, name: string): readonly (readonly [name: string, entry: KnowledgeEntry])[] {
  return [[name, entry], ...entriesBelow(entry).flatMap((below) => levels(below.entry, `${name} ${below.keys[0] ?? ""}`))];
}

const firstName = ({ names }: { readonly names: string }): string => names.split(" ")[0] ?? "";
const LEVELS = ENTRIES.flatMap((entry) => levels(entry, firstName(entry)));
const commandsOf = (examples: Examples | undefined): readonly (readonly [verdict: string, command: string])[] =>
  VERDICTS.flatMap((verdict) => (examples?.[verdict] ?? []).map((command) => [verdict, command] as const));

/** The decision and, when it is another than expected, what it came from. */
function judged(command: string, expected: string): string {
  const verdict = verdictFor(command);
  if (verdict.decision === expected) return expected;
  const parts = [
    ...verdict.actions.map(({ action, verdict: v }) => `${v.decision} (${v.basis}) ${printAction(action)}: ${v.reason}`),
    ...verdict.unknowns.map(({ unknown, verdict: v }) => `${v.decision} (${v.basis}) unknown: ${unknown.reason}`),
  ];
  return `${verdict.decision}\n  ${parts.join("\n  ")}`;
}

describe("every example gets the verdict it says", () => {
  for (const [name, entry] of LEVELS) {
    test.each(commandsOf(aboutEntry(entry).examples))(`${name}: %s: %s`, (expected, command) => {
      expect(judged(command, expected)).toBe(expected);
    });
  }
});

describe("the tables are sound", () => {
  test("every entry and subcommand group has examples", () => {
    expect(LEVELS.filter(([, entry]) => commandsOf(aboutEntry(entry).examples).length === 0).map(([name]) => name)).toEqual([]);
  });

  // `xcodebuild` builds then, `openssl` reads commands, `bundle` installs: nobody may forget to ask what it does.
  test("an entry with subcommands says what it does without one", () => {
    const silent = ENTRIES.flatMap((entry) => {
      const names = entry.names.split(" ");
      return levels(entry, "").flatMap(([below, level]) => {
        if (entriesBelow(level).length === 0) return [];
        const said = new Set(commandsOf(aboutEntry(level).examples).map(([, command]) => command));
        return names.some((name) => said.has(`${name}${below}`)) ? [] : [`${firstName(entry)}${below}`];
      });
    });
    expect(silent).toEqual([]);
  });

  test("a name belongs to one entry", () => {
    const names = ENTRIES.flatMap(({ names: all }) => all.split(" "));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  test("every notation is understood, and no option or subcommand is listed twice", () => {
    expect(readTables(tableFiles()).mistakes.map(printMistake)).toEqual([]);
  });

  test("an analyser that an entry names is there", () => {
    const named = LEVELS.flatMap(([, { analyse, before }]) => [analyse, before]).filter((one) => one !== undefined);
    expect(named.filter((one) => !Object.hasOwn(ANALYSERS, one))).toEqual([]);
  });

  // A table that names a danger proves that it is seen: by an example that is not allowed, denied where the class denies.
  test("every danger class that a level names has an example that shows it", () => {
    const missing: string[] = [];
    const visit = (entry: KnowledgeEntry, name: string, parent: Grammar | undefined): ReadonlySet<Named> => {
      const grammar = grammarOf(entry, parent);
      const shown = new Set<Named>();
      for (const [expected, command] of commandsOf(aboutEntry(entry).examples)) {
        if (expected === "allow") continue;
        const actions = verdictFor(command).actions.map(({ action }) => action);
        for (const danger of dangersShown(actions)) if (expected === "deny" || !mustDeny(danger)) shown.add(danger);
      }
      for (const below of entriesBelow(entry))
        for (const danger of visit(below.entry, `${name} ${below.keys[0] ?? ""}`, grammar)) shown.add(danger);
      const lacking = [...dangersNamed(entry, parent)].filter((danger) => !shown.has(danger));
      if (lacking.length > 0) missing.push(`${name}: ${lacking.join(", ")}`);
      return shown;
    };
    for (const entry of ENTRIES) visit(entry, firstName(entry), undefined);
    expect(missing).toEqual([]);
  });

  test("no example is repeated inside an entry", () => {
    const repeated = LEVELS.flatMap(([name, entry]) => {
      const commands = commandsOf(aboutEntry(entry).examples).map(([, command]) => command);
      return commands.filter((command, i) => commands.indexOf(command) !== i).map((command) => `${name}: ${command}`);
    });
    expect(repeated).toEqual([]);
  });
});
