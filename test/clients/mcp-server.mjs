// An MCP server over standard input and output with two tools, each leaving a file where it was called: `note` and `wipe`.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const tools = ["note", "wipe"].map((name) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
}));

function result({ method, params }) {
  switch (method) {
    case "initialize":
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "lab", version: "1.0.0" } };
    case "tools/list":
      return { tools };
    case "tools/call":
      writeFileSync(`/home/you/project/mcp-${params.name}.txt`, "called\n");
      return { content: [{ type: "text", text: `${params.name} is done` }] };
    default:
      return {};
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined || message.method === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: result(message) })}\n`);
});
