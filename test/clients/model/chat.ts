import type { Dialect, Heard, Reply, Turn, Wire } from "./dialect.ts";
import { fields, list, text, words } from "./dig.ts";

/** OpenAI's Chat Completions API. */
export const chat: Dialect = {
  name: "OpenAI Chat Completions",
  speaks: (path) => path.endsWith("/chat/completions"),
  hear,
  answer,
};

function hear(body: Readonly<Record<string, unknown>>): Heard {
  const turns = list(body["messages"]).flatMap((message): Turn[] => {
    const said = words(message["content"]);
    if (message["role"] === "tool") return [{ by: "tool", text: said }];
    if (message["role"] === "user") return [{ by: "user", text: said }];
    if (message["role"] !== "assistant") return [];
    const calls = list(message["tool_calls"]);
    if (calls.length === 0) return [{ by: "model", call: undefined, text: said }];
    return calls.map((call): Turn => ({ by: "model", call: text(fields(call["function"])["name"]), text: said }));
  });
  const offers = new Map(list(body["tools"]).map((tool) => [text(fields(tool["function"])["name"]), { kind: "function" } as const]));
  return { offers, turns, streams: body["stream"] === true };
}

function answer(reply: Reply, id: string): Wire {
  const says = "say" in reply;
  const calls = says
    ? undefined
    : [{ index: 0, id: `call_${id}`, type: "function", function: { name: reply.call, arguments: JSON.stringify(reply.input) } }];
  const message = { role: "assistant", content: says ? reply.say : null, ...(calls && { tool_calls: calls }) };
  const finish = says ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  const frame = { id: `chatcmpl-${id}`, created: 1, model: "fake-model" };
  const chunk = (choices: readonly object[], more: object = {}): { data: unknown } => ({
    data: { ...frame, object: "chat.completion.chunk", choices, ...more },
  });
  return {
    events: [
      chunk([{ index: 0, delta: message, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: finish }]),
      chunk([], { usage }),
    ],
    end: "[DONE]",
    whole: { ...frame, object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }], usage },
  };
}
