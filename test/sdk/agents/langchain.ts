import { Command, MemorySaver } from "@langchain/langgraph";
import { createGuard } from "assent";
import type { ReviewRequest } from "assent/langchain";
import { createAgent, FakeToolCallingModel, tool } from "langchain";
import { z } from "zod";
import { CALLS, POLICY, report } from "./script.js";

const ran: string[] = [];
const read = tool(({ path }) => (ran.push(path), `text of ${path}`), {
  name: "read",
  description: "Reads a file.",
  schema: z.object({ path: z.string() }),
});
const bash = tool(({ command }) => (ran.push(command), `ran ${command}`), {
  name: "bash",
  description: "Runs a line.",
  schema: z.object({ command: z.string() }),
});
const tools = [read, bash];

const guard = createGuard({ policy: POLICY });
const permissions = guard.middleware(tools, {
  read: ({ path }) => ({ read: path }),
  bash: ({ command }) => ({ shell: command }),
});

// @ts-expect-error -- the schema has no such field
guard.middleware(tools, { bash: ({ line }) => ({ shell: line }) });
// @ts-expect-error -- there is no such tool
export const misspelt = () => guard.middleware(tools, { bahs: "nothing" });

const model = new FakeToolCallingModel({ toolCalls: [...CALLS.map(([name, args], at) => [{ name, args, id: `call-${at}` }]), []] });
const agent = createAgent({ model, tools, middleware: [permissions], checkpointer: new MemorySaver() });
const config = { configurable: { thread_id: "1" } };

const asked: string[] = [];
let result = await agent.invoke({ messages: [{ role: "user", content: "clean up" }] }, config);
for (;;) {
  const [question] = (("__interrupt__" in result ? result.__interrupt__ : undefined) as { value: ReviewRequest }[] | undefined) ?? [];
  if (question === undefined) break;
  asked.push(...question.value.actionRequests.map(({ name }) => name));
  result = await agent.invoke(
    new Command({ resume: { decisions: question.value.actionRequests.map(() => ({ type: "approve" })) } }),
    config,
  );
}
report({ ran, asked, told: result.messages.map(({ content }) => content), said: "done" });
