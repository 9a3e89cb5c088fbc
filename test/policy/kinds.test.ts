import { describe, expect, test } from "vitest";
import type { Action } from "@assent/core/action";
import { callMatcher } from "../../packages/core/src/policy/call-matcher.ts";
import { matchMatcher, matchRule, ruleCovers } from "../../packages/core/src/policy/rule.ts";
import { judgingOf, type Matcher, readingOf, sampleCommands } from "@assent/core/policy/kinds";
import { patternBase, sideOf } from "../../packages/core/src/policy/match/match-context.ts";
import { readPolicy } from "@assent/core/policy/read";
import { indexOf } from "../../packages/core/src/policy/rule-index.ts";
import type { Effect, Rule } from "../../packages/core/src/policy/match/types.ts";
import { KIND_ROWS } from "./kind-rows.ts";
import { exec, execOf, matcherOf, world } from "./language.ts";
import { policy } from "./machine.ts";

const HERE = world();
const context = { world: HERE, matchCall: callMatcher(HERE) };
const BASE = patternBase(HERE, "narrow");
const read = (rule: unknown): Matcher =>
  typeof rule === "object" && rule !== null && "kind" in rule ? (rule as Matcher) : matcherOf(rule);
const written = (effect: Effect, matcher: Matcher): Rule => ({
  effect,
  matcher,
  layer: "user",
  source: { text: JSON.stringify(matcher), file: "p", line: 1, column: 1 },
});
const action = (given: string | Action): Action => (typeof given === "string" ? exec(given) : given);
const answer = (effect: Effect, matcher: Matcher, given: string | Action) => matchMatcher(matcher, action(given), sideOf(effect), context);

const ALL = Object.values(KIND_ROWS).flat();
const ACTIONS = ALL.flatMap(({ allow, deny = [], not }) => [...allow, ...deny, ...not]).map(action);

describe.each(Object.entries(KIND_ROWS))("rules of the kind %s", (kind, rows) => {
  test.each(rows)("$rule", ({ rule, allow, deny = [], not, covers = [], coversNot = [], samples = [], literal, ...row }) => {
    const matcher = read(rule);
    expect(matcher.kind).toBe(kind);
    const told = (effect: Effect, list: readonly (string | Action)[]) => list.map((one) => [one, answer(effect, matcher, one)]);
    const all = (list: readonly (string | Action)[], said: string) => list.map((one) => [one, said]);
    expect(told("allow", allow)).toEqual(all(allow, "yes"));
    expect(told("deny", [...allow, ...deny])).toEqual(all([...allow, ...deny], "yes"));
    // What only a deny rule means may be `maybe` to an allow rule, which is not enough for it.
    expect(told("allow", deny)).not.toContainEqual([expect.anything(), "yes"]);
    expect([...told("allow", not), ...told("deny", not)]).toEqual(all([...not, ...not], "no"));

    const inner = (one: string | Matcher) => written("allow", read(one));
    expect(covers.filter((one) => !ruleCovers(written("allow", matcher), inner(one), BASE))).toEqual([]);
    expect(coversNot.filter((one) => ruleCovers(written("allow", matcher), inner(one), BASE))).toEqual([]);

    expect(sampleCommands(matcher).map((argv) => argv.join(" "))).toEqual(samples);
    expect(judgingOf(matcher).names.literal(matcher)).toBe(literal);

    const kindOfRule = readingOf(matcher);
    expect(kindOfRule.isEverything(matcher)).toBe(row.everything === true);
    expect(kindOfRule.prefixes(matcher).map((words) => words.join(" "))).toEqual(row.prefixes ?? []);
    expect(kindOfRule.programs(matcher)).toEqual(row.programs ?? []);
    const refusals = kindOfRule.refusals(matcher);
    expect("why" in refusals ? refusals.why : refusals).toEqual(row.refusals);
    if (row.example !== undefined) {
      const [match, notMatch] = row.example;
      const entry = typeof rule === "string" ? { rule, match: [match], notMatch: [notMatch] } : undefined;
      const text = JSON.stringify({ permissions: { deny: [entry] } });
      const result = readPolicy(text, { file: "p", layer: "user", examples: (command) => [exec(command)] });
      expect(result).toMatchObject({ ok: true, warnings: [] });
    }
  });
});

describe.each(ALL.map(({ rule }) => read(rule)))("$kind: every rule", (matcher) => {
  test("is the same when it comes out of the cache", () => {
    const kept = JSON.parse(JSON.stringify(matcher)) as Matcher;
    expect(kept).toEqual(matcher);
    for (const each of ACTIONS) expect(answer("deny", kept, each)).toBe(answer("deny", matcher, each));
  });

  test("matches the commands it gives as samples", () => {
    for (const argv of sampleCommands(matcher)) {
      const asCommand = execOf(argv.map((text) => ({ known: true, text })));
      const given =
        matcher.kind === "call" ? { ...asCommand, call: { name: matcher.name, args: [`/usr/bin/${argv[0]}`, argv] } } : asCommand;
      expect([argv, answer("allow", matcher, given)]).toEqual([argv, "yes"]);
    }
  });

  test("covers nothing that it does not match, and itself", () => {
    for (const effect of ["allow", "ask", "deny"] as const) {
      expect(ruleCovers(written(effect, matcher), written(effect, matcher), BASE)).toBe(true);
      for (const other of ALL.map(({ rule }) => written(effect, read(rule)))) {
        if (!ruleCovers(written(effect, matcher), other, BASE)) continue;
        for (const each of ACTIONS)
          if (matchRule(other, each, context) === "yes") expect([other.source.text, each, answer(effect, matcher, each)]).toContain("yes");
      }
    }
  });
});

test("the index finds what a walk over all rules finds", () => {
  // More of each kind than are tried one after the other.
  const fill = Array.from({ length: 20 }, (_, at) => [
    `Bash(fill${at}:*)`,
    `Shell(fill${at} ...)`,
    `Read(fill/${at}/**)`,
    `Exec(/fill/${at})`,
    `Net(fill${at}.com)`,
    `mcp__fill${at}__*`,
    `delete(/fill/${at})`,
  ]).flat();
  const rules = [...fill, ...ALL.map(({ rule }) => rule)].map(read);
  const whole = { ...policy(), rules: (["allow", "ask", "deny"] as const).flatMap((effect) => rules.map((each) => written(effect, each))) };
  const index = indexOf(whole);
  for (const each of ACTIONS)
    for (const effect of ["allow", "ask", "deny"] as const) {
      const found = index[effect].matching(each, "possible", context);
      const speaking = whole.rules.filter((rule) => rule.effect === effect && matchRule(rule, each, context) !== "no");
      expect([each, speaking.filter((rule) => !found.includes(rule)).map(({ source }) => source.text)]).toEqual([each, []]);
    }
});
