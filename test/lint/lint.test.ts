import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inspect } from "@assent/guard/inspect";
import { CODES, lint, type Finding, type LintCode } from "@assent/guard/lint";
import { readTable } from "@assent/guard/policy-test";
import { assent, engine, scratch, type Scratch } from "../scratch.ts";
import { workedSince } from "../worked.ts";

function findings(text: string, place: Scratch = scratch()): readonly Finding[] {
  const file = place.write("policy.jsonc", text);
  return lint(inspect({ machine: place.machine, cwd: place.project, own: engine.own, only: [file] }));
}
const codesOf = (text: string, place?: Scratch): readonly LintCode[] => findings(text, place).map(({ code }) => code);
const policy = (effect: string, ...rules: readonly unknown[]): string => JSON.stringify({ permissions: { [effect]: rules } });

describe("docs/lint.md", () => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/lint.md"), "utf8");
  const parts = new Map(
    text
      .split(/^### /m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf("\n")).trim(), part] as const),
  );

  it("has a part for each code and no other, with its severity", () => {
    expect([...parts.keys()]).toEqual(Object.keys(CODES));
    for (const [code, { severity }] of Object.entries(CODES))
      expect(parts.get(code)).toMatch(new RegExp(`^\\*${severity === "info" ? "note" : severity}\\*:`, "m"));
  });

  it.each([...parts])("%s: the first block is found, the second is not", (code, part) => {
    const blocks = [...part.matchAll(/```jsonc\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
    expect(blocks).toHaveLength(2);
    expect(codesOf(blocks[0] ?? "")).toContain(code);
    // What to write instead is without any warning at all.
    const instead = findings(blocks[1] ?? "").filter(({ severity }) => severity !== "info");
    expect(instead).toEqual([]);
    expect(codesOf(blocks[1] ?? "")).not.toContain(code);
  });

  it("the table of docs/policy.md is one", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/policy.md"), "utf8");
    const [, block = ""] = /## Testing your policy[\s\S]*?```text\n([\s\S]*?)```/.exec(page) ?? [];
    expect(readTable(block).faults).toEqual([]);
    const place = scratch();
    place.write("docs.assent-test", block);
    expect(assent(place, ["test"])).toMatchObject({ status: 0, stdout: `${readTable(block).tests.length} passed, in 1 file\n` });
  });
});

describe("wrappers and aliases without effect", () => {
  it.each<readonly [keys: object, said: readonly string[]]>([
    [{ wrappers: ["npx"] }, ["npx"]],
    [{ wrappers: ["git run"] }, ["git"]],
    [{ wrappers: ["env", "wrap-x run"], aliases: { kubectl: "k" } }, ["env", "kubectl"]],
    [{ aliases: { ls: "eza" } }, ["ls"]],
    [{ wrappers: ["wrap-x"], aliases: { kx: "kubectl", gp: "git push" } }, []],
    [{ wrappers: [], aliases: {} }, []],
  ])("%j: %j", (keys, said) => {
    const found = findings(JSON.stringify(keys)).filter(({ code }) => code === "AL041");
    expect(found.map(({ message }) => /^`([^`]+)` has no effect here/.exec(message)?.[1])).toEqual(said);
  });
});

describe("allow rules that allow too much", () => {
  it.each<readonly [rule: string, code: LintCode | undefined]>([
    // What runs is decided by what follows.
    ...[
      "python3",
      "python3.12",
      "node",
      "deno",
      "ruby",
      "perl",
      "php",
      "bash",
      "sh",
      "zsh",
      "fish",
      "pwsh",
      "lua",
      "source",
      "ts-node",
      "gdb",
      "osascript",
    ].map((program): [string, LintCode] => [`Bash(${program}:*)`, "AL001"]),
    ["Bash(npx:*)", "AL001"],
    ["Bash(bunx:*)", "AL001"],
    ["Bash(npm exec:*)", "AL001"],
    ["Bash(npm:*)", "AL001"],
    ["Bash(npx -y:*)", "AL001"],
    ["Bash(python3 -c:*)", "AL001"],
    ["Bash(perl -pe:*)", "AL001"],
    ["Bash(python3 *)", "AL001"],
    ["Bash(/usr/bin/python3:*)", "AL001"],
    ["Shell(python3 ...)", "AL001"],
    ["Shell({python3,node})", "AL001"],
    // Other commands.
    ...[
      "xargs",
      "env",
      "sudo",
      "doas",
      "timeout 5",
      "nohup",
      "nice",
      "find",
      "fd",
      "watch",
      "eval",
      "strace",
      "parallel",
      "time",
      "setsid",
      "busybox",
      "flock x",
    ].map((program): [string, LintCode] => [`Bash(${program}:*)`, "AL002"]),
    ["Bash", "AL003"],
    ["Bash(*)", "AL003"],
    ["Bash(:*)", "AL003"],
    ["Bash(* --version:*)", "AL003"],
    ["Shell(*)", "AL003"],
    ["Shell(!rm)", "AL003"],
    ["*", "AL003"],
    ["mcp__*", "AL003"],
    ["Bash(git:*)", "AL004"],
    ["Shell(git)", "AL004"],
    ["Bash(gh pr:*)", "AL004"],
    ["Bash(docker:*)", "AL004"],
    ["Bash(kubectl:*)", "AL004"],
    ["Bash(aws:*)", "AL004"],
    ["Edit", "AL005"],
    ["Write(**)", "AL005"],
    ["Delete(/**)", "AL005"],
    ["Edit(~/**)", "AL005"],
    ["Net(*)", "AL005"],
    ["WebFetch", "AL005"],
    ["Bash(ourtool:*)", "AL006"],
    // Named, or harmless.
    ["Bash(python3 scripts/build.py:*)", undefined],
    ["Bash(python3 -m pytest:*)", undefined],
    ["Bash(node build.js:*)", undefined],
    ["Shell(python3 build.py)", undefined],
    ["Bash(npx tsc:*)", undefined],
    ["Bash(npm test:*)", undefined],
    ["Bash(npm run build:*)", undefined],
    ["Bash(make:*)", undefined],
    ["Bash(cargo build:*)", undefined],
    ["Bash(git commit:*)", undefined],
    ["Bash(git push:*)", undefined],
    ["Bash(git push --force:*)", undefined],
    ["Bash(jq:*)", undefined],
    ["Bash(ls:*)", undefined],
    ["Bash(python3 --version)", undefined],
    ["Read", undefined],
    ["Read(**)", undefined],
    ["Edit(src/**)", undefined],
    ["WebFetch(domain:nodejs.org)", undefined],
    ["mcp__memory__*", undefined],
  ])("%s: %s", (rule, code) => {
    const found = codesOf(policy("allow", rule)).filter((one) => one !== "AL040" && (code === "AL006" || one !== "AL006"));
    expect(found).toEqual(code === undefined ? [] : [code]);
  });

  it("says what the rule lets through, and a way out", () => {
    expect(findings(policy("allow", "Bash(git:*)"))[0]?.message).toContain("`git push`");
    expect(findings(policy("allow", "Bash(python3:*)"))[0]).toMatchObject({
      line: 1,
      severity: "warning",
      rule: "Bash(python3:*)",
      help: expect.stringContaining("Bash(python3 scripts/build.py:*)") as unknown,
    });
  });

  it("names the narrow rules that stop the other ways to force a push, and they do", () => {
    const [found] = findings(policy("deny", "Bash(git push --force:*)"));
    expect(found?.help).toBe(
      "to deny these, too, write `Shell(git push {--delete,--force-with-lease,--mirror} ...)` and `Shell(git push ... {+,:}* ...)`",
    );
    const added = ["Bash(git push --force:*)", ...[...(found?.help ?? "").matchAll(/`([^`]+)`/g)].map(([, rule = ""]) => rule)];
    expect(codesOf(JSON.stringify({ permissions: { deny: added } }))).toEqual([]);
  });

  it("operations blocks count", () => {
    const execute = (rules: readonly unknown[], fallback?: string): string =>
      JSON.stringify({ operations: { execute: { ...(fallback === undefined ? {} : { default: fallback }), rules } } });
    expect(codesOf(execute([{ pattern: "python3 *", action: "allow" }]))).toEqual(["AL001"]);
    expect(codesOf(execute([{ pattern: "git*", action: "allow" }]))).toContain("AL004");
    expect(codesOf(execute([], "allow"))).toEqual(["AL003"]);
    expect(codesOf(execute([{ pattern: "git diff*", action: "allow" }]))).toEqual([]);
  });
});

describe("deny and ask rules that stop too little", () => {
  it.each<readonly [effect: string, rules: readonly string[], codes: readonly LintCode[]]>([
    ["deny", ["Bash(git push --force)"], ["AL020"]],
    ["ask", ["Bash(git push)"], ["AL020"]],
    ["deny", ["Bash(rm -rf /)"], ["AL020"]],
    ["deny", ["Bash(git push --force:*)"], ["AL021"]],
    ["deny", ["Bash(git push:*)"], []],
    // What the built-in protection asks about anyway is not let pass by an ask rule.
    ["ask", ["Bash(git push --force:*)"], []],
    ["deny", ["Shell(git push --force ...)"], ["AL021"]],
    ["deny", ["Shell(git push {--force,--force-with-lease,--delete,--mirror,--prune} ...)", "Shell(git push ... {+,:}* ...)"], []],
    // Another subcommand is no other way to write this one.
    ["deny", ["Bash(kubectl delete:*)"], []],
    ["deny", ["Bash(docker system prune:*)"], []],
    ["deny", ["Bash(git push *)"], ["AL025"]],
    ["ask", ["Bash(git push *)"], ["AL025"]],
    ["deny", ["Bash(git push * *)"], ["AL025"]],
    ["deny", ["Bash(git * origin *)"], ["AL025"]],
    ["deny", ["Bash(git push *)", "Bash(git push:*)"], ["AL032"]],
    // It denies `git commit -m x`, so it is not about one line.
    ["deny", ["Bash(git commit*)"], ["AL011"]],
    ["deny", ["Raed(**)"], ["AL000"]],
    ["ask", ["Wirte(src/**)"], ["AL000"]],
    ["deny", ["WebFecth(domain:example.com)"], ["AL000"]],
    ["deny", ["mcp__files__raed(path:x)", "Task(x)", "Agent(x)"], []],
    ["deny", ["Shell(git push ...)"], []],
    ["deny", ["Bash(git push --force)", "Shell(git push ...)"], ["AL032"]],
    ["deny", ["Read(.env)"], ["AL022"]],
    ["deny", ["Read(*.pem)"], ["AL022"]],
    ["ask", ["Edit(package.json)"], ["AL022"]],
    ["deny", ["Read(**/.env)"], []],
    ["deny", ["Read(.env)", "Read(**/.env*)"], ["AL032"]],
    ["deny", ["Read(config/.env)"], []],
    ["deny", ["Read(src)"], ["AL023"]],
    ["deny", ["Read(src/)"], []],
    ["deny", ["Read(private/*)"], ["AL023"]],
    ["deny", ["Edit(vendor/**)"], ["AL024"]],
    ["deny", ["Edit(vendor/**)", "Write(vendor/**)"], []],
    ["deny", ["Write(vendor/**)"], []],
    ["deny", ["Bash(curl:*)"], []],
  ])("%s %j: %j", (effect, rules, codes) => {
    expect(codesOf(policy(effect, ...rules))).toEqual(codes);
  });
});

describe("the rest", () => {
  it("places and order: as in the file", () => {
    const found = findings(
      '{\n  "permissions": {\n    "deny": ["Read(.env)"],\n    "allow": ["Bash(bash:*)",\n      "Bash(env:*)"]\n  }\n}',
    );
    expect(found.map(({ code, line, column }) => [code, line, column])).toEqual([
      ["AL022", 3, 14],
      ["AL001", 4, 15],
      ["AL002", 5, 7],
    ]);
  });

  it("what an untrusted project allows is not worth a word", () => {
    const place = scratch();
    place.write(".agent-permissions.jsonc", policy("allow", "Bash(python3:*)"));
    expect(lint(inspect({ machine: place.machine, cwd: place.project, own: engine.own }))).toEqual([]);
  });

  it("the command: exit codes and forms", () => {
    const place = scratch();
    expect(assent(place, ["lint"])).toMatchObject({ status: 0, stdout: "no problems found\n" });
    place.write("w.jsonc", policy("allow", "Bash(python3:*)"));
    place.write("n.jsonc", policy("allow", "Bash(ourtool:*)"));
    const { status, stdout } = assent(place, ["lint", "w.jsonc"]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^w\.jsonc:1:26 {2}warning AL001 {2}Bash\(python3:\*\)\n/);
    expect(assent(place, ["lint", "n.jsonc"]).status).toBe(0);
    expect(assent(place, ["lint", "missing.jsonc"]).status).toBe(2);
    expect(JSON.parse(assent(place, ["lint", "--json", "w.jsonc", "n.jsonc"]).stdout)).toMatchObject({
      v: 1,
      errors: 0,
      warnings: 1,
      notes: 2,
      findings: [{ code: "AL001" }, { code: "AL006" }, { code: "AL040" }],
    });
  });

  it("is quick with thousands of rules", () => {
    const rules = Array.from({ length: 2500 }, (_, at) => `Bash(tool${at} build:*)`);
    const start = process.cpuUsage();
    expect(codesOf(policy("deny", ...rules)).every((code) => code === "AL040")).toBe(true);
    expect(workedSince(start)).toBeLessThan(20_000);
  });
});
