import type { StructuredToolInterface } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, FakeToolCallingModel, tool, toolErrorMiddleware, type BaseMessage } from "langchain";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createGuard } from "@assent/library/sdk";
import { EditedInput, openGuard, type AskQuestion, type OpenedGuard } from "@assent/library/sdk/compat";
import { permissionMiddleware, type AdapterOptions, type ReviewRequest } from "@assent/library/sdk/langchain";
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
/** A process that ends there. */
const BEFORE_TOOLS = { interruptBefore: ["tools"] };
/** What a run waits for. */
const askedIn = (result: object): readonly Asked[] => ("__interrupt__" in result ? (result.__interrupt__ as readonly Asked[]) : []);
const commandsIn = (asked: readonly Asked[]): readonly unknown[] =>
  asked.map(({ value }) => value?.actionRequests.map(({ args }) => args["command"]));
const edit = (args: object, name = "bash") => ({ type: "edit", editedAction: { name, args } });
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
    ["edit to a tool that is not there", { type: "edit", editedAction: { name: "sh", args: {} } }, [], /^Error: sh is not a valid tool/],
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

  it("asks about the calls of one step together, in their order, and runs none twice: of four at once one runs, one is refused and two are asked", async () => {
    const agent = agentOf([["ls", "rm -rf ~", "rm -rf build", "rm -rf src"], ["rm -rf docs"]]);
    const asked = askedIn(await agent.invoke(input, config));
    expect(ran).toEqual([]);
    expect(commandsIn(asked)).toEqual([["rm -rf build", "rm -rf src"]]);
    const second = await agent.invoke(resume({ type: "approve" }, { type: "reject", message: "keep src" }), config);
    expect(ran.toSorted()).toEqual(["ls", "rm -rf build"]);
    expect(told(second.messages)).toEqual(["ran ls", expect.stringMatching(/home folder/), "ran rm -rf build", "keep src"]);
    expect(commandsIn(askedIn(second))).toEqual([["rm -rf docs"]]);
  });

  it.each([
    ["too few answers", [{ type: "approve" }]],
    ["too many", [{ type: "approve" }, { type: "approve" }, { type: "approve" }]],
    ["one that is none", [{ type: "approve" }, "approve"], ["rm -rf build"]],
    ["an edit to what is denied", [{ type: "approve" }, edit({ command: "rm -rf ~" })], ["rm -rf build"]],
    ["an edit to another tool", [{ type: "approve" }, edit({ command: "ls" }, "sh")], ["rm -rf build"]],
    ["edits", [edit({ command: "rm -rf a" }), edit({ command: "rm -rf b" })], ["rm -rf a", "rm -rf b"]],
  ])("several at once: %s", async (_, decisions, expected = []) => {
    const agent = agentOf([["rm -rf build", "rm -rf src"]]);
    await agent.invoke(input, config);
    const { messages } = await agent.invoke(resume(...decisions), config);
    expect(ran.toSorted()).toEqual(expected);
    expect(told(messages)).toHaveLength(2);
  });

  it("answers go by the questions that were shown, whatever the policy says by then", async () => {
    const denied = new Set<string>();
    const guard = guardIn();
    const turning: OpenedGuard = {
      ...guard,
      decide: (request) => {
        const command = "tool" in request ? String(request.input["command"]) : "";
        if (command === "rm -rf late") return guard.decide({ command: denied.has("late") ? command : "ls" });
        return guard.decide(denied.has(command) ? { command: "rm -rf ~" } : request);
      },
    };
    const agent = agentOf([["rm -rf first", "rm -rf late", "rm -rf second"]], {}, turning);
    expect(commandsIn(askedIn(await agent.invoke(input, config)))).toEqual([["rm -rf first", "rm -rf second"]]);
    // The first is denied by now, and what was allowed is asked about: two questions again, but others.
    denied.add("rm -rf first").add("late");
    const asked = askedIn(await agent.invoke(resume({ type: "approve" }, { type: "reject" }), config));
    expect(ran).toEqual([]);
    expect(commandsIn(asked)).toEqual([["rm -rf late"]]);
    await agent.invoke(resume({ type: "approve" }), config);
    expect(ran).toEqual(["rm -rf late"]);
  });

  it("a process that ends between the answers and the calls: another one asks again, each call by itself", async () => {
    const saver = new MemorySaver();
    const made = (turns: readonly (readonly string[])[]) => {
      const toolCalls = [...turns.map((turn) => turn.map((command) => ({ name: "bash", args: { command }, id: `call ${command}` }))), []];
      const model = new FakeToolCallingModel({ toolCalls });
      return createAgent({ model, tools: [bash], middleware: [permissionMiddleware(guardIn(), { facts })], checkpointer: saver });
    };
    const first = made([["rm -rf build", "rm -rf src", "ls"]]);
    await first.invoke(input, config);
    const yes = resume({ type: "approve" }, { type: "reject" });
    await first.invoke(yes, { ...config, ...BEFORE_TOOLS });
    expect(ran).toEqual([]);
    const asked = askedIn(await made([]).invoke(null, config));
    expect(ran).toEqual(["ls"]);
    expect(commandsIn(asked)).toEqual([["rm -rf build"], ["rm -rf src"]]);
  });

  it("an answer is for one run of one call: the same call again, by the same id, is asked about again", async () => {
    const again = { name: "bash", args: { command: "rm -rf build" }, id: "call" };
    const model = new FakeToolCallingModel({ toolCalls: [[again], [again], []] });
    const middleware = [permissionMiddleware(guardIn(), { facts })];
    const agent = createAgent({ model, tools: [bash], middleware, checkpointer: new MemorySaver() });
    await agent.invoke(input, config);
    await agent.invoke(resume({ type: "approve" }), config);
    expect(ran).toEqual(["rm -rf build"]);
  });

  it("one person's answers are not another's: two threads of one agent, with the same calls", async () => {
    const call = [{ name: "bash", args: { command: "rm -rf build" }, id: "call" }];
    const model = new FakeToolCallingModel({ toolCalls: [call, call, [], []] });
    const middleware = [permissionMiddleware(guardIn(), { facts })];
    const agent = createAgent({ model, tools: [bash], middleware, checkpointer: new MemorySaver() });
    const [ann, bob] = ["ann", "bob"].map((thread_id) => ({ configurable: { thread_id } }));
    await agent.invoke(input, ann);
    await agent.invoke(input, bob);
    await agent.invoke(resume({ type: "reject", message: "bob says no" }), { ...bob, ...BEFORE_TOOLS });
    await agent.invoke(resume({ type: "approve" }), { ...ann, ...BEFORE_TOOLS });
    const { messages } = await agent.invoke(null, bob);
    expect(ran).toEqual([]);
    expect(told(messages)).toEqual(["bob says no"]);
  });

  it("the model reads the call that was run, not the one that it wrote", async () => {
    const agent = agentOf([["rm -rf build"]]);
    await agent.invoke(input, config);
    const { messages } = await agent.invoke(resume(edit({ command: "rm -rf dist" })), config);
    expect(JSON.stringify(messages.filter(({ type }) => type === "ai"))).toMatch(/rm -rf dist/);
    expect(JSON.stringify(messages)).not.toMatch(/rm -rf build/);
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

  it.each([
    ["another command", { command: "ls src" }, ["ls src"]],
    ["one that is denied", { command: "rm -rf ~" }, []],
  ])("with onAsk a person may change the call: %s", async (_, changed, expected) => {
    await agentOf([["rm -rf build"]], { onAsk: () => new EditedInput(changed) }, guardIn(), false).invoke(input);
    expect(ran).toEqual(expected);
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

  it("a guard in code gives it in one line; an agent that is a tool of another one has steps of its own", async () => {
    const guard = createGuard({ cwd: scratch().project, policy: { permissions: { allow: ["helper"] } } });
    const permissions = guard.middleware({ bash: ({ command }: { command: string }) => ({ shell: command }), helper: "nothing" });
    const made = (toolCalls: ConstructorParameters<typeof FakeToolCallingModel>[0], tools: readonly StructuredToolInterface[], own = {}) =>
      createAgent({ model: new FakeToolCallingModel(toolCalls), tools: [...tools], middleware: [permissions], ...own });
    const called = (name: string, args: Record<string, unknown>, id: string) => ({ name, args, id });
    const sub = made({ toolCalls: [[called("bash", { command: "ls" }, "s1")], [called("bash", { command: "rm -rf sub" }, "s2")], []] }, [
      bash,
    ]);
    const helper = tool(
      async () => {
        const { messages } = await sub.invoke(input);
        return messages.at(-1)?.text ?? "";
      },
      { name: "helper", description: "Helps.", schema: z.object({}) },
    );
    const agent = made(
      {
        toolCalls: [
          [called("bash", { command: "rm -rf build" }, "p1"), called("helper", {}, "p2"), called("bash", { command: "rm -rf src" }, "p3")],
          [],
        ],
      },
      [bash, helper],
      { checkpointer: new MemorySaver() },
    );
    const first = askedIn(await agent.invoke(input, config));
    expect(commandsIn(first)).toEqual([["rm -rf build", "rm -rf src"]]);
    expect(first[0]?.value?.actionRequests[0]?.description).toMatch(/^bash rm -rf build\? /);
    const asked = askedIn(await agent.invoke(resume({ type: "approve" }, { type: "approve" }), config));
    expect(ran.toSorted()).toEqual(["ls", "rm -rf build", "rm -rf src"]);
    expect(commandsIn(asked)).toEqual([["rm -rf sub"]]);
  });
});
