import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Action, FileAction, FileOperation, NetAction } from "@assent/core/action";
import { matchMatcher, parseRule, type Verdict } from "@assent/core/policy";
import { generalise, type LearnPlaces, type Learnt, Observations } from "@assent/supervisor/supervise/learn";
import { machine } from "../../policy/machine.ts";

const PLACES: LearnPlaces = { home: "/home/me", project: "/home/me/repo", temp: ["/tmp"] };
const WORLD = machine([]);

const ASK: Verdict = { decision: "ask", basis: "default", reason: "not allowed by a rule" };
const file = (operation: FileOperation, path: string): FileAction => ({
  kind: "file",
  operation,
  target: { kind: "path", path },
  origin: { by: "tool" },
});
const net = (host: string, port: number): NetAction => ({ kind: "net", operation: "connect", host, port, origin: { by: "tool" } });

/** `write ~/a`, `connect example.org:443`, `exec git status`; a verdict in front where it is no plain question: `deny!`, `rule!`. */
function learn(lines: readonly string[]): Learnt {
  const seen = new Observations();
  for (const line of lines) seen.add(event(line));
  return generalise(seen, PLACES);
}

function event(line: string): Parameters<Observations["add"]>[0] {
  const [, flag, rest = ""] = /^(?:(\w+)! )?(.*)$/s.exec(line) ?? [];
  const [operation = "", what = ""] = rest.split(/ (.*)/s);
  const action = actionOf(operation, what);
  const verdicts: Readonly<Record<string, Verdict>> = {
    deny: { decision: "deny", basis: "protection", reason: "secrets are protected" },
    allow: { decision: "allow", basis: "default", reason: "" },
    none: { decision: "none", basis: "default", reason: "" },
    rule: { decision: "ask", basis: "rule", reason: "you want to confirm" },
    floor: { decision: "ask", basis: "floor", reason: "settings" },
    refused: ASK,
  };
  return { action, verdict: verdicts[flag ?? ""] ?? ASK, outcome: flag === "refused" ? "refused" : "done" };
}

function actionOf(operation: string, what: string): Action {
  if (operation === "connect") return net(what.slice(0, what.lastIndexOf(":")), Number(what.slice(what.lastIndexOf(":") + 1)));
  if (operation === "exec") {
    const argv = what.split(" ").map((text) => ({ known: true as const, text }));
    const program = argv[0]?.text ?? "";
    return { kind: "exec", program, argv, trusted: true, resolved: `/usr/bin/${program}`, env: [], origin: { by: "tool" } };
  }
  return file(operation as FileOperation, what.replace("~", "/home/me"));
}

describe("learning a profile", () => {
  it.each<readonly [why: string, events: readonly string[], rules: readonly string[]]>([
    [
      "nothing is named in the root folder",
      ["write /_tmp_17448_5e3caff88c01", "mkdir /_tmp_17448_a5e92999e730", "delete /x", "edit /.a"],
      [],
    ],
    ["nor the root folder", ["mkdir /", "metadata /", ...["a", "b", "c", "d", "e"].map((name) => `write /${name}`)], []],
    ["what only looks there is", ["list /", "read /x"], ["Read(/x)", "List(/)"]],
    ["what lies deeper is", ["write /opt/x"], ["Edit(/opt/x)"]],
    ["one file is named", ["write ~/x/y/a"], ["Edit(~/x/y/a)"]],
    ["few siblings are named", ["write ~/x/y/a", "write ~/x/y/b", "write ~/x/y/c"], ["Edit(~/x/y/a)", "Edit(~/x/y/b)", "Edit(~/x/y/c)"]],
    ["many siblings are their folder", ["a", "b", "c", "d"].map((name) => `write ~/x/y/${name}`), ["Edit(~/x/y/**)"]],
    ["folders count as well", ["a", "b", "c", "d"].map((name) => `write ~/x/y/${name}/z`), ["Edit(~/x/y/**)"]],
    ["what is done there decides the rule", ["write ~/x/y/a", "edit ~/x/y/b", "delete ~/x/y/c", "mkdir ~/x/y/d"], ["Write(~/x/y/**)"]],
    ["one path, two changes", ["write ~/x/y/a", "rename ~/x/y/a"], ["Write(~/x/y/a)"]],
    ["one path, deleted", ["delete ~/x/y/a", "delete ~/x/y/a"], ["Delete(~/x/y/a)"]],
    ["reads and changes are kept apart", ["read ~/x/y/a", "write ~/x/y/a"], ["Edit(~/x/y/a)", "Read(~/x/y/a)"]],
    [
      "home is never a folder of everything",
      ["a", "b", "c", "d"].map((name) => `write ~/${name}`),
      ["a", "b", "c", "d"].map((name) => `Edit(~/${name})`),
    ],
    [
      "nor a folder right below it",
      ["a", "b", "c", "d"].map((name) => `write ~/doc/${name}`),
      ["a", "b", "c", "d"].map((name) => `Edit(~/doc/${name})`),
    ],
    [
      "nor configuration",
      ["a", "b", "c", "d"].map((name) => `write ~/.config/x/y/${name}`),
      ["a", "b", "c", "d"].map((name) => `Edit(~/.config/x/y/${name})`),
    ],
    ["nor what lies in the root, not even by name", ["a", "b", "c", "d"].map((name) => `write /${name}`), []],
    [
      "nor the project",
      ["a", "b", "c", "d"].map((name) => `write ~/repo/${name}`),
      ["a", "b", "c", "d"].map((name) => `Edit(~/repo/${name})`),
    ],
    ["but a folder of the project", ["a", "b", "c", "d"].map((name) => `write ~/repo/dist/${name}`), ["Edit(~/repo/dist/**)"]],
    [
      "nor the repository's own",
      ["a", "b", "c", "d"].map((name) => `write ~/repo/.git/${name}`),
      ["a", "b", "c", "d"].map((name) => `Edit(~/repo/.git/${name})`),
    ],
    [
      "nor the kernel's",
      ["a", "b", "c", "d"].map((name) => `write /sys/x/y/${name}`),
      ["a", "b", "c", "d"].map((name) => `Edit(/sys/x/y/${name})`),
    ],
    [
      "not across what was refused",
      ["a", "b", "c", "d"].map((name) => `write ~/x/y/${name}`).concat("deny! write ~/x/y/.env"),
      ["a", "b", "c", "d"].map((name) => `Edit(~/x/y/${name})`),
    ],
    [
      "nor across what stays a question",
      ["a", "b", "c", "d"].map((name) => `write ~/x/y/${name}`).concat("rule! delete ~/x/y/e"),
      ["a", "b", "c", "d"].map((name) => `Edit(~/x/y/${name})`),
    ],
    [
      "nor across what a person refused",
      ["a", "b", "c", "d"].map((name) => `write ~/x/y/${name}`).concat("refused! write ~/x/y/e/f"),
      ["a", "b", "c", "d"].map((name) => `Edit(~/x/y/${name})`),
    ],
    ["random parts", ["write ~/x/y/tmp-a8f3kx2q.json"], ["Edit(~/x/y/tmp-*.json)"]],
    ["process ids and times", ["write ~/x/y/log.41213.txt"], ["Edit(~/x/y/log.*.txt)"]],
    [
      "a random folder on the way",
      ["write /tmp/npm-9f86d081aa/x/package.json", "write /tmp/npm-1b4f0e9851/x/package.json"],
      ["Edit(/tmp/npm-*/x/package.json)"],
    ],
    ["a random name in home stays", ["write ~/9f86d081aa"], ["Edit(~/9f86d081aa)"]],
    [
      "versions and words stay",
      ["write ~/x/y/python3.11", "write ~/x/y/sha256sum", "write ~/x/y/v18.20.2"],
      ["Edit(~/x/y/python3.11)", "Edit(~/x/y/sha256sum)", "Edit(~/x/y/v18.20.2)"],
    ],
    [
      "not a pattern that meets what was refused",
      ["write ~/x/y/tmp-a8f3kx2q", "deny! write ~/x/y/tmp-b7c2zz9d"],
      ["Edit(~/x/y/tmp-a8f3kx2q)"],
    ],
    ["nor one that stands for any name", ["write ~/x/y/9f86d081aa", "deny! write ~/x/y/key"], ["Edit(~/x/y/9f86d081aa)"]],
    ["special characters are literal", ["write ~/x/[slug] (1), {a}*?.tsx"], [String.raw`Edit(~/x/\[slug\] \(1\)\, \{a\}\*\?.tsx)`]],
    [
      "hosts with their ports",
      ["connect registry.npmjs.org:443", "connect registry.npmjs.org:443", "connect 10.0.0.1:5432"],
      ["Net(registry.npmjs.org:443)", "Net(10.0.0.1:5432)"],
    ],
    ["addresses of version 6", ["connect [2001:db8::1]:443"], ["Net([2001:db8::1]:443)"]],
    ["ports of the machine itself", [40001, 40002, 40003, 40004].map((port) => `connect 127.0.0.1:${port}`), ["Net(127.0.0.1:*)"]],
    [
      "ports elsewhere are services",
      [1, 2, 3, 4].map((port) => `connect h.example:${port}`),
      [1, 2, 3, 4].map((port) => `Net(h.example:${port})`),
    ],
    ["commands by their subcommand", ["exec git status", "exec git status --short"], ["Bash(git status:*)"]],
    ["what is allowed needs no rule", ["allow! write ~/x/y/a"], []],
    ["what has no opinion does", ["none! write ~/x/y/a"], ["Edit(~/x/y/a)"]],
    ["what was refused gets none", ["deny! read ~/.ssh/id_rsa", "refused! write ~/x/y/a"], []],
    ["what a rule or the floor asks gets none", ["rule! write ~/x/y/a", "floor! write ~/repo/.agent-permissions.jsonc"], []],
  ])("%s", (_, events, rules) => {
    expect(learn(events).rules.map(({ rule }) => rule)).toEqual(rules);
  });

  it("says how often, and lists apart what gets no rule", () => {
    const learnt = learn([
      "write ~/x/y/a",
      "write ~/x/y/a",
      "deny! read ~/.ssh/id_rsa",
      "deny! read ~/.ssh/id_rsa",
      "rule! delete ~/z",
      "exec sh -c x",
    ]);
    expect(learnt.rules).toEqual([{ rule: "Edit(~/x/y/a)", count: 2, reason: "learnt: needed 2 times" }]);
    expect(learnt.refused).toEqual([{ what: "read /home/me/.ssh/id_rsa", why: "secrets are protected", count: 2 }]);
    expect(learnt.aside.map(({ what }) => what)).toEqual(["delete /home/me/z", "run sh -c x"]);
  });

  it("lists a path that no rule can name", () => {
    const { rules, aside } = learn([`write ~/x/${"a".repeat(5000)}`]);
    expect(rules).toEqual([]);
    expect(aside).toMatchObject([{ why: "no rule can name it", count: 1 }]);
  });
});

const segment = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "c",
    "d",
    "e",
    "src",
    "x-a8f3kx2q",
    "x-b9g4ly3r",
    "9f86d081aa",
    ".config",
    ".ssh",
    ".git",
    "hooks",
    "tmp",
    "*",
    "[a]",
    "(",
    "a,b",
  ),
  fc.string({ minLength: 1, maxLength: 6 }).filter((name) => !name.includes("/") && !name.includes("\0") && name !== "." && name !== ".."),
);
const path = fc
  .tuple(fc.constantFrom("/home/me", "/home/me/repo", "/tmp", "/var/lib/x", ""), fc.array(segment, { minLength: 1, maxLength: 5 }))
  .map(([base, names]) => `${base}/${names.join("/")}`);
const operation = fc.constantFrom<FileOperation>("read", "list", "write", "edit", "delete", "rename", "mkdir", "link", "metadata");
const seen = fc.record({
  action: fc.tuple(operation, path).map(([op, at]) => file(op, at)),
  flag: fc.constantFrom("", "", "", "", "", "deny", "rule", "refused"),
});

it("covers every question that was answered yes, and nothing that was refused", () => {
  expect.hasAssertions();
  fc.assert(
    fc.property(fc.array(seen, { minLength: 1, maxLength: 60 }), (events) => {
      const all = new Observations();
      const no = new Set<string>();
      for (const { action, flag } of events) {
        all.add({ ...event(`${flag === "" ? "" : `${flag}! `}read /x`), action });
        if (flag !== "" && action.target.kind === "path") no.add(action.target.path);
      }
      const learnt = generalise(all, PLACES);
      const matchers = learnt.rules.map(({ rule }) => {
        const parsed = parseRule(rule);
        if (!parsed.ok) throw new Error(`${rule}: ${parsed.message}`);
        return parsed.matcher;
      });
      const covered = (action: Action): boolean =>
        matchers.some((matcher) => matchMatcher(matcher, action, "narrow", { world: WORLD }) === "yes");
      const named = new Set(learnt.aside.map(({ what }) => what));
      for (const { action, flag } of events) {
        const at = action.target.kind === "path" ? action.target.path : "";
        if (flag === "" && !covered(action)) expect(named.size).toBeGreaterThan(0);
        // A path that was also allowed has its own, literal rule.
        if (
          flag !== "" &&
          !events.some((other) => other.flag === "" && other.action.target.kind === "path" && other.action.target.path === at)
        )
          for (const op of ["read", "list", "write", "delete", "rename"] as const) expect([at, covered(file(op, at))]).toEqual([at, false]);
      }
      // Nothing broad reaches home, the root, or a secret place nobody asked about.
      for (const secret of [
        "/home/me/.ssh/id_new",
        "/home/me/.aws/credentials",
        "/home/me/.bashrc",
        "/etc/shadow",
        "/home/me/repo/.git/hooks/post-merge",
      ])
        if (!events.some(({ action }) => action.target.kind === "path" && action.target.path === secret))
          expect([secret, covered(file("write", secret))]).toEqual([secret, false]);
    }),
    { numRuns: 300 },
  );
});
