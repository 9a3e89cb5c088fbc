import { describe, expect, it } from "vitest";
import type { Action } from "@assent/core/action";
import type { Effect } from "../../packages/core/src/policy/match/types.ts";
import { answer, exec, execOf } from "./language.ts";

type Row = readonly [effect: Effect, rule: unknown, command: Action | string, expected: "yes" | "maybe" | "no"];

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  "A12 a prefix rule: the tokens, then anything": [
    ["allow", "Bash(git status:*)", "git status --short", "yes"],
    ["allow", "Bash(git status:*)", "git status", "yes"],
    ["allow", "Bash(git status:*)", "git", "no"],
    ["allow", "Bash(git status:*)", "git stash", "no"],
    ["allow", "Bash(git log:*)", "git log $X", "yes"],
    ["allow", "Bash(npm run test:*)", "npm run test:unit", "no"],
    ["allow", "Bash(npm run test:unit:*)", "npm run test:unit --watch", "yes"],
  ],
  "A13 an exact rule: the tokens and nothing else": [
    ["allow", "Bash(git status)", "git status", "yes"],
    ["allow", "Bash(git status)", "git status -s", "no"],
    ["deny", "Bash(git status)", "git status -s", "no"],
    ["allow", "Bash(git status)", "git status $X", "maybe"],
    ["allow", "Bash(ls *.txt)", "ls *.txt", "yes"],
  ],
  "A14 `*` is one argument, `**` any number": [
    ["allow", "Bash(pnpm ** build:*)", "pnpm build", "yes"],
    ["allow", "Bash(pnpm ** build:*)", "pnpm --dir x build --watch", "yes"],
    ["allow", "Bash(pnpm ** build:*)", "pnpm test", "no"],
    ["allow", "Bash(pnpm --dir * build:*)", "pnpm --dir x build", "yes"],
    ["allow", "Bash(pnpm --dir * build:*)", "pnpm --dir=x build", "no"],
    ["allow", "Bash(pnpm --dir=* build)", "pnpm --dir=x build", "no"],
    ["allow", "Bash(git -C * status)", 'git -C "$X" status', "yes"],
    ["allow", "Bash(git -C * status)", "git -C $X status", "maybe"],
    ["allow", "Bash(a ** b ** c)", "a 1 b 2 b 3 c", "yes"],
    ["allow", "Bash(a ** b ** c)", "a 1 b 2 b 3 c d", "no"],
  ],
  "A15 the program by its basename, the other words as they are": [
    ["allow", "Bash(ls:*)", "/usr/bin/ls -l", "yes"],
    ["allow", "Bash(ls:*)", "lsof", "no"],
    ["allow", "Bash(* --version)", "node --version", "yes"],
    ["allow", "Bash(/usr/bin/ls:*)", "/usr/bin/ls", "yes"],
    ["allow", "Bash(/usr/bin/ls:*)", exec("ls -l", { resolved: "/usr/bin/ls" }), "yes"],
    ["allow", "Bash(/usr/bin/ls:*)", exec("ls -l", { resolved: "/opt/ls" }), "no"],
    ["allow", "Bash(cat /etc/x)", "cat x", "no"],
  ],
  "A16 an option rule": [
    ["deny", { tool: "Bash", command: "sed", when: { hasOption: "-i" } }, "sed -i s/a/b/ f", "yes"],
    ["deny", { tool: "Bash", command: "sed", when: { hasOption: "-i" } }, "sed -n -Ei s/a/b/ f", "yes"],
    ["deny", { tool: "Bash", command: "sed", when: { hasOption: "-i" } }, "sed -n p f", "no"],
    ["deny", { tool: "Bash", command: ["sed", "gsed"], when: { hasOption: ["-i", "--in-place"] } }, "gsed --in-place=.bak p f", "yes"],
    ["deny", { tool: "Bash", command: "frob", when: { hasOption: "-i" } }, "frob -ni f", "yes"],
    ["deny", { tool: "Bash", command: "frob", when: { hasOption: "-i" } }, "frob -iE f", "yes"],
    ["deny", { tool: "Bash", command: "frob", when: { hasOption: "--opt" } }, "frob --opt=1", "yes"],
    ["deny", { tool: "Bash", command: "frob", when: { hasOption: "--opt" } }, "frob --option", "no"],
    ["deny", { tool: "Bash", command: "frob", when: { hasOption: "-i" } }, "frob --in f", "no"],
    ["ask", { tool: "Bash", command: "sed", when: { hasOption: "-i" } }, "/usr/bin/sed -i p f", "yes"],
    ["deny", { tool: "Bash", command: "sed", when: { hasOption: "-i" } }, "sed $X f", "maybe"],
    ["deny", { tool: "Bash", command: "sed", when: { hasOption: "-i" } }, "sed -n p src/$X", "no"],
  ],
  "AW5 a path is not the program of that name": [
    ["allow", "Bash(ls:*)", "./ls", "no"],
    ["allow", "Bash(ls:*)", "~/bin/ls", "no"],
    ["allow", "Bash(ls:*)", "/tmp/ev/ls", "no"],
    ["allow", "Bash(ls:*)", exec("ls", { trusted: false, resolved: "/tmp/ev/ls" }), "no"],
    ["allow", "Bash(* --version)", "./node --version", "no"],
    ["deny", "Bash(ls:*)", "./ls", "yes"],
    ["deny", "Bash(rm:*)", "RM x", "yes"],
    ["allow", "Bash(rm:*)", "RM x", "no"],
    ["allow", "Bash(./build.sh:*)", "./build.sh --all", "yes"],
    ["allow", "Bash(./build.sh:*)", "build.sh", "no"],
    ["allow", "Bash(./build.sh:*)", exec("./build.sh", { resolved: "/home/me/repo/build.sh" }), "yes"],
    ["allow", "Bash(./build.sh:*)", exec("./build.sh", { resolved: "/tmp/ev/build.sh" }), "no"],
    ["deny", "Bash(./deploy.sh:*)", exec("sh/../deploy.sh", { resolved: "/home/me/repo/deploy.sh" }), "yes"],
    ["deny", "Bash(./deploy.sh:*)", exec("deploy.sh", { resolved: "/usr/bin/deploy.sh" }), "no"],
  ],
  "AW6 words count as the shell reads them": [
    [
      "deny",
      "Bash(rm:*)",
      execOf([
        { known: true, text: "rm" },
        { known: true, text: "x" },
      ]),
      "yes",
    ],
    ["deny", "Bash(rm:*)", "$X x", "maybe"],
    ["deny", "Bash(rm:*)", "foo$X x", "maybe"],
    ["allow", "Bash(rm:*)", "$X x", "maybe"],
  ],
  "AW7 a deny rule means every spelling": [
    ["deny", "Bash(rm -rf:*)", "rm -rf x", "yes"],
    ["deny", "Bash(rm -rf:*)", "rm -fr x", "yes"],
    ["deny", "Bash(rm -rf:*)", "rm -r -f x", "yes"],
    ["deny", "Bash(rm -rf:*)", "rm x -r -f", "yes"],
    ["deny", "Bash(rm -rf:*)", "rm --recursive --force x", "yes"],
    ["deny", "Bash(rm -rf:*)", "rm -vfR x", "yes"],
    ["deny", "Bash(rm -rf:*)", "rm $X -rf", "yes"],
    ["deny", "Bash(rm -rf:*)", "rm -r $X", "maybe"],
    ["deny", "Bash(rm -rf:*)", "rm -r -- $X", "no"],
    ["deny", "Bash(rm -rf:*)", "rm -r x", "no"],
    ["deny", "Bash(rm -rf:*)", "rm -r src/$X", "no"],
    ["deny", "Bash(rm -rf:*)", "rm -r *.txt", "no"],
    ["allow", "Bash(rm -rf:*)", "rm -fr x", "no"],
    ["deny", "Bash(rm -rf /*)", "rm -rf /home", "yes"],
    ["deny", "Bash(rm -rf /*)", "rm -rf /*", "yes"],
    ["deny", "Bash(rm -rf /*)", "rm -fr x //home/", "yes"],
    ["deny", "Bash(rm -rf /*)", "rm -rf home", "no"],
    ["deny", "Bash(rm -rf ~)", "rm -rf /home/me", "yes"],
    ["deny", "Bash(rm -rf /)", "rm -rf /", "yes"],
    ["deny", "Bash(rm -rf /)", "rm -rf /srv", "no"],
    ["deny", "Bash(rm -rf src:*)", "rm -rf s*", "maybe"],
    ["deny", "Bash(frob -rf:*)", "frob -r -f", "yes"],
    ["deny", "Bash(git push:*)", "git -C sub push", "yes"],
    ["deny", "Bash(git push:*)", "git log push", "no"],
    ["deny", "Bash(git push --force:*)", "git push origin main --force", "yes"],
    ["deny", "Bash(git push --force:*)", "git push --force-with-lease", "no"],
    ["deny", "Bash(pnpm --dir * build:*)", "pnpm --dir=x build", "yes"],
  ],
  "a deny rule holds with options in front of a subcommand and between its words": [
    ["deny", "Bash(pnpm run build:*)", "pnpm --dir x run build", "yes"],
    ["deny", "Bash(pnpm run build:*)", "pnpm --unheard run --other=x build", "yes"],
    ["deny", "Bash(pnpm run build:*)", "pnpm --unheard x run build", "maybe"],
    ["deny", "Bash(frob a drop:*)", "frob -q a --long=v -- drop", "yes"],
    ["deny", "Bash(frob a drop:*)", "frob -q a --long v drop", "maybe"],
    ["deny", "Bash(frob a drop:*)", "frob -1 v -2 v -3 v -4 v -5 v -6 v -7 v -q a -q drop", "maybe"],
    ["deny", "Bash(frob drop:*)", "frob v drop", "no"],
    ["allow", "Bash(frob drop:*)", "frob --long v drop", "no"],
    ["allow", "Bash(frob drop:*)", "frob -x drop", "no"],
    ["deny", "Bash(git status)", "git -C x status", "yes"],
    ["deny", "Bash(git status)", "git -C x status -s", "no"],
    ["deny", "Bash(git add .)", "git add -p .", "no"],
    ["deny", "Bash(frob drop)", "frob --unheard drop", "yes"],
    ["deny", "Bash(frob drop)", "frob drop --unheard", "no"],
    ["allow", "Bash(git status)", "git -C x status", "no"],
  ],
  "a `*` in a word of a deny rule crosses slashes": [
    ["deny", "Bash(git push origin rel*)", "git push origin release/1.0", "yes"],
    ["deny", "Bash(git push origin rel*)", "git push -q origin rel", "yes"],
    ["deny", "Bash(git push origin rel*)", "git push origin main", "no"],
    ["deny", "Bash(git push origin rel*)", "git push origin release/$X", "maybe"],
    ["deny", "Bash(git push origin rel*)", 'git push origin "$X"', "maybe"],
    ["deny", "Bash(git push origin rel*)", "git push origin main/$X", "no"],
    ["deny", "Bash(git push origin main:*)", "git push origin feature/$X", "no"],
    ["deny", "Bash(git push origin rel*)", "git push origin release/*", "yes"],
    ["deny", "Bash(docker push reg.io/*)", "docker push reg.io/team/app:1", "yes"],
    ["deny", "Bash(cat docs/*.md)", "cat ./docs/x/../a/b.md", "yes"],
    ["allow", "Bash(git push origin rel*)", "git push origin release", "no"],
  ],
  "AW8 options by their meaning, not by their letters": [
    ["deny", { tool: "Bash", command: "sed", when: { hasOption: "--in-place" } }, "sed --in-plac p f", "yes"],
    ["deny", { tool: "Bash", command: "sed", when: { hasOption: "--in-place" } }, "sed -i p f", "yes"],
    ["deny", { tool: "Bash", command: "git", when: { hasOption: "--force" } }, "git push --forc", "yes"],
    ["deny", "Bash(git push --force:*)", "git push --forc", "yes"],
    ["deny", { tool: "Bash", command: "git", when: { hasOption: "-f" } }, "git log -Sfoo", "no"],
    ["deny", { tool: "Bash", command: "git", when: { hasOption: "-f" } }, "git log -- -f", "no"],
    ["deny", { tool: "Bash", command: "frob", when: { hasOption: "-f" } }, "frob -- -f", "no"],
    ["deny", { tool: "Bash", command: "frob", when: { hasOption: "--force" } }, "frob --forc", "maybe"],
  ],
  "AW11 `Bash`, `Bash(*)` and `Bash(:*)` mean every command": [
    ["allow", "Bash", "anything at all", "yes"],
    ["allow", "Bash(*)", "anything at all", "yes"],
    ["allow", "Bash(:*)", "./anything", "yes"],
    ["deny", "Bash()", "$X", "yes"],
    ["deny", "Shell", "anything at all", "yes"],
    ["deny", "Shell(...)", "./anything", "yes"],
  ],
};

for (const [title, rows] of Object.entries(TABLES))
  describe(`${title}`, () => {
    for (const [effect, rule, action, expected] of rows)
      it(`${effect} ${JSON.stringify(rule)} on ${typeof action === "string" ? action : JSON.stringify(action)}: ${expected}`, () => {
        expect(answer(effect, rule, action)).toBe(expected);
      });
  });

describe("a command rule", () => {
  it("says nothing about other kinds of action", () => {
    expect(answer("deny", "Bash", { kind: "privilege", detail: "root", origin: { by: "shell" } })).toBe("no");
  });
});
