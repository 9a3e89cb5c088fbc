import { describe, expect, it } from "vitest";
import { judgeOnly } from "@assent/page/preview";
import { openGuard, PermissionChecker, presets } from "@assent/library/sdk/compat";
import { commandsOf, CORPORA } from "../corpora.ts";
import { place } from "../ledger/place.ts";
import { assent } from "../scratch.ts";

/** The shell corpora through every door: the library, the hook and the command line say the same of each line. */

/** The whole of them takes a minute: `TEST_LONG=1`. */
const STEP = process.env["TEST_LONG"] === undefined ? 6 : 1;

const here = place({ ".env": "KEY=1" });
const guard = openGuard({ cwd: here.project, machine: here.machine, audit: false });
const checker = new PermissionChecker(presets.default, { cwd: here.project, machine: here.machine, audit: false });

it("holds every line", () => expect(CORPORA.flatMap(commandsOf).length).toBeGreaterThan(4500));

describe.each(CORPORA)("%s", (name) => {
  const all = commandsOf(name).filter((_, at) => at % STEP === 0);

  it("says the same in the library, in the hook's engine and in explain", () => {
    const different = all.flatMap((command) => {
      const library = guard.decide({ command, host: { decides: true } });
      const told = here.told(command);
      const explained = judgeOnly({ tool: "Bash", input: { command }, cwd: here.project }, here.machine, []);
      const hook = told === "silence" ? "none" : told;
      const ruleset = checker.checkSync("execute", command);
      // Where a host decides by itself, a ruleset asks.
      const asks = library.verdict.decision === "none" ? "ask" : library.verdict.decision;
      const same =
        library.decision === hook &&
        library.decision === explained.answer.decision &&
        library.reason === explained.answer.reason &&
        ruleset === asks;
      return same
        ? []
        : [{ command, library: library.decision, hook, explain: explained.answer.decision, ruleset, reason: library.reason }];
    });
    expect(different).toEqual([]);
  });

  it("and in the built programs", () => {
    for (const command of all.filter((_, at) => at % 97 === 0)) {
      const library = guard.decide({ command, host: { decides: true } }).decision;
      const input = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, cwd: here.project });
      const { stdout } = assent(here, ["check", "--agent", "claude"], input);
      expect([command, /"permissionDecision":"(\w+)"/.exec(stdout)?.[1] ?? "none"]).toEqual([command, library]);
      const explained = JSON.parse(assent(here, ["explain", "--json", "--", command]).stdout) as { readonly answer: string };
      expect([command, explained.answer]).toEqual([command, library]);
    }
  });
});
