import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Action, type Call, CALL_ARGUMENTS, CALL_NAMES, OPEN_FLAGS, printCall } from "@assent/core/action";
import { compileRegex, parseRegex } from "@assent/core/pattern";
import { callMatcher } from "../../packages/core/src/policy/call-matcher.ts";
import { readCall } from "../../packages/core/src/policy/kinds/call.ts";
import { matchRule, ruleCovers } from "../../packages/core/src/policy/rule.ts";
import { patternBase } from "../../packages/core/src/policy/match/match-context.ts";
import { parseRule } from "../../packages/core/src/policy/parse-rule.ts";
import type { Effect } from "../../packages/core/src/policy/match/types.ts";
import { exec as command, failure, ruleOf, world } from "./language.ts";
import { judged, policy } from "./machine.ts";
import { workedSince } from "../worked.ts";

/** `open /a/b write` in rows: the words are the arguments; the last of `exec` is a list. */
export function call(name: Call["name"], ...args: readonly (string | readonly string[])[]): Call {
  return { name, args };
}

const LINKS = { "/bin": "/usr/bin", "/var/run": "/run", "/home/me/repo/out": "/etc" };

function matches(pattern: string, asked: Call, effect: Effect = "allow"): boolean {
  const rule = ruleOf(effect, pattern);
  const action: Action = { kind: "system", area: "call", origin: { by: "tool" }, call: asked };
  const where = world({ links: LINKS });
  const answer = matchRule(rule, action, { world: where, matchCall: callMatcher(where, [rule]) });
  expect(answer).not.toBe("maybe");
  return answer === "yes";
}

const open = (path: string, mode = "create+write"): Call => call("open", path, mode);
const exec = (program: string, ...argv: readonly string[]): Call => call("exec", program, argv);

test.each<[string, Call, boolean]>([
  // Literal text, `_` and `...`.
  ["open(/home/me/f, create+write)", open("/home/me/f"), true],
  ["open(/home/me/f, write+create)", open("/home/me/f"), true],
  ["open(/home/me/f, write)", open("/home/me/f"), false],
  ["open(_, _)", open("/home/me/f"), true],
  ["open(...)", open("/home/me/f"), true],
  ["open(_, ...)", open("/home/me/f"), true],
  ["delete(/a)", call("delete", "/a"), true],
  ["delete(/a)", call("rmdir", "/a"), false],
  ["chmod(/a, 644)", call("chmod", "/a", "0644"), true],
  ["chmod(/a, 0o644)", call("chmod", "/a", "0644"), true],
  ["chmod(/a, 4755)", call("chmod", "/a", "4755"), true],
  ["mknod(_, fifo)", call("mknod", "/p", "fifo"), true],
  ["chown(_, 0, -1)", call("chown", "/p", "0", "-1"), true],
  // Two paths, with a comma or an arrow.
  ["rename(/a -> /b)", call("rename", "/a", "/b"), true],
  ["rename(/a, /b)", call("rename", "/a", "/b"), true],
  ["rename(/b, /a)", call("rename", "/a", "/b"), false],
  ["rename(_ -> /b/**)", call("rename", "/a", "/b/c"), true],
  ["symlink(../x, /home/me/l)", call("symlink", "../x", "/home/me/l"), true],
  ["symlink(~/x, _)", call("symlink", "~/x", "/home/me/l"), true],
  // Paths: absolute, home, the project.
  ["open(~/f, _)", open("/home/me/f"), true],
  ["open(~/**, _)", open("/home/me/x/f"), true],
  ["open(~, _)", open("/home/me"), true],
  ["open('~/f', _)", open("/home/me/f"), false],
  ["open(src/**, _)", open("/home/me/repo/src/a"), true],
  ["open(src/**, _)", open("/src/a"), false],
  ["open(a.txt, _)", open("/home/me/repo/a.txt"), true],
  ["open(~/'my dir'/**, _)", open("/home/me/my dir/x"), true],
  ["open(~/my\\ dir/*, _)", open("/home/me/my dir/x"), true],
  ["open(/a?, _)", open("/ab"), false],
  ["open(/a?*, _)", open("/a?b"), true],
  ["open(/a{b\\,c}*, _)", open("/a{b,c}d"), true],
  ["open(/a\\[1\\]*, _)", open("/a[1]x"), true],
  ["open(/a\\[1\\]*, _)", open("/a\\[1\\]*"), false],
  ["open(/a\\**, _)", open("/a*b"), true],
  ["open(/a\\**, _)", open("/ab"), false],
  // Links: `/bin` is `/usr/bin` here.
  ["exec(/bin/rm, ...)", exec("/usr/bin/rm", "rm", "x"), true],
  ["exec(/usr/bin/rm, ...)", exec("/usr/bin/rm", "rm", "x"), true],
  ["exec('/bin/rm', ...)", exec("/usr/bin/rm", "rm", "x"), true],
  // One in the project moves no allow rule.
  ["open(/home/me/repo/out/**, _)", open("/etc/passwd"), false],
  // Lists.
  ["exec(_, [git, status, ...])", exec("/usr/bin/git", "git", "status"), true],
  ["exec(_, [git, status, ...])", exec("/usr/bin/git", "git", "status", "-s"), true],
  ["exec(_, [git, status])", exec("/usr/bin/git", "git", "status", "-s"), false],
  ["exec(_, [git, _, -s])", exec("/usr/bin/git", "git", "status", "-s"), true],
  ["exec(_, [])", exec("/usr/bin/git"), true],
  ["exec(_, [...])", exec("/usr/bin/git", "git"), true],
  ["exec(_, [_])", exec("/usr/bin/git"), false],
  ["exec(_, [npm, run, test*])", exec("/n", "npm", "run", "test:unit"), true],
  ["exec(_, [cp, src/*, **])", exec("/n", "cp", "src/a", "/x/y"), true],
  ["exec(_, [cp, src/*, **])", exec("/n", "cp", "src/a/b", "/x/y"), false],
  ["exec(_, [ls, ~/x])", exec("/n", "ls", "~/x"), true],
  ['exec(_, [ls, "_"])', exec("/n", "ls", "_"), true],
  ['exec(_, [ls, "_"])', exec("/n", "ls", "x"), false],
  ["exec(_, [ls, '...'])", exec("/n", "ls", "..."), true],
  ["exec(_, [ls, '...'])", exec("/n", "ls"), false],
  // Hosts.
  ["connect(*.npmjs.org, 443)", call("connect", "registry.npmjs.org", "443"), true],
  ["connect(*.NPMJS.org, 443)", call("connect", "registry.npmjs.org", "443"), true],
  ["connect(*.npmjs.org, 443)", call("connect", "npmjs.org", "443"), false],
  ["connect(*.npmjs.org, 443)", call("connect", "registry.npmjs.org.evil.com", "443"), false],
  ["connect(*.npmjs.org, 443)", call("connect", "registry.npmjs.org", "80"), false],
  ["connect(::1, _)", call("connect", "::1", "80"), true],
  ["connect(/var/run/docker.sock, 0)", call("connect", "/run/docker.sock", "0"), true],
  ["connect(**/docker.sock, _)", call("connect", "/run/docker.sock", "0"), true],
  ["bind(127.0.0.1, _)", call("bind", "127.0.0.1", "3000"), true],
  // Regular expressions.
  ["exec(//bin/tr.+/, ...)", exec("/bin/true", "true"), true],
  ["exec(//bin/tr.+/, ...)", exec("/bin/tr", "tr"), false],
  ["exec(_, [git, /v[0-9]+(,x)?/])", exec("/g", "git", "v12"), true],
  ["exec(_, [git, /v[0-9]+(,x)?/])", exec("/g", "git", "v12,x"), true],
  ["exec(_, [git, /a b]?/])", exec("/g", "git", "a b]"), false],
  ["exec(_, [git, /a [bc]{1,2}/])", exec("/g", "git", "a bc"), true],
  ["open(//home/[^/]+/x/, _)", open("/home/you/x"), true],
  ["open(//tmp/.*/, _)", open("/tmp/a\nb"), true],
  ["open(//tmp/(?i)x/, _)", open("/tmp/x"), false],
])("%s on %j: %s", (pattern, asked, expected) => {
  if (/\(\?i\)x|a b\]\?/.test(pattern)) expect(parseRule(pattern).ok).toBe(false);
  else expect(matches(pattern, asked)).toBe(expected);
});

test("deny and ask rules also see where a link in the project leads", () => {
  expect(matches("open(/home/me/repo/out/**, _)", open("/home/me/repo/out/x"), "deny")).toBe(true);
  expect(matches("exec(/bin/rm, ...)", exec("/usr/bin/rm", "rm"), "deny")).toBe(true);
});

test.each<[string, string, string]>([
  ["open(/a", "`(` without `)`", "close it"],
  ["open(/a, _", "`(` without `)`", "close it"],
  ["exec(_, [a, b)", "`)` in the place of `]`", "close what"],
  ["open(/a, _) x", "`x` after `)`", "`open(/a, _)`"],
  ["open(/a)", "`open` has 2 arguments, the pattern 1", "`open(path, mode)`"],
  ["delete(/a, _)", "`delete` has 1 argument, the pattern 2", "`delete(path)`"],
  ["delete()", "`delete` has 1 argument, the pattern 0", "`delete(path)`"],
  ["open(, _)", "an argument is missing", "`_` for any"],
  ["open(/a, )", "an argument is missing", "`_` for any"],
  ["open(/a b, _)", "`b, _)` after a blank", "'a b'"],
  ["exec(_, [git commit])", "`commit])` after a blank", "comma"],
  ["open('it's, _)", "' inside an argument", "`\\'`"],
  ["exec(_, [echo, 'it's'])", "' inside an argument", "`\\'`"],
  ["open('its, _)", "' without an end", "`\\'`"],
  ["open(/a(1), _)", "`(` inside an argument", "quote"],
  ["open(/a[1], _)", "`[` inside an argument", "quote"],
  ["open(/a\\d, _)", "unknown escape `\\d`", "`d`"],
  ["open(/a, wirte)", "`wirte` is not a mode of `open`", "`create`"],
  ["chmod(/a, 999)", "`999` is not a mode", "0644"],
  ["connect(a, http)", "`http` is not a number", "`_`"],
  ["connect([::1], _)", "not a list", "`::1`"],
  ["mknod(/a, pipe)", "`pipe` is not a kind of node", "`fifo`"],
  ["exec(_, git)", "argv of `exec` is a list", "[git, status, ...]"],
  ["exec(_, [[a]])", "`[` inside an argument", ""],
  ["open(/home/me/**/, _)", "after another repetition", "`/home/me/**`"],
  ["open(//a(?=b)/, _)", "`(?=b` is not possible here", "two rules"],
  ["open(//(a)\\1/, _)", "`\\1` is not known", ""],
  ["open(//(a{900}){900}/, _)", "too large", ""],
  ["open($HOME/x, _)", "`$HOME` is not expanded", "`~/x`"],
  // The name of another call, or of none, would guard nothing.
  ["unlink(/a)", "unknown tool `unlink`", "`delete(path)`"],
  ["execve(/a)", "unknown tool `execve`", "`exec(program, argv)`"],
  ["opne(/a)", "unknown tool `opne`", "`open(path, mode)`"],
])("%s is a mistake: %s", (pattern, message, help) => {
  const parsed = parseRule(pattern);
  expect({ pattern, ...parsed }).toMatchObject({ ok: false });
  if (parsed.ok) return;
  expect(parsed.message).toContain(message);
  expect(parsed.help ?? "").toContain(help);
});

test.each<[string, string]>([
  ["open(/home/me/, _)", "`/home/me/**`"],
  ["open('a.txt', _)", "in quotes is literal"],
  ["exec(git, ...)", "`**/git`"],
  ["open(_, ..., x)", "ignored"],
  ["connect", "`connect(host, port)`"],
])("%s is warned of: %s", (pattern, warning) => {
  expect(parseRule(pattern)).toMatchObject({ ok: true, warning: expect.stringContaining(warning) as string });
});

const SPECIAL = [..."/ab.,_*~?[](){}'\"\\ \n\t\0-+>x=:$\u00e9\u202e\u{1f600}\udcff\udc80"];
const word = fc.array(fc.constantFrom(...SPECIAL), { maxLength: 12 }).map((chars) => chars.join(""));
const segment = word.map((text) => text.replaceAll("/", "")).filter((text) => text !== "" && text !== "." && text !== "..");
const path = fc.array(segment, { maxLength: 4 }).map((names) => `/${names.join("/")}`);
const anyCall: fc.Arbitrary<Call> = fc.constantFrom(...CALL_NAMES).chain((name) =>
  fc
    .tuple(
      ...CALL_ARGUMENTS[name].map(({ kind }): fc.Arbitrary<string | readonly string[]> => {
        switch (kind) {
          case "path":
            return path;
          case "list":
            return fc.array(fc.oneof(word, fc.constantFrom("_", "...", "->", "~/x", "/x/")), { maxLength: 30 });
          case "flags":
            return fc.oneof(
              fc.subarray([...OPEN_FLAGS]).map((flags) => flags.join("+")),
              word,
            );
          case "place":
            return fc.oneof(path, word, fc.constantFrom("registry.npmjs.org", "::1", "A.b"));
          default:
            return fc.oneof(word, fc.constantFrom("0644", "644", "443", "-1", "fifo"));
        }
      }),
    )
    .map((args) => ({ name, args })),
);

test("what is printed is the pattern of exactly that call", () => {
  const everywhere = world();
  expect(
    failure(
      fc.property(anyCall, anyCall, (one, other) => {
        const printed = printCall(one);
        expect(printed).toMatch(/^[^\p{C}\u2028\u2029]*$/u);
        expect(readCall(printed)).toEqual(one);
        const rule = ruleOf("allow", printed);
        expect(rule.matcher.kind).toBe("call");
        if (rule.matcher.kind !== "call") return;
        const match = callMatcher(everywhere, [rule]);
        for (const side of ["narrow", "wide"] as const) {
          expect(match(rule.matcher, one, side)).toBe(true);
          const near: Call = {
            name: one.name,
            args: one.args.map((argument, at) => (other.name === one.name ? (other.args[at] ?? argument) : argument)),
          };
          expect(match(rule.matcher, near, side)).toBe(JSON.stringify(near) === JSON.stringify(one));
        }
      }),
      { numRuns: 3000 },
    ),
  ).toBeUndefined();
});

test("nothing is cut off", () => {
  const argv = Array.from({ length: 2000 }, (_, at) => `${at} ${"x".repeat(400)}`);
  const long = exec("/usr/bin/tool", ...argv);
  expect(readCall(printCall(long))).toEqual(long);
});

test("regular expressions mean what they mean elsewhere", () => {
  const piece = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "[a-c]", "\\d", "\\w", "\\.", "(?:a|b)", "(a|bc)", "(|a)");
  const many = fc.constantFrom("", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?");
  const expression = fc.array(fc.tuple(piece, many), { minLength: 1, maxLength: 5 }).map((parts) => parts.flat().join(""));
  const choice = fc.array(expression, { minLength: 1, maxLength: 2 }).map((all) => all.join("|"));
  const text = fc.array(fc.constantFrom(..."abc1. \n\u{1f600}"), { maxLength: 8 }).map((chars) => chars.join(""));
  expect(
    failure(
      fc.property(choice, fc.boolean(), fc.array(text, { minLength: 5, maxLength: 5 }), (source, fold, texts) => {
        const parsed = parseRegex(fold ? `(?i)${source}` : source);
        if (!parsed.ok) throw new Error(parsed.message);
        const compiled = compileRegex(parsed.value);
        if (!compiled.ok) throw new Error(compiled.message);
        const theirs = new RegExp(`^(?:${source})$`, fold ? "sui" : "su");
        for (const one of texts) {
          const asked = fold ? one.toUpperCase() : one;
          expect([source, asked, compiled.value.test(asked)]).toEqual([source, asked, theirs.test(asked)]);
        }
      }),
      { numRuns: 3000 },
    ),
  ).toBeUndefined();
});

test("reading never throws, whatever is written", () => {
  const chars = fc.array(fc.constantFrom(...SPECIAL, "open(", "exec(", "]", "/", "|", "^", "$", "{1,", "(?", "\\x", "\\u{"), {
    maxLength: 20,
  });
  expect(
    failure(
      fc.property(fc.constantFrom(...CALL_NAMES), chars, (name, rest) => {
        const text = `${name}(${rest.join("")})`;
        const parsed = parseRule(text);
        expect(parsed.ok || parsed.message !== "").toBe(true);
        // Plain data: a compiled policy is kept as JSON.
        if (parsed.ok) expect(JSON.parse(JSON.stringify(parsed.matcher))).toEqual(parsed.matcher);
      }),
      { numRuns: 5000 },
    ),
  ).toBeUndefined();
});

test("matching takes linear time", () => {
  const hostile = `${"a".repeat(100_000)}!`;
  for (const pattern of [
    "exec(_, [/(a*)*b/])",
    "exec(_, [/(a|a)*b/])",
    "exec(_, [/(a|aa){0,300}b/])",
    "exec(_, [**a**a**a**a**b])",
    "exec(_, [*a*a*a*a*a*b])",
  ]) {
    const start = process.cpuUsage();
    expect(matches(pattern, exec("/x", hostile))).toBe(false);
    expect(workedSince(start)).toBeLessThan(30_000);
  }
});

test.each<[string, string, boolean]>([
  ["open(_, _)", "open(/a, write)", true],
  ["open(...)", "open(/a/**, _)", true],
  ["open(/a/**, _)", "open(/a/**, write)", true],
  ["open(/a/**, _)", "open(/a/b, write)", false],
  ["open(_, write)", "open(/a, _)", false],
  ["open(_, _)", "open(_, ...)", false],
  ["delete(_)", "open(_, _)", false],
  ["exec(_, [git, ...])", "exec(_, [git, status])", true],
  ["exec(_, [git, ...])", "exec(_, [git, status, ...])", true],
  ["exec(_, [git, status])", "exec(_, [git, status, ...])", false],
  ["exec(_, [_, status])", "exec(/usr/bin/git, [git, status])", true],
  ["exec(...)", "Bash(git:*)", false],
])("%s covers %s: %s", (outer, inner, expected) => {
  const base = patternBase(world(), "narrow");
  expect(ruleCovers(ruleOf("deny", outer), ruleOf("deny", inner), base)).toBe(expected);
  expect(ruleCovers(ruleOf("allow", outer), ruleOf("allow", inner), base)).toBe(expected);
});

test.each<[string, Effect, string, boolean]>([
  ["exec(_, [git, push, ...])", "deny", "git -C x push origin", true],
  ["exec(_, [git, push, ...])", "ask", "git push", true],
  ["exec(_, [git, push, --force, ...])", "deny", "git -C x push --force", true],
  ["exec(_, [git, push])", "deny", "git -C x push -f", false],
  ["exec(_, [frob, a, drop, ...])", "deny", "frob -q a --long v drop -x", true],
  ["exec(_, [git, push, ...])", "deny", "git log push", false],
  ["exec(_, [git, push, ...])", "allow", "git -C x push", false],
])("%s of a rule that says %s, and %s: %s", (pattern, effect, line, expected) => {
  const rule = ruleOf(effect, pattern);
  const action: Action = { ...command(line), call: exec("/usr/bin/x", ...line.split(" ")) };
  const where = world();
  expect(matchRule(rule, action, { world: where, matchCall: callMatcher(where, [rule]) })).toBe(expected ? "yes" : "no");
});

describe("in judging", () => {
  const asked: Action = {
    kind: "file",
    operation: "write",
    target: { kind: "path", path: "/home/me/other/f" },
    origin: { by: "tool" },
    call: open("/home/me/other/f"),
  };
  const matchCall = callMatcher(world());

  test("a rule decides where calls are seen", () => {
    expect(judged(asked, policy({ allow: ["open(/home/me/other/**, _)"] }), { matchCall })).toMatchObject({
      decision: "allow",
      rule: { text: "open(/home/me/other/**, _)" },
    });
    expect(judged(asked, policy({ allow: ["open(/home/me/other/**, _)"], deny: ["open(_, create+write)"] }), { matchCall })).toMatchObject({
      decision: "deny",
      basis: "rule",
    });
    expect(judged(asked, policy({ allow: ["Edit(~/other/**)"], ask: ["open(...)"] }), { matchCall })).toMatchObject({
      decision: "ask",
      basis: "rule",
    });
  });
  test("never in a hook, where actions carry no call", () => {
    const { call: _, ...plain } = asked;
    expect(judged(plain, policy({ allow: ["open(...)"] }), { matchCall })).toMatchObject({ decision: "ask", basis: "default" });
    expect(judged(plain, policy({ allow: ["Edit"], deny: ["open(...)"] }), { matchCall })).toMatchObject({ decision: "allow" });
  });
  test("where nobody can compare, allow says nothing and deny is asked", () => {
    expect(judged(asked, policy({ allow: ["open(...)"] }))).toMatchObject({ decision: "ask", basis: "default" });
    expect(judged(asked, policy({ allow: ["Edit"], deny: ["open(...)"] }))).toMatchObject({ decision: "ask", basis: "rule" });
  });
  test("an allow opens what is protected only by naming it", () => {
    const secret: Action = { ...asked, target: { kind: "path", path: "/home/me/repo/.env" }, call: open("/home/me/repo/.env") };
    for (const [rule, decision] of [
      ["open(_, _)", "deny"],
      ["open(/home/me/**, _)", "deny"],
      ["open(//home/me/repo/.env/, _)", "deny"],
      ["open(/home/me/repo/.env, _)", "allow"],
      ["open(.env, _)", "allow"],
    ] as const)
      expect([rule, judged(secret, policy({ allow: [rule] }), { matchCall }).decision]).toEqual([rule, decision]);
  });
  test("the first rule of the policy that matches is named, whatever its kind", () => {
    expect(judged(asked, policy({ deny: ["open(/nothing, _)", "open(_, _)", "Edit"] }), { matchCall }).rule?.text).toBe("open(_, _)");
    expect(judged(asked, policy({ deny: ["Edit", "open(_, _)"] }), { matchCall }).rule?.text).toBe("Edit");
  });
});
