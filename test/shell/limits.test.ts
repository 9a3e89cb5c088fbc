import { describe, expect, it } from "vitest";
import { type Lowered, withBudget } from "@assent/core/action";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "./world.ts";

/** What comes after whatever is too much to follow. */
const SECRET = "cat ~/.ssh/id_rsa";

const lower = (command: string): Lowered =>
  withBudget({ steps: Number.MAX_SAFE_INTEGER, milliseconds: Number.MAX_SAFE_INTEGER, clock: () => 0 }, () =>
    lowerShell(command, { world: smallWorld({ files: { "/home/u/.ssh/id_rsa": "file" } }), shell: "any" }),
  );

const readsSecret = ({ actions }: Lowered): boolean =>
  actions.some((action) => action.kind === "file" && action.operation === "read" && JSON.stringify(action.target).includes("id_rsa"));

const times = (n: number, make: (at: number) => string, between = "\n"): string =>
  Array.from({ length: n }, (_, at) => make(at)).join(between);
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Lines of one thing as often as wanted, each harmless. */
const UNITS: readonly (readonly [what: string, line: (n: number) => string])[] = [
  ["commands", (n) => times(n, (at) => `ls d${at}`)],
  ["traps of the end", (n) => times(n, (at) => `trap 'ls ${at}' EXIT`)],
  ["traps of each command", (n) => times(n >> 3, (at) => `trap 'ls ${at}' DEBUG`)],
  ["one trap of many commands", (n) => `trap ${quoted(times(n, (at) => `ls ${at}`))} EXIT`],
  ["one trap of each command, of many commands", (n) => `trap ${quoted(times(n, (at) => `ls ${at}`))} DEBUG`],
  [
    "traps in traps",
    () =>
      Array.from({ length: 12 })
        .reduce<string>((inner) => `trap ${quoted(inner)} EXIT`, "ls")
        .slice(0, 100_000),
  ],
  ["functions that are called", (n) => times(n, (at) => `f${at}() { ls; }; f${at}`)],
  ["functions that nobody calls", (n) => times(n, (at) => `f${at}() { ls; }`)],
  ["evals", (n) => times(n, () => "eval ls")],
  ["eval of eval", (n) => `${"eval ".repeat(n)}ls`],
  ["substitutions", (n) => `echo ${times(n, () => "$(ls)", " ")}`],
  ["subshells", (n) => times(n, () => "(ls)")],
  ["loops", (n) => times(n >> 4, (at) => `for i in ${times(16, (one) => `${one}`, " ")}; do ls ${at}; done`)],
  ["loops without an end", (n) => times(n >> 4, () => "while ls; do ls; done")],
  ["arms", (n) => `case $x in ${times(n, (at) => `${at}) ls;;`)} esac`],
  ["variables", (n) => times(n, (at) => `v${at}=x`)],
  ["exports", (n) => times(n, (at) => `export v${at}=x`)],
  ["aliases", (n) => times(n, (at) => `alias a${at}=ls`)],
  ["changes of folder", (n) => times(n, (at) => `cd d${at}`)],
  ["pipes", (n) => times(n, () => "cat", " | ")],
  ["jobs", (n) => times(n, () => "ls &", " ")],
  ["redirects", (n) => times(n, (at) => `ls > out${at}`)],
  ["links", (n) => times(n >> 3, (at) => `ln -s a${at} b${at}`)],
  ["shells", (n) => times(n, () => "bash -c ls")],
  ["finds", (n) => `${"find . -exec ".repeat(n)}ls {} ${"\\; ".repeat(n)}`],
  ["xargs", (n) => times(n, () => "echo a | xargs cat")],
  ["words", (n) => `echo ${times(n, (at) => `w${at}`, " ")}`],
  ["here documents", (n) => times(n, (at) => `cat <<E${at}\nx\nE${at}`)],
  ["programs of Python", (n) => times(n >> 2, (at) => `python3 -c 'print(${at})'`)],
  ["one program of Python", (n) => `python3 -c ${quoted(times(n, (at) => `print(${at})`))}`],
  ["one program of awk", (n) => `awk ${quoted(times(n, (at) => `{ print ${at} }`, " "))} x`],
  ["one script of sed", (n) => `sed ${quoted(times(n, () => "s/a/b/", ";"))} x`],
  ["one query of jq", (n) => `jq ${quoted(times(n, () => ".a", "|"))} x`],
];

/** Where the too much stands: the read of the secret comes after it, or in it at the end. */
const PLACES: readonly (readonly [where: string, line: (body: string) => string])[] = [
  ["before it", (body) => `${body}\n${SECRET}`],
  ["in a function that is called", (body) => `f() {\n${body}\n}\nf\n${SECRET}`],
  ["in a function, before it", (body) => `f() {\n${body}\n${SECRET}\n}\nf`],
  ["in a subshell", (body) => `(\n${body}\n)\n${SECRET}`],
  ["in a substitution", (body) => `x=$(\n${body}\n)\n${SECRET}`],
  ["in a loop", (body) => `while ls; do\n${body}\n${SECRET}\ndone`],
  ["in an arm", (body) => `case $x in a)\n${body}\n;; *)\n${SECRET}\n;; esac`],
  ["in a condition", (body) => `if ls; then\n${body}\nelse\n${SECRET}\nfi`],
  ["in an eval", (body) => `eval ${quoted(body)}\n${SECRET}`],
  ["in a shell", (body) => `bash -c ${quoted(`${body}\n${SECRET}`)}`],
  ["in a trap of the end", (body) => `trap ${quoted(body)} EXIT\n${SECRET}`],
  ["in a trap of the end, before it", (body) => `trap ${quoted(`${body}\n${SECRET}`)} EXIT`],
  ["in a trap of each command", (body) => `trap ${quoted(body)} DEBUG\n${SECRET}`],
  ["in a trap that a function sets", (body) => `f() { trap ${quoted(body)} EXIT; }\nf\n${SECRET}`],
];

/** The places where what is walked may be forgotten again, or is walked later; all of them with TEST_LONG. */
const SHORT = new Set(["before it", "in a function, before it", "in a trap of each command"]);
const LONG = process.env["TEST_LONG"] === "1";

describe("what comes after too much to follow is found, or the line is said not to be understood", () => {
  describe.each(PLACES.filter(([where]) => LONG || SHORT.has(where)))("%s", (_, place) => {
    it.each(UNITS)("%s", (_what, line) => {
      const missed = (LONG ? [3, 700, 2500, 7000] : [2500]).filter((n) => {
        const lowered = lower(place(line(n)));
        return lowered.unknowns.length === 0 && !readsSecret(lowered);
      });
      expect(missed).toEqual([]);
    });
  });
});
