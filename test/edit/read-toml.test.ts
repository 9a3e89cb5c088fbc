import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { placeFinder, toValue } from "@assent/core/edit/json5";
import { readToml } from "@assent/core/edit/toml";

/** smol-toml is the oracle: what it reads we read the same, what it refuses we refuse. */
const GOOD: readonly string[] = [
  "",
  "# only a comment\n",
  "a = 1\nb = \"x\"\nc = 'C:\\x'\nd = true",
  "a.b.c = 1\na.b.d = 2\n\"quoted key\" = 3\n'a.b'.c = 4",
  "[a]\nx = 1\n[a.b]\ny = 2\n[[list]]\nn = 1\n[[list]]\nn = 2\n[list.sub]\nz = 3",
  'x = [1, 2, # with a comment\n 3,\n]\ny = [["a"], ["b", "c"]]',
  'p = { a = 1, "b c" = [1], d = { e = "f" } }',
  'm = """\nfirst\n  second \\\n   joined "" \\"""" \nl = \'\'\'\nraw \\n\n\'\'\'',
  'u = "\\u00e9\\t\\\\ \\U0001F600"',
  "n = -12\nf = 1.5e3\nh = 0xff\nbig = 1_000\n",
  "[a.b.c]\nx = 1\n[a]\ny = 2",
  '\r\n[t]\r\nk = "v"\r\n',
  '[hooks.state."/home/u/.codex/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "sha256:ab"\n',
];

const BAD: readonly (readonly [text: string, line: number, message: string])[] = [
  ["a = 1\na = 2", 2, "`a` is there twice, first in line 1"],
  ["[t]\n[t]", 2, "`t` is there twice"],
  ["a = ", 1, "expected a value"],
  ["a = yes", 1, "`yes` is not a value"],
  ["ok = 1\na b = 1", 2, "expected `=`"],
  ['a = "x', 1, "not closed"],
  ["a = [1, 2", 1, "not closed"],
  ["a = [1 2]", 1, "not closed"],
  ["a = 1 b = 2", 1, "expected the end of the line"],
  ["[a\nb = 1", 1, "expected `]`"],
  ['a = "\\q"', 1, "is not an escape"],
  ["a = 1\n[a.b]\n", 2, "is not a table"],
];

describe("TOML is read as others read it, with the places of its parts", () => {
  test.each(GOOD)("%j", (text) => {
    const { root, faults } = readToml(text);
    expect(faults).toEqual([]);
    expect(root && toValue(root)).toEqual(JSON.parse(JSON.stringify(parse(text))));
  });

  test.each(BAD)("%j is wrong in line %i: %s", (text, line, message) => {
    const { root, faults } = readToml(text);
    expect(root).toBeUndefined();
    expect(faults[0]?.message).toContain(message);
    expect(placeFinder(text)(faults[0]?.offset ?? -1).line).toBe(line);
    expect(() => parse(text)).toThrow(Error);
  });

  test("places", () => {
    const text = 'a = 1\n[[rule]]\nname = "x"\n\n[[rule]]\nname = "y"\n';
    const rules = readToml(text).root?.members[1]?.value;
    const lines = rules?.kind === "array" ? rules.items.map(({ start }) => placeFinder(text)(start).line) : [];
    expect(lines).toEqual([2, 5]);
  });
});
