// An agent of the Vercel AI SDK 7 with a policy in code. The model here is a list; a real one takes its place.
import { jsonSchema, tool, ToolLoopAgent } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createGuard } from "assent";

const commands = ["ls", "git push", "rm -rf build"];
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

const guard = createGuard({ policy: { permissions: { deny: ["Bash(git push:*)"] } } });
const toolApproval = guard.aiSdk({ bash }, { bash: ({ command }) => ({ shell: command }) });
const agent = new ToolLoopAgent({ model, tools: { bash }, toolApproval });

const messages = [{ role: "user", content: "clean up" }];
for (;;) {
  const { content, responseMessages } = await agent.generate({ messages });
  messages.push(...responseMessages);
  // What is denied is answered by itself.
  const asked = content.filter((part) => part.type === "tool-approval-request" && part.isAutomatic !== true);
  if (asked.length === 0) break;
  const answers = asked.map(({ approvalId, toolCall }) => {
    console.log(`asked: ${toolCall.toolName} ${JSON.stringify(toolCall.input)}`);
    // A real program asks a person here: messages are plain data, and may be answered in another process.
    return { type: "tool-approval-response", approvalId, approved: false, reason: "not now" };
  });
  messages.push({ role: "tool", content: answers });
}
for (const { role, content } of messages) if (role === "tool") for (const part of content) console.log(JSON.stringify(part));
