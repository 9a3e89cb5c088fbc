import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { createGuard, effectOf } from "assent";
import { canUseTool, hooks } from "assent/claude-agent-sdk";
import { z } from "zod";
import { POLICY, report } from "./script.js";

const ran: string[] = [];
const said = (text: string) => ({ content: [{ type: "text" as const, text }] });
const read = tool("read", "Reads a file.", { path: z.string() }, async ({ path }) => (ran.push(path), said(`text of ${path}`)));
const bash = tool("bash", "Runs a line.", { command: z.string() }, async ({ command }) => (ran.push(command), said(`ran ${command}`)));

const asked: string[] = [];
const guard = createGuard({ policy: POLICY, onAsk: ({ tool: asking }) => (asked.push(asking?.name ?? ""), true) });
const effects = {
  mcp__box__read: effectOf(read, ({ path }) => ({ read: path })),
  mcp__box__bash: effectOf(bash, ({ command }) => ({ shell: command })),
};

// @ts-expect-error -- the schema has no such field
effectOf(bash, ({ line }) => ({ shell: line }));

const mcpServers = { box: createSdkMcpServer({ name: "box", version: "1.0.0", tools: [read, bash], alwaysLoad: true }) };
const options = { mcpServers, settingSources: [], hooks: hooks(guard, { effects }), canUseTool: canUseTool(guard, { effects }) };
for await (const message of query({ prompt: "clean up", options }))
  if (message.type === "result")
    report({ ran, asked, told: "by its API", said: message.subtype === "success" ? message.result : message.subtype });
