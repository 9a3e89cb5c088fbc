// An MCP server of the real SDK, for the gateway's tests: `server.mjs LOG`, or over HTTP `server.mjs LOG http` (JSON
// answers: `json`, without sessions: `stateless`), which says its port on standard output.
import { InMemoryEventStore } from "@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { z } from "zod";

const [, , log = "/dev/null", way = "stdio"] = process.argv;
const said = (text) => ({ content: [{ type: "text", text }] });

function make() {
  const server = new McpServer({ name: "an-impostor", version: "1.0.0" }, { capabilities: { logging: {} } });
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
    const { action } = await server.server.elicitInput({
      message: "the server's own",
      requestedSchema: { type: "object", properties: {} },
    });
    return said(action);
  });
  server.registerResource("file", "test://file", { mimeType: "text/plain" }, async () => ({
    contents: [{ uri: "test://file", text: "resource" }],
  }));
  tool("roots", {}, async () => said((await server.server.listRoots()).roots.map(({ uri }) => uri).join()));
  tool("say", {}, async () => {
    await server.sendLoggingMessage({ level: "info", data: "logged" });
    return said("said");
  });
  // The stream of this call ends before its answer is there.
  tool("drop", {}, async (_, { closeSSEStream }) => {
    closeSSEStream?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return said("resumed");
  });
  tool("forget", {}, async () => {
    setTimeout(() => sessions.clear(), 50);
    return said("forgotten");
  });
  server.registerPrompt("greet", { argsSchema: { name: completable(z.string(), () => ["you", "me"]) } }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `hello ${name}` } }],
  }));
  return server;
}

const sessions = new Map();
if (way === "stdio") await make().connect(new StdioServerTransport());
else {
  const http = createServer((request, response) => void serve(request, response));
  const serve = async (request, response) => {
    appendFileSync(`${log}.headers`, `${JSON.stringify({ method: request.method, ...request.headers })}\n`);
    const id = request.headers["mcp-session-id"];
    if (id !== undefined && !sessions.has(id)) return response.writeHead(404).end();
    let transport = sessions.get(id);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: way === "stateless" ? undefined : randomUUID,
        enableJsonResponse: way === "json",
        ...(way === "http" ? { eventStore: new InMemoryEventStore(), retryInterval: 50 } : {}),
        onsessioninitialized: (made) => sessions.set(made, transport),
      });
      await make().connect(transport);
    }
    await transport.handleRequest(request, response);
  };
  http.listen(0, "127.0.0.1", () => console.log(http.address().port));
}
