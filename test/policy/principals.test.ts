import { describe, expect, it } from "vitest";
import { type Effect, joinLayers, type Policy, policyFor, ruleCovers, sayWhen, type Who } from "@assent/core/policy";
import { readPolicy } from "@assent/core/policy/read";
import { patternBase } from "../../packages/core/src/policy/match/match-context.ts";
import { machine } from "./machine.ts";

const file = (permissions: unknown) => readPolicy(JSON.stringify({ permissions }), { file: "policy", layer: "user" });

function policyOf(permissions: unknown): Policy {
  const read = file(permissions);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join());
  return joinLayers([read]);
}

/** What is left of one rule for somebody. */
const left = (effect: Effect, when: object, who: Who): string => {
  const policy = policyOf({ [effect]: [{ rule: "Bash(make:*)", when }] });
  return policyFor(policy, () => who).rules.map((rule) => rule.effect)[0] ?? "nothing";
};

const DEV: Who = { user: "ann", tenant: "t1", roles: ["dev"], agents: ["claude"], session: "s1" };
const SUB: Who = { ...DEV, agents: ["reviewer", "claude"] };
const NOBODY: Who = {};

type Row = readonly [when: object, who: Who, allow: string, ask: string, deny: string];

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  "every kind of name, alone and in a list": [
    [{ user: "ann" }, DEV, "allow", "ask", "deny"],
    [{ user: ["bob", "ann"] }, DEV, "allow", "ask", "deny"],
    [{ tenant: "t1" }, DEV, "allow", "ask", "deny"],
    [{ role: "dev" }, DEV, "allow", "ask", "deny"],
    [{ agent: "claude" }, DEV, "allow", "ask", "deny"],
    [{ session: "s1" }, DEV, "allow", "ask", "deny"],
  ],
  "somebody else": [
    [{ user: "bob" }, DEV, "nothing", "nothing", "nothing"],
    [{ tenant: "t2" }, DEV, "nothing", "nothing", "nothing"],
    [{ role: ["ops", "admin"] }, DEV, "nothing", "nothing", "nothing"],
    [{ agent: "codex" }, DEV, "nothing", "nothing", "nothing"],
    [{ session: "s2" }, DEV, "nothing", "nothing", "nothing"],
  ],
  "names are compared letter by letter, those of agents folded": [
    [{ user: "Ann" }, DEV, "nothing", "nothing", "nothing"],
    [{ user: "an*" }, DEV, "nothing", "nothing", "nothing"],
    [{ agent: "Claude " }, DEV, "allow", "ask", "deny"],
  ],
  "all that is said must be right": [
    [{ user: "ann", role: "dev" }, DEV, "allow", "ask", "deny"],
    [{ user: "ann", role: "ops" }, DEV, "nothing", "nothing", "nothing"],
    [{ user: "bob", role: "dev" }, DEV, "nothing", "nothing", "nothing"],
  ],
  "one of several roles is enough, and no role is one that is known": [
    [{ role: "ops" }, { roles: ["dev", "ops"] }, "allow", "ask", "deny"],
    [{ role: "ops" }, { roles: [] }, "nothing", "nothing", "nothing"],
  ],
  "of whom it is not known: an allow does not hold, a deny asks": [
    [{ role: "dev" }, NOBODY, "nothing", "ask", "ask"],
    [{ role: "dev" }, { user: "ann" }, "nothing", "ask", "ask"],
    [{ user: "ann", role: "dev" }, { user: "ann" }, "nothing", "ask", "ask"],
    [{ user: "bob", role: "dev" }, { user: "ann" }, "nothing", "nothing", "nothing"],
  ],
  "a sub-agent has its own name; what is held against its agent is held against it": [
    [{ agent: "reviewer" }, SUB, "allow", "ask", "deny"],
    [{ agent: "claude" }, SUB, "nothing", "ask", "deny"],
  ],
};

describe.each(Object.entries(ROWS))("%s", (_, rows) => {
  it.each(rows)("%j", (when, who, allow, ask, deny) => {
    expect([left("allow", when, who), left("ask", when, who), left("deny", when, who)]).toEqual([allow, ask, deny]);
  });
});

describe("rules with conditions among others", () => {
  const policy = policyOf({
    allow: ["Bash(ls:*)", { rule: "Bash(make:*)", when: { role: "dev" } }],
    deny: [{ tool: "Bash", command: "sed", when: { hasOption: "-i", user: "bob" } }],
  });
  it("keep the others, in their order, whoever asks", () => {
    const texts = (who: Who): readonly string[] =>
      policyFor(policy, () => who).rules.map(({ effect, matcher }) => `${effect} ${matcher.kind}`);
    expect(texts(DEV)).toEqual(["allow bash", "allow bash"]);
    expect(texts({ user: "bob", roles: [] })).toEqual(["allow bash", "deny option"]);
    expect(policy.rules.map(({ effect }) => effect)).toEqual(["allow", "ask"]);
  });
  it("are the same policy for all for whom the same rules hold", () => {
    expect(policyFor(policy, () => ({ user: "u1", roles: ["dev"] }))).toBe(policyFor(policy, () => ({ user: "u2", roles: ["dev", "x"] })));
  });
  it("cost nothing where there are none", () => {
    const plain = policyOf({ allow: ["Bash(ls:*)"] });
    expect(policyFor(plain, () => expect.fail("nobody need be known"))).toBe(plain);
  });
});

describe("what a rule is about counts where rules are compared", () => {
  const one = (when?: object) => policyOf({ allow: [{ rule: "Bash(make:*)", ...(when && { when }) }] });
  const rule = (when?: object) => {
    const { conditional, rules } = one(when);
    const [first] = conditional ?? rules;
    if (first === undefined) throw new Error("no rule");
    return first;
  };
  it.each([
    [undefined, undefined, true],
    [undefined, { role: "dev" }, true],
    [{ role: "dev" }, undefined, false],
    [{ role: ["dev", "ops"] }, { role: "dev" }, true],
    [{ role: "dev" }, { role: ["dev", "ops"] }, false],
    [{ role: "dev" }, { role: "dev", user: "ann" }, true],
    [{ user: "ann" }, { role: "dev" }, false],
  ])("%j covers %j: %j", (outer, inner, expected) => {
    expect(ruleCovers(rule(outer), rule(inner), patternBase(machine([]), "narrow"))).toBe(expected);
  });
  it("is said in words", () => {
    expect(sayWhen({ role: ["dev", "ops"], user: ["ann"] })).toBe("for the user ann and the role dev or ops");
  });
});

describe("a condition that is wrong is an error of the file, with its place", () => {
  it.each([
    [{ rule: "Bash(ls)", when: { rolle: "dev" } }, "unknown key `rolle`"],
    [{ rule: "Bash(ls)", when: {} }, "says nothing"],
    [{ rule: "Bash(ls)", when: { role: [] } }, "the list is empty"],
    [{ rule: "Bash(ls)", when: { role: "" } }, "the text is empty"],
    [{ rule: "Bash(ls)", when: { role: 3 } }, "must be a text or a list of texts"],
    [{ rule: "Bash(ls)", when: "dev" }, "must be an object"],
    [{ rule: "Bash(ls)", when: { hasOption: "-i" } }, "unknown key `hasOption`"],
  ])("%j", (rule, message) => {
    const read = file({ allow: [rule] });
    expect(read.ok ? [] : read.problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });
});
