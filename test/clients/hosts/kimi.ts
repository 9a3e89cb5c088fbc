import { json, type Client } from "../client.ts";
import { ELSEWHERE, HOME, MOUNTED } from "../place.ts";

export const kimi: Client = {
  id: "kimi",
  name: "Kimi Code",
  package: { name: "@moonshot-ai/kimi-code", version: "2.1.0" },
  knows: { settings: ["default_permission_mode"], modes: ["manual", "yolo"] },
  command: "kimi",
  program: "@moonshot-ai/kimi-code/dist/main.mjs",
  script: true,
  files: (model) => ({
    [`${HOME}/.kimi-code/config.toml`]: `default_model = "fake"

[providers.fake]
type = "openai"
base_url = "${model}/v1"
api_key = "fake-key"

[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 100000
`,
    [`${HOME}/.kimi-code/mcp.json`]: json({ mcpServers: { lab: { command: MOUNTED.ownNode, args: [MOUNTED.mcpServer] } } }),
  }),
  env: () => ({ KIMI_CODE_NO_AUTO_UPDATE: "1" }),
  // It asks nobody then, and lets everything through.
  args: "-p PROMPT --output-format stream-json",
  detours: {
    // Its file tools take no path that leads out by `..` or a link.
    "a relative path": [],
    "a link": [],
    "another folder by a field": [{ tool: "Bash", input: { command: "echo outside > outside.txt", cwd: ELSEWHERE } }],
  },
  harmless:
    "TaskList TaskOutput TaskStop WaitFor CronCreate CronList CronDelete TodoList NotifyUser AskUserQuestion CreateGoal EnterPlanMode ExitPlanMode " +
    "GetGoal SetGoalBudget UpdateGoal",
  ownRule: { none: "its rules are not asked without a terminal" },
  remarks: {
    sandboxed: "its hooks cannot put another command in the place of one",
    subagent: "its hooks are not told which agent calls",
  },
  shell: (command) => ({ tool: "Bash", input: { command } }),
  write: (path, content) => ({ tool: "Write", input: { path, content } }),
  mcp: (tool) => [{ tool: `mcp__lab__${tool}`, input: { text: "x" } }],
  agent: (prompt) => [{ tool: "Agent", input: { description: "a step", prompt } }],
  differs: { subagent: { subagent: false } },
};
