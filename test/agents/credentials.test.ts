import { describe, expect, test } from "vitest";
import { verdictFor } from "../shell/knowledge/decide.ts";

/** Where hosts keep their logins, as their packages have it. */
describe("what a host logs in with is a secret", () => {
  test.each([
    ["~/.pi/agent/auth.json"],
    ["~/.pi/agent/mcp-auth.json"],
    ["~/.pi/agent/models.json"],
    ["~/.pi/agent/oauth.json"],
    ["~/.claude.json"],
    ["~/.claude/.credentials.json"],
    ["~/.codex/auth.json"],
    ["~/.codex/.credentials.json"],
    ["~/.gemini/oauth_creds.json"],
    ["~/.gemini/mcp-oauth-tokens.json"],
    ["~/.gemini/a2a-oauth-tokens.json"],
    ["~/.gemini/gemini-credentials.json"],
    ["~/.qwen/oauth_creds.json"],
    ["~/.qwen/mcp-oauth-tokens.json"],
    ["~/.local/share/opencode/auth.json"],
    ["~/.local/share/opencode/mcp-auth.json"],
    ["~/.local/share/kilo/auth.json"],
    ["~/.local/share/kilo/mcp-auth.json"],
    ["~/.local/share/amp/secrets.json"],
    ["~/.copilot/config.json"],
    ["~/.copilot/mcp-oauth-config/x.tokens.json"],
    ["~/.cline/data/secrets.json"],
    ["~/.cline/data/settings/providers.json"],
    ["~/.factory/auth.json"],
    ["~/.factory/auth.encrypted"],
    ["~/.factory/auth.v2.file"],
    ["~/.factory/auth.v2.key"],
    ["~/.continue/auth.json"],
    ["~/.augment/session.json"],
    ["~/.commandcode/auth.json"],
    ["~/.kimi/credentials/kimi-code.json"],
    // Settings that have keys in them.
    ["~/.kimi/config.toml"],
    ["~/.kimi/config.toml.bak"],
    ["~/.kimi/mcp.json"],
    ["~/.kimi-code/config.toml"],
    ["~/.kimi-code/mcp.json"],
    ["~/.kimi-code/credentials/kimi-code.json"],
    ["~/.commandcode/auth.json"],
    ["~/.commandcode/providers.json"],
    ["~/.config/nanocoder/agents.config.json"],
    ["~/.letta/settings.json"],
    ["~/.grok/user-settings.json"],
    ["~/.grok/config.toml"],
    ["/home/other/.grok/user-settings.json"],
    ["~/.config/crush/crush.json"],
    ["~/.cursor/mcp.json"],
    ["/home/other/.cursor/mcp.json"],
    ["~/.CURSOR/mcp.json"],
    ["~/.codeium/windsurf/mcp_config.json"],
    ["~/.config/zed/mcp.json"],
    ["~/.lmstudio/mcp.json"],
    ["~/.openhands/settings.json"],
    ["~/.aider.conf.yml"],
    ["~/.aider.model.settings.yml"],
    ["~/.aider/oauth-keys.env"],
  ])("cat %s", (path) => expect(verdictFor(`cat ${path}`).decision).toBe("deny"));

  test.each([
    ["cat ~/.pi/agent/settings.json"],
    ["ls ~/.pi/agent"],
    ["cat ~/.gemini/GEMINI.md"],
    ["cat ~/.codex/config.toml"],
    ["cat .cursor/mcp.json"],
    ["cat .mcp.json"],
    ["cat .aider.conf.yml"],
    ["cat .kimi/mcp.json"],
    ["cat .grok/settings.json"],
    ["ls ~/.cursor ~/.grok"],
    ["cat ~/.cursor/rules/a.md"],
    ["cat crush.json"],
  ])("%s goes ahead", (command) => expect(verdictFor(command).decision).toBe("allow"));
});

describe("a host's own command does not print its login", () => {
  test.each([
    ["pi auth print-api-key --provider openai"],
    ["pi auth print-bearer-token --provider openai-codex --min-expiry 1h"],
    ["pi auth check --provider openai --json --credentials"],
    ["/usr/local/bin/pi auth print-api-key --model x"],
    ["npx @earendil-works/pi-coding-agent auth print-api-key --provider openai"],
    ["pnpm dlx @mariozechner/pi-coding-agent@latest auth print-bearer-token --provider x"],
    ["node node_modules/@earendil-works/pi-coding-agent/dist/cli.js auth print-api-key --provider x"],
    ["K=$(pi auth print-api-key --provider x); echo $K"],
    ["sh -c 'pi auth print-api-key --provider x' | cat"],
    ["auggie token print"],
  ])("%s", (command) => {
    const { decision, builtin, reason, help } = verdictFor(command);
    expect([decision, builtin]).toEqual(["deny", "protect.secrets"]);
    expect(reason).toMatch(/prints a key or a token$/);
    expect(JSON.stringify(help)).not.toContain("assent allow");
  });

  test.each([["pi auth check --provider x"], ["pi -p 'print-api-key of auth'"], ["pi"], ["auggie 'print the token'"]])(
    "%s is left to the host",
    (command) => expect(verdictFor(command).decision).toBe("none"),
  );
});
