import { tool, ToolLoopAgent, type ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createGuard } from "assent";
import { z } from "zod";
import { CALLS, POLICY, report } from "./script.js";

const ran: string[] = [];
const tools = {
  read: tool({
    description: "Reads a file.",
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => (ran.push(path), `text of ${path}`),
  }),
  bash: tool({
    description: "Runs a line.",
    inputSchema: z.object({ command: z.string() }),
    execute: ({ command }) => (ran.push(command), `ran ${command}`),
  }),
};

const guard = createGuard({ policy: POLICY });
const toolApproval = guard.aiSdk(tools, {
  read: ({ path }) => ({ read: path }),
  bash: ({ command }) => ({ shell: command }),
});

// @ts-expect-error -- the schema has no such field
guard.aiSdk(tools, { bash: ({ line }) => ({ shell: line }) });
// @ts-expect-error -- there is no such tool
export const misspelt = () => guard.aiSdk(tools, { bahs: "nothing" });

let turn = 0;
const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { inputTokens: none, outputTokens: { total: 0, text: 0, reasoning: 0 } };
const model = new MockLanguageModelV4({
  doGenerate: async () => {
    const call = CALLS[turn++];
    if (call === undefined)
      return { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop", raw: undefined }, usage, warnings: [] };
    const [toolName, input] = call;
    const content = [{ type: "tool-call" as const, toolCallId: `call-${turn}`, toolName, input: JSON.stringify(input) }];
    return { content, finishReason: { unified: "tool-calls", raw: undefined }, usage, warnings: [] };
  },
});

const agent = new ToolLoopAgent({ model, tools, toolApproval });
const messages: ModelMessage[] = [{ role: "user", content: "clean up" }];
const asked: string[] = [];
for (;;) {
  const { content, text, responseMessages } = await agent.generate({ messages });
  messages.push(...responseMessages);
  const questions = content.filter((part) => part.type === "tool-approval-request").filter((part) => part.isAutomatic !== true);
  if (questions.length === 0) {
    report({ ran, asked, told: messages, said: text });
    break;
  }
  asked.push(...questions.map(({ toolCall }) => toolCall.toolName));
  messages.push({
    role: "tool",
    content: questions.map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, approved: true })),
  });
}
