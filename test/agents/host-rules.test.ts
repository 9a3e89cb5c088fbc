import { expect, it } from "vitest";
import { AGENTS } from "@assent/hosts/agents";
import { HOST_READERS, hostMightObject } from "@assent/hosts/agents/native";
import { scratch } from "../scratch.ts";

it("every agent whose rules can be read is there, by the reader it declares", async () => {
  for (const { id, rules } of AGENTS) {
    const declared = typeof rules === "string" ? undefined : (await rules()).rules.reader;
    const around = { home: "/h", project: "/h/p", env: {} };
    expect([id, HOST_READERS[id]?.places(around).map(({ path }) => path)]).toEqual([id, declared?.places(around).map(({ path }) => path)]);
  }
});

const CLAUDE = (permissions: object): Readonly<Record<string, string>> => ({ "~/.claude/settings.json": JSON.stringify({ permissions }) });
const DROID = (settings: object) => ({ "~/.factory/settings.json": JSON.stringify(settings) });
const OPENCODE = (permission: unknown): Readonly<Record<string, string>> => ({
  "~/.config/opencode/opencode.json": JSON.stringify({ permission }),
});

interface Row {
  readonly agent: string;
  readonly files: Readonly<Record<string, string>>;
  readonly effects: readonly ("ask" | "deny")[];
  readonly command: string;
  /** What is said; undefined: no rule of the host's speaks about it. */
  readonly objects: RegExp | undefined;
}

const BOTH = ["ask", "deny"] as const;
const ROWS: readonly Row[] = [
  { agent: "claude", files: {}, effects: BOTH, command: "./x", objects: undefined },
  {
    agent: "claude",
    files: CLAUDE({ ask: ["Bash(npm publish:*)"] }),
    effects: ["ask"],
    command: "npm publish",
    objects: /ask Bash\(npm publish:\*\)/,
  },
  {
    agent: "claude",
    files: CLAUDE({ ask: ["Bash(npm publish:*)"] }),
    effects: ["ask"],
    command: "./a && npm  publish -x",
    objects: /publish/,
  },
  { agent: "claude", files: CLAUDE({ ask: ["Bash(npm publish:*)"] }), effects: ["ask"], command: 'n"p"m \\publish', objects: /publish/ },
  { agent: "claude", files: CLAUDE({ ask: ["Bash(npm publish:*)"] }), effects: ["ask"], command: "npm test", objects: undefined },
  { agent: "claude", files: CLAUDE({ deny: ["Bash(npm publish:*)"] }), effects: ["ask"], command: "npm publish", objects: undefined },
  { agent: "claude", files: CLAUDE({ allow: ["Bash(npm publish:*)"] }), effects: BOTH, command: "npm publish", objects: undefined },
  { agent: "claude", files: CLAUDE({ ask: ["Bash(*curl*)"] }), effects: ["ask"], command: "./x | xcurly", objects: /curl/ },
  { agent: "claude", files: CLAUDE({ ask: ["Bash"] }), effects: ["ask"], command: "./x", objects: /ask Bash/ },
  { agent: "claude", files: CLAUDE({ ask: ["Bash(*)"] }), effects: ["ask"], command: "./x", objects: /ask Bash/ },
  { agent: "claude", files: CLAUDE({ ask: ["Read(./secret/**)"] }), effects: ["ask"], command: "cat secret/x", objects: /secret/ },
  {
    agent: "claude",
    files: CLAUDE({ ask: ["WebFetch", "mcp__x", "Glob", "WebSearch", "Agent(y)"] }),
    effects: ["ask"],
    command: "./x",
    objects: undefined,
  },
  {
    agent: "claude",
    files: { "~/.claude/settings.json": "{ broken" },
    effects: ["ask"],
    command: "./x",
    objects: /settings\.json cannot be understood/,
  },
  {
    agent: "claude",
    files: { ".claude/settings.local.json": '{"permissions":{"ask":["Bash(./x:*)"]}}' },
    effects: ["ask"],
    command: "./x",
    objects: /ask/,
  },
  {
    agent: "opencode",
    files: OPENCODE({ bash: { "*": "allow", "git push *": "deny" } }),
    effects: BOTH,
    command: "git push origin",
    objects: /push/,
  },
  {
    agent: "opencode",
    files: OPENCODE({ bash: { "*": "allow", "git push *": "deny" } }),
    effects: BOTH,
    command: "./x",
    objects: undefined,
  },
  { agent: "opencode", files: OPENCODE({ bash: "ask" }), effects: BOTH, command: "./x", objects: /bash: ask/ },
  { agent: "opencode", files: OPENCODE("ask"), effects: BOTH, command: "./x", objects: /ask/ },
  {
    agent: "codex",
    files: { "~/.codex/rules/a.rules": 'prefix_rule(pattern=["git", ["push", "pull"]], decision="forbidden")\n' },
    effects: BOTH,
    command: "git pull",
    objects: /git/,
  },
  {
    agent: "codex",
    files: { "~/.codex/rules/a.rules": 'prefix_rule(pattern=["git", ["push", "pull"]], decision="forbidden")\n' },
    effects: BOTH,
    command: "./x",
    objects: undefined,
  },
  {
    agent: "codex",
    files: { "~/.codex/rules/a.rules": "frobnicate(" },
    effects: BOTH,
    command: "./x",
    objects: /might hold rules|might speak/,
  },
  { agent: "droid", files: DROID({ commandDenylist: ["rm -rf", ":(){ :|: & };:"] }), effects: BOTH, command: "./x", objects: undefined },
  {
    agent: "droid",
    files: DROID({ commandDenylist: ["./tidy.sh"] }),
    effects: BOTH,
    command: "cd a && ./Tidy.sh",
    objects: /commandDenylist/,
  },
  { agent: "droid", files: DROID({ commandBlocklist: ["make $X"] }), effects: BOTH, command: "./x", objects: /commandBlocklist/ },
  {
    agent: "droid",
    files: DROID({ permissionRules: [{ id: "a", decision: "ask" }] }),
    effects: BOTH,
    command: "./x",
    objects: /permissionRules a/,
  },
  { agent: "droid", files: DROID({ permissionRules: "?" }), effects: BOTH, command: "./x", objects: /permissionRules/ },
  {
    agent: "droid",
    files: DROID({ permissionRules: [{ id: "a", decision: "allow" }] }),
    effects: BOTH,
    command: "./x",
    objects: undefined,
  },
  { agent: "droid", files: { ".factory/settings.json": "{ broken" }, effects: BOTH, command: "./x", objects: /cannot be understood/ },
  {
    agent: "droid",
    files: { "../.factory/settings.local.json": '{ "commandDenylist": ["./x"] }' },
    effects: BOTH,
    command: "./x",
    objects: /commandDenylist/,
  },
  { agent: "windsurf", files: {}, effects: BOTH, command: "./x", objects: /cannot be read/ },
  { agent: "windsurf", files: {}, effects: [], command: "./x", objects: undefined },
];

it.each(ROWS)("$agent, $files: $command", ({ agent, files, effects, command, objects }) => {
  const place = scratch();
  for (const [path, text] of Object.entries(files)) place.write(path, text);
  const said = hostMightObject(agent, effects, command, { home: place.home, project: place.project, env: {} });
  if (objects === undefined) expect(said).toBeUndefined();
  else expect(said?.why).toMatch(objects);
});
