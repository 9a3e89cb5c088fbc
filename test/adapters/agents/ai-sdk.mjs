// An agent of the Vercel AI SDK: ToolLoopAgent with `toolApproval: guard.aiSdk(effects)`.
import { jsonSchema, stepCountIs, tool, ToolLoopAgent } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { ALL_EFFECTS, EFFECTS, main, schemaOf, Script, TOOLS } from "./agent.mjs";

const USAGE = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

function modelOf(script) {
  const answer = (prompt) => {
    const calls = script
      .next(prompt)
      .map(({ name, args, id }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(args) }));
    const finishReason = { unified: calls.length === 0 ? "stop" : "tool-calls", raw: undefined };
    return { content: calls.length === 0 ? [{ type: "text", text: "done" }] : calls, finishReason, usage: USAGE, warnings: [] };
  };
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => answer(prompt),
    doStream: async ({ prompt }) => {
      const { content, finishReason, usage } = answer(prompt);
      const parts = content.flatMap((part) =>
        part.type === "text"
          ? [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: part.text },
              { type: "text-end", id: "t" },
            ]
          : [part],
      );
      return {
        stream: convertArrayToReadableStream([{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }]),
      };
    },
  });
}

await main(import.meta.url, async (request, kit) => {
  const { saved, answers = [] } = request;
  const script = new Script(saved?.turns ?? request.turns);
  const own = Object.entries(TOOLS).map(([name, spec]) => [
    name,
    tool({ description: spec.description, inputSchema: jsonSchema(schemaOf(spec)), execute: async (input) => kit[name](input) }),
  ]);
  const guard = request.helper === true ? kit.guard.with({ principal: { user: "ann", role: "dev", agent: "helper" } }) : kit.guard;
  const tools = Object.fromEntries(own);
  const agent = new ToolLoopAgent({
    model: modelOf(script),
    // A changed call: by the tools themselves, for the SDK takes a yes or a no.
    ...(request.wrapped === true ? { tools: guard.tools(tools, ALL_EFFECTS) } : { tools, toolApproval: guard.aiSdk(EFFECTS) }),
    stopWhen: stepCountIs(9),
  });
  const messages = saved?.messages ?? [{ role: "user", content: "x" }];
  const asked = [];
  let waiting = saved?.waiting;
  for (;;) {
    if (waiting !== undefined) {
      const given = answers.shift();
      if (given === undefined) return { asked, told: script.told, finished: false, saved: { messages, waiting, turns: script.turns } };
      messages.push({
        role: "tool",
        content: waiting.map(({ approvalId }, at) => ({
          type: "tool-approval-response",
          approvalId,
          approved: given[at] === "yes",
          ...(given[at]?.no === undefined ? {} : { reason: given[at].no }),
        })),
      });
    }
    const result = request.stream === true ? await agent.stream({ messages }) : await agent.generate({ messages });
    if (request.stream === true) await result.consumeStream();
    messages.push(...JSON.parse(JSON.stringify(await result.responseMessages)));
    const requests = (await result.content).filter(({ type }) => type === "tool-approval-request");
    const open = requests.filter(({ isAutomatic }) => isAutomatic !== true);
    if (open.length === 0) return { asked, told: script.told, finished: (await result.text) === "done" };
    asked.push(open.map(({ toolCall }) => toolCall.input.command ?? toolCall.toolName));
    waiting = open.map(({ approvalId }) => ({ approvalId }));
  }
});
