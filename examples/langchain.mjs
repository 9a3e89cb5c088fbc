// An agent of langchain 1 with a policy in code. The model here is a list; a real one takes its place.
import { Command, MemorySaver } from "@langchain/langgraph";
import { createGuard } from "assent";
import { createAgent, FakeToolCallingModel, tool } from "langchain";

// One list for each step: the questions of a step are one interrupt.
const steps = [["ls"], ["git push", "rm -rf build", "rm -rf dist"]];
const model = new FakeToolCallingModel({
  toolCalls: [...steps.map((step, at) => step.map((command, of) => ({ name: "bash", args: { command }, id: `call-${at}-${of}` }))), []],
});

const bash = tool(async ({ command }) => `(this example runs nothing) ${command}`, {
  name: "bash",
  description: "Runs a line of shell.",
  schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
});

const guard = createGuard({ policy: { permissions: { deny: ["Bash(git push:*)"] } } });
const middleware = [guard.middleware([bash], { bash: ({ command }) => ({ shell: command }) })];
const agent = createAgent({ model, tools: [bash], middleware, checkpointer: new MemorySaver() });
const config = { configurable: { thread_id: "1" } };

let result = await agent.invoke({ messages: [{ role: "user", content: "clean up" }] }, config);
while (result.__interrupt__?.length > 0) {
  const [{ value }] = result.__interrupt__;
  // A real program asks a person here; with a checkpointer that lasts, another process may go on.
  const decisions = value.actionRequests.map(({ args, description }) => {
    console.log(`asked: ${description}`);
    return args.command === "rm -rf dist"
      ? { type: "edit", editedAction: { name: "bash", args: { command: "ls dist" } } }
      : { type: "reject", message: "not now" };
  });
  result = await agent.invoke(new Command({ resume: { decisions } }), config);
}
for (const message of result.messages) if (message.type === "tool") console.log(message.content);
