// An agent of langchain 1 with every tool call judged. The model here is a list; a real one takes its place.
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, FakeToolCallingModel, tool } from "langchain";
import { openGuard } from "assent";
import { permissionMiddleware } from "assent/langchain";

const commands = ["ls", "rm -rf ~", "rm -rf build"];
const model = new FakeToolCallingModel({
  toolCalls: [...commands.map((command, at) => [{ name: "bash", args: { command }, id: `call-${at}` }]), []],
});

const bash = tool(async ({ command }) => `(this example runs nothing) ${command}`, {
  name: "bash",
  description: "Runs a line of shell.",
  schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
});

const guard = openGuard({ audit: false });
const permissions = permissionMiddleware(guard, { facts: { bash: { does: "shell", field: "command" } } });
const agent = createAgent({ model, tools: [bash], middleware: [permissions], checkpointer: new MemorySaver() });
const config = { configurable: { thread_id: "1" } };

let result = await agent.invoke({ messages: [{ role: "user", content: "clean up" }] }, config);
while (result.__interrupt__?.length > 0) {
  const answers = result.__interrupt__.map(({ id, value }) => {
    console.log(`asked: ${value.actionRequests[0].description}`);
    // A real program asks a person here.
    return [id, { decisions: [{ type: "reject", message: "not now" }] }];
  });
  result = await agent.invoke(new Command({ resume: Object.fromEntries(answers) }), config);
}
for (const message of result.messages) if (message.type === "tool") console.log(message.content);
