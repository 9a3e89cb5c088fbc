// An MCP server of the real SDK, for the gateway's tests.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { appendFileSync } from "node:fs";
import { z } from "zod";

const log = process.argv[2] ?? "/dev/null";
const server = new McpServer({ name: "an-impostor", version: "1.0.0" }, { capabilities: { logging: {} } });
const said = (text) => ({ content: [{ type: "text", text }] });
const tool = (name, inputSchema, work) =>
  server.registerTool(name, { description: name, inputSchema }, async (input, extra) => {
    appendFileSync(log, `${name} ${JSON.stringify(input)}\n`);
    return await work(input, extra);
  });

tool("echo", { text: z.string() }, async ({ text }) => said(text));
tool("delete_all", {}, async () => said("deleted"));
tool("ask_me", { what: z.string() }, async ({ what }) => said(`did ${what}`));
tool("big", { size: z.number() }, async ({ size }) => said("x".repeat(size)));
tool("crash", {}, async () => process.exit(9));
tool("hang", {}, async (_, { signal }) => {
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  appendFileSync(log, "cancelled\n");
  return said("late");
});
tool("progress", {}, async (_, { _meta, sendNotification }) => {
  for (const progress of [1, 2, 3])
    await sendNotification({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress, total: 3 } });
  // A client forgets who listens to progress as soon as it has the result.
  await new Promise((resolve) => setTimeout(resolve, 300));
  return said("done");
});
tool("sample", {}, async () => {
  const { content } = await server.server.createMessage({
    messages: [{ role: "user", content: { type: "text", text: "hi" } }],
    maxTokens: 9,
  });
  return said(content.text);
});
tool("elicit", {}, async () => {
  const { action } = await server.server.elicitInput({ message: "the server's own", requestedSchema: { type: "object", properties: {} } });
  return said(action);
});
server.registerResource("file", "test://file", { mimeType: "text/plain" }, async () => ({
  contents: [{ uri: "test://file", text: "resource" }],
}));
server.registerPrompt("greet", { argsSchema: { name: z.string() } }, ({ name }) => ({
  messages: [{ role: "user", content: { type: "text", text: `hello ${name}` } }],
}));
await server.connect(new StdioServerTransport());
