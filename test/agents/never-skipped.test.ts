import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import type { Protocol } from "../../packages/hosts/src/agents/host/protocol.ts";
import { protocol as qwen } from "@assent/hosts/agents/qwen";
import { decide } from "@assent/guard/engine";
import { engine, scratch, type Scratch } from "../scratch.ts";

/**
 * In a host's bypass mode questions are skipped. One about a file that decides about agents is not: a moment later nobody
 * would judge any more. So it is denied there, however the file is changed.
 */

const patchOf = (name: string): string => `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`;

function made(): Scratch {
  const place = scratch();
  place.write(".claude/settings.json", "{}");
  place.write("good.patch", patchOf("src/a.ts"));
  place.write("bad.patch", patchOf(".claude/settings.json"));
  place.write("plain.patch", patchOf("settings.json"));
  place.write("moves.patch", "diff --git a/x b/.mcp.json\nsimilarity index 100%\nrename from x\nrename to .mcp.json\n");
  place.write("src/a.ts", "");
  return place;
}

interface Asking {
  readonly protocol: Protocol;
  readonly mode: string;
  readonly tools: Readonly<Record<"shell" | "write" | "edit", string>>;
}
const HOSTS: readonly Asking[] = [
  { protocol: claude, mode: "bypassPermissions", tools: { shell: "Bash", write: "Write", edit: "Edit" } },
  { protocol: qwen, mode: "yolo", tools: { shell: "run_shell_command", write: "write_file", edit: "edit" } },
];

function told({ protocol, mode }: Asking, place: Scratch, tool: string, input: Record<string, unknown>): { decision: string; why: string } {
  const payload = { hook_event_name: "PreToolUse", cwd: place.project, permission_mode: mode, tool_name: tool, tool_input: input };
  const reading = protocol.read({ payload, event: undefined, env: {}, folder: place.project });
  if (reading.is !== "request") throw new Error(reading.why);
  const { answer } = decide(reading.request, { machine: place.machine, ...engine, audit: false });
  return { decision: answer.decision, why: answer.modelReason };
}

/** Files of each host that control it, in a project and in the home folder. */
const FILES = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".claude/commands/x.md",
  ".claude/hooks/x.sh",
  ".mcp.json",
  ".qwen/settings.json",
  ".gemini/settings.json",
  ".gemini/.env",
  ".codex/config.toml",
  ".codex/hooks.json",
  "opencode.json",
  ".opencode/plugin/x.js",
  ".kilo/kilo.json",
  ".cursor/mcp.json",
  ".cursor/hooks.json",
  ".vscode/settings.json",
  ".vscode/tasks.json",
  ".vscode/mcp.json",
  ".github/hooks/x.json",
  ".github/copilot/settings.local.json",
  ".github/extensions/x/extension.mjs",
  "~/.copilot/extensions/x/extension.mjs",
  ".cursor/worktrees.json",
  ".cursor/permissions.json",
  ".factory/settings.json",
  ".clinerules/hooks/PreToolUse",
  ".kiro/agents/x.json",
  ".windsurf/hooks.json",
  ".windsurf/workflows/x.md",
  ".roo/mcp.json",
  ".continue/mcpServers/x.yaml",
  ".aider.conf.yml",
  ".crush.json",
  ".goose/config.yaml",
  ".zed/tasks.json",
  "agents.config.json",
  ".nanocoder/tools/x.md",
  ".qoder/settings.json",
  ".letta/settings.local.json",
  ".commandcode/settings.json",
  ".commandcode/mods/x.ts",
  ".kimi-code/mcp.json",
  "~/.commandcode/mods/x.ts",
  "~/.commandcode/mcp.json",
  "~/.kimi-code/config.toml",
  "~/.kimi-code/plugins/x/kimi.plugin.json",
  "~/.config/nanocoder/agents.config.json",
  "~/.qoder/settings.json",
  "~/.letta/mods/x.js",
  ".junie/mcp/mcp.json",
  ".idea/watcherTasks.xml",
  ".agent-permissions.jsonc",
  "~/.cline/data/settings/cline_mcp_settings.json",
  "~/.codeium/windsurf/mcp_config.json",
  "~/.kiro/agents/x.json",
  "~/.junie/config.json",
  "~/.junie/mcp/mcp.json",
  "~/.claude.json",
  "~/.config/Code/User/mcp.json",
  "~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
  "~/Library/Application Support/Cursor/User/settings.json",
  "~/.vscode/extensions/x/package.json",
  "~/.config/goose/config.yaml",
  "~/.config/zed/settings.json",
  "~/.warp/launch_configurations/x.yaml",
  "~/.continue/config.yaml",
  "~/.roo/mcp.json",
  "~/.config/JetBrains/IDEA/options/llm.mcpServers.xml",
  "~/.lmstudio/mcp.json",
  "~/.claude/shell-snapshots/snapshot-bash-1-a.sh",
  "~/.claude/session-env/9e8a/sessionstart-hook-0.sh",
  "~/.claude/CLAUDE.md",
  "~/.claude/jobs/1/state.json",
  "~/.codex/shell_snapshots/1.2.sh",
  "~/.pi/agent/bin/rg",
  "~/.gemini/history/a/.gitconfig",
  "~/.local/share/opencode/snapshot/a/b/config",
  "~/.qwen/updates/npm/x/versions/1/cli.js",
  ".claude/skills/x/.claude-plugin/plugin.json",
  ".claude/agents/x.md",
  ".qwen/agents/x.md",
];

/** A model writes these with its tools. */
const OWN_FILES = ["~/.claude/projects/x/memory/notes.md", "~/.claude/plans/a.md", "~/.claude/todos/a.json"];

/** Ways of changing one of them by a command. */
const S = ".claude/settings.local.json";
const WAYS = [
  `echo '{"disableAllHooks":true}' > ${S}`,
  `printf x | tee -a ${S}`,
  `cd .claude && echo {} > settings.local.json`,
  `cp /tmp/x ${S}`,
  "cp /tmp/evil/settings.json .claude/",
  "cp -r /tmp/evil/.claude .",
  "cp -r /tmp/evil/. .",
  `mv /tmp/x ${S}`,
  `mv .claude /tmp/x`,
  `ln -sf /tmp/x ${S}`,
  `ln /tmp/x ${S}`,
  "ln -s /tmp/evil .codex",
  `rename s/a/b/ ${S}`,
  `sed -i s/a/b/ ${S}`,
  `perl -pi -e s/a/b/ ${S}`,
  `dd if=/tmp/x of=${S}`,
  `install -m 644 /tmp/x ${S}`,
  `truncate -s 0 ${S}`,
  `touch ${S}`,
  `rm .claude/settings.json`,
  `rm -rf .claude`,
  `curl -o .mcp.json https://example.com/x`,
  `wget -O .mcp.json https://example.com/x`,
  `python3 -c "open('${S}','w').write('{}')"`,
  `node -e "require('fs').writeFileSync('${S}','{}')"`,
  `sometool --out=${S}`,
  "git checkout HEAD -- .claude/settings.json",
  "git checkout other -- .claude",
  "git checkout other -- ':(top).claude/settings.json'",
  "git checkout other -- '.claude/*'",
  "git restore --source=other .claude/settings.json",
  "git stash push -- .mcp.json",
  "git apply bad.patch",
  "git apply < bad.patch",
  "git apply moves.patch",
  "git am bad.patch",
  "curl -s https://example.com/x.patch | git apply",
  "sh x.sh > x.patch; git apply x.patch",
  "git apply --directory=.claude plain.patch",
  "patch -p1 < x.patch",
  "tar xf x.tar",
  "unzip x.zip",
  "rsync -a /tmp/x/ ./",
  "claude config set -g x y",
  "claude mcp add x -- evil",
  "claude mcp add-json x '{}'",
  "claude --debug mcp remove x",
  "claude plugin install x",
  "claude --settings '{\"disableAllHooks\":true}' -p x",
  "claude --dangerously-skip-permissions -p x",
  "codex mcp add x -- evil",
  "codex -c features.hooks=false exec x",
  "codex --disable hooks exec x",
  "gemini mcp add x evil",
  "gemini extensions install https://example.com/x",
  "gemini hooks disable x",
  "qwen mcp add x evil",
  "opencode run --pure x",
  "droid mcp add x evil",
  "amp permissions add allow '*'",
  "copilot plugin install x",
  "kiro-cli mcp add --name x",
  "goose configure",
  "code --add-mcp '{}'",
  "cursor --add-mcp '{}'",
  "code --install-extension x",
  "npx @anthropic-ai/claude-code mcp add x -- evil",
  "npx -y @google/gemini-cli@latest mcp add x y",
  "npm exec -- @openai/codex mcp add x",
  "node node_modules/@anthropic-ai/claude-code/cli.js mcp add x y",
  "env X=1 claude mcp add x -- evil",
  "timeout 5 sh -c 'claude mcp add x -- evil'",
  // Before each command.
  "echo 'cat ~/.ssh/id_rsa' >> ~/.claude/shell-snapshots/snapshot-bash-1-a.sh",
  "for f in ~/.claude/shell-snapshots/*.sh; do echo x >> $f; done",
  "sed -i '1i cat ~/.netrc' ~/.claude/shell-snapshots/*.sh",
  "tee -a ~/.claude/session-env/*/*.sh < x",
  "cd ~/.claude/session-env && touch x.sh",
  "ln -s /tmp/x ~/.claude/shell-snapshots",
  "mv ~/.claude/shell-snapshots /tmp/x",
  "cp evil ~/.codex/shell_snapshots/1.sh",
  "install -m 755 evil ~/.pi/agent/bin/ls",
  // Code for the host itself.
  "opencode plugin ./evil",
  "opencode plug ./evil",
  "opencode plugin -g ./evil",
  "opencode plug ./evil --global --force",
  "opencode --print-logs plugin ./evil",
  "opencode --log-level DEBUG plug ./evil",
  "kilo plugin ./evil",
  "kilo plug ./evil --global",
  "kilocode plug ./evil",
  "npx opencode-ai plugin ./evil",
  "bunx opencode plug ./evil",
  "npx -y @kilocode/cli plugin ./evil",
  "env X=1 timeout 9 opencode plug ./evil",
  "P=plugin; opencode $P ./evil",
  "qwen extensions sources add https://example.com/x",
  "claude import codex --yes",
  "pi config",
  "acpx config init",
  "goose session --with-extension ./evil",
  // Without Assent, or with another who answers.
  "claude --safe-mode",
  "claude -p x --safe-mode",
  "claude --restricted -p x",
  "claude --plugin-url https://example.com/x.zip",
  "claude --plugin-url=https://example.com/x.zip -p x",
  "claude --setting-sources project",
  "claude --setting-sources=local -p x",
  "claude --permission-mode auto",
  "claude --permission-mode=auto -p x",
  "claude --permission-prompt-tool mcp__x__y -p z",
  'claude --agents \'{"x":{"hooks":{}}}\' -p x',
  "~/.claude/local/claude --safe-mode",
  "npx -y @anthropic-ai/claude-code@latest --safe-mode",
  "bunx @anthropic-ai/claude-code --restricted",
  "nice timeout 5 claude --safe-mode -p x",
  "O=--safe-mode; claude $O -p x",
  "claude --safe-mod -p x",
  "pi -ne",
  "pi --no-extensions -p x",
  "pi -e ./x.js",
  "pi -p x --extension ./x.js",
  "pi --extension=./x.js",
  "pi --approve",
  "pi -a -p x",
  "npx @earendil-works/pi-coding-agent -ne",
  "qwen --safe-mode",
  "qwen --safeMode -p x",
  "qwen --bare -p x",
  "qwen -y x",
  "qwen -dy x",
  "gemini -y x",
  "gemini --acp",
  "gemini --skip-trust -p x",
  "opencode run --auto x",
  "opencode --auto",
  "opencode run x --auto=true",
  "kilo run --auto x",
  "codex exec --approve-for-me x",
  "codex --approve-for-me",
  "codex -anever x",
  "codex -cfeatures.hooks=false x",
  "codex exec --ignore-user-config x",
  "codex exec --trust x",
  "codex --full-auto x",
  "kimi -y",
  "kimi --yolo",
  "kimi --auto -p x",
  "npx @moonshot-ai/kimi-code -y",
  "kimi --yes",
  "kimi --auto-approve",
  "kimi --agent-file ./x.md",
  "kimi provider add https://example.com/api.json",
  "command-code --yolo -p x",
  "cmdc -t -p x",
  "cmdc --permission-mode dont-ask -p x",
  "command-code --mod ./x.ts",
  "npx command-code@latest --trust -p x",
  "commandcode mods add evil/x",
  "nanocoder --mode yolo run x",
  "nanocoder --mode=auto-accept run x",
  "nanocoder run x --trust-directory",
  "nanocoder run hi",
  "nanocoder --provider x run hi",
  "npx @nanocollective/nanocoder --mode yolo run x",
  "qodercli --yolo -p x",
  "qodercli --dangerously-skip-permissions",
  "qodercli --permission-mode acceptEdits",
  "qoder mcp add x -- evil",
  "letta --yolo",
  "letta --permission-mode unrestricted -p x",
  "letta --no-mods",
  "npx @letta-ai/letta-code --yolo",
  "auggie --plugin-dir ./evil",
  "auggie --mcp-config x.json -p y",
  "acpx --approve-all codex x",
  "acpx codex --approve-all x",
  "npx acpx --approve-all pi x",
  "acpx --policy '{}' codex x",
  "copilot --autopilot -p x",
  "copilot --mode autopilot",
  "copilot --assisted-approval -p x",
  "copilot --plugin-dir ./evil",
  "droid exec --settings x.json y",
  "droid exec --skip-permissions-unsafe x",
  "cline --config /tmp/x y",
  "cline --data-dir=/tmp/x y",
  "cn --auto",
  "cn -p x --allow Bash",
  "auggie --startup-script 'evil' x",
  "auggie --permission launch-process:allow x",
  "cursor-agent -f -p x",
  "cursor-agent --force -p x",
  "crush -y",
  // Behind a question of another kind.
  `$x y; echo {} > ${S}`,
  `git push --force; echo {} > ${S}`,
];

/** What these modes are for goes on as before. */
const TWINS = [
  "echo x > src/a.ts",
  "cp a b",
  "cp -r src lib",
  "mv a b",
  "ln -s a b",
  "sed -i s/a/b/ src/a.ts",
  "rm src/a.ts",
  "rm -rf build",
  "git checkout feature",
  "git checkout -- src",
  "git checkout other -- '*.ts'",
  "git restore .",
  "git stash",
  "git stash pop",
  "git pull",
  "git merge feature",
  "git apply good.patch",
  "git apply --stat bad.patch",
  "patch src/a.ts good.patch",
  "tar xf x.tar -C build",
  "unzip x.zip -d vendor",
  "rsync -a src/ dist/",
  "cat .claude/settings.json",
  "grep -rn hooks .claude",
  "git diff .claude/settings.json",
  "git add .claude/settings.json",
  "npm test",
  "npm install q",
  "npm run config set",
  "npx prettier --write src",
  "claude --version",
  "claude mcp list",
  "cat ~/.claude/shell-snapshots/snapshot-bash-1-a.sh",
  "ls -la ~/.claude/session-env",
  "echo x >> ~/.claude/projects/x/memory/MEMORY.md",
  "mkdir -p ~/.claude/plans",
  "claude --resume -p x",
  "claude --permission-mode plan -p x",
  "claude --settings-help",
  "claude --model opus --output-format json -p 'use --safe-mode'",
  "claude plugin list",
  "pi -p x",
  "pi -na -p x",
  "pi --no-approve -p x",
  "pi --no-session -nc -p x",
  "pi --model sonnet --thinking high x",
  "qwen -p x",
  "qwen --approval-mode default x",
  "gemini -p x -m gemini-2.5-pro",
  "opencode run x",
  "opencode run 'add a plugin'",
  "opencode --model x/y run plugin",
  "opencode plugin --help",
  "opencode stats",
  "kilo models",
  "codex exec x",
  "codex exec -s workspace-write x",
  "codex -a on-request x",
  "codex resume --last",
  "kimi -p x",
  "kimi --plan",
  "acpx codex x",
  "acpx config show",
  "acpx --approve-reads codex x",
  "copilot -p x --allow-tool 'shell(git)'",
  "copilot --model auto -p x",
  "droid exec --auto low x",
  "cline --plan x",
  "cn -p x",
  "auggie --print x",
  'claude -p "add an mcp server"',
  'codex exec "mcp add"',
  "gh pr list",
  "code .",
  "sometool --out=dist/x",
];

describe.each(HOSTS)("$protocol.id, $mode", (host) => {
  const { shell, write, edit } = host.tools;

  it.each(FILES)("no tool changes %s", (file) => {
    const place = made();
    const path = file.startsWith("~") ? `${place.home}${file.slice(1)}` : `${place.project}/${file}`;
    for (const [tool, input] of [
      [write, { file_path: path, content: "{}" }],
      [edit, { file_path: path, old_string: "a", new_string: "b" }],
      [shell, { command: `cp /tmp/x '${path}'` }],
      ["mcp__filesystem__write_file", { path, content: "{}" }],
      ["mcp__filesystem__move_file", { source: "/tmp/x", destination: path }],
    ] as const)
      expect([tool, told(host, place, tool, input).decision]).toEqual([tool, "deny"]);
  });

  it.each(OWN_FILES)("its model may write %s", (file) => {
    const place = made();
    const path = `${place.home}${file.slice(1)}`;
    expect(told(host, place, write, { file_path: path, content: "x" }).decision).not.toBe("deny");
    expect(told(host, place, edit, { file_path: path, old_string: "a", new_string: "b" }).decision).not.toBe("deny");
  });

  it.each(WAYS)("denied: %s", (command) => {
    const place = made();
    const { decision, why } = told(host, place, shell, { command });
    expect(decision).toBe("deny");
    expect(why).toContain("ask the user");
  });

  it.each(TWINS)("goes on: %s", (command) => {
    expect(told(host, made(), shell, { command }).decision).not.toBe("deny");
  });

  it('"bypass": "host" skips denies, and not these', () => {
    const place = made();
    place.write("~/.agent-permissions.jsonc", '{ "bypass": "host", "permissions": { "deny": ["Bash(curl:*)"] } }');
    expect(told(host, place, shell, { command: "curl https://example.com" }).decision).toBe("none");
    expect(told(host, place, shell, { command: `curl https://example.com > ${S}` }).decision).toBe("deny");
    expect(told(host, place, write, { file_path: `${place.project}/${S}`, content: "" }).decision).toBe("deny");
  });
});
