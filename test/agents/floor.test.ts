import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENT_IDS, agentNamed, type AgentId } from "@assent/hosts/agents";
import { installPlace } from "@assent/hosts/agents/install";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide } from "@assent/guard/engine";
import { engine, scratch, type Scratch } from "../scratch.ts";

/** No agent may take out what makes the others ask. */

function verdict(place: Scratch, tool: string, input: Record<string, unknown>): { decision: string; basis: string } {
  const payload = { hook_event_name: "PreToolUse", cwd: place.project, tool_name: tool, tool_input: input };
  const reading = claude.read({ payload, event: undefined, env: {}, folder: place.project });
  if (reading.is !== "request") throw new Error(reading.why);
  const { decision, basis } = decide(reading.request, { machine: place.machine, ...engine, audit: false }).verdict;
  return { decision, basis };
}

const filesOf = (id: AgentId, place: Scratch, project: string | undefined): readonly string[] =>
  (agentNamed(id)?.setup?.registrations(installPlace(id, { node: "/n", folder: "/opt/assent/dist" }, place.machine, project)) ?? []).map(
    ({ file }) => file,
  );

describe.each(AGENT_IDS.filter((id) => id !== "generic"))("%s", (id) => {
  it("its registration may not be changed, moved or deleted", () => {
    const place = scratch();
    place.write(
      "~/.agent-permissions.jsonc",
      '{ "preset": "permissive", "permissions": { "allow": ["*", "Bash(rm:*)", "Bash(mv:*)", "Write(**)"] } }',
    );
    for (const file of filesOf(id, place, undefined)) {
      const floor = { decision: "deny", basis: "floor" };
      expect([file, verdict(place, "Write", { file_path: file, content: "" })]).toEqual([file, floor]);
      for (const command of [
        `rm ${file}`,
        `mv ${file} /tmp/x`,
        `echo > ${file}`,
        `sed -i s/a/b/ ${file}`,
        `rm -r ${file.slice(0, file.lastIndexOf("/"))}`,
      ])
        expect([command, verdict(place, "Bash", { command }).decision]).toEqual([command, "deny"]);
    }
  });

  it("in a project a change is asked", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "allow": ["Write(**)"] } }');
    for (const file of filesOf(id, place, place.project))
      expect([file, verdict(place, "Write", { file_path: file, content: "" }).decision]).toEqual([
        file,
        // Some keep hooks in a home folder alone.
        !file.startsWith(place.project) ? "deny" : "ask",
      ]);
  });
});

describe("settings that are links", () => {
  const place = (): Scratch => {
    const made = scratch();
    made.write("~/.agent-permissions.jsonc", '{ "preset": "permissive", "permissions": { "allow": ["*", "Write(**)", "Bash(rm:*)"] } }');
    made.write("~/dotfiles/claude.json", "{}");
    made.write("~/dotfiles/codex/hooks.json", "{}");
    mkdirSync(join(made.home, ".claude"));
    symlinkSync("../dotfiles/claude.json", join(made.home, ".claude/settings.json"));
    symlinkSync("dotfiles/codex", join(made.home, ".codex"));
    return made;
  };
  it.each(["~/dotfiles/claude.json", "~/dotfiles/codex/hooks.json", "~/.codex/hooks.json", "~/dotfiles/codex/config.toml"])(
    "%s may not be changed",
    (path) => expect(verdict(place(), "Write", { file_path: path, content: "" })).toEqual({ decision: "deny", basis: "floor" }),
  );
  it("nor taken away with its folder", () => {
    expect(verdict(place(), "Bash", { command: "rm -r ~/dotfiles" }).decision).toBe("deny");
  });
  it("what lies beside them may", () => {
    expect(verdict(place(), "Write", { file_path: "~/dotfiles/vimrc", content: "" }).decision).toBe("allow");
  });
});

describe("a start without hooks, or with another home, by a variable", () => {
  it.each([
    "CLAUDE_CODE_SAFE_MODE=1 claude",
    "env CLAUDE_CODE_SAFE_MODE=1 claude -p x",
    "export CLAUDE_CODE_SIMPLE=1; claude -p x",
    "CLAUDE_CODE_SAFE_MODE=1 npx -y @anthropic-ai/claude-code -p x",
    "QWEN_CODE_SAFE_MODE=1 qwen -p x",
    "export QWEN_CODE_SIMPLE=true; qwen",
    "sh -c 'QWEN_CODE_SIMPLE=yes qwen -p x'",
    "QWEN_HOME=/tmp/x qwen",
    "PI_CODING_AGENT_DIR=/tmp/x pi -p x",
    "GEMINI_CLI_HOME=/tmp/x gemini -p x",
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH=x.json gemini -p x",
    "KIMI_CODE_HOME=/tmp/x kimi",
    "COPILOT_ALLOW_ALL=true copilot -p x",
    "COPILOT_HOME=/tmp/x copilot -p x",
  ])("asks: %s", (command) => {
    expect(verdict(scratch(), "Bash", { command }).decision).toBe("ask");
  });

  it.each(["QWEN_API_KEY=x qwen -p y", "QWEN_MODEL=x qwen -p y", "COPILOT_MODEL=x copilot -p y"])("does not: %s", (command) =>
    expect(verdict(scratch(), "Bash", { command }).decision).not.toBe("ask"),
  );
});
