// Approvals of SDKs, each in an agent with a scripted model that makes one call: whether its tool ran without a question.
import { Agent as OpenAiAgent, Runner, tool as openAiTool, Usage } from "@openai/agents";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { jsonSchema, tool as aiTool, ToolLoopAgent } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createAgent, FakeToolCallingModel, humanInTheLoopMiddleware, tool as chainTool } from "langchain";
import { z } from "zod";

/** Whether a person is to be asked. */
const needsApproval = (name, text) => !text.startsWith(name === "shell" ? "npm test" : "src/");
const description = "Does something.";
const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false };
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

/** Plays an agent whose tool notes that it ran. */
const played = (play) => async (name, text) => {
  let ran = false;
  await play(name, text, async () => {
    ran = true;
    return "done";
  });
  return ran;
};

const aiSdk = played(async (name, text, execute) => {
  const call = { type: "tool-call", toolCallId: "1", toolName: name, input: JSON.stringify({ text }) };
  const turns = [
    { content: [call], finishReason: { unified: "tool-calls" } },
    { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" } },
  ];
  const model = new MockLanguageModelV4({ doGenerate: async () => ({ ...turns.shift(), usage, warnings: [] }) });
  const one = aiTool({
    description,
    inputSchema: jsonSchema(schema),
    execute,
    needsApproval: ({ text: given }) => needsApproval(name, given),
  });
  await new ToolLoopAgent({ model, tools: { [name]: one } }).generate({ prompt: "x" });
});

const openAi = played(async (name, text, execute) => {
  const message = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] };
  const turns = [{ type: "function_call", status: "completed", name, callId: "1", arguments: JSON.stringify({ text }) }, message];
  const model = { getResponse: async () => ({ usage: new Usage(), output: [turns.shift()] }) };
  const approval = async (_, { text: given }) => needsApproval(name, given);
  const one = openAiTool({ name, description, parameters: schema, strict: true, execute, needsApproval: approval });
  await new Runner({ tracingDisabled: true }).run(new OpenAiAgent({ name: "coder", model, tools: [one] }), "x");
});

const langChain = played(async (name, text, execute) => {
  const model = new FakeToolCallingModel({ toolCalls: [[{ name, args: { text }, id: "1" }], []] });
  const when = ({ toolCall }) => needsApproval(name, toolCall.args.text);
  const middleware = [humanInTheLoopMiddleware({ interruptOn: { [name]: { allowedDecisions: ["approve", "reject"], when } } })];
  const tools = [chainTool(execute, { name, description, schema: z.object({ text: z.string() }) })];
  const agent = createAgent({ model, tools, middleware, checkpointer: new MemorySaver() });
  await agent.invoke({ messages: [{ role: "user", content: "x" }] }, { configurable: { thread_id: "1" } });
});

const mastra = played(async (name, text, execute) => {
  const call = { type: "tool-call", toolCallId: "1", toolName: name, input: JSON.stringify({ text }) };
  const turns = [
    { content: [call], finishReason: "tool-calls" },
    { content: [{ type: "text", text: "done" }], finishReason: "stop" },
  ];
  const counts = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const doGenerate = async () => ({ ...turns.shift(), usage: counts, warnings: [] });
  const model = { specificationVersion: "v2", provider: "list", modelId: "list", supportedUrls: {}, doGenerate };
  const requireApproval = ({ text: given }) => needsApproval(name, given);
  const one = createTool({ id: name, description, inputSchema: z.object({ text: z.string() }), execute, requireApproval });
  const coder = new MastraAgent({ id: "coder", name: "coder", instructions: "x", model, tools: { [name]: one } });
  await new Mastra({ agents: { coder }, storage: new InMemoryStore(), logger: false }).getAgent("coder").generate("x");
});

export const approvals = (versions) => ({
  [`AI SDK ${versions.ai} \`needsApproval\``]: aiSdk,
  [`OpenAI Agents ${versions["@openai/agents"]} \`needsApproval\``]: openAi,
  [`LangChain ${versions.langchain} \`humanInTheLoopMiddleware\``]: langChain,
  [`Mastra ${versions["@mastra/core"]} \`requireApproval\``]: mastra,
});
