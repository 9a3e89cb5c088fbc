import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Json, MAX_DEPTH, MAX_LENGTH, type JsonNode, placeFinder, readJson5, toValue } from "@assent/core/edit/json5";

function valueOf(text: string): Json | undefined {
  const { root, faults } = readJson5(text);
  expect({ text, faults }).toEqual({ text, faults: [] });
  return root === undefined ? undefined : toValue(root);
}

// A9: the whole of JSON5 (spec.json5.org), one feature a row.
const ACCEPTED: readonly (readonly [text: string, value: unknown])[] = [
  // white space, comments, byte order mark
  ["\ufeff{}", {}],
  ["\t\v\f \u00a0\u2003\u2028\u2029\r\n[]", []],
  ["// a\n[1, /* b\n */ 2] // c", [1, 2]],
  ["/**/{}", {}],
  ["[1]//", [1]],
  ["// ends at a line separator\u2028[]", []],
  // trailing commas
  ["[1,]", [1]],
  ['{"a":1,}', { a: 1 }],
  // keys
  ["{a:1}", { a: 1 }],
  ["{$_a9:1, ünï:2, ⅷ:3}", { $_a9: 1, ünï: 2, ⅷ: 3 }],
  ["{'a b':1}", { "a b": 1 }],
  ["{null:1, true:2, if:3, Infinity:4}", { null: 1, true: 2, if: 3, Infinity: 4 }],
  ["{\\u0061b:1}", { ab: 1 }],
  ["{a\u200d\u0301:1}", { "a\u200d\u0301": 1 }],
  ['{"":1}', { "": 1 }],
  // texts
  ["'a\"b'", 'a"b'],
  ['"a\'b"', "a'b"],
  ["'\\'\\\"\\\\\\b\\f\\n\\r\\t\\v\\0'", "'\"\\\b\f\n\r\t\v\0"],
  ["'\\x41\\u00e9\\ud83d\\ude00'", "Aé😀"],
  ["'\\a\\q\\/'", "aq/"],
  ["'a\\\nb'", "ab"],
  ["'a\\\r\nb'", "ab"],
  ["'a\\\rb'", "ab"],
  ["'a\\\u2028b\\\u2029c'", "abc"],
  ["'a\u2028b\tc'", "a\u2028b\tc"],
  ["'// no comment'", "// no comment"],
  // numbers
  ["+1", 1],
  ["-1.5", -1.5],
  [".5", 0.5],
  ["5.", 5],
  ["5.e1", 50],
  ["1E+2", 100],
  ["-.5e-1", -0.05],
  ["0xDECAFbad", 0xdecafbad],
  ["-0X1f", -31],
  ["-0", -0],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["+Infinity", Infinity],
  ["NaN", NaN],
  ["[true,false,null]", [true, false, null]],
];

describe("A9: JSON5 is read", () => {
  test.each(ACCEPTED)("%j", (text, value) => {
    expect(valueOf(text)).toEqual(value);
  });
});

test("`__proto__` is a key like any other", () => {
  const value = valueOf('{"__proto__": {"allow": 1}}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.entries(value ?? {})).toEqual([["__proto__", { allow: 1 }]]);
});

interface Refused {
  readonly text: string;
  readonly at: string;
  readonly message: string;
  readonly help?: string;
}

const REFUSED: readonly Refused[] = [
  { text: "", at: "1:1", message: "the file is empty", help: 'a policy without rules is `{ "version": 1 }`' },
  { text: "  // nothing\n", at: "2:1", message: "the file is empty", help: 'a policy without rules is `{ "version": 1 }`' },
  { text: "{\n  a: 1", at: "1:1", message: "`{` is never closed", help: "add `}` where it ends" },
  { text: '{a: [\n  "x",\n', at: "1:5", message: "`[` is never closed", help: "add `]` where it ends" },
  { text: "{a: [1}", at: "1:7", message: "expected `,` or `]`, found `}`", help: "`[` at 1:5 is still open" },
  { text: "[1] x", at: "1:5", message: "unexpected `x` after the end of the policy" },
  { text: "{} {}", at: "1:4", message: "unexpected `{` after the end of the policy" },
  { text: '["a" "b"]', at: "1:5", message: "missing `,`", help: "add `,` here" },
  { text: "{a: 1\n b: 2}", at: "1:6", message: "missing `,`", help: "add `,` here" },
  { text: "[1,,2]", at: "1:4", message: "a value is missing before this `,`", help: "remove the `,`" },
  { text: "[,1]", at: "1:2", message: "a value is missing before this `,`", help: "remove the `,`" },
  { text: "{a 1}", at: "1:4", message: "expected `:` after the key, found `1`" },
  { text: "{a = 1}", at: "1:4", message: "expected `:` after the key, found `=`", help: "a key and its value are joined by `:`" },
  { text: "{a: 1; b: 2}", at: "1:6", message: "expected `,` or `}`, found `;`", help: "values are separated by `,`" },
  { text: "{a:}", at: "1:4", message: "expected a value, found `}`" },
  { text: "{1: 2}", at: "1:2", message: "expected a key, found `1`", help: "a key is a name or a text in quotes" },
  { text: "{a-b: 2}", at: "1:3", message: "expected `:` after the key, found `-`" },
  { text: "# comment\n{}", at: "1:1", message: "expected a value, found `#`", help: "comments start with `//`" },
  { text: "{“a”: 1}", at: "1:2", message: "expected a key, found `“`", help: 'use straight quotes: `"`' },
  { text: "[yes]", at: "1:2", message: "unexpected `yes`", help: 'put text in quotes: "yes"' },
  { text: "[undefined]", at: "1:2", message: "unexpected `undefined`", help: 'put text in quotes: "undefined"' },
  { text: "/* open\n{}", at: "1:1", message: "the comment is never closed", help: "add `*/` where it ends" },
  {
    text: '["a\nb"]',
    at: "1:2",
    message: "the text is not closed on its line",
    help: 'close it with `"`, or write `\\n` for a line break',
  },
  { text: "['a", at: "1:2", message: "the text is not closed on its line", help: "close it with `'`, or write `\\n` for a line break" },
  {
    text: "['a\\1']",
    at: "1:4",
    message: "`\\1` is not an escape",
    help: "write two hexadecimal digits: `\\x41`; a backslash itself is `\\\\`",
  },
  {
    text: "['\\01']",
    at: "1:3",
    message: "`\\0` is not an escape",
    help: "write two hexadecimal digits: `\\x41`; a backslash itself is `\\\\`",
  },
  {
    text: "['\\x4']",
    at: "1:3",
    message: "`\\x` is not an escape",
    help: "write two hexadecimal digits: `\\x41`; a backslash itself is `\\\\`",
  },
  { text: "['\\u12']", at: "1:3", message: "`\\u` is not an escape", help: "write four hexadecimal digits: `\\u00e9`" },
  { text: "[010]", at: "1:2", message: "`010` is not a number", help: "a number does not start with 0" },
  { text: "[1x]", at: "1:2", message: "`1x` is not a number", help: "put text in quotes" },
  { text: "[+]", at: "1:2", message: "`+` is not a number", help: "put text in quotes" },
  { text: "[0x]", at: "1:2", message: "`0x` is not a number", help: "put text in quotes" },
  { text: "[.]", at: "1:2", message: "`.` is not a number", help: "put text in quotes" },
  { text: "['\\ud800']", at: "1:2", message: "the text holds half of a character (a lone surrogate)", help: "write the character itself" },
  { text: '{a: 1,\n "a": 2}', at: "2:2", message: "duplicate key `a`", help: "the first one is at 1:2; join them" },
  { text: "\ufeff{x}", at: "1:3", message: "expected `:` after the key, found `}`" },
  { text: "\r\n\r[\n\u0007]", at: "4:1", message: "expected a value, found `\\u{7}`" },
  { text: "[".repeat(65), at: "1:65", message: `nested more than ${MAX_DEPTH} levels deep` },
  { text: " ".repeat(MAX_LENGTH + 1), at: "1:1", message: `the file is too large: ${MAX_LENGTH + 1} characters, at most ${MAX_LENGTH}` },
];

describe("what is not JSON5 is refused with its place and a way out", () => {
  test.each(REFUSED)("$text", ({ text, at, message, help }) => {
    const [fault, ...more] = readJson5(text).faults;
    expect(more).toEqual([]);
    const { line, column } = placeFinder(text)(fault?.offset ?? -1);
    expect({ at: `${line}:${column}`, message: fault?.message, help: fault?.help }).toEqual({ at, message, help });
  });
});

test("small mistakes are all reported at once, and the rest is read", () => {
  const { root, faults } = readJson5("{a: 010, a: ['\\x', 1 2],, b: 3}");
  expect(faults.map(({ offset, path }) => [offset, path])).toEqual([
    [4, ["a"]],
    [9, ["a"]],
    [14, ["a", 0]],
    [20, ["a", 2]],
    [24, []],
  ]);
  expect(root === undefined ? undefined : toValue(root)).toEqual({ a: ["", 1, 2], b: 3 });
});

test("the work stays bounded: 100 mistakes, wide and deep files", () => {
  expect(readJson5(`[${"010,".repeat(1000)}]`).faults).toHaveLength(100);
  expect(readJson5(`{${"a:1,".repeat(200_000)}}`).faults).toHaveLength(100);
  expect(readJson5("[".repeat(MAX_LENGTH)).faults).toHaveLength(1);
  expect(readJson5(`"${"\\".repeat(MAX_LENGTH - 2)}"`).faults).toHaveLength(0);
  expect(readJson5("1".repeat(MAX_LENGTH)).root).toMatchObject({ value: Infinity });
  expect(readJson5(`${"1".repeat(MAX_LENGTH - 1)}x`).faults).toHaveLength(1);
});

/** Text made of what the grammar is made of: far likelier to reach deep than random characters. */
const source = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."{}[]:,'\"\\/*+-.019eEx_$\n\r\t\u2028\ufeff#é".split(""),
        "😀",
        "true",
        "null",
        "NaN",
        "0x1F",
        "\\u0041",
        "\\\r\n",
        "//",
        "/*",
        "*/",
        '"a":',
        "b:",
      ),
      fc.string({ unit: "binary", maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

function* nodesOf(node: JsonNode): Generator<JsonNode> {
  yield node;
  const below = node.kind === "object" ? node.members.map(({ value }) => value) : node.kind === "array" ? node.items : [];
  for (const child of below) yield* nodesOf(child);
}

describe("properties", () => {
  test("reading never throws, and every place lies inside the text", () => {
    fc.assert(
      fc.property(source, (text) => {
        const { root, faults } = readJson5(text);
        expect(root !== undefined || faults.length > 0).toBe(true);
        const lines = text.split(/\r\n|\n|\r/);
        for (const { offset } of faults) {
          expect(offset >= 0 && offset <= text.length).toBe(true);
          const { line, column } = placeFinder(text)(offset);
          expect(line >= 1 && line <= lines.length).toBe(true);
          expect(column >= 1 && column <= (lines[line - 1]?.length ?? 0) + 2).toBe(true);
        }
        for (const node of root === undefined ? [] : nodesOf(root))
          expect(0 <= node.start && node.start < node.end && node.end <= text.length).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  test("what JSON.stringify writes reads back equal, and each place holds its value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: "binary" }), fc.constantFrom(undefined, 2, "\t"), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        fc.pre(!/\\ud[89a-f]/i.test(text));
        expect(valueOf(text)).toEqual(JSON.parse(text));
        const { root } = readJson5(text);
        for (const node of root === undefined ? [] : nodesOf(root))
          expect(JSON.parse(text.slice(node.start, node.end))).toEqual(toValue(node));
      }),
      { numRuns: 1000 },
    );
  });
});
