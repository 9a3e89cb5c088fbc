// An agent of OpenAI's Agents SDK: a triage agent that hands off to one with guarded tools, in a session.
import { Agent, MemorySession, Runner, RunState, tool, Usage } from "@openai/agents";
import { guardTools } from "assent/openai-agents";
import { EFFECTS, main, schemaOf, Script, TOOLS } from "./agent.mjs";

const message = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] };

function modelOf(script) {
  const answer = ({ input }) => {
    const calls = script
      .next(input)
      .map(({ name, args, id }) => ({ type: "function_call", status: "completed", name, callId: id, arguments: JSON.stringify(args) }));
    return { usage: new Usage(), output: calls.length === 0 ? [message] : calls };
  };
  return {
    getResponse: async (request) => answer(request),
    getStreamedResponse: async function* (request) {
      const { output } = answer(request);
      yield { type: "response_started" };
      yield { type: "response_done", response: { id: "r", output, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } } };
    },
  };
}

await main(import.meta.url, async (request, kit) => {
  const { saved, answers = [] } = request;
  const script = new Script(saved?.turns ?? request.turns);
  const model = modelOf(script);
  const guard = request.helper === true ? kit.guard.with({ principal: { user: "ann", role: "dev", agent: "helper" } }) : kit.guard;
  // A changed call: by the tools themselves, for the SDK takes a yes or a no.
  const functions = request.wrapped === true ? guard.tools({ bash: kit.bash }, { bash: EFFECTS.bash }) : kit;
  const plain = Object.entries(TOOLS).map(([name, spec]) =>
    tool({
      name,
      description: spec.description,
      parameters: schemaOf(spec),
      strict: true,
      execute: async (input) => await (functions[name] ?? kit[name])(input),
    }),
  );
  const tools = request.wrapped === true ? plain : guardTools(guard, plain, { effects: EFFECTS });
  const coder = new Agent({ name: "coder", model, tools });
  const agent = request.handoff === true ? new Agent({ name: "triage", model, handoffs: [coder] }) : coder;
  const runner = new Runner({ tracingDisabled: true });
  const session = new MemorySession();
  const go = async (what) => {
    const result = await runner.run(agent, what, { session, stream: request.stream === true });
    if (request.stream === true) await result.completed;
    return result;
  };
  const asked = [];
  let state = saved === undefined ? undefined : await RunState.fromString(agent, saved.state);
  for (;;) {
    if (state !== undefined) {
      const given = answers.shift();
      if (given === undefined)
        return { asked, told: script.told, finished: false, saved: { state: state.toString(), turns: script.turns } };
      for (const [at, item] of state.getInterruptions().entries()) {
        if (given[at] === "yes") state.approve(item);
        else state.reject(item, given[at]?.no === undefined ? undefined : { message: given[at].no });
      }
    }
    const result = await go(state ?? "x");
    if (result.interruptions.length === 0) return { asked, told: script.told, finished: result.finalOutput === "done" };
    asked.push(result.interruptions.map((item) => JSON.parse(item.arguments).command ?? item.name));
    state = result.state;
  }
});
