// An agent of Mastra with a policy in code. The model here is a list; a real one takes its place: "openai/gpt-5" and OPENAI_API_KEY.
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { createGuard } from "assent";
import { guardTools } from "assent/mastra";
import { z } from "zod";

const commands = ["ls", "git push", "rm -rf build"];
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const model = {
  specificationVersion: "v2",
  provider: "list",
  modelId: "list",
  supportedUrls: {},
  doGenerate: async () => {
    const command = commands.shift();
    if (command === undefined) return { content: [{ type: "text", text: "done" }], finishReason: "stop", usage, warnings: [] };
    const call = { type: "tool-call", toolCallId: `call-${commands.length}`, toolName: "bash", input: JSON.stringify({ command }) };
    return { content: [call], finishReason: "tool-calls", usage, warnings: [] };
  },
};

const bash = createTool({
  id: "bash",
  description: "Runs a line of shell.",
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => `(this example runs nothing) ${command}`,
});

const guard = createGuard({ policy: { permissions: { deny: ["Bash(git push:*)"] } } });
const tools = guardTools(guard, { bash }, { effects: { bash: ({ command }) => ({ shell: command }) } });
const coder = new Agent({ id: "coder", name: "coder", instructions: "Help.", model, tools });
const agent = new Mastra({ agents: { coder }, storage: new InMemoryStore(), logger: false }).getAgent("coder");

let output = await agent.generate("clean up");
while (output.finishReason === "suspended") {
  const { toolName, toolCallId, args } = output.suspendPayload;
  console.log(`asked: ${toolName} ${JSON.stringify(args)}`);
  // A real program asks a person here; with a storage that lasts, another process may go on.
  output = await agent.declineToolCallGenerate({ runId: output.runId, toolCallId, reason: "not now" });
}
console.log(output.text);
