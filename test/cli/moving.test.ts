import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { judgeOnly } from "@assent/page/preview";
import { createRuleset, type Ruleset } from "../../packages/library/src/sdk/rules/ruleset.ts";
import { PermissionChecker } from "../../packages/library/src/sdk/rules/checker.ts";
import { assent, scratch, type Scratch } from "../scratch.ts";

/**
 * Users of other tools: the file that the tool documents, taken over, and what each answers to the same requests. Theirs first, ours
 * behind it. What they allow and we ask says why.
 */

type Answer = "allow" | "ask" | "deny" | "none";
interface Request {
  /** A command, or a tool with a path. */
  readonly asks: string;
  readonly theirs: Answer;
  /** Where it differs. */
  readonly ours?: Answer;
}
interface Tool {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly words: readonly string[];
  /** What else lies there. */
  readonly also?: Readonly<Record<string, string>>;
  /** What is said of what does not come over. */
  readonly lost?: readonly RegExp[];
  readonly requests: readonly Request[];
}

const words = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split("|"));
const same = (theirs: Answer, ...asks: readonly string[]): readonly Request[] => asks.map((one) => ({ asks: one, theirs }));
const stricter = (theirs: Answer, ours: Answer, ...asks: readonly string[]): readonly Request[] =>
  asks.map((one) => ({ asks: one, theirs, ours }));

const consent = (yes: unknown): string =>
  JSON.stringify({ first_run_complete: true, preferences: { mcp_auto_approve_enabled: yes }, version: "1.0" }, null, 2);

const TOOLS: readonly Tool[] = [
  {
    name: "agentperm",
    file: "old.jsonc",
    text: `{ "version": 1, // mine
  "permissions": {
    "allow": ["Bash(git log:*)", "Bash(make:*)", "Bash(sed:*)", "Bash(pnpm ** build:*)", "Read", "mcp__memory__*"],
    "ask": [{ "tool": "Bash", "command": ["sed", "gsed"], "when": { "hasOption": ["-i", "--in-place"] }, "reason": "changes files" }],
    "deny": ["Bash(sudo:*)", "Bash(git push --force:*)"],
  },
  "shell": { "redirection": { "stdoutToFile": "ask" } } }`,
    words: ["import", "old.jsonc", "--agent", "agentperm", "--yes"],
    requests: [
      ...same("allow", "git log --oneline", "make all", "pnpm --dir x build", "sed -n 1p a", "git log | sed s/a/b/"),
      ...same("ask", "sed -i s/a/b/ f", "sed -ni p f", "sed --in-place=.bak p f", "gsed -iE p f", "make > out"),
      ...same("deny", "sudo make", "git push --force", "make; sudo ls", "bash -c 'sudo ls'"),
      // AW6, AW7, AW8: theirs goes by the words alone.
      ...stricter("none", "deny", "s'u'do ls", "git push origin main --force"),
      ...stricter("allow", "deny", "sed p ~/.ssh/id_rsa"),
      ...stricter("none", "ask", "sed --in-plac p f"),
    ],
  },
  {
    name: "agentperm 0.3",
    file: "old.jsonc",
    text: `{ "version": 1,
  "permissions": {
    "allow": ["Shell(git stash only(--keep-index, -p))", { "Shell(frob ec2 list)": { "values": ["--region"], "reason": "lists" } }, "Python(readonly)"],
    "ask": [{ "Shell(make deploy)": { "reason": "goes out" } }],
    "deny": ["Shell(frob values(--region) ec2 stop)", { "Shell(git push --force)": { "reason": "no force" } }, "Shell(psql -c <SQL:main>)"],
  } }`,
    words: ["import", "old.jsonc", "--agent", "agentperm", "--yes"],
    lost: [/Python\(readonly\): code is judged/, /<SQL:main>` stands for no word/],
    requests: [
      ...same("allow", "git stash", "git stash -p", "git stash --keep-index"),
      ...same("ask", "make deploy"),
      ...same(
        "deny",
        "frob ec2 stop",
        "frob --region x ec2 stop",
        "frob --region=x ec2 stop",
        "git push --force",
        "ls && frob --region x ec2 stop",
      ),
      ...stricter("none", "ask", "git stash -u", "git stash -p -u"),
      ...same("none", "frob --other x ec2 list"),
    ],
  },
  {
    name: "autonomous-dev",
    file: ".claude/config/auto_approve_policy.json",
    text: JSON.stringify({
      version: "2.0",
      bash: { whitelist: ["pytest*", "git status", "npm run *"], blacklist: ["rm -rf*", "git push --force*", "chmod 777*"] },
      file_paths: { whitelist: ["*"], blacklist: ["/etc/*", "*/.env"] },
      agents: { trusted: ["researcher"], restricted: [] },
      web_tools: { whitelist: ["WebFetch"], allow_all_domains: true, blocked_domains: ["evil.example"] },
    }),
    words: ["import", "--agent", "autonomous-dev", "--yes"],
    also: { "~/.autonomous-dev/user_state.json": consent(true) },
    lost: [/assent agents trust researcher/, /mcp_auto_approve_enabled: yes[^]*assent auto on/],
    requests: [
      ...same("allow", "git status", "pytest -q", "npm run build"),
      ...same("ask", "cargo publish", "touch a"),
      // A refusal there is its host's question; it refuses here.
      ...stricter("ask", "deny", "rm -rf build", "git push --force origin x", "chmod 777 a", "Read /etc/shadow", "Read .env"),
      ...stricter("allow", "deny", "pytest; git push --force"),
    ],
  },
  {
    name: "cc-safety-net",
    file: "~/.cc-safety-net/config.json",
    text: JSON.stringify({
      version: 1,
      rules: [{ name: "no-add-all", command: "git", subcommand: "add", block_args: ["-A", "--all", "."], reason: "add files by name" }],
    }),
    words: ["import", "--agent", "cc-safety-net", "--yes"],
    requests: [
      ...same("deny", "git add -A", "git add --all", "git add .", "git -C . add -A"),
      ...stricter("none", "deny", "git add -vA"),
      // A default, which is silence to a host that asks by itself.
      ...stricter("none", "ask", "git add a.txt"),
      ...stricter("deny", "ask", "git reset --hard"),
    ],
  },
  {
    name: "codex' rules",
    file: "~/.codex/rules/default.rules",
    text: `prefix_rule(pattern=["git", ["log", "status"]], decision="allow")
prefix_rule(pattern=["cargo", "publish"], decision="forbidden", justification="releases are made by CI", match=["cargo publish --dry-run"])
prefix_rule(pattern=["npm", "install"], decision="prompt")
`,
    words: ["import", "--agent", "codex", "--yes"],
    requests: [
      ...same("allow", "git log", "git status -s"),
      ...same("deny", "cargo publish", "cargo publish --dry-run"),
      ...same("ask", "npm install x"),
      ...stricter("none", "deny", "cargo --locked publish"),
    ],
  },
];

function answerOf({ machine, project }: Scratch, asks: string): Answer {
  const [, tool, path] = /^(Read|Write|Edit) (\S+)$/.exec(asks) ?? [];
  const question = tool === undefined ? { tool: "Bash", input: { command: asks } } : { tool, input: { file_path: path } };
  return judgeOnly({ ...question, cwd: project }, machine, []).verdict.decision;
}

it.each(TOOLS)("from $name", { timeout: 120_000 }, ({ file, text, also, words, lost, requests }) => {
  const place = scratch();
  mkdirSync(join(place.project, ".git"), { recursive: true });
  for (const [path, held] of Object.entries({ [file]: text, ...also })) place.write(path, held);
  const { stdout, stderr } = assent(place, words);
  const said = stdout + stderr;
  assent(place, ["trust", "--yes"]);
  if (lost === undefined) expect(said).not.toMatch(/cannot be kept|not kept|lost/);
  for (const one of lost ?? []) expect(said).toMatch(one);
  expect(requests.map(({ asks }) => `${asks}: ${answerOf(place, asks)}`)).toEqual(
    requests.map(({ asks, theirs, ours = theirs }) => `${asks}: ${ours}`),
  );
});

describe("autonomous-dev's file of consent is told, and is nobody's yes", () => {
  it.each([
    ["yes", consent(true), /user_state\.json[^]*mcp_auto_approve_enabled: yes[^]*say `assent auto on`/],
    ["no", consent(false), /mcp_auto_approve_enabled: no[^]*say `assent auto off`/],
    ["a text that looks like a yes", consent("true"), /nothing was said[^]*say `assent auto off`/],
    ["a number", consent(1), /nothing was said[^]*say `assent auto off`/],
    ["a list", consent([true]), /nothing was said[^]*say `assent auto off`/],
    ["nothing was said yet", '{ "first_run_complete": false, "preferences": {}, "version": "1.0" }', /nothing was said[^]*assent auto off/],
    ["no JSON", "yes", /user_state\.json/],
  ])("%s", { timeout: 60_000 }, (_, text, said) => {
    const place = scratch();
    place.write("~/.autonomous-dev/user_state.json", text);
    const dry = assent(place, ["import", "--agent", "autonomous-dev", "--dry-run"]);
    expect(dry.stdout + dry.stderr).toMatch(said);
    assent(place, ["import", "--agent", "autonomous-dev", "--yes"]);
    const { stdout } = assent(place, ["auto", "status"]);
    expect(stdout).not.toMatch(/you agreed/);
    expect(answerOf(place, "cargo publish")).toBe("ask");
  });

  it("named without its agent, it is known by what it holds", { timeout: 60_000 }, () => {
    const place = scratch();
    place.write("state.json", consent(true));
    const { stdout, stderr } = assent(place, ["import", "state.json", "--dry-run"]);
    expect(stdout + stderr).toMatch(/say `assent auto on`/);
  });
});

const RULESET: Ruleset = {
  default: "ask",
  read: { default: "allow", rules: [{ pattern: "**/secrets/**", action: "deny" }] },
  write: { default: "ask", rules: [{ pattern: "src/**", action: "allow" }] },
  execute: {
    default: "ask",
    rules: [
      { pattern: "git push --force**", action: "deny" },
      { pattern: "git diff*", action: "allow" },
      { pattern: "make *", action: "allow" },
    ],
  },
};

/** Both read a star alike: it ends at a slash, two do not. */
describe("from pydantic-ai-backend: a ruleset in the library, and the same as a policy", () => {
  const RULESETS: readonly (readonly [name: string, ruleset: Ruleset])[] = [
    ["one of one's own", RULESET],
    ["as create_ruleset(allow_write=True) prints it", createRuleset({ allowWrite: true, allowExecute: true, default: "ask" })],
    ["a refusal in front of everything", { ...RULESET, execute: { default: "allow", rules: [{ pattern: "git **", action: "ask" }] } }],
    ["a star alone", { ...RULESET, execute: { default: "ask", rules: [{ pattern: "*", action: "allow" }] } }],
    ["two stars alone", { ...RULESET, execute: { default: "ask", rules: [{ pattern: "**", action: "allow" }] } }],
    [
      "nothing but refusals",
      { default: "deny", read: { default: "allow" }, execute: { default: "deny", rules: [{ pattern: "ls*", action: "ask" }] } },
    ],
  ];
  const COMMANDS = words(
    "git diff|git diff --stat|git diff src/a.ts|make all|make src/a|make -C x all|git push --force|git push --force a/b",
    "ls|touch a|rm -rf ~|cat src/secrets/key|sudo ls|python3 x.py|echo a > src/b",
  );

  it.each(RULESETS)("%s", (_, ruleset) => {
    const place = scratch();
    place.write("rules.json", JSON.stringify(ruleset));
    const { stderr, status } = assent(place, ["import", "rules.json", "--agent", "pydantic-ai-backend", "--yes"]);
    expect([status === 0 || status === 1, stderr]).toEqual([true, expect.not.stringContaining("does not load")]);
    const checker = new PermissionChecker(ruleset, { cwd: place.project, machine: place.machine, files: "none", audit: false });
    const rank = (answer: string): number => ["allow", "none", "ask", "deny"].indexOf(answer);
    const looser = COMMANDS.flatMap((command) => {
      const [library, policy] = [checker.checkSync("execute", command), answerOf(place, command)];
      return rank(policy) < rank(library) ? [{ command, library, policy }] : [];
    });
    expect(looser).toEqual([]);
  });
});
