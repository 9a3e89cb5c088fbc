import { describe, expect, it } from "vitest";
import { appendAll, auditLine, givenFields, KEEP } from "@assent/guard/audit";
import { assent, scratch } from "../scratch.ts";

describe("what `assent log` says of a decision that somebody answered", () => {
  it.each<[what: string, given: Parameters<typeof givenFields>[0], text: RegExp]>([
    [
      "a no from afar",
      { answered: "deny", answeredBy: "team: ada", note: "not on a Friday" },
      /deny, by team: ada: not on a Friday; it changes things/,
    ],
    ["a no here", { answered: "deny", answeredBy: "terminal" }, /deny, by terminal; it changes things/],
    ["a yes for a while", { answered: "allow (session)", answeredBy: "page" }, /allow \(session\), by page; it changes things/],
    [
      "a name that steers a terminal",
      { answered: "deny", answeredBy: "team: \u001b[2Jada" },
      /by team: \\u\{1b\}\[2Jada; |by team: \S*ada; /,
    ],
    ["nobody's", { answered: undefined }, /^ +it changes things$/m],
  ])("%s", (_, given, text) => {
    const place = scratch();
    const line = auditLine({
      time: Date.now(),
      point: "hook",
      agent: "claude",
      session: "s",
      cwd: place.project,
      tool: "Bash",
      input: { command: "npm publish" },
      verdict: { decision: "ask", basis: "default", reason: "it changes things", actions: [], unknowns: [] },
      answer: given.answered === undefined ? "ask" : "deny",
      person: givenFields(given),
      milliseconds: 1,
    });
    expect(appendAll(place.machine, [line], KEEP)).toBeUndefined();
    const { stdout } = assent(place, ["log"]);
    expect(stdout).toMatch(text);
    expect(stdout).not.toContain("\u001b");
  });
});

describe("the first page is what concerns a person", () => {
  it.each<[what: string, options: readonly string[], shown: readonly string[], says: boolean]>([
    ["without options what runs were allowed is left out, and it says so", [], ["refused", "answered", "of a hook"], true],
    ["with a number all of it is shown", ["-n", "50"], ["allowed in a run", "refused", "answered", "of a hook"], false],
    ["a run's own is asked for by its name", ["--session", "r1"], ["allowed in a run", "refused", "answered"], false],
  ])("%s", (_, options, shown, says) => {
    const place = scratch();
    const line = (reason: string, point: string, decision: "allow" | "deny", answered?: string): string =>
      auditLine({
        time: Date.now(),
        point,
        agent: point === "run" ? "run" : "claude",
        session: point === "run" ? "r1" : "s",
        cwd: place.project,
        tool: "file",
        input: {},
        verdict: { decision, basis: "default", reason, actions: [], unknowns: [] },
        answer: decision,
        ...(answered === undefined ? {} : { person: givenFields({ answered, answeredBy: "terminal" }) }),
        milliseconds: 1,
      });
    const lines = [
      line("allowed in a run", "run", "allow"),
      line("refused", "run", "deny"),
      line("answered", "run", "allow", "allow (once)"),
      line("of a hook", "hook", "allow"),
    ];
    expect(appendAll(place.machine, lines, KEEP)).toBeUndefined();
    const { stdout, stderr } = assent(place, ["log", ...options]);
    expect(["allowed in a run", "refused", "answered", "of a hook"].filter((text) => stdout.includes(text))).toEqual(shown);
    expect(stderr.includes("left out")).toBe(says);
  });
});

describe("who decides where the host was told nothing is never left open", () => {
  const TOUCH = "touch a";
  it.each<readonly [mode: string, command: string, head: RegExp, text: string]>([
    ["default", "frobnicate", /no opinion {3}claude/, "claude asks you; no rule matches 'frobnicate'"],
    ["default", TOUCH, /ask→agent {4}claude/, "claude asks you; write "],
    ["acceptEdits", TOUCH, /ask→agent {4}claude/, "claude decides, in its mode acceptEdits; write "],
    ["dontAsk", "frobnicate", /no opinion {3}claude/, "claude decides, in its mode dontAsk; no rule matches"],
    ["plan", "git status", /allow {8}claude/, "Assent knows all that `git status` does"],
    ["bypassPermissions", "frobnicate", /no opinion {3}claude/, "bypass mode, it runs (claude in its mode bypassPermissions); no rule"],
    ["bypassPermissions", TOUCH, /ask→bypass {3}claude/, "bypass mode, it runs (claude in its mode bypassPermissions); write"],
    ["bypassPermissions", "cat .env", /deny {9}claude/, "this file may hold a secret"],
  ])("%s: %s", (mode, command, head, text) => {
    const place = scratch();
    const call = { hook_event_name: "PreToolUse", session_id: "s", cwd: place.project, permission_mode: mode, tool_name: "Bash" };
    assent(place, ["check", "--agent", "claude"], JSON.stringify({ ...call, tool_input: { command } }));
    const { stdout } = assent(place, ["log"]);
    expect(stdout).toMatch(head);
    expect(stdout).toContain(text);
  });

  it("what a bypass mode let run was asked of nobody: the counts and `why` say so", () => {
    const place = scratch();
    for (const mode of ["default", "bypassPermissions", "bypassPermissions"]) {
      const call = { hook_event_name: "PreToolUse", session_id: "s", cwd: place.project, permission_mode: mode, tool_name: "Bash" };
      assent(place, ["check", "--agent", "claude"], JSON.stringify({ ...call, tool_input: { command: `touch ${mode}` } }));
    }
    const status = assent(place, ["status"]).stdout;
    expect(status).toContain("3 checked, 0 sandboxed, 1 asked, 0 refused");
    expect(status).toContain("questions   were skipped at the last call here: claude in its mode bypassPermissions. Refusals hold");
    expect(assent(place, ["log", "--stats"]).stdout).toMatch(/most asked\n +1 {2}touch/);
    expect(assent(place, ["why"]).stdout).toContain("touch default");
  });
});
