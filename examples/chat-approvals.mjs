// Approvals in a chat such as Slack: the question goes out as a message with two buttons and waits in a store; no promise is held, and
// whichever process hears of the button goes on. The agent is one of langchain; the model here is a list, a real one takes its place.
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createGuard, folderApprovals, UnknownApproval } from "assent";
import { createAgent, FakeToolCallingModel, tool } from "langchain";

const SECRET = "the signing secret of your chat app";
const folder = mkdtempSync(join(process.cwd(), "app-"));
const guard = createGuard({ cwd: "/srv/app", approvals: folderApprovals(join(folder, "approvals")) });
const sign = (time, body) => createHmac("sha256", SECRET).update(`v0:${time}:${body}`).digest("hex");

/** Listens on this machine, and gives where. */
async function listen(handle) {
  const server = createServer((request, response) => {
    text(request)
      .then(async (body) => response.end(await handle(request, body)))
      .catch((error) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${server.address().port}/` };
}

// The chat's webhook: a channel in which messages with buttons appear.
const channel = [];
const chat = await listen((_, body) => void channel.push(JSON.parse(body)));

// The agent's tool: what needs a person is put into the chat, and the model reads that it waits.
const run = tool(
  async ({ command }) => {
    const outcome = await guard.check({ shell: command }, { reason: "version 2 is ready" });
    if (outcome.verdict === "allow") return `(this example runs nothing) ${command}`;
    if (outcome.verdict === "pending") {
      const message = { text: outcome.decision.forPerson, buttons: { yes: outcome.token, no: outcome.token } };
      await fetch(chat.url, { method: "POST", body: JSON.stringify(message) });
    }
    return outcome.forModel;
  },
  {
    name: "run",
    description: "Runs a line of shell.",
    schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  },
);
const commands = ["git status", "npm publish", "npm deprecate app@1 old", "cat ~/.npmrc"];
const toolCalls = [commands.map((command, at) => ({ name: "run", args: { command }, id: `call-${at}` })), []];
const agent = createAgent({ model: new FakeToolCallingModel({ toolCalls }), tools: [run] });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: "publish" }] });
for (const message of messages) if (message.type === "tool") console.log(`the model reads: ${message.text}`);

// The buttons' handler. The signature proves that the chat sent the answer; the token, that this guard asked.
const buttons = await listen(async ({ headers }, body) => {
  const time = String(headers["x-time"] ?? "");
  const [expected, given] = [Buffer.from(sign(time, body)), Buffer.from(String(headers["x-signature"] ?? ""))];
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300) || given.length !== expected.length || !timingSafeEqual(given, expected))
    return "not from the chat";
  const { button, token, user } = JSON.parse(body);
  try {
    const outcome = await guard.resume(token, button === "yes" ? { yes: "once" } : { no: "not today" }, user);
    return outcome.verdict === "allow" ? `run now: ${JSON.stringify(outcome.calls)}` : outcome.forModel;
  } catch (error) {
    if (error instanceof UnknownApproval) return "answered before, or too late";
    throw error;
  }
});

/** Somebody presses a button. */
async function press(at, button, secret = sign) {
  const body = JSON.stringify({ button, token: channel[at].buttons[button], user: "ann" });
  const time = String(Math.floor(Date.now() / 1000));
  const response = await fetch(buttons.url, { method: "POST", body, headers: { "x-time": time, "x-signature": secret(time, body) } });
  console.log(`${button} to "${channel[at].text}": ${await response.text()}`);
}
await press(0, "yes", () => "0".repeat(64));
await press(0, "yes");
await press(0, "yes");
await press(1, "no");
for (const { server } of [chat, buttons]) {
  server.closeAllConnections();
  server.close();
}
rmSync(folder, { recursive: true });
