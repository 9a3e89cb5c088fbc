// The Vercel AI SDK 7 with every tool call judged. The model here is a list; a real one takes its place.
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { openGuard } from "assent";
import { guardTools } from "assent/ai-sdk";

const commands = ["ls", "rm -rf ~", "npm publish"];
let at = 0;
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = new MockLanguageModelV4({
  doGenerate: async () => {
    const command = commands[at++];
    return command === undefined
      ? { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] }
      : {
          content: [{ type: "tool-call", toolCallId: `call-${at}`, toolName: "bash", input: JSON.stringify({ command }) }],
          finishReason: { unified: "tool-calls" },
          usage,
          warnings: [],
        };
  },
});

const bash = tool({
  description: "Runs a line of shell.",
  inputSchema: jsonSchema({ type: "object", properties: { command: { type: "string" } }, required: ["command"] }),
  execute: async ({ command }) => `(this example runs nothing) ${command}`,
});

const guard = openGuard({ audit: false });
const result = await generateText({
  model,
  tools: { bash },
  prompt: "publish the package",
  stopWhen: stepCountIs(5),
  toolApproval: guardTools(guard, { facts: { bash: { does: "shell", field: "command" } } }),
});
for (const message of result.responseMessages) for (const part of message.content) console.log(JSON.stringify(part));
