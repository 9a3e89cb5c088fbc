import { describe, expect, test } from "vitest";
import { readReads } from "../../../src/shell/environment.ts";
import { FAMILIES } from "../../../src/shell/knowledge/index.ts";
import { grammarOf, type Grammar } from "../../../src/shell/knowledge/read-spec.ts";
import type { CommandSpec, Examples, SubcommandSpec } from "../../../src/shell/knowledge/spec.ts";
import { printAction } from "../../../src/action/index.ts";
import { dangersNamed, dangersShown, mustDeny, type Named } from "./dangers.ts";
import { verdictFor } from "./decide.ts";

const ENTRIES = FAMILIES.flat();
const VERDICTS = ["allow", "none", "ask", "deny"] as const;

/** An entry and all subcommands below it, with the name they go by. */
function levels(
  spec: CommandSpec | SubcommandSpec,
  name: string,
): readonly (readonly [name: string, spec: CommandSpec | SubcommandSpec])[] {
  const below = Object.entries(spec.subcommands ?? {}).flatMap(([key, inner]) => levels(inner, `${name} ${key.split("|")[0] ?? ""}`));
  return [[name, spec], ...below];
}

const firstName = (spec: CommandSpec): string => spec.names.split(" ")[0] ?? "";
const LEVELS = ENTRIES.flatMap((spec) => levels(spec, firstName(spec)));
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
  for (const [name, spec] of LEVELS) {
    test.each(commandsOf(spec.examples))(`${name}: %s: %s`, (expected, command) => {
      expect(judged(command, expected)).toBe(expected);
    });
  }
});

describe("the tables are sound", () => {
  test("every entry and subcommand group has examples", () => {
    expect(LEVELS.filter(([, spec]) => commandsOf(spec.examples).length === 0).map(([name]) => name)).toEqual([]);
  });

  test("a name belongs to one entry", () => {
    const names = ENTRIES.flatMap((spec) => spec.names.split(" "));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  test("every notation is understood, and no option or subcommand is listed twice", () => {
    const read = (spec: CommandSpec | SubcommandSpec, parent: Grammar | undefined): void => {
      const grammar = grammarOf(spec, parent);
      if (spec.reads !== undefined) readReads(spec.reads);
      for (const inner of Object.values(spec.subcommands ?? {})) read(inner, grammar);
    };
    const mistakes = ENTRIES.flatMap((spec) => {
      try {
        read(spec, undefined);
        return [];
      } catch (error) {
        return [`${firstName(spec)}: ${String(error)}`];
      }
    });
    expect(mistakes).toEqual([]);
  });

  // A table that names a danger proves that it is seen: by an example that is not allowed, denied where the class denies.
  test("every danger class that a level names has an example that shows it", () => {
    const missing: string[] = [];
    const visit = (spec: CommandSpec | SubcommandSpec, name: string, parent: Grammar | undefined): ReadonlySet<Named> => {
      const grammar = grammarOf(spec, parent);
      const shown = new Set<Named>();
      for (const [expected, command] of commandsOf(spec.examples)) {
        if (expected === "allow") continue;
        const actions = verdictFor(command).actions.map(({ action }) => action);
        for (const danger of dangersShown(actions)) if (expected === "deny" || !mustDeny(danger)) shown.add(danger);
      }
      for (const [key, inner] of Object.entries(spec.subcommands ?? {}))
        for (const danger of visit(inner, `${name} ${key.split("|")[0] ?? ""}`, grammar)) shown.add(danger);
      const lacking = [...dangersNamed(spec, parent)].filter((danger) => !shown.has(danger));
      if (lacking.length > 0) missing.push(`${name}: ${lacking.join(", ")}`);
      return shown;
    };
    for (const spec of ENTRIES) visit(spec, firstName(spec), undefined);
    expect(missing).toEqual([]);
  });

  test("no example is repeated inside an entry", () => {
    const repeated = LEVELS.flatMap(([name, spec]) => {
      const commands = commandsOf(spec.examples).map(([, command]) => command);
      return commands.filter((command, i) => commands.indexOf(command) !== i).map((command) => `${name}: ${command}`);
    });
    expect(repeated).toEqual([]);
  });
});
