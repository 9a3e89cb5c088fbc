/** `assent/claude-agent-sdk`: permissions for @anthropic-ai/claude-agent-sdk. */

import { protocol as claudeProtocol } from "@assent/hosts/agents/claude";
import { isObject } from "@assent/core/data";
import type { Outcome, Request } from "@assent/guard/engine";
import { visible } from "@assent/core/action";
import {
  type AdapterOptions,
  commandFieldIn,
  jsonOf,
  judgeCall,
  type Judged,
  RecentCalls,
  refusalOf,
  targetOf,
} from "../adapters/judge.ts";
import type { AdaptedGuard, From } from "../common/adapted-guard.ts";
import { adapted, type AnyGuard } from "../adapters/guards.ts";
import type { Options } from "../common/options.ts";
import type {
  CallOptions,
  HookAnswer,
  OnClaudeAsk,
  PermissionAnswer,
  PermissionHooks,
  ClaudeAnswer,
  ClaudeQuestion,
} from "../common/host-shapes.ts";
import { readPlain } from "../common/ask.ts";

export type { ToolFacts } from "@assent/guard/engine";
export type {
  CallOptions,
  ClaudeAnswer,
  ClaudeQuestion,
  HookAnswer,
  OnClaudeAsk,
  PermissionAnswer,
  PermissionHooks,
} from "../common/host-shapes.ts";
export type { PermissionChange, PermissionMode, PermissionPlace } from "../common/host-permissions.ts";

/** What is known of the tools: Claude Code's own are known. */
export type ToolOptions = Pick<AdapterOptions, "facts" | "effects">;

/** What `hooks` needs besides the guard. */
export interface HookOptions extends ToolOptions {
  /**
   * A question ends the run instead of being put to `canUseTool`: its result has `deferred_tool_use`, and whoever resumes the session,
   * in whatever process, with `hooks` that do not defer, is asked. The host can do so where a call stands alone in its step.
   */
  readonly defer?: boolean;
}

/** What `canUseTool` needs besides the guard. */
export interface CanUseToolOptions extends ToolOptions {
  /** Answers questions. Without it they are refusals. */
  readonly onAsk?: OnClaudeAsk;
}

const HOOK_OPTIONS = { facts: "object", effects: "object", defer: "boolean" } satisfies Options<HookOptions>;
const CAN_USE_OPTIONS = { facts: "object", effects: "object", onAsk: "function" } satisfies Options<CanUseToolOptions>;

/** What the hook said about calls that `canUseTool` is asked about next. */
const judgedByHook = new WeakMap<AdaptedGuard, RecentCalls>();

function callsOf(guard: AdaptedGuard): RecentCalls {
  const calls = judgedByHook.get(guard) ?? new RecentCalls();
  judgedByHook.set(guard, calls);
  return calls;
}

/**
 * The option `hooks` of `query`: every call, those of sub-agents included, is judged by the policy before anything else of
 * the host's. Allowed calls run, denied ones do not and the model reads why; questions go to `canUseTool`, and are refusals
 * where there is none. What Assent has no opinion about is left to the host's own permissions. If the hook fails, the call
 * is blocked.
 *
 * ```ts
 * const guard = openGuard({ cwd: "/repo", agent: "claude" });
 * query({ prompt, options: { cwd: "/repo", hooks: hooks(guard), canUseTool: canUseTool(guard, { onAsk }) } });
 * ```
 */
export function hooks(given: AnyGuard, told: HookOptions = {}): PermissionHooks {
  const { guard, options } = adapted("hooks", given, told, HOOK_OPTIONS);
  const calls = callsOf(guard);
  const judge = async (payload: object): Promise<HookAnswer> => {
    const event = "PreToolUse";
    // The environment is this process's: what it says of a session is another one's.
    const reading = claudeProtocol.read({ payload: { ...payload }, event: undefined, env: {}, folder: process.cwd() });
    if (reading.is === "nothing") return {};
    if (reading.is === "problem") return said(claudeProtocol.refuse(reading.why, event).envelope);
    const { request } = reading;
    const judged = judgeCall(guard, factsFor(request.tool, options), { tool: request.tool, input: request.input }, fromOf(request));
    const id: unknown = Reflect.get(payload, "tool_use_id");
    if (typeof id === "string") calls.note(guard, id, judged);
    const { decision, reason: modelReason, personReason: reason, verdict } = judged;
    const outcome: Outcome = { request, verdict, answer: { decision, reason, modelReason }, warnings: [], basis: undefined };
    const answer = said(claudeProtocol.write(outcome).envelope);
    const output = answer.hookSpecificOutput;
    if (told.defer === true && output?.permissionDecision === "ask")
      return { hookSpecificOutput: { hookEventName: event, permissionDecision: "defer" } };
    return await Promise.resolve(answer);
  };
  return { PreToolUse: [{ hooks: [judge], onFailure: "block" }] };
}

/**
 * The option `canUseTool` of `query`: puts the questions of `hooks` to a person, and judges what the host asks about by
 * itself. Without `hooks` it sees only that.
 *
 * ```ts
 * canUseTool: canUseTool(guard, { onAsk: async ({ question }) => await confirm(question) })
 * ```
 */
export function canUseTool(
  given: AnyGuard,
  told: CanUseToolOptions = {},
): (tool: string, input: Record<string, unknown>, call: CallOptions) => Promise<PermissionAnswer> {
  const { guard, options } = adapted("canUseTool", given, told, CAN_USE_OPTIONS);
  const calls = callsOf(guard);
  const remembered = new Set<string>();
  return async (tool, input, call) => {
    const hooked = calls.about(guard, call.toolUseID);
    const same = hooked !== undefined && hooked.from.tool === tool;
    const planning = same && hooked.place.host?.planning === true;
    const place = same
      ? { ...hooked.place, host: planning ? { planning } : {} }
      : { subagent: call.agentID === undefined ? undefined : `subagent:${call.agentID}` };
    const judge = (given: Readonly<Record<string, unknown>>): Judged =>
      judgeCall(
        guard,
        factsFor(tool, options),
        { tool, input: given },
        defined({ ...place, event: "canUseTool" }),
        planning ? undefined : commandFieldFor(tool, given, options),
      );
    await guard.ready?.();
    // The hook's silence is for the host, not for a person; and what it asks about may go ahead confined, which is done here.
    const isKnown = same && hooked.decision !== "none" && !(hooked.decision === "ask" && guard.ready !== undefined && !planning);
    const judged = isKnown && jsonOf(hooked.from.input) === jsonOf(input) ? hooked : judge(input);
    if (judged.decision === "allow") return { behavior: "allow", updatedInput: { ...(judged.instead ?? input) } };
    if (judged.decision === "deny") return { behavior: "deny", message: judged.reason };
    const key = jsonOf([tool, input, judged.place.cwd]);
    if (remembered.has(key)) return { behavior: "allow", updatedInput: input };
    const answer = await askPerson(options.onAsk, { input, judged, call, judge });
    if (answer.remember) remembered.add(key);
    return answer.permission;
  };
}

/** The answer of the agent's file, in the types of the SDK. */
function said(envelope: Readonly<Record<string, unknown>> = {}): HookAnswer {
  const { hookSpecificOutput: output, systemMessage } = envelope;
  if (!isObject(output)) return {};
  const { permissionDecision: decision, permissionDecisionReason: reason, updatedInput } = output;
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      ...(decision === "allow" || decision === "deny" || decision === "ask" ? { permissionDecision: decision } : {}),
      ...(typeof reason === "string" ? { permissionDecisionReason: reason } : {}),
      ...(isObject(updatedInput) ? { updatedInput: { ...updatedInput } } : {}),
    },
    ...(typeof systemMessage === "string" ? { systemMessage } : {}),
  };
}

/** The field of a command in the place of which this host starts another one, in the folder of the session. */
function commandFieldFor(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  { facts = {}, effects = {} }: ToolOptions,
): string | undefined {
  if (Object.hasOwn(effects, tool)) return commandFieldIn({ effects }, tool);
  // It asks to run outside the host's own sandbox, which is a person's to answer.
  const leaves = (input["dangerouslyDisableSandbox"] ?? false) !== false;
  const own = Object.hasOwn(facts, tool) || !Object.hasOwn(claudeProtocol.tools, tool) ? undefined : claudeProtocol.tools[tool];
  return own?.does === "shell" && !leaves ? own.field : undefined;
}

function factsFor(tool: string, { facts = {} }: ToolOptions): AdapterOptions {
  return { facts: Object.hasOwn(facts, tool) ? facts : claudeProtocol.tools };
}

/** Where the call comes from, as the host's envelope says it. */
const fromOf = ({ cwd, sessionRoot, host, event, session, subagent, mode }: Request): From =>
  defined({ cwd, sessionRoot, host, event, session, subagent, mode });

function defined<T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names, without the undefined ones
  return Object.fromEntries(entries) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

/** A call that has to be asked about. */
interface ClaudeCall {
  readonly input: Record<string, unknown>;
  readonly judged: Judged;
  readonly call: CallOptions;
  /** For an input that a person puts in the place of this one. */
  readonly judge: (input: Readonly<Record<string, unknown>>) => Judged;
}

/** Puts a question; what is no yes is a no. Never throws: the host would wait for an answer for ever. */
async function askPerson(
  onAsk: OnClaudeAsk | undefined,
  asked: ClaudeCall,
): Promise<{ readonly permission: PermissionAnswer; readonly remember: boolean }> {
  const { judged, call } = asked;
  const no = (message: string): { readonly permission: PermissionAnswer; readonly remember: boolean } => ({
    permission: { behavior: "deny", message },
    remember: false,
  });
  if (onAsk === undefined) return no(`approval required: ${judged.reason}`);
  const answer = await answered(onAsk, asked);
  if (call.signal.aborted) return no("cancelled");
  if (!answer.allow) {
    const { message = `the user refused: ${judged.reason}`, interrupt } = answer;
    return { permission: { behavior: "deny", message, ...(interrupt === true ? { interrupt } : {}) }, remember: false };
  }
  const { updatedInput, updatedPermissions, remember } = answer;
  const edited = updatedInput === undefined ? undefined : asked.judge(updatedInput);
  if (edited?.decision === "deny") return no(edited.reason);
  return {
    permission: {
      behavior: "allow",
      updatedInput: { ...(edited?.instead ?? updatedInput ?? asked.input) },
      ...(updatedPermissions === undefined ? {} : { updatedPermissions: [...updatedPermissions] }),
    },
    // What was remembered would be another call than the one that was asked about.
    remember: remember === true && edited === undefined,
  };
}

async function answered(onAsk: OnClaudeAsk, { input, judged, call }: ClaudeCall): Promise<ClaudeAnswer> {
  const { verdict, personReason } = judged;
  const operation = visible(judged.from.tool);
  const target = visible(targetOf(judged));
  const question: ClaudeQuestion = {
    operation,
    target,
    reason: typeof input["description"] === "string" ? visible(input["description"]) : "",
    question: `${operation} ${target}? ${personReason}`,
    verdict,
    input,
    toolUseID: call.toolUseID,
    subagent: judged.place.subagent,
    suggestions: call.suggestions ?? [],
    signal: call.signal,
  };
  let answer: unknown;
  try {
    answer = await onAsk(question);
  } catch {
    answer = "later";
  }
  if (isAnswer(answer)) return answer;
  const read = readPlain(answer);
  if (read.is === "later") return { allow: false, message: `approval required: ${judged.reason}` };
  if (read.is === "no" && read.note !== "") return { allow: false, message: refusalOf(judged, read.note) };
  if (read.is !== "yes" || read.call !== undefined || !(read.input === undefined || isObject(read.input))) return { allow: false };
  const { input: updatedInput, changes: updatedPermissions } = read;
  return {
    allow: true,
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(updatedPermissions === undefined ? {} : { updatedPermissions }),
  };
}

const isAnswer = (value: unknown): value is ClaudeAnswer =>
  isObject(value) && typeof value["allow"] === "boolean" && (value["updatedInput"] === undefined || isObject(value["updatedInput"]));
