import { describe, expect, it } from "vitest";
import { appendAll, auditLine, givenFields, KEEP } from "../../src/audit/index.ts";
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
