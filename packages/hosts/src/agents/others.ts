import { listed } from "@assent/core/policy";
import { type HostCommands, type HostFacts, hostFacts, type HostFiles, type HostVariables } from "./host/agent.ts";

/**
 * Hosts that Assent does not speak with. Their settings, programs and variables are known all the same: an agent that
 * changes them, or starts them, changes what another agent may do.
 */
interface OtherHost {
  readonly name: string;
  readonly files?: Partial<HostFiles>;
  readonly commands?: Partial<HostCommands>;
  readonly variables?: Partial<HostVariables>;
}

const HOSTS: readonly OtherHost[] = [
  {
    name: "Augment",
    files: {
      userLocked: [".augment/settings.json", ".augment/settings.local.json", ".augment/hooks/"],
      userAsked: [".augment/"],
      project: [".augment/settings.json", ".augment/settings.local.json", ".augment/"],
      machine: ["/etc/augment/"],
      secrets: [".augment/session.json"],
    },
    commands: {
      programs: ["auggie"],
      packages: ["@augmentcode/auggie"],
      aliases: ["auggie"],
      prints: ["token print", "tokens print"],
      options: {
        hooks: ["--augment-cache-dir"],
        questions: ["--permission", "--skip-confirmation", "--acp", "--headless"],
        code: /* @__PURE__ */ listed(
          "--startup-script; --startup-script-file; --plugin-dir; --mcp-config; --rules; --login-url; --provider-base-url",
          "--override-tool-schemas; --mcp; --provision-script; --vm-startup-script; --use-default-scripts; --script",
        ),
      },
    },
    variables: { marks: ["AUGMENT_AGENT"] },
  },
  {
    name: "Crush",
    files: {
      userLocked: [".config/crush/crush.json"],
      userAsked: [".config/crush/", ".local/share/crush/crush.json"],
      project: [".crush.json", "crush.json", ".crush/"],
      secrets: [".local/share/crush/crush.json", ".config/crush/crush.json"],
    },
    commands: {
      programs: ["crush"],
      packages: ["@charmland/crush"],
      // `run` asks nobody.
      changes: ["run", "server", "serve"],
      options: {
        hooks: ["--data-dir", "-D"],
        questions: ["--yolo", "-y"],
        code: ["--host", "-H"],
      },
    },
  },
  {
    name: "Goose",
    files: {
      userLocked: [".config/goose/config.yaml", ".config/goose/permission.yaml", ".config/goose/permissions/"],
      userAsked: [".config/goose/", ".local/share/goose/recipes/"],
      project: [".goose/"],
      machine: ["/etc/goose/"],
    },
    commands: {
      programs: ["goose"],
      // By default it asks nobody.
      changes: ["configure", "run", "session", "web", "acp", "schedule"],
      options: {
        hooks: ["--no-profile"],
        code: /* @__PURE__ */ listed(
          "--with-extension; --with-streamable-http-extension; --with-remote-extension; --recipe; --sub-recipe; --container",
        ),
      },
    },
    variables: { marks: ["GOOSE_TERMINAL"], controlling: ["GOOSE_*"], asked: ["GOOSE_MODE", "GOOSE_PATH_ROOT"] },
  },
  {
    name: "Zed",
    files: {
      userLocked: [".config/zed/settings.json"],
      userAsked: [".config/zed/", ".local/share/zed/extensions/", "library/application support/zed/extensions/"],
      project: [".zed/settings.json", ".zed/"],
    },
    commands: { programs: ["zed", "zeditor"] },
  },
  {
    name: "Junie",
    files: { userLocked: [".junie/config.json"], userAsked: [".junie/"], project: [".junie/"], machine: ["/etc/junie/"] },
    commands: { programs: ["junie"], packages: ["@jetbrains/junie"] },
  },
  {
    name: "JetBrains' editors and Android Studio",
    files: {
      userAsked: [".config/jetbrains/", ".local/share/jetbrains/", "library/application support/jetbrains/", ".config/google/"],
      project: [".idea/runconfigurations/", ".idea/watchertasks.xml", ".idea/startup.xml", ".run/"],
    },
  },
  {
    name: "Antigravity",
    files: {
      userLocked: [".gemini/antigravity-cli/settings.json", ".gemini/antigravity/hooks.json"],
      userAsked: [".gemini/antigravity/", ".config/antigravity/user/", "library/application support/antigravity/user/"],
    },
    commands: { programs: ["agy", "antigravity"] },
  },
  {
    name: "Mistral Vibe",
    files: { userLocked: [".vibe/hooks.toml"], userAsked: [".vibe/"], project: [".vibe/"] },
    commands: { programs: ["vibe"] },
  },
  {
    // 1.30.0: it calls no hook. What `alwaysAllow` in a project's `agents.config.json` names needs no person.
    name: "Nanocoder",
    files: {
      userLocked: [".config/nanocoder/agents.config.json", ".config/nanocoder/nanocoder-preferences.json"],
      userAsked: [".config/nanocoder/", ".local/share/nanocoder/", "library/preferences/nanocoder/"],
      project: ["agents.config.json", ".nanocoder/", "nanocoder-preferences.json"],
      secrets: [".config/nanocoder/agents.config.json"],
    },
    commands: {
      programs: ["nanocoder"],
      packages: ["@nanocollective/nanocoder"],
      aliases: ["nanocoder"],
      // In `run` its file tools ask nobody.
      changes: ["run", "daemon"],
      options: {
        questions: ["--mode", "--trust-directory", "--acp"],
      },
    },
    variables: {
      controlling: ["NANOCODER_*"],
      asked: ["NANOCODER_CONFIG_DIR", "NANOCODER_DATA_DIR", "NANOCODER_MCPSERVERS*", "NANOCODER_PROVIDERS*", "NANOCODER_TRUST_DIRECTORY"],
    },
  },
  {
    // 1.1.52.
    name: "Qoder",
    files: {
      userLocked: [".qoder/settings.json", ".qoder/hooks/", ".qoder/plugins/"],
      userAsked: [".qoder/", ".qoder-cn/", ".qoder.json"],
      project: [".qoder/", ".qoder-plugin/"],
      secrets: [".qoder/.auth/"],
    },
    commands: {
      programs: ["qodercli", "qoder"],
      packages: ["@qoder-ai/qodercli"],
      aliases: ["qodercli"],
      changes: ["mcp", "plugin", "mp", "hook", "agent", "skill"],
      options: {
        hooks: ["--setting-sources", "--settings", "--config-dir", "--bare"],
        questions: /* @__PURE__ */ listed(
          "--approval-mode; --permission-mode; --trust; --allowed-tools; --yolo; --acp; --permission-prompt-tool; --always-allow",
          "--consent; --remote-control; --allow-plugin-mcp",
        ),
        code: /* @__PURE__ */ listed(
          "--mcp-config; --plugin-dir; --agents; --hook; --proxy; --qoder-url; --messaging-socket-path",
          "--fake-responses; --record-responses; --from-claude",
        ),
      },
    },
    variables: { controlling: ["QODER_*"], asked: ["QODER_CONFIG_DIR", "QODER_CONFIG_DIR_NAME", "QODER_AUTONOMY", "QODER_BASH_PATH"] },
  },
  {
    // 0.32.18.
    name: "Letta Code",
    files: {
      userLocked: [".letta/settings.json", ".letta/mods/", ".letta/extensions/"],
      userAsked: [".letta/"],
      project: [".letta/"],
      secretsAtHome: [".letta/settings.json"],
    },
    commands: {
      programs: ["letta"],
      packages: ["@letta-ai/letta-code"],
      options: {
        hooks: ["--no-mods"],
        questions: ["--permission-mode", "--tools", "--yolo"],
        code: ["--base-url", "--backend", "--skill-sources", "--skills", "--import"],
      },
    },
    variables: {
      controlling: ["LETTA_*"],
      asked: /* @__PURE__ */ listed(
        "LETTA_HOME; LETTA_BASE_URL; LETTA_DISABLE_MODS; LETTA_DISABLE_EXTENSIONS; LETTA_EXTENSIONS_DIR; LETTA_CODE_TOOLS_DIR",
      ),
    },
  },
  {
    name: "acpx",
    files: { userLocked: [".acpx/config.json"], userAsked: [".acpx/"], project: [".acpxrc.json"] },
    commands: {
      programs: ["acpx"],
      packages: ["acpx"],
      options: {
        questions: ["--approve-all", "--policy", "--permission-policy", "--auth-policy", "--allowed-tools"],
        code: ["--mcp-config", "--agent"],
      },
    },
  },
  {
    name: "Continue",
    files: {
      userAsked: [".continue/"],
      project: [".continue/", ".continuerc.json"],
      secrets: [".continue/config.json", ".continue/config.yaml", ".continue/auth.json"],
    },
    commands: {
      programs: ["cn", "continue"],
      packages: ["@continuedev/cli"],
      options: {
        hooks: ["--config"],
        questions: ["--auto", "--allow"],
        code: ["--mcp", "--agent", "--rule"],
      },
    },
  },
  {
    name: "aider",
    files: {
      userAsked: [".aider.conf.yml", ".aider.model.settings.yml"],
      project: [".aider.conf.yml", ".aider.model.settings.yml"],
      secrets: [".aider/oauth-keys.env"],
      secretsAtHome: [".aider.conf.yml", ".aider.model.settings.yml"],
    },
    commands: {
      programs: ["aider"],
      options: {
        questions: ["--yes-always"],
      },
    },
  },
  {
    name: "Roo Code",
    files: { userAsked: [".roo/"], project: [".roo/mcp.json", ".roomodes", ".roo/"] },
    commands: { programs: ["roo"] },
    variables: { marks: ["ROO_ACTIVE"] },
  },
  {
    name: "Warp",
    files: { userAsked: [".warp/", ".config/warp-terminal/", ".local/state/warp-terminal/"], project: [".warp/"] },
    commands: { programs: ["warp", "warp-cli"] },
  },
  { name: "Hermes", files: { userAsked: [".hermes/"], project: [".hermes/"] } },
  {
    name: "Devin",
    files: { userAsked: [".devin/", ".config/devin/"], project: [".devin/"], machine: ["/etc/devin/"] },
    commands: { programs: ["devin"] },
  },
  {
    name: "Trae",
    files: {
      userAsked: [".trae/", ".trae-cn/", ".config/trae/user/", "library/application support/trae/user/"],
      project: [".trae/"],
    },
    commands: { programs: ["trae"] },
    variables: { marks: ["TRAE_AI_SHELL_ID"] },
  },
  {
    name: "OpenHands",
    files: {
      userAsked: [".openhands/"],
      project: [".openhands/"],
      secretsAtHome: [".openhands/settings.json", ".openhands/agent_settings.json"],
    },
  },
  { name: "Amazon Q", files: { userAsked: [".amazonq/"], project: [".amazonq/"] }, commands: { programs: ["q"] } },
  {
    name: "Grok",
    files: { userAsked: [".grok/"], project: [".grok/"], secrets: [".grok/user-settings.json", ".grok/config.toml", ".grok/auth.json"] },
    commands: { programs: ["grok"] },
  },
  { name: "LM Studio", files: { userAsked: [".lmstudio/mcp.json", ".cache/lm-studio/mcp.json"] } },
  { name: "Positron", files: { userAsked: [".config/positron/user/", "library/application support/positron/user/"] } },
  { name: "Visual Studio", files: { project: [".vs/mcp.json"] } },
  { name: "Replit", files: { project: [".replit"] } },
  {
    name: "what several hosts read",
    files: {
      userLocked: [".agents/plugins/", ".agents/hooks.json"],
      userAsked: [".config/mcp/", ".config/mcphub/"],
      project: /* @__PURE__ */ listed(
        ".agents/hooks.json; .agents/plugins/; .agents/skills/; .agents/mcp.json; .agents/commands/; .agents/agents/; .lsp.json",
        ".mcp/; .devcontainer/devcontainer.json; .devcontainer.json",
      ),
      instructions: ["agents.md"],
    },
    variables: { marks: ["AI_AGENT", "AGENT"] },
  },
  {
    name: "rulesync, which writes settings of hosts",
    files: { userLocked: [".rulesync/hooks.json"], project: [".rulesync/hooks.json", ".rulesync/", "rulesync.jsonc"] },
  },
];

export const OTHERS: readonly HostFacts[] = HOSTS.map(({ files = {}, commands, variables = {} }) =>
  hostFacts({
    calls: { none: "Assent does not speak with it" },
    files,
    commands: commands === undefined ? { none: "it has no command line" } : { programs: [], packages: [], ...commands },
    variables,
  }),
);
