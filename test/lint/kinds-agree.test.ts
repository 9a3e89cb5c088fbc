import { rmSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { Action } from "@assent/core/action";
import { AGENTS } from "@assent/hosts/agents";
import { judgeOnly } from "@assent/page/preview";
import { addToPolicy } from "../../packages/assent/src/cli/rule.ts";
import { inspect, type Inspection } from "@assent/guard/inspect";
import { lint, type LintCode } from "@assent/guard/lint";
import { callMatcher } from "../../packages/core/src/policy/call-matcher.ts";
import { judge, type Matcher, parseRule, readingOf } from "@assent/core/policy";
import { policyPlace } from "@assent/guard/policy-edit";
import { call, KIND_ROWS } from "../policy/kind-rows.ts";
import { engine, scratch } from "../scratch.ts";

type Kind = Matcher["kind"];
type Effect = "allow" | "ask" | "deny";

/** A tool call as an agent makes it, or what one does, such as a system call of a supervised run. */
type Request = { readonly tool: string; readonly input: Readonly<Record<string, string>> } | { readonly action: Action };
/** An entry of a list of `permissions`, or a pattern of the block of `execute`. */
type Entry = { readonly rule: unknown } | { readonly line: string };

const from = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const joined = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> => fc.tuple(...parts).map((all) => all.join(""));
const words = (word: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join(" "));
const scoped = (name: fc.Arbitrary<string>, scope: fc.Arbitrary<string>): fc.Arbitrary<Entry> =>
  fc.tuple(name, fc.option(scope, { freq: 6 })).map(([of, inner]) => ({ rule: inner === null ? of : `${of}(${inner})` }));

const COMMANDS = [
  "git push",
  "git push -f origin",
  "git status",
  "make",
  "make all",
  "ourtool x y",
  "ls -l",
  "cat a.txt > b.txt",
  "sed -i p a.txt",
  "./ourtool",
];
const PATHS = ["src/a.ts", "src/deep/b.ts", "a.txt", ".env", "/etc/hosts", "~/notes.txt", "../other/x"];
const HOSTS = ["https://evil.com/x", "http://evil.com:8080", "https://docs.evil.com", "https://nodejs.org/api", "http://127.0.0.1:3000"];
const TOOLS = ["mcp__files__read", "mcp__web__get", "Task", "NotebookEdit", "OwnTool"];
const command = (text: string): Request => ({ tool: "Bash", input: { command: text } });
const onFile = (name: string): readonly (Request & { readonly tool: string })[] =>
  PATHS.map((path) => ({ tool: name, input: { file_path: path, content: "x", old_string: "a", new_string: "b" } }));

/** What each kind of rule is about, where that is more than its rows in `kind-rows.ts` say. */
const REQUESTS: Readonly<Partial<Record<Kind, readonly Request[]>>> = {
  bash: COMMANDS.map(command),
  shell: COMMANDS.map(command),
  option: COMMANDS.map(command),
  command: COMMANDS.map(command),
  path: [
    ...["Read", "Edit", "Write"].flatMap(onFile),
    ...["cat a.txt", "rm src/a.ts", "mkdir -p src/deep", "ls src", "cat ~/notes.txt"].map(command),
  ],
  net: [...HOSTS.map((url): Request => ({ tool: "WebFetch", input: { url } })), command("curl https://evil.com/x")],
  tool: TOOLS.map((name): Request => ({ tool: name, input: { notebook_path: "src/a.ipynb", path: "src/a.ts", prompt: "fix it" } })),
  call: [
    call("open", "/srv/x/a", "read"),
    call("open", "/srv/x/a", "write"),
    call("delete", "/srv/x/a"),
    call("exec", "/usr/bin/git", ["git", "push", "-f"]),
  ].map((action): Request => ({ action })),
};
const requestsOf = (kind: Kind): readonly Request[] =>
  REQUESTS[kind] ??
  KIND_ROWS[kind]
    .flatMap(({ allow, deny = [], not }) => [...allow, ...deny, ...not])
    .map((one): Request => (typeof one === "string" ? command(one) : { action: one }));

const word = from(
  "git",
  "push",
  "status",
  "make",
  "all",
  "ourtool",
  "x",
  "*",
  "**",
  "-f",
  "src/*",
  "a*",
  "{git,hg}",
  "!x",
  "...",
  ";",
  "'x'",
  "> b",
);
const segment = from("src", "a.ts", "*", "**", "deep", "*.ts", "[ab]*", "[z-a]", "..", ".", "~", "", "{src,lib}", ".env", "!x", "x\\");
const host = from(
  "evil.com",
  "*.evil.com",
  "nodejs.org",
  "*",
  "evil.com",
  "127.0.0.1",
  "[::1]",
  "localhost",
  "EVIL.com.",
  "",
  "*evil.com",
  "10.0.0.0/8",
);
/** Likewise. */
const RULES: Readonly<Partial<Record<Kind, fc.Arbitrary<Entry>>>> = {
  bash: scoped(from("Bash"), joined(words(word), from("", ":*", " *", "*"))),
  shell: scoped(from("Shell"), joined(words(word), from("", " ...", " !-*", " !...", " -f", " !-f"))),
  option: fc
    .tuple(from("sed", "git push", "make", "*", ""), from(["-i"], ["-f"], ["--force", "-f"], ["x"], []))
    .map(([of, hasOption]) => ({ rule: { tool: "Bash", command: of, when: { hasOption } } })),
  command: joined(words(word), from("", "*", " *")).map((line) => ({ line })),
  path: scoped(
    from("Read", "Edit", "Write", "Delete", "Rename", "List", "Exec", "Raed"),
    fc.array(segment, { minLength: 1, maxLength: 4 }).map((all) => all.join("/")),
  ),
  net: fc.oneof(
    scoped(from("WebFetch"), joined(from("domain:", "domain:", "host:"), host)),
    scoped(from("Net"), joined(host, from("", "", ":443"))),
    scoped(from("WebFetch", "Net"), joined(from("", "domain:", "https://"), host, from(":*", ":0", ":99999", "/x"))),
  ),
  tool: scoped(
    from("mcp__files__read", "mcp__files__*", "mcp__*", "*", "Task", "Own*", "OwnTool", "bash", "Raed"),
    from("prompt:fix *", "path:src/**", "domain:evil.com", "*", "nope", "prompt:"),
  ),
  call: joined(
    from("open", "delete", "exec", "open", "connect"),
    from(
      "(/srv/**, _)",
      "(/srv/x/a, write)",
      "(_, _)",
      "(_, [git, push, ...])",
      "(/srv/x/a)",
      "(_)",
      "(...)",
      "(_, _)",
      "(srv, read)",
      "(/[z-a]/, _)",
    ),
  ).map((rule) => ({ rule })),
};
const rulesOf = (kind: Kind): fc.Arbitrary<Entry> => RULES[kind] ?? from(...KIND_ROWS[kind].map(({ rule }) => ({ rule })));
const KINDS = Object.keys(KIND_ROWS) as readonly Kind[];

/** A character lost, doubled or put in somewhere. */
const slipped = (entry: Entry, at: number, slip: string): Entry => {
  const change = (text: string): string => {
    const where = at % (text.length + 1);
    return `${text.slice(0, where)}${slip}${text.slice(slip === "" ? where + 1 : where)}`;
  };
  if ("line" in entry) return { line: change(entry.line) };
  return typeof entry.rule === "string" ? { rule: change(entry.rule) } : entry;
};

const place = scratch({ keep: true });
afterAll(() => rmSync(place.root, { recursive: true, force: true }));
place.write("src/a.ts", "a");
const FILE = place.write("~/.agent-permissions.jsonc", "{}");

type Written = readonly (readonly [entry: Entry, effect: Effect])[];

const EFFECTS = ["allow", "ask", "deny"] as const;
/** As they stand in the file that is made of them. */
const inOrder = (rules: Written): Written => [
  ...rules.filter(([entry]) => "line" in entry),
  ...EFFECTS.flatMap((as) => rules.filter(([entry, effect]) => "rule" in entry && effect === as)),
];

/** `lines[i]`: where rule i stands. Each has a line of its own. */
function write(rules: Written): { readonly inspection: Inspection; readonly lines: readonly number[] } {
  const text: string[] = [];
  const lines: number[] = [];
  const put = (before: string, of: (one: Written[number]) => unknown): void => {
    text.push(before);
    const own = rules.flatMap((one, at) => (of(one) === undefined ? [] : [at]));
    for (const at of own) {
      const one = rules[at];
      if (one !== undefined) lines[at] = text.push(`${JSON.stringify(of(one))},`);
    }
  };
  put('{ "operations": { "execute": { "rules": [', ([entry, action]) => ("line" in entry ? { pattern: entry.line, action } : undefined));
  text.push('] } }, "permissions": {');
  for (const as of EFFECTS) {
    put(`"${as}": [`, ([entry, effect]) => (effect === as && "rule" in entry ? entry.rule : undefined));
    text.push("],");
  }
  place.write(FILE, `${text.join("\n")}\n} }`);
  return { inspection: inspect({ machine: place.machine, cwd: place.project, own: engine.own }), lines };
}

function told(request: Request, { policy, context, world }: Inspection): string {
  if ("tool" in request)
    return judgeOnly({ tool: request.tool, input: request.input, cwd: place.project }, place.machine, []).verdict.decision;
  return judge({ actions: [request.action], unknowns: [] }, policy, { ...context, matchCall: callMatcher(world, policy.rules) }).decision;
}
const toldAll = (kind: Kind, inspection: Inspection): readonly string[] => requestsOf(kind).map((request) => told(request, inspection));
const isLoaded = ({ files }: Inspection): boolean => files.every(({ result }) => result.ok);

const effect = from<Effect>("allow", "ask", "deny");
const ofKind = (kind: Kind, most: number): fc.Arbitrary<Written> =>
  fc.array(fc.tuple(rulesOf(kind), effect), { minLength: 2, maxLength: most });
/** A rule that says so decides about nothing, or about nothing that another does not decide alike. */
const DEAD: readonly LintCode[] = ["AL010", "AL030", "AL031", "AL032"];

describe.each(KINDS)("rules of the kind %s", (kind) => {
  it("what the load accepts explain applies; what rule add refuses the load refuses, too", () => {
    fc.assert(
      fc.property(
        rulesOf(kind),
        fc.nat(200),
        from("", "(", ")", "*", "[", ":", " ", "\\", "!", "'"),
        fc.boolean(),
        effect,
        (entry, at, slip, slips, as) => {
          const tried = slips ? slipped(entry, at, slip) : entry;
          const { inspection } = write([[tried, as]]);
          const loaded = isLoaded(inspection);
          if (loaded) {
            lint(inspection);
            for (const said of toldAll(kind, inspection)) expect(["allow", "ask", "deny", "none"]).toContain(said);
          }
          if (!("rule" in tried) || typeof tried.rule !== "string") return;
          const parsed = parseRule(tried.rule);
          write([]);
          const user = policyPlace("global", place.machine, place.project);
          if (user === undefined) throw new Error("the user has a file");
          const target = { machine: place.machine, cwd: place.project, place: user, starter: "{}", short: (path: string) => path };
          const added = parsed.ok && addToPolicy(target, as, parsed, undefined).is !== "not";
          expect([tried.rule, added]).toEqual([tried.rule, loaded]);
          // What it wrote is what was judged.
          if (added) expect(isLoaded(inspect({ machine: place.machine, cwd: place.project, own: engine.own }))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);

  it("a rule that lint calls dead or needless changes no verdict", () => {
    const seen = { dead: 0 };
    fc.assert(
      fc.property(ofKind(kind, 4), (drawn) => {
        const rules = inOrder(drawn);
        const { inspection, lines } = write(rules);
        if (!isLoaded(inspection)) return;
        const dead = lint(inspection).filter(({ code }) => DEAD.includes(code));
        if (dead.length === 0) return;
        const before = toldAll(kind, inspection);
        for (const finding of dead) {
          const at = lines.indexOf(finding.line);
          expect(at).not.toBe(-1);
          seen.dead++;
          const { inspection: without } = write(rules.filter((_, other) => other !== at));
          expect([rules, finding.message, toldAll(kind, without)]).toEqual([rules, finding.message, before]);
        }
      }),
      { numRuns: 120 },
    );
    expect(seen.dead).toBeGreaterThan(0);
  }, 120_000);

  it("a rule that lint says means everything means every request of its kind", () => {
    fc.assert(
      fc.property(wide(kind), (entry) => {
        // `allow` is said to allow everything, `deny` to deny this for every file: what is said of one holds for the other.
        const codes = (["allow", "deny"] as const).flatMap((as) => lint(write([[entry, as]]).inspection).map(({ code }) => code));
        const { inspection } = write([[entry, "deny"]]);
        const [matcher] = [...inspection.policy.rules, ...inspection.policy.operations.flatMap(({ rules }) => rules)].map(
          (rule) => rule.matcher,
        );
        if (matcher === undefined) return;
        const meant = meantBy(matcher, codes);
        expect([entry, meant.map((request) => told(request, inspection))]).toEqual([entry, meant.map(() => "deny")]);
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});

/** Half of them say next to nothing. */
function wide(kind: Kind): fc.Arbitrary<Entry> {
  const open: Readonly<Partial<Record<Kind, readonly string[]>>> = {
    bash: ["Bash", "Bash()", "Bash(*)", "Bash(* *)", "Bash(* :*)", "Bash(** x)", "Bash(* * :*)", "Bash(**:*)", "Bash(** **)"],
    shell: [
      "Shell(*)",
      "Shell(* ...)",
      "Shell(!x)",
      "Shell(* !-*)",
      "Shell(* !...)",
      "Shell({*,git})",
      "Shell(* x)",
      "Shell(* -f)",
      "Shell(* ... ...)",
    ],
    path: ["Read", "Edit(**)", "Write(/**)", "Write(**/*)", "Read(~/**)", "Edit(*)", "Read(./**)", "Edit(/**/*)", "Read(**/**)"],
    net: ["WebFetch", "Net", "Net(*)", "WebFetch(domain:*)", "Net(*:443)", "Net(*.*)", "Net(*:*)", "WebFetch(host:*)"],
    tool: ["*", "mcp__*", "mcp__*(path:src/**)", "mcp*", "**", "*(*)", "mcp__*__*"],
    call: ["open(_, _)", "open(...)", "open(_)", "open(_, ...)", "delete(_)", "exec(_, _)", "exec(_, [...])", "exec(...)"],
  };
  const rules =
    kind === "command"
      ? ["*", "**", "* *", "?*", "***"].map((line): Entry => ({ line }))
      : (open[kind] ?? []).map((rule): Entry => ({ rule }));
  return rules.length === 0 ? rulesOf(kind) : fc.oneof(rulesOf(kind), from(...rules));
}

const TOOL_OF: Readonly<Record<string, string>> = { read: "Read", edit: "Edit", write: "Write" };

/** The requests that a rule speaks of by what lint says of it. */
function meantBy(matcher: Matcher, codes: readonly LintCode[]): readonly Request[] {
  const requests = requestsOf(matcher.kind);
  switch (matcher.kind) {
    case "path":
      return codes.includes("AL026")
        ? matcher.operations.flatMap((operation) => onFile(TOOL_OF[operation] ?? "").filter(({ tool }) => tool !== ""))
        : [];
    case "net":
      return codes.includes("AL005") && matcher.port === undefined ? requests : [];
    default: {
      if (!readingOf(matcher).isEverything(matcher)) return [];
      expect(codes).toContain("AL003");
      if (matcher.kind === "tool" && matcher.name !== "*") return requests.filter((one) => "tool" in one && one.tool.startsWith("mcp__"));
      return matcher.kind === "call" ? requests.filter((one) => "action" in one && one.action.call?.name === matcher.name) : requests;
    }
  }
}

describe("a word that somebody writes as if it were a rule", () => {
  const edit = (path: string): Request => ({ tool: "Edit", input: { file_path: path, old_string: "a", new_string: "b" } });
  const read = (path: string): Request => ({ tool: "Read", input: { file_path: path } });
  const fetch = (url: string): Request => ({ tool: "WebFetch", input: { url } });
  /** What it means to who writes it. */
  const WORDS: readonly (readonly [word: string, meant: Request])[] = [
    ["rm", command("rm -f x")],
    ["RM", command("rm -f x")],
    ["npm", command("npm test")],
    ["ourtool", command("ourtool x")],
    ["apt-get", command("apt-get install x")],
    ["g++", command("g++ a.cc")],
    ["git*", command("git push")],
    ["Docker", command("docker ps")],
    ["grep", command("grep -r x .")],
    ["git(push:*)", command("git push origin")],
    ["Git(push *)", command("git push origin")],
    ["npm(run *)", command("npm run x")],
    [".prettierrc", read("src/.prettierrc")],
    ["*.sql", read("db/a.sql")],
    ["package.json", read("package.json")],
    ["src/**", read("src/deep/a.ts")],
    ["private/", read("private/a/b")],
    ["/etc/hosts", read("/etc/hosts")],
    ["~/notes/**", read("~/notes/x")],
    ["../other/x", read("../other/x")],
    ["evil.com", fetch("https://evil.com/x")],
    ["*.evil.com", fetch("https://a.evil.com/x")],
    ["read", read("src/a.ts")],
    ["write", edit("src/a.ts")],
    ["webfetch(domain:evil.com)", fetch("https://evil.com")],
    ["read_file", read("src/a.ts")],
    ["read_file(src/**)", read("src/a.ts")],
    ["replace", edit("src/a.ts")],
    ["run_shell_command", command("ls")],
    ["apply_patch", edit("src/a.ts")],
    ["mcp__files", { tool: "mcp__files__read", input: {} }],
  ];
  /** What is no rule at all is refused, with the way to write it. */
  const REFUSED: readonly (readonly [text: string, meant: Request])[] = [
    ["rm -rf", command("rm -rf x")],
    ["git push", command("git push origin")],
    ["git push --force:*", command("git push --force origin")],
    ["curl:*", command("curl https://evil.com")],
    ["npm test *", command("npm test x")],
    ["https://evil.com/x", fetch("https://evil.com/x")],
  ];
  /** The first rule that a message proposes. */
  const proposed = (message: string): string => /(?:written|write|did you mean) `([^`]+)`/.exec(message)?.[1] ?? "";
  const denied = (rule: string, request: Request): string => told(request, write([[{ rule }, "deny"]]).inspection);

  it.each(WORDS)("%s: lint, load, explain and rule add say the same, and what they propose guards", (word, meant) => {
    fc.assert(
      fc.property(effect, fc.boolean(), (as, asObject) => {
        const rule = asObject ? { rule: word, reason: "ours" } : word;
        const { inspection, lines } = write([
          [{ rule: "Read(docs/**)" }, as],
          [{ rule }, as],
        ]);
        const at = (line: number): boolean => line === lines[1];
        const [found] = lint(inspection).filter(({ code, line }) => code === "AL011" && at(line));
        expect(found?.message).toContain("is taken as the name of a tool");
        const said = found?.message ?? "";
        const loaded = inspection.files.flatMap(({ result }) => (result.ok ? result.warnings : []));
        expect(loaded.filter(({ line }) => at(line)).map(({ message }) => message)).toEqual([said]);
        const { warnings } = judgeOnly({ ...command("ls"), cwd: place.project, tool: "Bash", input: { command: "ls" } }, place.machine, []);
        expect(warnings.filter((one) => one.includes(said)).map((one) => one.split(":")[1])).toEqual([`${lines[1]}`]);
        write([]);
        const user = policyPlace("global", place.machine, place.project);
        const parsed = parseRule(word);
        if (user === undefined || !parsed.ok) throw new Error("it is a rule, and the user has a file");
        const target = { machine: place.machine, cwd: place.project, place: user, starter: "{}", short: (path: string) => path };
        const added = addToPolicy(target, as, parsed, undefined);
        expect(added.is === "added" ? added.warnings : []).toContain(said);
      }),
      { numRuns: 3 },
    );
    expect(denied(word, meant)).not.toBe("deny");
    const right = proposed(parseRuleWarning(word));
    expect([right, parseRuleWarning(right), denied(right, meant)]).toEqual([right, "", "deny"]);
  });

  it.each(REFUSED)("%s is refused with the rule that means it", (text, meant) => {
    const parsed = parseRule(text);
    const right = proposed(parsed.ok ? "" : (parsed.help ?? ""));
    expect([right, denied(right, meant)]).toEqual([right, "deny"]);
  });

  it.each(["Task", "sendMail", "send_mail", "OwnTool", "Own*", "*", "mcp__*", "mcp__a__b", "rm(*)", "search(*)", "mail(to:*@x)"])(
    "%s is a tool, and nothing is said",
    (rule) => expect(parseRuleWarning(rule)).toBe(""),
  );

  it("every tool of a host that is judged by what it does is told so", () => {
    const named = AGENTS.flatMap(({ protocol }) => Object.entries(protocol.tools))
      .filter(([, { does }]) => !["tool", "opaque"].includes(does))
      .map(([name]) => name);
    const silent = new Set(named.filter((name) => parseRuleWarning(name) === ""));
    const isTool = (name: string): boolean => {
      const parsed = parseRule(name);
      return parsed.ok && parsed.matcher.kind === "tool";
    };
    expect([...silent].filter(isTool)).toEqual(MEAN_SEVERAL);
  });
});

const parseRuleWarning = (rule: string): string => {
  const parsed = parseRule(rule);
  return parsed.ok ? (parsed.warning ?? "") : "";
};

/** Tools that do different things in different hosts: which rule is meant cannot be told. */
const MEAN_SEVERAL: readonly string[] = [];
