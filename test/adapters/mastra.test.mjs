// `assent/mastra` in real agents of @mastra/core, with a model that is a list.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, describe, it } from "node:test";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { createGuard } from "assent";
import { openGuard } from "assent/compat";
import { guardTools, permissionHooks } from "assent/mastra";
import { z } from "zod";

const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-mastra-")));
const project = join(root, "project");
mkdirSync(join(project, ".git"), { recursive: true });
writeFileSync(join(project, ".env"), "KEY=1");
process.env.HOME = join(root, "home");
process.env.XDG_STATE_HOME = join(root, "state");
mkdirSync(process.env.HOME);
after(() => rmSync(root, { recursive: true, force: true }));

const ran = [];
afterEach(() => void ran.splice(0));
const guard = () => openGuard({ cwd: project, audit: false });
const facts = { bash: { does: "shell", field: "command" } };

/** Calls these commands, one list a turn, then says `done`. */
function modelOf(turns) {
  const told = [];
  let calls = 0;
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const answer = (prompt) => {
    told.push(JSON.stringify(prompt));
    const commands = turns.shift();
    if (commands === undefined) return { content: [{ type: "text", text: "done" }], finishReason: "stop", usage, warnings: [] };
    const content = commands.map((input) => ({
      type: "tool-call",
      toolCallId: `call-${(calls += 1)}`,
      toolName: "bash",
      input: JSON.stringify(typeof input === "string" ? { command: input } : input),
    }));
    return { content, finishReason: "tool-calls", usage, warnings: [] };
  };
  const model = {
    specificationVersion: "v2",
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async ({ prompt }) => answer(prompt),
    doStream: async ({ prompt }) => {
      const { content, finishReason } = answer(prompt);
      const parts = content.flatMap((part) =>
        part.type === "text"
          ? [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: part.text },
              { type: "text-end", id: "t" },
            ]
          : [part],
      );
      const all = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
      return { stream: new ReadableStream({ start: (to) => (all.forEach((part) => to.enqueue(part)), to.close()) }) };
    },
  };
  return { model, told: () => told.at(-1) ?? "" };
}

const bash = (more = {}) =>
  createTool({
    id: "bash",
    description: "Runs a line of shell.",
    inputSchema: z.object({ command: z.string(), timeout: z.number().default(30) }),
    execute: async ({ command }) => {
      if (command === "false") throw new Error("exit code 1");
      ran.push(command);
      return `ran ${command}`;
    },
    ...more,
  });

function agentOf(turns, { options = {}, hooks, tool = bash(), guarded = true } = {}) {
  const { model, told } = modelOf(turns);
  const tools = guarded ? guardTools(guard(), { bash: tool }, { facts, ...options }) : { bash: tool };
  const agent = new Agent({ id: "coder", name: "coder", instructions: "x", model, tools, ...(hooks === undefined ? {} : { hooks }) });
  const mastra = new Mastra({ agents: { coder: agent }, storage: new InMemoryStore(), logger: false });
  return { agent: mastra.getAgent("coder"), told };
}

describe("guardTools", () => {
  it("allowed calls run, denied ones do not and the model reads why", async () => {
    const { agent, told } = agentOf([["ls", "rm -rf ~"]]);
    const { text } = await agent.generate("x");
    assert.deepEqual([ran, text], [["ls"], "done"]);
    assert.match(told(), /ran ls/);
    assert.match(told(), /delete your whole home folder/);
  });

  for (const [answer, expected, words] of [
    ["approveToolCallGenerate", ["rm -rf build"], /ran rm -rf build/],
    ["declineToolCallGenerate", [], /not this one/],
  ])
    it(`a question is an approval: ${String(answer)}`, async () => {
      const { agent, told } = agentOf([["rm -rf build"]]);
      const first = await agent.generate("x");
      assert.deepEqual([ran, first.finishReason, first.suspendPayload?.toolName], [[], "suspended", "bash"]);
      assert.deepEqual(first.suspendPayload?.args, { command: "rm -rf build" });
      const second = await agent[answer]({ runId: first.runId, toolCallId: first.suspendPayload.toolCallId, reason: "not this one" });
      assert.deepEqual([ran, second.text], [expected, "done"]);
      assert.match(told(), words);
    });

  it("asks about a call, not about a tool: of three at once one runs, one is refused and one is asked", async () => {
    const { agent, told } = agentOf([["ls", "rm -rf ~", "rm -rf build"], ["rm -rf src"]]);
    const first = await agent.generate("x");
    assert.deepEqual(ran, ["ls"]);
    const second = await agent.approveToolCallGenerate({ runId: first.runId, toolCallId: first.suspendPayload.toolCallId });
    assert.deepEqual(ran, ["ls", "rm -rf build"]);
    assert.match(told(), /delete your whole home folder/);
    assert.deepEqual([second.finishReason, second.suspendPayload?.args], ["suspended", { command: "rm -rf src" }]);
  });

  it("in streams as well", async () => {
    const { agent } = agentOf([["ls", "rm -rf build"]]);
    const stream = await agent.stream("x");
    const seen = [];
    for await (const chunk of stream.fullStream) seen.push(chunk.type);
    assert.ok(seen.includes("tool-call-approval"));
    const resumed = await agent.declineToolCall({ runId: stream.runId });
    for await (const chunk of resumed.fullStream) seen.push(chunk.type);
    assert.deepEqual(ran, ["ls"]);
  });

  for (const answer of [true, false])
    it(`with onAsk the question is put at once: ${answer}`, async () => {
      const asked = [];
      const { agent, told } = agentOf([["rm -rf build"]], { options: { onAsk: ({ target }) => (asked.push(target), answer) } });
      await agent.generate("x");
      assert.deepEqual([asked, ran], [["rm -rf build"], answer ? ["rm -rf build"] : []]);
      assert.match(told(), answer ? /ran rm -rf build/ : /the user refused/);
    });

  it("the tool's own question stays, and cannot say no to ours", async () => {
    const asking = agentOf([["ls"]], { tool: bash({ requireApproval: true }) });
    assert.equal((await asking.agent.generate("x")).finishReason, "suspended");
    const careless = agentOf([["rm -rf build"]], { tool: bash({ requireApproval: () => false }) });
    assert.equal((await careless.agent.generate("x", { requireToolApproval: () => false })).finishReason, "suspended");
    assert.deepEqual(ran, []);
  });

  it("what nobody was asked about does not run: a tool that is called without an agent", async () => {
    const { bash: guarded } = guardTools(guard(), { bash: bash() }, { facts });
    await assert.rejects(async () => await guarded.execute({ command: "rm -rf build" }, {}), /approval required/);
    await guarded.requireApproval({ command: "rm -rf build" });
    await assert.rejects(async () => await guarded.execute({ command: "rm -rf build" }, {}), /approval required/);
    assert.equal(await guarded.execute({ command: "ls" }, {}), "ran ls");
  });

  it("a tool that throws is told to the model, and what is wrongly written does not run", async () => {
    const { agent, told } = agentOf([["false"], [{ command: 1 }], [{ nothing: true }]], { options: { onAsk: () => true } });
    const { text } = await agent.generate("x");
    assert.deepEqual([text, ran], ["done", []]);
    assert.match(told(), /exit code 1/);
  });

  it("a run that was given up while a person thought starts nothing", async () => {
    const giveUp = new AbortController();
    const { agent } = agentOf([["rm -rf build"]], { options: { onAsk: () => (giveUp.abort(), true) } });
    await agent.generate("x", { abortSignal: giveUp.signal }).catch(() => undefined);
    assert.deepEqual(ran, []);
  });
});

describe("a tool as a step of a workflow", () => {
  const flowOf = (tools, storage, tool = "bash") => {
    const schema = z.object({ command: z.string() });
    const flow = createWorkflow({ id: "flow", inputSchema: schema, outputSchema: z.any() }).then(createStep(tools[tool])).commit();
    return new Mastra({ workflows: { flow }, storage, logger: false }).getWorkflow("flow");
  };
  const stepTool = (more = {}) => bash({ outputSchema: z.string(), ...more });
  const tools = (options = {}) => guardTools(guard(), { bash: stepTool() }, { facts, ...options });
  const start = async (command, options) => {
    const storage = new InMemoryStore();
    const run = await flowOf(tools(options), storage).createRun();
    return { run, storage, first: await run.start({ inputData: { command } }) };
  };

  for (const [command, status, expected] of [
    ["ls", "success", ["ls"]],
    ["rm -rf ~", "failed", []],
    ["rm -rf build", "suspended", []],
  ])
    it(`${String(command)}: ${String(status)}`, async () => {
      const { first } = await start(command);
      assert.deepEqual([first.status, ran], [status, expected]);
    });

  for (const [name, resumeData, status, expected] of [
    ["yes", { approved: true }, "success", ["rm -rf build"]],
    ["no", { approved: false, reason: "keep it" }, "failed", []],
    ["another input", { approved: true, input: { command: "ls src" } }, "success", ["ls src"]],
    ["another input that is denied", { approved: true, input: { command: "rm -rf ~" } }, "failed", []],
    ["an input that is none", { approved: true, input: "ls" }, "failed", []],
    ["something else", { approved: "yes" }, "failed", []],
    ["nothing", {}, "failed", []],
  ])
    it(`resumed with ${JSON.stringify(resumeData)}: ${JSON.stringify(name)}`, async () => {
      const { run, first } = await start("rm -rf build");
      const { question } = first.steps.bash.suspendPayload;
      assert.match(question, /^bash rm -rf build\? /);
      const second = await run.resume({ step: "bash", resumeData });
      assert.deepEqual([second.status, ran], [status, expected]);
      if (name === "no") assert.match(String(second.error?.message ?? JSON.stringify(second)), /the user refused, and said: keep it/);
    });

  it("resumed by a guard that denies it by then", async () => {
    const { run, storage } = await start("rm -rf build");
    const strict = createGuard({ cwd: project, policy: { permissions: { deny: ["Bash(rm:*)"] } } });
    const other = flowOf(guardTools(strict, { bash: stepTool() }, { effects: { bash: ({ command }) => ({ shell: command }) } }), storage);
    const second = await (await other.createRun({ runId: run.runId })).resume({ step: "bash", resumeData: { approved: true } });
    assert.deepEqual([second.status, ran], ["failed", []]);
  });

  it("what the tool itself was suspended for is not an answer to us, and what answers us is not the tool's", async () => {
    const seen = [];
    const asking = stepTool({
      execute: async ({ command }, { workflow }) => {
        seen.push(workflow.resumeData);
        if (workflow.resumeData === undefined)
          return await workflow.suspend({ assent: "question", tool: "bash", input: { command: "other" } });
        ran.push(command);
        return "done";
      },
    });
    const run = await flowOf(guardTools(guard(), { bash: asking }, { facts }), new InMemoryStore()).createRun();
    await run.start({ inputData: { command: "rm -rf build" } });
    const second = await run.resume({ step: "bash", resumeData: { approved: true } });
    const third = await run.resume({ step: "bash", resumeData: { approved: true } });
    assert.deepEqual([second.status, third.status, seen, ran], ["suspended", "suspended", [undefined], []]);
  });

  it("with onAsk the question is put at once", async () => {
    const { first } = await start("rm -rf build", { onAsk: () => true });
    assert.deepEqual([first.status, ran], ["success", ["rm -rf build"]]);
  });
});

describe("permissionHooks", () => {
  for (const [name, onAsk, expected, words] of [
    ["nobody to ask", undefined, ["ls"], /approval required/],
    ["yes", () => true, ["ls", "rm -rf build"], /ran rm -rf build/],
    ["no", () => false, ["ls"], /the user refused/],
  ])
    it(`judge whatever an agent calls: ${String(name)}`, async () => {
      const hooks = permissionHooks(guard(), { facts, ...(onAsk === undefined ? {} : { onAsk }) });
      const { agent, told } = agentOf([["ls", "rm -rf ~", "rm -rf build"]], { guarded: false, hooks });
      await agent.generate("x");
      assert.deepEqual(ran, expected);
      assert.match(told(), /delete your whole home folder/);
      assert.match(told(), words);
    });
});

describe("the example", () => {
  it("runs", () => {
    const stdio = ["ignore", "pipe", "inherit"];
    const { status, stdout } = spawnSync(process.execPath, ["example.mjs"], { cwd: import.meta.dirname, encoding: "utf8", stdio });
    assert.deepEqual([status, stdout], [0, 'asked: bash {"command":"rm -rf build"}\ndone\n']);
  });
});
