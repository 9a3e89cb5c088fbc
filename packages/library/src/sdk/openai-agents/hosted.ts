import { isObject } from "@assent/core/data";
import type { ToolFacts } from "@assent/guard/engine";
import { type AdapterOptions, judgeCall, type Judged, RecentCalls, settle } from "../adapters/judge.ts";
import { callbackIn, copyWith, objectIn } from "../common/members.ts";
import { PermissionDeniedError } from "../common/errors.ts";
import type { AdaptedGuard } from "../guard/adapted-guard.ts";
import { argumentsOf, type AgentTool, type NeedsApproval } from "./shapes.ts";

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
    if (!settled.run) throw new Error(settled.reason);
  };
}

export function shellTool<T extends AgentTool>(guard: AdaptedGuard, tool: T, options: AdapterOptions): T {
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

export function patchTool<T extends AgentTool>(guard: AdaptedGuard, tool: T, options: AdapterOptions): T {
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
export function computerTool<T extends AgentTool>(guard: AdaptedGuard, tool: T, options: AdapterOptions): T {
  const own = callbackIn(tool, "needsApproval");
  const needsApproval: NeedsApproval = async (context, action, callId) => {
    const { decision, reason, verdict } = judgeCall(guard, options, { tool: tool.name, input: action });
    if (verdict === undefined) throw new Error(reason);
    if (decision === "deny") throw new PermissionDeniedError({ operation: tool.name, target: tool.name, reason, verdict });
    return decision !== "allow" || (await own?.(context, action, callId)) === true;
  };
  return copyWith(tool, { needsApproval });
}

/** An MCP server that OpenAI calls: each call is put to us before. Questions go to `onAsk`, or to what the tool had for it. */
export function hostedMcp<T extends AgentTool>(guard: AdaptedGuard, tool: T, options: AdapterOptions): T {
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
