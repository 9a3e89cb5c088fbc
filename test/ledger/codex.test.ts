import type { Decision } from "@assent/core/policy";
import { beforeEach, describe, expect, it } from "vitest";
import { type Asked, type Expected, NOT_ALLOWED, place, type PolicyText, shown, verdicts } from "./place.ts";

/**
 * The features C1 to C10 of codex' approvals, and the weaknesses CW1, CW2, CW7 and CW8, under the default preset without
 * any policy file: auto-approve is `allow`; ask-user is anything but `allow`, or an `allow` where Assent knows better,
 * which the row says.
 */

const here = place({ "b.ts": "", "a.json": "{}", "1p": "" });

interface Row {
  readonly asked: Asked;
  readonly expected: Expected;
  readonly policy?: PolicyText;
}

const rows = (expected: Expected, ...all: readonly Asked[]): Row[] => all.map((asked) => ({ asked, expected }));
const allowed = (...all: readonly Asked[]): Row[] => rows("allow", ...all);
const asked = (...all: readonly Asked[]): Row[] => rows(NOT_ALLOWED, ...all);
const under = (policy: PolicyText, given: readonly Row[]): Row[] => given.map((row) => ({ ...row, policy }));

const edit = (path: string): Asked => ({ tool: "Edit", input: { file_path: path, old_string: "a", new_string: "b" } });
/** How codex runs a script. */
const bash = (script: string, shell = "bash -lc"): string => `${shell} '${script.replaceAll("'", `'\\''`)}'`;

const FEATURES: readonly [what: string, rows: readonly Row[]][] = [
  ["C1: a command is judged with its folder, and every answer has a reason", [...allowed("ls"), ...asked("touch a", "weird")]],
  [
    "C2: suggest: only what surely reads runs by itself",
    under({ mode: "suggest" }, [...allowed("ls", "cat a.txt"), ...asked("touch a", edit("src/a.ts"), "npm test")]),
  ],
  [
    "C2: auto-edit: edits inside the writable roots, too",
    under({ mode: "auto-edit" }, [
      ...allowed("ls", edit("src/a.ts"), "touch a"),
      ...asked(edit("/etc/x"), edit("../x"), "touch ../x", "npm test", "rm a.txt"),
    ]),
  ],
  [
    // Better: without a sandbox that is really there, codex' full-auto ran the rest unconfined (CW5).
    "C2: full-auto: without supervision it is auto-edit",
    under({ mode: "full-auto" }, [...allowed("ls", edit("src/a.ts")), ...asked("npm test", "weird", edit("/etc/x"))]),
  ],
  [
    "C3: whatever the words in front, what runs decides",
    [...allowed(bash("ls"), bash("bash -lc ls")), ...asked("apply_patch x", bash("apply_patch x"), bash("rm -rf x"))],
  ],
  [
    "C4: the known safe commands",
    [
      ...allowed(
        "cd src",
        "ls",
        "ls -la src",
        "pwd",
        "true",
        "echo hi",
        "cat a.txt",
        "rg x",
        "find . -name a.txt",
        "grep -n x a.txt",
        "head a.txt",
        "tail -5 a.txt",
        "wc -l a.txt",
        "which node",
        "git status",
        "git branch",
        "git log",
        "git diff",
        "git show",
        "sed -n 1,5p a.txt",
      ),
      // Better (CW2): it runs build scripts and procedural macros.
      ...asked("cargo check"),
      // Better (CW7): a program's own path is the program.
      ...allowed("/bin/ls", "/usr/bin/cat a.txt"),
    ],
  ],
  [
    "C5: find without an option that acts",
    [
      ...allowed("find .", "find . -type f", "find . -name -delete", "find src -maxdepth 2 -print"),
      ...asked(
        "find . -exec rm {} +",
        "find . -execdir rm {} +",
        "find . -ok rm {} \\;",
        "find . -okdir rm {} \\;",
        "find . -delete",
        "find . -fls x",
        "find . -fprint x",
        "find . -fprint0 x",
        "find . -fprintf x %p",
      ),
    ],
  ],
  [
    "C6: sed that prints lines of a file",
    [
      ...allowed("sed -n 1,5p a.txt", "sed -n 5p a.txt", "sed -n '5p' a.txt"),
      // Better: without a file it reads what it is given.
      ...allowed("sed -n 5p"),
      ...asked("sed -n 5,p a.txt", "sed -i 5p a.txt", "sed -n 'w out' a.txt", "sed -n 1e a.txt"),
    ],
  ],
  [
    "C7: git's subcommand decides",
    [
      ...allowed("git status", "git log -3"),
      ...asked("git push", "git commit -m x", "git checkout main", "git -c core.pager=./evil log", "git -C /tmp/evil status"),
      // Better (CW7): the folder lies in the project.
      ...allowed("git -C src status", "git --no-pager log"),
      // Better: it prints its help.
      ...allowed("git"),
    ],
  ],
  [
    "C8: scripts of a shell are looked into",
    [
      ...allowed(bash("ls"), bash("ls && pwd")),
      ...rows("deny", bash("rm -rf ~"), bash("ls; rm -rf ~")),
      // Better: codex looked into `bash -lc` only.
      ...allowed(bash("ls", "sh -c"), bash("ls", "bash -c"), bash("ls", "zsh -lc"), `${bash("ls")} x`),
      ...rows("deny", bash("rm -rf ~", "sh -c"), bash("rm -rf ~", "bash -c"), bash("rm -rf ~", "zsh -lc"), `${bash("rm -rf ~")} x`),
    ],
  ],
  [
    "C9: what cannot be read is asked, in every mode",
    [
      ...asked(bash('ls "'), bash("ls $("), 'ls "', "ls (", "if ls; then"),
      // Better: codex' full-auto approved it.
      ...under({ mode: "full-auto" }, asked(bash('ls "'), 'ls "')),
    ],
  ],
  [
    "C10: every part of a line must be safe",
    [
      ...allowed(bash("ls && pwd"), "ls && pwd", "ls || pwd", "ls | head", "ls; pwd", "ls;"),
      ...asked("ls && weird", "weird | head", "ls; npm test"),
      ...asked("echo hi > f", "echo hi >> f", "ls >& f", "ls &> f", "&& ls", "ls ;; pwd", "ls | | pwd"),
      // Better (CW7): the shell does nothing but what is listed.
      ...allowed(
        "ls *.ts",
        "ls 2>/dev/null",
        "(ls)",
        "ls |& head",
        "ls & pwd",
        "cat < a.txt",
        "diff <(ls) <(ls src)",
        "ls # why",
        "{ ls; }",
      ),
      ...rows("deny", "(rm -rf ~)", "ls |& rm -rf ~", "ls & rm -rf ~", "diff <(rm -rf ~) a.txt", "{ rm -rf ~; }"),
    ],
  ],
];

const WEAKNESSES: readonly [what: string, rows: readonly Row[]][] = [
  [
    "CW1: the reader is the shell's, not a tokeniser",
    [
      ...rows(
        "deny",
        "ls\nrm -rf ~",
        bash("ls\nrm -rf ~"),
        "echo `rm -rf ~`",
        'echo "$(rm -rf ~)"',
        'echo "${x:-$(rm -rf ~)}"',
        bash('echo "$(rm -rf ~)"'),
        "ls\\\n-la\nrm -rf ~",
      ),
      ...asked("echo `weird`", 'echo "$(weird)"', 'echo "${x:-$(weird)}"', "ls\nweird"),
      ...allowed("ls\npwd", "echo `pwd`", 'echo "$(pwd)"', 'echo "${x:-$(pwd)}"', "ls \\\n  -la"),
    ],
  ],
  [
    "CW2: safe commands that are not",
    [
      ...rows("deny", "git log --output ~/.bashrc", "git diff --output=$HOME/.bashrc", "cat ~/.ssh/id_rsa"),
      ...asked(
        // bash expands no tilde here: a file in a folder called `~`.
        "git log --output=~/.bashrc",
        "git show --output=x",
        "git log --outpu=x",
        "git branch -D main",
        "git branch new",
        "git diff --ext-diff",
        "git show --textconv",
        "git log --ext-diff -p",
        "git -c core.fsmonitor=./evil status",
        "rg --pre ./x.sh y",
        "rg --hostname-bin ./x.sh y",
        "rg -z x --pre=./x.sh",
        "cargo check",
        "sed -n 1p '-ew out'",
        "sed -n 1p '-e1eid'",
        "sed -n 1p -ew\\ out",
        // For root this would be a read of every password's hash.
        "cd /etc && cat shadow",
        "cat /etc/shadow",
      ),
      ...allowed(
        "git log --oneline",
        "git log -p --no-ext-diff",
        "git branch --list",
        "git branch -a",
        "git diff --stat",
        "rg --pretty x",
        "sed -n 1p a.txt",
        "cd src && cat a.ts",
        "cat /etc/os-release",
      ),
    ],
  ],
  [
    "CW7: nothing harmless is asked about",
    [
      ...allowed(
        "ls *.ts",
        "ls src/*",
        "ls 2>/dev/null",
        "ls > /dev/null 2>&1",
        "ls # a comment",
        "/usr/bin/ls",
        "LC_ALL=C ls",
        "sort a.txt",
        "jq . a.json",
        "git -C src log",
        "(cd src && ls)",
        "cat a.txt | sort | uniq -c | sort -rn",
      ),
      ...asked("sort -o a.txt b.txt", "LD_PRELOAD=./x.so ls", "(cd src && weird)", "ls 2>err"),
    ],
  ],
  [
    "CW7: a person's own rules and denies",
    under({ permissions: { allow: ["Bash(npm test:*)"], deny: ["Bash(ls -R:*)"] } }, [
      ...allowed("npm test", "npm test -- --watch", "ls"),
      ...rows("deny", "ls -R", "npm test; ls -R"),
      ...asked("npm run build"),
    ]),
  ],
  [
    "CW8: what a variable holds is not known, and never read as shell text",
    [
      ...asked("$X", "$X a", "git $X", "find . $X", "r${X}m -rf ~", 'rm -rf "$X"', "ls 'unterminated", 'ls "unterminated', bash("ls 'x")),
      ...rows("deny", "rm $UNSET -rf ~", "rm -rf ~ $UNSET"),
      ...asked("rm -rf ${UNSET:-~}"),
      ...allowed('echo "$X"', "echo $X", 'echo "it is $X o\'clock"', "X=a.txt; cat $X", 'X="a b"; echo "$X"'),
    ],
  ],
];

const titled = (all: readonly Row[]): (readonly [string, readonly Decision[], Row])[] =>
  all.map((row) => [shown(row.asked), verdicts(row.expected), row]);

describe.each([...FEATURES, ...WEAKNESSES])("%s", (_what, all) => {
  beforeEach(() => here.user({}));

  it.each(titled(all))("%s: %s", (_shown, expected, row) => {
    if (row.policy !== undefined) here.user(row.policy);
    const { decision, reason } = here.verdict(row.asked);
    expect(expected, reason).toContain(decision);
    expect(reason).not.toBe("");
  });
});
