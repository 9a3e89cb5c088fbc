import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { CodeFinding } from "../../../packages/core/src/shell/languages/finding.ts";
import { readJq, readYq } from "../../../packages/core/src/shell/languages/jq.ts";
import { random, ROUNDS, seedOr, which } from "./scratch.ts";

const environment: CodeFinding = { does: "environment" };
const unknown = (why: string): CodeFinding => ({ does: "unknown", why });

describe("harmless jq programs", () => {
  it.each([
    ".",
    ".a",
    ".version",
    '.dependencies | to_entries[] | select(.value | test("^1")) | .key',
    "{env: .env, a: 1}",
    "{env, b}",
    ".env",
    '"env"',
    '"a \\(.b | @sh) \\(.c)"',
    '$ENV.HOME, env.PATH, $ENV["USER"]',
    "input_filename, $__loc__, $__prog_args, input, now",
    "# env\n.a",
    "reduce .[] as $x (0; . + $x)",
    '.[1:2] | .["env"]',
    'def f(x): x + 1; f(.a) // "none"',
    "@base64d",
    "",
  ])("%j", (program) => expect(readJq(program)).toEqual([]));
});

describe("jq programs that do more", () => {
  it.each<[string, CodeFinding[]]>([
    ["env", [environment]],
    ["$ENV", [environment]],
    ["$ ENV | .x", [environment]],
    ["env.API_KEY", [environment]],
    ["{a: env}", [environment]],
    ["{(env | keys[0]): 1}", [environment]],
    [".[1,env:2]", [environment]],
    ['"x \\(env) y"', [environment]],
    ['"x \\("\\($ENV)")"', [environment]],
    ['import "a" as a; .', [{ does: "code", language: "jq", detail: 'import "a"' }]],
    ['include "m"; .', [{ does: "code", language: "jq", detail: 'include "m"' }]],
    ['"m" | modulemeta', [unknown("it reads a module named while it runs")]],
    ["# x \\\nenv", [unknown("a jq program with a comment that ends in a backslash")]],
    ['"a', [unknown("a jq program with a string without its closing quote")]],
    ["(.a", [unknown("a jq program with brackets that do not match")]],
    ["'a'", [unknown("a jq program with the character `'`")]],
  ])("%j", (program, findings) => expect(readJq(program)).toEqual(findings));
});

describe("yq programs", () => {
  it.each<[string, CodeFinding[]]>([
    [".a.b", []],
    [".a = 1 | del(.b) | sort_keys(..)", []],
    ['.items[] | select(.kind == "Pod") | .metadata.name', []],
    ["env(HOME)", []],
    ["env(API_KEY)", [environment]],
    [".a = strenv(TOKEN)", [environment]],
    [".a | envsubst", [environment]],
    ['load("secrets.yml")', [{ does: "file", operation: "read", path: "secrets.yml" }]],
    ["load(.file)", [unknown("it reads a file named while it runs")]],
    ["eval(.x)", [unknown("the yq operator eval")]],
    ['system("id")', [unknown("the yq operator system")]],
  ])("%j", (program, findings) => expect(readYq(program)).toEqual(findings));
});

const jq = which("jq");

describe.skipIf(jq === undefined)("against the real jq", () => {
  it("sees every reading of the environment", () => {
    const { below, pick } = random(seedOr(5));
    const PIECES = [
      "env",
      ".env",
      "$ENV",
      "{env: 1}",
      "{env}",
      "{a: env}",
      '"env"',
      '"\\(env)"',
      '"\\(1)env"',
      "|",
      ",",
      "[",
      "]",
      "(",
      ")",
      "{",
      "}",
      ":",
      " ",
      "\n",
      "#",
      '"',
      "\\(",
      "..",
      ".",
      "tojson",
      "keys",
      "$",
      "ENV",
      "as $x",
      "try",
      "1",
      "if . then",
      "else",
      "end",
      "\\",
      "?",
      "//",
      "[env:1]",
      ". env",
      "@json",
    ];
    const missed: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      let program = "";
      for (let n = 1 + below(7); n > 0; n -= 1) program += pick(PIECES) + pick(["", "", " ", "|", ","]);
      const { stdout } = spawnSync(jq!, ["-n", program], { env: { MARK: "m4rk" }, encoding: "utf8", timeout: 2000 });
      if ((stdout ?? "").includes("m4rk") && readJq(program).length === 0) missed.push(program);
    }
    expect(missed).toEqual([]);
  }, 3_600_000);
});
