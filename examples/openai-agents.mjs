// @openai/agents with every tool call judged. The model here is a list; leave `model` out and set OPENAI_API_KEY for a real one.
import { Agent, Runner, tool, Usage } from "@openai/agents";
import { openGuard } from "assent";
import { guardTools } from "assent/openai-agents";

const commands = ["ls", "rm -rf ~", "rm -rf build"];
const message = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] };
const model = {
  getResponse: async () => {
    const command = commands.shift();
    const call = { type: "function_call", status: "completed", name: "bash", callId: `call-${commands.length}` };
    return { usage: new Usage(), output: [command === undefined ? message : { ...call, arguments: JSON.stringify({ command }) }] };
  },
};

const bash = tool({
  name: "bash",
  description: "Runs a line of shell.",
  strict: true,
  parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"], additionalProperties: false },
  execute: async ({ command }) => `(this example runs nothing) ${command}`,
});

const guard = openGuard({ audit: false });
const tools = guardTools(guard, [bash], { facts: { bash: { does: "shell", field: "command" } } });
const agent = new Agent({ name: "coder", model, tools });
const runner = new Runner({ tracingDisabled: true });

let result = await runner.run(agent, "clean up");
while (result.interruptions.length > 0) {
  for (const item of result.interruptions) {
    console.log(`asked: ${item.name} ${item.arguments}`);
    // A real program asks a person here. Each call by itself: no `alwaysApprove`.
    result.state.approve(item);
  }
  result = await runner.run(agent, result.state);
}
for (const item of result.history) if (item.type === "function_call_result") console.log(item.output.text);
console.log(result.finalOutput);
