import { describe, expect, it } from "vitest";
import { listed } from "@assent/core/policy";
import { AGENTS, type HostFacts, OTHERS } from "@assent/hosts/agents";
import { agentCall } from "../../packages/core/src/policy/tables/agent-commands.ts";
import { readVariable } from "../../packages/core/src/shell/knowledge/environment.ts";
import { harmlessOptions } from "../../scripts/harmless-options.ts";
import { exec } from "../policy/language.ts";

const HARMLESS = harmlessOptions();
const HOSTS = [...AGENTS.map(({ facts }): HostFacts => facts), ...OTHERS].flatMap(({ commands }) => ("none" in commands ? [] : [commands]));
const asks = (command: string): boolean => agentCall(exec(command)) !== undefined;

describe("options of the hosts", () => {
  it.each(HOSTS.map(({ programs, options = {} }) => [programs[0] ?? "", options] as const))(
    "%s: starting it with one that takes hooks or questions away, or loads code, is a question",
    (program, { hooks = [], questions = [], code = [] }) => {
      expect([...hooks, ...questions, ...code].filter((option) => !asks(`${program} ${option} x`))).toEqual([]);
    },
  );

  /** One for each package that reads any: by `npm run hosts` all of them are. */
  const VARIABLES = /* @__PURE__ */ listed(
    "CLAUDE_CODE_SAFE_MODE; SELF_HOSTED_RUNNER_HOOKS_DIR; CODEX_HOME; OPENCODE_TEST_HOME; KILO_TUI_CONFIG; GEMINI_SANDBOX_PROXY_COMMAND",
    "QWEN_CODE_MCP_APPROVALS_PATH; PI_MANAGED_INSTALL_ROOT; COPILOT_ALLOW_ALL; FACTORY_RUNTIME_SETTINGS_PATH; CLINE_HOOKS_DIR",
    "KIMI_CODE_DANGEROUS_COMMAND_GUARD; ACPX_CLAUDE_INCLUDE_USER_SETTINGS; QODER_HEADLESS_FAST_HOOKS; NOBODY_HAS_HEARD_OF_IT",
  );
  it.each(VARIABLES)("%s: setting it is a question", (name) => {
    expect(["1", "x", "/x", undefined].map((value) => readVariable(name, value))).not.toContain("harmless");
  });

  it.each(Object.entries(HARMLESS).map(([program, { options }]) => [program, options] as const))(
    "%s: one that is harmless is no question",
    (program, options) => {
      expect(options.filter((option) => asks(`${program} ${option} x`))).toEqual([]);
    },
  );
});
