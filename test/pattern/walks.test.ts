import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bindPattern,
  covers,
  expandsTo,
  genericInstances,
  genericWord,
  globRegion,
  hostCovers,
  hostMatches,
  matchesSegments,
  matchesText,
  overlaps,
  pathPattern,
  patternCovers,
  reachOf,
  shellGlob,
  walk,
  wordGlob,
} from "@assent/core/pattern";
import { segmentsOf } from "@assent/core/path";
import { positionsAfter, type Steps } from "../../packages/core/src/pattern/walk.ts";

/** `*` is a run, `.` any letter, other letters themselves. */
const LETTERS: Steps<string, string> = {
  isRun: (element) => element === "*",
  accepts: (element, item) => element === "." || element === item,
};

/** What both walks have to say, by trying everything. */
function takes([element, ...elements]: readonly string[], items: readonly string[]): boolean {
  if (element === undefined) return items.length === 0;
  const [item, ...rest] = items;
  if (element === "*") return takes(elements, items) || (item !== undefined && takes([element, ...elements], rest));
  return item !== undefined && LETTERS.accepts(element, item) && takes(elements, rest);
}

describe("the two walks", () => {
  const cases: readonly (readonly [elements: string, items: string, takes: boolean])[] = [
    ["", "", true],
    ["", "a", false],
    ["*", "", true],
    ["*", "ab", true],
    ["**", "", true],
    ["a", "", false],
    ["a*", "a", true],
    ["a*b", "ab", true],
    ["a*b", "aab", true],
    ["a*b", "aba", false],
    ["a*b*", "acb", true],
    ["*ab", "aab", true],
    ["*a.b", "aaab", true],
    ["*a*b*c", "abcabc", true],
    ["*a*b*c", "cba", false],
    [".", "", false],
    ["..", "ab", true],
  ];
  it.each(cases)("%s over %s: %s", (elements, items, expected) => {
    expect(walk([...elements], [...items], LETTERS)).toBe(expected);
    expect(positionsAfter([...elements], [...items], LETTERS).has(elements.length)).toBe(expected);
  });

  const elements = fc.array(fc.constantFrom("a", "b", ".", "*"), { maxLength: 7 });
  const items = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });

  it("say the same, and what trying everything says", () => {
    fc.assert(
      fc.property(elements, items, (pattern, letters) => {
        const expected = takes(pattern, letters);
        expect(walk(pattern, letters, LETTERS)).toBe(expected);
        expect(positionsAfter(pattern, letters, LETTERS).has(pattern.length)).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });

  it("take at most (elements) x (items) steps", () => {
    fc.assert(
      fc.property(elements, items, (pattern, letters) => {
        const most = (pattern.length + 1) * (letters.length + 1);
        const [one, all] = [{ steps: 0 }, { steps: 0 }];
        walk(pattern, letters, LETTERS, one);
        positionsAfter(pattern, letters, LETTERS, all);
        expect(one.steps).toBeLessThanOrEqual(2 * most);
        expect(all.steps).toBeLessThanOrEqual(most);
      }),
      { numRuns: 2000 },
    );
  });
});

/** All texts of up to four of these letters. */
const TEXTS = [0, 1, 2, 3].reduce<readonly string[]>(
  (all) => [...new Set([...all, ...all.flatMap((text) => ["a", "b", "c"].map((c) => text + c))])],
  [""],
);

// A set of several characters is said by its neutral sample not to mean any of them, so samples have none.
const unit = fc.constantFrom("a", "b", "*", "?", "[a]", "[!b]");
const word = fc.array(unit, { maxLength: 5 }).map((units) => units.join(""));
/** A set also stands for its own spelling; what covers another is asked of the set. */
const plainWord = fc.array(fc.constantFrom("a", "b", "*", "?"), { maxLength: 5 }).map((units) => units.join(""));

describe("words", () => {
  const cases: readonly (readonly [a: string, b: string, covers: boolean, overlaps: boolean])[] = [
    ["*", "a*", true, true],
    ["a*", "*", false, true],
    ["a*", "b*", false, false],
    ["a*b", "a?b", true, true],
    ["a?b", "a*b", false, true],
    ["a", "a", true, true],
    ["a", "b", false, false],
    // True, and not proved: a run of the narrower one meets only a run.
    ["??*", "a*b", false, true],
    ["*a", "b*", false, true],
    ["[ab]c", "[a]c", true, true],
    ["[ab]c", "[b-d]c", false, true],
    ["[a]c", "[b]c", false, false],
    ["?", "*", false, true],
  ];
  it.each(cases)("%s and %s: covers %s, overlaps %s", (a, b, covering, meeting) => {
    expect(covers(wordGlob(a), wordGlob(b))).toBe(covering);
    expect(overlaps(wordGlob(a), wordGlob(b))).toBe(meeting);
    expect(overlaps(wordGlob(b), wordGlob(a))).toBe(meeting);
  });

  it("a sample of a pattern matches it", () => {
    const check = fc.check(fc.property(word, (pattern) => matchesText(pattern, genericWord(pattern))));
    expect(check.counterexample).toBeNull();
  });

  it("what covers another matches its sample and all its texts", () => {
    fc.assert(
      fc.property(word, plainWord, (outer, inner) => {
        if (!covers(wordGlob(outer), wordGlob(inner))) return;
        for (const text of [genericWord(inner), ...TEXTS.filter((one) => matchesText(inner, one))])
          expect([outer, inner, text, matchesText(outer, text)]).toEqual([outer, inner, text, true]);
      }),
      { numRuns: 2000 },
    );
  });

  it("overlapping goes both ways, and is said of all that share a text", () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const meeting = overlaps(wordGlob(a), wordGlob(b));
        expect(overlaps(wordGlob(b), wordGlob(a))).toBe(meeting);
        if (covers(wordGlob(a), wordGlob(b))) expect(meeting).toBe(true);
        const shared = TEXTS.find((text) => matchesText(a, text) && matchesText(b, text));
        if (shared !== undefined) expect([a, b, shared, meeting]).toEqual([a, b, shared, true]);
      }),
      { numRuns: 2000 },
    );
  });
});

const BASE = { project: "/a/b", home: "/c", fold: false };
const name = fc.constantFrom("a", "b", "*", "**", "a*", "?");
const path = fc.array(name, { maxLength: 4 }).map((names) => `/${names.join("/")}`);
/** All paths of up to three of these names. */
const PATHS = [0, 1, 2].reduce<readonly string[]>(
  (all) => [...new Set([...all, ...all.flatMap((one) => ["a", "b", "ab", ".a"].map((next) => `${one === "/" ? "" : one}/${next}`))])],
  ["/"],
);

function matchesPath(pattern: string, text: string): boolean {
  const read = pathPattern(pattern);
  return read.ok && matchesSegments(bindPattern(read.value, BASE), segmentsOf(text));
}

describe("paths", () => {
  const cases: readonly (readonly [outer: string, inner: string, covers: boolean])[] = [
    ["/**", "/a/*", true],
    ["/a/**", "/a", true],
    ["/a/*", "/a/**", false],
    ["**/a", "/b/*/a", true],
    ["/a/*/b", "/a/**/b", false],
    ["/a/**/b", "/a/*/b", true],
    ["~/**", "/c/a", true],
    ["x/**", "/a/b/x/y", true],
  ];
  it.each(cases)("%s covers %s: %s", (outer, inner, expected) => expect(patternCovers(outer, inner, BASE)).toBe(expected));

  it("a sample of a pattern matches it", () => {
    fc.assert(
      fc.property(path, (pattern) => {
        for (const sample of genericInstances(pattern, BASE))
          expect([pattern, sample, matchesPath(pattern, sample)]).toEqual([pattern, sample, true]);
      }),
    );
  });

  it("what covers another matches its samples and all its paths", () => {
    fc.assert(
      fc.property(path, path, (outer, inner) => {
        if (!patternCovers(outer, inner, BASE)) return;
        for (const text of [...genericInstances(inner, BASE), ...PATHS.filter((one) => matchesPath(inner, one))])
          expect([outer, inner, text, matchesPath(outer, text)]).toEqual([outer, inner, text, true]);
      }),
      { numRuns: 2000 },
    );
  });

  it("a region that a pattern cannot meet has no path of it, and meeting goes both ways", () => {
    const meets = (pattern: string, region: string): boolean => {
      const read = pathPattern(pattern);
      return read.ok && reachOf(bindPattern(read.value, BASE), globRegion(segmentsOf(region), false)).all !== "no";
    };
    fc.assert(
      fc.property(path, path, (a, b) => {
        expect([a, b, meets(b, a)]).toEqual([a, b, meets(a, b)]);
        const shared = PATHS.find((one) => matchesPath(a, one) && matchesPath(b, one));
        if (shared !== undefined) expect([a, b, shared, meets(a, b)]).toEqual([a, b, shared, true]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("what a shell expands", () => {
  const cases: readonly (readonly [pattern: string, path: string, recursive: boolean, expands: boolean])[] = [
    ["/a/*", "/a/b", false, true],
    ["/a/*", "/a/.b", false, false],
    ["/a/.*", "/a/.b", false, true],
    ["/a/*", "/a/b/c", false, false],
    ["/a/*", "/a/b/c", true, true],
    ["/a/*", "/a/b/.c", true, true],
    ["/a/*", "/a", true, false],
    ["/a/**", "/a/b/c", false, true],
    ["/a/**/c", "/a/.b/c", false, false],
    ["/a/**/c", "/a/b/b/c/.d", true, true],
    ["/a", "/a", false, true],
    ["/a", "/a/b", true, false],
  ];
  it.each(cases)("%s to %s (recursive: %s): %s", (pattern, text, recursive, expected) =>
    expect(expandsTo(pattern, text, recursive)).toBe(expected),
  );

  it("is what the path pattern matches, but for hidden names", () => {
    const some = fc.array(fc.constantFrom("a", "ab"), { minLength: 1, maxLength: 4 }).map((names) => `/${names.join("/")}`);
    const glob = fc.array(fc.constantFrom("a", "*", "a*", "?"), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(glob, some, (names, text) => {
        const pattern = `/${names.join("/")}`;
        expect(expandsTo(pattern, text, false)).toBe(matchesPath(pattern, text));
        expect(expandsTo(pattern, text, true)).toBe(
          matchesPath(pattern, text) || (names.some((one) => shellGlob(one).literal === undefined) && matchesPath(`${pattern}/**`, text)),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

describe("hosts", () => {
  const HOSTS = ["com", "a.com", "b.a.com", "c.b.a.com", "xa.com", "b.com"];
  const pattern = fc.record({ host: fc.constantFrom("*", ...HOSTS, ...HOSTS.map((host) => `*.${host}`)), subdomains: fc.boolean() });

  it("what covers another matches all its hosts", () => {
    const check = fc.check(
      fc.property(pattern, pattern, (outer, inner) => {
        const own = HOSTS.filter((host) => hostMatches(inner.host, inner.subdomains, host));
        return !hostCovers(outer, inner) || own.every((host) => hostMatches(outer.host, outer.subdomains, host));
      }),
      { numRuns: 2000 },
    );
    expect(check.counterexample).toBeNull();
  });
});
