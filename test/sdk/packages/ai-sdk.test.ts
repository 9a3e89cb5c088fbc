import { generateText, jsonSchema, stepCountIs, tool, type ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { consoleTools, guardTools } from "@assent/library/sdk/ai-sdk";
import { createConsoleToolset, EditedInput, LocalBackend, openGuard, presets } from "@assent/library/sdk/compat";
import { scratch, type Scratch } from "../../scratch.ts";

/** `assent/ai-sdk` in the real AI SDK, with a model that is a list. */

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Calls these tools, one a step, then says `done`. */
function model(...calls: readonly (readonly [name: string, input: unknown])[]): MockLanguageModelV4 {
  let at = 0;
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const call = calls[at];
      at += 1;
      const content =
        call === undefined
          ? [{ type: "text" as const, text: "done" }]
          : [{ type: "tool-call" as const, toolCallId: `call-${at}`, toolName: call[0], input: JSON.stringify(call[1]) }];
      const unified = call === undefined ? ("stop" as const) : ("tool-calls" as const);
      return await Promise.resolve({ content, finishReason: { unified, raw: undefined }, usage: USAGE, warnings: [] });
    },
  });
}

const guardIn = ({ machine, project }: Scratch): ReturnType<typeof openGuard> => openGuard({ cwd: project, machine, audit: false });
const stopWhen = stepCountIs(9);

describe("guardTools", () => {
  const ran: string[] = [];
  const bash = tool({
    inputSchema: jsonSchema<{ command: string }>({ type: "object", properties: { command: { type: "string" } }, required: ["command"] }),
    execute: ({ command }) => {
      ran.push(command);
      return `ran ${command}`;
    },
  });
  const facts = { bash: { does: "shell", field: "command" } } as const;

  it("allowed calls run, denied ones do not and the model reads why, asked ones wait", async () => {
    const calls = ["ls", "rm -rf ~", "weird"].map((command) => ["bash", { command }] as const);
    const result = await generateText({
      model: model(...calls),
      tools: { bash },
      prompt: "x",
      stopWhen,
      toolApproval: guardTools(guardIn(scratch()), { facts }),
    });
    expect(ran).toEqual(["ls"]);
    const messages = JSON.stringify(result.responseMessages);
    expect(messages).toMatch(/ran ls/);
    expect(messages).toMatch(/execution-denied.*delete your whole home folder/);
    expect(result.content.map(({ type }) => type)).toContain("tool-approval-request");
  });

  it.each([true, false])("with onAsk the question is put at once: %s", async (answer) => {
    ran.splice(0);
    const result = await generateText({
      model: model(["bash", { command: "rm -rf build" }]),
      tools: { bash },
      prompt: "x",
      stopWhen,
      toolApproval: guardTools(guardIn(scratch()), { facts, onAsk: () => answer }),
    });
    expect(ran).toEqual(answer ? ["rm -rf build"] : []);
    expect(JSON.stringify(result.responseMessages)).toMatch(answer ? /ran rm -rf build/ : /execution-denied.*the user refused/);
  });

  it("a call cannot be changed where only a yes or a no can be said: it is refused, and says why", async () => {
    const onAsk = (): EditedInput => new EditedInput({ command: "ls" });
    const judge = guardTools(guardIn(scratch()), { facts, onAsk });
    expect(await judge({ toolCall: { toolName: "bash", toolCallId: "1", input: { command: "rm -rf build" } } })).toMatchObject({
      type: "denied",
      reason: expect.stringMatching(/^the user changed the call, which cannot be done here/) as string,
    });
  });

  it("what is not an object is denied, not thrown", async () => {
    const judge = guardTools(guardIn(scratch()));
    expect(await judge({ toolCall: { toolName: "x", toolCallId: "1", input: "text" } })).toMatchObject({ type: "denied" });
    expect(await judge({ toolCall: { toolName: "constructor", toolCallId: "1", input: {} } })).toMatchObject({ type: "user-approval" });
  });
});

describe("consoleTools", () => {
  it("asks by the SDK's own request, and goes on with its answer", async () => {
    const place = scratch();
    const backend = new LocalBackend({ root: place.project, permissions: presets.default, machine: place.machine, audit: false });
    const { tools, toolApproval } = consoleTools(createConsoleToolset(backend), jsonSchema);
    const file = join(place.project, "a.txt");
    const messages: ModelMessage[] = [{ role: "user", content: "x" }];
    const first = await generateText({
      model: model(["read_file", { path: ".env" }], ["write_file", { path: "a.txt", content: "hello" }]),
      tools,
      toolApproval,
      messages,
      stopWhen,
    });
    expect(JSON.stringify(first.responseMessages)).toMatch(/Error: Permission denied for read on '.env'/);
    expect(existsSync(file)).toBe(false);
    const request = first.content.find((part) => part.type === "tool-approval-request");
    if (request === undefined) throw new Error("nothing was asked");
    messages.push(...first.responseMessages, {
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }],
    });
    const second = await generateText({ model: model(), tools, toolApproval, messages, stopWhen });
    expect(second.text).toBe("done");
    expect(readFileSync(file, "utf8")).toBe("hello");
  });
});
