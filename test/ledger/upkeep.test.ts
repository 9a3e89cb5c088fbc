import { describe, expect, it } from "vitest";
import { place } from "./place.ts";

/** A written question that names no path is about what was asked for, not about what a program does for itself. */
const here = place();

const EVERYDAY = ["git status", "git diff", "git log --oneline", "git stash list"];

describe.each([
  ["a rule for every file", { permissions: { ask: ["Edit"] } }],
  ["as a pattern", { permissions: { ask: ["Edit(**)", "Write(**)"] } }],
  ["with an allow for the command", { permissions: { ask: ["Edit", "Write"], allow: ["Bash(npm test:*)"] } }],
])("%s", (_name, policy) => {
  it.each(EVERYDAY)("%s is not asked", (command) => {
    here.user(policy);
    expect(here.verdict(command).decision).toBe("allow");
  });
  it.each(["echo x > a.txt", "touch b.txt", "sed -i s/a/b/ a.txt"])("%s is", (command) => {
    here.user(policy);
    expect(here.verdict(command)).toMatchObject({ decision: "ask", basis: "rule" });
  });
});

describe("a question that names the path, and a refusal, still hold", () => {
  it.each([
    [{ permissions: { ask: ["Edit(.git/**)"] } }, "ask"],
    [{ permissions: { ask: ["Edit", "Edit(**/index)"] } }, "ask"],
    [{ permissions: { deny: ["Edit"] } }, "deny"],
    [{ permissions: { deny: ["Edit(.git/**)"] } }, "deny"],
  ])("%j: git status is %s", (policy, decision) => {
    here.user(policy);
    expect(here.verdict("git status").decision).toBe(decision);
  });
});

describe('`"unknown": "confine"` makes no question of what is left to the host', () => {
  it.each(["./build.sh", "weird x"])("%s", (command) => {
    here.user({ unknown: "confine" });
    expect(here.told(command)).toBe("silence");
  });
});

describe("YW4: a range that runs backwards is a mistake, wherever a pattern may stand", () => {
  it.each([
    { permissions: { deny: ["Read([z-a].txt)"] } },
    { permissions: { deny: ["Read(src/[9-0]*)"] } },
    { permissions: { allow: ["Shell(ls [z-a])"] } },
    { permissions: { deny: ["Read([!z-a])"] } },
    { operations: { read: { default: "ask", rules: [{ pattern: "x[z-a]y", action: "deny" }] } } },
    { operations: { execute: { default: "ask", rules: [{ pattern: "ls [z-a]", action: "deny" }] } } },
  ])("%j", (policy) => {
    here.user(policy);
    // A policy that is wrong allows nothing.
    expect(here.verdict("pwd")).toMatchObject({ decision: "ask", reason: expect.stringContaining("runs backwards") as unknown });
  });
  it.each(["Read(app/[user-id]/**)", "Read(app/[slug]/page.tsx)", "Read([a-z]*)", "Read([a-zA-Z0-9_-]*)"])("%s is none", (rule) => {
    here.user({ permissions: { deny: [rule] } });
    expect(here.verdict("pwd").decision).toBe("allow");
  });
});
