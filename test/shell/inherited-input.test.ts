import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lowerShell } from "@assent/core/shell";
import { leftBy } from "../../packages/core/src/shell/words/input.ts";
import { literal } from "../../packages/core/src/shell/words/value.ts";
import { couldBe } from "./fuzz/oracle.ts";
import { smallWorld } from "./world.ts";

/**
 * What programs, not the shell alone, do with an input that they have in common. The oracle of `soundness/*.txt` starts stand-ins that
 * neither read nor print, so here the programs are real: each line starts `evil`, which leaves a mark, and is known to, or unknown.
 */
const folder = mkdtempSync(join(tmpdir(), "assent-input-"));
const MARK = join(folder, "mark");
writeFileSync(join(folder, "evil"), `#!/bin/sh\n: > '${MARK}'\n`);
chmodSync(join(folder, "evil"), 0o755);
afterAll(() => rmSync(folder, { recursive: true }));

/** `torn` is a line that begins with `ls` and whose rest, behind the 4,096 characters that fold reads at once, is `evil`. */
const TORN = `"ls ${"a".repeat(4093)}evil"`;

const TABLES: readonly (readonly [what: string, lines: readonly string[]])[] = [
  [
    "a substitution has the input of what stands around it",
    [
      `{ x=$(cat); $x; } <<< evil`,
      `echo evil | { x=$(cat); $x; }`,
      `echo evil | while :; do x=$(cat); $x; break; done`,
      `f() { $(cat); }; f <<< evil`,
      'echo evil | (x=`cat`; eval "$x")',
      `echo evil | { $(head -1); }`,
      `if x=$(cat); then $x; fi <<< evil`,
      `echo evil | { for x in "$(cat)"; do $x; done; }`,
      `echo evil | { eval "$(cat)"; }`,
      `echo evil | bash -c '$(cat)'`,
      `echo evil | env bash -c 'eval "$(cat)"'`,
      `echo evil | { trap '$(cat)' EXIT; }`,
      `echo evil | { a=($(cat)); "\${a[@]}"; }`,
      `echo evil | { declare x=$(cat); $x; }`,
      `echo evil | { x=$(echo $(cat)); $x; }`,
      `echo evil | { x=$( (cat) ); $x; }`,
      `echo evil | { x=$(tee /dev/null); $x; }`,
      `echo evil | { x=$(sed s/a/a/); $x; }`,
      `echo evil | { x=\${y:-$(cat)}; $x; }`,
      `echo evil | { bash <(cat); }`,
      `{ ! $(cat); } <<< evil`,
      `until $(cat); do break; done <<< evil`,
      `x=ls; { [[ $(cat) == evil ]] && x=evil; $x; } <<< evil`,
      `g() { x=$(cat); }; g <<< evil; $x`,
      `echo evil | { read y; x=$(cat); \${x:-$y}; }`,
    ],
  ],
  [
    "what exec gives the shell to read is found by its substitutions",
    [
      `exec <<< evil; x=$(cat); $x`,
      `exec <<< evil; $(cat)`,
      `exec <<< evil; { x=$(cat); $x; }`,
      `exec <<< evil; f() { x=$(cat); $x; }; f`,
      `exec 3<<< evil; exec <&3; x=$(cat); $x`,
      `exec 3<<< evil; x=$(cat <&3); $x`,
      `eval 'exec <<< evil'; x=$(cat); $x`,
      `f() { exec <<< evil; }; f; x=$(cat | cat); $x`,
    ],
  ],
  [
    "what runs beside the shell, or is started by a program, has its input, too",
    [
      `{ { x=$(cat); $x; } & wait; } <<< evil`,
      `echo evil | { { $(cat); } & wait; }`,
      `{ { x=$(cat); $x; } <&0 & wait; } <<< evil`,
      `echo evil | find . -maxdepth 0 -exec bash -c '$(cat)' \\;`,
      `echo evil | xargs -a evil -n1 bash -c '$(cat)'`,
      `echo evil | python3 -c 'import os; os.system("$(cat)")'`,
      `bash <<< $'$(cat)\\nevil'`,
    ],
  ],
  [
    "who reads all of an input may end in the middle of a line",
    [
      `{ (sleep 0.1; fold) | true; while read -r x; do eval "$x"; done; } <<< ${TORN}`,
      `{ (sleep 0.1; command fold) | true; x=$(cat); eval "$x"; } <<< ${TORN}`,
      `{ (sleep 0.1; fold -) | true; while read -r x; do eval "$x"; done; } <<< ${TORN}`,
      `{ (sleep 0.1; fold /dev/stdin) | true; while read -r x; do eval "$x"; done; } <<< ${TORN}`,
      `f=-; { (sleep 0.1; fold $f) | true; while read -r x; do eval "$x"; done; } <<< ${TORN}`,
      `{ (sleep 0.1; nice fold) | true; while read -r x; do eval "$x"; done; } <<< ${TORN}`,
      `ln -sf /dev/stdin z; { (sleep 0.1; fold z) | true; while read -r x; do eval "$x"; done; } <<< ${TORN}`,
    ],
  ],
];

describe.each(TABLES)("%s", (_, lines) => {
  test.each(lines)("%s", (line) => {
    const runs = (): boolean => {
      rmSync(MARK, { force: true });
      spawnSync("/bin/bash", ["-c", line], { cwd: folder, env: { PATH: `${folder}:/usr/bin:/bin` }, stdio: "ignore", timeout: 20_000 });
      return existsSync(MARK);
    };
    expect(runs(), "the real shell does it").toBe(true);
    for (const shell of ["bash", "any"] as const) {
      const { actions, unknowns } = lowerShell(line, { world: smallWorld({ cwd: folder, projectRoot: folder }), shell });
      if (unknowns.length === 0)
        expect(
          actions.some((action) => action.kind === "exec" && couldBe(action, ["evil"])),
          shell,
        ).toBe(true);
    }
  });
});

describe("what a program leaves of an input that it does not read", () => {
  /** What is left behind it, really; undefined where the program is missing. */
  const left = (words: readonly string[]): string | undefined => {
    const { stdout, status } = spawnSync(
      "/bin/bash",
      ["-c", 'command -v "$1" >/dev/null || exit 127; "$@" >/dev/null 2>&1; cat', "-", ...words],
      {
        cwd: folder,
        input: "one\ntwo\n",
        encoding: "utf8",
        timeout: 20_000,
        env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", HOME: folder },
      },
    );
    return status === 127 ? undefined : stdout;
  };
  const told = ([name = "", ...words]: readonly string[]): string => leftBy(name, false, words.map(literal));
  beforeAll(() => {
    for (const words of ["init -q", "-c user.name=a -c user.email=a@b commit -q --allow-empty -m one"])
      spawnSync("git", words.split(" "), { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } });
  });

  test.each(
    (
      "ps|ps aux|pgrep x|pidof x|lsof -h|ss -ltn|printenv HOME|uptime|free|nproc|ldd /bin/ls|readelf -h /bin/ls|lscpu|lsblk|groups|" +
      "git rev-list HEAD|git diff-tree HEAD|git diff-index HEAD|git ls-tree HEAD|git merge-base HEAD HEAD|git cherry HEAD HEAD|" +
      "git for-each-ref --sort=refname|git check-ignore x|git cat-file -t HEAD|git cat-file commit HEAD|" +
      "cat --version|sort --version|tr --version|sed --version|python3 --version|perl --version|xargs --version|bash --version|" +
      "dash --version|busybox --version|bc --version|jq --version|openssl --version|tee --version|fold --version"
    )
      .split("|")
      .map((line) => [line]),
  )("%s leaves all of it", (line) => {
    expect(told(line.split(" "))).toBe("lines");
    expect(left(line.split(" ")) ?? "one\ntwo\n").toBe("one\ntwo\n");
  });

  test.each(
    (
      "git rev-list --stdin|git diff-tree --stdin|git check-ignore --stdin|git check-ignore --std|git cat-file --batch|" +
      "git cat-file --batch-check|git hash-object --stdin|git name-rev --annotate-stdin|git mktree|cat|sort|tr a b"
    )
      .split("|")
      .map((line) => [line]),
  )("%s takes it", (line) => {
    expect(left(line.split(" "))).toBe("");
    expect(told(line.split(" "))).toBe("pieces");
  });
});
