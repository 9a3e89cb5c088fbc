// A server of the MCP SDK that guards its own tools, and a client that guards a server as a whole. A real client starts its server by StdioClientTransport.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createGuard } from "assent";
import { guardTransport } from "assent/mcp";
import { z } from "zod";

// What a tool does is known in the server.
const guard = createGuard({ policy: { permissions: { deny: ["Bash(git push:*)"] } } });
const bash = guard.tool({ name: "bash", does: ({ command }) => ({ shell: command }) }, ({ command }) => ({
  content: [{ type: "text", text: `(this example runs nothing) ${command}` }],
}));
const server = new McpServer({ name: "box", version: "1.0.0" });
server.registerTool("bash", { description: "Runs a line of shell.", inputSchema: { command: z.string() } }, bash);

// The client knows the tools by their names, and judges what their input shows.
const [near, far] = InMemoryTransport.createLinkedPair();
const outside = createGuard({ policy: { permissions: { allow: ["mcp__box__bash"] } } });
const client = new Client({ name: "agent", version: "1.0.0" });
await server.connect(far);
await client.connect(guardTransport(outside, near, { name: "box" }));

for (const command of ["ls", "git push", "cat .env"]) {
  const { content } = await client.callTool({ name: "bash", arguments: { command } });
  console.log(content[0].text);
}
await client.close();
