import { describe, expect, it } from "vitest";
import type { ExecAction } from "@assent/core/action";
import type { Effect } from "../../packages/core/src/policy/match/types.ts";
import { answer, exec, execOf } from "./language.ts";

const literal = (...words: string[]): ExecAction => execOf(words.map((text) => ({ known: true, text })));

type Row = readonly [effect: Effect, rule: string, command: ExecAction | string, expected: "yes" | "maybe" | "no"];

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  "A20 the examples of the design": [
    ["allow", "Shell(rm -r -f)", "rm -fr x", "yes"],
    ["allow", "Shell(rm -r -f)", "rm -r x", "no"],
    ["deny", "Shell(git push {--force,-f})", "git push -f", "yes"],
    ["deny", "Shell(git push {--force,-f})", "git push origin --force", "yes"],
    ["deny", "Shell(git push {--force,-f})", "git push", "no"],
    ["allow", "Shell(sed !{-i,--in-place})", "sed -n p f", "yes"],
    ["allow", "Shell(sed !{-i,--in-place})", "sed -ni p f", "no"],
    ["allow", "Shell(sed !{-i,--in-place})", "sed --in-place=.bak p f", "no"],
    ["allow", "Shell(git stash ?-p !-*)", "git stash -p", "yes"],
    ["allow", "Shell(git stash ?-p !-*)", "git stash", "yes"],
    ["allow", "Shell(git stash ?-p !-*)", "git stash -q", "no"],
    ["allow", "Shell(git stash !...)", "git stash", "yes"],
    ["allow", "Shell(git stash !...)", "git stash pop", "no"],
    ["allow", "Shell(git stash !...)", "git stash -q", "yes"],
  ],
  "A20 operands in order, flags anywhere, more may follow": [
    ["allow", "Shell(git push)", "git push origin main", "yes"],
    ["allow", "Shell(git push)", "git -C x push origin", "yes"],
    ["allow", "Shell(git push origin)", "git push --quiet origin", "yes"],
    ["allow", "Shell(git push origin)", "git push upstream", "no"],
    ["allow", "Shell(git push ...)", "git push", "yes"],
    ["allow", "Shell(git push:*)", "git push origin", "yes"],
    ["allow", "Shell(git {status,log,diff})", "git log -p", "yes"],
    ["allow", "Shell(git {status,log,diff})", "git push", "no"],
    ["allow", "Shell(git !{push,commit})", "git log", "yes"],
    ["allow", "Shell(git !{push,commit})", "git push", "no"],
    ["allow", "Shell(git !{push,commit})", "git", "no"],
    ["allow", "Shell({ls,dir})", "ls -l", "yes"],
    ["allow", "Shell(python3*)", "python3.12 x", "yes"],
    ["allow", "Shell(python3*)", "./python3 x", "no"],
    ["deny", "Shell(mkfs* ...)", "/sbin/mkfs.ext4 /dev/sda", "yes"],
  ],
  "A20 `...` is a gap, `**` and `:*` its older spellings": [
    ["allow", "Shell(git remote ... origin)", "git remote set-url --add origin", "yes"],
    ["allow", "Shell(git remote ... origin)", "git remote origin", "yes"],
    ["allow", "Shell(git remote ** origin !...)", "git remote a b origin", "yes"],
    ["allow", "Shell(git remote ... origin !...)", "git remote a origin b", "no"],
    ["deny", "Shell(rm ... /)", "rm x y /", "yes"],
  ],
  "A20 values of flags": [
    ["allow", "Shell(docker run --network=none)", "docker run --network none img", "yes"],
    ["allow", "Shell(docker run --network=none)", "docker run --network=none img", "yes"],
    ["allow", "Shell(docker run --network=none)", "docker run --net=none img", "yes"],
    ["allow", "Shell(docker run --network=none)", "docker run --network host img", "no"],
    ["allow", "Shell(git log --format=%h*)", "git log --format=%h%n", "yes"],
    ["allow", "Shell(docker run --network=none)", 'docker run --network "$N" img', "maybe"],
    ["deny", "Shell(frob --mode=x)", "frob --mode x", "yes"],
    ["deny", "Shell(frob --mode=x)", "frob --mode=x", "yes"],
  ],
  "A20 escapes, and `--` in front of operands that look like flags": [
    ["allow", "Shell(echo \\*)", literal("echo", "*"), "yes"],
    ["allow", "Shell(echo \\*)", "echo a", "no"],
    ["allow", "Shell(echo \\*)", "echo *", "maybe"],
    ["allow", "Shell(echo *)", "echo a", "yes"],
    ["allow", "Shell(frob -- -x)", "frob -- -x", "yes"],
    ["allow", "Shell(frob -- -x)", "frob -x", "no"],
    ["allow", "Shell(echo \\!x)", "echo !x", "yes"],
    ["allow", "Shell(echo \\?x)", literal("echo", "?x"), "yes"],
    ["allow", "Shell(echo \\?x)", "echo ax", "no"],
  ],
  "A20 what is only known at run time": [
    ["allow", "Shell(git push)", "git push $X", "yes"],
    ["allow", "Shell(git push !--force)", "git push $X", "maybe"],
    ["allow", "Shell(git push !--force)", "git push origin/$X", "yes"],
    ["allow", "Shell(git push !--force)", 'git push "$X"', "maybe"],
    ["allow", "Shell(git push !-*)", "git push $X", "maybe"],
    ["allow", "Shell(git push !...)", "git push $X", "maybe"],
    ["deny", "Shell(git push --force)", "git push $X", "maybe"],
    ["deny", "Shell(git push --force)", "git $X", "maybe"],
    ["allow", "Shell(cat *)", 'cat "$X"', "yes"],
    ["allow", "Shell(cat *)", "cat $X", "maybe"],
    ["deny", "Shell(cat .env)", "cat .e*", "maybe"],
    ["deny", "Shell(cat .env)", "cat *.txt", "no"],
  ],
  "A20 a program nobody knows": [
    ["allow", "Shell(frob status)", "frob status", "yes"],
    // `status` may be the value of `--config`, and `evil` the subcommand.
    ["allow", "Shell(frob status)", "frob --config status evil", "maybe"],
    ["allow", "Shell(frob --config status)", "frob --config status evil", "yes"],
    ["deny", "Shell(frob status)", "frob --config status evil", "yes"],
    ["allow", "Shell(frob !-i)", "frob -ni x", "no"],
    ["allow", "Shell(frob !--in-place)", "frob --in-p x", "maybe"],
    ["allow", "Shell(./run.sh)", "./run.sh a", "yes"],
    ["allow", "Shell(run.sh)", "./run.sh a", "no"],
    ["deny", "Shell(run.sh)", "./run.sh a", "yes"],
  ],
  "a deny rule holds with options in front of a subcommand and between its words": [
    ["deny", "Shell(pnpm run build)", "pnpm --unheard run --other=x build", "yes"],
    ["deny", "Shell(pnpm run build)", "pnpm --unheard x run build", "maybe"],
    ["deny", "Shell(frob a drop)", "frob -q a --long v drop", "maybe"],
    ["deny", "Shell(frob a drop !...)", "frob -q a --long v drop -1 w", "maybe"],
    ["deny", "Shell(frob !list)", "frob -v list x", "maybe"],
    ["allow", "Shell(frob drop)", "frob --long v drop", "no"],
  ],
  "A20 a shape that lowering could only guess": [
    [
      "deny",
      "Shell(frob --mode=x)",
      exec("frob --mode=x", { shape: { options: [{ names: ["--mode"] }], operands: [], complete: false } }),
      "yes",
    ],
    ["deny", "Shell(frob -r)", exec("frob -vr", { shape: { options: [], operands: [], complete: false } }), "yes"],
    [
      "deny",
      "Shell(git push --force)",
      exec("git push --odd x --force", {
        shape: { options: [], operands: [{ known: true, text: "push" }], complete: false },
        knowledge: "git push",
      }),
      "maybe",
    ],
  ],
  "A20 options that knowledge has no entry for": [
    ["allow", "Shell(git push !--force)", "git push --unheard-of", "maybe"],
    ["allow", "Shell(git push)", "git push --unheard-of", "yes"],
    ["deny", "Shell(git push --force)", "git push --unheard-of", "no"],
  ],
};

for (const [title, rows] of Object.entries(TABLES))
  describe(`${title}`, () => {
    for (const [effect, rule, action, expected] of rows)
      it(`${effect} ${rule} on ${typeof action === "string" ? action : JSON.stringify(action)}: ${expected}`, () => {
        expect(answer(effect, rule, action)).toBe(expected);
      });
  });

describe("a long-option program with one dash", () => {
  const shape = { options: [{ names: ["-delete"] }], operands: [{ known: true as const, text: "." }], complete: true };

  it("is not taken for a cluster", () => {
    expect(answer("deny", "Shell(find -delete)", exec("find . -delete", { shape }))).toBe("yes");
    expect(answer("allow", "Shell(find !-exec)", exec("find . -delete", { shape }))).toBe("yes");
    expect(answer("allow", "Shell(find !-delete)", exec("find . -delete", { shape }))).toBe("no");
  });

  it("nor for an operand, when knowledge reads it as part of an expression", () => {
    const words = [".", "-name", "x", "-delete"].map((text) => ({ known: true as const, text }));
    const expression = { options: [], operands: words, complete: true };
    const find = exec("find . -name x -delete", { shape: expression, knowledge: "find" });
    expect(answer("allow", "Shell(find !-delete)", find)).toBe("no");
    expect(answer("allow", "Shell(find !-exec)", find)).toBe("yes");
    expect(answer("deny", "Bash(find -delete:*)", find)).toBe("yes");
    expect(answer("deny", "Shell(find -name=x)", find)).toBe("yes");
    expect(answer("allow", "Shell(find ?-name !-*)", find)).toBe("no");
  });
});
