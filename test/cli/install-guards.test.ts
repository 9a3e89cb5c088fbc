import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, scratch } from "../scratch.ts";

/** Hooks of others as people have them: the host, its file, what starts there, the name it is told by (none: told, and kept). */
const handlers = (event: string, matcher: string, command: string): string =>
  JSON.stringify({ hooks: { [event]: [{ matcher, hooks: [{ type: "command", command }] }] } }, undefined, 2);
const ROWS: readonly (readonly [agent: string, file: string, text: string, name: string | undefined])[] = [
  ["claude", "~/.claude/settings.json", handlers("PreToolUse", "Bash", "/home/u/.local/bin/dcg"), "dcg"],
  ["claude", "~/.claude/settings.json", handlers("PreToolUse", "Bash", "/opt/Dippy/bin/dippy-hook"), "Dippy"],
  ["claude", "~/.claude/settings.json", handlers("PreToolUse", "*", "npx -y cc-safety-net --claude-code"), "cc-safety-net"],
  ["claude", "~/.claude/settings.json", '{ "enabledPlugins": { "safety-net@cc-marketplace": true } }', "cc-safety-net"],
  ["claude", "~/.claude/settings.json", handlers("PreToolUse", "Bash|Edit", "~/.claude/hooks/git_safety_guard.py"), "dcg"],
  ["claude", "~/.claude/settings.local.json", handlers("PreToolUse", "Bash", "uvx agentperm check"), "agentperm"],
  ["claude", "~/.claude/settings.json", handlers("PreToolUse", "Bash", "~/bin/mine.sh"), undefined],
  ["codex", "~/.codex/hooks.json", handlers("PreToolUse", "Bash", "uvx --from git+https://github.com/ldayton/Dippy dippy"), "Dippy"],
  ["gemini", "~/.gemini/settings.json", handlers("BeforeTool", "run_shell_command", "npx cc-safety-net --gemini-cli"), "cc-safety-net"],
  ["qwen", "~/.qwen/settings.json", handlers("PreToolUse", "run_shell_command", "dcg"), "dcg"],
  [
    "droid",
    "~/.factory/hooks.json",
    '{ "PreToolUse": [{ "matcher": "Execute", "hooks": [{ "type": "command", "command": "dcg" }] }] }',
    "dcg",
  ],
  ["cursor", "~/.cursor/hooks.json", '{ "version": 1, "hooks": { "beforeShellExecution": [{ "command": "dcg" }] } }', "dcg"],
  ["copilot", "~/.copilot/hooks/dcg.json", '{ "version": 1, "hooks": { "preToolUse": [{ "type": "command", "bash": "dcg" }] } }', "dcg"],
  ["claude", "~/.rulesync/hooks.json", rulesync("claudecode", "preToolUse", "*"), "agentperm"],
  ["codex", "~/.rulesync/hooks.json", rulesync("codexcli", "preToolUse", ".*"), "agentperm"],
  ["codex", "~/.rulesync/hooks.json", rulesync("codexcli", "permissionRequest", ".*"), "agentperm"],
  ["gemini", "~/.rulesync/hooks.json", rulesync("geminicli", "preToolUse", ".*"), "agentperm"],
  ["windsurf", "~/.codeium/windsurf/hooks.json", '{ "hooks": { "pre_run_command": [{ "command": "dcg" }] } }', "dcg"],
];

/** As agentperm writes itself into rulesync's file, beside what others have there. */
function rulesync(host: string, event: string, matcher: string): string {
  const hooks = { [event]: [{ type: "command", command: "/home/u/.local/bin/agentperm check --agent x", matcher, timeout: 30 }] };
  return JSON.stringify({ version: 1, hooks: { sessionStart: [{ command: "~/log.sh" }] }, [host]: { hooks } }, undefined, 2);
}

/** Nobody is asked before a command by these. */
const QUIET: readonly (readonly [agent: string, file: string, text: string])[] = [
  ["claude", "~/.claude/settings.json", handlers("PostToolUse", "Bash", "dcg")],
  ["claude", "~/.claude/settings.json", handlers("PreToolUse", "Edit|Write", "dcg")],
  ["claude", "~/.claude/settings.json", '{ "enabledPlugins": { "safety-net@cc-marketplace": false, "other@x": true } }'],
  ["claude", "~/.rulesync/hooks.json", rulesync("codexcli", "preToolUse", ".*")],
  ["codex", "~/.rulesync/hooks.json", rulesync("codexcli", "postToolUse", ".*")],
  ["opencode", "~/.config/opencode/plugins/agentperm.js", "// a note\n"],
  ["opencode", "~/.config/opencode/plugins/mine.js", 'const bridge = "/usr/bin/agentperm";\n'],
  ["cursor", "~/.cursor/hooks.json", '{ "version": 1, "hooks": { "beforeReadFile": [{ "command": "dcg" }] } }'],
];

const TOLD = "asked before commands, too";

/** What packages of others bring, and what stands in a file that is not edited: told with the way to take it out, and left. */
const BY_HAND: readonly (readonly [agent: string, file: string, text: string, told: string])[] = [
  [
    "gemini",
    "~/.gemini/extensions/cc-safety-net/hooks/hooks.json",
    handlers("BeforeTool", "run_shell_command", "node ${extensionPath}/dist/bin.js"),
    "gemini: cc-safety-net in ~/.gemini/extensions/cc-safety-net/hooks/hooks.json|gemini extensions uninstall cc-safety-net",
  ],
  [
    "qwen",
    "~/.qwen/extensions/x/hooks/hooks.json",
    handlers("PreToolUse", "run_shell_command", "dcg"),
    "qwen: dcg in|qwen extensions uninstall x",
  ],
  [
    "copilot",
    "~/.copilot/installed-plugins/market/safety-net/hooks.json",
    '{ "version": 1, "hooks": { "preToolUse": [{ "type": "command", "bash": "node bin.js" }] } }',
    "copilot: cc-safety-net in|copilot plugin uninstall safety-net",
  ],
  [
    "codex",
    "~/.codex/config.toml",
    '[[hooks.PreToolUse]]\nmatcher = "Bash"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "dcg"\n',
    "codex: dcg in ~/.codex/config.toml|remove it from ~/.codex/config.toml",
  ],
];

describe("hooks of other guards", () => {
  it.each(BY_HAND)("%s, %s: %s is told with the way to take it out", (agent, file, text, told) => {
    const place = scratch();
    const at = place.write(file, text);
    const { status, stdout, stderr } = assent(place, ["install", "--agent", agent, "--yes", "--replace-guards"]);
    expect([status, stderr]).toEqual([0, ""]);
    const [guard = "", way = ""] = told.split("|");
    expect(stdout).toContain(guard);
    expect(stdout).toContain(`to take it out: ${way}`);
    // Codex keeps Assent's own switch in the same file.
    expect(readFileSync(at, "utf8")).toContain(text);
    expect(assent(place, ["doctor"]).stdout).toContain(`to take it out: ${way}`);
  });

  it.each(ROWS)("%s, %s: %s", (agent, file, text, name) => {
    const place = scratch();
    const at = place.write(file, text);
    const says = name === undefined ? "another hook" : `${agent}: ${name} in `;
    const run = (...args: string[]): string => {
      const { status, stdout, stderr } = assent(place, ["install", "--agent", agent, ...args]);
      expect([status, stderr]).toEqual([0, ""]);
      return stdout;
    };

    // Told, and left as they are: without a question nobody takes out what is somebody else's.
    expect(run("--dry-run")).toContain(says);
    expect(readFileSync(at, "utf8")).toBe(text);
    expect(run("--yes")).toContain(says);
    const before = readFileSync(at, "utf8");
    const started = /"(?:command": )?([^"]*(?:dcg|dippy|safety|agentperm|mine)[^"]*)"/i.exec(text)?.[1] ?? "";
    expect(before).toContain(started);

    const taken = run("--yes", "--replace-guards");
    const after = readFileSync(at, "utf8");
    expect(after.includes(started)).toBe(name === undefined);
    if (name === undefined) return;
    expect(taken).toContain("took it out of");
    const copies = join(place.home, ".local/state/assent/backups");
    expect(readdirSync(copies).map((copy) => readFileSync(join(copies, copy), "utf8"))).toContain(before);
    expect(run("--yes")).not.toContain(TOLD);
  });

  it.each(QUIET)("%s, %s: %s asks nobody before a command", (agent, file, text) => {
    const place = scratch();
    place.write(file, text);
    expect(assent(place, ["install", "--agent", agent, "--yes"]).stdout).not.toContain(TOLD);
  });

  it.each([
    ["opencode", "~/.config/opencode/plugins/agentperm.js", "agentperm", 'const bridge = "/home/u/.local/bin/agentperm";\n'],
    ["kilo", "~/.config/kilo/plugin/agentperm.ts", "agentperm", 'const bridge = "agentperm";\n'],
    ["opencode", "~/.config/opencode/plugins/safety-net.mjs", "cc-safety-net", 'import "cc-safety-net";\n'],
  ])("%s, %s: a plugin of a guard's own goes whole, and a copy is kept", (agent, file, name, text) => {
    const place = scratch();
    const at = place.write(file, text);
    const mine = place.write(file.replace(/[^/]*$/, "mine.js"), "export const mine = async () => ({});\n");
    const run = (...args: string[]): string => assent(place, ["install", "--agent", agent, "--yes", ...args]).stdout;
    expect(run()).toContain(`${agent}: ${name} in `);
    expect(existsSync(at)).toBe(true);
    expect(run("--replace-guards")).toContain("took it out of");
    expect([existsSync(at), existsSync(mine)]).toEqual([false, true]);
    const copies = join(place.home, ".local/state/assent/backups");
    expect(readdirSync(copies).map((copy) => readFileSync(join(copies, copy), "utf8"))).toContain(text);
    expect(run()).not.toContain(TOLD);
    assent(place, ["uninstall", "--yes"]);
    expect([existsSync(at), existsSync(mine)]).toEqual([false, true]);
  });

  it("comments, other hooks and Assent's own stay; doctor tells of what is left", () => {
    const place = scratch();
    const at = place.write(
      "~/.claude/settings.json",
      '{\n  // mine\n  "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [\n    { "type": "command", "command": "dcg" },\n' +
        '    { "type": "command", "command": "~/log.sh" }\n  ] }] }\n}\n',
    );
    assent(place, ["install", "--agent", "claude", "--yes"]);
    const doctor = (): string => assent(place, ["doctor"]).stdout;
    expect(doctor()).toMatch(/less +Claude Code: guards +dcg in .*`assent install --replace-guards`/);
    assent(place, ["install", "--agent", "claude", "--yes", "--replace-guards"]);
    const text = readFileSync(at, "utf8");
    expect(text).toContain("// mine");
    expect(text).toContain("~/log.sh");
    expect(text).toContain('"--event",');
    expect(text).not.toContain("dcg");
    expect(doctor()).toMatch(/note +Claude Code: guards +another hook in .*log\.sh/);
  });

  it("what a project has is everybody's: it is told of where one registers there", () => {
    const place = scratch();
    const at = place.write(".claude/settings.json", handlers("PreToolUse", "Bash", "dcg"));
    expect(assent(place, ["install", "--agent", "claude", "--yes", "--replace-guards"]).stdout).not.toContain(TOLD);
    expect(readFileSync(at, "utf8")).toContain("dcg");
    expect(assent(place, ["install", "--agent", "claude", "--local", "--yes", "--replace-guards"]).stdout).toContain("took it out of");
    expect(readFileSync(at, "utf8")).not.toContain('"dcg"');
  });
});
