/**
 * What judging has to know of every agent, whichever one asks. Written by `npm run generate` from the agents' own files
 * (`HostFacts` in packages/hosts/src/agents/host/agent.ts says what each means): change those. It stands here because the pure folders lie
 * below the agents, and because the hook loads the file of the agent that calls alone.
 */
import { listed } from "./listed.ts";

export const AGENT_IDS = [
  "claude",
  "codex",
  "opencode",
  "gemini",
  "qwen",
  "copilot",
  "cursor",
  "cline",
  "droid",
  "pi",
  "kilo",
  "amp",
  "windsurf",
  "kiro",
  "vscode",
  "commandcode",
  "kimi",
  "generic",
] as const;
export const USER_LOCKED: readonly string[] = /* @__PURE__ */ listed(
  ".claude/settings.json; .claude/settings.local.json; .claude/managed-settings.json; .claude/hooks/; .claude/plugins/",
  ".claude/shell-snapshots/; .claude/session-env/; .claude/rm-guard/; .claude/daemon/; .claude/daemon.json; .codex/config.toml",
  ".codex/hooks.json; .codex/hooks/; .codex/rules/; .codex/shell_snapshots/; .codex/tmp/; .config/opencode/opencode.json",
  ".config/opencode/opencode.jsonc; .config/opencode/plugin/; .config/opencode/plugins/; .gemini/settings.json",
  ".gemini/trusted_hooks.json; .gemini/trustedfolders.json; .gemini/policies/; .gemini/extensions/; .gemini/config/hooks.json",
  ".gemini/.env; .qwen/settings.json; .qwen/extensions/; .qwen/.env; .copilot/settings.json; .copilot/config.json; .copilot/hooks/",
  ".copilot/extensions/; .copilot/permissions-config.json; .cursor/hooks.json; .cursor/hooks/; .cursor/cli-config.json",
  ".cursor/sandbox.json; .cline/hooks/; documents/cline/hooks/; .cline/plugins/; .factory/settings.json; .factory/hooks.json",
  ".factory/hooks/; .factory/settings.local.json; .factory/bin/; .pi/agent/extensions/; .pi/agent/settings.json; .pi/agent/bin/",
  ".pi/agent/npm/; .pi/agent/git/; .config/kilo/kilo.json; .config/kilo/kilo.jsonc; .config/kilo/plugin/; .config/kilo/plugins/",
  ".config/amp/settings.json; .config/amp/plugins/; .codeium/windsurf/hooks.json; .kiro/hooks/; .kiro/settings/; .kiro/agents/",
  ".commandcode/settings.json; .commandcode/mods/; .commandcode/trusted-hooks.json; .kimi-code/config.toml; .kimi/config.toml",
  ".kimi-code/plugins/; .kimi-code/bin/; .kimi-code/updates/; .augment/settings.json; .augment/settings.local.json; .augment/hooks/",
  ".config/crush/crush.json; .config/goose/config.yaml; .config/goose/permission.yaml; .config/goose/permissions/",
  ".config/zed/settings.json; .junie/config.json; .gemini/antigravity-cli/settings.json; .gemini/antigravity/hooks.json",
  ".vibe/hooks.toml; .config/nanocoder/agents.config.json; .config/nanocoder/nanocoder-preferences.json; .qoder/settings.json",
  ".qoder/hooks/; .qoder/plugins/; .letta/settings.json; .letta/mods/; .letta/extensions/; .acpx/config.json; .agents/plugins/",
  ".agents/hooks.json; .rulesync/hooks.json",
);
export const USER_ASKED: readonly string[] = /* @__PURE__ */ listed(
  ".claude.json; .claude/; .local/share/claude/; library/application support/claude/claude_desktop_config.json; .config/claude/",
  ".codex/agents/; .codex/prompts/; .codex/sessions/; .codex/environments.toml; .codex/cloud-config-bundle-cache.json",
  ".config/opencode/; .cache/opencode/; .local/share/opencode/snapshot/; .gemini/config/; .gemini/tmp/bin/; .gemini/history/",
  ".qwen/bin/; .qwen/updates/; .copilot/mcp-config.json; .config/github-copilot/; .copilot/agents/; .copilot/skills/",
  ".copilot/lsp-config.json; .copilot/installed-plugins/; .copilot/plugins/; .copilot/pkg/; .cache/copilot/; .cursor/mcp.json",
  ".cursor/extensions/; .cursor/plugins/; .cursor/commands/; .cursor/skills/; .cursor-server/bin/; .cursor-server/extensions/",
  ".cursor-server/data/machine/; .config/cursor/user/; library/application support/cursor/user/; .cline/data/settings/",
  ".cline/mcp.json; .cline/skills/; documents/cline/; .factory/mcp.json; .factory/droids/; .factory/commands/; .factory/skills/",
  ".factory/plugins/; .factory/config.json; .config/kilo/; .kilocode/; .cache/kilo/; .local/share/kilo/snapshot/; .config/amp/",
  ".codeium/mcp_config.json; .codeium/windsurf/mcp_config.json; .codeium/windsurf/global_workflows/; .codeium/windsurf/skills/",
  ".codeium/windsurf-next/; .windsurf/extensions/; .windsurf-server/bin/; .windsurf-server/extensions/; .config/windsurf/user/",
  ".config/windsurf - next/user/; library/application support/windsurf/user/; library/application support/windsurf - next/user/",
  ".config/kiro/user/; library/application support/kiro/user/; .config/code/user/settings.json; .config/code/user/mcp.json",
  "library/application support/code/user/settings.json; .vscode/extensions/; .vscode-insiders/extensions/; .vscode-oss/extensions/",
  ".vscode-server/bin/; .vscode-server/cli/; .vscode-server/extensions/; .vscode-server/data/user/; .vscode-server/data/machine/",
  "library/application support/code/user/mcp.json; .config/code/user/; .config/code - insiders/user/; .config/vscodium/user/",
  ".config/code - oss/user/; library/application support/code/user/; library/application support/code - insiders/user/",
  "library/application support/vscodium/user/; library/application support/code - oss/user/; .commandcode/; .kimi/; .kimi-code/",
  ".augment/; .config/crush/; .local/share/crush/crush.json; .config/goose/; .local/share/goose/recipes/; .config/zed/",
  ".local/share/zed/extensions/; library/application support/zed/extensions/; .junie/; .config/jetbrains/; .local/share/jetbrains/",
  "library/application support/jetbrains/; .config/google/; .gemini/antigravity/; .config/antigravity/user/",
  "library/application support/antigravity/user/; .vibe/; .config/nanocoder/; .local/share/nanocoder/",
  "library/preferences/nanocoder/; .qoder/; .qoder-cn/; .qoder.json; .letta/; .acpx/; .continue/; .aider.conf.yml",
  ".aider.model.settings.yml; .roo/; .warp/; .config/warp-terminal/; .local/state/warp-terminal/; .hermes/; .devin/; .config/devin/",
  ".trae/; .trae-cn/; .config/trae/user/; library/application support/trae/user/; .openhands/; .amazonq/; .grok/; .lmstudio/mcp.json",
  ".cache/lm-studio/mcp.json; .config/positron/user/; library/application support/positron/user/; .config/mcp/; .config/mcphub/",
);
export const USER_OWN: readonly string[] = /* @__PURE__ */ listed(
  ".claude/projects/*/memory/; .claude/plans/; .claude/todos/; .claude/agent-memory/; .claude/jobs/*/tmp/; .commandcode/plans/",
  ".commandcode/taste/",
);
export const PROJECT_ASKED: readonly string[] = /* @__PURE__ */ listed(
  ".claude/settings.json; .claude/settings.local.json; .claude/hooks/; .claude/agents/; .claude/commands/; .claude/skills/",
  ".claude/plugins/; .claude/output-styles/; .mcp.json; .claude/mcp.json; .claude/workflows/; .claude-plugin/; .codex/",
  ".codex-plugin/; .opencode/; opencode.json; opencode.jsonc; .gemini/settings.json; .gemini/policies/; .gemini/extensions/",
  ".gemini/.env; .gemini/agents/; .gemini/commands/; .gemini/hooks/; .gemini/skills/; gemini-extension.json; .qwen/settings.json",
  ".qwen/extensions/; .qwen/.env; .qwen/agents/; .qwen/commands/; .qwen/hooks/; .qwen/skills/; .qwen/workflows/; qwen-extension.json",
  ".github/hooks/; .github/copilot/; .github/extensions/; .github/agents/; .github/skills/; .github/mcp.json; .github/lsp.json",
  ".github/plugin/; .plugin/; .cursor/agents/; .cursor/commands/; .cursor/environment.json; .cursor/hooks.json; .cursor/hooks/",
  ".cursor/cli.json; .cursor/mcp.json; .cursor/permissions.json; .cursor/sandbox.json; .cursor/worktrees.json; .cursor-plugin/",
  ".cursor/plugins/; .cursor/skills/; .clinerules/hooks/; .cline/hooks/; .clinerules/workflows/; .cline/; .factory/",
  ".factory-plugin/; .pi/; .kilo/; kilo.json; kilo.jsonc; .kilocode/mcp.json; .kilocodemodes; .kilocode/; .amp/; .ampcode/",
  ".windsurf/hooks.json; .windsurf/hooks/; .windsurf/mcp.json; .windsurf/mcp_config.json; .windsurf/workflows/; .windsurf/skills/",
  ".kiro/hooks/; .kiro/settings/; .kiro/agents/; .kiro/powers/; .kiro/skills/; .vscode/settings.json; .vscode/launch.json",
  ".vscode/tasks.json; .vscode/mcp.json; .vscode/hooks/; .commandcode/; .kimi/; .kimi-code/; kimi.plugin.json; .kimi-plugin/",
  ".augment/settings.json; .augment/settings.local.json; .augment/; .crush.json; crush.json; .crush/; .goose/; .zed/settings.json",
  ".zed/; .junie/; .idea/runconfigurations/; .idea/watchertasks.xml; .idea/startup.xml; .run/; .vibe/; agents.config.json",
  ".nanocoder/; nanocoder-preferences.json; .qoder/; .qoder-plugin/; .letta/; .acpxrc.json; .continue/; .continuerc.json",
  ".aider.conf.yml; .aider.model.settings.yml; .roo/mcp.json; .roomodes; .roo/; .warp/; .hermes/; .devin/; .trae/; .openhands/",
  ".amazonq/; .grok/; .vs/mcp.json; .replit; .agents/hooks.json; .agents/plugins/; .agents/skills/; .agents/mcp.json",
  ".agents/commands/; .agents/agents/; .lsp.json; .mcp/; .devcontainer/devcontainer.json; .devcontainer.json; .rulesync/hooks.json",
  ".rulesync/; rulesync.jsonc",
);
export const AGENT_INSTRUCTIONS: readonly string[] = /* @__PURE__ */ listed(
  "claude.md; gemini.md; qwen.md; .github/copilot-instructions.md; .github/instructions/; .cursor/; .cursorrules; .clinerules/",
  ".clinerules; .windsurfrules; .windsurf/rules/; .kiro/steering/; agents.md",
);
export const MACHINE_LOCKED: readonly string[] = /* @__PURE__ */ listed(
  "/etc/claude-code/; /library/application support/claudecode/; /etc/codex/; /etc/opencode/; /library/application support/opencode/",
  "/etc/gemini-cli/; /library/application support/geminicli/; /etc/qwen-code/; /library/application support/qwencode/",
  "/etc/github-copilot/; /etc/cursor/; /library/application support/cursor/; /etc/cline/; /etc/factory/",
  "/library/application support/factory/; /etc/kilo/; /etc/ampcode/; /etc/windsurf/; /library/application support/windsurf/",
  "/etc/kiro/; /etc/augment/; /etc/goose/; /etc/junie/; /etc/devin/",
);
export const AGENT_SECRET_FILES: readonly string[] = /* @__PURE__ */ listed(
  ".claude.json; .codex/auth.json; .local/share/opencode/auth.json; .local/share/opencode/mcp-auth.json; .config/opencode/auth.json",
  ".gemini/oauth_creds.json; .gemini/mcp-oauth-tokens.json; .gemini/a2a-oauth-tokens.json; .qwen/oauth_creds.json",
  ".qwen/mcp-oauth-tokens.json; .qwen/mcp-oauth-tokens-v2.json; .copilot/config.json; .config/cursor/auth.json",
  ".cline/data/settings/providers.json; .factory/auth.json; .factory/auth.encrypted; .factory/auth.v2.file; .factory/auth.v2.key",
  ".pi/agent/auth.json; .pi/agent/mcp-auth.json; .pi/agent/models.json; .pi/agent/oauth.json; .local/share/kilo/auth.json",
  ".local/share/kilo/mcp-auth.json; .commandcode/auth.json; .commandcode/credentials.json; .commandcode/mcp-tokens.json",
  ".commandcode/providers.json; .kimi/config.toml; .kimi/config.json; .kimi-code/config.toml; .augment/session.json",
  ".local/share/crush/crush.json; .config/crush/crush.json; .config/nanocoder/agents.config.json; .continue/config.json",
  ".continue/config.yaml; .continue/auth.json; .aider/oauth-keys.env; .grok/user-settings.json; .grok/config.toml; .grok/auth.json",
);
export const AGENT_SECRET_FOLDERS: readonly string[] = /* @__PURE__ */ listed(
  ".config/github-copilot; .copilot/mcp-oauth-config; .kimi-code/credentials; .kimi/credentials; .qoder/.auth",
);
export const AGENT_SECRETS_AT_HOME: readonly string[] = /* @__PURE__ */ listed(
  ".letta/settings.json; .aider.conf.yml; .aider.model.settings.yml; .openhands/settings.json; .openhands/agent_settings.json",
);
export const AGENT_PROGRAMS: readonly string[] = /* @__PURE__ */ listed(
  "claude; codex; opencode; gemini; qwen; copilot; cursor; cursor-agent; cline; droid; pi; kilo; kilocode; amp; windsurf; kiro",
  "kiro-cli; code; code-insiders; codium; vscodium; code-server; command-code; commandcode; cmdc; cmd; kimi; auggie; crush; goose",
  "zed; zeditor; junie; agy; antigravity; vibe; nanocoder; qodercli; qoder; letta; acpx; cn; continue; aider; roo; warp; warp-cli",
  "devin; trae; q; grok",
);
export const PROMPTED_PROGRAMS: readonly string[] = /* @__PURE__ */ listed("claude; codex; gemini");
export const AGENT_OPTIONS: readonly string[] = /* @__PURE__ */ listed(
  "--bare; --safe-mode; --restricted; --setting-sources; --project-config-root; --enable-auto-mode; --channels",
  "--messaging-socket-path; --attach-serve; --ignore-user-config; --code-mode-host; --full-auto; --ignore-rules; --listen; --pure",
  "--attach; --cors; --mdns; --from-claude; --channel; --proxy; --registry; --sandbox-image; --enable-session-shell; --autopilot",
  "--enable-mcp-server; --bash-env; --environment-host; --share-gist; --zen; --kanban; --baseurl; --rpc-address; --enable-tools",
  "--auto-merge; --no-require-approval; --no-require-change-approval; --tool-execution-mode; --droid-path; --git-ai-bin; --daemon",
  "--no-extensions; --add-mcp; --tools-all; --tools-enable; --mod; --agent-file; --allowed-host; --skip-confirmation; --headless",
  "--override-tool-schemas; --mcp; --no-profile; --container; --no-mods; --backend; --skill-sources; --skills; --import; --rule",
  "--yes-always",
);
export const VALUED_OPTIONS: readonly string[] = /* @__PURE__ */ listed(
  "--permission-mode; --agents; -c; --config; --enable; --disable; -a; --ask-for-approval; -s; --sandbox; --approval-mode; --mode",
  "--allow-tool; --auto",
);
export const OWN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  claude: ["--rc", "--file"],
  codex: ["--remote", "--profile", "-p", "-P"],
  opencode: ["--auto", "--tool", "--command"],
  gemini: ["-y"],
  qwen: ["-y", "--input-file"],
  copilot: ["--remote", "--experimental", "--share"],
  "cursor|cursor-agent": ["--force", "-f"],
  cline: ["--config", "-y", "-z"],
  pi: ["-ne", "-a", "-e"],
  "kilo|kilocode": ["--auto", "--tool", "--command"],
  "kiro|kiro-cli": ["-a"],
  "command-code|commandcode|cmdc|cmd": ["--config", "-t", "--plan", "--permission-mode", "--skill"],
  kimi: ["-y", "--yes", "--auto", "--rc", "--host"],
  auggie: ["--rules"],
  crush: ["-D", "-y", "--host", "-H"],
  nanocoder: ["--mode"],
  "qodercli|qoder": ["--approval-mode", "--permission-mode", "--agents"],
  letta: ["--permission-mode", "--tools"],
  acpx: ["--agent"],
  "cn|continue": ["--config", "--auto", "--agent"],
};
export const PROGRAM_OF_PACKAGE: Readonly<Record<string, string>> = {
  "@anthropic-ai/claude-code": "claude",
  "@anthropic-ai/claude-code-linux-x64": "claude",
  "@openai/codex": "codex",
  "opencode-ai": "opencode",
  "@google/gemini-cli": "gemini",
  "@qwen-code/qwen-code": "qwen",
  "@github/copilot": "copilot",
  cline: "cline",
  droid: "droid",
  "@earendil-works/pi-coding-agent": "pi",
  "@mariozechner/pi-coding-agent": "pi",
  "@kilocode/cli": "kilo",
  "@sourcegraph/amp": "amp",
  "@ampcode/cli": "amp",
  "command-code": "command-code",
  "@moonshot-ai/kimi-code": "kimi",
  "@augmentcode/auggie": "auggie",
  "@charmland/crush": "crush",
  "@jetbrains/junie": "junie",
  "@nanocollective/nanocoder": "nanocoder",
  "@qoder-ai/qodercli": "qodercli",
  "@letta-ai/letta-code": "letta",
  acpx: "acpx",
  "@continuedev/cli": "cn",
};
export const AGENT_ALIASES: readonly string[] = /* @__PURE__ */ listed(
  "claude; codex; opencode; gemini; qwen; copilot; kilo; kilocode; amp; command-code; commandcode; cmdc; kimi; auggie; nanocoder",
  "qodercli",
);
export const AGENT_WITHIN: Readonly<Record<string, string>> = { gh: "copilot" };
export const CHANGING_WORDS: Readonly<Record<string, readonly string[]>> = {
  claude: ["import"],
  opencode: ["plugin", "plug"],
  gemini: ["trust"],
  droid: ["config"],
  pi: ["install", "remove", "uninstall", "update", "config"],
  "kilo|kilocode": ["plugin", "plug"],
  "command-code|commandcode|cmdc|cmd": /* @__PURE__ */ listed("mcp; mods; mod; config; skills; login; logout; update; sandbox; taste"),
  kimi: ["provider", "login", "upgrade", "update", "migrate", "web", "rc", "remote"],
  crush: ["run", "server", "serve"],
  goose: ["configure", "run", "session", "web", "acp", "schedule"],
  nanocoder: ["run", "daemon"],
  "qodercli|qoder": ["mcp", "plugin", "mp", "hook", "agent", "skill"],
};
export const PRINTING_WORDS: Readonly<Record<string, readonly string[]>> = {
  pi: ["auth print-api-key", "auth print-bearer-token", "auth --credentials"],
  auggie: ["token print", "tokens print"],
};
export const TOLD_VARIABLES: Readonly<Record<string, "word" | "text" | "path">> = {
  CLAUDE_PROJECT_DIR: "path",
  CLAUDE_CODE_SHELL_PREFIX: "path",
  CLAUDE_CODE_ENTRYPOINT: "word",
  CLAUDE_CODE_STARTUP_FAILURE_RESULTS: "word",
  GEMINI_PROJECT_DIR: "path",
  QWEN_PROJECT_DIR: "path",
  COPILOT_PROJECT_DIR: "path",
  FACTORY_PROJECT_DIR: "path",
  AGENT: "word",
  AGENT_TOOL_NAME: "text",
  AMP_THREAD_ID: "word",
  COMMANDCODE_PROJECT_DIR: "path",
};
export const RULES_READ: readonly string[] = /* @__PURE__ */ listed(
  "claude; codex; opencode; gemini; qwen; copilot; cursor; droid; kilo; dippy; cc-safety-net; autonomous-dev; pydantic-ai-backend",
  "agentperm",
);
export const REFUSALS_TOLD: readonly string[] = /* @__PURE__ */ listed(
  "claude; codex; opencode; gemini; qwen; copilot; cursor; droid; kilo",
);
export const CALL_SIGNS = [
  { agent: "windsurf", telling: 150, fields: { agent_action_name: "text" } },
  { agent: "cline", telling: 140, fields: { tool_call: "object" } },
  { agent: "cline", telling: 140, fields: { preToolUse: "object" } },
  { agent: "cursor", telling: 130, fields: { cursor_version: "there" } },
  { agent: "cursor", telling: 130, fields: { conversation_id: "there" } },
  { agent: "opencode", telling: 120, events: ["permission.ask", "permission.asked", "tool.execute.before"] },
  { agent: "pi", telling: 110, fields: { type: ["tool_call"] } },
  { agent: "pi", telling: 110, fields: { toolCallId: "there" } },
  { agent: "copilot", telling: 100, fields: { toolArgs: "there" } },
  { agent: "copilot", telling: 100, fields: { hookName: ["permissionRequest"] } },
  { agent: "kimi", telling: 95, events: ["PreToolUse"], fields: { tool_call_id: "there", client_type: "there" } },
  { agent: "qwen", telling: 90, variables: { QWEN_PROJECT_DIR: "there" } },
  { agent: "qwen", telling: 90, fields: { tool_call_id: "there" } },
  { agent: "codex", telling: 80, events: ["PermissionRequest"], fields: { permission: "object" } },
  { agent: "codex", telling: 80, fields: { turn_id: "there", model: "there" } },
  { agent: "commandcode", telling: 75, fields: { tool_display_name: "there" } },
  { agent: "vscode", telling: 70, fields: { hookEventName: "there" } },
  {
    agent: "vscode",
    telling: 70,
    fields: {
      tool_name: [
        "run_in_terminal",
        "replace_string_in_file",
        "multi_replace_string_in_file",
        "insert_edit_into_file",
        "create_file",
        "editFiles",
      ],
    },
  },
  {
    agent: "qwen",
    telling: 60,
    events: ["PreToolUse", "PermissionRequest"],
    fields: {
      tool_name: /* @__PURE__ */ listed(
        "glob; grep_search; search_file_content; read_file; read_many_files; list_directory; web_fetch; google_web_search; replace",
        "write_file; run_shell_command",
      ),
    },
  },
  { agent: "gemini", telling: 50, events: ["BeforeTool", "AfterTool"] },
  {
    agent: "gemini",
    telling: 50,
    fields: {
      tool_name: /* @__PURE__ */ listed(
        "glob; grep_search; search_file_content; read_file; read_many_files; list_directory; web_fetch; google_web_search; replace",
        "write_file; run_shell_command",
      ),
    },
  },
  { agent: "commandcode", telling: 45, variables: { COMMANDCODE_PROJECT_DIR: "there" } },
  { agent: "droid", telling: 40, variables: { FACTORY_PROJECT_DIR: "there" } },
  { agent: "kiro", telling: 30, events: ["preToolUse"], fields: { tool_name: "there" } },
  { agent: "amp", telling: 20, variables: { AGENT: ["amp"], AGENT_TOOL_NAME: "there" }, fields: { tool_name: "absent" } },
  { agent: "generic", telling: 10, fields: { tool: "there", input: "there", tool_name: "absent" } },
  { agent: "claude", telling: 0 },
] as const;
export const DAMAGED: Readonly<Record<string, { readonly fields: Readonly<Record<string, boolean | string>>; readonly message: string }>> =
  { cline: { fields: { cancel: true }, message: "errorMessage" } };
export const ASKED_VARIABLES: readonly string[] = /* @__PURE__ */ listed(
  "CLAUDE_*; CODEX_HOME; OPENCODE_PURE; OPENCODE_CONFIG; OPENCODE_CONFIG_DIR; OPENCODE_CONFIG_CONTENT; OPENCODE_PERMISSION",
  "OPENCODE_DISABLE_DEFAULT_PLUGINS; OPENCODE_TEST_MANAGED_CONFIG_DIR; GEMINI_CLI_HOME; GEMINI_CLI_SYSTEM_*; GEMINI_CLI_TRUST*",
  "QWEN_CODE_SAFE_MODE; QWEN_CODE_SIMPLE; QWEN_CODE_SYSTEM_*; QWEN_CODE_TRUSTED_*; QWEN_CODE_MANAGED_NPM_*; QWEN_HOME",
  "COPILOT_ALLOW_ALL; COPILOT_ASSISTED_APPROVAL; COPILOT_HOME; COPILOT_CACHE_HOME; COPILOT_PKG_CACHE_HOME; PI_CODING_AGENT_DIR",
  "KILO_PURE; KILO_CONFIG; KILO_CONFIG_DIR; KILO_CONFIG_CONTENT; KILO_PERMISSION; KILO_DISABLE_DEFAULT_PLUGINS",
  "KILO_TEST_MANAGED_CONFIG_DIR; COMMANDCODE_API*; CMD_RELOAD_*; CMD_TEST_INJECT_*; KIMI_CODE_HOME; KIMI_SHELL_PATH; GOOSE_MODE",
  "GOOSE_PATH_ROOT; NANOCODER_CONFIG_DIR; NANOCODER_DATA_DIR; NANOCODER_MCPSERVERS*; NANOCODER_PROVIDERS*; NANOCODER_TRUST_DIRECTORY",
  "QODER_CONFIG_DIR; QODER_CONFIG_DIR_NAME; QODER_AUTONOMY; QODER_BASH_PATH; LETTA_HOME; LETTA_BASE_URL; LETTA_DISABLE_MODS",
  "LETTA_DISABLE_EXTENSIONS; LETTA_EXTENSIONS_DIR; LETTA_CODE_TOOLS_DIR",
);
export const AGENT_MARKS: readonly string[] = /* @__PURE__ */ listed(
  "CLAUDECODE; CODEX_SANDBOX; CODEX_SANDBOX_NETWORK_DISABLED; CODEX_THREAD_ID; CODEX_CI; OPENCODE; GEMINI_CLI; QWEN_CODE",
  "COPILOT_CLI; COPILOT_AGENT_*; CURSOR_AGENT; CLINE_ACTIVE; AMP_CURRENT_THREAD_ID; KIRO_AGENT*; COMMANDCODE_SESSION_ID; CMD_AI",
  "AUGMENT_AGENT; GOOSE_TERMINAL; ROO_ACTIVE; TRAE_AI_SHELL_ID; AI_AGENT; AGENT",
);
