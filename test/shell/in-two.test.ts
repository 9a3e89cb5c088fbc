import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { restAfter } from "@assent/core/action";
import { inTwo } from "@assent/core/shell";

/** A line that is done in two, each in a shell of its own, does what it does in one. */

const here = mkdtempSync(join(tmpdir(), "assent-in-two-"));
mkdirSync(join(here, "x/y"), { recursive: true });
writeFileSync(join(here, "x/a.txt"), "");

interface Done {
  readonly stdout: string;
  readonly status: number | null;
}

function done(line: string): Done {
  const { stdout, status } = spawnSync("bash", ["-c", line], { cwd: here, encoding: "utf8", env: { PATH: "/usr/bin:/bin" } });
  return { stdout, status };
}

/** `ok` and `no` stand for programs that only look, and end well or with 3; `say` for what would be confined. */
const PROGRAMS: Readonly<Record<string, string>> = { ok: "/bin/echo ok", no: "/bin/sh -c 'echo no; exit 3'", say: "/bin/echo said" };
const lineOf = (row: string): string => row.replace(/\b(?:ok|no|say)\b/g, (name) => PROGRAMS[name] ?? name);

const CUT: readonly (readonly [line: string, cuts: number])[] = [
  ["ok && say", 1],
  ["no && say", 1],
  ["no || say", 1],
  ["ok || say", 1],
  ["no; say $?", 1],
  ["no\nsay $?", 1],
  ["no && say a || say b; say $?", 3],
  ["ok && no || say b; say c", 3],
  ["no || ok && say b", 2],
  ["ok; no; say $?", 2],
  ["echo a; no; say $?", 2],
  ["no | cat; say $?", 1],
  ["set -o pipefail; no | cat; say $?", 1],
  ["set -e; ok; no; say b", 1],
  ["set -e; no; say b", 1],
  ["set -e; no && say b; say c", 1],
  ["set -e; no || say b; say c", 1],
  ["set -euo pipefail; no | cat; say b", 1],
  ["cd x && ok && say $PWD", 1],
  ["cd x && no || say $PWD", 1],
  ["cd nowhere && ok || say $PWD", 1],
  ["cd nowhere && ok && no || say b; say c", 2],
  ["cd nowhere; ok; say $PWD", 1],
  ["cd x && cd y && ok && pwd && say b", 2],
  ["cd x; ok; pwd; say b", 2],
  ['cd "x/y" && ok 2>/dev/null && say $PWD', 1],
  ["# what runs\nok\n# and then\nsay b", 1],
  ["ok > /dev/null 2>&1; say b <<E\ntext\nE", 1],
  ["ok $(no); say $?", 1],
  ["ok && if true; then say b; fi", 1],
  ["ok && (exit 4) || say $?", 1],
];

/** Nothing before the cut may leave a trace in the shell, and nothing behind it may know of more than the status. */
const WHOLE: readonly string[] = [
  "ok",
  "ok &",
  "ok & say b",
  "! ok; say b",
  "time ok; say b",
  "A=1; ok; say $A",
  "A=1 ok; say b",
  "export A=1; ok; say $A",
  "shopt -s nullglob; ok; say *",
  "f() { ok; }; f; say b",
  "alias a=b; ok; say b",
  ". x/a.txt; ok; say b",
  "exec 3>a; ok; say b",
  "exec ok; say b",
  "eval ok; say b",
  "command cd x; ok; say b",
  "builtin cd x; ok; say b",
  "(cd x; ok); say b",
  "{ ok; }; say b",
  "if true; then ok; fi; say b",
  "for i in 1 2; do ok; done; say b",
  "cd $X && ok && say b",
  "cd -; ok; say b",
  "cd; ok; say b",
  "cd -P x; ok; say b",
  "pushd x; ok; say b",
  "set -x; ok; say b",
  "set -- a b; ok; say $1",
  "trap 'say x' EXIT; ok; say b",
  "read a; ok; say $a",
  "printf -v a x; ok; say $a",
  "exit 3; ok; say b",
  "ulimit -n 3; ok; say b",
  "umask 077; ok; say b",
  "cat <<E\ntext\nE\nsay b",
  "ok {fd}>a; say b",
  "$ok; say b",
  "o\\k$x; say b",
  "ok ${x:=1}; say $x",
  "ok $((x=1)); say $x",
  'ok "${x:=1}"; say $x',
  "no | ok; echo ${PIPESTATUS[0]}; say b",
  "ok a; echo $_; say b",
  "ok; say $!",
  "ok; fc -l; say b",
  "set -e; cd x || ok; say b",
  "set -u; ok $UNSET; say b",
  "set -eu; ok $UNSET || say b",
  'set -u; ok "$(no $UNSET)"; say b',
  "ok $$; say $$",
  "ok ${ x=1; }; say $x",
  "cd x || ok; say b",
  "ok 'unfinished; say b",
];

describe("a line in two", () => {
  it.each(CUT)("%s", (row, cuts) => {
    const line = lineOf(row);
    const found = inTwo(line);
    expect(found.length).toBe(cuts);
    for (const cut of found) {
      const first = done(cut.first);
      const rest = done(restAfter(cut, first.status ?? 0));
      expect({ stdout: first.stdout + rest.stdout, status: rest.status }).toEqual(done(line));
    }
  });

  it.each(WHOLE)("in one: %s", (line) => {
    expect(inTwo(line)).toEqual([]);
  });

  it("however it is put together", () => {
    const [programs, joints] = [
      ["ok", "no"],
      [" && ", " || ", "; "],
    ];
    const rows = ["", "set -e; ", "cd x && ", "cd nowhere && ", "cd nowhere; ", "set -e; cd x && "].flatMap((lead) =>
      programs.flatMap((a) => programs.flatMap((b) => joints.flatMap((j) => joints.map((k) => `${lead}${a}${j}${b}${k}say b; say c`)))),
    );
    for (const row of rows) {
      const line = lineOf(row);
      const whole = done(line);
      for (const cut of inTwo(line)) {
        const first = done(cut.first);
        const rest = done(restAfter(cut, first.status ?? 0));
        expect({ row, cut, stdout: first.stdout + rest.stdout, status: rest.status }).toEqual({ row, cut, ...whole });
      }
    }
  });
});
