import { describe, expect, test } from "vitest";
import { applyPatch, edit, type Edit } from "@assent/core/edit";
import type { Json, Path } from "@assent/core/edit/json5";

/** How edits read in the tables below. */
const add = (list: Path, value: Json, place: Extract<Edit, { do: "insert" }>["place"] = "end"): Edit => ({
  do: "insert",
  list,
  place,
  value,
});
const remove = (...path: Path): Edit => ({ do: "remove", path });
const replace = (path: Path, value: Json): Edit => ({ do: "replace", path, value });
const set = (path: Path, value: Json): Edit => ({ do: "set", path, value });

type Row = readonly [what: string, before: string, change: Edit, after: string];

/** Every row is also taken back, byte for byte. */
function rows(title: string, table: readonly Row[]): void {
  describe(title, () => {
    test.each(table)("%s", (_, before, change, after) => {
      const edited = edit(before, change);
      if (!edited.ok) throw new Error(`${edited.code}: ${edited.message}`);
      expect(edited.text).toBe(after);
      expect(applyPatch(edited.text, edited.undo)).toBe(before);
    });
  });
}

rows("an element is added to a list", [
  ["on one line, as the list is", `["a", "b"]`, add([], "c"), `["a", "b", "c"]`],
  ["without blanks, as the list is", `["a","b"]`, add([], "c"), `["a","b","c"]`],
  ["in single quotes, as the list is", `['a']`, add([], 'it\'s "c"'), `['a', 'it\\'s "c"']`],
  ["on its own line, as the others", `[\n  "a",\n  "b"\n]`, add([], "c"), `[\n  "a",\n  "b",\n  "c"\n]`],
  ["with the trailing comma the list has", `[\n  "a",\n  "b",\n]`, add([], "c"), `[\n  "a",\n  "b",\n  "c",\n]`],
  ["with a trailing comma on one line too", `["a",]`, add([], "c"), `["a", "c",]`],
  ["indented by tabs", `{\n\t"x": [\n\t\t"a"\n\t]\n}`, add(["x"], "c"), `{\n\t"x": [\n\t\t"a",\n\t\t"c"\n\t]\n}`],
  ["with the line breaks of the file", `[\r\n    "a"\r\n]\r\n`, add([], "c"), `[\r\n    "a",\r\n    "c"\r\n]\r\n`],
  [
    "behind the comment of the last element, which keeps it",
    `[\n  "a", // about a\n  "b" // about b\n]`,
    add([], "c"),
    `[\n  "a", // about a\n  "b", // about b\n  "c"\n]`,
  ],
  [
    "before comments that stand at the end of the list",
    `[\n  "a",\n  // "z" is off for now\n]`,
    add([], "c"),
    `[\n  "a",\n  "c",\n  // "z" is off for now\n]`,
  ],
  ["behind a comment inside the line", `["a" /* a */]`, add([], "c"), `["a" /* a */, "c"]`],
  ["before a comment to the end of the line", `["a" // a\n]`, add([], "c"), `["a", "c" // a\n]`],
  ["first", `["a", "b"]`, add([], "c", { before: 0 }), `["c", "a", "b"]`],
  [
    "before an element and its comment",
    `[\n  "a",\n  // about b\n  "b"\n]`,
    add([], "c", { before: 1 }),
    `[\n  "a",\n  "c",\n  // about b\n  "b"\n]`,
  ],
  [
    "after an element and its comment",
    `[\n  "a", // about a\n  // about b\n  "b"\n]`,
    add([], "c", { after: 0 }),
    `[\n  "a", // about a\n  "c",\n  // about b\n  "b"\n]`,
  ],
  ["after an element on the same line", `["a", /* b */ "b"]`, add([], "c", { after: 0 }), `["a", "c", /* b */ "b"]`],
  ["before an element with its comment", `["a", /* b */ "b"]`, add([], "c", { before: 1 }), `["a", "c", /* b */ "b"]`],
  ["where commas come first", `[\n    "a"\n  , "b"\n]`, add([], "c"), `[\n    "a"\n  , "b", "c"\n]`],
  ["where brackets hug", `[{\n  "a": 1\n}]`, add([], 2), `[{\n  "a": 1\n}, 2]`],
  ["where several share a line", `[\n  1, 2,\n  3, 4\n]`, add([], 5), `[\n  1, 2,\n  3, 4, 5\n]`],
  ["as an object on one line", `[\n  "a"\n]`, add([], { rule: "b", reason: "c" }), `[\n  "a",\n  { "rule": "b", "reason": "c" }\n]`],
  [
    "as an object that does not fit on a line",
    `[\n  "a"\n]`,
    add([], { rule: "b".repeat(60), reason: "c".repeat(60) }),
    `[\n  "a",\n  {\n    "rule": "${"b".repeat(60)}",\n    "reason": "${"c".repeat(60)}"\n  }\n]`,
  ],
  ["as an object with bare keys, as in the file", `[{a: 1}]`, add([], { b: 2, "c d": 3 }), `[{a: 1}, {b: 2, "c d": 3}]`],
]);

rows("the first element of a list", [
  ["in a file that says nothing about its habits", `[]`, add([], "a"), `[\n  "a"\n]`],
  ["where lists stand on one line", `{\n  "x": ["a"],\n  "y": []\n}`, add(["y"], "b"), `{\n  "x": ["a"],\n  "y": ["b"]\n}`],
  [
    "where lists have a line per element, and a comma at the end",
    `{\n  "x": [\n    "a",\n  ],\n  "y": [],\n}`,
    add(["y"], "b"),
    `{\n  "x": [\n    "a",\n  ],\n  "y": [\n    "b",\n  ],\n}`,
  ],
  ["where the brackets stand apart", `{"x": [\n]}`, add(["x"], "b"), `{"x": [\n  "b"\n]}`],
  ["behind a comment on the line", `{"x": [/* none */]}`, add(["x"], "b"), `{"x": [/* none */ "b"]}`],
  ["behind the comment of the bracket", `{\n  "x": [ // rules\n  ]\n}`, add(["x"], "b"), `{\n  "x": [ // rules\n    "b"\n  ]\n}`],
  [
    "apart from comments that stand alone, which are not its own",
    `{\n  "x": [\n    // "z",\n  ]\n}`,
    add(["x"], "b"),
    `{\n  "x": [\n    // "z",\n\n    "b"\n  ]\n}`,
  ],
]);

rows("an element is removed", [
  ["the first on a line", `["a", "b", "c"]`, remove(0), `["b", "c"]`],
  ["one in the middle", `["a", "b", "c"]`, remove(1), `["a", "c"]`],
  ["the last", `["a", "b", "c"]`, remove(2), `["a", "b"]`],
  ["the last, which has a comma", `["a", "b",]`, remove(1), `["a",]`],
  ["the only one", `[ "a" ]`, remove(0), `[]`],
  ["the only one, on its own line", `[\n  "a",\n]`, remove(0), `[]`],
  ["a line", `[\n  "a",\n  "b",\n  "c"\n]`, remove(1), `[\n  "a",\n  "c"\n]`],
  ["the last line, and the comma before it", `[\n  "a",\n  "b"\n]`, remove(1), `[\n  "a"\n]`],
  ["the last line, where the comma stays the habit", `[\n  "a",\n  "b",\n]`, remove(1), `[\n  "a",\n]`],
  ["with the comment on its line", `[\n  "a", // about a\n  "b", // about b\n  "c"\n]`, remove(1), `[\n  "a", // about a\n  "c"\n]`],
  ["with the comment before its comma", `["a" /* a */, "b"]`, remove(0), `["b"]`],
  ["with the comment before it", `["a", /* b */ "b", "c"]`, remove(1), `["a", "c"]`],
  ["not with the comment of the next one", `["a", /* b */ "b"]`, remove(0), `[/* b */ "b"]`],
  [
    "with all comments directly above it",
    `[\n  "a",\n  // about b\n  /* more\n     about b */\n  "b",\n  "c"\n]`,
    remove(1),
    `[\n  "a",\n  "c"\n]`,
  ],
  [
    "not with a comment above a blank line",
    `[\n  "a",\n  // a section\n\n  "b",\n  "c"\n]`,
    remove(1),
    `[\n  "a",\n  // a section\n\n  "c"\n]`,
  ],
  ["not with the comment of the one before", `[\n  "a", // about a\n  "b"\n]`, remove(1), `[\n  "a" // about a\n]`],
  ["not with the comment of the bracket", `[ // rules\n  "a",\n  "b"\n]`, remove(0), `[ // rules\n  "b"\n]`],
  ["not with the comment below", `[\n  "a",\n  // end of rules\n]`, remove(0), `[\n  // end of rules\n]`],
  ["not with a comment that speaks of a whole line", `[\n  "a", "b", // both\n  "c"\n]`, remove(1), `[\n  "a", // both\n  "c"\n]`],
  ["one of two on a line of several", `[\n  "a", "b",\n  "c"\n]`, remove(1), `[\n  "a",\n  "c"\n]`],
  ["the first of two on a line of several", `[\n  "a", "b",\n  "c"\n]`, remove(0), `[\n  "b",\n  "c"\n]`],
  ["where commas come first", `[\n    "a"\n  , "b"\n  , "c"\n]`, remove(1), `[\n    "a"\n  , "c"\n]`],
  ["the last where commas come first", `[\n    "a"\n  , "b"\n]`, remove(1), `[\n    "a"\n]`],
  ["blank lines do not add up", `[\n  "a",\n\n  "b",\n\n  "c"\n]`, remove(1), `[\n  "a",\n\n  "c"\n]`],
  ["where a line break is `\\r\\n`", `[\r\n  "a", // x\r\n  "b"\r\n]`, remove(0), `[\r\n  "b"\r\n]`],
  ["an element of several lines", `[\n  {\n    "a": 1 // one\n  }, // it\n  2\n]`, remove(0), `[\n  2\n]`],
  ["where a comment stands between it and its comma", `[\n  "a"\n  // stays\n  , "b"\n]`, remove(0), `[\n  // stays\n  "b"\n]`],
]);

rows("a key is set", [
  ["to another value", `{ "a": 1, /* two */ "b": 2 }`, set(["b"], 3), `{ "a": 1, /* two */ "b": 3 }`],
  ["to the value it has: nothing changes", `{ 'a': 0x10 }`, set(["a"], 16), `{ 'a': 0x10 }`],
  ["anew on one line", `{ "a": 1 }`, set(["b"], 2), `{ "a": 1, "b": 2 }`],
  ["anew without blanks", `{"a":1,"c":[]}`, set(["b"], { x: [1, 2] }), `{"a":1,"c":[],"b":{"x":[1,2]}}`],
  ["anew on its own line", `{\n  "a": 1 // one\n}`, set(["b"], 2), `{\n  "a": 1, // one\n  "b": 2\n}`],
  ["anew with bare keys", `{\n  a: 1,\n}`, set(["b"], "x"), `{\n  a: 1,\n  b: "x",\n}`],
  ["in a file without any", `{}\n`, set(["a"], 1), `{\n  "a": 1\n}\n`],
  [
    "with the objects around it",
    `{\n  "version": 1\n}\n`,
    set(["permissions", "allow"], ["a"]),
    `{\n  "version": 1,\n  "permissions": {\n    "allow": [\n      "a"\n    ]\n  }\n}\n`,
  ],
  [
    "inside an object that is there",
    `{\n    "p": {\n        "x": 1\n    }\n}`,
    set(["p", "q", "r"], true),
    `{\n    "p": {\n        "x": 1,\n        "q": { "r": true }\n    }\n}`,
  ],
  ["in an object of a list", `[{ "a": 1 }, { }]`, set([1, "b"], -0), `[{ "a": 1 }, { "b": -0 }]`],
  ["to what only JSON5 can say", `{ "a": 1 }`, set(["a"], -Infinity), `{ "a": -Infinity }`],
  ["named like no other", `{ "a": 1 }`, set(["__proto__"], { x: 1 }), `{ "a": 1, "__proto__": { "x": 1 } }`],
]);

rows("a key is removed", [
  ["the first", `{ "a": 1, "b": 2 }`, remove("a"), `{ "b": 2 }`],
  ["the last", `{ "a": 1, "b": 2 }`, remove("b"), `{ "a": 1 }`],
  ["the only one", `{\n  "a": 1\n}`, remove("a"), `{}`],
  ["with its comments", `{\n  "x": 0,\n  // about a\n  "a": /* in */ 1, // a\n  "b": 2\n}`, remove("a"), `{\n  "x": 0,\n  "b": 2\n}`],
  ["deep inside", `{ "a": [{ "b": 1, "c": 2 }] }`, remove("a", 0, "b"), `{ "a": [{ "c": 2 }] }`],
]);

rows("a value is replaced", [
  ["the whole file", `// policy\n{ "a": 1 } // end\n`, replace([], [1]), `// policy\n[1] // end\n`],
  ["comments around it stay", `[/* a */ 1 /* b */]`, replace([0], 2), `[/* a */ 2 /* b */]`],
  ["an object by a text", `{ "a": { "b": 1 } }`, replace(["a"], "x"), `{ "a": "x" }`],
  ["with the byte order mark kept", `\ufeff[1]`, replace([0], 2), `\ufeff[2]`],
]);

describe("what is refused, with the text left as it is", () => {
  test.each<readonly [string, string, Edit, string, RegExp]>([
    ["a text that is broken", `{ "a": }`, set(["a"], 1), "broken", /expected a value/],
    ["a text with a small mistake", `{ "a": 1 "b": 2 }`, set(["a"], 1), "broken", /missing `,`/],
    ["a key written twice", `{ "a": 1, "a": 2 }`, remove("a"), "broken", /duplicate key/],
    ["a list that is not there", `{ "a": 1 }`, add(["b"], 1), "misplaced", /cannot find `b`/],
    ["a list that is none", `{ "a": 1 }`, add(["a"], 1), "misplaced", /`a` is not a list/],
    ["an element that is not there", `[1]`, add([], 1, { after: 1 }), "misplaced", /no element 1/],
    ["removing what is not there", `{ "a": [1] }`, remove("a", 1), "misplaced", /cannot find `a\[1\]`/],
    ["removing everything", `{}`, remove(), "misplaced", /whole file/],
    ["a key of a text", `{ "a": "x" }`, set(["a", "b"], 1), "misplaced", /`a` is not an object/],
    ["a key of a list", `[1]`, set(["a"], 1), "misplaced", /does not hold an object/],
    ["an element that set would have to invent", `{}`, set(["a", 0], 1), "misplaced", /cannot find `a`/],
    ["half a character", `["a"]`, add([], "\ud800"), "unsafe", /could not be read/],
    ["more depth than a reader takes", `[]`, add([], deep(80)), "unsafe", /nested more than/],
  ])("%s", (_, before, change, code, message) => {
    const edited = edit(before, change);
    expect(edited).toMatchObject({ ok: false, code });
    if (!edited.ok) expect(edited.message).toMatch(message);
  });
});

function deep(levels: number): Json {
  return levels === 0 ? 1 : [deep(levels - 1)];
}

test("a patch fits only the text it was made for", () => {
  const edited = edit(`["a"]`, add([], "b"));
  if (!edited.ok) throw new Error(edited.message);
  expect(applyPatch(edited.text, edited.undo)).toBe(`["a"]`);
  expect(applyPatch(`["x"]`, edited.undo)).toBeUndefined();
  expect(edited.value).toEqual(["a", "b"]);
});
