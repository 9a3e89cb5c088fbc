import { rmSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { judgeOnly } from "@assent/page/preview";
import { inspect } from "@assent/guard/inspect";
import { type Finding, lint } from "@assent/guard/lint";
import { engine, scratch } from "../scratch.ts";

/** Programs without options that take values, so that what a rule says is plain: the judge has its own tests. */
const HEADS = ["git push", "git commit", "npm test", "ourtool", "ourtool status", "make", "cargo build"];
/** What may stand behind them; the last ones are how other tools, and slips, write it. */
const TAILS = ["", ":*", " *", " * *", " * x *", "*", " x", " x:*", " x *", "; ls", " && ls"];
const ARGUMENTS = ["", " x", " x y", " x y z", "s", "s x"];
const COMMANDS = HEADS.flatMap((head) => ARGUMENTS.map((rest) => `${head}${rest}`));

const rule = fc.tuple(fc.constantFrom(...HEADS), fc.constantFrom(...TAILS)).map(([head, tail]) => `Bash(${head}${tail})`);
const effect = fc.constantFrom("deny" as const, "ask" as const, "allow" as const);

const place = scratch({ keep: true });
afterAll(() => rmSync(place.root, { recursive: true, force: true }));

function look(entry: string, as: string): { readonly found: readonly Finding[]; readonly file: string } {
  const file = place.write("~/.agent-permissions.jsonc", JSON.stringify({ permissions: { [as]: [entry] } }));
  return { file, found: lint(inspect({ machine: place.machine, cwd: place.project, own: engine.own })) };
}

/** What `assent explain` says, and whether the written rule is what decided. */
function explained(command: string): { readonly told: string; readonly byRule: boolean } {
  const { verdict } = judgeOnly({ tool: "Bash", input: { command }, cwd: place.project }, place.machine, []);
  const all = [verdict, ...verdict.actions.map((one) => one.verdict)];
  return { told: verdict.decision, byRule: all.some((one) => one.rule?.file === `${place.home}/.agent-permissions.jsonc`) };
}

/** Commands in backticks of a finding that are said not to be stopped. */
const saidToPass = ({ code, message }: Finding): string | undefined =>
  code === "AL020" || code === "AL025" ? /`([^`]+)` is (?:not |another command)/.exec(message)?.[1] : undefined;
/** The rule that a finding says to write. */
const saidToWrite = ({ help }: Finding): string | undefined => /^write `(Bash\([^`]*\))`/.exec(help ?? "")?.[1];

describe("lint says what explain does", () => {
  it("a rule called dead decides about no command", () => {
    fc.assert(
      fc.property(rule, effect, (entry, as) => {
        fc.pre(look(entry, as).found.some(({ code }) => code === "AL010"));
        expect(COMMANDS.filter((command) => explained(command).byRule)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  }, 120_000);

  it("what a finding says to pass does pass, and what it says to write stops it", () => {
    fc.assert(
      fc.property(rule, fc.constantFrom("deny" as const, "ask" as const), (entry, as) => {
        for (const finding of look(entry, as).found) {
          const command = saidToPass(finding);
          if (command === undefined) continue;
          look(entry, as);
          expect([entry, command, explained(command).byRule]).toEqual([entry, command, false]);
          const better = saidToWrite(finding);
          expect(better).toBeDefined();
          look(better ?? "", as);
          expect([better, command, explained(command).told]).toEqual([better, command, as]);
        }
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it("a deny or ask rule without a finding stops its command, alone and with more words", () => {
    fc.assert(
      fc.property(rule, fc.constantFrom("deny" as const, "ask" as const), (entry, as) => {
        fc.pre(look(entry, as).found.length === 0);
        const [, words = ""] = /^Bash\((.*?)(?::\*|\*)?\)$/.exec(entry) ?? [];
        expect([entry, explained(words).told]).toEqual([entry, as]);
        expect([entry, explained(`${words} x y`).told]).toEqual([entry, as]);
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});
