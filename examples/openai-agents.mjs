// @openai/agents with a policy in code. The model here is a list; leave `model` out and set OPENAI_API_KEY for a real one.
import { Agent, Runner, RunState, tool, Usage } from "@openai/agents";
import { createGuard } from "assent";

const commands = ["ls", "git push", "rm -rf build"];
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

const guard = createGuard({ policy: { permissions: { deny: ["Bash(git push:*)"] } } });
const tools = [guard.openAiTool(bash, ({ command }) => ({ shell: command }))];
const agent = new Agent({ name: "coder", model, tools });
const runner = new Runner({ tracingDisabled: true });

let result = await runner.run(agent, "clean up");
while (result.interruptions.length > 0) {
  // A real program asks a person here. The state is a text, which another process may go on with.
  const state = await RunState.fromString(agent, result.state.toString());
  for (const item of state.getInterruptions()) {
    console.log(`asked: ${item.name} ${item.arguments}`);
    // Each call by itself: no `alwaysApprove`.
    state.approve(item);
  }
  result = await runner.run(agent, state);
}
for (const item of result.history) if (item.type === "function_call_result") console.log(item.output.text);
console.log(result.finalOutput);
