// An agent of the Claude Agent SDK, with the Claude Code that it brings: `hooks` and `canUseTool`, tools of an in-process MCP server.
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { canUseTool, hooks } from "assent/claude-agent-sdk";
import { z } from "zod";
import { EFFECTS, main, Script, TOOLS } from "./agent.mjs";
import { scriptedApi } from "./anthropic-api.mjs";

const OWN = "mcp__box__";
const effects = Object.fromEntries(Object.entries(EFFECTS).map(([name, does]) => [`${OWN}${name}`, does]));

await main(import.meta.url, async (request, kit) => {
  const { saved, answers = [], cwd } = request;
  const script = new Script(saved?.turns ?? request.turns);
  const api = await scriptedApi(({ messages }) =>
    script.next(messages).map((call) => ({ ...call, id: `toolu_${call.id}`, name: `${OWN}${call.name}` })),
  );
  const guard = request.helper === true ? kit.guard.with({ principal: { user: "ann", role: "dev", agent: "helper" } }) : kit.guard;
  const tools = Object.entries(TOOLS).map(([name, { description, fields }]) =>
    tool(name, description, Object.fromEntries(fields.map((field) => [field, z.string()])), async (input) => ({
      content: [{ type: "text", text: kit[name](input) }],
    })),
  );
  const asked = [];
  const [given = []] = answers;
  const onAsk = ({ input, operation }) => {
    if (saved === undefined || asked.length > 0 || saved.asked !== (input.command ?? operation))
      asked.push([input.command ?? operation.replace(OWN, "")]);
    const answer = given.shift();
    if (answer === "yes") return true;
    return answer?.edit === undefined
      ? { allow: false, ...(answer?.no === undefined ? {} : { message: answer.no }) }
      : { allow: true, updatedInput: answer.edit };
  };
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: "sk-ant-fake000",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    IS_SANDBOX: "1",
  };
  const defer = request.answers === undefined && request.onAsk === undefined && saved === undefined;
  const options = {
    cwd,
    env,
    settingSources: [],
    model: "claude-sonnet-4-5",
    includePartialMessages: request.stream === true,
    mcpServers: { box: createSdkMcpServer({ name: "box", version: "1.0.0", tools, alwaysLoad: true }) },
    hooks: hooks(guard, { effects, defer }),
    ...(defer ? {} : { canUseTool: canUseTool(guard, { effects, ...(request.onAsk === undefined ? { onAsk } : {}) }) }),
    ...(saved === undefined ? {} : { resume: saved.session }),
  };
  try {
    let result;
    for await (const message of query({ prompt: saved === undefined ? "please" : "", options }))
      if (message.type === "result") result = message;
    const { deferred_tool_use: waiting, session_id: session } = result;
    if (waiting !== undefined) {
      const what = waiting.input.command ?? waiting.name;
      return { asked: [[what]], told: script.told, finished: false, saved: { session, asked: what, turns: script.turns } };
    }
    return { asked, told: script.told, finished: result.subtype === "success" && result.result === "done" };
  } finally {
    api.close();
  }
});
