import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";
import { FIRST_FILES, layFirstHome, printedFirst } from "./first.ts";

/** What the first install wrote for a person is read as before: rules, grants, trust, answers, the log, runs; and so is what it printed for programs. */

type Json = Readonly<Record<string, unknown>>;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is asked of it is compared
const json = (text: string): Json => JSON.parse(text) as Json;
const lines = (text: string): readonly Json[] => text.trim().split("\n").map(json);

/** Every key of what was printed then, with its kind of value, and the words that programs decide by. */
const WORDS = /^(?:v|verdict|basis|answer|builtin|effect|text|layer|kind|key|tool|rule|point|agent|seq|hash|operation|program)$/;
function formOf(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((inner) => formOf(inner, key));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, formOf(inner, name)]));
  return WORDS.test(key)
    ? value
    : (expect.any(
        ({ string: String, number: Number, boolean: Boolean } as Readonly<Record<string, unknown>>)[typeof value] ?? Object,
      ) as unknown);
}

let place: Scratch;
const printed = (...words: readonly string[]): string => {
  const { status, stdout, stderr } = assent(place, words);
  expect([words.join(" "), status, stderr]).toEqual([words.join(" "), 0, ""]);
  return stdout;
};

describe("the home that the first install wrote", () => {
  beforeAll(() => {
    place = scratch({ keep: true });
    layFirstHome(place);
  });

  it("its rules and settings are in force, and nothing is wrong with them", () => {
    const then = json(printedFirst("rules.json", place));
    expect(json(printed("rules", "--json"))).toMatchObject({ rules: then["rules"], files: formOf(then["files"]) });
  });

  it.each([
    [["make all"], "allow", "rule"],
    [["cat server.pem"], "deny", "rule"],
    [["git push"], "ask", "rule"],
    [["terraform apply"], "deny", "rule"],
    [["npm install left-pad"], "allow", "grant"],
    [["--tool", "Edit", "--input", '{"file_path":"src/a.ts","old_string":"a","new_string":"b"}'], "allow", "rule"],
  ])("assent explain %j: %s by %s", (words, verdict, basis) => {
    expect(json(assent(place, ["explain", "--json", ...words]).stdout)).toMatchObject({ verdict, basis });
  });

  it("what a program read of `assent explain --json` is there, with the same ids", () => {
    const then = json(printedFirst("explain.json", place));
    expect(json(assent(place, ["explain", "--json", "rm -rf ~"]).stdout)).toMatchObject(formOf(then) as Json);
  });

  it("its log is whole, and is shown as it was", () => {
    expect(printed("log", "verify")).toMatch(/whole|intact|ok|unbroken/i);
    const then = lines(readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8"));
    expect(lines(printed("log", "--json")).slice(0, then.length)).toMatchObject(then.map((line) => formOf(line)));
  });

  it.each([
    [["grants", "list"], "Bash(npm install:*)"],
    [["trust", "--list"], "project/.agent-permissions.jsonc"],
    [["profile", "list"], "first"],
    [["profile", "show", "first"], "Edit(/srv/first-install)"],
    [["run", "--rules", "first"], "Edit(/srv/first-install)"],
    [["agents", "list"], "helper"],
    [["auto"], "on"],
    [["breaker"], ""],
    [["receipt", "--list"], "touch"],
    [["receipt"], "/srv/first-install"],
    [["status"], "claude"],
  ])("assent %j tells of %s", (words, what) => {
    expect(printed(...words)).toContain(what);
  });
});

it("is brought up to date by `assent install`, and taken out whole by `assent uninstall`", () => {
  place = scratch();
  layFirstHome(place);
  mkdirSync(join(place.home, ".vscode"));
  const folder = join(place.home, ".local/share/assent/app/dist");
  const hosts = FIRST_FILES.filter((name) => !name.startsWith(".local/") && !/agent-permissions|config\.toml/.test(name));
  printed("install", "--yes");
  const named = (): readonly string[] =>
    hosts.filter((name) => existsSync(join(place.home, name)) && /assent/i.test(readFileSync(join(place.home, name), "utf8")));
  expect(named()).toEqual(hosts);
  // What is named lies in the copy, which goes on when the clone goes.
  const programs = named().flatMap(
    (name) => readFileSync(join(place.home, name), "utf8").match(/(?<!:\/|:)\/(?!\/)[^\s"']*\/dist\/[\w.-]+/g) ?? [],
  );
  expect(programs.length).toBeGreaterThan(hosts.length / 2);
  expect(programs.filter((program) => !program.startsWith(`${folder}/`) || !existsSync(program))).toEqual([]);
  printed("uninstall", "--yes");
  expect(named()).toEqual([]);
});
