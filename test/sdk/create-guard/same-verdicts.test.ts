import { describe, expect, it } from "vitest";
import { judgeOnly } from "@assent/page/preview";
import { createGuard, type Guard } from "@assent/library/sdk";
import { guardTools as mastraTools } from "@assent/library/sdk/mastra";
import { guardTools as openaiTools } from "@assent/library/sdk/openai-agents";
import { commandsOf, CORPORA } from "../../corpora.ts";
import { place } from "../../ledger/place.ts";

/** The shell corpora through a guard in code and the adapters of all SDKs: each line gets the verdict of the hook's judge. */

/** The whole of them takes minutes: `TEST_LONG=1`. */
const STEP = process.env["TEST_LONG"] === undefined ? 18 : 1;

const here = place({ ".env": "KEY=1" });
// A guard in code knows the system's temporary folders, and so does the judge that it is compared with.
const machine = { ...here.machine, temp: ["/tmp", "/var/tmp"] };
const effects = { bash: ({ command }: { command: string }) => ({ shell: command }) };
const NOBODY = "approval required";

type Said = "allow" | "ask" | "deny";

/** By what each SDK is told that asks for itself: nothing is run. */
const ADAPTERS: Readonly<Record<string, (guard: Guard, command: string) => Promise<Said>>> = {
  "createGuard().decide": async (guard, command) => (await guard.decide({ shell: command })).verdict,
  "the AI SDK": async (guard, command) => {
    const said = await guard.aiSdk(effects)({ toolCall: { toolName: "bash", toolCallId: "1", input: { command } } });
    return said === undefined ? "allow" : said.type === "denied" ? "deny" : "ask";
  },
  "OpenAI Agents": async (guard, command) => {
    const tool = { type: "function", name: "bash", needsApproval: async () => await Promise.resolve(false) };
    const [guarded] = openaiTools(guard, [tool], { effects });
    const context = { isToolApproved: () => undefined };
    const [guardrail] = Reflect.get(guarded, "inputGuardrails") as readonly [
      { run: (call: object) => Promise<{ behavior: { type: string } }> },
    ];
    const asks: unknown = await Reflect.apply(guarded.needsApproval, guarded, [context, { command }, "1"]);
    const { behavior } = await guardrail.run({ context, toolCall: { name: "bash", callId: "1", arguments: JSON.stringify({ command }) } });
    // The SDK asks before it comes to the guardrail.
    return behavior.type === "allow" ? (asks === true ? "ask" : "allow") : "deny";
  },
  "the Claude Agent SDK": async (guard, command) => {
    const said = await guard.canUseTool("Bash", { command }, { signal: new AbortController().signal, toolUseID: "1" });
    return said.behavior === "allow" ? "allow" : said.message.startsWith(NOBODY) ? "ask" : "deny";
  },
  LangChain: async (guard, command) => {
    const said = await guard
      .middleware(effects)
      .wrapToolCall({ toolCall: { name: "bash", args: { command }, id: "1" }, runtime: {} }, () => ({ content: "ran" }));
    return said.content === "ran" ? "allow" : said.content.startsWith(NOBODY) ? "ask" : "deny";
  },
  Mastra: async (guard, command) => {
    const { bash } = mastraTools(guard, { bash: { execute: async () => await Promise.resolve("ran") } }, { effects });
    const run = async (): Promise<Said> => {
      try {
        await Reflect.apply(bash.execute, bash, [{ command }, {}]);
        return "allow";
      } catch (error) {
        return error instanceof Error && error.message.startsWith(NOBODY) ? "ask" : "deny";
      }
    };
    return await run();
  },
};

describe.each(CORPORA)("%s", (name) => {
  it("every line", { timeout: 900_000 }, async () => {
    const different: unknown[] = [];
    for (const command of commandsOf(name).filter((_, at) => at % STEP === 0)) {
      const { decision } = judgeOnly({ tool: "Bash", input: { command }, cwd: here.project }, machine, []).verdict;
      const judge = decision === "none" ? "ask" : decision;
      for (const [adapter, ask] of Object.entries(ADAPTERS)) {
        // What an earlier line was refused would be remembered by the same guard.
        const guard = createGuard({ cwd: here.project, home: here.home, env: here.machine.env });
        const said = await ask(guard, command);
        if (said !== judge) different.push({ command, adapter, said, judge });
      }
    }
    expect(different).toEqual([]);
  });
});
