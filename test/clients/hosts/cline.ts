import { json, type Client } from "../client.ts";
import { HOME, MOUNTED } from "../place.ts";

const PROGRAM = "@cline/cli-linux-x64/bin/cline";
/** Scenarios whose denial is more than another command in the place of one. */
const ENDING = ["outside", "startup", "mcp-denied", "broken", "detour"];

export const cline: Client = {
  id: "cline",
  name: "Cline",
  package: { name: "@cline/cli-linux-x64", version: "3.0.65" },
  command: "cline",
  program: PROGRAM,
  files: () => ({
    [`${HOME}/.cline/data/settings/cline_mcp_settings.json`]: json({
      mcpServers: { lab: { command: MOUNTED.ownNode, args: [MOUNTED.mcpServer], disabled: false } },
    }),
  }),
  env: () => ({}),
  before: (model) => [
    [`${MOUNTED.client}/${PROGRAM}`, "auth", "-p", "openai-compatible", "-k", "fake-key", "-m", "fake-model", "-b", `${model}/v1`],
  ],
  args: "--json PROMPT",
  // Its editor refuses paths that lead out of the project, if they are relative.
  detours: {
    "a relative path": [],
    "the second of two commands": [{ tool: "run_commands", input: { commands: ["true", "touch denied.txt"] } }],
  },
  harmless:
    "ask_question team_shutdown_teammate team_status team_task team_run_task team_cancel_run team_list_runs team_await_runs team_send_message team_broadcast team_read_mailbox team_mission_log team_cleanup team_create_outcome team_attach_outcome_fragment team_review_outcome_fragment team_finalize_outcome team_list_outcomes",
  ownRule: { none: "the CLI has no rules" },
  shell: (command) => ({ tool: "run_commands", input: { commands: [command] } }),
  write: (path, content) => ({ tool: "editor", input: { path, new_text: content } }),
  mcp: (tool) => [{ tool: `lab__${tool}`, input: { text: "x" } }],
  differs: Object.fromEntries(ENDING.map((id) => [id, { told: undefined }])),
  remarks: Object.fromEntries(ENDING.map((id) => [id, "a denial of anything but a command ends its whole run: the model is not told why"])),
  agent: (prompt) => [{ tool: "spawn_agent", input: { systemPrompt: "You do one step.", task: prompt } }],
};
