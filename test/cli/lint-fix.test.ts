import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixRules } from "../../packages/assent/src/cli/lint.ts";
import { inspect } from "@assent/guard/inspect";
import { type Finding, lint } from "@assent/guard/lint";
import { assent, engine, scratch, type Scratch } from "../scratch.ts";

const USER = "~/.agent-permissions.jsonc";
const FIX = ["lint", "--fix", "--yes"];
const text = (path: string): string => readFileSync(path, "utf8");
const found = ({ machine, project }: Scratch): readonly Finding[] => lint(inspect({ machine, cwd: project, own: engine.own }));

/** A file as a person keeps it; `push` is how the rules of other tools are written in it. */
const kept = (push: string, hg: string): string => `// mine
{
  permissions: {
    // the order is for readers
    allow: ["Bash(npm test:*)", "Bash(make *)"],
    deny: [
      "Read(**/*.pem)",
      "${push}", // never from here
      { reason: "a 'quoted' reason", rule: "${hg}", },
      /* last */ "Bash(cargo publish:*)",
    ],
    ask: ["Bash(docker:*)", "${push}"],
  },
}
`;

describe("assent lint --fix", () => {
  it("rewrites the rules of other tools and leaves every other byte", () => {
    const place = scratch();
    const file = place.write(USER, kept("Bash(git push *)", "Bash(hg push * *)"));
    const { status, stderr } = assent(place, FIX);
    expect(text(file)).toBe(kept("Bash(git push:*)", "Bash(hg push:*)"));
    expect(stderr).toContain("~/.agent-permissions.jsonc:8\n- Bash(git push *)\n+ Bash(git push:*)\n");
    expect(stderr).toContain("- Bash(hg push * *)\n+ Bash(hg push:*)\n");
    // What is left to say is said of the new file.
    expect([status, found(place).map(({ code, rule }) => `${code} ${rule}`)]).toEqual([1, expect.arrayContaining(["AL027 Bash(make *)"])]);
    expect(found(place).some(({ code }) => code === "AL025")).toBe(false);
  });

  it("does it in the project's file and behind a link, too", () => {
    const place = scratch();
    const project = place.write(".agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(git push *)"] } }');
    const real = place.write("~/dotfiles/policy.jsonc", '{ "permissions": { "ask": ["Bash(make *)"] } }');
    symlinkSync(real, join(place.home, ".agent-permissions.jsonc"));
    assent(place, FIX);
    expect([text(project), text(real)]).toEqual([
      '{ "permissions": { "deny": ["Bash(git push:*)"] } }',
      '{ "permissions": { "ask": ["Bash(make:*)"] } }',
    ]);
  });

  it.each<readonly [why: string, permissions: Readonly<Record<string, readonly unknown[]>>, says: string]>([
    ["it would allow more", { allow: ["Bash(make *)"] }, "Bash(make *) is left as it is: it would allow more"],
    ["it would allow more, in many words", { allow: ["Bash(git push * *)", "Bash(make:*)"] }, "it would allow more"],
    ["nothing is in that style", { deny: ["Bash(git push:*)", "Read(*)", "Shell(make *)"] }, "nothing to rewrite"],
    ["another rule stops the rest", { deny: ["Bash(git push *)", "Bash(git push:*)"] }, "nothing to rewrite"],
    ["there are no rules", {}, "nothing to rewrite"],
  ])("writes nothing where %s, and says so", (_, permissions, says) => {
    const place = scratch();
    const before = JSON.stringify({ permissions });
    const file = place.write(USER, before);
    expect(assent(place, FIX).stderr).toContain(says);
    expect(text(file)).toBe(before);
  });

  it("never changes an allow rule, whatever stands beside it", () => {
    const place = scratch();
    const file = place.write(USER, '{ "permissions": { "allow": ["Bash(make *)"], "ask": ["Bash(make *)"], "deny": ["Bash(make *)"] } }');
    assent(place, FIX);
    expect(text(file)).toContain('"allow": ["Bash(make *)"]');
    expect(text(file)).toContain('"deny": ["Bash(make:*)"]');
  });

  it("leaves a broken file as it is, and says where it is broken", () => {
    const place = scratch();
    const before = '{ "permissions": { "deny": ["Bash(git push *)", "Bash(" ] } }';
    const file = place.write(USER, before);
    const { status, stdout } = assent(place, FIX);
    expect([status, text(file)]).toEqual([1, before]);
    expect(stdout).toContain("~/.agent-permissions.jsonc:1");
  });

  it("leaves a file that is neither the person's nor the project's", () => {
    const place = scratch();
    const before = '{ "permissions": { "deny": ["Bash(git push *)"] } }';
    const file = place.write("team.jsonc", before);
    expect(assent(place, [...FIX, "team.jsonc"]).stderr).toContain("neither yours nor this project's");
    expect(text(file)).toBe(before);
  });

  it("asks, and where nobody can be asked writes nothing", () => {
    const place = scratch();
    const before = '{ "permissions": { "deny": ["Bash(git push *)"] } }';
    const file = place.write(USER, before);
    const { status, stderr } = assent(place, ["lint", "--fix"]);
    expect([status, text(file)]).toEqual([1, before]);
    expect(stderr).toContain("--yes rewrites without asking");
  });

  it("prints nothing but JSON with --json", () => {
    const place = scratch();
    place.write(USER, '{ "permissions": { "deny": ["Bash(git push *)"] } }');
    const { status, stdout } = assent(place, [...FIX, "--json"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ warnings: 0, findings: [] });
  });
});

describe("a file that changed after it was looked at", () => {
  const before = `{ "permissions": {\n"allow": ["Bash(make:*)"],\n"deny": ["Bash(git push *)"] } }`;
  it.each<readonly [what: string, now: string, after: string, outcome: "done" | "not"]>([
    ["a rule more", before.replace("push *)", 'push *)", "Read(x)'), before.replace("push *)", 'push:*)", "Read(x)'), "done"],
    ["the rule is gone", before.replace("push *)", "pull:*)"), before.replace("push *)", "pull:*)"), "not"],
    ["the rule is an allow rule", before.replace("deny", "allow").replace("allow", "ask"), "", "not"],
    ["it moved", `\n\n\n${before}`, `\n\n\n${before}`, "not"],
    ["it is broken", before.slice(0, -2), before.slice(0, -2), "not"],
    ["it is empty", "", "", "not"],
    ["it is another", "{}", "{}", "not"],
  ])("%s: nothing of it is lost", async (_, now, after, outcome) => {
    const place = scratch();
    const file = place.write(USER, before);
    const looked = found(place);
    expect(looked.map(({ rewrite }) => rewrite)).toContain("Bash(git push:*)");
    place.write(USER, now);
    expect(await fixRules(looked, { machine: place.machine, cwd: place.project, yes: true })).toBe(outcome);
    expect(text(file)).toBe(after === "" ? now : after);
  });
});
