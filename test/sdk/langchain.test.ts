import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, FakeToolCallingModel, tool, toolErrorMiddleware, type BaseMessage } from "langchain";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { openGuard, type AskQuestion, type OpenedGuard } from "../../src/sdk/index.ts";
import { permissionMiddleware, type AdapterOptions, type ReviewRequest } from "../../src/sdk/langchain/index.ts";
import { scratch } from "../scratch.ts";

/** `assent/langchain` in real agents, with a model that is a list. */

const ran: string[] = [];
afterEach(() => void ran.splice(0));

const bash = tool(
  ({ command }) => {
    if (command === "false") throw new Error("exit code 1");
    ran.push(command);
    return `ran ${command}`;
  },
  { name: "bash", description: "Runs a line of shell.", schema: z.object({ command: z.string() }) },
);
const facts = { bash: { does: "shell", field: "command" } } as const;

function guardIn(): OpenedGuard {
  const { machine, project } = scratch();
  return openGuard({ cwd: project, machine, audit: false });
}

/** An agent whose model calls these commands, one list a turn. */
function agentOf(turns: readonly (readonly string[])[], options: AdapterOptions = {}, guard = guardIn(), checkpointer = true) {
  let calls = 0;
  const toolCalls = [...turns.map((turn) => turn.map((command) => ({ name: "bash", args: { command }, id: `call-${(calls += 1)}` }))), []];
  return createAgent({
    model: new FakeToolCallingModel({ toolCalls }),
    tools: [bash],
    middleware: [permissionMiddleware(guard, { facts, ...options })],
    ...(checkpointer ? { checkpointer: new MemorySaver() } : {}),
  });
}

const config = { configurable: { thread_id: "1" } };
const input = { messages: [{ role: "user", content: "x" }] };
const told = (messages: readonly BaseMessage[]): readonly string[] =>
  messages.filter(({ type }) => type === "tool").map(({ text }) => text);

interface Asked {
  readonly id?: string;
  readonly value?: ReviewRequest;
}
/** What a run waits for. */
const askedIn = (result: object): readonly Asked[] => ("__interrupt__" in result ? (result.__interrupt__ as readonly Asked[]) : []);
const resume = (...decisions: readonly unknown[]) => new Command({ resume: { decisions } });

describe("permissionMiddleware", () => {
  it("allowed calls run, denied ones do not and the model reads why", async () => {
    const { messages } = await agentOf([["ls", "rm -rf ~"]]).invoke(input, config);
    expect(ran).toEqual(["ls"]);
    expect(told(messages)).toEqual(["ran ls", expect.stringMatching(/delete your whole home folder/)]);
    expect(messages.find(({ text }) => /delete your whole home folder/.test(text))).toMatchObject({
      status: "error",
      name: "bash",
    });
  });

  it.each([
    ["approve", { type: "approve" }, ["rm -rf build"], /^ran rm -rf build$/],
    ["reject", { type: "reject" }, [], /^the user refused: /],
    ["reject with words", { type: "reject", message: "not this one" }, [], /^not this one$/],
    ["edit", { type: "edit", editedAction: { name: "bash", args: { command: "rm -rf dist" } } }, ["rm -rf dist"], /^ran rm -rf dist$/],
    [
      "edit to what is denied",
      { type: "edit", editedAction: { name: "bash", args: { command: "rm -rf ~" } } },
      [],
      /delete your whole home folder/,
    ],
    ["edit to another tool", { type: "edit", editedAction: { name: "sh", args: {} } }, [], /^the user refused: /],
    ["nonsense", { type: "yes" }, [], /^the user refused: /],
  ])("a question is an interrupt: %s", async (_, decision, expected, answer) => {
    const agent = agentOf([["rm -rf build"]]);
    const [asked] = askedIn(await agent.invoke(input, config));
    expect(ran).toEqual([]);
    expect(asked?.value).toEqual({
      actionRequests: [
        { name: "bash", args: { command: "rm -rf build" }, description: expect.stringMatching(/^bash rm -rf build\? /) as string },
      ],
      reviewConfigs: [{ actionName: "bash", allowedDecisions: ["approve", "edit", "reject"] }],
    });
    const { messages } = await agent.invoke(resume(decision), config);
    expect(ran).toEqual(expected);
    expect(told(messages)).toEqual([expect.stringMatching(answer)]);
  });

  it.each([["yes"], [true], [{}], [{ decisions: [] }], [{ decisions: [{ type: "approve" }, { type: "approve" }] }]])(
    "only one decision is an answer: %j",
    async (answer) => {
      const agent = agentOf([["rm -rf build"]]);
      await agent.invoke(input, config);
      await agent.invoke(new Command({ resume: answer }), config);
      expect(ran).toEqual([]);
    },
  );

  it("asks about a call, not about a tool, and runs none twice: of four at once one runs, one is refused and two are asked", async () => {
    const agent = agentOf([["ls", "rm -rf ~", "rm -rf build", "rm -rf src"], ["rm -rf docs"]]);
    const asked = askedIn(await agent.invoke(input, config));
    expect(ran).toEqual(["ls"]);
    expect(asked.map(({ value }) => value?.actionRequests[0].args["command"])).toEqual(["rm -rf build", "rm -rf src"]);
    const answers = asked.map(({ id = "" }, at) => [id, { decisions: [{ type: at === 0 ? "approve" : "reject" }] }] as const);
    const second = await agent.invoke(new Command({ resume: Object.fromEntries(answers) }), config);
    expect(ran).toEqual(["ls", "rm -rf build"]);
    expect(askedIn(second).map(({ value }) => value?.actionRequests[0].args["command"])).toEqual(["rm -rf docs"]);
  });

  it("where a run cannot be interrupted, a question is a refusal", async () => {
    const { messages } = await agentOf([["rm -rf build"]], {}, guardIn(), false).invoke(input);
    expect(ran).toEqual([]);
    expect(told(messages)).toEqual([expect.stringMatching(/^approval required: /)]);
  });

  it.each([true, false])("with onAsk the question is put at once: %s", async (answer) => {
    const asked: AskQuestion[] = [];
    const onAsk = (question: AskQuestion): boolean => (asked.push(question), answer);
    const { messages } = await agentOf([["rm -rf build"]], { onAsk }, guardIn(), false).invoke(input);
    expect(asked).toMatchObject([{ operation: "bash", target: "rm -rf build" }]);
    expect(ran).toEqual(answer ? ["rm -rf build"] : []);
    expect(told(messages)).toEqual([expect.stringMatching(answer ? /^ran/ : /^the user refused: /)]);
  });

  it("what was approved is judged once more before it runs", async () => {
    const guard = guardIn();
    let broken = false;
    const turning: OpenedGuard = { ...guard, decide: (request) => guard.decide(broken ? { command: "rm -rf ~" } : request) };
    const agent = agentOf([["rm -rf build"]], {}, turning);
    await agent.invoke(input, config);
    broken = true;
    await agent.invoke(resume({ type: "approve" }), config);
    expect(ran).toEqual([]);
  });

  it("a run that was given up while a person thought starts nothing", async () => {
    const giveUp = new AbortController();
    const onAsk = (): boolean => (giveUp.abort(), true);
    const agent = agentOf([["rm -rf build"]], { onAsk });
    await agent.invoke(input, { ...config, signal: giveUp.signal }).catch(() => undefined);
    expect(ran).toEqual([]);
  });

  it("what a tool throws goes on to the middleware around", async () => {
    await expect(agentOf([["false"]]).invoke(input, config)).rejects.toThrow(/exit code 1/);
    const toolCalls = [[{ name: "bash", args: { command: "false" }, id: "call-1" }], []];
    const middleware = [toolErrorMiddleware({ onError: String }), permissionMiddleware(guardIn(), { facts })] as const;
    const { messages } = await createAgent({ model: new FakeToolCallingModel({ toolCalls }), tools: [bash], middleware }).invoke(input);
    expect(told(messages)).toEqual([expect.stringMatching(/exit code 1/)]);
  });

  it("tools without facts are judged by their name, those of a server by its", async () => {
    const seen: string[] = [];
    const guard = guardIn();
    const watching: OpenedGuard = { ...guard, decide: (request) => ("tool" in request && seen.push(request.tool), guard.decide(request)) };
    await agentOf([["ls"]], { facts: {}, server: "db" }, watching).invoke(input, config);
    expect([seen, ran]).toEqual([["mcp__db__bash"], []]);
  });
});
