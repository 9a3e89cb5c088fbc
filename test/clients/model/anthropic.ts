import type { Dialect, Heard, Reply, Turn, Wire } from "./dialect.ts";
import { list, text, words } from "./dig.ts";

/** Anthropic's Messages API. */
export const anthropic: Dialect = {
  name: "Anthropic Messages",
  speaks: (path) => path.endsWith("/messages"),
  hear,
  answer,
};

function hear(body: Readonly<Record<string, unknown>>): Heard {
  const turns = list(body["messages"]).flatMap((message): Turn[] => {
    const content = message["content"];
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : list(content);
    return parts.map((part): Turn => {
      if (part["type"] === "tool_result") return { by: "tool", text: words(part["content"]) };
      if (part["type"] === "tool_use") return { by: "model", call: text(part["name"]), text: "" };
      return message["role"] === "assistant"
        ? { by: "model", call: undefined, text: text(part["text"]) }
        : { by: "user", text: text(part["text"]) };
    });
  });
  const offers = new Map(list(body["tools"]).map((tool) => [text(tool["name"]), { kind: "function" } as const]));
  return { offers, turns, streams: body["stream"] === true };
}

function answer(reply: Reply, id: string): Wire {
  const says = "say" in reply;
  const block = says ? { type: "text", text: reply.say } : { type: "tool_use", id: `toolu_${id}`, name: reply.call, input: reply.input };
  const empty = says ? { type: "text", text: "" } : { ...block, input: {} };
  const delta = says ? { type: "text_delta", text: reply.say } : { type: "input_json_delta", partial_json: JSON.stringify(reply.input) };
  const stop = says ? "end_turn" : "tool_use";
  const message = { id: `msg_${id}`, type: "message", role: "assistant", model: "fake-model", stop_sequence: null };
  const usage = { input_tokens: 10, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
    { type: "content_block_start", index: 0, content_block: empty },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: "message_stop" },
  ];
  return { events: events.map((data) => ({ name: data.type, data })), whole: { ...message, content: [block], stop_reason: stop, usage } };
}
