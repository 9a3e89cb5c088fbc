import { describe, expect, test } from "vitest";
import { type Action, type Call, printCall, type World } from "@assent/core/action";
import { callMatcher, parseRule, type MatchCall } from "@assent/core/policy";
import { readPolicy } from "@assent/core/policy/read";
import { NOWHERE } from "@assent/core/request";

/** Ledger section 2.4 and weaknesses PW4-PW6: ptrace-approve's patterns, over records instead of text. */

const HOME: World = { ...NOWHERE, home: "/home/me", cwd: "/home/me/repo", projectRoot: "/home/me/repo" };
const match: MatchCall = callMatcher(HOME);

function matches(pattern: string, call: Call): boolean {
  const parsed = parseRule(pattern);
  if (!parsed.ok || parsed.matcher.kind !== "call") throw new Error(`${pattern}: ${parsed.ok ? parsed.matcher.kind : parsed.message}`);
  const answers = (["narrow", "wide"] as const).map((side) => parsed.matcher.kind === "call" && match(parsed.matcher, call, side));
  expect(answers[0]).toBe(answers[1]);
  return answers[0] === true;
}

const open = (path: string, mode = "create+write"): Call => ({ name: "open", args: [path, mode] });
const exec = (program: string, ...argv: readonly string[]): Call => ({ name: "exec", args: [program, argv] });
const remove = (path: string): Call => ({ name: "delete", args: [path] });

describe.each<[string, readonly (readonly [pattern: string, call: Call, expected: boolean])[]]>([
  [
    "P14",
    [
      ["open(/home/me/f, create+write)", open("/home/me/f"), true],
      ["open(/home/me/f, create+write)", { name: "create", args: ["/home/me/f"] }, false],
      ["create(/home/me/f)", { name: "create", args: ["/home/me/f"] }, true],
      ["open(/home/me/f, _)", open("/home/me/g"), false],
      ["open(_, write)", open("/home/me/f"), false],
      ["rename(/a -> /b)", { name: "rename", args: ["/a", "/b"] }, true],
      ["rename(/a, /b)", { name: "rename", args: ["/a", "/b"] }, true],
      ["rename(/b -> /a)", { name: "rename", args: ["/a", "/b"] }, false],
      ["link(_ -> /b/*)", { name: "link", args: ["/a", "/b/c"] }, true],
      ["exec(_, [git, status])", exec("/usr/bin/git", "git", "status", "-s"), false],
      ["exec(_, [git, status, -s])", exec("/usr/bin/git", "git", "status"), false],
    ],
  ],
  [
    "P15",
    [
      ["open(_, _)", open("/home/me/f"), true],
      ["exec(_, _)", exec("/usr/bin/git", "git"), true],
      ["exec(_, [_, _])", exec("/usr/bin/git", "git"), false],
      ["open(...)", open("/home/me/f"), true],
      ["open(/home/me/f, ...)", open("/home/me/f"), true],
      ["open(/home/me/f, _, ...)", open("/home/me/f"), true],
      ["open(_, ..., ignored)", open("/home/me/f"), true],
      ["exec(_, [git, ...])", exec("/usr/bin/git", "git"), true],
      ["exec(_, [git, ..., x])", exec("/usr/bin/git", "git", "y"), true],
    ],
  ],
  [
    "P16",
    [
      ["open(**/__pycache__/*, _)", open("/a/b/__pycache__/x.pyc"), true],
      ["open(**/__pycache__/*, _)", open("/__pycache__/x.pyc"), true],
      ["open(**/__pycache__/*, _)", open("/a/__pycache__/b/x.pyc"), false],
      ["open(/home/*, _)", open("/home/me"), true],
      ["open(/home/*, _)", open("/home/me/f"), false],
      ["open(/a/**, _)", open("/a"), true],
      ["open(/a/**, _)", open("/a/x"), true],
      ["open(/a/**, _)", open("/a/x/y"), true],
      ["open(/a/**, _)", open("/ab"), false],
      ["open(/a/**/b, _)", open("/a/b"), true],
      ["open(/a/**/b, _)", open("/a/x/y/b"), true],
      ["open(/a/**/b, _)", open("/a/xb"), false],
      ["open(/a/f?.txt, _)", open("/a/f?.txt"), true],
      ["open(/a/f?.txt, _)", open("/a/f1.txt"), false],
      ["open(/a/*?.txt, _)", open("/a/f?.txt"), true],
      ["open(/a/*?.txt, _)", open("/a/f1.txt"), false],
      ["exec(_, [cc, src/**/*.c])", exec("/usr/bin/cc", "cc", "src/a.c"), true],
      ["exec(_, [cc, src/**/*.c])", exec("/usr/bin/cc", "cc", "src/a/b/c.c"), true],
      ["exec(_, [cc, **/x.c])", exec("/usr/bin/cc", "cc", "x.c"), true],
      ["exec(_, [ls, /a/**])", exec("/usr/bin/ls", "ls", "/a"), true],
      ["exec(_, [ls, /a/**])", exec("/usr/bin/ls", "ls", "/ab"), false],
      ["exec(_, [ls, *])", exec("/usr/bin/ls", "ls", "a/b"), false],
      ["exec(_, [ls, **])", exec("/usr/bin/ls", "ls", "a/b"), true],
      ["connect(*.npmjs.org, 443)", { name: "connect", args: ["registry.npmjs.org", "443"] }, true],
      ["connect(*.npmjs.org, 443)", { name: "connect", args: ["npmjs.org.example", "443"] }, false],
    ],
  ],
  [
    "P17",
    [
      ["exec(//bin/tr.+/, ...)", exec("/bin/true", "true"), true],
      ["exec(//bin/tr.+/, ...)", exec("/usr/bin/true", "true"), false],
      ["exec(//bin/tr.+/, ...)", exec("/bin/tr", "tr"), false],
      ["delete(//tmp/[a-c] (x|y)[0-9]{1,2}/)", remove("/tmp/b y12"), true],
      ["delete(//tmp/[a-c] (x|y)[0-9]{1,2}/)", remove("/tmp/b y123"), false],
      ["exec(_, [make, /-j\\d*/])", exec("/usr/bin/make", "make", "-j8"), true],
    ],
  ],
  [
    "P18",
    [
      ['delete("/tmp/*")', remove("/tmp/*"), true],
      ['delete("/tmp/*")', remove("/tmp/a"), false],
      ["exec(_, [echo, '_'])", exec("/bin/echo", "echo", "_"), true],
      ["exec(_, [echo, '_'])", exec("/bin/echo", "echo", "a"), false],
      ['exec(_, [ls, "/home/me/data/"])', exec("/bin/ls", "ls", "/home/me/data/"), true],
      ['exec(_, [ls, "/home/me/data/"])', exec("/bin/ls", "ls", "home/me/data"), false],
      ['mkdir("/home/me/data/")', { name: "mkdir", args: ["/home/me/data"] }, true],
      ['mkdir("/home/me/data/")', { name: "mkdir", args: ["/home/me/data/x"] }, false],
    ],
  ],
  [
    "P19",
    [
      ["exec(_, [git, status, ...])", exec("/usr/bin/git", "git", "status", "--short"), true],
      ["exec(_, [git, status, ...])", exec("/usr/bin/git", "git", "stash"), false],
      ["exec(_, [git, *, -C, **])", exec("/usr/bin/git", "git", "status", "-C", "/x/y"), true],
    ],
  ],
  [
    "PW5",
    [
      // Records are canonical; even one that is not leads nowhere else.
      ["open(/home/me/**, _)", open("/home/me/../../etc/passwd"), false],
      ["open(/etc/passwd, _)", open("/home/me/../../etc/passwd"), true],
      ["exec(_, [tool, ..., x])", exec("/t", "tool", ...Array.from({ length: 500 }, String)), true],
      [
        `exec(_, [tool, ${Array.from({ length: 30 }, (_, at) => at).join(", ")}])`,
        exec("/t", "tool", ...Array.from({ length: 30 }, (_, at) => `${at}`)),
        true,
      ],
      [
        `exec(_, [tool, ${Array.from({ length: 30 }, (_, at) => at).join(", ")}])`,
        exec("/t", "tool", ...Array.from({ length: 30 }, (_, at) => (at === 29 ? "evil" : `${at}`))),
        false,
      ],
      [`open(/tmp/${"x".repeat(1000)}, _)`, open(`/tmp/${"x".repeat(999)}y`), false],
    ],
  ],
  [
    "PW6",
    [
      ["open(/tmp/a, _)", open("/tmp/a, write), create+write"), false],
      ["open('/tmp/a, write), create+write', _)", open("/tmp/a, write), create+write"), true],
      ["delete(_)", remove("/tmp/a b"), true],
      ["delete('/tmp/a b')", remove("/tmp/a b"), true],
      ["delete(/tmp/*)", remove("/tmp/a) (b, [c]"), true],
      ["exec(_, [echo, 'it\\'s'])", exec("/bin/echo", "echo", "it's"), true],
      ['exec(_, [echo, "it\'s"])', exec("/bin/echo", "echo", "it's"), true],
      ["exec(_, [rm, x])", exec("/bin/rm", "rm", "x], [y"), false],
      ["exec(_, [rm, ...])", exec("/bin/rm", "rm", "a\nb"), true],
      ["delete('/tmp/a\\nb')", remove("/tmp/a\nb"), true],
      ["delete(/tmp/\\xff*)", remove("/tmp/\udcffx"), true],
    ],
  ],
])("%s", (_, rows) => {
  test.each(rows)("%s on %j: %s", (pattern, call, expected) => expect(matches(pattern, call)).toBe(expected));
});

test("P4: a call is printed whole, and its items are told apart", () => {
  const printed = printCall(exec("/usr/bin/sh", "sh", "-c", "mv b c", "a,b", "[x]", "it's", "plain", ""));
  expect(printed).toBe("exec(/usr/bin/sh, [sh, -c, 'mv b c', 'a,b', '[x]', 'it\\'s', plain, ''])");
  expect(printCall(open("/tmp/a.txt"))).toBe("open(/tmp/a.txt, create+write)");
  expect(printCall({ name: "rename", args: ["/a", "/b c"] })).toBe("rename(/a -> '/b c')");
  expect(printCall({ name: "chmod", args: ["/a", "0644"] })).toBe("chmod(/a, 0644)");
  const long = printCall(exec("/t", ...Array.from({ length: 40 }, () => "y".repeat(400))));
  expect(long.match(/y{400}/g)).toHaveLength(40);
});

test("P14: a pattern with another number of arguments can never match, so it is a mistake", () => {
  for (const pattern of ["open(/a)", "open(/a, _, _)", "delete(_, _)", "rename(/a)"])
    expect({ pattern, ...parseRule(pattern) }).toMatchObject({ ok: false, message: expect.stringContaining("argument") as string });
});

test("P19: the first pattern that matches is the one reported", () => {
  const text = '{ "permissions": { "deny": ["open(/x, _)", "open(/home/**, _)", "open(/home/me/**, _)"] } }';
  const read = readPolicy(text, { file: "p.jsonc", layer: "profile", examples: () => [] });
  if (!read.ok) throw new Error("the policy is one");
  const found = read.policy.rules.find(({ matcher }) => matcher.kind === "call" && match(matcher, open("/home/me/f"), "wide"));
  expect(found?.source).toMatchObject({ text: "open(/home/**, _)", line: 1 });
});

test("PW4, P19: a pattern that cannot be read is a mistake with its place, in every list", () => {
  for (const effect of ["allow", "ask", "deny"]) {
    const text = `{\n  "permissions": {\n    "${effect}": [\n      "open(/a, _)",\n      "open(/a"\n    ]\n  }\n}`;
    expect(readPolicy(text, { file: "p.jsonc", layer: "profile", examples: () => [] })).toMatchObject({
      ok: false,
      problems: [{ file: "p.jsonc", line: 5, column: 7, message: "`(` without `)`", help: "close it" }],
    });
  }
});

test("PW6: what is printed is read back as the same call, whatever a file is named", () => {
  const names = [
    "/tmp/a, write), create+write",
    "/tmp/it's",
    '/tmp/"',
    "/tmp/a b",
    "/tmp/(",
    "/tmp/]",
    "/tmp/\u001b[31m",
    "/tmp/\udcff\udcfe",
    "/tmp/\\",
    "/tmp/_",
    "/tmp/*",
    "/tmp/\u202e",
  ];
  for (const name of names) {
    const printed = printCall(remove(name));
    expect(printed).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    expect(names.filter((other) => matches(printed, remove(other)))).toEqual([name]);
  }
});

test("examples of a call rule are calls", () => {
  const rule = (notMatch: string): string =>
    JSON.stringify({ permissions: { allow: [{ rule: "open(~/a/**, _)", match: ["open(/home/you/a/b, write)"], notMatch: [notMatch] }] } });
  const read = (text: string) => readPolicy(text, { file: "p.jsonc", layer: "user", examples: (): readonly Action[] => [] });
  expect(read(rule("open(/home/you/b, write)")).ok).toBe(true);
  expect(read(rule("open(/home/you/a/c, read)"))).toMatchObject({ ok: false, problems: [{ key: "permissions.allow[0].notMatch[0]" }] });
  expect(read(rule("git status"))).toMatchObject({
    ok: false,
    problems: [{ help: expect.stringContaining("an example of this rule is a call") as string }],
  });
});
