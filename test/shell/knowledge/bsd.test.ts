import { describe, expect, test } from "vitest";
import { printAction, type World } from "@assent/core/action";
import { aboutEntry, allEntries, bsdEntryFor, grammarOf } from "../../../packages/core/src/shell/knowledge/entries.ts";
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

/**
 * The options of programs that have no block of BSD, as getopt(3) is given them in FreeBSD's sources. Where ours takes a value and
 * theirs does not, the value is a file there.
 */
const WITHOUT_BLOCK: Readonly<Record<string, string>> = {
  cat: "belnstuv",
  cksum: "o:",
  cmp: "bhi:ln:sxz",
  col: "bfhl:px",
  column: "c:l:s:tx",
  comm: "123i",
  cut: "b:c:d:f:nsw",
  diff: "0123456789aBbC:cdD:efF:hI:iL:lNnPpqrS:sTtU:uW:wX:x:y",
  env: "0iL:P:S:u:U:v",
  expand: "t:",
  fmt: "cd:hl:mnpst:w:",
  fold: "bsw:",
  head: "c:n:qv",
  hexdump: "bcCde:f:n:os:vx",
  id: "AGMPacgnpru",
  join: "a:e:j:1:2:o:t:v:",
  look: "dft:",
  nl: "b:d:f:h:i:l:n:ps:v:w:",
  od: "A:aBbcDdeFfHhIij:LlN:Oost:vXx",
  paste: "d:s",
  printenv: "",
  readlink: "fn",
  rev: "",
  strings: "ae:fn:ot:",
  sum: "",
  tsort: "dlq",
  unexpand: "at:",
  uniq: "cdDif:s:u",
  wc: "clLmw",
  which: "as",
  who: "abHmqsTu",
};

describe("what takes a value here and none in BSD does not hide a file", () => {
  const differing = Object.entries(WITHOUT_BLOCK).flatMap(([name, getopt]) => {
    const entry = allEntries().find(({ names }) => names.split(" ").includes(name));
    if (entry === undefined) throw new Error(`nothing is known of ${name}`);
    const flags = [...getopt.matchAll(/(\w)(?!:)/g)].map(([, letter = ""]) => `-${letter}`);
    return flags.filter((flag) => grammarOf(entry, undefined).options.get(flag)?.argument === "required").map((flag) => `${name} ${flag}`);
  });

  test.each(differing)("%s", (command) => {
    for (const world of [MAC_WORLD, NOBODYS_WORLD]) {
      expect(verdictFor(`${command} .env a.txt`, world).decision).not.toBe("allow");
      expect(verdictFor(`${command} ~/.ssh/id_rsa`, world).decision).toBe("deny");
    }
  });

  test("every program of the list has no block", () => {
    const known = new Set(READINGS.map(({ name }) => name));
    expect(Object.keys(WITHOUT_BLOCK).filter((name) => known.has(name))).toEqual([]);
  });
});
