import { describe, expect, it } from "vitest";
import { readKeys } from "../../packages/guard/src/approve/keys.ts";
import { columns } from "../../packages/guard/src/approve/printable.ts";
import { choicesFor, pressKey, type PromptState, startOf } from "../../packages/guard/src/approve/prompt.ts";
import { PLAIN, render, type View } from "../../packages/guard/src/approve/render.ts";
import type { Answer, Question } from "@assent/guard/approve";
import { checkRule, question } from "./question.ts";

const LEFT = "\u001b[D";
const RIGHT = "\u001b[C";
const DOWN = "\u001b[B";
const UP = "\u001b[A";
const ESCAPE = "\u001b";

const CHOICES = choicesFor({ session: "run", time: false, tree: true, quit: true, word: false, once: false });

/** The answer or the state after keys, one at a time. */
function after(keys: readonly string[], about: Question = question(1)): Answer | PromptState {
  let state: PromptState = startOf(CHOICES);
  for (const text of keys) {
    for (const key of readKeys(text).keys) {
      const outcome = pressKey(state, key, { choices: CHOICES, proposals: about.proposals, checkRule });
      if ("answer" in outcome) return outcome.answer;
      state = outcome.state;
    }
  }
  return state;
}

const ALLOW: Answer = { answer: "allow", scope: "once" };
const DENY: Answer = { answer: "deny", scope: "once" };
const QUIT: Answer = { answer: "quit" };
const own = "Write(/home/me/.npm/_cacache/1)";

describe("keys", () => {
  it.each<[keys: string[], answer: Answer]>([
    [["y"], ALLOW],
    [["r"], { answer: "allow", scope: "session" }],
    [["t"], { answer: "allow", scope: "tree" }],
    [["n"], DENY],
    [["q"], QUIT],
    [["\u0003"], QUIT],
    [["\u0004"], DENY],
    // Enter alone never allows.
    [["\r"], DENY],
    [["?", "\r"], DENY],
    [["?", "?", "y"], ALLOW],
    [["x", "y"], ALLOW],
    [[LEFT, LEFT, "\r"], { answer: "allow", scope: "tree" }],
    [[UP, UP, UP, UP, "\r"], ALLOW],
    [[LEFT, LEFT, ESCAPE, "\r"], DENY],
    [[RIGHT, RIGHT, RIGHT, "\r"], QUIT],
    [[RIGHT, RIGHT, RIGHT, RIGHT, "\r"], ALLOW],
    [["p", "\r"], { answer: "allow", scope: "always", rule: own }],
    [["p", DOWN, "\r"], { answer: "allow", scope: "always", rule: "Write(~/.npm/_cacache/**)" }],
    [["p", DOWN, DOWN, DOWN, DOWN, "\r"], { answer: "allow", scope: "always", rule: "Write(~/.npm/**)" }],
    [["p", "3", "\r"], { answer: "allow", scope: "always", rule: "Write(~/.npm/**)" }],
    [["N", "\r"], { answer: "deny", scope: "always", rule: own }],
    [["N", DOWN, "\r"], { answer: "deny", scope: "always", rule: "Write(~/.npm/_cacache/**)" }],
    [["p", ESCAPE, "\r"], DENY],
    [["p", "\u0003"], QUIT],
    [["p", "\u0004"], DENY],
    [["p", "e", "\u007f", "\u007f", "2", ")", "\r"], { answer: "allow", scope: "always", rule: "Write(/home/me/.npm/_cacache/2)" }],
    [["p", RIGHT, "\u0015", ..."Net(a:1)", "\r"], { answer: "allow", scope: "always", rule: "Net(a:1)" }],
    [["p", "e", "\u0001", RIGHT, "\u000b", ..."(x)", "\r"], { answer: "allow", scope: "always", rule: "W(x)" }],
    [["p", "e", LEFT, "\u0017", "*", "\r"], { answer: "allow", scope: "always", rule: "Write(/home/me/.npm/_cacache/*)" }],
    [["p", "e", "\u001b[H", ..." ", "\r"], { answer: "allow", scope: "always", rule: own }],
    [["p", "e", "\u0015", "\u001b[200~Read(a\u202e\u0007b)\r\u001b[201~", "\r"], { answer: "allow", scope: "always", rule: "Read(ab)" }],
    [["p", "e", "\u0003"], QUIT],
    [["p", "e", ESCAPE, ESCAPE, "\r"], DENY],
    [["\u001b[200~y\u001b[201~", "\r"], DENY],
    [["\u001by", "\u001b[I", "\r"], DENY],
  ])("%j", (keys, answer) => expect(after(keys)).toEqual(answer));

  it.each<[keys: string[], notice: RegExp]>([
    [["x"], /^keys: y r t p n N \? q/],
    [["\u001b[200~y\u001b[201~"], /pasted text answers nothing/],
    [["p", "x"], /Enter writes the rule/],
    [["p", "e", "\u0015", "\r"], /the rule is empty/],
    [["p", "e", "\u0015", ..."rm -rf", "\r"], /`rm -rf` is not a rule/],
    [["p", "e", "\t"], /Enter writes the rule/],
  ])("%j says what to do", (keys, notice) => expect(after(keys)).toMatchObject({ notice: expect.stringMatching(notice) as string }));

  it("no sequence of two keys other than one that names it allows", () => {
    const keys = ["n", "N", "p", "?", "x", "\r", ESCAPE, UP, DOWN, LEFT, RIGHT, " ", "a", "s", "Y", "1", "\t"];
    for (const first of keys)
      for (const second of keys) {
        const result = after([first, second]);
        const allows = "answer" in result && result.answer === "allow";
        const named = first === "p" || (second === "\r" && [UP, LEFT].includes(first));
        expect([first, second, allows]).toEqual([first, second, allows && named]);
      }
  });
});

function drawn(keys: readonly string[], about: Question, more: Partial<View> = {}, width = 110, rows = 40): readonly string[] {
  const state = after(keys, about);
  if ("answer" in state) throw new Error("answered");
  const view: View = { question: about, alike: [], waiting: 0, choices: CHOICES, home: "/home/me", ...more, state };
  return render(view, { columns: width, rows }, PLAIN).lines;
}

describe("what is shown", () => {
  it("a question: the command typed, what it wants and where, and why it is asked", () =>
    expect(drawn([], question(1), {}, 140)).toEqual([
      "  npm install left-pad (node) wants to write ~/.npm/_cacache/1 (new file)",
      "  asked because: outside the project",
      "   y  yes, once   r  yes, for this run   t  trust this program   p  always …",
      " › n  no   N  never …   ?  tell me more   q  end the run",
    ]));

  it.each<[who: string, command: readonly string[], name: string, argv: readonly string[]]>([
    ["touch f", ["touch", "f"], "touch", ["touch", "f"]],
    ["make install: cp", ["make", "install"], "cp", ["cp", "a", "b"]],
    [
      "sh -c 'mkdir ~/p; cd ~/p; git init -q; npm init…: git",
      ["/bin/sh", "-c", "mkdir ~/p; cd ~/p; git init -q; npm init -y"],
      "git",
      ["git"],
    ],
    // What a process calls itself never stands without the name of its program.
    ["make: npm (node)", ["make"], "node", ["node", "/tmp/npm"]],
    ["node x.js: x.js (node)", ["node", "x.js"], "node", ["node", "x.js"]],
    ["make: evil", ["make"], "evil", ["touch wants to nothing"]],
  ])("who asks: %s", (who, command, name, argv) => {
    const [first] = drawn([], question(1, { command, process: { pid: 1, name, argv } }), {}, 200);
    expect(first).toBe(`  ${who} wants to write ~/.npm/_cacache/1 (new file)`);
  });

  it("on a narrow terminal", () =>
    expect(drawn([], question(1), { waiting: 2 }, 40)).toEqual([
      "  npm install left-pad (node) wants to",
      "  │ write ~/.npm/_cacache/1 (new file)",
      "  asked because: outside the project",
      "   y  yes, once   r  yes, for this run",
      "   t  trust this program   p  always …",
      " › n  no   N  never …   ?  tell me more",
      "   q  end the run",
      "  (2 more waiting)",
    ]));

  it("a long reason on a narrow terminal", () =>
    expect(
      drawn([], question(1, { reason: "later commands start what is put into ~/.local/bin by its name" }), {}, 40).slice(2, 6),
    ).toEqual([
      "  asked because: later commands start",
      "               │ what is put into",
      "               │ ~/.local/bin by its",
      "               │ name",
    ]));

  it("a burst", () =>
    expect(drawn([LEFT], question(1), { alike: [question(2), question(3)], waiting: 1 }, 140)).toEqual([
      "  npm install left-pad (node) wants to write ~/.npm/_cacache/1 (new file)",
      "  asked because: outside the project",
      "  … and 2 more like this in ~/.npm/_cacache",
      "   y  yes, once   r  yes, for this run   t  trust this program › p  always …",
      "   n  no   N  never …   ?  tell me more   q  end the run",
      "  (1 more waiting)",
    ]));

  it("everything there is to know", () =>
    expect(
      drawn(
        ["?"],
        question(1, {
          rule: { text: "ask Write(~/**)", file: "/home/me/.config/assent/policy.jsonc", line: 12, column: 3 },
          help: "assent explain",
        }),
        { alike: [question(2)] },
        140,
      ),
    ).toEqual([
      "  npm install left-pad (node) wants to write ~/.npm/_cacache/1 (new file)",
      "  asked because: outside the project",
      "  … and 1 more like this in ~/.npm/_cacache",
      "  │ call          open(/home/me/.npm/_cacache/1, create+write)",
      "  │ rule          ask Write(~/**)  ~/.config/assent/policy.jsonc:12",
      "  │ help          assent explain",
      "  │ process       4121 node  node /usr/bin/npm install left-pad",
      "  │ in folder     ~/project",
      "  │ started by    4100 sh  sh -c npm install left-pad",
      "  │               4099 assent  assent run",
      "  │ and also      write ~/.npm/_cacache/2 (new file)",
      "  │ always writes Write(/home/me/.npm/_cacache/1)  to profile npm",
      "   y  yes, once   r  yes, for this run   t  trust this program   p  always …",
      " › n  no   N  never …   ?  tell me more   q  end the run",
    ]));

  it("rules to choose from", () =>
    expect(drawn(["p", DOWN], question(1), {}, 100)).toEqual([
      "  npm install left-pad (node) wants to write ~/.npm/_cacache/1 (new file)",
      "  asked because: outside the project",
      "  always yes by this rule, for the profile npm:",
      "   Write(/home/me/.npm/_cacache/1)  this file",
      " › Write(~/.npm/_cacache/**)        everything in ~/.npm/_cacache",
      "   Write(~/.npm/**)                 everything in ~/.npm",
      "  ↑ ↓ choose  Enter writes the rule  e changes it  Esc back",
    ]));

  it("a rule that does not fit is shown whole before it is written", () => {
    const rule = `Write(/${"x".repeat(120)}/**)`;
    const lines = drawn(["p"], question(1, { proposals: [{ rule, covers: "much" }] }), {}, 80);
    const whole = lines
      .filter((line) => line.startsWith("  │ "))
      .map((line) => line.slice(4))
      .join("");
    expect(whole).toContain(rule);
  });

  it("a rule being edited, and what is wrong with it", () =>
    expect(drawn(["N", "e", "\u0015", ..."Write(", "\r"], question(1), {}, 100)).toEqual([
      "  npm install left-pad (node) wants to write ~/.npm/_cacache/1 (new file)",
      "  asked because: outside the project",
      "  never by this rule, for the profile npm:",
      "  > Write(",
      "  Enter writes the rule  Esc back",
      "  ! `Write(` is not a rule",
    ]));

  it.each<[keys: string[], row: number, column: number]>([
    [["p", "e", "\u0015"], 3, 4],
    [["p", "e", "\u0015", "日"], 3, 6],
    [["p", "e"], 3, 4 + own.length],
    [["p", "e", LEFT, LEFT], 3, 2 + own.length],
  ])("the cursor after %j", (keys, row, column) => {
    const state = after(keys) as PromptState;
    const { cursor } = render(
      { question: question(1), alike: [], waiting: 0, choices: CHOICES, home: "/home/me", state },
      { columns: 100, rows: 24 },
      PLAIN,
    );
    expect(cursor).toEqual({ row, column });
  });
});

describe("what an attacker writes into a question", () => {
  const hostile = [
    "\u001b[2J\u001b[Hy  yes, once",
    "x\r\n  npm wants to read a harmless file",
    "/tmp/\u202egpj.exe",
    "/tmp/\udcff\udc80",
    `/tmp/${"a".repeat(100_000)}`,
    `/tmp/${"日".repeat(500)}`,
    `/tmp/${"e\u0301\u0301\u0301\u0301\u0301".repeat(50)}`,
    "\u{e0061}\u200d\u2028\u0085\u009b31m",
  ];
  const sizes = [
    [20, 5],
    [33, 10],
    [80, 24],
    [200, 60],
  ] as const;
  it.each(hostile)("%#: stays on its lines", (text) => {
    const evil = question(1, {
      path: `/${text}`,
      what: `write ${text}`,
      reason: text,
      help: text,
      cwd: text,
      profile: text,
      command: [text, text],
      process: { pid: 1, name: text, argv: [text, text] },
      ancestry: Array.from({ length: 30 }, (_, at) => ({ pid: at, name: text, argv: [text] })),
      proposals: [{ rule: `Write(${text})`, covers: text }],
      rule: { text, file: text, line: 1, column: 1 },
      action: { kind: "file", operation: "write", target: { kind: "path", path: `/${text}/${text}/x` }, origin: { by: "tool" } },
    });
    for (const keys of [[], ["?"], ["p"], ["p", "e"], ["p", "e", "\u0001"]])
      for (const [width, rows] of sizes) {
        const lines = drawn(keys, evil, { alike: Array.from({ length: 40 }, () => evil), waiting: 3 }, width, rows);
        for (const line of lines)
          // oxlint-disable-next-line no-control-regex -- none may pass
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/);
        for (const line of lines) expect(columns(line)).toBeLessThan(width);
        expect(lines.filter((line) => line.includes("q  end the run")).length).toBe(keys.length === 0 || keys[0] === "?" ? 1 : 0);
        if (rows >= 24) expect(lines.length).toBeLessThan(rows);
        // What it says never begins a line.
        for (const line of lines) expect(line).not.toMatch(/^ *npm wants to read/);
      }
  });
});
