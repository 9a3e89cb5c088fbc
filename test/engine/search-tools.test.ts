import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentNamed } from "@assent/hosts/agents";
import { decide } from "@assent/guard/engine";
import { engine, scratch } from "../scratch.ts";

const place = scratch({ keep: true });
afterAll(() => rmSync(place.root, { recursive: true, force: true }));

beforeAll(() => {
  execFileSync("git", ["init", "-q", place.project]);
  const files = {
    ".gitignore": ".env\n.env.local\nbuild/\n*.key\n!kept.key\n",
    ".env": "KEY=1\n",
    "src/.env.local": "KEY=1\n",
    "src/a.ts": "x\n",
    "build/id_rsa": "KEY=1\n",
    "ca/kept.key": "x\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.project, name)), { recursive: true });
    writeFileSync(join(place.project, name), text);
  }
});

function verdictOf(agent: string, tool: string, input: Record<string, unknown>, policy = "{}"): string {
  writeFileSync(join(place.home, ".agent-permissions.jsonc"), policy);
  const host = { shell: "bash", decides: true, asks: true, bypassed: false, planning: false } as const;
  const facts = agentNamed(agent)?.protocol.tools[tool];
  return decide(
    { tool, facts, input, cwd: place.project, host, point: "hook", agent },
    { machine: place.machine, ...engine, policyFiles: [], audit: false, memory: "none" },
  ).verdict.decision;
}

describe("a host's search passes over what git ignores", () => {
  it.each<readonly [agent: string, tool: string, input: Record<string, unknown>]>([
    ["claude", "Grep", { pattern: "KEY", glob: "*.ts" }],
    ["claude", "Grep", { pattern: "KEY", glob: "src/**/*.{ts,tsx}" }],
    ["claude", "Grep", { pattern: "KEY", glob: "*.ts, *.tsx *.js" }],
    ["claude", "Grep", { pattern: "KEY", type: "ts" }],
    ["claude", "Grep", { pattern: "KEY", path: "src" }],
    ["gemini", "grep_search", { pattern: "KEY", dir_path: "src" }],
    ["gemini", "grep_search", { pattern: "foo|bar.*baz", include_pattern: "*.ts" }],
    ["qwen", "grep_search", { pattern: "my-key", path: "src" }],
    ["qwen", "grep_search", { pattern: "KEY", glob: "**/*.ts" }],
    ["opencode", "grep", { pattern: "KEY", include: "*.{ts,tsx}" }],
    ["opencode", "grep", { pattern: "(KEY|x)+", path: "src" }],
  ])("%s %s %o", (agent, tool, input) => expect(verdictOf(agent, tool, input)).toBe("allow"));
});

describe("what it may open is asked about", () => {
  it.each<readonly [agent: string, tool: string, input: Record<string, unknown>]>([
    // kept.key is taken in again.
    ["claude", "Grep", { pattern: "KEY" }],
    ["claude", "Grep", { pattern: "KEY", path: "ca" }],
    // A glob that keeps goes before the lists.
    ["claude", "Grep", { pattern: "KEY", path: "src", glob: "*" }],
    ["claude", "Grep", { pattern: "KEY", path: "src", glob: ".env*" }],
    ["claude", "Grep", { pattern: "KEY", path: "src", glob: "*.ts,.env.local" }],
    ["claude", "Grep", { pattern: "KEY", path: "src", glob: "*.ts .env.*" }],
    ["claude", "Grep", { pattern: "KEY", path: "src", glob: "**" }],
    ["claude", "Grep", { pattern: "KEY", path: "src", glob: "*.{ts,local}" }],
    ["claude", "Grep", { pattern: "KEY", path: "src", glob: "[.]env*" }],
    ["claude", "Grep", { pattern: "KEY", path: "src", type: "nobody-knows" }],
    ["opencode", "grep", { pattern: "KEY", path: "src", include: ".env.local" }],
    // A folder that is named itself is searched.
    ["claude", "Grep", { pattern: "KEY", path: "build" }],
    ["opencode", "grep", { pattern: "KEY", path: "build" }],
    // git grep cannot do it, and grep reads everything; nor is a pathspec a glob.
    ["gemini", "grep_search", { pattern: "(?=K)KEY", dir_path: "src" }],
    ["gemini", "grep_search", { pattern: "--no-exclude-standard", dir_path: "src" }],
    ["gemini", "grep_search", { pattern: "KEY", dir_path: "src", no_ignore: true }],
    ["gemini", "grep_search", { pattern: "KEY", dir_path: ".", include_pattern: "src" }],
    ["gemini", "grep_search", { pattern: "KEY", dir_path: "src", include_pattern: ":(top).env" }],
    ["qwen", "grep_search", { pattern: "K[", path: "src" }],
    ["qwen", "grep_search", { pattern: "KEY", path: "src", glob: "*" }],
  ])("%s %s %o", (agent, tool, input) => expect(verdictOf(agent, tool, input)).not.toBe("allow"));

  it("where a setting says that the lists do not count", () => {
    mkdirSync(join(place.project, ".gemini"), { recursive: true });
    const file = join(place.project, ".gemini/settings.json");
    writeFileSync(file, '{ "context": { "fileFiltering": { "respectGitIgnore": false } } }');
    expect(verdictOf("gemini", "grep_search", { pattern: "KEY", dir_path: "src" })).not.toBe("allow");
    writeFileSync(file, "{}");
    expect(verdictOf("gemini", "grep_search", { pattern: "KEY", dir_path: "src" })).toBe("allow");
  });

  it("where ripgrep's own list takes it in again", () => {
    writeFileSync(join(place.project, "src/.ignore"), "!.env.local\n");
    expect(verdictOf("claude", "Grep", { pattern: "KEY", path: "src" })).not.toBe("allow");
    writeFileSync(join(place.project, "src/.ignore"), "");
  });

  it.each([
    ["Grep", { pattern: "x", glob: "*.ts" }, "allow"],
    ["Grep", { pattern: "x", path: "src", glob: "*" }, "ask"],
    ["Grep", { pattern: "x", path: "src/.env.local" }, "deny"],
  ])("under a written deny: %s %o", (tool, input, expected) =>
    expect(verdictOf("claude", tool, input, '{ "permissions": { "deny": ["Read(**/.env*)"] } }')).toBe(expected),
  );
});

describe("a search by a command passes over it, too", () => {
  const policy = "{}";
  it.each([
    ["rg --hidden KEY src", "allow"],
    ["rg -. -n KEY ./src", "allow"],
    ["rg --hidden -g '!*.md' KEY src", "allow"],
    ["git grep --untracked KEY src", "allow"],
    ["rg --hidden --no-ignore KEY src", "ask"],
    ["rg --hidden --no-ignore-vcs KEY src", "ask"],
    ["rg -uu KEY src", "ask"],
    ["rg --hidden -g '*' KEY src", "ask"],
    ["rg --hidden KEY build", "ask"],
    ["rg --hidden KEY buil*", "ask"],
    ["rg --hidden KEY", "ask"],
    ["git grep --no-index KEY src", "ask"],
    ["git grep --untracked --no-exclude-standard KEY src", "ask"],
    ["echo '!.env.local' > src/.ignore; rg --hidden KEY src", "ask"],
    ["rg --hidden --files src | xargs cat", "ask"],
  ])("%s: %s", (command, expected) => expect(verdictOf("claude", "Bash", { command }, policy)).toBe(expected));
});
