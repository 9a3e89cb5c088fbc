import { describe, expect, it } from "vitest";
import { type Lowered, withBudget } from "@assent/core/action";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "./world.ts";

/**
 * Steps of `action/budget.ts`, each about a microsecond, that a line of 10,000 words or commands may cost, whatever it is made of. Where
 * each word has all the others handed on, the square of the line's length, it would be some hundred million.
 */
const MOST_STEPS = 4_000_000;

const lower = (command: string): Lowered =>
  withBudget({ steps: MOST_STEPS, milliseconds: Number.MAX_SAFE_INTEGER, clock: () => 0 }, () =>
    lowerShell(command, { world: smallWorld(), shell: "any" }),
  );
const isGivenUp = ({ unknowns }: Lowered): boolean =>
  unknowns.some(({ reason }) => /nested too deeply|too large or too deeply|too many words that may be programs/.test(reason));

/** Lines of one word or command, thousands of times. */
const LONG: readonly (readonly [what: string, line: (times: number) => string])[] = [
  ["eval", (n) => `${"eval ".repeat(n)}rm x`],
  ["eval of quoted text", (n) => `${"eval 'eval ' ".repeat(n / 2)}rm x`],
  ["eval --", (n) => `${"eval -- ".repeat(n)}rm x`],
  ["command", (n) => `${"command ".repeat(n)}rm x`],
  ["builtin", (n) => `${"builtin ".repeat(n)}rm x`],
  ["builtin --", (n) => `${"builtin -- ".repeat(n)}rm x`],
  ["command and builtin in turn", (n) => `${"command builtin ".repeat(n / 2)}rm x`],
  ["noglob", (n) => `${"noglob ".repeat(n)}rm x`],
  ["repeat", (n) => `${"repeat 2 ".repeat(n)}rm x`],
  ["env", (n) => `${"env ".repeat(n)}rm x`],
  ["nohup", (n) => `${"nohup ".repeat(n)}rm x`],
  ["xargs", (n) => `${"xargs ".repeat(n)}rm x`],
  ["sudo", (n) => `${"sudo ".repeat(n)}rm x`],
  ["a word that may be a tool", (n) => `mytool ${"git ".repeat(n)}push`],
  ["behind cargo watch", (n) => `cargo watch -- ${"env ".repeat(n)}ls`],
  ["a word that may be a program that ruins", (n) => `mytool ${"rm ".repeat(n)}/x`],
  ["a word that may be an interpreter", (n) => `mytool ${"node ".repeat(n)}-e 1`],
  ["eval and command in turn", (n) => `${"eval command ".repeat(n / 2)}rm x`],
  ["pipes", (n) => Array.from({ length: n }, () => "cat").join("|")],
  ["commands", (n) => "ls;".repeat(n)],
  ["conditions", (n) => Array.from({ length: n }, () => "ls").join("&&")],
  ["arms of a case", (n) => `case $x in ${Array.from({ length: n }, (_, at) => `${at}) ls;;`).join("")}esac`],
  ["arms of a case that go on to the next", (n) => `case $x in ${Array.from({ length: n }, (_, at) => `${at}) y=1;&`).join("")}esac;rm $y`],
  [
    "loops inside one another",
    () => `${Array.from({ length: 20 }, (_, at) => `for i${at} in a b c d e; do `).join("")}rm $i0$i19; ${"done; ".repeat(20)}`,
  ],
];

describe("a line of one thing thousands of times", () => {
  it.each(LONG)("%s: is given up, and says so, before it costs much", (_, line) => {
    expect(isGivenUp(lower(line(10_000)))).toBe(true);
  });

  it.each(LONG.slice(0, -1))("%s: is followed where it is short", (_, line) => {
    const { actions, unknowns } = lower(line(4));
    expect(isGivenUp({ actions, unknowns })).toBe(false);
    expect(actions.length).toBeGreaterThan(0);
  });

  it("is refused for what it surely does before that", () => {
    const { actions } = lower(`rm -rf ~; ${"eval ".repeat(10_000)}ls`);
    const deleted = actions.flatMap((action) => (action.kind === "file" && action.operation === "delete" ? [action.target] : []));
    expect(deleted).toMatchObject([{ path: "/home/u" }]);
  });
});

/** One word of pieces: what looks at it does so once, and not again from each of its pieces on. */
const WORDS: readonly (readonly [what: string, line: (word: (piece: string) => string) => string])[] = [
  ["addresses", (word) => `mytool ${word("1.1.1.")}`],
  ["versions", (word) => `mytool ${word("a@")}/`],
  ["extras", (word) => `mytool ${word("a[")}/`],
  ["folders of versions", (word) => `mytool ${word("/v1")}x`],
  ["fragments", (word) => `mytool ${word("#a")}/`],
  ["names that publish", () => `mytool ${"npm publish ".repeat(3_000)}`],
  ["names that publish, of packages", () => `yarn add ${"np ".repeat(3_000)}`],
  ["a program of awk", (word) => `awk '${word("for(")}' x`],
  ["a program of awk with ends", (word) => `awk '${word("for(x;y")};;' x`],
  ["a program of perl", (word) => `perl -e '${word("while ((")}'`],
  ["a text that an expansion assigns", (word) => `: \${x::=${word("a")}}`],
  ["a text that is evaluated", (word) => `[[ x=${word("a1")} -eq 1 ]]`],
  ["elements of a text that is evaluated", (word) => `[[ x=1+${word("a[")} -eq 1 ]]`],
  ["a revision", (word) => `git show ${word("HEAD:")}`],
  ["a revision in braces", (word) => `git show ${word("@{")}`],
  ["a blob of settings", (word) => `git config --blob ${word("a^")} -l`],
  ["folders of PATH", (word) => `PATH=${word("/usr/bin:")}$PATH ls`],
  ["commands that nobody reads", (word) => `vim +'${word("!git ")}'`],
  ["code that nobody reads", (word) => `tclsh <<< '${word("exec git ")}'`],
  ["a size", (word) => `head -c ${word("9")} /dev/zero > x`],
  ["a query of SQL", (word) => `psql -c '${word("drop table ")}'`],
  ["a query of jq", (word) => `jq '${word("range(")}' x`],
  ["a query of jq with a number", (word) => `jq 'range(${word("1")}' x`],
];

describe("a word of one thing many times", () => {
  it.each(WORDS)("%s: does not hide what stands in front of it", { timeout: 20_000 }, (_, line) => {
    const { actions } = lower(`rm -rf ~; ${line((piece) => piece.repeat(400_000 / piece.length))}`);
    const deleted = actions.flatMap((action) => (action.kind === "file" && action.operation === "delete" ? [action.target] : []));
    expect(deleted).toMatchObject([{ path: "/home/u" }]);
  });
});
