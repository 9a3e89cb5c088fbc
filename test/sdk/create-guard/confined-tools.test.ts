import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createAgent, FakeToolCallingModel, tool as langchainTool, type BaseMessage } from "langchain";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type CallDecision,
  commandIn,
  createGuard,
  type Guard,
  type GuardAnswer,
  type GuardOptions,
  PermissionDenied,
  probeSandbox,
} from "@assent/library/sdk";
import { LocalBackend } from "@assent/library/sdk/compat";
import { guardTools as aiSdkTools } from "@assent/library/sdk/ai-sdk";
import { canUseTool, hooks } from "@assent/library/sdk/claude-agent-sdk";
import { guardTools as mastraTools, permissionHooks } from "@assent/library/sdk/mastra";
import { type AgentTool, guardTools as openAiTools } from "@assent/library/sdk/openai-agents";
import { here, type Here } from "../../cli/run-place.ts";

/** Tools of a guard that confines: what nobody can know is started confined in the tool's own place, and in no other way. */

let supervised = false;
beforeAll(async () => {
  supervised = await probeSandbox();
});

interface Made {
  readonly place: Here;
  readonly guard: Guard;
  readonly told: CallDecision[];
  readonly asked: string[];
  /** What the tool was given. */
  readonly given: string[];
  /** A tool of the program's own: gives its command to a shell. */
  readonly run: (input: { command: string | readonly string[] }) => string;
}

const SCRIPT = 'printf "hello "; cat ~/.ssh/id_rsa; echo x > "$OUT/x"; echo x > made';

function made(options: GuardOptions = {}, answer: GuardAnswer = false): Made {
  const place = here();
  place.write("~/.ssh/id_rsa", "SECRET");
  place.write("x.sh", SCRIPT);
  const env = { ...place.machine.env, OUT: place.outside };
  const [told, asked, given]: [CallDecision[], string[], string[]] = [[], [], []];
  const guard = createGuard({
    cwd: place.project,
    home: place.home,
    env,
    confine: true,
    onDecision: (decision) => void told.push(decision),
    // What a command that runs wants is another question.
    onAsk: ({ text, decision }) => ((decision.confined ? [] : asked).push(text), answer),
    ...options,
  });
  const run: Made["run"] = ({ command }) => {
    given.push(String(command));
    const [program = "", ...words] = typeof command === "string" ? ["/bin/sh", "-c", command] : command;
    const { stdout, stderr, status } = spawnSync(program, words, { cwd: place.project, env, encoding: "utf8" });
    return `${stdout}${stderr}${status ?? "killed"}`;
  };
  return { place, guard, told, asked, given, run };
}

type Command = string | readonly string[];
type Driven = (made: Made, command: Command) => Promise<string>;

const SCHEMA = z.object({ command: z.union([z.string(), z.array(z.string())]) });

/** Every way by which a program's own tool comes to its command. What is not run gives the reason. */
const WAYS: Readonly<Record<string, Driven>> = {
  "guard.tool": async ({ guard, run }, command) => {
    const tool = guard.tool({ name: "run_line", input: SCHEMA, does: commandIn("command") }, run);
    return await tool({ command: command as string });
  },
  "guard.tools": async ({ guard, run }, command) =>
    await guard
      .tools({ run_line: async (input: { command: Command }) => await Promise.resolve(run(input)) }, { run_line: commandIn("command") })
      .run_line({ command }),
  "guard.tools of the AI SDK's form": async ({ guard, run }, command) => {
    const bash = { description: "x", execute: async (input: { command: Command }) => await Promise.resolve(run(input)) };
    return await guard.tools({ run_line: bash }, { run_line: commandIn("command") }).run_line.execute({ command });
  },
  LangChain: async ({ guard, run }, command) => {
    const bash = langchainTool(run, { name: "run_line", description: "x", schema: SCHEMA });
    const agent = createAgent({
      model: new FakeToolCallingModel({ toolCalls: [[{ name: "run_line", args: { command }, id: "1" }], []] }),
      tools: [bash],
      middleware: [guard.middleware({ run_line: commandIn("command") })],
    });
    const { messages } = await agent.invoke({ messages: [{ role: "user", content: "x" }] });
    return messages.filter(({ type }: BaseMessage) => type === "tool").map(({ text }: BaseMessage) => text)[0] ?? "";
  },
  "OpenAI Agents": async ({ guard, run }, command) => {
    const [bash] = openAiTools(guard, [openAiTool(run)], { effects: { run_line: commandIn("command") } });
    return await runAsOpenAi(bash, command);
  },
  Mastra: async ({ guard, run }, command) => {
    const bash = { id: "run_line", execute: async (input: { command: Command }) => await Promise.resolve(run(input)) };
    const { run_line: guarded } = mastraTools(guard, { run_line: bash }, { effects: { run_line: commandIn("command") } });
    return await guarded.execute({ command });
  },
  "Claude Agent SDK": async ({ guard, run }, command) => {
    const asked = { signal: new AbortController().signal, toolUseID: "1" };
    const answer = await canUseTool(guard, { effects: { run_line: commandIn("command") } })("run_line", { command }, asked);
    return answer.behavior === "deny" ? answer.message : run({ command: answer.updatedInput["command"] as Command });
  },
};

interface OpenAiTool extends AgentTool {
  readonly invoke: (context: object, input: string, details: { readonly toolCall: { readonly callId: string } }) => Promise<string>;
}

const openAiTool = (run: Made["run"]): OpenAiTool => ({
  type: "function",
  name: "run_line",
  invoke: async (_, input) => await Promise.resolve(run(JSON.parse(input) as { command: Command })),
});

/** As the SDK's runner does: approval, guardrails, the tool. */
async function runAsOpenAi(tool: OpenAiTool, command: Command): Promise<string> {
  const context = { isToolApproved: () => undefined };
  const toolCall = { name: "run_line", callId: "1", arguments: JSON.stringify({ command }) };
  const { needsApproval: needs, inputGuardrails } = tool as unknown as {
    readonly needsApproval: (...call: unknown[]) => Promise<boolean>;
    readonly inputGuardrails: { run(call: object): Promise<{ behavior: { type: string; message?: string } }> }[];
  };
  if (await needs(context, { command }, "1")) return "needs approval";
  for (const one of inputGuardrails) {
    const { behavior } = await one.run({ context, toolCall });
    if (behavior.type !== "allow") return behavior.message ?? "";
  }
  return await tool.invoke(context, toolCall.arguments, { toolCall });
}

const refusedAs = (work: Promise<string>): Promise<string> =>
  work.catch((error: unknown) => (error instanceof PermissionDenied ? error.message : String(error)));

describe.each(Object.entries(WAYS))("%s", (_, drive) => {
  it.each<[string, Command]>([
    ["a line of shell", "sh x.sh"],
    ["a list of words", ["sh", "x.sh"]],
  ])("%s of which nobody can know what it does runs confined, without a question", async (_name, command) => {
    if (!supervised) return;
    const all = made();
    const output = await drive(all, command);
    expect(output).toMatch(/^hello /);
    expect(output).toMatch(/refused: read "[^"]*id_rsa"/);
    expect(output).not.toContain("SECRET");
    expect([existsSync(join(all.place.project, "made")), existsSync(join(all.place.outside, "x"))]).toEqual([true, false]);
    expect(all.asked).toEqual([]);
    expect(all.told.at(-1)).toMatchObject({ verdict: "allow", confined: true });
    // The very same text is never given to the tool.
    expect(all.given).not.toContain(String(command));
  });

  it.each<[string, GuardOptions, Command, string | RegExp, asked: number]>([
    ["what is harmless runs as it is", {}, "echo plain", /^plain/, 0],
    ["what a rule asks is asked", { policy: { permissions: { ask: ["Bash(sh:*)"] } } }, "sh x.sh", /the user refused/, 1],
    ["what a rule asks of the tool is asked", { policy: { permissions: { ask: ["run_line"] } } }, "sh x.sh", /the user refused/, 1],
    ["what is denied is denied", {}, "rm -rf ~", /home folder|delete recursively/, 0],
    ["what cannot be taken back is asked", {}, "git push --force", /the user refused/, 1],
    ["without the option it is asked", { confine: false }, "sh x.sh", /the user refused/, 1],
  ])("%s", async (_name, options, command, output, asked) => {
    if (!supervised) return;
    const all = made(options);
    expect(await refusedAs(drive(all, command))).toMatch(output);
    expect(all.asked.length).toBe(asked);
    expect(all.given).toEqual(command === "echo plain" ? [command] : []);
  });

  it("a guard that only reports has it run as it is", async () => {
    if (!supervised) return;
    const all = made({ shadow: true });
    await drive(all, "echo $((1 + 1)); sh -c 'true'");
    expect(all.given).toEqual(["echo $((1 + 1)); sh -c 'true'"]);
  });

  it("the same command twice at once: each is started, once", async () => {
    if (!supervised) return;
    const all = made();
    const outputs = await Promise.all([drive(all, "sh x.sh"), drive(all, "sh x.sh")]);
    for (const output of outputs) expect(output).toMatch(/^hello /);
    expect(new Set(all.given).size).toBe(2);
  });
});

describe("what cannot be given another command asks, as ever", () => {
  const ASKS: Readonly<Record<string, (made: Made) => Promise<unknown>>> = {
    "an effect that does not say where the command stands": async ({ guard, run }) =>
      await refusedAs(
        guard.tool({ name: "run_line", does: ({ command }: { command: string }) => ({ shell: command }) }, run)({ command: "sh x.sh" }),
      ),
    "several commands": async ({ guard }) => (await guard.check([{ shell: "sh x.sh" }, { shell: "sh x.sh" }])).verdict,
    "a tool with facts": async ({ guard }) =>
      (await guard.check({ tool: "run_line", input: { command: "sh x.sh" }, facts: { does: "shell", field: "command" } })).verdict,
    "toolApproval of the AI SDK": async ({ guard }) =>
      await aiSdkTools(guard, { effects: { run_line: commandIn("command") } })({
        toolCall: { toolName: "run_line", toolCallId: "1", input: { command: "sh x.sh" } },
      }),
    "hooks of Mastra": async ({ guard }) =>
      await permissionHooks(guard, { effects: { run_line: commandIn("command") } }).beforeToolCall({
        toolName: "run_line",
        input: { command: "sh x.sh" },
        context: {},
      }),
    "hooks of the Claude Agent SDK, whose own rules would be held against the new command": async ({ guard, place }) =>
      await hooks(guard).PreToolUse[0]?.hooks[0]?.(hookCall(place, { command: "sh x.sh" })),
    "a command that asks to leave the host's sandbox": async ({ guard }) =>
      await canUseTool(guard)("Bash", { command: "sh x.sh", dangerouslyDisableSandbox: true }, CALL),
  };
  it.each(Object.entries(ASKS))("%s", async (_, drive) => {
    if (!supervised) return;
    const all = made();
    await drive(all);
    expect(all.told.map(({ verdict, confined }) => [verdict, confined])).toContainEqual(["ask", false]);
    expect(all.told.some(({ confined }) => confined)).toBe(false);
    expect(all.given).toEqual([]);
  });

  it("a tool of OpenAI's whose guardrail did not let it pass does not start", async () => {
    const all = made();
    const [bash] = openAiTools(all.guard, [openAiTool(all.run)], { effects: { run_line: commandIn("command") } });
    const details = { toolCall: { callId: "1" } };
    await expect(bash.invoke({}, '{"command":"ls"}', details)).rejects.toThrow("did not come through its guardrail");
    expect(all.given).toEqual([]);
  });
});

const CALL = { signal: new AbortController().signal, toolUseID: "1" };
const hookCall = ({ project }: Here, tool_input: object) => ({
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input,
  tool_use_id: "1",
  session_id: "s",
  cwd: project,
  permission_mode: "default",
});

describe("Claude Code's own shell", () => {
  it("what the hook would have a person asked about, canUseTool starts confined", async () => {
    if (!supervised) return;
    const { guard, place, asked, run } = made();
    const said = await hooks(guard).PreToolUse[0]?.hooks[0]?.(hookCall(place, { command: "sh x.sh" }));
    expect(said?.hookSpecificOutput?.permissionDecision).toBe("ask");
    const answer = await guard.canUseTool("Bash", { command: "sh x.sh", description: "d" }, CALL);
    expect(answer).toMatchObject({ behavior: "allow", updatedInput: { description: "d" } });
    expect(asked).toEqual([]);
    if (answer.behavior === "allow") expect(run({ command: answer.updatedInput["command"] as string })).toMatch(/^hello .*refused/s);
  });
});

describe("LocalBackend", () => {
  it.each<[confine: boolean, supervise: false | undefined, supervised: boolean]>([
    [true, undefined, true],
    [true, false, false],
    [false, undefined, false],
  ])("a guard with confine: %s, supervise: %s: confined %s", async (confine, supervise, confined) => {
    if (!supervised) return;
    const { guard, place, asked } = made({ confine });
    const backend = new LocalBackend({ root: place.project, guard, ...(supervise === undefined ? {} : { supervise }) });
    const ran = await backend.execute("sh x.sh");
    expect([ran.confined !== undefined, asked.length]).toEqual([confined, confined ? 0 : 1]);
    expect(ran.output.includes("hello")).toBe(confined);
  });
});

describe("commandIn", () => {
  it.each<[unknown, RegExp]>([
    [undefined, /not a command/],
    [{}, /not a command/],
    [{ command: 7 }, /not a command/],
    [{ command: [] }, /list of texts/],
    [{ command: ["sh", 7] }, /list of texts/],
    [Object.create({ command: "ls" }), /not a command/],
  ])("what is no command is none: %j", async (input, message) => {
    const { guard, run, given } = made();
    const tool = guard.tool({ name: "run_line", does: commandIn("command") }, run);
    await expect(tool(input as { command: string })).rejects.toThrow(message);
    expect(given).toEqual([]);
  });

  it("a field that the tool does not take does not compile", () => {
    const { guard, run } = made();
    // @ts-expect-error -- the tool has no such field
    guard.tools({ run_line: run }, { run_line: commandIn("line") });
    expect(() => commandIn("")).toThrow(TypeError);
  });
});
