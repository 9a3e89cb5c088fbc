/** `assent/openai-agents`: permissions for @openai/agents. */

import { isObject } from "@assent/core/data";
import { compareDecisions } from "@assent/core/policy";
import type { ToolFacts } from "@assent/guard/engine";
import { type AdapterOptions, commandFieldIn, judgeCall, type Judged, RecentCalls, refusedCall, settle } from "../adapters/judge.ts";
import { callbackIn, copyWith, listIn, objectIn } from "../common/members.ts";
import type { AdaptedGuard } from "../common/adapted-guard.ts";
import { adapted, type AnyGuard } from "../adapters/guards.ts";
import type { ConsoleTool, PropertySchema, ToolOutput } from "../toolset/tool.ts";
import { PermissionDeniedError } from "../common/errors.ts";
import { GuardOptionError } from "../common/options.ts";
import { argumentsOf, type AgentTool, type InputGuardrail, type NeedsApproval, type RunApprovals } from "./shapes.ts";

export type { ToolFacts } from "@assent/guard/engine";
export type { AdapterOptions } from "../adapters/judge.ts";
export type { AgentTool, GuardedCall, InputGuardrail, NeedsApproval, RunApprovals } from "./shapes.ts";

/**
 * Tools with every call judged by the policy: function tools, tools of MCP servers (`getAllMcpTools`), agents as tools, the
 * local shell, patches, the computer, and MCP servers that OpenAI calls. Denied calls are not run and the model reads why.
 * Questions become the SDK's interruptions, each about one call; with `onAsk` they are answered at once.
 *
 * ```ts
 * const guard = openGuard({ cwd: "/repo" });
 * const facts = { bash: { does: "shell", field: "command" } } as const;
 * const agent = new Agent({ name: "coder", tools: guardTools(guard, [bash], { facts }) });
 * const result = await run(agent, "…");
 * for (const item of result.interruptions) result.state.approve(item); // or reject; then run(agent, result.state)
 * ```
 */
export function guardTools<const Tools extends readonly AgentTool[]>(
  guard: AnyGuard,
  tools: Tools,
  options: AdapterOptions = {},
): { -readonly [Index in keyof Tools]: Tools[Index] } {
  const guarded: readonly AgentTool[] = tools.map((tool) => guardTool(guard, tool, options));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same tools in the same order
  return guarded as { -readonly [Index in keyof Tools]: Tools[Index] };
}

/** One tool with every call judged: see `guardTools`. */
export function guardTool<Tool extends AgentTool>(given: AnyGuard, tool: Tool, told: AdapterOptions = {}): Tool {
  const { guard, options } = adapted("guardTools", given, told);
  switch (tool.type) {
    case "function":
      return functionTool(guard, tool, options);
    case "shell":
      return shellTool(guard, tool, options);
    case "apply_patch":
      return patchTool(guard, tool, options);
    case "computer":
      return computerTool(guard, tool, options);
    default:
      return hostedMcp(guard, tool, options);
  }
}

/** What `tool()` takes for a tool whose every call is judged. */
export interface ToolGuard {
  needsApproval: NeedsApproval;
  inputGuardrails: InputGuardrail[];
}

/** For `tool()`, where a tool is made: `tool({ name: "bash", …, ...toolGuard(guard, "bash", { facts }) })`. `guardTool` takes what was made. */
export function toolGuard(given: AnyGuard, name: string, told: AdapterOptions = {}): ToolGuard {
  const { guard, options } = adapted("toolGuard", given, told);
  if (typeof name !== "string" || name === "") throw new GuardOptionError("name", "toolGuard takes the name of the tool");
  const recent = new RecentCalls();
  return { needsApproval: approvalFor(guard, name, options, recent), inputGuardrails: [guardrail(guard, options, recent, { tool: name })] };
}

/**
 * A guardrail for tools that have no approval of their own, as those of MCP servers given to an agent whole:
 * `new MCPServerStdio({ name: "db", toolInputGuardrails: [inputGuardrail(guard, { server: "db", onAsk })] })`. Questions go to
 * `onAsk`; without it they are refusals.
 */
export function inputGuardrail(given: AnyGuard, told: AdapterOptions = {}): InputGuardrail {
  const { guard, options } = adapted("inputGuardrail", given, told);
  return guardrail(guard, options, new RecentCalls());
}

function functionTool<Tool extends AgentTool>(guard: AdaptedGuard, tool: Tool, options: AdapterOptions): Tool {
  const recent = new RecentCalls();
  const own = callbackIn(tool, "needsApproval");
  const invoke = callbackIn(tool, "invoke");
  // What is started in the place of a command is handed to the tool itself: the SDK knows no changed call.
  const field = invoke === undefined ? undefined : commandFieldIn(options, tool.name);
  const passed = new PassedCalls();
  const approval = approvalFor(guard, tool.name, options, recent, field, own);
  const others: unknown = Reflect.get(tool, "inputGuardrails");
  // The last of them: a person is asked only about what the others let pass.
  const inputGuardrails: readonly unknown[] = [
    ...listIn(others),
    guardrail(guard, options, recent, field === undefined ? {} : { field, passed }),
  ];
  if (field === undefined || invoke === undefined) return copyWith(tool, { needsApproval: approval, inputGuardrails });
  const guarded = async (context: unknown, input: unknown, details: unknown, ...rest: unknown[]): Promise<unknown> => {
    const given = passed.take(context, callIdIn(details), input);
    const reason = "approval required: this call did not come through its guardrail";
    if (given === undefined) throw refusedCall(judgeCall(guard, options, { tool: tool.name, input: undefined }), { reason, by: "nobody" });
    return await invoke(context, given, details, ...rest);
  };
  return copyWith(tool, { needsApproval: approval, inputGuardrails, invoke: guarded });
}

/** `own`: what the tool wants to be asked about by itself. */
function approvalFor(
  guard: AdaptedGuard,
  tool: string,
  options: AdapterOptions,
  recent: RecentCalls,
  field?: string,
  own?: (...call: unknown[]) => unknown,
): NeedsApproval {
  return async (context, input, callId = "") => {
    await guard.ready?.();
    const judged = judgeCall(guard, options, { tool, input }, {}, field);
    if (isContext(context)) recent.note(context, callId, judged);
    // The guardrail refuses it and tells the model.
    if (judged.decision === "deny") return false;
    if (judged.decision !== "allow" && options.onAsk === undefined) return true;
    return (await own?.(context, input, callId)) === true;
  };
}

const callIdIn = (details: unknown): string => {
  const call = isObject(details) ? details["toolCall"] : undefined;
  return isObject(call) && typeof call["callId"] === "string" ? call["callId"] : "";
};

/** Calls between the guardrail that lets them pass and the tool: each once. */
class PassedCalls {
  readonly #runs = new WeakMap<object, Map<string, string | undefined>>();

  /** `confined`: what the tool is given in the place of the model's arguments. */
  note(run: object, call: string, confined: object | undefined): void {
    const calls = this.#runs.get(run) ?? new Map<string, string | undefined>();
    this.#runs.set(run, calls);
    calls.set(call, confined === undefined ? undefined : JSON.stringify(confined));
  }

  /** What the tool is given; undefined: nothing. INVARIANT: what did not pass here might have been allowed confined only. */
  take(run: unknown, call: string, input: unknown): unknown {
    const calls = isContext(run) ? this.#runs.get(run) : undefined;
    if (calls?.has(call) !== true) return undefined;
    const confined = calls.get(call);
    calls.delete(call);
    return confined ?? input;
  }
}

const isContext = (value: unknown): value is object => typeof value === "object" && value !== null;

/** How a tool is given another command; `tool`: it is judged by this name, whatever the SDK was told. */
interface Confining {
  readonly tool?: string;
  readonly field?: string;
  readonly passed?: PassedCalls;
}

function guardrail(
  guard: AdaptedGuard,
  options: AdapterOptions,
  recent: RecentCalls,
  { tool, field, passed }: Confining = {},
): InputGuardrail {
  return {
    type: "tool_input",
    name: "assent",
    run: async ({ context, toolCall }) => {
      const { name, callId } = toolCall;
      const input = argumentsOf(toolCall.arguments);
      const before = recent.about(context, callId);
      await guard.ready?.();
      const judge = (): Judged => judgeCall(guard, options, { tool: tool ?? name, input }, {}, field);
      const judged = recent.justNow(context, callId, input) ?? stricter(judge(), before);
      recent.spend(context, callId, judged);
      // The SDK was told to ask about this call: it is here because it was approved, or so that it need not be asked about.
      const asked = before !== undefined && before.decision === "ask" && options.onAsk === undefined;
      const approved = asked || isApproved(context, name, callId);
      const settled = await settle(judged, { approved, onAsk: options.onAsk });
      if (settled.run) passed?.note(context, callId, settled.input);
      return { behavior: settled.run ? { type: "allow" } : { type: "rejectContent", message: settled.reason } };
    },
  };
}

/** A console tool as `tool()` of the SDK takes it. */
export interface ConsoleToolOptions {
  name: string;
  description: string;
  parameters: { type: "object"; properties: Record<string, PropertySchema>; required: string[]; additionalProperties: true };
  strict: false;
  needsApproval: NeedsApproval;
  execute: (input: unknown, context?: RunApprovals, details?: CallDetails) => Promise<ToolOutput>;
}

/** What comes with a call that runs. */
export interface CallDetails {
  readonly toolCall?: { readonly callId: string };
  readonly signal?: AbortSignal;
}

/**
 * The console toolset for @openai/agents: the ruleset of its backend judges, and questions become the SDK's interruptions.
 * `tool` is the SDK's own function.
 *
 * ```ts
 * import { tool } from "@openai/agents";
 * new Agent({ name: "coder", tools: consoleTools(createConsoleToolset(backend), tool) });
 * ```
 */
export function consoleTools<Tool>(toolset: readonly ConsoleTool[], tool: (options: ConsoleToolOptions) => Tool): Tool[] {
  return toolset.map(({ name, description, inputSchema, needsApproval, execute }) => {
    const { properties, required } = inputSchema;
    return tool({
      name,
      description,
      parameters: { type: "object", properties: { ...properties }, required: [...required], additionalProperties: true },
      strict: false,
      needsApproval: async (_context, input) => await Promise.resolve(needsApproval(input)),
      // Whoever has not been asked by the SDK is asked by the backend.
      execute: async (input, context, { toolCall, signal } = {}) =>
        await execute(input, {
          approved: context !== undefined && toolCall !== undefined && isApproved(context, name, toolCall.callId),
          ...(signal === undefined ? {} : { signal }),
        }),
    });
  });
}

/** What a tool does with its defaults and conversions may be judged differently from what the model wrote. */
function stricter(now: Judged, before: Judged | undefined): Judged {
  return before !== undefined && compareDecisions(before.decision, now.decision) > 0 ? before : now;
}

/** An approval of this very call. One of the tool as a whole (`alwaysApprove`) is no answer: it was given for another call. */
function isApproved(context: RunApprovals, toolName: string, callId: string): boolean {
  const approved = (call: string): boolean => context.isToolApproved({ toolName, callId: call }) === true;
  return approved(callId) && !approved("\0no call");
}

// Tools whose form the SDK knows: the local shell, patches, the computer, MCP servers that OpenAI calls.

type Judge = (action: unknown) => Judged;

/** Asks by the SDK; what is denied goes on to the gate, which tells the model. */
function approvalOf(tool: AgentTool, judge: Judge, recent: RecentCalls, { onAsk }: AdapterOptions): NeedsApproval {
  const own = callbackIn(tool, "needsApproval");
  return async (context, action, callId) => {
    const judged = judge(action);
    if (isObject(action)) recent.note(action, "", judged);
    if (judged.decision === "deny") return false;
    if (judged.decision !== "allow" && onAsk === undefined) return true;
    return (await own?.(context, action, callId)) === true;
  };
}

/** The last word before something is done. What it throws is what the model reads. */
function gate(judge: Judge, recent: RecentCalls, { onAsk }: AdapterOptions): (action: unknown) => Promise<void> {
  return async (action) => {
    const judged = (isObject(action) ? recent.justNow(action, "", action) : undefined) ?? judge(action);
    // Without `onAsk` the SDK has put the question: nothing comes here that it has not let pass.
    const settled = await settle(judged, { approved: onAsk === undefined, onAsk });
    if (!settled.run) throw refusedCall(judged, settled);
  };
}

function shellTool<T extends AgentTool>(guard: AdaptedGuard, tool: T, options: AdapterOptions): T {
  const shell = objectIn(tool, "shell");
  const run = shell === undefined ? undefined : callbackIn(shell, "run");
  // A shell in a container of OpenAI's: nothing runs here.
  if (shell === undefined || run === undefined) return tool;
  const facts: Record<string, ToolFacts> = { [tool.name]: { does: "shell", field: "commands", list: true }, ...options.facts };
  const judge: Judge = (action) => judgeCall(guard, { ...options, facts }, { tool: tool.name, input: action });
  const recent = new RecentCalls();
  const pass = gate(judge, recent, options);
  const guarded = async (action: unknown, ...rest: readonly unknown[]): Promise<unknown> => {
    await pass(action);
    return await run(action, ...rest);
  };
  return copyWith(tool, { needsApproval: approvalOf(tool, judge, recent, options), shell: copyWith(shell, { run: guarded }) });
}

const OPERATIONS: ReadonlyMap<unknown, "write" | "edit" | "delete"> = new Map([
  ["create_file", "write"],
  ["update_file", "edit"],
  ["delete_file", "delete"],
]);

function patchTool<T extends AgentTool>(guard: AdaptedGuard, tool: T, options: AdapterOptions): T {
  const editor = objectIn(tool, "editor");
  if (editor === undefined) return tool;
  const judge: Judge = (operation) =>
    judgeCall(guard, { ...options, facts: { [tool.name]: factsOf(operation) } }, patchCall(tool, operation));
  const recent = new RecentCalls();
  const pass = gate(judge, recent, options);
  const guarded = Object.fromEntries(
    ["createFile", "updateFile", "deleteFile"].map((name) => {
      const own = callbackIn(editor, name);
      const work = async (operation: unknown, ...rest: readonly unknown[]): Promise<unknown> => {
        await pass(operation);
        return await own?.(operation, ...rest);
      };
      return [name, work];
    }),
  );
  return copyWith(tool, { needsApproval: approvalOf(tool, judge, recent, options), editor: copyWith(editor, guarded) });
}

/** A diff that brings lines of the patch format itself may name other files. */
const carriesMore = (operation: unknown): operation is { readonly path: unknown; readonly diff: string } =>
  isObject(operation) && typeof operation["diff"] === "string" && /^\*\*\* (?!End of File)/m.test(operation["diff"]);

function factsOf(operation: unknown): ToolFacts {
  if (carriesMore(operation)) return { does: "patch", field: "patch" };
  const does = isObject(operation) ? OPERATIONS.get(operation["type"]) : undefined;
  return does === undefined ? { does: "patch", field: "patch" } : { does: "file", operation: does, fields: ["path"] };
}

function patchCall({ name }: AgentTool, operation: unknown): { readonly tool: string; readonly input: unknown } {
  if (!carriesMore(operation)) return { tool: name, input: operation };
  const patch = ["*** Begin Patch", `*** Update File: ${String(operation.path)}`, operation.diff, "*** End Patch"].join("\n");
  return { tool: name, input: { patch } };
}

/** The SDK has no words for a denied action of the computer: the run ends with the error. */
function computerTool<T extends AgentTool>(guard: AdaptedGuard, tool: T, options: AdapterOptions): T {
  const own = callbackIn(tool, "needsApproval");
  const needsApproval: NeedsApproval = async (context, action, callId) => {
    const { decision, reason, verdict } = judgeCall(guard, options, { tool: tool.name, input: action });
    if (decision === "deny") throw new PermissionDeniedError({ operation: tool.name, target: tool.name, reason, verdict });
    return decision !== "allow" || (await own?.(context, action, callId)) === true;
  };
  return copyWith(tool, { needsApproval });
}

/** An MCP server that OpenAI calls: each call is put to us before. Questions go to `onAsk`, or to what the tool had for it. */
function hostedMcp<T extends AgentTool>(guard: AdaptedGuard, tool: T, options: AdapterOptions): T {
  const data = objectIn(tool, "providerData");
  if (data === undefined || Reflect.get(data, "type") !== "mcp") return tool;
  const label: unknown = Reflect.get(data, "server_label");
  const own = callbackIn(data, "on_approval");
  const decide = async (context: unknown, item: unknown): Promise<unknown> => {
    const raw = isObject(item) && isObject(item["rawItem"]) ? item["rawItem"] : {};
    const sent = isObject(raw["providerData"]) ? raw["providerData"] : {};
    const call = { tool: String(raw["name"]), input: argumentsOf(sent["arguments"] ?? raw["arguments"]) };
    const judged = judgeCall(guard, { server: String(label), ...options }, call);
    if (judged.decision === "ask" && options.onAsk === undefined && own !== undefined) return await own(context, item);
    const settled = await settle(judged, { approved: false, onAsk: options.onAsk });
    return settled.run ? { approve: true } : { approve: false, reason: settled.reason };
  };
  return copyWith(tool, { providerData: copyWith(data, { require_approval: "always", on_approval: decide }) });
}
