import { describe, expect, test } from "vitest";
import { planSandbox, type PlanGround, type SandboxPlan } from "../../packages/supervisor/src/engines/translate.ts";
import { DEFAULT_SETTINGS, type Policy } from "@assent/core/policy";
import { readPolicy } from "@assent/core/policy/read";

const GROUND: PlanGround = {
  home: "/Users/u",
  projectRoot: "/Users/u/p",
  cwd: "/Users/u/p",
  temp: ["/private/tmp"],
  patterns: true,
  canonical: (path) => path,
  secrets: ["/Users/u/.ssh", "/Users/u/p/.env"],
  closed: ["/Users/u/p/.git/hooks"],
};

function policyOf(text: string): Policy {
  const read = readPolicy(text, { file: "policy.jsonc", layer: "user", examples: () => [] });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const { settings, rules, operations } = read.policy;
  return { settings: { ...DEFAULT_SETTINGS, ...settings }, rules, operations, warnings: [] };
}

const planned = (permissions: object, ground: Partial<PlanGround> = {}): SandboxPlan =>
  planSandbox(policyOf(JSON.stringify({ permissions })), { ...GROUND, ...ground });

test("without rules the project and temporary folders are open, secrets and what runs later are closed", () => {
  expect(planned({})).toEqual({
    denyRead: ["/Users/u/.ssh", "/Users/u/p/.env"],
    allowWrite: ["/Users/u/p", "/private/tmp"],
    denyWrite: ["/Users/u/.ssh", "/Users/u/p/.env", "/Users/u/p/.git/hooks"],
    cannotHold: [],
    stricter: [],
  });
});

describe("a deny or an ask is a no", () => {
  test.each([
    [{ deny: ["Read(secret.txt)"] }, "denyRead", "/Users/u/p/secret.txt"],
    [{ ask: ["Read(~/notes/**)"] }, "denyRead", "/Users/u/notes"],
    [{ deny: ["Read(**/*.pem)"] }, "denyRead", { pattern: "/**/*.pem" }],
    [{ deny: ["Write(src/*.lock)"] }, "denyWrite", { pattern: "/Users/u/p/src/*.lock" }],
    [{ deny: ["Write(src/**)"] }, "denyWrite", "/Users/u/p/src"],
    [{ ask: ["Edit(package.json)"] }, "denyWrite", "/Users/u/p/package.json"],
    [{ deny: ["Delete(src/**)"] }, "denyWrite", "/Users/u/p/src"],
  ] as const)("%j: %s %s", (permissions, key, path) => {
    const plan = planned(permissions);
    expect(plan[key]).toContainEqual(path);
    expect(plan.cannotHold).toEqual([]);
  });
});

describe("an allow opens a folder, and what it cannot open is said", () => {
  test.each([
    [{ allow: ["Write(~/out/**)"] }, ["/Users/u/out"], []],
    [{ allow: ["Write(~/**)"] }, [], ["writing in /Users/u"]],
    [{ allow: ["Write(/**)"] }, [], ["Write(/**)"]],
    [{ allow: ["Write(**/*.log)"] }, [], ["Write(**/*.log)"]],
    [{ allow: ["Read(~/.ssh/**)"] }, [], ["Read(~/.ssh/**)"]],
  ] as const)("%j", (permissions, opened, stricter) => {
    const plan = planned(permissions);
    expect(plan.allowWrite).toEqual(["/Users/u/p", "/private/tmp", ...opened].toSorted());
    expect(plan.stricter).toEqual(stricter);
    expect(plan.denyRead).toContain("/Users/u/.ssh");
  });
});

describe("nothing is started under what it cannot hold", () => {
  test.each([
    [{ deny: ["Bash(curl:*)"] }, {}],
    [{ ask: ["Shell(git push ...)"] }, {}],
    [{ deny: ["open(/srv/**, _)"] }, {}],
    [{ deny: ["Read"] }, {}],
    [{ deny: ["Read(**)"] }, {}],
    [{ deny: ["Read(**/*.pem)"] }, { patterns: false }],
    [{ deny: ["Read(**/*.{pem,key})"] }, {}],
    // Its patterns know `*` alone: taken for a name, such a rule would close nothing.
    [{ deny: ["Read(secret?.txt)"] }, {}],
    [{ deny: ["Read(secret[0-9].txt)"] }, {}],
    [{ deny: ["Read(**/secret?.*)"] }, {}],
    [{ ask: ["Write(conf/[a-c]*/**)"] }, {}],
    // The folder's own name would be a part of the pattern.
    [{ deny: ["Read(*.pem)"] }, { projectRoot: "/Users/u/a*b", cwd: "/Users/u/a*b" }],
    [{}, { projectRoot: "/Users/u" }],
    [{}, { projectRoot: "/" }],
  ] as const)("%j %j", (permissions, ground) => {
    expect(planned(permissions, ground).cannotHold).not.toEqual([]);
  });

  test.each(["readonly", "strict", "none"])("the preset %s", (preset) => {
    expect(planSandbox(policyOf(JSON.stringify({ preset })), GROUND).cannotHold).not.toEqual([]);
  });
});

test("names are names, whatever characters they have: only a rule is a pattern", () => {
  const odd = "/Users/u/a*b [c]?";
  const { denyRead, allowWrite } = planned({}, { projectRoot: odd, cwd: odd, secrets: [`${odd}/.env`] });
  expect(denyRead).toEqual([`${odd}/.env`]);
  expect(allowWrite).toContain(odd);
});

test("hosts are asked for one by one, by the policy itself", () => {
  expect(planned({ allow: ["Net(a.example:443)"], deny: ["Net(b.example)"] })).toEqual(planned({}));
});
