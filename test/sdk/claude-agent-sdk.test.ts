import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canUseTool, hooks, type ClaudeAnswer, type ClaudeQuestion, type OnClaudeAsk } from "@assent/library/sdk/claude-agent-sdk";
import { createGuard } from "@assent/library/sdk";
import { openGuard, type OpenedGuard } from "@assent/library/sdk/compat";
import { scratch, type Scratch } from "../scratch.ts";

/** `assent/claude-agent-sdk`, called as the SDK calls it. `npm run test:adapters` holds the same to the real one. */

const guardIn = ({ machine, project }: Scratch): OpenedGuard => openGuard({ cwd: project, machine, agent: "claude", audit: false });

let calls = 0;
const payload = ({ project }: Scratch, tool_name: string, tool_input: unknown, more: object = {}) => ({
  session_id: "s",
  transcript_path: "/t",
  cwd: project,
  permission_mode: "default",
  hook_event_name: "PreToolUse",
  tool_name,
  tool_input,
  tool_use_id: `toolu_${(calls += 1)}`,
  ...more,
});

async function hooked(guard: OpenedGuard, given: object, facts = {}): Promise<string> {
  const [matcher] = hooks(guard, { facts }).PreToolUse;
  const answer = await matcher?.hooks[0]?.(given);
  return answer?.hookSpecificOutput?.permissionDecision ?? "silence";
}

const options = (more: object = {}) => ({ signal: new AbortController().signal, toolUseID: `toolu_${(calls += 1)}`, ...more });

/** Says this, and remembers what it was asked. */
function asker(answer: boolean | ClaudeAnswer): { readonly asked: ClaudeQuestion[]; readonly onAsk: OnClaudeAsk } {
  const asked: ClaudeQuestion[] = [];
  return { asked, onAsk: (question) => (asked.push(question), answer) };
}

describe("hooks", () => {
  it.each([
    ["Bash", { command: "ls" }, "allow"],
    ["Bash", { command: "rm -rf ~" }, "deny"],
    ["Bash", { command: "rm -rf build" }, "ask"],
    ["Bash", { command: "some-program" }, "silence"],
    ["Read", { file_path: "/etc/shadow" }, "deny"],
    ["Write", { file_path: ".git/hooks/pre-commit", content: "x" }, "deny"],
    ["WebFetch", { url: "https://example.org" }, "silence"],
    ["mcp__db__query", { sql: "select 1" }, "silence"],
    ["constructor", {}, "silence"],
    ["Bash", "ls", "ask"],
  ])("%s %j: %s", async (tool, input, expected) => {
    const place = scratch();
    expect(await hooked(guardIn(place), payload(place, tool, input))).toBe(expected);
  });

  it("knows the host's tools by its own file, and others by facts", async () => {
    const place = scratch();
    const facts = { mcp__box__run: { does: "shell", field: "line" } } as const;
    expect(await hooked(guardIn(place), payload(place, "mcp__box__run", { line: "rm -rf ~" }), facts)).toBe("deny");
    expect(await hooked(guardIn(place), payload(place, "Bash", { command: "rm -rf ~" }), facts)).toBe("deny");
  });

  it("says why, blocks when it fails, and is silent about other events", async () => {
    const place = scratch();
    const [matcher] = hooks(guardIn(place)).PreToolUse;
    expect(matcher?.onFailure).toBe("block");
    expect(await matcher?.hooks[0]?.(payload(place, "Bash", { command: "rm -rf ~" }))).toMatchObject({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecisionReason: expect.stringMatching(/^Assent: .*delete your whole home folder/) as string,
      },
    });
    expect(await matcher?.hooks[0]?.({ ...payload(place, "Bash", {}), hook_event_name: "Stop" })).toEqual({});
  });

  it.each([
    ["dontAsk", "deny"],
    ["bypassPermissions", "silence"],
    ["plan", "ask"],
  ])("in mode %s a question is: %s", async (permission_mode, expected) => {
    const place = scratch();
    expect(await hooked(guardIn(place), payload(place, "Bash", { command: "rm -rf build" }, { permission_mode }))).toBe(expected);
  });

  it.each([
    ["ls", "allow"],
    ["rm -rf ~", "deny"],
    ["rm -rf build", "defer"],
    ["some-program", "silence"],
  ])("with `defer` only a question ends the run: %s is %s", async (command, expected) => {
    const place = scratch();
    const [matcher] = hooks(guardIn(place), { defer: true }).PreToolUse;
    const answer = await matcher?.hooks[0]?.(payload(place, "Bash", { command }));
    expect(answer?.hookSpecificOutput?.permissionDecision ?? "silence").toBe(expected);
  });

  it("judges in the folder the session is in", async () => {
    const place = scratch();
    mkdirSync(join(place.project, "deep"));
    writeFileSync(join(place.project, "deep/.agent-permissions.jsonc"), '{ "permissions": { "deny": ["Bash(ls:*)"] } }');
    const command = { command: "ls" };
    expect(await hooked(guardIn(place), payload(place, "Bash", command))).toBe("allow");
    expect(await hooked(guardIn(place), { ...payload(place, "Bash", command), cwd: join(place.project, "deep") })).toBe("deny");
  });
});

describe("canUseTool", () => {
  const build = { command: "rm -rf build", description: "Clean\u001b[2K up" };

  it.each([
    ["allowed", { command: "ls" }, true, { behavior: "allow", updatedInput: { command: "ls" } }, 0],
    [
      "denied",
      { command: "rm -rf ~" },
      true,
      { behavior: "deny", message: expect.stringMatching(/delete your whole home folder/) as string },
      0,
    ],
    ["yes", build, true, { behavior: "allow", updatedInput: build }, 1],
    ["no", build, false, { behavior: "deny", message: expect.stringMatching(/^the user refused: /) as string }, 1],
    ["a longer yes", build, { allow: true, updatedInput: { command: "ls" } }, { behavior: "allow", updatedInput: { command: "ls" } }, 1],
    [
      "edited to what is denied",
      build,
      { allow: true, updatedInput: { command: "rm -rf ~" } },
      { behavior: "deny", message: expect.stringMatching(/delete your whole home folder/) as string },
      1,
    ],
    [
      "a longer no",
      build,
      { allow: false, message: "not now", interrupt: true },
      { behavior: "deny", message: "not now", interrupt: true },
      1,
    ],
    [
      "nonsense",
      build,
      "yes" as unknown as boolean,
      { behavior: "deny", message: expect.stringMatching(/^the user refused: /) as string },
      1,
    ],
  ])("%s", async (_, input, answer, expected, questions) => {
    const { asked, onAsk } = asker(answer);
    expect(await canUseTool(guardIn(scratch()), { onAsk })("Bash", input, options())).toEqual(expected);
    expect(asked).toHaveLength(questions);
  });

  it.each<readonly [string, object, object]>([
    ["changed", { command: "ls" }, { behavior: "allow", updatedInput: { command: "ls" } }],
    ["changed to what is denied", { command: "rm -rf ~" }, { behavior: "deny" }],
    [
      "refused with a word",
      { no: "keep\u001b it" },
      { behavior: "deny", message: expect.stringMatching(/^the user refused, and said: keep\\u\{1b\} it \(/) as string },
    ],
  ])("a guard in code answers by its own onAsk: %s", async (_, input, expected) => {
    const guard = createGuard({ cwd: scratch().project, onAsk: () => ("no" in input ? { no: String(input.no) } : { yes: "once", input }) });
    expect(await guard.canUseTool("Bash", build, options())).toMatchObject(expected);
  });

  it("asks in words free of control characters, with what the host adds", async () => {
    const { asked, onAsk } = asker(true);
    const suggestions = [{ type: "setMode" as const, mode: "acceptEdits" as const, destination: "session" as const }];
    await canUseTool(guardIn(scratch()), { onAsk })("Bash", build, options({ suggestions, agentID: "a1" }));
    expect(asked).toMatchObject([
      { operation: "Bash", target: "rm -rf build", reason: "Clean\\u{1b}[2K up", subagent: "subagent:a1", suggestions, input: build },
    ]);
  });

  it("nobody to ask, a callback that throws, and a call that was given up are refusals", async () => {
    const guard = guardIn(scratch());
    const failing = canUseTool(guard, { onAsk: () => Promise.reject(new Error("gone")) });
    expect(await canUseTool(guard)("Bash", build, options())).toMatchObject({
      behavior: "deny",
      message: expect.stringMatching(/^approval required/) as string,
    });
    expect(await failing("Bash", build, options())).toMatchObject({ behavior: "deny" });
    const giveUp = new AbortController();
    const late = canUseTool(guard, { onAsk: () => (giveUp.abort(), true) });
    expect(await late("Bash", build, options({ signal: giveUp.signal }))).toEqual({ behavior: "deny", message: "cancelled" });
  });

  it("remembers a yes for exactly this call, and hands the host what it is to remember itself", async () => {
    const suggestions = [
      { type: "addRules" as const, rules: [{ toolName: "Bash" }], behavior: "allow" as const, destination: "session" as const },
    ];
    const asked: string[] = [];
    const can = canUseTool(guardIn(scratch()), {
      onAsk: (question) => (asked.push(question.target), { allow: true, remember: true, updatedPermissions: question.suggestions }),
    });
    expect(await can("Bash", build, options({ suggestions }))).toEqual({
      behavior: "allow",
      updatedInput: build,
      updatedPermissions: suggestions,
    });
    expect(await can("Bash", build, options())).toEqual({ behavior: "allow", updatedInput: build });
    await can("Bash", { command: "rm -rf build src" }, options());
    expect(await can("Bash", { command: "rm -rf ~" }, options())).toMatchObject({ behavior: "deny" });
    expect(asked).toEqual(["rm -rf build", "rm -rf build src"]);
  });

  it("takes over what the hook knew of the call: who asks, and where", async () => {
    const place = scratch();
    writeFileSync(join(place.home, ".agent-permissions.jsonc"), '{ "automation": { "agents": { "restricted": ["Explore"] } } }');
    const guard = guardIn(place);
    const { asked, onAsk } = asker(false);
    const command = { command: "ls" };
    const call = payload(place, "Bash", command, { agent_id: "a1", agent_type: "Explore" });
    expect(await hooked(guard, call)).toBe("ask");
    const can = canUseTool(guard, { onAsk });
    expect(await can("Bash", command, options({ toolUseID: call.tool_use_id, agentID: "a1" }))).toMatchObject({ behavior: "deny" });
    expect(asked).toMatchObject([{ subagent: "Explore:a1" }]);
    expect(await can("Bash", command, options())).toMatchObject({ behavior: "allow" });
  });

  it("puts to a person what the hook left to the host", async () => {
    const place = scratch();
    const guard = guardIn(place);
    const { asked, onAsk } = asker(true);
    const call = payload(place, "Bash", { command: "some-program" });
    expect(await hooked(guard, call)).toBe("silence");
    await canUseTool(guard, { onAsk })("Bash", { command: "some-program" }, options({ toolUseID: call.tool_use_id }));
    expect(asked).toHaveLength(1);
  });
});
