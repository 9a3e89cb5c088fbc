/** Set by hosts of agents for the commands that their models run; each by its own documentation or source. */
const OF_AGENTS =
  /^(?:CLAUDECODE|GEMINI_CLI|QWEN_CODE|CODEX_(?:SANDBOX|SANDBOX_NETWORK_DISABLED|THREAD_ID|CI)|CURSOR_AGENT|OPENCODE|CLINE_ACTIVE|ROO_ACTIVE|COPILOT_(?:CLI|AGENT_\w+)|GOOSE_TERMINAL|AMP_CURRENT_THREAD_ID|AUGMENT_AGENT|KIRO_AGENT\w*|TRAE_AI_SHELL_ID|AI_AGENT|AGENT|ASSENT_AGENT)$/;

/** An agent wrote the command: its words name what it wants, and grant nothing. */
export function isAgents(env: Readonly<Record<string, string | undefined>>): boolean {
  return Object.entries(env).some(([name, value]) => OF_AGENTS.test(name) && value !== undefined && value !== "" && value !== "0");
}
