import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REFERENCE } from "@assent/hosts/agents";
import { decide } from "@assent/guard/engine";
import { engine, run, scratch, type Scratch } from "../scratch.ts";

/** Rules about files that a repository had once: what git shows of its commits and its index is held against them. */

function gitIn(place: Scratch): (...words: readonly string[]) => string {
  let second = 1_700_000_000;
  return (...words) =>
    run(
      "env",
      [
        `GIT_COMMITTER_DATE=${second++} +0000`,
        "git",
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.c",
        "-c",
        "protocol.file.allow=always",
        ...words,
      ],
      place.project,
    );
}

/**
 * `secrets/k.txt` was committed, changed and deleted; `deep/.env` stands in the branch `old` alone; since the tag `after` nothing denied
 * was touched.
 */
function repository(keep = false): Scratch {
  const place = scratch({ keep });
  const git = gitIn(place);
  git("init", "-q", "-b", "main");
  place.write("src/a.ts", "a\n");
  place.write("secrets/k.txt", "canary\n");
  git("add", "-f", ".");
  git("commit", "-qm", "one");
  git("checkout", "-q", "-b", "old");
  place.write("deep/.env", "canary\n");
  git("add", "-f", "deep/.env");
  git("commit", "-qm", "old");
  git("checkout", "-q", "main");
  git("rm", "-rq", "secrets");
  git("commit", "-qm", "two");
  for (const text of ["b\n", "c\n", "d\n"]) {
    place.write("src/a.ts", text);
    git("commit", "-qam", text);
    if (text === "b\n") git("tag", "-am", "x", "after");
  }
  return place;
}

function judge(place: Scratch, command: string, deny: readonly string[], rest: object = {}): string {
  writeFileSync(join(place.home, ".agent-permissions.jsonc"), JSON.stringify({ ...rest, permissions: { allow: ["Bash(*)"], deny } }));
  const host = { shell: "bash", decides: true, asks: true, bypassed: false, planning: false, confines: true } as const;
  const facts = REFERENCE.protocol.tools["Bash"];
  const { verdict } = decide(
    { tool: "Bash", facts, input: { command }, cwd: place.project, host, point: "hook", agent: "claude" },
    { machine: place.machine, ...engine, policyFiles: [], audit: false, memory: "none" },
  );
  return verdict.decision;
}

const RULES = (place: Scratch): readonly string[] => [`Read(${place.project}/secrets/**)`, "Read(**/.env)"];

const SHOWN = [
  "git log -p",
  "git log -p -7",
  "git log -S canary -p",
  "git log --patch-with-stat",
  "git log --cc",
  "git log -p --all -- ':!src'",
  "git log -p --follow src/a.ts",
  "git log -p -n -1",
  "git log -p --max-count=2 --skip=2",
  "git log -p -1 --reverse HEAD~3",
  "git log -p -2 old",
  "git log -p after",
  "git log -p HEAD~4..HEAD",
  "git log -p main...old",
  "git log -p ^after old",
  "git log -p -1 --no-walk HEAD~3",
  "git log -p -1 --author=a",
  "git show HEAD~3",
  "git show HEAD~2^",
  "git show HEAD^^^",
  "git show old",
  "git show refs/heads/old",
  "git show heads/old",
  "git show after~1",
  "git show after^{commit}~1",
  "git show main@{3}",
  "git show @{3}",
  "git show -4",
  "git show :/two",
  "git show HEAD^{/two}",
  "git show --not after --not old",
  "git whatchanged -p",
  "git reflog -p",
  "git log -g -p",
  "git diff after~1 HEAD~4",
  "git diff old",
  "git diff old HEAD",
  "git diff HEAD..old",
  "git diff HEAD...old",
  "git diff old...HEAD",
  "git diff $(git merge-base old HEAD)",
  "git diff HEAD~4: HEAD:",
  "git diff-tree -p HEAD~3",
  "git diff-tree -p old HEAD",
  "git diff-index -p old",
  "git grep canary old",
  "git grep canary HEAD~4",
  "git grep canary old: ",
  "git grep canary $(git rev-list --all)",
  "git archive old",
  "git archive HEAD~4",
  "git archive old:",
  "git format-patch --stdout -4",
  "git format-patch --stdout HEAD~4",
  "git format-patch --stdout --root",
  "git format-patch --stdout HEAD~4..HEAD",
  "git request-pull -p HEAD~4 origin",
  "git rev-list --objects HEAD",
  "git rev-list --objects --all",
  "git fast-export --all",
  "git fast-export main",
  "git bundle create - main",
  "git bundle create - --all",
  "git range-diff HEAD~4..HEAD old~1..old",
  "git merge-tree --trivial-merge HEAD~4 HEAD old",
  "git log --format=%H | xargs git show",
  "git rev-list HEAD | git show --stdin",
  "git log -p nobody-knows-this",
];

const NOT_SHOWN = [
  "git log",
  "git log --stat",
  "git log --oneline --all",
  "git log -p -- src",
  "git log -p old -- src",
  "git log -p -2",
  "git log -n1 -p",
  "git log -p --max-count=1 --stat HEAD~1",
  "git log -p after..",
  "git log -p after..HEAD",
  "git log -p HEAD ^after",
  "git log -p HEAD...after",
  "git show",
  "git show HEAD",
  "git show HEAD~1",
  "git show HEAD~3 -- src",
  "git show --stat old",
  "git show after",
  "git show main@{0} --stat",
  "git show HEAD~4:src/a.ts",
  "git show HEAD:src",
  "git diff",
  "git diff --cached",
  "git diff HEAD",
  "git diff HEAD~1",
  "git diff HEAD~2 HEAD",
  "git diff HEAD~2..HEAD",
  "git diff HEAD~2...HEAD",
  "git diff --name-only old",
  "git diff HEAD~1:src HEAD:src",
  "git diff-tree -p HEAD",
  "git grep canary",
  "git grep canary HEAD",
  "git grep canary old -- src",
  "git grep -l canary old",
  "git blame src/a.ts",
  "git archive HEAD",
  "git archive HEAD~1 src",
  "git archive old:src",
  "git format-patch --stdout -1",
  "git format-patch --stdout -2",
  "git format-patch --stdout after",
  "git format-patch --stdout after..HEAD",
  "git bundle create - after..main",
  "git rev-list --objects after..main",
  "git status -v",
  "git ls-tree -r HEAD --name-only",
];

describe.each(["as git keeps it", "after `git gc`"])("a repository %s", (kept) => {
  let place: Scratch;
  beforeAll(() => {
    place = repository(true);
    if (kept.includes("gc")) gitIn(place)("gc", "-q", "--aggressive", "--prune=now");
  });

  afterAll(() => rmSync(place.root, { recursive: true, force: true }));

  test.each(SHOWN)("shows a denied file of another commit: %s", (command) => {
    expect(judge(place, command, RULES(place))).toBe("ask");
  });

  test.each(NOT_SHOWN)("shows none: %s", (command) => {
    expect(judge(place, command, RULES(place))).toBe("allow");
  });
});

test("rules about other files ask nothing more of what git shows", () => {
  const place = repository();
  for (const command of [...SHOWN, ...NOT_SHOWN]) {
    const outside = ["Read(~/elsewhere/**)", "Read(never/was/**)"];
    expect(judge(place, command, outside), command).toBe(judge(place, command, []));
  }
});

describe("what git keeps elsewhere, or what the line does not name", () => {
  test("a stash holds what was changed", () => {
    const place = repository();
    const git = gitIn(place);
    place.write("secrets/new.txt", "canary\n");
    git("add", "-f", "secrets/new.txt");
    git("stash");
    for (const command of [
      "git stash show -p",
      "git stash show -p 0",
      "git show stash",
      "git diff stash@{0}",
      "git stash list -p",
      "git stash show -- stash@{0}",
    ])
      expect(judge(place, command, RULES(place)), command).toBe("ask");
    git("stash", "clear");
    place.write("src/a.ts", "e\n");
    git("stash");
    expect(judge(place, "git stash show -p", RULES(place))).toBe("allow");
  });

  test("a file that is only in the index is shown by `git diff`", () => {
    const place = repository();
    place.write("secrets/new.txt", "canary\n");
    gitIn(place)("add", "-f", "secrets/new.txt");
    rmSync(join(place.project, "secrets"), { recursive: true });
    for (const command of ["git diff", "git diff --cached", "git grep --cached canary"])
      expect(judge(place, command, RULES(place)), command).toBe("ask");
  });

  test("a file that was staged to be deleted is shown by `git diff HEAD`, and no longer after the commit", () => {
    const place = repository();
    const git = gitIn(place);
    git("checkout", "-q", "old");
    git("rm", "-rq", "secrets", "deep");
    for (const command of ["git diff HEAD", "git diff --staged", "git status -v"])
      expect(judge(place, command, RULES(place)), command).toBe("ask");
    git("commit", "-qm", "gone");
    expect(judge(place, "git diff HEAD", RULES(place))).toBe("allow");
  });

  test("the name of a file's object says nothing of where it lies", () => {
    const place = repository();
    const blob = gitIn(place)("rev-parse", "old:deep/.env").trim();
    const tree = gitIn(place)("rev-parse", "old:deep").trim();
    for (const command of [`git show ${blob}`, `git cat-file -p ${blob.slice(0, 9)}`, `git grep x ${tree}`, `git archive ${tree}`])
      expect(judge(place, command, RULES(place)), command).toBe("ask");
    const commit = gitIn(place)("rev-parse", "HEAD~3").trim();
    expect(judge(place, `git show ${commit.slice(0, 8)}`, RULES(place))).toBe("ask");
    expect(judge(place, `git cat-file -p ${gitIn(place)("rev-parse", "HEAD").slice(0, 8)}`, RULES(place))).toBe("allow");
  });

  test.each([
    ["objects of another repository", "objects/info/alternates", "/nowhere/objects\n"],
    ["other parents", "info/grafts", "\n"],
    ["objects in the place of others", "refs/replace/1234", "\n"],
    ["references in a table", "reftable/tables.list", "\n"],
    ["names of another length", "config", "[extensions]\nobjectFormat = sha256\n"],
  ])("with %s it is not known what it shows", (_, file, text) => {
    const place = repository();
    place.write(`.git/${file}`, text);
    for (const command of ["git show HEAD", "git log -p -1"]) expect(judge(place, command, RULES(place)), command).toBe("ask");
    expect(judge(place, "git diff", RULES(place))).toBe("allow");
  });

  test("the history of a shallow clone ends", () => {
    const from = repository();
    const place = scratch();
    rmSync(place.project, { recursive: true });
    run("git", ["clone", "-q", "--depth=2", `file://${from.project}`, place.project], place.home);
    expect(judge(place, "git log -p", RULES(place))).toBe("allow");
    expect(judge(place, "git show HEAD~1", RULES(place))).toBe("allow");
    // There is no such commit.
    expect(judge(place, "git show HEAD~3", RULES(place))).toBe("allow");
  });

  test("a linked working tree shows what the repository has", () => {
    const from = repository();
    gitIn(from)("worktree", "add", "-q", "wt", "old");
    expect(judge(from, "cd wt && git show HEAD", ["Read(**/.env)"])).toBe("ask");
    expect(judge(from, "cd wt && git show HEAD~1", ["Read(**/gone.txt)"])).toBe("allow");
  });

  test("asks for confirmation where commands go ahead sandboxed, too: no sandbox parts what one file keeps", () => {
    const place = repository();
    expect(judge(place, "git log -p", RULES(place), { unknown: "confine" })).toBe("ask");
  });
});

describe("lines of one file are followed to where it had another name", () => {
  let place: Scratch;
  beforeAll(() => {
    place = repository(true);
    const git = gitIn(place);
    place.write("secrets/l.txt", "canary\ntwo\nthree\nfour\n");
    git("add", "-f", "secrets/l.txt");
    git("commit", "-qm", "l");
    git("mv", "secrets/l.txt", "src/l.ts");
    git("commit", "-qm", "moved");
    git("mv", "src/l.ts", "src/m.ts");
    git("commit", "-qm", "moved again");
  });
  afterAll(() => rmSync(place.root, { recursive: true, force: true }));

  test.each([
    ["git log -L1,1:src/m.ts", "deny"],
    ["git log -L :f:src/m.ts", "deny"],
    ["git log -L1,+2:src/m.ts -p", "deny"],
    ["cd src && git log -L1,1:m.ts", "deny"],
    // It was made beside the file that is denied, and did not come from it.
    ["git log -L1,1:src/a.ts", "allow"],
    ["git log -L1,+2:src/a.ts HEAD~2", "allow"],
    // Copies are looked for anywhere.
    ["git log -L1,1:src/a.ts -C", "ask"],
    ["git log -L1,1:src/a.ts --find-copies-harder", "ask"],
    ["git log -L/a/,/b/:src/a.ts", "ask"],
    ["git log -L1,1:src/a.ts -L1,1:src/m.ts", "deny"],
  ])("%s: %s", (command, verdict) => {
    expect(judge(place, command, RULES(place))).toBe(verdict);
  });
});
