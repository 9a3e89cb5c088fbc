// An agent of LangChain: `middleware: [guard.middleware(effects)]`, its checkpoints in a file.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { Command, MemorySaver } from "@langchain/langgraph";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, createAgent, tool } from "langchain";
import { EFFECTS, main, schemaOf, Script, TOOLS } from "./agent.mjs";

/** What LangGraph keeps of its runs, in a file that another process reads. */
class FileSaver extends MemorySaver {
  constructor(file) {
    super();
    this.file = file;
    if (existsSync(file)) Object.assign(this, deserialize(readFileSync(file)));
  }
  async put(...values) {
    const given = await super.put(...values);
    this.write();
    return given;
  }
  async putWrites(...values) {
    await super.putWrites(...values);
    this.write();
  }
  write() {
    writeFileSync(this.file, serialize({ storage: this.storage, writes: this.writes }));
  }
}

class ScriptedModel extends BaseChatModel {
  constructor(script) {
    super({});
    this.script = script;
  }
  _llmType() {
    return "scripted";
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const calls = this.script.next(messages.map((one) => one.toDict()));
    const tool_calls = calls.map((call) => ({ ...call, type: "tool_call" }));
    const message = new AIMessage({ content: calls.length === 0 ? "done" : "", tool_calls });
    return { generations: [{ text: "", message }] };
  }
}

await main(import.meta.url, async (request, kit) => {
  const { saved, answers = [] } = request;
  const script = new Script(saved?.turns ?? request.turns);
  const model = new ScriptedModel(script);
  const guard = request.helper === true ? kit.guard.with({ principal: { user: "ann", role: "dev", agent: "helper" } }) : kit.guard;
  const tools = Object.entries(TOOLS).map(([name, spec]) =>
    tool(async (input) => kit[name](input), { name, description: spec.description, schema: schemaOf(spec) }),
  );
  const file = saved?.file ?? `${request.cwd}/home/checkpoints-${request.id}`;
  const agent = createAgent({ model, tools, middleware: [guard.middleware(EFFECTS)], checkpointer: new FileSaver(file) });
  const config = { configurable: { thread_id: "1" } };
  const go = async (what) => {
    if (request.stream !== true) return await agent.invoke(what, config);
    let last = {};
    for await (const [mode, part] of await agent.stream(what, { ...config, streamMode: ["values", "updates"] }))
      last =
        mode === "values"
          ? { ...part, ...(part.__interrupt__ === undefined ? {} : { __interrupt__: part.__interrupt__ }) }
          : part.__interrupt__ === undefined
            ? last
            : { ...last, __interrupt__: part.__interrupt__ };
    return last;
  };
  const asked = [];
  let input = saved === undefined ? { messages: [{ role: "user", content: "x" }] } : undefined;
  for (;;) {
    if (input === undefined) {
      const given = answers.shift();
      if (given === undefined) return { asked, told: script.told, finished: false, saved: { file, turns: script.turns } };
      const decisions = given.map((one) =>
        one === "yes"
          ? { type: "approve" }
          : one.edit === undefined
            ? { type: "reject", message: one.no }
            : { type: "edit", editedAction: { name: "bash", args: one.edit } },
      );
      input = new Command({ resume: { decisions } });
    }
    const result = await go(input);
    const open = result.__interrupt__ ?? [];
    if (open.length === 0) return { asked, told: script.told, finished: result.messages.at(-1).text === "done" };
    for (const { value } of open) asked.push(value.actionRequests.map(({ name, args }) => args.command ?? name));
    input = undefined;
  }
});
