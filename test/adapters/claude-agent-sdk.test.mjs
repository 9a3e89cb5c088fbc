// `assent/claude-agent-sdk` in the real SDK with the Claude Code it brings, which talks to a scripted model on the loopback.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { createGuard } from "assent";
import { openGuard } from "assent/compat";
import { canUseTool, hooks } from "assent/claude-agent-sdk";
import { z } from "zod";

const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-claude-")));
const project = join(root, "project");
const home = join(root, "home");
mkdirSync(join(project, ".git"), { recursive: true });
mkdirSync(home);
writeFileSync(join(home, ".agent-permissions.jsonc"), '{ "automation": { "agents": { "restricted": ["sleuth"] } } }');
process.env.HOME = home;
process.env.XDG_STATE_HOME = join(root, "state");

/** What the model does, by the name in the prompt: one turn a list of calls; then it says `done`. */
const scripts = new Map();
/** What it was told about its calls. */
const told = new Map();

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (!request.url.startsWith("/v1/messages") || request.method !== "POST") return response.writeHead(404).end();
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    const content = turn(body.messages ?? []);
    const usage = { input_tokens: 1, output_tokens: 1 };
    const stop_reason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
    const message = {
      id: `msg_${Math.random()}`,
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
        { type: "content_block_start", index, content_block: block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} } },
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

let calls = 0;
function turn(messages) {
  const name = /SCRIPT:(\w+)/.exec(JSON.stringify(messages.filter(({ role }) => role === "user")))?.[1];
  const script = scripts.get(name);
  if (script === undefined) return [{ type: "text", text: "done" }];
  told.set(name, JSON.stringify(messages));
  const step = messages.filter(({ role }) => role === "assistant").length;
  const uses = (script[step] ?? []).map(([tool, input]) => ({ type: "tool_use", id: `toolu_${(calls += 1)}`, name: tool, input }));
  return uses.length === 0 ? [{ type: "text", text: "done" }] : uses;
}

before(async () => await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve)));
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(root, { recursive: true, force: true });
});

const clientEnv = () => ({
  PATH: process.env.PATH,
  HOME: home,
  ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.address().port}`,
  ANTHROPIC_API_KEY: "sk-ant-fake000",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_AUTOUPDATER: "1",
  IS_SANDBOX: "1",
});

/** Runs a script and gives what the model read. */
async function drive(name, script, options) {
  scripts.set(name, script);
  const env = clientEnv();
  for await (const message of query({
    prompt: `please SCRIPT:${name}`,
    options: { cwd: project, env, settingSources: [], model: "claude-sonnet-4-5", ...options },
  }))
    if (message.type === "result") assert.equal(message.subtype, "success");
  return told.get(name) ?? "";
}

const guard = () => openGuard({ cwd: project, agent: "claude", audit: false });
const bash = (command) => ["Bash", { command, description: "x" }];

describe("hooks and canUseTool", () => {
  it("allowed calls run, denied ones do not and the model reads why; several at once", async () => {
    const text = await drive("basic", [[bash("echo one; pwd"), bash("rm -rf ~"), bash("ls -a")]], { hooks: hooks(guard()) });
    assert.match(text, /one\\n/);
    assert.match(text, /Assent: .*delete your whole home folder/);
  });

  for (const [name, answer, words] of [
    ["yes", true, /ran: build/],
    ["no", false, /the user refused: .*deletes a folder/],
    ["nobody", undefined, /deletes a folder/],
  ])
    it(`a question: ${name}`, async () => {
      const asked = [];
      const the = guard();
      const onAsk = ({ question }) => (asked.push(question), answer);
      const options = answer === undefined ? {} : { canUseTool: canUseTool(the, { onAsk }) };
      mkdirSync(join(project, "build"), { recursive: true });
      const text = await drive(`ask_${name}`, [[bash("rm -rf build && printf 'ran: %s' build")]], { hooks: hooks(the), ...options });
      assert.equal(asked.length, answer === undefined ? 0 : 1);
      for (const question of asked) assert.match(question, /^Bash rm -rf build && /);
      assert.match(text, words);
      assert.equal(existsSync(join(project, "build")), answer !== true);
    });

  it("asks about a call, not about a tool; a yes that is remembered covers nothing else", async () => {
    const asked = [];
    const the = guard();
    const onAsk = ({ target }) => (asked.push(target), { allow: true, remember: true });
    for (const folder of ["a", "b"]) mkdirSync(join(project, folder), { recursive: true });
    await drive("each", [[bash("rm -rf a")], [bash("rm -rf a")], [bash("rm -rf b")]], {
      hooks: hooks(the),
      canUseTool: canUseTool(the, { onAsk }),
    });
    assert.deepEqual(asked, ["rm -rf a", "rm -rf b"]);
  });

  it("a person may change the call", async () => {
    const the = guard();
    const onAsk = () => ({ allow: true, updatedInput: { command: "echo CHANGED | tr C c" } });
    const text = await drive("edit", [[bash("rm -rf a")]], { hooks: hooks(the), canUseTool: canUseTool(the, { onAsk }) });
    assert.match(text, /cHANGED/);
  });

  it("files, and the host's own mode: what is denied is denied in bypassPermissions as well", async () => {
    const write = ["Write", { file_path: join(project, ".env"), content: "KEY=1" }];
    const options = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true };
    const text = await drive("bypass", [[write, bash("rm -rf ~"), bash("rm -rf build; printf 'ran: %s' build")]], {
      ...options,
      hooks: hooks(guard()),
    });
    assert.match(text, /secret/);
    assert.match(text, /delete your whole home folder/);
    assert.match(text, /ran: build/);
  });

  it("tools of the program's own, by facts and by name; one that throws is told to the model", async () => {
    const ran = [];
    const run = tool("run", "Runs a line.", { line: z.string() }, async ({ line }) => {
      if (line === "false") throw new Error("exit code 1");
      ran.push(line);
      return { content: [{ type: "text", text: `ran ${line}` }] };
    });
    const box = createSdkMcpServer({ name: "box", version: "1.0.0", tools: [run] });
    const facts = { mcp__box__run: { does: "shell", field: "line" } };
    const lines = ["ls", "rm -rf ~", "false"].map((line) => ["mcp__box__run", { line }]);
    const the = guard();
    const options = { mcpServers: { box }, hooks: hooks(the, { facts }), canUseTool: canUseTool(the, { facts, onAsk: () => true }) };
    const text = await drive("own", [lines], options);
    assert.deepEqual(ran, ["ls"]);
    assert.match(text, /delete your whole home folder/);
    assert.match(text, /exit code 1/);
  });

  it("sub-agents are judged by their name", async () => {
    const asked = [];
    const the = guard();
    scripts.set("sub", [[bash("ls")]]);
    const agents = { sleuth: { description: "Looks around.", prompt: "Look around.", tools: ["Bash"] } };
    const onAsk = ({ operation, subagent, target }) => {
      if (operation !== "Bash") return true;
      asked.push([subagent?.replace(/:.*/, ""), target]);
      return false;
    };
    const call = ["Agent", { description: "look", prompt: "SCRIPT:sub", subagent_type: "sleuth" }];
    await drive("parent", [[call]], { agents, hooks: hooks(the), canUseTool: canUseTool(the, { onAsk }) });
    assert.deepEqual(asked, [["sleuth", "ls"]]);
  });

  it("without hooks, canUseTool judges what the host asks about", async () => {
    const asked = [];
    const text = await drive("alone", [[bash("rm -rf ~"), bash("touch new")]], {
      canUseTool: canUseTool(guard(), { onAsk: ({ target }) => (asked.push(target), false) }),
    });
    assert.match(text, /delete your whole home folder/);
    assert.deepEqual(asked, ["touch new"]);
  });

  it("a run that was given up while a person thought starts nothing", async () => {
    const giveUp = new AbortController();
    const the = guard();
    const onAsk = () => (giveUp.abort(), true);
    const options = { abortController: giveUp, hooks: hooks(the), canUseTool: canUseTool(the, { onAsk }) };
    mkdirSync(join(project, "kept"), { recursive: true });
    await drive("abort", [[bash("rm -rf kept")]], options).catch(() => undefined);
    assert.equal(existsSync(join(project, "kept")), true);
  });

  it("a hook that fails blocks the call", async () => {
    const broken = {
      ...guard(),
      decide: () => {
        throw new Error("broken");
      },
    };
    const text = await drive("broken", [[bash("echo RAN | tr R r")]], { hooks: hooks(broken) });
    assert.doesNotMatch(text, /rAN/);
  });
});

describe("the example", () => {
  it("runs, and refuses what it cannot ask about", async () => {
    scripts.set("example", [[bash("ls"), bash("rm -rf build")]]);
    mkdirSync(join(project, "build"), { recursive: true });
    const program = join(import.meta.dirname, "example.mjs");
    const child = spawn(process.execPath, [program, "SCRIPT:example"], {
      cwd: project,
      env: clientEnv(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const chunks = [];
    for await (const chunk of child.stdout) chunks.push(chunk);
    assert.equal(Buffer.concat(chunks).toString(), "done\n");
    assert.match(told.get("example"), /the user refused/);
    assert.ok(existsSync(join(project, "build")));
  });
});

describe("a guard in code", () => {
  it("its onAsk gets the host's suggestions, and what it hands back the host remembers", async () => {
    const asked = [];
    const onAsk = ({ text, suggestions }) => (asked.push([text, suggestions]), { yes: "once", updatedPermissions: suggestions });
    const the = createGuard({ cwd: project, home, onAsk });
    await drive("suggested", [[bash("touch one-more")], [bash("touch one-more")]], { canUseTool: the.canUseTool });
    assert.equal(asked.length, 1);
    assert.match(asked[0][0], /one-more/);
    assert.ok(asked[0][1].length > 0);
    assert.ok(existsSync(join(project, "one-more")));
  });

  it("one that confines: canUseTool runs what the hook would have a person asked about, and the host's shell gets no secret", async () => {
    const asked = [];
    mkdirSync(join(home, ".ssh"), { recursive: true });
    writeFileSync(join(home, ".ssh/id_rsa"), "KEY-OF-ANN");
    writeFileSync(join(project, "x.sh"), 'printf "hello "; cat ~/.ssh/id_rsa');
    const the = createGuard({ cwd: project, home, confine: true, onAsk: ({ text }) => (asked.push(text), false) });
    const text = await drive("confined", [[bash("sh x.sh")]], { hooks: hooks(the), canUseTool: the.canUseTool });
    assert.deepEqual(asked, []);
    assert.match(text, /hello /);
    assert.match(text, /refused: read/);
    assert.doesNotMatch(text, /KEY-OF-ANN/);
  });
});
