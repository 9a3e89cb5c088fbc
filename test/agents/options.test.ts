import { describe, expect, it } from "vitest";
import { listed } from "@assent/core/policy";
import { AGENTS, type HostFacts, OTHERS } from "@assent/hosts/agents";
import { agentCall } from "../../packages/core/src/policy/tables/agent-commands.ts";
import { readVariable } from "../../packages/core/src/shell/knowledge/environment.ts";
import { harmlessOptions } from "../../scripts/harmless-options.ts";
import { keysBeside, unknownSettings, wordsBeside } from "../clients/options.ts";
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

  const SCHEMA =
    'var A=z.object({env:z.record(z.string()),disableAllHooks:()=>b("a, {b"),hooks:{PreToolUse:[1,2]},"statusLine":c,newOne:d})';
  it("finds the settings that stand in a schema beside one that is known, and no key within them", () => {
    expect(keysBeside(SCHEMA, "disableAllHooks")).toEqual(["disableAllHooks", "env", "hooks", "newOne", "statusLine"]);
    expect(keysBeside("({disableAllHooks:a,b:c})", "disableAllHooks")).toEqual([]);
  });

  it("finds the modes of lists and of enumerations in which known ones stand", () => {
    expect(wordsBeside('x=["default","plan","yolo"],y=["yolo2","z"]', ["yolo"])).toEqual(["default", "plan", "yolo"]);
    expect(wordsBeside('M["DEFAULT"]="default";M["YOLO"]="yolo";', ["yolo"])).toEqual(expect.arrayContaining(["default", "yolo"]));
  });

  it("names a setting and a mode that nobody has looked at, and none of those of which the host's file or the table says something", () => {
    const host = {
      id: "claude",
      command: "claude",
      package: { name: "x", version: "1" },
      program: "x",
      knows: { settings: ["disableAllHooks"], modes: ["bypassPermissions"] },
    };
    const texts = [SCHEMA, 'e(["acceptEdits","bypassPermissions","default","askNobody"])'];
    expect(unknownSettings(host, texts)).toEqual(["the setting newOne", "the mode askNobody"]);
  });
});
