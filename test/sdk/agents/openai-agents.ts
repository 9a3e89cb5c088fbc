import { Agent, Runner, tool, Usage, type Model } from "@openai/agents";
import { createGuard } from "assent";
import { z } from "zod";
import { CALLS, POLICY, report } from "./script.js";

const ran: string[] = [];
const read = tool({
  name: "read",
  description: "Reads a file.",
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => (ran.push(path), `text of ${path}`),
});
const bash = tool({
  name: "bash",
  description: "Runs a line.",
  parameters: z.object({ command: z.string() }),
  execute: ({ command }) => (ran.push(command), `ran ${command}`),
});

const guard = createGuard({ policy: POLICY });
const tools = [guard.openAiTool(read, ({ path }) => ({ read: path })), guard.openAiTool(bash, ({ command }) => ({ shell: command }))];

// @ts-expect-error -- the schema has no such field
guard.openAiTool(bash, ({ line }) => ({ shell: line }));

let turn = 0;
const model: Model = {
  getResponse: async () => {
    const [name, input] = CALLS[turn++] ?? [];
    return name === undefined
      ? {
          usage: new Usage(),
          output: [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] }],
        }
      : {
          usage: new Usage(),
          output: [{ type: "function_call", status: "completed", name, callId: `call-${turn}`, arguments: JSON.stringify(input) }],
        };
  },
  getStreamedResponse: () => {
    throw new Error("nothing streams here");
  },
};

const agent = new Agent({ name: "coder", model, tools });
const runner = new Runner({ tracingDisabled: true });
const asked: string[] = [];
let result = await runner.run(agent, "clean up");
while (result.interruptions.length > 0) {
  for (const item of result.interruptions) {
    asked.push(item.name ?? "");
    result.state.approve(item);
  }
  result = await runner.run(agent, result.state);
}
report({ ran, asked, told: result.history, said: result.finalOutput });
