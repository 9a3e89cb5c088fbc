import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createGuard } from "assent";
import { guardTransport } from "assent/mcp";
import { z } from "zod";
import { CALLS, POLICY, report } from "./script.js";

// The server guards its own tools: what they do is known here.
const ran: string[] = [];
const asked: string[] = [];
const guard = createGuard({ policy: POLICY, onAsk: ({ tool }) => (asked.push(tool?.name ?? ""), true) });
const said = (text: string) => ({ content: [{ type: "text" as const, text }] });
const server = new McpServer({ name: "box", version: "1.0.0" });
server.registerTool(
  "read",
  { description: "Reads a file.", inputSchema: { path: z.string() } },
  guard.tool({ name: "read", does: ({ path }) => ({ read: path }) }, ({ path }) => (ran.push(path), said(`text of ${path}`))),
);
server.registerTool(
  "bash",
  { description: "Runs a line.", inputSchema: { command: z.string() } },
  guard.tool({ name: "bash", does: ({ command }) => ({ shell: command }) }, ({ command }) => (ran.push(command), said(`ran ${command}`))),
);

// The client guards the server as a whole, by the names of its tools.
const deny = [{ rule: "mcp__box__bash(command:npm publish*)", reason: "a person publishes" }];
const outer = createGuard({ policy: { permissions: { allow: ["mcp__box__read", "mcp__box__bash"], deny } } });
const [near, far] = InMemoryTransport.createLinkedPair();
await server.connect(far);
const client = new Client({ name: "agent", version: "1.0.0" });
await client.connect(guardTransport(outer, near, { name: "box" }));

const told: unknown[] = [];
for (const [name, input] of CALLS) told.push(await client.callTool({ name, arguments: input }));
report({ ran, asked, told, said: "done" });
