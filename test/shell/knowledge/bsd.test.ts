import { describe, expect, test } from "vitest";
import { printAction, type World } from "../../../src/action/index.ts";
import { aboutEntry, allEntries, bsdEntryFor, grammarOf } from "../../../src/shell/knowledge/entries.ts";
import { MAC_WORLD, NOBODYS_WORLD, verdictFor } from "./decide.ts";

/** Every command that programs of BSD and macOS read another way. */
const READINGS = allEntries().flatMap((entry) => {
  const name = entry.names.split(" ").find((one) => bsdEntryFor(entry, one) !== undefined);
  const bsd = name === undefined ? undefined : bsdEntryFor(entry, name);
  return name === undefined || bsd === undefined ? [] : [{ name, bsd, entry }];
});
const VERDICTS = ["allow", "none", "ask", "deny"] as const;

function judged(command: string, expected: string, world: World): string {
  const verdict = verdictFor(command, world);
  if (verdict.decision === expected) return expected;
  const parts = [
    ...verdict.actions.map(({ action, verdict: v }) => `${v.decision} (${v.basis}) ${printAction(action)}: ${v.reason}`),
    ...verdict.unknowns.map(({ unknown, verdict: v }) => `${v.decision} (${v.basis}) unknown: ${unknown.reason}`),
  ];
  return `${verdict.decision}\n  ${parts.join("\n  ")}`;
}

describe("every example of a program of BSD gets the verdict it says, on a Mac", () => {
  for (const { name, bsd } of READINGS) {
    const { examples } = aboutEntry(bsd);
    const commands = VERDICTS.flatMap((verdict) => (examples?.[verdict] ?? []).map((command) => [verdict, command] as const));
    test.each(commands)(`${name}: %s: %s`, (expected, command) => {
      expect(judged(command, expected, MAC_WORLD)).toBe(expected);
    });
  }
});

const STRICT = ["allow", "none", "ask", "deny"];
const stricter = (one: string, other: string): boolean => STRICT.indexOf(one) >= STRICT.indexOf(other);

describe("where nobody knows whose program it is, neither reading may be harmful", () => {
  for (const { name, bsd, entry } of READINGS) {
    const commands = [aboutEntry(bsd).examples, aboutEntry(entry).examples].flatMap((examples) =>
      VERDICTS.flatMap((verdict) => examples?.[verdict] ?? []),
    );
    test(name, () => {
      const looser = commands.flatMap((command) => {
        const told = command.replaceAll("/Users/u", "/home/u");
        const both = verdictFor(told, NOBODYS_WORLD).decision;
        const linux = verdictFor(told).decision;
        const mac = verdictFor(told, { ...NOBODYS_WORLD, platform: "darwin" }).decision;
        return stricter(both, linux) && stricter(both, mac) ? [] : [`${told}: ${both}, ${linux} on Linux, ${mac} on a Mac`];
      });
      expect(looser).toEqual([]);
    });
  }
});

/** Each option of each program, with a value that would do harm wherever it is a file or a command. */
describe("no option of a program of BSD turns a harm into nothing", () => {
  for (const { name, bsd } of READINGS.filter(({ bsd: { analyse } }) => analyse !== "bsd-find")) {
    const options = [...grammarOf(bsd).options.keys()].filter((option) => option.startsWith("-"));
    test(name, () => {
      const allowed = options.flatMap((option) => {
        const { argument, kind } = grammarOf(bsd).options.get(option) ?? {};
        if (argument === "none" || kind === undefined) return [];
        const harms = kind.is === "file" || kind.is === "shell" || kind.is === "script" || kind.is === "dest";
        const value = kind.is === "shell" ? "'rm -rf ~'" : kind.is === "file" && kind.operation === "list" ? "" : "~/.ssh/id_rsa";
        const command = `${name} ${option}${option.startsWith("--") ? "=" : " "}${value} a.txt b.txt`;
        return harms && value !== "" && verdictFor(command, MAC_WORLD).decision !== "deny" ? [command] : [];
      });
      expect(allowed).toEqual([]);
    });
  }
});
