import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRule } from "../../packages/core/src/policy/parse-rule.ts";
import { sampleCommands } from "@assent/core/policy/kinds";
import type { Matcher } from "../../packages/core/src/policy/match/types.ts";
import { answer, exec, failure, file, matcherOf, ruleOf, tool, world } from "./language.ts";
import { matchMatcher, matchRule } from "../../packages/core/src/policy/rule.ts";

const text = (...words: string[]) => words.map((word) => ({ is: "text", text: word }));

describe("what a rule is read as", () => {
  const rows: readonly (readonly [rule: unknown, matcher: Partial<Matcher>])[] = [
    ["Bash(git status:*)", { kind: "bash", tokens: text("git", "status"), open: true } as Partial<Matcher>],
    [" Bash( git  status ) ", { kind: "bash", tokens: text("git", "status"), open: false } as Partial<Matcher>],
    [
      "Bash(a * ** ** b)",
      { kind: "bash", tokens: [...text("a"), { is: "one" }, { is: "any" }, ...text("b")], open: false } as Partial<Matcher>,
    ],
    ["Bash", { kind: "bash", tokens: [], open: true }],
    ["Bash(*)", { kind: "bash", tokens: [], open: true }],
    ["Bash(:*)", { kind: "bash", tokens: [], open: true }],
    ["Bash(echo (a))", { kind: "bash", tokens: text("echo", "(a)"), open: false } as Partial<Matcher>],
    [
      { rule: "Bash(ls)", reason: "r", match: ["ls"], notMatch: ["ls x"] },
      { kind: "bash", open: false },
    ],
    [
      { tool: "Bash", command: "x", when: { hasOption: "-i" }, reason: "r" },
      { kind: "option", commands: ["x"], options: ["-i"] },
    ],
    ["Read", { kind: "path", operations: ["read"], tool: "Read" }],
    ["Read(src/**)", { kind: "path", operations: ["read"], pattern: "src/**" }],
    ["Edit(x)", { kind: "path", operations: ["write", "edit"], pattern: "x" }],
    ["Read(app/(group)/[slug]/x)", { kind: "path", pattern: "app/(group)/[slug]/x" }],
    ["Net(example.com:443)", { kind: "net", host: "example.com", port: 443, subdomains: false }],
    ["Net(*.Example.com:*)", { kind: "net", host: "*.example.com", subdomains: false }],
    ["Net([::1]:80)", { kind: "net", host: "[::1]", port: 80 }],
    ["WebFetch(domain:nodejs.org)", { kind: "net", host: "nodejs.org", subdomains: true, tool: "WebFetch" }],
    ["WebFetch(host:nodejs.org)", { kind: "net", host: "nodejs.org", subdomains: false, tool: "WebFetch" }],
    ["mcp__a__*", { kind: "tool", name: "mcp__a__*" }],
    ["*", { kind: "tool", name: "*" }],
    ["Task(prompt:*x*)", { kind: "tool", name: "Task", where: { by: "field", field: "prompt", pattern: "*x*" } }],
    ["Fetch(domain:X.com)", { kind: "tool", name: "Fetch", where: { by: "domain", host: "x.com" } }],
    ["Fetch(src/**)", { kind: "tool", name: "Fetch", where: { by: "path", pattern: "src/**" } }],
  ];
  for (const [rule, matcher] of rows)
    it(JSON.stringify(rule), () => {
      expect(parseRule(rule)).toMatchObject({ ok: true, matcher });
    });

  it.each([
    ["Shell(git stash only(--keep-index, -p))", "Shell(git stash ?--keep-index ?-p !-*)"],
    ["Shell(git stash only(-p) --message)", "Shell(git stash ?-p !-* --message)"],
    ["Shell(git stash !... only(-p))", "Shell(git stash !... ?-p !-*)"],
    ["Shell(aws values(--region, --profile) ec2 describe-*)", "Shell(aws ec2 describe-* ?--region=* ?--profile=*)"],
    ["Shell(aws ec2 values(--region) !-*)", "Shell(aws ec2 !-*)"],
  ])("agentperm's %s is %s", (theirs, ours) => {
    expect(matcherOf(theirs)).toEqual(matcherOf(ours));
  });

  it("reads every part of a Shell rule", () => {
    expect(matcherOf("Shell(git ... push !{a,b} {--force,-f} !-n ?--dry-run --mode=x* !-* !...)")).toEqual({
      kind: "shell",
      program: { negated: false, alternatives: ["git"] },
      operands: [
        { negated: false, alternatives: ["push"] },
        { negated: true, alternatives: ["a", "b"] },
      ],
      gaps: [true, false],
      closed: true,
      flags: [
        { need: "required", names: ["--force", "-f"] },
        { need: "forbidden", names: ["-n"] },
        { need: "permitted", names: ["--dry-run"] },
        { need: "required", names: ["--mode"], value: "x*" },
      ],
      closedFlags: true,
    });
  });

  it("gives reason and examples on", () => {
    expect(parseRule({ rule: "Bash(ls)", reason: "r", match: ["ls"], notMatch: ["ls x"] })).toMatchObject({
      reason: "r",
      match: ["ls"],
      notMatch: ["ls x"],
    });
  });

  it("is plain data", () => {
    for (const [rule] of rows) expect(JSON.parse(JSON.stringify(matcherOf(rule)))).toEqual(matcherOf(rule));
  });
});

describe("AW11 no rule is lost in silence: mistakes have a message and a way out", () => {
  const rows: readonly (readonly [rule: unknown, message: string, help?: string])[] = [
    ["", "empty rule"],
    ["Bash(git status:*", "`(` without `)`", "write `Bash(git status:*)`"],
    ["Bash git status)", "`)` without `(`"],
    ["Bash(git) x", "after `)`", "write `Bash(git)`"],
    ["Bash (git)", "a blank before `(`", "write `Bash(git)`"],
    ["(git)", "starts with a name"],
    ["bash(git:*)", "unknown rule name `bash`", "did you mean `Bash(git:*)`?"],
    ["SHELL", "unknown rule name `SHELL`", "did you mean `Shell`?"],
    ["git status", "is not a rule"],
    ["Read(app/(group/x)", "`(` without `)`", "write `\\("],
    ["Read(a)b)", "`)` without `(`"],
    ["Read({a,b)", "`{` without `}`"],
    ["Read(\\d+)", "unknown escape", "`\\\\`"],
    ["Read($HOME/x)", "not expanded", "write `~/x`"],
    ["Read(domain:x)", "takes a path pattern"],
    ["WebFetch(https://github.com/x)", "takes `domain:`", "write `WebFetch(domain:github.com)`"],
    ["WebFetch(github.com)", "takes `domain:`", "write `WebFetch(domain:github.com)`"],
    ["WebFetch(domain:a b)", "is not a host"],
    ["WebFetch(domain:a*.com)", "whole leading labels", "write `*.example.com`"],
    ["Net(https://x.com/y)", "not a URL", "write `Net(x.com)`"],
    ["Net(x.com:99999)", "is not a port"],
    ["Net(x.com:http)", "is not a port"],
    ["Fetch(https://x.com/y)", "a URL cannot be a scope", "write `domain:x.com`"],
    ['Shell(git commit -m "x y")', "quotes nothing", "write `\\ `"],
    ["Shell(-f x)", "no program"],
    ["Shell(only(-f) git)", "no program"],
    ["Shell(git stash only(x))", "is not a flag"],
    ["Shell(git stash only())", "is not a flag"],
    ["Shell(git stash only(-p)", "`only(-p` is not a flag"],
    ["Shell(git stash values(--a --b) x)", "is not a flag"],
    ["Shell(psql -c <SQL>)", "stands for no word"],
    ["Shell(psql -c <SQL:main>)", "stands for no word"],
    ["Shell(timeout * <EXEC>)", "stands for no word"],
    ["Shell(ssh -- * <SHELL>)", "stands for no word"],
    ["Shell(psql stdin(<SQL:main>))", "stands for no word"],
    ["Shell(mysql sqlvalues(<SQL>,-e,--execute))", "stands for no word"],
    ["Shell(... x)", "in front of the program"],
    ["Shell(git !... push)", "after `!...`"],
    ["Shell(git {--force,x})", "is not a flag"],
    ["Shell(git {x,--force})", "among operands", "write `--`"],
    ["Shell(git !)", "lone `!`"],
    ["Shell(git --f*)", "a wildcard in the flag"],
    ["Shell(git {a,b)", "`{` without `}`"],
    ["Shell(echo \\n)", "unknown escape"],
    [`Shell(x ${"{a,b}".repeat(12)})`, "more than 256"],
    [7, "a string or an object"],
    [null, "a string or an object"],
    [[], "a string or an object"],
    [{}, "needs `rule`"],
    [{ rule: "Bash(ls)", reson: "x" }, "unknown key `reson`", "did you mean `reason`?"],
    [{ rule: 7 }, "`rule` is a string"],
    [{ tool: "Bash", command: "x" }, "`when` is missing"],
    [{ tool: "Read", command: "x", when: { hasOption: "-i" } }, "only be `Bash`"],
    [{ tool: "Bash", command: "x", when: { hasOptions: "-i" } }, "unknown key `hasOptions`", "did you mean `hasOption`?"],
    [{ tool: "Bash", command: [], when: { hasOption: "-i" } }, "`command` is"],
    [{ tool: "Bash", command: "x", when: { hasOption: "i" } }, "is not an option"],
  ];
  for (const [rule, message, help] of rows)
    it(JSON.stringify(rule).slice(0, 80), () => {
      const parsed = parseRule(rule);
      expect(parsed.ok ? "accepted" : parsed.message).toContain(message);
      expect(parsed.ok ? "" : (parsed.help ?? "")).toContain(help ?? "");
    });
});

describe("rules that load but may not mean what they seem to", () => {
  it.each(["Bash(git status; ls:*)", "Bash(a && b)", 'Bash(git commit -m "x y":*)', "Bash(rm --dir=*)", "raed", "Reader"])("%s", (rule) => {
    expect(parseRule(rule)).toMatchObject({ ok: true });
    expect(parseRule(rule)).toHaveProperty("warning");
  });

  it.each(["Bash(git status:*)", "Bash(pnpm ** build)", "Bash(a * b)", "mcp__x__y", "Task", "Read"])("%s does", (rule) => {
    expect(parseRule(rule)).not.toHaveProperty("warning");
  });
});

describe("no input makes reading or matching fail", () => {
  const piece = fc.constantFrom(
    "Bash",
    "Shell",
    "Read",
    "Net",
    "(",
    ")",
    "{",
    "}",
    ",",
    "*",
    "**",
    ":*",
    "...",
    "!",
    "?",
    "--",
    "-f",
    "=",
    "\\",
    "[",
    "]",
    " ",
    "a",
    "/",
    "~",
    "domain:",
    '"',
    "\0",
    "😀",
  );
  const rule = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
  const scoped = fc
    .tuple(fc.constantFrom("Bash", "Shell", "Read", "Net", "WebFetch", "X", "Exec"), rule)
    .map(([name, inner]) => `${name}(${inner})`);

  it("in text", () => {
    const actions = [exec("git push --force a*"), exec("$X -f"), file("read a/**"), file("read ?"), tool("X", { path: "a", url: "\\" })];
    expect(
      failure(
        fc.property(fc.oneof(rule, scoped, fc.string({ unit: "binary" })), (written) => {
          const parsed = parseRule(written);
          if (!parsed.ok) return parsed.message !== "";
          for (const action of actions)
            for (const side of ["narrow", "wide"] as const) matchMatcher(parsed.matcher, action, side, { world: world() });
          sampleCommands(parsed.matcher);
          return true;
        }),
        { numRuns: 5000 },
      ),
    ).toBeUndefined();
  });

  it("in any other value", () => {
    expect(
      failure(
        fc.property(fc.anything(), (value) => {
          parseRule(value);
        }),
      ),
    ).toBeUndefined();
  });

  it("however long", () => {
    for (const inner of [
      "(".repeat(8000),
      "{".repeat(8000),
      "{a,".repeat(2600),
      "\\ ".repeat(4000),
      "!".repeat(8000),
      "a ".repeat(4000),
      "[".repeat(8000),
      "--".repeat(4000),
    ])
      for (const name of ["Bash", "Shell", "Read", "X"]) expect(() => parseRule(`${name}(${inner})`)).not.toThrow();
    expect(parseRule(`Bash(${"x".repeat(10_000)})`).ok).toBe(false);
  });
});

describe("allow is never wider than deny", () => {
  const line = fc
    .array(fc.constantFrom("git", "rm", "push", "-f", "-rf", "--force", "x", "/", "$X", "*.ts", "--", "-m"), { minLength: 1, maxLength: 6 })
    .map((words) => words.join(" "));
  const rule = fc.oneof(
    line.map((words) => `Bash(${words.replace(/\$X/g, "*")}:*)`),
    line.map((words) => `Bash(${words.replace(/\$X/g, "**")})`),
    line.map((words) => `Shell(${words.replace(/^-\S+/, "x").replace(/\$X/g, "...")})`),
  );
  it("what an allow rule matches, the same rule as a deny at least suspects", () => {
    expect(
      failure(
        fc.property(rule, line, (written, command) => {
          if (!parseRule(written).ok) return true;
          return answer("allow", written, command) !== "yes" || answer("deny", written, command) !== "no";
        }),
        { numRuns: 5000 },
      ),
    ).toBeUndefined();
  });
});

describe("the commands a rule describes by its literal part", () => {
  const rows: readonly (readonly [rule: unknown, samples: readonly string[]])[] = [
    ["Bash(rm -rf:*)", ["rm -rf", "rm -rf zqx1"]],
    ["Bash(git push)", ["git push"]],
    ["Bash(git * push)", ["git zqx1 push"]],
    ["Bash", []],
    ["Bash(* push)", []],
    ["Shell(git push {--force,-f} !...)", ["git push --force", "git push -f"]],
    ["Shell(git push --mode=x* ?-n !... )", ["git push --mode=xzqx1", "git push --mode=xzqx1 -n"]],
    ["Shell(git !push !-f)", ["git zqx1", "git zqx1 zqx1"]],
    ["Shell", []],
    ["Read(x)", []],
  ];
  for (const [rule, samples] of rows)
    it(JSON.stringify(rule), () => {
      expect(sampleCommands(matcherOf(rule)).map((argv) => argv.join(" "))).toEqual(samples);
    });

  it("of a command line pattern", () => {
    expect(sampleCommands({ kind: "command", pattern: "git push*" })).toEqual([
      ["git", "push", "zqx1"],
      ["git", "pushzqx1"],
    ]);
  });
});

const ask = (effect: "allow" | "deny", pattern: string, action: ReturnType<typeof exec>) =>
  matchRule({ ...ruleOf(effect, "Bash"), matcher: { kind: "command", pattern } }, action, { world: world() });

describe("YW1 YW2 patterns over one command", () => {
  it.each([
    ["deny", "rm -rf /*", "rm -rf /home/u", "yes"],
    ["deny", "mkfs*", "/sbin/mkfs.ext4 /dev/sda", "yes"],
    ["deny", "dd if=*of=/dev/*", "dd if=/dev/zero of=/dev/sda", "yes"],
    ["allow", "python *", "python src/x.py", "yes"],
    ["allow", "git diff*", "git diff --stat", "yes"],
    ["allow", "git diff*", "./git diff", "no"],
    ["allow", "*", "./anything", "yes"],
    ["allow", "./build.sh*", "./build.sh -x", "yes"],
    ["deny", "git diff*", "./git diff", "yes"],
    ["deny", "rm x", "rm $X", "maybe"],
    ["deny", "rm x", "ls $X", "no"],
    ["allow", "rm x*", "rm $X", "maybe"],
    ["allow", "rm *", "rm $X", "yes"],
  ] as const)("%s %s on %s: %s", (effect, pattern, line, expected) => {
    expect(ask(effect, pattern, exec(line))).toBe(expected);
  });

  it("keeps words with blanks apart for allow", () => {
    const action = exec("x", { argv: ["npm", "run build"].map((word) => ({ known: true, text: word })) });
    expect(ask("allow", "npm run build", action)).toBe("no");
    expect(ask("deny", "npm run build", action)).toBe("yes");
  });
});
