import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { place } from "./place.ts";

/**
 * What a version control system takes in can be read from there without naming the file again (`git diff --cached`): where a
 * rule allows `git add`, taking in a secret is reading it.
 */
const here = place({ ".env": "KEY=1", "sub/.env": "KEY=1", "a.txt": "", "sub/b.ts": "", "conf/.netrc": "", ".envrc.bak": "" });
execFileSync("git", ["-C", here.project, "init", "-q"], { stdio: "ignore" });
here.user({ permissions: { allow: ["Bash(git:*)", "Bash(hg:*)", "Bash(jj:*)", "Bash(svn:*)"] } });
const decided = (ignore: string, line: string): string => {
  writeFileSync(join(here.project, ".gitignore"), ignore);
  return here.verdict(line).decision;
};
const IGNORED = ".env\n.netrc\n.envrc.bak\n";

describe("a secret that is named", () => {
  it.each([
    "git add .env",
    "git add -f .env",
    "git add -N .env",
    "git add -A -- sub/.env",
    "git add a.txt .env",
    "git stage .env",
    "git -C sub add .env",
    "git -C . --literal-pathspecs add .env",
    "git add ':(top).env'",
    "git add :/.env",
    "cd sub && git add .env",
    "x=.env; git add $x",
    "git add ./sub/../.env",
    "git add ~/.ssh/id_rsa",
    "git update-index --add .env",
    "git add -f conf/.netrc",
    "hg add .env",
    "hg commit -A .env -m x",
    "svn add .env",
    "jj file track .env",
    "jj file show .env",
    "jj file show root:.env",
    "jj diff sub/.env",
  ])("%s: is refused, ignored or not", (line) => {
    expect([decided("", line), decided(IGNORED, line)]).toEqual(["deny", "deny"]);
  });
});

describe("a walk that comes by one", () => {
  it.each([
    "git add .",
    "git add -A",
    "git add sub",
    "git add '.e*'",
    "git add '*'",
    "git add ':(glob)**'",
    "git stash -u",
    "git add -Av .",
    "git -C sub add .",
  ])("%s: is asked, and goes ahead where git ignores it", (line) => {
    expect([decided("", line), decided(IGNORED, line)]).toEqual(["ask", "allow"]);
  });
  it.each(["git add -f .", "git add --force -A sub", "git stash -a", "git add -fA", "git add -f '*'", "git update-index --add --stdin"])(
    "%s: takes in what is ignored, too",
    (line) => {
      expect(decided(IGNORED, line)).toBe("ask");
    },
  );
  it.each([
    "git add -u",
    "git commit -am x",
    "git add a.txt",
    "git add sub/b.ts",
    "git add '*.ts'",
    "git add -n .",
    "git add new.txt",
    "git stash",
  ])("%s: takes in nothing of the kind", (line) => {
    expect(decided("", line)).toBe("allow");
  });
});

describe("what git ignores is only known while its lists stay as they are", () => {
  beforeAll(() => here.user({ permissions: { allow: ["Bash(git:*)", "Bash(rg:*)", "Edit(**)", "Write(**)", "Delete(**)"] } }));
  it.each([
    ": > .gitignore; git add .",
    "git add . && echo x > .gitignore",
    "echo '!.env' >> sub/.gitignore; git add sub",
    "sed -i d .gitignore; git add -A",
    "tee .gitignore < /dev/null; git add -A",
    "cp /dev/null .gitignore; git stash -u",
    "git mv .gitignore x && git add -A",
    "rm .git*; git add -A",
    "for f in .g*; do : > $f; done; git add -A",
    "while git add .; do echo x > .gitignore; done",
    "f() { : > .gitignore; }; f; git add .",
    "echo '!.env' > .ignore; rg KEY",
    "(echo '!.env' > .rgignore) & rg KEY",
    "echo '!.env' | tee -a .git/info/exclude; rg KEY",
  ])("%s: is asked", (line) => expect(decided(IGNORED, line)).toBe("ask"));

  it.each([
    "echo x > src/b.ts && git add .",
    "sed -i s/a/b/ sub/*.ts && git add -A",
    "for f in sub/*.ts; do sed -i s/a/b/ $f; done; git add -A",
    "find . -name '*.ts' -exec sed -i s/a/b/ {} +; git add -A",
    "touch notes.md; rg KEY",
    "cat .gitignore; git add -A",
  ])("%s: goes ahead", (line) => expect(decided(IGNORED, line)).toBe("allow"));
});

describe("a repository inside the project has lists of its own", () => {
  it.each(["git -C inner add .", "cd inner && git add -A", "git add inner"])("%s: is asked", (line) => {
    execFileSync("git", ["-C", here.project, "init", "-q", "inner"], { stdio: "ignore" });
    writeFileSync(join(here.project, "inner/.env"), "KEY=1");
    expect(decided(IGNORED, line)).toBe("ask");
  });
});
