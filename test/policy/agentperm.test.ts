import { describe, expect, test } from "vitest";
import type { Action, Argument, Unknown } from "@assent/core/action";
import { argument, exec, execOf, file, tool } from "./language.ts";
import { command, judged, line, redirect, script, type Written } from "./machine.ts";

/** `"preset": "none"`: agentperm's verdicts, at the level of actions. Parsing them is the shell's part. */
function none(actions: readonly Action[] | Action, written: Written = {}, unknowns: readonly Unknown[] = []) {
  return judged(actions, { ...written, settings: { preset: "none" } }, { unknowns });
}

const words = (text: string): readonly Argument[] => text.split(" ").map((word) => ({ known: true, text: word }));
const builtin = { builtin: true } as const;
const cat = command("cat f", file("read f"));
const weird = [exec("weird")];

test("A1: four verdicts, each with a reason", () => {
  expect(none(weird, { allow: ["Bash(weird)"] })).toMatchObject({ decision: "allow", reason: "the rule 'Bash(weird)' allows this" });
  expect(none(weird, { ask: ["Bash(weird)"] })).toMatchObject({ decision: "ask", reason: "the rule 'Bash(weird)' asks about this" });
  expect(none(weird, { deny: ["Bash(weird)"] })).toMatchObject({ decision: "deny", reason: "the rule 'Bash(weird)' denies this" });
  expect(none(weird)).toMatchObject({ decision: "none", reason: "no rule matches 'weird'" });
});

test("A2: a shell request and a named tool", () => {
  expect(none(tool("Grep"), { allow: ["Grep"] }).decision).toBe("allow");
  expect(none(tool("Grep")).decision).toBe("none");
  expect(none(weird, { allow: ["*"] }).decision).toBe("none");
});

test("A3: deny, ask, allow, whatever the order in a list", () => {
  const all = ["Bash(weird)"];
  expect(none(weird, { deny: all, ask: all, allow: all }).decision).toBe("deny");
  expect(none(weird, { ask: all, allow: all }).decision).toBe("ask");
  expect(none(weird, { allow: ["Bash(other)", "Bash(weird)"] }).reason).toBe("the rule 'Bash(weird)' allows this");
});

test("A4: a segment is as strict as its redirect", () => {
  const both = line([exec("echo hi", builtin)], redirect(file("write out", { asGiven: "out" })));
  expect(none(both, { allow: ["Bash(echo:*)"] })).toMatchObject({ decision: "ask", reason: "writes to 'out'" });
  expect(none(both, { deny: ["Bash(echo:*)"] }).decision).toBe("deny");
});

describe("A5: compounds", () => {
  const head = command("head -60");
  const rules = { allow: ["Bash(cat:*)", "Bash(head:*)"], deny: ["Bash(rm -rf:*)"] };
  test.each([
    ["cat f 2>&1 | head -60", line(cat, head), "allow"],
    ["cat f | weird", line(cat, weird), "ask"],
    ["rm -rf /tmp; cat f", line(command("rm -rf /tmp/x", file("delete /tmp/x", { recursive: true })), cat), "deny"],
    ["all without opinion", line(weird, [exec("other")]), "none"],
    ["nothing", [], "none"],
  ])("%s: %s", (_, actions, expected) => {
    expect(none(actions, rules).decision).toBe(expected);
  });
  test("the reason names the segment", () => {
    expect(none(line(cat, weird), rules).reason).toBe("a part of the command matches no rule: no rule matches 'weird'");
  });
});

describe("A6: the order inside one segment", () => {
  test.each([
    ["a predicate before any rule", execOf(words("[ -f x ]"), builtin), { deny: ["Bash([:*)"] }, "allow", "a test, which changes nothing"],
    ["a rule before an inert builtin", exec("echo hi", builtin), { deny: ["Bash(echo:*)"] }, "deny", "the rule 'Bash(echo:*)' denies this"],
    ["an inert builtin", exec("echo hi", builtin), {}, "allow", "a part of the shell that changes nothing"],
    ["a lookup", exec("command -v git", builtin), {}, "allow", "it only looks up where a command is"],
    ["a lookup, other letter", exec("command -V git", builtin), {}, "allow", "it only looks up where a command is"],
    ["an opaque wrapper", exec("sudo ls"), {}, "ask", "'sudo' starts another command in a way that Assent cannot follow"],
    ["a rule before a wrapper", exec("timeout 5 ls"), { allow: ["Bash(timeout:*)"] }, "allow", "the rule 'Bash(timeout:*)' allows this"],
    [
      "a wrapper that could not be taken apart",
      exec("nice --odd ls"),
      {},
      "ask",
      "'nice' starts another command in a way that Assent cannot follow",
    ],
    ["nothing", exec("weird"), {}, "none", "no rule matches 'weird'"],
  ] as const)("%s", (_, action, written, decision, reason) => {
    expect(none(action, written)).toMatchObject({ decision, reason });
  });
  test("A7: a dict rule's own reason", () => {
    const rule = { tool: "Bash", command: "sed", when: { hasOption: "-i" }, reason: "use the edit tool" };
    const parsed = none(exec("sed -i s/a/b/ f"), { deny: [rule] });
    expect(parsed.decision).toBe("deny");
  });
  test("a dynamic command name comes as what could not be known", () => {
    const action = execOf([argument("$TOOL"), argument("a")], { program: "$TOOL", trusted: false });
    const verdict = none(action, { allow: ["Bash(ls:*)"] }, [{ reason: "dynamic command name '$TOOL'" }]);
    expect(verdict).toMatchObject({ decision: "ask", reason: "dynamic command name '$TOOL'" });
  });
});

test("A10, A16: a rule's text is as written", () => {
  expect(none(weird, { deny: ["Bash(weird)"] }).rule).toMatchObject({ text: "Bash(weird)", file: "policy.jsonc", line: 1 });
});

describe("A30, A31, A33: what runs its arguments is judged by them", () => {
  const ls = exec("ls");
  test.each([
    ["nohup ls", exec("nohup ls", { knowledge: "nohup" })],
    ["env A=1 ls", exec("env A=1 ls", { knowledge: "env" })],
    ["bash -lc ls", exec("bash -lc ls", { knowledge: "bash" })],
    ["eval ls", exec("eval ls", { knowledge: "eval", builtin: true })],
  ])("%s", (_, wrapper) => {
    expect(none([wrapper, ls], { allow: ["Bash(ls:*)"] }).decision).toBe("allow");
    expect(none([wrapper, ls], { deny: ["Bash(ls:*)"] }).decision).toBe("deny");
  });
  test("a shell with a script is a program", () => {
    expect(none(command("bash x.sh", script("x.sh"))).decision).toBe("none");
  });
});

test("A36: input is no question, output is", () => {
  expect(none(line(cat, redirect(file("read g"))), { allow: ["Bash(cat:*)"] }).decision).toBe("allow");
  expect(none(line(weird, redirect(file("read g")))).decision).toBe("none");
  expect(none(redirect(file("write a", { asGiven: "a" }))).reason).toBe("writes to 'a'");
  expect(none(line(cat, redirect(file("write /dev/null"))), { allow: ["Bash(cat:*)"] }).decision).toBe("allow");
});

test("AW10: an option nobody listed was no question", () => {
  expect(none(exec("weird --odd"), {}, [{ reason: "option --odd is not listed", exec: 0 }]).decision).toBe("none");
  expect(none(exec("weird --odd"), { allow: ["Bash(weird:*)"] }, [{ reason: "x", exec: 0 }]).decision).toBe("allow");
});

test("no preset protections, no knowledge, no mode", () => {
  expect(none(cat).decision).toBe("none");
  expect(none(command("cat .env", file("read .env")), { allow: ["Bash(cat:*)"] }).decision).toBe("allow");
  expect(judged(file("write a"), { settings: { preset: "none", mode: "auto-edit" } }).decision).toBe("none");
  expect(
    none(
      command("git push --force", {
        kind: "remote",
        service: "git",
        operation: "publish",
        dangers: ["force-push"],
        origin: { by: "tool" },
      }),
    ).decision,
  ).toBe("none");
});
