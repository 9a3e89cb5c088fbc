// A server with many users: one guard for the process, and one for each request, made of it in microseconds. Whose request it is comes from
// the server's own session, never from the model. Its agents are those of langchain; the model here is a list, a real one takes its place.
import { once } from "node:events";
import { createServer } from "node:http";
import { createGuard } from "assent";
import { createAgent, FakeToolCallingModel, tool } from "langchain";

const guard = createGuard({
  cwd: "/srv/app",
  policy: {
    permissions: {
      allow: [{ rule: "Edit(docs/**)", when: { role: "writer" } }],
      deny: [{ rule: "Edit(docs/prices.md)", when: { tenant: "trial" }, reason: "prices are part of the paid plan" }],
    },
  },
});
const effects = { save: ({ path }) => ({ write: path }) };
const save = tool(async ({ path }) => `(this example writes nothing) ${path}`, {
  name: "save",
  description: "Writes a page.",
  schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
});

/** Stands for the sessions that a server keeps. */
const sessions = new Map([
  ["ann's", { user: "ann", tenant: "acme", role: "writer" }],
  ["bob's", { user: "bob", tenant: "trial", role: "writer" }],
  ["eve's", { user: "eve", tenant: "acme", role: "reader" }],
]);

async function work(principal, path) {
  const own = guard.with({ principal });
  const model = new FakeToolCallingModel({ toolCalls: [[{ name: "save", args: { path }, id: "call-1" }], []] });
  const agent = createAgent({ model, tools: [save], middleware: [own.middleware(effects)] });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: `write ${path}` }] });
  return messages.filter(({ type }) => type === "tool").map(({ text }) => text);
}

const server = createServer((request, response) => {
  const principal = sessions.get(request.headers.authorization ?? "");
  if (principal === undefined) return void response.writeHead(401).end("who are you?");
  work(principal, (request.url ?? "/").slice(1)).then(
    (said) => response.end(said.join("\n")),
    (error) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

const { port } = server.address();
// All at once: no user's rules count for another.
const asked = ["ann's", "bob's", "eve's", "nobody's"].flatMap((session) => ["docs/a.md", "docs/prices.md"].map((path) => [session, path]));
const answers = await Promise.all(
  asked.map(
    async ([authorization, path]) => await (await fetch(`http://127.0.0.1:${port}/${path}`, { headers: { authorization } })).text(),
  ),
);
for (const [at, [session, path]] of asked.entries()) console.log(`${session} ${path}: ${answers[at]}`);
server.close();
