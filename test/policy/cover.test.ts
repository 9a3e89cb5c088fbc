import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Action, ExecAction } from "@assent/core/action";
import { matchRule, ruleCovers } from "../../packages/core/src/policy/rule.ts";
import { patternBase } from "../../packages/core/src/policy/match/match-context.ts";
import { parseRule } from "../../packages/core/src/policy/parse-rule.ts";
import type { Effect, Rule } from "../../packages/core/src/policy/match/types.ts";
import { lowerShell } from "@assent/core/shell";
import { world } from "./language.ts";

const HERE = world({});
const BASE = patternBase(HERE, "narrow");

function rule(effect: Effect, text: string): Rule | undefined {
  const parsed = parseRule(text);
  return parsed.ok ? { effect, matcher: parsed.matcher, layer: "user", source: { text, file: "p", line: 1, column: 1 } } : undefined;
}

const effects = fc.constantFrom<Effect>("allow", "ask", "deny");
const words = fc.array(fc.constantFrom("git", "push", "-f", "--force", "origin", "x", "*", "**", "~"), { maxLength: 3 });
const commandRule = fc.oneof(
  fc
    .tuple(fc.constantFrom("git", "rm", "frob", "*"), words, fc.boolean())
    .map(([program, rest, open]) => `Bash(${[program, ...rest].join(" ")}${open ? ":*" : ""})`),
  fc
    .tuple(
      fc.constantFrom("git", "{git,rm}", "frob", "g*", "*", "!rm"),
      fc.array(fc.constantFrom("push", "{push,x}", "p*", "...", "-f", "--force", "!-f", "?-f", "!{x,y}", "origin"), { maxLength: 3 }),
      fc.constantFrom("", " !...", " !-*"),
    )
    .map(([program, rest, end]) => `Shell(${[program, ...rest].join(" ")}${end})`),
);
const line = fc
  .tuple(
    fc.constantFrom("git", "rm", "frob", "/usr/bin/git"),
    fc.array(fc.constantFrom("push", "-f", "--force", "origin", "x", "y", "-C", "~", "--"), { maxLength: 4 }),
  )
  .map((all) => all.flat().join(" "));
const segment = fc.constantFrom("src", "a", "*", "**", "?", "[ab]", "*.ts", "a.ts", ".env", "{src,lib}", "..");
const pathRule = fc
  .tuple(fc.constantFrom("Read", "Edit", "Write"), fc.constantFrom("", "/", "~/", "**/"), fc.array(segment, { minLength: 1, maxLength: 3 }))
  .map(([name, start, all]) => `${name}(${start}${all.join("/")})`);
const path = fc
  .tuple(
    fc.constantFrom(HERE.projectRoot, HERE.home, "", "/src"),
    fc.array(fc.constantFrom("src", "a", "b", "a.ts", ".env", "[ab]", "lib"), { minLength: 1, maxLength: 3 }),
  )
  .map(([start, all]) => `${start}/${all.join("/")}`);

/** INVARIANT: what is called covered is covered: whatever the inner rule surely matches, the outer one surely matches. */
function holds(outer: Rule, inner: Rule, actions: readonly Action[]): void {
  for (const action of actions) {
    const given = matchRule(inner, action, { world: HERE });
    if (given === "no") continue;
    const answer = matchRule(outer, action, { world: HERE });
    expect([outer.effect, outer.source.text, inner.effect, inner.source.text, given, answer]).toEqual([
      outer.effect,
      outer.source.text,
      inner.effect,
      inner.source.text,
      given,
      given === "yes" ? "yes" : expect.stringMatching(/yes|maybe/),
    ]);
  }
}

describe("one rule covers another", () => {
  it("commands", () => {
    let proved = 0;
    fc.assert(
      fc.property(effects, commandRule, effects, commandRule, fc.array(line, { minLength: 8, maxLength: 8 }), (e1, one, e2, two, lines) => {
        const [outer, inner] = [rule(e1, one), rule(e2, two)];
        if (outer === undefined || inner === undefined || !ruleCovers(outer, inner, BASE)) return;
        proved += 1;
        const execs = lines
          .flatMap((text) => lowerShell(text, { world: HERE }).actions)
          .filter((action): action is ExecAction => action.kind === "exec");
        holds(outer, inner, execs);
      }),
      { numRuns: 6000 },
    );
    expect(proved).toBeGreaterThan(50);
  });

  it("paths", () => {
    let proved = 0;
    fc.assert(
      fc.property(effects, pathRule, effects, pathRule, fc.array(path, { minLength: 12, maxLength: 12 }), (e1, one, e2, two, paths) => {
        const [outer, inner] = [rule(e1, one), rule(e2, two)];
        if (outer === undefined || inner === undefined || !ruleCovers(outer, inner, BASE)) return;
        proved += 1;
        const actions = paths.flatMap((at) =>
          (["read", "edit", "write", "delete"] as const).map((operation): Action => ({
            kind: "file",
            operation,
            target: { kind: "path", path: at },
            origin: { by: "tool" },
          })),
        );
        holds(outer, inner, actions);
      }),
      { numRuns: 6000 },
    );
    expect(proved).toBeGreaterThan(50);
  });

  it("an allow covers no deny: it matches fewer spellings", () => {
    const [allow, deny] = [rule("allow", "Bash(git push:*)"), rule("deny", "Bash(git push:*)")];
    if (allow === undefined || deny === undefined) throw new Error("no rules");
    expect(ruleCovers(allow, deny, BASE)).toBe(false);
    expect(ruleCovers(deny, allow, BASE)).toBe(true);
  });

  it("a project's own allow covers that project's rules only", () => {
    const one = rule("allow", "Bash(git:*)");
    const two = rule("allow", "Bash(git push:*)");
    if (one === undefined || two === undefined) throw new Error("no rules");
    const project = { ...one, layer: "project" as const, root: "/p" };
    expect(ruleCovers(project, two, BASE)).toBe(false);
    expect(ruleCovers(project, { ...two, layer: "project", root: "/p" }, BASE)).toBe(true);
    expect(ruleCovers(one, two, BASE)).toBe(true);
  });
});
