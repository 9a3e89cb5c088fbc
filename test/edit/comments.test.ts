import { describe, expect, test } from "vitest";
import { applyPatch, edit, type Edit } from "@assent/core/edit";

type Insert = Omit<Extract<Edit, { readonly do: "insert" }>, "do" | "list">;

const ROWS: readonly (readonly [what: string, before: string, change: Insert, after: string])[] = [
  [
    "above it, where items have lines",
    '{\n  "a": [\n    1 // one\n  ]\n}',
    { place: "end", value: 2, comment: "two" },
    '{\n  "a": [\n    1, // one\n    // two\n    2\n  ]\n}',
  ],
  [
    "several",
    '{\n  "a": [\n    1,\n  ]\n}',
    { place: "end", value: 2, comment: "two", also: [{ value: 3 }, { value: 4, comment: "four" }] },
    '{\n  "a": [\n    1,\n    // two\n    2,\n    3,\n    // four\n    4,\n  ]\n}',
  ],
  [
    "in front",
    '{\n  "a": [\n    // one\n    1\n  ]\n}',
    { place: { before: 0 }, value: 0, comment: "zero" },
    '{\n  "a": [\n    // zero\n    0,\n    // one\n    1\n  ]\n}',
  ],
  ["into an empty list", '{\n  "a": []\n}', { place: "end", value: 1, comment: "one" }, '{\n  "a": [\n    // one\n    1\n  ]\n}'],
  [
    "on one line",
    '{ "a": [1] }',
    { place: "end", value: 2, comment: "two */ x", also: [{ value: 3 }] },
    '{ "a": [1, /* two * / x */ 2, 3] }',
  ],
  [
    "a comment stays one line, whatever is in it",
    '{\n  "a": [\n    1\n  ]\n}',
    { place: "end", value: 2, comment: 'a\n"b": 3,\r\u2028x\u001b' },
    '{\n  "a": [\n    1,\n    // a "b": 3, x\n    2\n  ]\n}',
  ],
];

describe("a new item brings a comment", () => {
  test.each(ROWS)("%s", (_, before, change, after) => {
    const edited = edit(before, { do: "insert", list: ["a"], ...change });
    expect(edited).toMatchObject({ ok: true, text: after });
    expect(edited.ok && applyPatch(edited.text, edited.undo)).toBe(before);
  });

  test("and takes it along when it goes", () => {
    const before = '{\n  "a": [\n    1\n  ]\n}';
    const edited = edit(before, { do: "insert", list: ["a"], place: "end", value: 2, comment: "two" });
    expect(edited.ok && edit(edited.text, { do: "remove", path: ["a", 1] })).toMatchObject({ ok: true, text: before });
  });
});
