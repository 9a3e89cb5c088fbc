/** `assent/mastra`: permissions for agents of @mastra/core. */
import { isObject } from "@assent/core/data";
import {
  type AdapterOptions,
  commandFieldIn,
  jsonOf,
  type Judged,
  judgeCall,
  questionOf,
  RecentCalls,
  refusedCall,
  refusalOf,
  settle,
} from "../adapters/judge.ts";
import { callbackIn, copyWith, signalIn } from "../common/members.ts";
import type { AdaptedGuard } from "../common/adapted-guard.ts";
import { adapted, type AnyGuard } from "../adapters/guards.ts";
import type { SomeEffects } from "../create-guard/tool.ts";

export type { ToolFacts } from "@assent/guard/engine";
export type { AdapterOptions } from "../adapters/judge.ts";

/** Hooks of an agent or of one run, as Mastra takes them. */
export interface PermissionHooks {
  /** Undefined lets the tool run; else `output` is what the model reads in place of a result. */
  beforeToolCall(call: {
    readonly toolName: string;
    readonly input: unknown;
    readonly context: unknown;
  }): Promise<undefined | { proceed: false; output: string }>;
}

/**
 * Tools with every call judged by the policy, by the names they have in this record: those of `createTool`, of an MCP client
 * (`await mcp.listTools()`), of the AI SDK. Denied calls are not run and the model reads why. Questions become Mastra's own
 * approvals, each about one call (the agent needs a storage); with `onAsk` they are answered at once.
 *
 * ```ts
 * const guard = openGuard({ cwd: "/repo" });
 * const facts = { bash: { does: "shell", field: "command" } } as const;
 * const agent = new Agent({ id: "coder", name: "coder", instructions, model, tools: guardTools(guard, { bash }, { facts }) });
 * const output = await agent.generate("…");
 * if (output.finishReason === "suspended") await agent.approveToolCallGenerate({ runId: output.runId });
 * ```
 *
 * As a step of a workflow (`createStep(tools.bash)`) a question suspends the run: `run.resume({ step, resumeData: { approved: true } })`,
 * `{ approved: false, reason }`, or `{ approved: true, input }` with another input.
 */
export function guardTools<Tools extends Readonly<Record<string, object>>>(
  given: AnyGuard,
  tools: Tools,
  told: Omit<AdapterOptions, "effects"> & { readonly effects?: SomeEffects<Tools> } = {},
): Tools {
  const { guard, options } = adapted("guardTools", given, told);
  const guarded = Object.entries(tools).map(([name, tool]) => [name, guardTool(guard, name, tool, options)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same tools by the same names
  return Object.fromEntries(guarded) as Tools;
}

/**
 * Hooks that judge whatever an agent calls: tools of a workspace, a memory, a toolset, that `guardTools` cannot be given.
 * Questions go to `onAsk`; without it they are refusals. Tools of `guardTools` need no hooks.
 *
 * ```ts
 * await agent.generate("…", { hooks: permissionHooks(guard, { facts, onAsk }) });
 * ```
 */
export function permissionHooks(given: AnyGuard, told: AdapterOptions = {}): PermissionHooks {
  const { guard, options } = adapted("permissionHooks", given, told);
  return {
    beforeToolCall: async ({ toolName: tool, input, context }) => {
      const judged = judgeCall(guard, options, { tool, input });
      const settled = await settle(judged, { approved: false, onAsk: options.onAsk, ...signalIn(context) });
      return settled.run ? undefined : { proceed: false, output: settled.reason };
    },
  };
}

/** Questions that wait for an answer. */
const MAX_ASKED = 1000;

function guardTool(guard: AdaptedGuard, name: string, tool: object, options: AdapterOptions): object {
  const execute = callbackIn(tool, "execute");
  // Nothing of it runs here: a tool of the provider's, or of the client's.
  if (execute === undefined) return tool;
  const recent = new RecentCalls();
  const judge = (input: unknown) =>
    recent.justNow(tool, jsonOf(input), input) ??
    recent.note(tool, jsonOf(input), judgeCall(guard, options, { tool: name, input }, {}, commandFieldIn(options, name)));
  /** For what is about to run. */
  const judgeToRun = (input: unknown): Judged => {
    const judged = judge(input);
    recent.spend(tool, jsonOf(input), judged);
    return judged;
  };
  const asked = new Map<string, unknown>();
  const own = ownApproval(tool);

  /** Mastra asks this about every call of an agent, when it comes and once more when it is resumed. */
  const requireApproval = async (input: unknown, ...rest: unknown[]): Promise<boolean> => {
    await guard.ready?.();
    const { decision } = judge(input);
    // What is denied is refused below, where the model can be told.
    if (decision === "deny") return false;
    if (decision === "allow" || options.onAsk !== undefined) return await own(input, ...rest);
    const [oldest] = asked.keys();
    if (asked.size >= MAX_ASKED && oldest !== undefined) asked.delete(oldest);
    asked.set(jsonOf(input), input);
    return true;
  };

  const guarded = async (input: unknown, context: unknown, ...rest: unknown[]): Promise<unknown> => {
    await guard.ready?.();
    const step = options.onAsk === undefined ? stepOf(context, name, input) : undefined;
    if (step !== undefined) return await inWorkflow(step, input, context, rest);
    // INVARIANT: an agent's call comes here only after `requireApproval` and, where that said so, a person's yes.
    const approved = isAgentsCall(context) && [...asked.values()].some((question) => isAbout(question, input));
    const judged = judgeToRun(input);
    const settled = await settle(judged, {
      approved,
      onAsk: options.onAsk,
      ...signalIn(context),
      judgeEdited: judgeToRun,
    });
    if (!settled.run) throw refusedCall(judged, settled);
    return await execute(settled.input ?? input, context, ...rest);
  };

  /** A tool that is a step of a workflow: a question suspends the run, and what it is resumed with is the answer. */
  const inWorkflow = async (
    { suspend, answer }: WorkflowStep,
    input: unknown,
    context: unknown,
    rest: readonly unknown[],
  ): Promise<unknown> => {
    // What was asked about is judged once more.
    if (answer !== undefined) recent.forget(tool);
    const judged = judgeToRun(input);
    if (judged.decision === "ask" && answer === undefined)
      return await suspend({ ...questionIn(name, input), question: questionOf(judged) });
    if (judged.decision !== "deny" && answer?.approved === false)
      throw refusedCall(judged, { reason: refusalOf(judged, answer.reason), by: "person" });
    const changed = answer?.approved === true ? answer.input : undefined;
    const settled = await settle(changed === undefined ? judged : judgeToRun(changed), {
      approved: answer?.approved === true,
      onAsk: undefined,
      ...signalIn(context),
    });
    if (!settled.run) throw refusedCall(judged, settled);
    // The tool's own suspension is another one.
    return await execute(settled.input ?? changed ?? input, answer === undefined ? context : withoutAnswer(context), ...rest);
  };

  const others = ["needsApproval", "needsApprovalFn"].filter((member) => typeof Reflect.get(tool, member) === "function");
  return copyWith(tool, {
    execute: guarded,
    requireApproval,
    ...Object.fromEntries(others.map((member) => [member, requireApproval])),
  });
}

/** A tool's run as a step of a workflow. */
interface WorkflowStep {
  readonly suspend: (payload: object) => unknown;
  /** What the run was resumed with, where it was suspended by the question about this very call. */
  readonly answer: StepAnswer | undefined;
}

interface StepAnswer {
  /** INVARIANT: only `true` is a yes. */
  readonly approved: boolean;
  readonly reason: string;
  readonly input: Readonly<Record<string, unknown>> | undefined;
}

const questionIn = (tool: string, input: unknown): object => ({ assent: "question", tool, input });

/** Undefined: it is not a step of a workflow, or an agent's call in one. */
function stepOf(context: unknown, tool: string, input: unknown): WorkflowStep | undefined {
  const workflow = isObject(context) ? context["workflow"] : undefined;
  if (!isObject(workflow) || isAgentsCall(context)) return undefined;
  const suspend = callbackIn(workflow, "suspend");
  if (suspend === undefined) return undefined;
  const { suspendPayload: shown, resumeData: given } = workflow;
  const isOurs =
    isObject(shown) &&
    given !== undefined &&
    jsonOf({ ...questionIn(tool, input), question: shown["question"] }) === jsonOf(questionShown(shown));
  if (!isOurs) return { suspend, answer: undefined };
  const { approved, reason, input: changed } = isObject(given) ? given : {};
  const answer = {
    approved: approved === true && (changed === undefined || isObject(changed)),
    reason: typeof reason === "string" ? reason : "",
    input: isObject(changed) ? changed : undefined,
  };
  return { suspend, answer };
}

/** In the order in which it was written, whatever storage it went through. */
const questionShown = ({ assent, tool, input, question }: Readonly<Record<string, unknown>>): object => ({ assent, tool, input, question });

function withoutAnswer(context: unknown): unknown {
  if (!isObject(context) || !isObject(context["workflow"])) return context;
  const none = { resumeData: undefined, suspendPayload: undefined };
  return copyWith(context, { ...none, workflow: copyWith(context["workflow"], none) });
}

/** What the tool wants to be asked about by itself. */
function ownApproval(tool: object): (...call: unknown[]) => Promise<boolean> {
  const functions = ["requireApproval", "needsApprovalFn", "needsApproval"].map((member) => callbackIn(tool, member));
  const always = Reflect.get(tool, "requireApproval") === true || Reflect.get(tool, "needsApproval") === true;
  return async (...call) => {
    if (always) return true;
    for (const needed of functions) if ((await needed?.(...call)) === true) return true;
    return false;
  };
}

/** The question was about this input, before the tool's schema added its defaults and left out what it does not know. */
function isAbout(question: unknown, input: unknown): boolean {
  if (!isObject(question) || !isObject(input)) return false;
  return Object.entries(input).every(([field, value]) => !Object.hasOwn(question, field) || jsonOf(question[field]) === jsonOf(value));
}

const isAgentsCall = (context: unknown): boolean =>
  isObject(context) && typeof (isObject(context["agent"]) ? context["agent"]["toolCallId"] : context["toolCallId"]) === "string";
