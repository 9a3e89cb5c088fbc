import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { auditLine, redactString } from "@assent/guard/audit";

/** What people type with a secret in it (`§`), and what they type without. `⏎` is a line break. */
const formsOf = (name: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.replaceAll("⏎", "\n"));

const SECRET = "Zq7plainTextOnly";

/** The words of every command, as they were lowered. */
const actionsOf = (text: string): readonly unknown[] =>
  text.split(/[|\n]|&&|<<</).map((part) => ({
    action: {
      kind: "exec",
      program: "x",
      argv: part
        .trim()
        .split(/\s+/)
        .map((word) => ({ known: true, text: word.replaceAll(/["']/g, "") })),
    },
    verdict: { decision: "ask", basis: "default", reason: `would run ${part.trim()}` },
  }));

function logged(command: string): string {
  const actions = actionsOf(command) as never;
  const verdict = { decision: "ask", basis: "default", reason: `would run ${command}`, actions, unknowns: [] } as const;
  return auditLine({
    time: 0,
    point: "hook",
    agent: "a",
    cwd: "/",
    tool: "Bash",
    input: { command },
    verdict,
    answer: "ask",
    milliseconds: 0,
  });
}

describe("what carries a secret, by hand", () => {
  it.each(formsOf("secret-forms.txt"))("%s", (form) => {
    const text = form.replaceAll("§", SECRET);
    expect(text).toContain(SECRET);
    expect(redactString(text)).not.toContain(SECRET);
    expect(logged(text)).not.toContain(SECRET);
    // What ran still stands there.
    const [program = ""] = form.replace(/^(?:export |env |declare -x )?[A-Za-z_]+=\S* */, "").split(/[ =§]/);
    expect(redactString(text)).toContain(program);
  });
});

describe("what carries none", () => {
  it.each(formsOf("plain-forms.txt"))("leaves %s", (text) => expect(redactString(text)).not.toContain("[redacted]"));
});
