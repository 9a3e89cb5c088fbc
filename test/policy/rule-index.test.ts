import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Action, World } from "@assent/core/action";
import { matchRule } from "../../packages/core/src/policy/rule.ts";
import { exactly, type MatchedRules, findMatchingRules } from "../../packages/core/src/policy/matched-rules.ts";
import { parseRule } from "../../packages/core/src/policy/parse-rule.ts";
import { findReached } from "../../packages/core/src/policy/targets.ts";
import { indexOf } from "../../packages/core/src/policy/rule-index.ts";
import type { Policy, Rule } from "../../packages/core/src/policy/match/types.ts";
import { exec, failure, file, net, tool, world } from "./language.ts";
import { machine, policy } from "./machine.ts";

/** Every rule tried on its own, one after the other: what the index may only be quicker than. */
function linear(action: Action, { rules }: Policy, where: World) {
  const context = { world: where };
  const first = (effect: "deny" | "ask") => {
    let maybe: Rule | undefined;
    for (const rule of rules.filter((one) => one.effect === effect)) {
      let answer = matchRule(rule, action, context);
      if (answer === "yes") return { rule, certain: true };
      const looksUp = action.kind === "file" && (action.target.kind !== "path" || action.recursive === true);
      if (answer === "maybe" && looksUp && rule.matcher.kind === "path" && (action.operation === "read" || action.operation === "list")) {
        const wanted = (path: string): boolean => matchRule(rule, exactly(action, path), context) === "yes";
        const { found, complete } = findReached(action, wanted, where);
        if (found === undefined && complete) answer = "no";
      }
      if (answer === "maybe") maybe ??= rule;
    }
    return maybe === undefined ? undefined : { rule: maybe, certain: false };
  };
  const allow = rules.filter((rule) => rule.effect === "allow" && matchRule(rule, action, context) === "yes");
  return { deny: first("deny"), ask: first("ask"), allow };
}

const FILES = [
  "/home/me/repo/src/a.ts",
  "/home/me/repo/src/b/secret.key",
  "/home/me/repo/src/b/a.env",
  "/home/me/repo/README.md",
  "/home/me/repo/[a].ts",
  "/home/me/x/secret.key",
  "/home/me/x/b/a.ts",
  "/data/x/secret.key",
  "/data/src/a.ts",
  "/opt/a/b/a.env",
  "/tmp/a.ts",
  "/tmp/src/secret.key",
];
const LINKS = [
  {},
  { "/opt/x": "/data" },
  { "/home/me/l": "/data/x", "/opt/a": "/home/me/x" },
  { "/home/me/repo/src/l": "/data", "/data/src": "/home/me/repo/src" },
  { "/home": "/data/home", "/tmp": "/data/tmp" },
  { "/opt/a": "/opt/b", "/opt/b": "/home/me/repo", "/data/x": "/nowhere/x" },
];

/** A machine of these files and links, which can list a folder or not, and folds case or not. */
function somewhere(links: Readonly<Record<string, string>>, lists: boolean, foldsCase: boolean): World {
  const here = world({ links });
  const folders = Object.keys(links).map((path) => `${here.canonical(path.slice(0, path.lastIndexOf("/") || 1))}/`);
  const files = [...new Set([...FILES.map((path) => here.canonical(path)), ...folders])];
  const inner = machine(files, { links, foldsCase });
  const kind = (path: string) => (inner.canonical(path) in links ? "missing" : inner.kind(inner.canonical(path)));
  const all = (folder: string): Map<string, boolean> => {
    const names = new Map(inner.names(folder)?.map((name) => [name, false]));
    for (const link of Object.keys(links))
      if (link.slice(0, link.lastIndexOf("/") || 1) === folder && here.canonical(folder) === folder)
        names.set(link.slice(link.lastIndexOf("/") + 1), true);
    return names;
  };
  return { ...inner, kind, ...(lists ? { entries: all } : {}) };
}

const word = fc.constantFrom("a", "b", "x", "src", "l", "home", "me", "data", "opt", "repo", "A", "Src");
const name = fc.constantFrom(
  "a.ts",
  "secret.key",
  "a.env",
  "*.ts",
  "*.key",
  "*.e?v",
  "*",
  "**",
  "[a].ts",
  "[!s]*.key",
  "a**.ts",
  "a",
  "*.[ek]*",
  "SECRET.key",
  "s*",
  "{a.ts,*.key}",
  "\\[a].ts",
  "*.",
);
const folders = fc.array(
  fc.oneof({ weight: 6, arbitrary: word }, { weight: 1, arbitrary: fc.constantFrom("**", "*", "..", ".", "s*", "{a,b}", "[a-c]", "") }),
  { maxLength: 4 },
);
const start = fc.constantFrom(
  "",
  "",
  "/",
  "/",
  "~/",
  "/home/me/",
  "/home/me/repo/",
  "**/",
  "../",
  "/tmp/",
  "/data/",
  "/opt/",
  "./",
  "/opt/x/",
  "/opt/a/",
  "~/l/",
  "/data/src/",
  "/opt/x/src/",
);
const linked = fc
  .constantFrom("/opt/x", "/opt/a", "~/l", "/data/src", "/data/x", "/home", "/tmp", "/opt/b", "src/l", "/opt/x/src")
  .map((folder) => `${folder}/**`);
const written = fc
  .tuple(start, folders, name, fc.boolean())
  .map(([first, middle, last, only]) => `${first}${[...middle, ...(only && middle.length > 0 ? [] : [last])].join("/")}`);
const glob = fc.oneof({ weight: 4, arbitrary: written }, { weight: 1, arbitrary: linked });
const scope = fc.constantFrom("Read", "Read", "Read", "Read", "Read", "Read", "Write", "List", "Exec");
const pathRule = fc.tuple(scope, glob).map(([of, pattern]) => `${of}(${pattern})`);
const program = fc.constantFrom("git", "git", "git", "git", "git", "rm", "sed", "npm", "GIT", "/usr/bin/git", "./run", "python3", "*");
const token = fc.constantFrom(
  "push",
  "status",
  "run",
  "-r",
  "--force",
  "--mes",
  "--message",
  "fix",
  "src",
  "src/a.ts",
  "*",
  "**",
  "origin",
  "-m",
  "a=b",
  "./src",
);
const tokens = fc.array(token, { maxLength: 3 });
const commandRule = fc.tuple(fc.constantFrom("Bash", "Bash", "Shell"), program, tokens, fc.boolean()).map(([of, first, rest, open]) => {
  const line = [first, ...rest].join(" ");
  return of === "Bash" ? `Bash(${line}${open ? ":*" : ""})` : `Shell(${line.replaceAll("**", "...")}${open ? " ..." : ""})`;
});
const otherRule = fc.constantFrom<unknown>(
  "Read",
  "*",
  "Bash",
  "Bash(*)",
  "mcp__*",
  "mcp__a__*",
  "mcp__b__c",
  "Task(prompt:x)",
  "WebFetch",
  "Net(*.nodejs.org:443)",
  "Net(10.0.0.1)",
  "WebFetch(domain:nodejs.org)",
  "WebFetch(domain:example.com)",
  "WebFetch(domain:docs.example.com)",
  "Net(example.com)",
  "Shell(!{git,rm} ...)",
  "Shell({git,rm} ...)",
  "Shell(g* ...)",
  "m?p__a__b",
  { tool: "Bash", command: ["sed", "rm"], when: { hasOption: "-r" } },
);
const many = (rule: fc.Arbitrary<unknown>) =>
  fc.array(
    rule.filter((text) => parseRule(text).ok),
    { minLength: 40, maxLength: 70 },
  );

const target = fc.tuple(
  fc.constantFrom(
    "",
    "",
    "/",
    "/home/me/",
    "/data/",
    "/opt/",
    "/tmp/",
    "/data/x/",
    "/home/me/x/",
    "/data/src/",
    "/nowhere/x/",
    "/data/tmp/",
  ),
  fc.array(word, { maxLength: 3 }),
  fc.constantFrom("a.ts", "secret.key", "**", "*.ts", "?", "a.env", "b", "*", "s*/a.ts", "[a].ts", "[a]", ""),
);
const fileAction = fc
  .tuple(
    fc.constantFrom("read", "read", "read", "list", "write", "edit", "delete", "rename", "link", "mkdir"),
    target,
    fc.option(fc.constantFrom("../l/../src", "l/../x"), { nil: undefined, freq: 8 }),
    fc.boolean(),
  )
  .map(([operation, [first, middle, last], asGiven, recursive]): Action => {
    const path = `${first}${[...middle, last].join("/")}`;
    const action = file(`${operation} ${path === "" ? "src" : path}`, {
      ...(asGiven === undefined ? {} : { asGiven }),
      ...(recursive && operation === "delete" ? { recursive: true } : {}),
    });
    return action;
  });
const commandWord = fc.oneof(token, fc.constantFrom("--mes=fix", "-mfix", "$X", "src/", "--message=push", "-rf", "--", '"$Y"', "*.ts"));
const commandAction = fc
  .tuple(
    fc.constantFrom("git", "rm", "sed", "npm", "/opt/x/git", "/bin/RM", "./run", "$X", "python3"),
    fc.array(commandWord, { maxLength: 4 }),
    fc.constantFrom({}, {}, { resolved: "/usr/bin/git" }, { resolved: "/opt/a/b/a.ts" }),
  )
  .map(([first, rest, changes]): Action => exec([first, ...rest].join(" "), changes));
const otherAction = fc.constantFrom<Action>(
  net("nodejs.org", 443),
  net("a.nodejs.org.", 443),
  net(undefined, 443),
  net("docs.example.com", 80, "connect"),
  net("10.0.0.1", 22, "connect"),
  net("1.10.0.0.1", 22),
  tool("mcp__a__b"),
  tool("mcp__b__c"),
  tool("Read", { file_path: "/home/me/repo/src/a.ts" }),
  tool("WebFetch", { url: "https://nodejs.org" }),
  tool("Task", { prompt: "x" }),
  { kind: "remote", service: "git", operation: "read", origin: { by: "tool" } },
);
const place = fc.tuple(fc.constantFrom(...LINKS), fc.boolean(), fc.boolean());
const sayings = ({ deny, ask, allow }: Omit<MatchedRules, "fallback">): string =>
  JSON.stringify([deny?.rule.source.text, deny?.certain, ask?.rule.source.text, ask?.certain, allow.map(({ source }) => source.text)]);

/** Rules of one kind, and a few of every other. */
const KINDS: readonly (readonly [string, fc.Arbitrary<unknown>, fc.Arbitrary<Action>])[] = [
  ["files", pathRule, fileAction],
  ["commands", commandRule, commandAction],
  ["hosts and tools", otherRule, otherAction],
];

describe.each(KINDS)("rules about %s: the index says what they say, one after the other", (_, rule, action) => {
  const mixed = many(
    fc.oneof(
      { weight: 30, arbitrary: rule },
      { weight: 1, arbitrary: pathRule },
      { weight: 1, arbitrary: commandRule },
      { weight: 1, arbitrary: otherRule },
    ),
  );
  test("and the first that speaks is the same", () => {
    const property = fc.property(
      mixed,
      mixed,
      mixed,
      fc.array(action, { minLength: 1, maxLength: 8 }),
      place,
      (deny, ask, allow, actions, [links, lists, folds]) => {
        const all = policy({ deny, ask, allow });
        const index = indexOf(all);
        for (const one of actions) {
          const where = somewhere(links, lists, folds);
          const context = { world: where };
          for (const effect of ["deny", "ask", "allow"] as const) {
            const { rules } = index[effect];
            const answers = rules.map((each) => matchRule(each, one, context));
            const sure = index[effect].matching(one, "sure", context);
            const possible = index[effect].matching(one, "possible", context);
            const lost = rules.filter(
              (each, at) =>
                (answers[at] === "yes" && !sure.includes(each)) ||
                (effect !== "allow" && answers[at] === "maybe" && !possible.includes(each)),
            );
            expect([one, links, lists, folds, lost.map(({ source }) => source.text)]).toEqual([one, links, lists, folds, []]);
            expect([sure, possible].map((list) => list.toSorted((a, b) => rules.indexOf(a) - rules.indexOf(b)))).toEqual([sure, possible]);
          }
          expect([one, sayings(findMatchingRules(one, index, context))]).toEqual([one, sayings(linear(one, all, where))]);
        }
      },
    );
    expect(failure(property, { numRuns: Number(process.env["INDEX_RUNS"] ?? 100) })).toBeUndefined();
  }, 600_000);
});
