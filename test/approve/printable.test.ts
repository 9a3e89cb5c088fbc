import { describe, expect, it } from "vitest";
import { clip, columns, fold, printable } from "../../packages/guard/src/approve/printable.ts";

describe("printable", () => {
  it.each<[what: string, text: string, shown: string]>([
    ["plain text", "/home/me/a b.txt", "/home/me/a b.txt"],
    ["a newline", "a\nb", "a\\nb"],
    ["an escape sequence", "\u001b[2J\u0007", "\\u{1b}[2J\\u{7}"],
    ["C1 controls", "\u009b2J", "\\u{9b}2J"],
    ["a bidi override", "exe.\u202etxt", "exe.\\u{202e}txt"],
    ["bidi isolates", "\u2066a\u2069", "\\u{2066}a\\u{2069}"],
    ["zero width", "a\u200bb\ufeff", "a\\u{200b}b\\u{feff}"],
    ["bytes that are no UTF-8", "caf\udce9 \udcff", "caf\\xe9 \\xff"],
    ["half a pair", "\ud83d.", "\\u{d83d}."],
    ["a no-break space", "a\u00a0b", "a\\u{a0}b"],
    ["letters of the world", "naïve 日本 Ж é", "naïve 日本 Ж é"],
    ["a mark without a letter", "\u0301a", "\\u{301}a"],
    ["few marks", "e\u0301\u0302", "e\u0301\u0302"],
    ["a heap of marks", `e${"\u0301".repeat(5)}`, "e\u0301\u0301\u0301\\u{301}\\u{301}"],
    ["tag characters", "a\u{e0041}", "a\\u{e0041}"],
  ])("%s", (_, text, shown) => expect(printable(text)).toBe(shown));

  it("cuts the middle out of very long text and says how much", () => {
    const shown = printable(`/start/${"a".repeat(10_000)}/end`, 100);
    expect(shown.length).toBeLessThan(130);
    expect(shown).toMatch(/^\/start\/a+…\(\d+ more\)…a+\/end$/);
  });

  it("does not make a byte of a pair that is cut in two", () => {
    for (let at = 0; at < 4; at++) expect(printable(`${"x".repeat(at)}${"😀".repeat(200)}`, 100)).not.toMatch(/\\[xu]/);
  });
});

it.each<[text: string, width: number]>([
  ["abc", 3],
  ["é", 1],
  ["e\u0301", 1],
  ["日本", 4],
  ["한", 2],
  ["ｗ", 2],
  ["😀", 2],
  ["Ж…│›", 4],
])("columns of %s", (text, width) => expect(columns(text)).toBe(width));

it.each<[text: string, width: number, shown: string]>([
  ["abc", 3, "abc"],
  ["abcd", 3, "ab…"],
  ["日本語", 6, "日本語"],
  ["日本語", 5, "日本…"],
  ["日本語", 4, "日…"],
  ["abc", 0, ""],
])("clip %s to %i", (text, width, shown) => expect(clip(text, width)).toBe(shown));

it("folded text keeps its beginning and its end", () => {
  const lines = fold(`/a/${"b".repeat(500)}/the-end`, 30, 3);
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(30);
  expect(lines[0]).toMatch(/^\/a\/b/);
  expect(lines.join("")).toMatch(/…b+\/the-end$/);
});

it("folded wide text keeps its end too", () => {
  const lines = fold(`${"日".repeat(200)}end`, 21, 3);
  for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(21);
  expect(lines.join("")).toMatch(/end$/);
});
