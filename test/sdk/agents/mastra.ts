import { Agent, type AgentConfig } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { createGuard } from "assent";
import { guardTools } from "assent/mastra";
import { z } from "zod";
import { CALLS, POLICY, report } from "./script.js";

const ran: string[] = [];
const read = createTool({
  id: "read",
  description: "Reads a file.",
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => (ran.push(path), `text of ${path}`),
});
const bash = createTool({
  id: "bash",
  description: "Runs a line.",
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => (ran.push(command), `ran ${command}`),
});

const guard = createGuard({ policy: POLICY });
const tools = guardTools(
  guard,
  { read, bash },
  { effects: { read: ({ path }) => ({ read: path }), bash: ({ command }) => ({ shell: command }) } },
);

// @ts-expect-error -- the schema has no such field
guardTools(guard, { bash }, { effects: { bash: ({ line }) => ({ shell: line }) } });
// @ts-expect-error -- there is no such tool
export const misspelt = () => guardTools(guard, { bash }, { effects: { bahs: "nothing" } });

let turn = 0;
let told: unknown;
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const model = {
  specificationVersion: "v2",
  provider: "list",
  modelId: "list",
  supportedUrls: {},
  doGenerate: async ({ prompt }: { prompt: unknown }) => {
    told = prompt;
    const [toolName, input] = CALLS[turn++] ?? [];
    return toolName === undefined
      ? { content: [{ type: "text", text: "done" }], finishReason: "stop", usage, warnings: [] }
      : {
          content: [{ type: "tool-call", toolCallId: `call-${turn}`, toolName, input: JSON.stringify(input) }],
          finishReason: "tool-calls",
          usage,
          warnings: [],
        };
  },
} as unknown as AgentConfig["model"];

const coder = new Agent({ id: "coder", name: "coder", instructions: "Help.", model, tools });
const agent = new Mastra({ agents: { coder }, storage: new InMemoryStore(), logger: false }).getAgent("coder");

const asked: string[] = [];
let output = await agent.generate("clean up");
while (output.finishReason === "suspended") {
  asked.push(output.suspendPayload.toolName);
  output = await agent.approveToolCallGenerate({ runId: output.runId ?? "", toolCallId: output.suspendPayload.toolCallId });
}
report({ ran, asked, told, said: output.text });
