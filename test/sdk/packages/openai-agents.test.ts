import {
  Agent,
  applyPatchTool,
  computerTool,
  getAllMcpTools,
  hostedMcpTool,
  Runner,
  RunState,
  shellTool,
  tool,
  Usage,
  type AgentInputItem,
  type AgentOutputItem,
  type Model,
  type ModelRequest,
  type RunToolApprovalItem,
  type Tool,
} from "@openai/agents";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createGuard } from "@assent/library/sdk";
import type { AskQuestion, OpenedGuard } from "@assent/library/sdk/compat";
import { createConsoleToolset, EditedInput, LocalBackend, openGuard, presets } from "@assent/library/sdk/compat";
import { consoleTools, guardTool, guardTools, inputGuardrail } from "@assent/library/sdk/openai-agents";
import { scratch } from "../../scratch.ts";

/** `assent/openai-agents` in the real SDK, with a model that is a list. */

/** Each turn is what the model answers; after the last one it says `done`. */
class Scripted implements Model {
  readonly sent: ModelRequest[] = [];
  readonly #turns: (readonly AgentOutputItem[])[];
  constructor(...turns: (readonly AgentOutputItem[])[]) {
    this.#turns = turns;
  }
  async getResponse(request: ModelRequest): Promise<{ usage: Usage; output: AgentOutputItem[] }> {
    this.sent.push(request);
    return await Promise.resolve({ usage: new Usage(), output: [...(this.#turns.shift() ?? [DONE])] });
  }
  getStreamedResponse(): never {
    throw new Error("not streamed");
  }
  /** What the model was told about its calls. */
  get told(): string {
    return JSON.stringify(this.sent.at(-1)?.input);
  }
}

const DONE: AgentOutputItem = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] };
let calls = 0;
const call = (name: string, input: unknown, callId = `call-${(calls += 1)}`): AgentOutputItem => ({
  type: "function_call",
  callId,
  name,
  status: "completed",
  arguments: typeof input === "string" ? input : JSON.stringify(input),
});
const bashCall = (command: string): AgentOutputItem => call("bash", { command });

const ran: string[] = [];
afterEach(() => void ran.splice(0));

const bash = tool({
  name: "bash",
  description: "Runs a line of shell.",
  parameters: z.object({ command: z.string() }),
  execute: ({ command }) => {
    if (command === "false") throw new Error("exit code 1");
    ran.push(command);
    return `ran ${command}`;
  },
});
const FACTS = { bash: { does: "shell", field: "command" } } as const;

const guardIn = (): OpenedGuard => {
  const { machine, project } = scratch();
  return openGuard({ cwd: project, machine, audit: false });
};
const runner = new Runner({ tracingDisabled: true });
const agentOf = (model: Model, tools: readonly Tool[]): Agent => new Agent({ name: "coder", model, tools: [...tools] });

/** Puts questions and remembers them. */
function asker(answer: boolean): { readonly asked: AskQuestion[]; readonly onAsk: (question: AskQuestion) => boolean } {
  const asked: AskQuestion[] = [];
  return { asked, onAsk: (question) => (asked.push(question), answer) };
}

describe("guardTools", () => {
  it("allowed calls run, denied ones do not and the model reads why", async () => {
    const model = new Scripted([bashCall("ls"), bashCall("rm -rf ~")]);
    const result = await runner.run(agentOf(model, guardTools(guardIn(), [bash], { facts: FACTS })), "x");
    expect(ran).toEqual(["ls"]);
    expect(result.finalOutput).toBe("done");
    expect(model.told).toMatch(/ran ls.*delete your whole home folder/);
  });

  it("a call cannot be changed where only a yes or a no can be said: it is refused, and the model reads why", async () => {
    const model = new Scripted([bashCall("rm -rf build")]);
    const onAsk = (): EditedInput => new EditedInput({ command: "ls" });
    await runner.run(agentOf(model, guardTools(guardIn(), [bash], { facts: FACTS, onAsk })), "x");
    expect(ran).toEqual([]);
    expect(model.told).toMatch(/the user changed the call, which cannot be done here/);
  });

  it.each([
    ["approved", ["rm -rf build"], /ran rm -rf build/],
    ["rejected", [], /not this one/],
  ] as const)("a question is the SDK's interruption: %s", async (answer, expected, told) => {
    const model = new Scripted([bashCall("rm -rf build")]);
    const agent = agentOf(model, guardTools(guardIn(), [bash], { facts: FACTS }));
    const first = await runner.run(agent, "x");
    expect(ran).toEqual([]);
    const [item] = first.interruptions;
    if (item === undefined) throw new Error("nothing was asked");
    expect(item.arguments).toBe('{"command":"rm -rf build"}');
    if (answer === "approved") first.state.approve(item);
    else first.state.reject(item, { message: "not this one" });
    expect((await runner.run(agent, first.state)).finalOutput).toBe("done");
    expect(ran).toEqual(expected);
    expect(model.told).toMatch(told);
  });

  it("asks about a call, not about a tool: of three at once one runs, one is refused and one is asked", async () => {
    const model = new Scripted([bashCall("ls"), bashCall("rm -rf ~"), bashCall("rm -rf build")], [bashCall("rm -rf src")]);
    const agent = agentOf(model, guardTools(guardIn(), [bash], { facts: FACTS }));
    const first = await runner.run(agent, "x");
    expect(ran).toEqual(["ls"]);
    expect(first.interruptions.map((item) => item.arguments)).toEqual(['{"command":"rm -rf build"}']);
    for (const item of first.interruptions) first.state.approve(item);
    const second = await runner.run(agent, first.state);
    expect(ran).toEqual(["ls", "rm -rf build"]);
    expect(second.interruptions.map((item) => item.arguments)).toEqual(['{"command":"rm -rf src"}']);
  });

  it("an approval of the tool as a whole is no answer for another call, and denies hold", async () => {
    const model = new Scripted([bashCall("rm -rf build")], [bashCall("rm -rf src"), bashCall("rm -rf ~")]);
    const agent = agentOf(model, guardTools(guardIn(), [bash], { facts: FACTS }));
    const first = await runner.run(agent, "x");
    for (const item of first.interruptions) first.state.approve(item, { alwaysApprove: true });
    await runner.run(agent, first.state);
    expect(ran).toEqual(["rm -rf build"]);
    expect(model.told).toMatch(/approval required: .*delete your whole home folder/);
  });

  it("an approval holds in another process", async () => {
    const guard = guardIn();
    const model = new Scripted([bashCall("rm -rf build")]);
    const first = await runner.run(agentOf(model, guardTools(guard, [bash], { facts: FACTS })), "x");
    for (const item of first.interruptions) first.state.approve(item);
    const again = agentOf(model, guardTools(guard, [bash], { facts: FACTS }));
    await runner.run(again, await RunState.fromString(again, first.state.toString()));
    expect(ran).toEqual(["rm -rf build"]);
  });

  it("what was approved is judged once more before it runs", async () => {
    const guard = guardIn();
    let broken = false;
    const turning: OpenedGuard = {
      ...guard,
      decide: (request) => (broken ? { ...guard.decide({ command: "rm -rf ~" }) } : guard.decide(request)),
    };
    const model = new Scripted([bashCall("rm -rf build")]);
    const agent = agentOf(model, guardTools(turning, [bash], { facts: FACTS }));
    const first = await runner.run(agent, "x");
    for (const item of first.interruptions) first.state.approve(item);
    broken = true;
    const now = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(now + 60_000);
    await runner.run(agent, first.state);
    vi.restoreAllMocks();
    expect(ran).toEqual([]);
  });

  it.each([true, false])("with onAsk the question is put at once: %s", async (answer) => {
    const { asked, onAsk } = asker(answer);
    const model = new Scripted([bashCall("rm -rf build")]);
    const result = await runner.run(agentOf(model, guardTools(guardIn(), [bash], { facts: FACTS, onAsk })), "x");
    expect(result.interruptions).toEqual([]);
    expect(asked).toMatchObject([
      { operation: "bash", target: "rm -rf build", question: expect.stringMatching(/rm -rf build\? /) as string },
    ]);
    expect(ran).toEqual(answer ? ["rm -rf build"] : []);
    expect(model.told).toMatch(answer ? /ran rm -rf build/ : /the user refused: /);
  });

  it("a tool that throws is told to the model, and what is wrongly written does not run", async () => {
    const model = new Scripted([bashCall("false")], [call("bash", { command: 1 })], [call("bash", "[]")]);
    const result = await runner.run(agentOf(model, guardTools(guardIn(), [bash], { facts: FACTS, onAsk: () => true })), "x");
    expect(result.finalOutput).toBe("done");
    expect(JSON.stringify(result.history).match(/An error occurred|Tool execution failed/g)).toHaveLength(3);
    expect(ran).toEqual([]);
  });

  it("a run that was given up while a person thought starts nothing", async () => {
    const giveUp = new AbortController();
    const onAsk = (): boolean => (giveUp.abort(), true);
    const model = new Scripted([bashCall("rm -rf build")]);
    const agent = agentOf(model, guardTools(guardIn(), [bash], { facts: FACTS, onAsk }));
    await runner.run(agent, "x", { signal: giveUp.signal }).catch(() => undefined);
    expect(ran).toEqual([]);
  });

  it("judges what the tool makes of its input, not only what the model wrote", async () => {
    const careless = tool({
      name: "bash",
      description: "x",
      parameters: z.object({ command: z.string().overwrite((command) => `rm -rf ${command}`) }),
      execute: ({ command }) => void ran.push(command),
    });
    const model = new Scripted([bashCall("~")]);
    await runner.run(agentOf(model, guardTools(guardIn(), [careless], { facts: FACTS })), "x");
    expect(ran).toEqual([]);
    expect(model.told).toMatch(/delete your whole home folder/);
  });

  it("keeps what the tool had: its own question, its own guardrails", async () => {
    const own = tool({
      name: "bash",
      description: "x",
      parameters: z.object({ command: z.string() }),
      needsApproval: async (_context, { command }) => await Promise.resolve(command === "pwd"),
      inputGuardrails: [
        {
          name: "own",
          run: async ({ toolCall }) =>
            await Promise.resolve({
              behavior: toolCall.arguments.includes("date") ? { type: "rejectContent", message: "no dates" } : { type: "allow" },
            }),
        },
      ],
      execute: ({ command }) => void ran.push(command),
    });
    const model = new Scripted([bashCall("ls"), bashCall("date")], [bashCall("pwd")]);
    const result = await runner.run(agentOf(model, guardTools(guardIn(), [own], { facts: FACTS })), "x");
    expect(ran).toEqual(["ls"]);
    expect(model.told).toMatch(/no dates/);
    expect(result.interruptions).toHaveLength(1);
  });

  it("guardrails that the SDK runs before it asks do not keep it from asking", async () => {
    const model = new Scripted([bashCall("rm -rf build")]);
    const agent = agentOf(model, guardTools(guardIn(), [bash], { facts: FACTS }));
    const before = new Runner({ tracingDisabled: true, toolExecution: { preApprovalInputGuardrails: true } });
    const first = await before.run(agent, "x");
    expect(first.interruptions).toHaveLength(1);
    for (const item of first.interruptions) first.state.approve(item);
    await before.run(agent, first.state);
    expect(ran).toEqual(["rm -rf build"]);
  });
});

describe("tools whose form the SDK knows", () => {
  const shell = shellTool({
    shell: {
      run: async ({ commands }) => {
        ran.push(...commands);
        return await Promise.resolve({ output: [{ stdout: "", stderr: "", outcome: { type: "exit", exitCode: 0 } }] });
      },
    },
  });
  const shellCall = (...commands: string[]): AgentOutputItem => ({
    type: "shell_call",
    callId: `call-${(calls += 1)}`,
    status: "completed",
    action: { commands },
  });

  it("the local shell: every command of a call counts, a denied call tells why, a question interrupts", async () => {
    const model = new Scripted([shellCall("ls", "pwd"), shellCall("ls", "rm -rf ~")], [shellCall("rm -rf build")]);
    const agent = agentOf(model, guardTools(guardIn(), [shell]));
    const first = await runner.run(agent, "x");
    expect(ran).toEqual(["ls", "pwd"]);
    expect(model.told).toMatch(/delete your whole home folder/);
    expect(first.interruptions).toHaveLength(1);
    for (const item of first.interruptions) first.state.approve(item);
    await runner.run(agent, first.state);
    expect(ran).toEqual(["ls", "pwd", "rm -rf build"]);
  });

  it("the local shell with onAsk", async () => {
    const { asked, onAsk } = asker(false);
    const model = new Scripted([shellCall("rm -rf build")]);
    await runner.run(agentOf(model, guardTools(guardIn(), [shell], { onAsk })), "x");
    expect([ran, asked.length]).toEqual([[], 1]);
    expect(model.told).toMatch(/the user refused/);
  });

  it("patches: by the file and the operation, and whatever else their text names", async () => {
    const done = (operation: { readonly type: string; readonly path: string }) => {
      ran.push(`${operation.type} ${operation.path}`);
      return Promise.resolve();
    };
    const patch = applyPatchTool({ editor: { createFile: done, updateFile: done, deleteFile: done } });
    const patchCall = (operation: Extract<AgentOutputItem, { type: "apply_patch_call" }>["operation"]): AgentOutputItem => ({
      type: "apply_patch_call",
      callId: `call-${(calls += 1)}`,
      status: "completed",
      operation,
    });
    const model = new Scripted(
      [
        patchCall({ type: "create_file", path: ".env", diff: "+KEY=1" }),
        patchCall({ type: "update_file", path: "a.txt", diff: "*** Move to: .git/hooks/pre-commit\n@@\n-a\n+b" }),
        patchCall({ type: "delete_file", path: "/etc/passwd" }),
      ],
      [patchCall({ type: "update_file", path: "a.txt", diff: "@@\n-a\n+b\n*** End of File" })],
    );
    const agent = agentOf(model, guardTools(guardIn(), [patch]));
    const first = await runner.run(agent, "x");
    expect(ran).toEqual([]);
    expect(model.told).toMatch(/this file may hold a secret.*git hook.*this is a system file/s);
    expect(first.interruptions.map((item) => (item.rawItem.type === "apply_patch_call" ? item.rawItem.operation.path : ""))).toEqual([
      "a.txt",
    ]);
    for (const item of first.interruptions) first.state.approve(item);
    await runner.run(agent, first.state);
    expect(ran).toEqual(["update_file a.txt"]);
  });

  it("the computer: each action asks, and a denied one ends the run", async () => {
    const note = (name: string) => (): Promise<void> => (ran.push(name), Promise.resolve());
    const computer = computerTool({
      computer: {
        environment: "ubuntu",
        dimensions: [1, 1],
        screenshot: () => Promise.resolve("AAAA"),
        click: note("click"),
        doubleClick: note("doubleClick"),
        scroll: note("scroll"),
        type: note("type"),
        wait: note("wait"),
        move: note("move"),
        keypress: note("keypress"),
        drag: note("drag"),
      },
    });
    const use: AgentOutputItem = {
      type: "computer_call",
      callId: "c1",
      status: "completed",
      action: { type: "click", x: 1, y: 1, button: "left" },
    };
    const first = await runner.run(agentOf(new Scripted([use]), guardTools(guardIn(), [computer])), "x");
    expect([ran, first.interruptions.length]).toEqual([[], 1]);
    const { machine, project, home } = scratch();
    writeFileSync(join(home, ".agent-permissions.jsonc"), '{ "permissions": { "deny": ["computer_use_preview(type:click)"] } }');
    const strict = openGuard({ cwd: project, machine, audit: false });
    await expect(runner.run(agentOf(new Scripted([use]), guardTools(strict, [computer])), "x")).rejects.toThrow(
      /Permission denied for computer/,
    );
  });

  it("tools of MCP servers, by the server's name, with the SDK's own question", async () => {
    const server = serverWith(async (name) => {
      ran.push(name);
      return await Promise.resolve([{ type: "text", text: "ok" }]);
    });
    const tools = await getAllMcpTools([server]);
    const seen: string[] = [];
    const guard = guardIn();
    const watching: OpenedGuard = { ...guard, decide: (request) => ("tool" in request && seen.push(request.tool), guard.decide(request)) };
    const model = new Scripted([call("create_issue", { title: "x" })]);
    const agent = agentOf(model, guardTools(watching, tools, { server: "github" }));
    const first = await runner.run(agent, "x");
    expect([ran, seen]).toEqual([[], ["mcp__github__create_issue"]]);
    for (const item of first.interruptions) first.state.approve(item);
    await runner.run(agent, first.state);
    expect(ran).toEqual(["create_issue"]);
  });

  it.each([
    [undefined, [], /approval required/],
    [true, ["create_issue"], /ok/],
    [false, [], /the user refused/],
  ] as const)("MCP servers given to an agent whole, by a guardrail: %s", async (answer, expected, told) => {
    const onAsk = answer === undefined ? {} : { onAsk: () => answer };
    const server = {
      ...serverWith(async (name) => {
        ran.push(name);
        return await Promise.resolve([{ type: "text", text: "ok" }]);
      }),
      toolInputGuardrails: [inputGuardrail(guardIn(), { server: "github", ...onAsk })],
    };
    const model = new Scripted([call("create_issue", { title: "x" })]);
    await runner.run(new Agent({ name: "coder", model, mcpServers: [server] }), "x");
    expect(ran).toEqual(expected);
    expect(model.told).toMatch(told);
  });

  it.each([
    [true, true],
    [false, false],
  ])("MCP servers that OpenAI calls: onAsk says %s", async (answer, approve) => {
    const remote = hostedMcpTool({ serverLabel: "github", serverUrl: "https://example.org/mcp" });
    const guarded = guardTool(guardIn(), remote, { onAsk: () => answer });
    expect(guarded.providerData).toMatchObject({ require_approval: "always" });
    const request: AgentOutputItem = {
      type: "hosted_tool_call",
      name: "create_issue",
      id: "r1",
      status: "in_progress",
      providerData: { type: "mcp_approval_request", id: "r1", server_label: "github", name: "create_issue", arguments: '{"title":"x"}' },
    };
    const model = new Scripted([request]);
    await runner.run(agentOf(model, [guarded]), "x");
    const response = model.sent.flatMap(({ input }) => (typeof input === "string" ? [] : input)).find(isResponse);
    expect(response?.providerData).toMatchObject({ approve, approval_request_id: "r1" });
  });
});

const isResponse = (item: AgentInputItem): item is Extract<AgentInputItem, { type: "hosted_tool_call" }> =>
  item.type === "hosted_tool_call" && item.name === "mcp_approval_response";

type McpServer = Parameters<typeof getAllMcpTools>[0] extends infer P ? (P extends readonly (infer S)[] ? S : never) : never;

function serverWith(callTool: McpServer["callTool"]): McpServer {
  return {
    name: "github",
    cacheToolsList: false,
    connect: () => Promise.resolve(),
    close: () => Promise.resolve(),
    invalidateToolsCache: () => Promise.resolve(),
    listTools: () =>
      Promise.resolve([
        {
          name: "create_issue",
          inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"], additionalProperties: false },
        },
      ]),
    callTool,
  };
}

describe("guard.openAiTool", () => {
  it("runs what is allowed, asks by the SDK, and tells the model what is denied: the run goes on", async () => {
    const place = scratch();
    const own = createGuard({ cwd: place.project, home: place.home });
    const parameters = z.object({ command: z.string() });
    const made = tool({ name: "bash", description: "x", parameters, execute: ({ command }) => void ran.push(command) });
    const bash = own.openAiTool(made, ({ command }) => ({ shell: command }));
    const model = new Scripted([bashCall("rm -rf ~")], [bashCall("ls")], [bashCall("rm -rf build")]);
    const first = await runner.run(agentOf(model, [bash]), "x");
    expect(model.told).toMatch(/home folder|delete/);
    expect([ran, first.interruptions.map(({ name: asked }) => asked)]).toEqual([["ls"], ["bash"]]);
    for (const item of first.interruptions) first.state.reject(item);
    await runner.run(agentOf(model, [bash]), first.state);
    expect(ran).toEqual(["ls"]);
  });

  it.each(["bash", undefined])("does so spread into `tool()`, too, with the name %s", async (name) => {
    const place = scratch();
    const own = createGuard({ cwd: place.project, home: place.home });
    const does = ({ command }: { command: string }) => ({ shell: command });
    const bash = tool({
      name: "bash",
      description: "x",
      parameters: z.object({ command: z.string() }),
      execute: ({ command }) => void ran.push(command),
      ...own.openAiTool(does, name),
    });
    const model = new Scripted([bashCall("rm -rf ~")], [bashCall("ls")], [bashCall("rm -rf build")]);
    const { interruptions } = await runner.run(agentOf(model, [bash]), "x");
    expect(model.told).toMatch(/home folder|delete/);
    expect([ran, interruptions.length]).toEqual([["ls"], 1]);
  });
});

describe("consoleTools", () => {
  it("asks by the SDK, goes on with its answer, and denies hold", async () => {
    const place = scratch();
    const backend = new LocalBackend({ root: place.project, permissions: presets.default, machine: place.machine, audit: false });
    const model = new Scripted([call("read_file", { path: ".env" }), call("write_file", { path: "a.txt", content: "hello" })]);
    const agent = agentOf(model, consoleTools(createConsoleToolset(backend), tool));
    const first = await runner.run(agent, "x");
    expect(first.interruptions.map(({ name }) => name)).toEqual(["write_file"]);
    for (const item of first.interruptions) first.state.approve(item);
    await runner.run(agent, first.state);
    expect(model.told).toMatch(/Permission denied for read on '.env'/);
    expect(readFileSync(join(place.project, "a.txt"), "utf8")).toBe("hello");
  });
});
