import { afterAll, describe, expect, it } from "vitest";
import { readSed } from "../../../packages/core/src/shell/languages/sed.ts";
import type { CodeFinding } from "../../../packages/core/src/shell/languages/finding.ts";
import { canIsolate, random, ROUNDS, seedOr, Scratch, which } from "./scratch.ts";
import { workedSince } from "../../worked.ts";

const write = (path: string): CodeFinding => ({ does: "file", operation: "write", path });
const read = (path: string): CodeFinding => ({ does: "file", operation: "read", path });
const shell = (command: string): CodeFinding => ({ does: "shell", command });

describe("harmless sed scripts", () => {
  it.each([
    "1,120p",
    "s/a/b/",
    "s/a;w x/b/",
    "s|/usr|/opt|g;s#a#b#2p",
    "s/a/w out/",
    "s/[/]w x/]/",
    "s,\\,w x,b,gIm",
    "/a/,/b/!d",
    "0,/re/{s//x/;b};$!N;P;D",
    "\\cabcp",
    "2~3d;1,+3p;1,~4p;$=",
    "# w out\np",
    "a hello; w out",
    "a\\\nw out",
    "a\\\nw out\\\nw out2\np",
    "1i\\  text",
    "c\\\nx",
    ":a;N;$!ba;s/\\n/ /g",
    "y/abc/w x/;p",
    "{p;{p}}",
    "/x/{n;l 20\nq5}",
    "w /dev/stdout",
    "s/a/b/w /dev/stderr",
    "r /dev/stdin",
    "F;z;v 4.2",
    "",
  ])("%j", (script) => expect(readSed(script)).toEqual([]));
});

describe("sed scripts that do more", () => {
  it.each<[string, CodeFinding[]]>([
    ["s/a/b/w out", [write("out")]],
    ["s/a/b/gw out file;p", [write("out file;p")]],
    ["w out", [write("out")]],
    ["1,3W /tmp/x", [write("/tmp/x")]],
    ["$r ~/.ssh/id", [read("~/.ssh/id")]],
    ["R x", [read("x")]],
    ["1!e id", [shell("id")]],
    ["1e rm -rf ~", [shell("rm -rf ~")]],
    ["a x\\\\\nw out", [write("out")]],
    [":a;w out", [write("out")]],
    ["b}w out", [{ does: "unknown", why: "not a sed script that is understood (unmatched `}`)" }]],
    ["s|x|id|e", [{ does: "unknown", why: "it runs the result of a substitution (`s///e`) as a command" }]],
    ["s/x/id/ge", [{ does: "unknown", why: "it runs the result of a substitution (`s///e`) as a command" }]],
    ["e", [{ does: "unknown", why: "it runs its input as a command (`e`)" }]],
    // Older GNU sed ends the expression at a delimiter inside brackets, BSD sed ends labels with the line.
    [
      "s/a[]/]/b/;s/[]/w out/",
      [{ does: "unknown", why: "not a sed script that is understood (an expression without its closing delimiter)" }],
    ],
    [":a;a\\\nw out", [write("out")]],
    ["e\\", [{ does: "unknown", why: "it runs a command with escapes in it (`e`)" }]],
    ["a\\ \nw out", [write("out")]],
    ["s/a/b", [{ does: "unknown", why: "not a sed script that is understood (an expression without its closing delimiter)" }]],
    ["k", [{ does: "unknown", why: "not a sed script that is understood (unknown command `k`)" }]],
  ])("%j", (script, findings) => expect(readSed(script)).toEqual(findings));

  it("reads several -e in order", () => {
    expect(readSed(["a\\", "w out"])).toEqual([]);
    expect(readSed(["p", "w out"])).toEqual([write("out")]);
    expect(readSed(["a x\\", "w out"])).toMatchObject([{ does: "unknown" }]);
  });

  it("knows --sandbox and --posix", () => {
    expect(readSed("w out\ns/a/b/e\n1e id", { sandbox: true })).toEqual([]);
    expect(readSed("w /dev/stdout", { posix: true })).toEqual([write("/dev/stdout")]);
  });

  it("refuses what is too long, and is quick about hostile input", () => {
    expect(readSed("p;".repeat(1 << 20))).toMatchObject([{ does: "unknown" }]);
    const start = process.cpuUsage();
    for (const part of ["{", "[[.", "s/[", ":a;", "a\\\n", "\\"]) readSed(part.repeat(10_000));
    expect(workedSince(start)).toBeLessThan(6000);
  });
});

const sed = which("sed");

describe.skipIf(sed === undefined || !canIsolate())("against the real sed", () => {
  const scratch = new Scratch();
  afterAll(() => scratch.remove());

  const PIECES = [
    ..."s/a/b/|s|a|id|e|s/a/b/w o1|s,[,],w o1,|s/[/]/w o1/|s/x\\/w o1/b/|w o1|W o1|r key|R key|e id|e|1e id|$!e id|a\\\nw o1|a w o1|i\\\n e id|c w o1|y/ab/w /|p|N;P;D|:x|bx|b|t x;|/a/|/a/I,/b/M|\\%a%|0,/b/|1~2|2,+1|$|!|{|}|{p}|#|\n|;| |\\|\\\n|[|]|/|,|w|e|id|o1|g|p|a|i\\|\\c|\\n|&|[^/]|[[:alpha:]]|[]/]|b#|=|l 3|q5".split(
      "|",
    ),
    "s|a|id|e",
    "|",
    "s|[|]|w o1|",
  ];
  const SEPARATORS = ["", "", ";", "\n", "\n", " ", "}"];

  it(`sees every effect of ${ROUNDS} random scripts`, () => {
    const seed = seedOr(7);
    const { below, pick } = random(seed);
    let valid = 0;
    let acted = 0;
    const missed: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      let script = "";
      for (let n = 1 + below(6); n > 0; n -= 1) script += pick(PIECES) + pick(SEPARATORS);
      if (/(^|[^\\])\{/.test(script) && !script.includes("}")) script += "\n}";
      const { did, ok } = scratch.effect(sed!, [script, "in"]);
      valid += Number(ok);
      acted += Number(did !== undefined);
      if (did !== undefined && readSed(script).length === 0) missed.push(`${JSON.stringify(script)} ${did}`);
    }
    expect(missed).toEqual([]);
    expect(valid).toBeGreaterThan(ROUNDS / 20);
    expect(acted).toBeGreaterThan(ROUNDS / 50);
  }, 3_600_000);
});
