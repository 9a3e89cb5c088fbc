// An agent of Mastra: `guardTools(guard, tools, { effects })`; what it keeps of a suspended run goes to another process.
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { guardTools } from "assent/mastra";
import { z } from "zod";
import { EFFECTS, main, Script, TOOLS } from "./agent.mjs";

function modelOf(script) {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const answer = (prompt) => {
    const calls = script
      .next(prompt)
      .map(({ name, args, id }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(args) }));
    return {
      content: calls.length === 0 ? [{ type: "text", text: "done" }] : calls,
      finishReason: calls.length === 0 ? "stop" : "tool-calls",
      usage,
      warnings: [],
    };
  };
  return {
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
}

await main(import.meta.url, async (request, kit) => {
  const { saved, answers = [] } = request;
  const script = new Script(saved?.turns ?? request.turns);
  const guard = request.helper === true ? kit.guard.with({ principal: { user: "ann", role: "dev", agent: "helper" } }) : kit.guard;
  const plain = Object.entries(TOOLS).map(([name, { description, fields }]) => [
    name,
    createTool({
      id: name,
      description,
      inputSchema: z.object(Object.fromEntries(fields.map((field) => [field, z.string()]))),
      execute: async (input) => kit[name](input),
    }),
  ]);
  const tools = guardTools(guard, Object.fromEntries(plain), { effects: EFFECTS });
  const storage = new InMemoryStore();
  const coder = new Agent({ id: "coder", name: "coder", instructions: "x", model: modelOf(script), tools });
  const agent = new Mastra({ agents: { coder }, storage, logger: false }).getAgent("coder");
  const runs = await storage.getStore("workflows");
  for (const { workflowName, runId, snapshot } of saved?.snapshots ?? [])
    await runs.persistWorkflowSnapshot({ workflowName, runId, snapshot });
  const finish = async (output) => {
    if (request.stream !== true) return output;
    let waiting;
    for await (const chunk of output.fullStream) if (chunk.type === "tool-call-approval") waiting = chunk.payload;
    return {
      runId: output.runId,
      text: await output.text,
      finishReason: waiting === undefined ? "stop" : "suspended",
      suspendPayload: waiting,
    };
  };
  const asked = [];
  let waiting = saved?.waiting;
  for (;;) {
    let output;
    if (waiting === undefined) output = await finish(await (request.stream === true ? agent.stream("x") : agent.generate("x")));
    else {
      // Mastra puts one question after the other: the answers are for the questions of one step.
      answers[0] ??= undefined;
      const [given] = answers[0] ?? [];
      if (given === undefined) {
        const { runs: kept } = await runs.listWorkflowRuns({});
        const snapshots = kept.map(({ workflowName, runId, snapshot }) => ({ workflowName, runId, snapshot }));
        return { asked, told: script.told, finished: false, saved: { snapshots, waiting, turns: script.turns } };
      }
      answers[0].shift();
      const by = { ...waiting, ...(given.no === undefined ? {} : { reason: given.no }) };
      const name = `${given === "yes" ? "approve" : "decline"}ToolCall${request.stream === true ? "" : "Generate"}`;
      output = await finish(await agent[name](by));
    }
    if (output.finishReason !== "suspended") return { asked, told: script.told, finished: output.text === "done" };
    const { toolCallId, args, toolName } = output.suspendPayload;
    waiting = { runId: output.runId ?? waiting?.runId, toolCallId };
    asked.push([args.command ?? toolName]);
  }
});
