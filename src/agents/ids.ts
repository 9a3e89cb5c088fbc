/** Every agent: `--agent`. The hook knows only these, and loads the part of the one that calls. */
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
  "generic",
] as const;

export type AgentId = (typeof AGENT_IDS)[number];

export function isAgentId(text: string): text is AgentId {
  return (AGENT_IDS as readonly string[]).includes(text);
}
