import { Agent, tool } from "@openai/agents";
import { generateText, jsonSchema, type ToolSet } from "ai";
import { createAgent, FakeToolCallingModel, tool as chainTool } from "langchain";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import * as aiSdk from "@assent/library/sdk/ai-sdk";
import * as claude from "@assent/library/sdk/claude-agent-sdk";
import * as core from "@assent/library/sdk/core";
import * as sdk from "@assent/library/sdk";
import * as compat from "@assent/library/sdk/compat";
import * as langchain from "@assent/library/sdk/langchain";
import * as mastra from "@assent/library/sdk/mastra";
import * as openai from "@assent/library/sdk/openai-agents";

/** The types that users see. Nothing here runs: `npm run types` is the test. */

type Decision = "allow" | "ask" | "deny";
declare const guard: compat.OpenedGuard;
declare const backend: compat.LocalBackend;
const never = (): boolean => false;

describe("types of the library", () => {
  it("rulesets and checks", () => {
    expectTypeOf<compat.PermissionChecker["checkSync"]>().returns.toEqualTypeOf<Decision>();
    expectTypeOf<compat.PermissionChecker["check"]>().returns.toExtend<Promise<unknown>>();
    expectTypeOf<Parameters<compat.PermissionChecker["checkSync"]>[0]>().toEqualTypeOf<
      "read" | "write" | "edit" | "execute" | "glob" | "grep" | "ls"
    >();
    expectTypeOf<keyof typeof compat.presets>().toEqualTypeOf<"default" | "permissive" | "readonly" | "strict">();
    expectTypeOf<compat.PermissionDeniedError["code"]>().toEqualTypeOf<"permission-denied">();
    expectTypeOf<compat.PermissionAskError["code"]>().toEqualTypeOf<"permission-ask">();
    expectTypeOf<compat.OnAsk>().parameter(0).toHaveProperty("question").toEqualTypeOf<string>();
    // @ts-expect-error -- a yes is `true`
    expectTypeOf<() => string>().toExtend<compat.OnAsk>();
    // @ts-expect-error -- no such action
    expectTypeOf<{ read: { default: "perhaps" } }>().toExtend<compat.Ruleset>();
  });

  it("the guard", () => {
    expectTypeOf<compat.OpenedGuard["decide"]>().returns.toHaveProperty("decision").toEqualTypeOf<Decision | "none">();
    expectTypeOf<compat.OpenedGuard["check"]>().returns.resolves.toEqualTypeOf<compat.GuardDecision>();
    expectTypeOf<{ command: string }>().toExtend<compat.GuardRequest>();
    expectTypeOf<{ operation: "read"; path: string[]; tree: boolean }>().toExtend<compat.GuardRequest>();
    // @ts-expect-error -- a form that does not exist
    expectTypeOf<{ operation: "rmdir"; path: string }>().toExtend<compat.GuardRequest>();
  });

  it("results of the backend are told apart by `ok`", () => {
    type Read = Awaited<ReturnType<compat.LocalBackend["read"]>>;
    expectTypeOf<Extract<Read, { ok: true }>>().toHaveProperty("text").toEqualTypeOf<string>();
    expectTypeOf<Extract<Read, { ok: false }>>().toHaveProperty("error").toEqualTypeOf<string>();
  });

  it("the core", () => {
    expectTypeOf(core.readPatch).returns.toEqualTypeOf<core.PatchReading>();
    expectTypeOf<Parameters<typeof core.judge>[2]>().toEqualTypeOf<core.JudgeContext>();
  });
});

/** Compiled, never called. */
export function accepted(): void {
  const facts = { bash: { does: "shell", field: "command" } } as const;
  const bash = tool({ name: "bash", description: "x", parameters: z.object({ command: z.string() }), execute: ({ command }) => command });
  const [same, other] = openai.guardTools(guard, [bash, bash], { facts, onAsk: never });
  expectTypeOf(same).toEqualTypeOf(bash);
  expectTypeOf(openai.guardTool(guard, bash)).toEqualTypeOf(bash);
  void new Agent({ name: "a", tools: [same, other, ...openai.consoleTools(compat.createConsoleToolset(backend), tool)] });
  void new Agent({ name: "a", tools: openai.guardTools(guard, [bash]) });
  // @ts-expect-error -- no such fact
  openai.guardTools(guard, [bash], { facts: { bash: { does: "magic" } } });
  // @ts-expect-error -- no tools
  openai.guardTools(guard, ["bash"]);

  const { tools, toolApproval } = aiSdk.consoleTools(compat.createConsoleToolset(backend), jsonSchema);
  expectTypeOf(tools).toExtend<ToolSet>();
  void generateText({ model: "x", prompt: "x", tools, toolApproval });
  void generateText({ model: "x", prompt: "x", tools, toolApproval: aiSdk.guardTools(guard, { facts }) });

  const chained = chainTool(({ command }) => command, { name: "bash", description: "x", schema: z.object({ command: z.string() }) });
  const middleware = [langchain.permissionMiddleware(guard, { facts })];
  void createAgent({ model: new FakeToolCallingModel(), tools: [chained], middleware }).invoke({ messages: [] });

  const own = sdk.createGuard();
  const agent = createAgent({ model: new FakeToolCallingModel(), tools: [chained], middleware: [own.middleware({ bash: "nothing" })] });
  void agent.invoke({ messages: [] }).then(({ messages }) => {
    expectTypeOf(messages).not.toBeAny();
    expectTypeOf(messages[0]!.text).toEqualTypeOf<string>();
  });
  void generateText({ model: "x", prompt: "x", tools, toolApproval: own.aiSdk({ bash: "nothing" }) });
  // @ts-expect-error -- what a tool does is said by a function of its input
  own.middleware({ bash: "something" });

  const record = { bash: { id: "bash", execute: (input: { command: string }) => input.command } };
  expectTypeOf(mastra.guardTools(guard, record)).toEqualTypeOf<typeof record>();
  // @ts-expect-error -- tools go by their names
  void mastra.guardTools(guard, [record.bash]).bash;

  expectTypeOf(claude.canUseTool(guard, { onAsk: () => true })).returns.resolves.toEqualTypeOf<claude.PermissionAnswer>();
  expectTypeOf(claude.canUseTool(guard, { onAsk: ({ suggestions }) => ({ allow: true, updatedPermissions: suggestions }) })).toBeFunction();
  // @ts-expect-error -- an answer says whether it is a yes
  claude.canUseTool(guard, { onAsk: () => ({ remember: true }) });
}
