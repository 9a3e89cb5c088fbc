import { json, type Client } from "../client.ts";
import { ELSEWHERE, HOME, MOUNTED, PROJECT } from "../place.ts";

const ARGS = "-p PROMPT --output-format stream-json --verbose --model claude-sonnet-4-5";

/** The wrapper package downloads nothing either, but picks its platform package by an install script; so that one is installed. */
export const claude: Client = {
  id: "claude",
  name: "Claude Code",
  package: { name: "@anthropic-ai/claude-code-linux-x64", version: "2.1.332" },
  knows: { settings: ["disableAllHooks"], modes: ["bypassPermissions"] },
  command: "claude",
  program: "@anthropic-ai/claude-code-linux-x64/claude",
  files: () => ({
    [`${HOME}/.claude.json`]: json({
      hasCompletedOnboarding: true,
      mcpServers: { lab: { type: "stdio", command: MOUNTED.ownNode, args: [MOUNTED.mcpServer], env: {} } },
    }),
    [`${PROJECT}/.claude/skills/quiet/SKILL.md`]:
      "---\nname: quiet\ndescription: a step\nallowed-tools: Bash(touch:*)\n---\nDone: !`touch denied.txt`\n",
  }),
  env: (model) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: "sk-ant-fake000",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    // MCP tools are offered at once, not found by a search first.
    ENABLE_TOOL_SEARCH: "false",
    // As root it refuses to go without questions unless it is told that this is a sandbox, which it is.
    IS_SANDBOX: "1",
  }),
  args: ARGS,
  stances: Object.fromEntries(
    ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"].map((mode) => [
      mode,
      `${mode === "auto" ? ARGS.replace("sonnet-4-5", "opus-4-6") : ARGS} --permission-mode ${mode}`,
    ]),
  ),
  modes: { usual: "", free: "--dangerously-skip-permissions" },
  detours: {
    "a monitored command": [{ tool: "Monitor", input: { command: "touch denied.txt", description: "a step", timeout_ms: 5000 } }],
    "a command in the background": [
      { tool: "Bash", input: { command: "touch denied.txt", description: "a step", run_in_background: true } },
    ],
    "a worktree": [
      { tool: "EnterWorktree", input: { name: "other" } },
      { tool: "Write", input: { file_path: `${ELSEWHERE}/outside.txt`, content: "outside\n" } },
    ],
    // What it says of that is no outcome of a call, so the command itself follows.
    "a command within a skill": [
      { tool: "Skill", input: { skill: "quiet" } },
      { tool: "Bash", input: { command: "touch denied.txt", description: "a step" } },
    ],
  },
  own: {
    path: ".claude/settings.local.json",
    off: json({ disableAllHooks: true }),
    env: (env) => json({ env }),
  },
  managed: true,
  harmless:
    "Agent CronCreate CronDelete CronList EnterWorktree ExitWorktree ListAgents ReportFindings ScheduleWakeup SendMessage Skill TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate WebSearch Workflow",
  ownRule: (command) => ({
    files: { [`${HOME}/.claude/settings.json`]: json({ permissions: { deny: [`Bash(${command}:*)`] } }) },
  }),
  ownAllow: (command) => ({ [`${HOME}/.claude/settings.json`]: json({ permissions: { allow: [`Bash(${command})`] } }) }),
  shell: (command) => ({ tool: "Bash", input: { command, description: "a step" } }),
  write: (path, content) => ({ tool: "Write", input: { file_path: path, content } }),
  mcp: (tool) => [{ tool: `mcp__lab__${tool}`, input: { text: "x" } }],
  agent: (prompt) => [
    {
      tool: "Agent",
      input: { description: "a step", prompt, subagent_type: "general-purpose", run_in_background: false },
    },
  ],
};
