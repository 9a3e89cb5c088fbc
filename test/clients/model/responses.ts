import type { Dialect, Heard, Offer, Reply, Turn, Wire } from "./dialect.ts";
import { list, text, words } from "./dig.ts";

/** OpenAI's Responses API. */
export const responses: Dialect = {
  name: "OpenAI Responses",
  speaks: (path) => path.endsWith("/responses"),
  hear,
  answer,
};

function hear(body: Readonly<Record<string, unknown>>): Heard {
  const items = typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : list(body["input"]);
  const turns = items.flatMap((item): Turn[] => {
    switch (item["type"]) {
      case "function_call":
      case "custom_tool_call":
      case "tool_search_call":
        return [{ by: "model", call: text(item["name"] ?? item["type"]), text: "" }];
      case "function_call_output":
      case "custom_tool_call_output":
        return [{ by: "tool", text: words(item["output"]) }];
      case "tool_search_output":
        return [{ by: "tool", text: JSON.stringify(item["tools"]) }];
      case undefined:
      case "message":
        if (item["role"] === "user") return [{ by: "user", text: words(item["content"]) }];
        return item["role"] === "assistant" ? [{ by: "model", call: undefined, text: words(item["content"]) }] : [];
      default:
        return [];
    }
  });
  // Tools that a search has found stay on offer.
  const found = items.flatMap((item) => (item["type"] === "tool_search_output" ? list(item["tools"]) : []));
  return { offers: offered([...list(body["tools"]), ...found]), turns, streams: body["stream"] === true };
}

function offered(tools: readonly Readonly<Record<string, unknown>>[], group?: string): Map<string, Offer> {
  const offers = new Map<string, Offer>();
  for (const tool of tools) {
    const name = text(tool["name"]);
    if (tool["type"] === "namespace") for (const [inner, offer] of offered(list(tool["tools"]), name)) offers.set(inner, offer);
    else if (tool["type"] === "tool_search") offers.set("tool_search", { kind: "search" });
    else offers.set(name, { kind: tool["type"] === "custom" ? "text" : "function", ...(group !== undefined && { group }) });
  }
  return offers;
}

function item(reply: Reply, id: string): Readonly<Record<string, unknown>> {
  if ("say" in reply) {
    const content = [{ type: "output_text", text: reply.say, annotations: [] }];
    return { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content };
  }
  const made = { id: `fc_${id}`, call_id: `call_${id}`, status: "completed" };
  if (reply.offer.kind === "search") return { ...made, type: "tool_search_call", execution: "client", arguments: reply.input };
  const call = { ...made, name: reply.call };
  if (reply.offer.kind === "text") return { ...call, type: "custom_tool_call", input: text(reply.input["input"]) };
  const group = reply.offer.group === undefined ? {} : { namespace: reply.offer.group };
  return { ...call, ...group, type: "function_call", arguments: JSON.stringify(reply.input) };
}

function answer(reply: Reply, id: string): Wire {
  const output = item(reply, id);
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 20,
  };
  const frame = { id: `resp_${id}`, object: "response", created_at: 1, model: "fake-model" };
  const whole = { ...frame, status: "completed", output: [output], usage };
  const place = { output_index: 0, item_id: text(output["id"]), content_index: 0 };
  const delta = "say" in reply ? [{ type: "response.output_text.delta", ...place, delta: reply.say }] : [];
  const events = [
    { type: "response.created", response: { ...frame, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...output, status: "in_progress" } },
    ...delta,
    { type: "response.output_item.done", output_index: 0, item: output },
    { type: "response.completed", response: whole },
  ];
  return { events: events.map((data, sequence_number) => ({ name: data.type, data: { ...data, sequence_number } })), whole };
}
