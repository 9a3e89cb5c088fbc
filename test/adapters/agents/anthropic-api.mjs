// The API of Anthropic as far as Claude Code needs it, on the loopback: what a model would say comes from a function.
import { createServer } from "node:http";

let made = 0;

/** `answer` gives the calls of one turn; none: it says `done`. Whoever asks without tools is told `done`. */
export async function scriptedApi(answer) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      if (!request.url.startsWith("/v1/messages") || request.url.includes("count_tokens") || request.method !== "POST")
        return response.writeHead(404).end();
      const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
      const calls = (body.tools ?? []).length === 0 ? [] : answer(body);
      const content =
        calls.length === 0
          ? [{ type: "text", text: "done" }]
          : calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }));
      const stop_reason = calls.length === 0 ? "end_turn" : "tool_use";
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = {
        id: `msg_${(made += 1)}`,
        type: "message",
        role: "assistant",
        model: body.model,
        content,
        stop_reason,
        stop_sequence: null,
        usage,
      };
      if (body.stream !== true) return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
      const events = [
        { type: "message_start", message: { ...message, content: [], stop_reason: null } },
        ...content.flatMap((block, index) => [
          {
            type: "content_block_start",
            index,
            content_block: block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} },
          },
          {
            type: "content_block_delta",
            index,
            delta:
              block.type === "text"
                ? { type: "text_delta", text: block.text }
                : { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
          },
          { type: "content_block_stop", index },
        ]),
        { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
        { type: "message_stop" },
      ];
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
