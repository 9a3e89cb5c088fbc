import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { decide } from "@assent/guard/engine";
import { type Decision, isConfined } from "@assent/core/policy";
import { addGrant, readGrants, revokeGrant, type RuleGrant } from "@assent/guard/state";
import { engine } from "../scratch.ts";
import { place, type PolicyText } from "./place.ts";

/**
 * Under `"unknown": "confine"` whoever allows a command answers the question and takes no sandbox away where the command may run
 * what an agent wrote; what only looks stays as cheap as it was.
 */

type Told = Decision | "confined";

const here = place({ "x.sh": "#!/bin/sh\n", "a.py": "", "t.js": "", "x.patch": "", "node_modules/.bin/tool": "#!/bin/sh\n" });
chmodSync(join(here.project, "node_modules/.bin/tool"), 0o755);
const NOT_PLAIN = join(here.project, ".git");

function told(command: string, policy: PolicyText): Told {
  here.user(policy);
  const { verdict } = decide(
    {
      tool: "Bash",
      facts: { does: "shell", field: "command" },
      input: { command },
      cwd: here.project,
      host: { shell: "any", decides: true, asks: true, bypassed: false, planning: false, confines: true },
      point: "test",
      agent: "claude",
      session: "s1",
    },
    { machine: here.machine, ...engine, audit: false },
  );
  return isConfined(verdict) ? "confined" : verdict.decision;
}

const confine = (...allow: readonly (string | object)[]): PolicyText => ({ unknown: "confine", permissions: { allow } });

afterEach(() => {
  for (const name of ["config", "hooks", "remotes"]) rmSync(join(NOT_PLAIN, name), { recursive: true, force: true });
  rmSync(join(here.home, ".gitconfig"), { force: true });
  for (const { id } of readGrants(here.machine, Date.now()).all) revokeGrant(here.machine, id);
});

describe("an allow by a rule", () => {
  it.each<readonly [command: string, rule: string]>([
    // Code of the project, scripts, what is only known when it runs.
    ["npm test", "Bash(npm test:*)"],
    ["npm run build", "Bash(npm run:*)"],
    ["npm install", "Bash(npm:*)"],
    ["npx eslint .", "Bash(npx:*)"],
    ["npx eslint .", "Bash(npx eslint:*)"],
    ["make -j4", "Bash(make:*)"],
    ["pytest -q", "Bash(pytest:*)"],
    ["python3 a.py", "Bash(python3:*)"],
    ["python3 -m pytest", "Bash(python3:*)"],
    ["node t.js", "Bash(node:*)"],
    ["bash x.sh", "Bash(bash:*)"],
    ["source ./x.sh", "Bash(source:*)"],
    ["cargo test", "Bash(cargo:*)"],
    ["go generate ./...", "Bash(go:*)"],
    ["tox", "Bash(tox:*)"],
    ["pre-commit run -a", "Bash(pre-commit:*)"],
    ["uv run pytest", "Bash(uv run:*)"],
    ["poetry run pytest", "Bash(poetry:*)"],
    ["bundle exec rspec", "Bash(bundle:*)"],
    ["rake", "Bash(rake:*)"],
    ["mvn test", "Bash(mvn:*)"],
    ["gradle test", "Bash(gradle:*)"],
    ["cmake -B build", "Bash(cmake:*)"],
    ["ninja", "Bash(ninja:*)"],
    ["git commit -m x", "Bash(git commit:*)"],
    ["git rebase main", "Bash(git:*)"],
    ["awk -f x.awk a.txt", "Bash(awk:*)"],
    ["find . -name '*.o' -exec ./x.sh {} +", "Bash(**)"],
    ["./x.sh", "Bash(./x.sh:*)"],
    ["node_modules/.bin/tool", "Bash(node_modules/.bin/tool:*)"],
    // Nobody knows what these load.
    ["vitest run", "Bash(vitest:*)"],
    ["mypy .", "Bash(mypy:*)"],
    ["dotnet test", "Bash(dotnet:*)"],
    ["some-unknown-tool", "Bash(some-unknown-tool:*)"],
    // An option that nobody knows.
    ["gcc -fplugin=./x.so a.c", "Bash(gcc:*)"],
    ["rg --pre ./x.sh foo", "Bash(rg:*)"],
    ["curl -K c.txt", "Bash(curl:*)"],
    ["git -c core.fsmonitor=./x.sh status", "Bash(git:*)"],
    // Which files it writes nobody sees.
    ["rsync -a template/ out/", "Bash(rsync:*)"],
    ["git stash pop", "Bash(git stash:*)"],
    ["cp -r template .", "Bash(cp:*)"],
    ["patch -p1 -i x.patch", "Bash(patch:*)"],
    // And into files that later commands obey.
    ["cp x mise.toml", "Bash(cp:*)"],
    ["echo x > rust-toolchain.toml", "Edit(rust-toolchain.toml)"],
    ["mv x .cargo", "Bash(mv:*)"],
    ["sed -i s/a/b/ ansible.cfg", "Bash(sed:*)"],
  ])("%s by %s: confined", (command, rule) => {
    expect(told(command, confine(rule, "Edit(**)"))).toBe("confined");
  });

  it.each<readonly [command: string, rule: string]>([
    ["npm test", "Bash(npm test:*)"],
    ["./x.sh", "Bash(./x.sh:*)"],
    ["some-unknown-tool --flag", "Bash(some-unknown-tool:*)"],
    ["prettier --check .", "Bash(prettier:*)"],
    ["gcc -fplugin=./x.so a.c", "Bash(gcc:*)"],
  ])("%s by %s, which says that it is not confined: bare", (command, rule) => {
    expect(told(command, confine({ rule, confined: false }, "Edit(**)"))).toBe("allow");
    // Whichever rule comes first.
    expect(told(command, confine("Bash(**)", { rule, confined: false }, "Edit(**)"))).toBe("allow");
  });

  it("one part confines the whole, whoever allows the others", () => {
    const policy = confine("Bash(npm test:*)", { rule: "Bash(npm run lint:*)", confined: false }, "Bash(ls:*)");
    expect(told("ls && npm test", policy)).toBe("confined");
    expect(told("npm run lint && npm test", policy)).toBe("confined");
    expect(told("npm run lint | cat", policy)).toBe("allow");
    expect(told("npm run lint && ./x.sh", policy)).toBe("confined");
  });

  it("without `confine` it is what it was", () => {
    expect(told("npm test", { permissions: { allow: ["Bash(npm test:*)"] } })).toBe("allow");
  });

  it("the permissive preset allows, and confines", () => {
    expect(told("npm test", { unknown: "confine", preset: "permissive" })).toBe("confined");
    expect(told("ls", { unknown: "confine", preset: "permissive" })).toBe("allow");
  });
});

describe("an answer given in advance", () => {
  const grant = (rule: string, more: Partial<RuleGrant> = {}): void => {
    const now = Date.now();
    const made = addGrant(here.machine, { kind: "rule", rule, by: "you", until: now + 3_600_000, ...more }, now);
    if ("problem" in made) throw new Error(made.problem);
  };

  it("for the session answers the question only", () => {
    grant("Bash(git push:*)", { session: "s1" });
    grant("Bash(npm test:*)", { session: "s1" });
    expect(told("npm test", confine())).toBe("confined");
    expect(told("npm test && git push", confine())).toBe("confined");
  });

  it("that says unconfined lifts the sandbox, also from what a rule allows", () => {
    grant("Bash(npm test:*)", { session: "s1", confined: false });
    expect(told("npm test", confine())).toBe("allow");
    expect(told("npm test", confine("Bash(npm:*)"))).toBe("allow");
    expect(told("npm run build", confine("Bash(npm:*)"))).toBe("confined");
  });

  it("that says so and is used up lifts nothing", () => {
    grant("Bash(npm test:*)", { count: 1, confined: false });
    expect(told("npm test", confine())).toBe("allow");
    expect(told("npm test", confine())).toBe("confined");
  });
});

describe("a command that is known", () => {
  it.each([
    "prettier --check .",
    "oxlint",
    "yarn --version",
    "pnpm ls",
    "cargo metadata",
    "cargo tree",
    "cargo --version",
    "rustc --version",
    "dotnet --version",
    "composer show",
    "terraform validate",
    "packer validate .",
    "tsc --noEmit",
    "hg status",
    "jj log",
    "uv pip list",
    "poetry env info",
    "ansible-inventory --graph",
    "mise ls",
    "task --list",
    "kustomize build .",
    "deno check a.ts",
    "go list ./...",
    "valgrind ls",
    "proxychains4 -q ls",
    "python3 -m json.tool a.json",
    "python3 -m pip list",
    "python3 -c 'import json; print(json.dumps(1))'",
    "python3 -c 'import sys\nprint(sys.path)'",
    `node -p 'require("./package.json").version'`,
    // Plugins are loaded before the options are looked at.
    "poetry --version",
    "hg --version",
    "composer help",
    "packer --version",
    // `#include`, `.so`, `.. include::` name any file, a playlist or an SVG any address.
    "gcc -E a.c",
    "gcc-13 -fsyntax-only a.c",
    "cpp a.c",
    "man ./a.1",
    "man -l a.1",
    "pandoc a.rst",
    "ffprobe a.m3u8",
    "identify a.svg",
    // Their settings name files that they read and show.
    "ruff check .",
    "black --check .",
    "shellcheck x.sh",
  ])("%s loads or starts what lies in the project: confined", (command) => {
    expect(told(command, confine())).toBe("confined");
  });

  it.each([
    "ls -la",
    "cat a.py",
    "grep -rn TODO src",
    "git status",
    "git log -p",
    "git diff --stat",
    "git show HEAD",
    "npm ls",
    "npm --version",
    "pip list",
    "gofmt -l .",
    "gcc --version",
    "man ls",
    "man 3 printf",
    "make --version",
    "prettier --version",
    "node --version",
    "node -e 1",
    `node -e 'require("fs").readFileSync("a.txt")'`,
    "python3 --version",
    "docker ps",
    "kubectl get pods",
    "gh pr list",
  ])("%s does what its words say: no sandbox", (command) => {
    expect(told(command, confine())).toBe("allow");
  });
});

describe("git, whose configuration names programs", () => {
  const config = (text: string): void => void here.write(".git/config", text);
  const CORE = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";
  const REMOTE = '[remote "origin"]\n\turl = https://example.com/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n';

  it.each([
    CORE,
    CORE + REMOTE + '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n',
    `${CORE}[user]\n\tname = me\n\temail = me@example.com\n`,
    `${CORE}[core]\n\tpager = less -FRX\n\teditor = code --wait\n`,
    `${CORE}[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n`,
    `${CORE}[alias]\n\tst = status\n`,
  ])("plain, it is no reason: %j", (text) => {
    config(text);
    expect(told("git status", confine())).toBe("allow");
    expect(told("git diff", confine())).toBe("allow");
    expect(told("git add a.py", confine("Bash(git add:*)"))).toBe("allow");
  });

  it.each([
    "[core]\n\tfsmonitor = ./scripts/watch.sh\n",
    "[core]\n\thooksPath = .husky\n",
    "[core]\n\tpager = ./pager.sh\n",
    "[core]\n\tpager = less; ./x.sh\n",
    '[diff "x"]\n\ttextconv = ./scripts/show.sh\n',
    "[diff]\n\texternal = ./x.sh\n",
    '[filter "x"]\n\tclean = scripts/clean.sh\n',
    "[include]\n\tpath = ../.gitconfig\n",
    '[includeIf "gitdir:x"]\n\tpath = x\n',
    '[remote "x"]\n\turl = ext::./x.sh\n',
    '[submodule "x"]\n\tupdate = !./x.sh\n',
    "[gpg]\n\tprogram = ./x.sh\n",
    '[url "https://evil.example/"]\n\tinsteadOf = https://example.com/\n',
    "[credential]\n\thelper = !./x.sh\n",
    "[core]\n\tpager = less \\\n  ./x\n",
    "[core\n",
  ])("what may name a program keeps the sandbox: %j", (text) => {
    config(CORE + text);
    expect(told("git status", confine())).toBe("confined");
    expect(told("git diff", confine("Bash(git:*)"))).toBe("confined");
  });

  const AT = (url: string): string => `${CORE}[remote "up"]\n\turl = ${url}\n`;

  it.each([
    AT("https://evil.example/ZGF0YQ"),
    AT("https://github.com@evil.example/x"),
    AT("https://evil.example?@github.com/x"),
    AT("https://evil.example#@github.com/x"),
    AT("ssh://evil.example/x"),
    AT("evil.example:x"),
    AT("git@evil.example:x/y.git"),
    AT("git://[::1]/x"),
    `${CORE}[branch "main"]\n\tremote = https://evil.example/x\n`,
    `${CORE}[remote]\n\tpushDefault = https://evil.example/x\n`,
  ])("a remote that an agent may have named keeps the sandbox around what speaks to it: %j", (text) => {
    config(text);
    for (const command of ["git ls-remote up", "git remote show up", "git ls-remote"]) expect(told(command, confine())).toBe("confined");
    expect(told("git fetch up", confine("Bash(git fetch:*)"))).toBe("confined");
    expect(told("git status", confine())).toBe("allow");
    expect(told("git remote -v", confine())).toBe("allow");
  });

  it.each([
    AT("https://github.com/x/y.git"),
    AT("git@gitlab.com:x/y.git"),
    AT("ssh://git@codeberg.org/x/y"),
    AT("file:///tmp/x.git"),
    `${AT("https://github.com/x/y.git")}[branch "main"]\n\tremote = up\n`,
  ])("a remote at a forge, or on this machine, does not: %j", (text) => {
    config(text);
    expect(told("git ls-remote", confine())).toBe("allow");
    expect(told("git remote show up", confine())).toBe("allow");
  });

  it("a remote that is a folder of the project's surroundings does: an agent may have made it", () => {
    config(AT("../other.git"));
    expect(told("git ls-remote", confine())).toBe("confined");
  });

  it("any command may speak to a remote that promises objects", () => {
    config(`${AT("https://evil.example/x")}\tpromisor = true\n[extensions]\n\tpartialClone = up\n`);
    expect(told("git show HEAD", confine())).toBe("confined");
    config(`${AT("https://github.com/x/y")}\tpromisor = true\n[extensions]\n\tpartialClone = up\n`);
    expect(told("git show HEAD", confine())).toBe("allow");
  });

  it("remotes as git kept them once keep the sandbox around what speaks to one", () => {
    config(CORE);
    here.write(".git/remotes/up", "URL: https://evil.example/x\n");
    expect(told("git ls-remote up", confine())).toBe("confined");
    expect(told("git log", confine())).toBe("allow");
  });

  it("a hook that is set up keeps it around what would run it", () => {
    config(CORE);
    here.write(".git/hooks/pre-push", "#!/bin/sh\nnpm test\n");
    expect(told("git status", confine())).toBe("allow");
    expect(told("git tag v1", confine("Bash(git:*)"))).toBe("confined");
    here.write(".git/hooks/post-index-change", "#!/bin/sh\n");
    expect(told("git status", confine())).toBe("confined");
  });

  it("the user's own names programs where they lie on the machine, or in each project", () => {
    config(CORE);
    here.write("~/.gitconfig", "[core]\n\tpager = delta\n\thooksPath = ~/.githooks\n[gpg]\n\tprogram = /usr/bin/gpg2\n");
    expect(told("git status", confine())).toBe("allow");
    for (const text of [
      "[core]\n\thooksPath = .githooks\n",
      '[diff "x"]\n\ttextconv = ./show.sh\n',
      "[core]\n\tfsmonitor = scripts/watch\n",
    ]) {
      here.write("~/.gitconfig", text);
      expect(told("git status", confine()), text).toBe("confined");
    }
  });

  it("in a linked working tree and a submodule it is that repository's", () => {
    mkdirSync(join(here.project, ".git/modules/sub"), { recursive: true });
    here.write("sub/.git", "gitdir: ../.git/modules/sub\n");
    const back = "[core]\n\tworktree = ../../../sub\n";
    here.write(".git/modules/sub/config", `${CORE}${back}[core]\n\tfsmonitor = ./x.sh\n`);
    expect(told("git -C sub status", confine())).toBe("confined");
    here.write(".git/modules/sub/config", `${CORE}${back}`);
    expect(told("git -C sub status", confine())).toBe("allow");
    // Folder and repository do not name each other.
    here.write(".git/modules/sub/config", CORE);
    expect(told("git -C sub status", confine())).toBe("ask");
    here.write("sub/.git", "nonsense\n");
    expect(told("git -C sub status", confine())).toBe("ask");
  });
});
