import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { REFERENCE } from "@assent/hosts/agents";
import { decide } from "@assent/guard/engine";
import { thisMachine } from "@assent/guard/state";
import { engine } from "../scratch.ts";

/** Not in a temporary folder, where others write. */
mkdirSync(resolve("node_modules/.cache"), { recursive: true });
const home = mkdtempSync(resolve("node_modules/.cache/plain-look-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const git = (...words: readonly string[]): unknown => execFileSync("git", words, { cwd: home, stdio: "ignore" });
const machine = { ...thisMachine(), home, temp: [join(home, "tmp")] };
// Above what is missing git finds a repository of the test's own, and not the clone in which it is played, with whatever is configured there.
git("init", "-q", ".");
for (const name of ["app", "lib", "steered", "hooked", "tmp/made"]) {
  git("init", "-q", name);
  git("-C", name, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one");
}
git("-C", "steered", "config", "core.fsmonitor", "./evil");
writeFileSync(join(home, "hooked/.git/hooks/post-index-change"), "#!/bin/sh\n", { mode: 0o755 });
mkdirSync(join(home, "led"));
writeFileSync(join(home, "led/.git"), `gitdir: ${home}/steered/.git\n`);

function verdict(command: string): string {
  const host = { shell: "bash", decides: true, asks: true, bypassed: false, planning: false } as const;
  const { verdict: found } = decide(
    {
      tool: "Bash",
      facts: REFERENCE.protocol.tools["Bash"],
      input: { command },
      cwd: join(home, "app"),
      host,
      point: "hook",
      agent: "claude",
    },
    { machine, ...engine, policyFiles: [], audit: false, memory: "none" },
  );
  return found.decision;
}

describe("a repository elsewhere is looked at without a question where nothing in it says what git starts", () => {
  it.each([
    "git -C ../lib status",
    "git -C ../lib log -3",
    "cd ../lib && git diff HEAD",
    "git -C ~/lib show --stat",
    "git -C ../missing log",
    "cd ../lib && git branch -a | grep main",
    "git -C ../lib branch --show-current",
    "git -C ../lib branch -r --sort=-committerdate --format='%(refname)'",
    "git -C ../lib --no-pager branch -vv",
    "cd ../lib && git branch --contains HEAD 2>/dev/null || echo none",
    "git -C ../lib branch --list 'm*'",
    "cd ../missing && git tag -l",
    "git -C ../lib tag --points-at HEAD",
    "git -C ../lib stash list",
  ])("allow: %s", (command) => expect(verdict(command)).toBe("allow"));
  it.each([
    // Its configuration, a hook, a `.git` that leads to another's.
    "git -C ../steered status",
    "git -C ../hooked status",
    "git -C ../led status",
    "git -C ../led/sub log",
    // An option or a variable says where it works.
    "git --git-dir=../lib/.git log",
    "git -C ../lib --work-tree=../steered status",
    "GIT_DIR=../steered/.git git -C ../lib status",
    "git -C ../steered branch -a",
    "git -C ../led tag -l",
    // It writes, or it is not known where.
    "git -C ../lib branch new",
    "git -C ../lib branch -a new",
    "git -C ../lib branch --list --no-list new",
    "git -C ../lib branch -l -D main",
    "git -C ../lib branch -C main other",
    "git -C ../lib branch --unset-upstream",
    "git -C ../lib branch --list --edit-description",
    "git -C ../lib branch -a $X",
    "git -C ../lib tag v1",
    "git -C ../lib tag -l -d v1",
    "git -C ../lib tag --points-at HEAD --no-points-at v1",
    "git -C ../lib stash",
    "git -C ../lib stash drop",
    "git -C ../lib commit -m x",
    "git -C ../lib checkout main",
    'cd "$X" && git log',
    "for d in ../*/; do git -C $d log -1; done",
    // Whoever writes there could put another in its place.
    "git -C ~/tmp/made log",
    "git -C /tmp/other status",
  ])("ask: %s", (command) => expect(verdict(command)).toBe("ask"));
});
