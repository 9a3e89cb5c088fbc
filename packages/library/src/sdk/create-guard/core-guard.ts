import { visible } from "@assent/core/action";
import type { Principal } from "@assent/core/policy";
import { isObject } from "@assent/core/data";
import { GuardOptionError, checkOptions, type Options } from "../common/options.ts";
import { signalIn } from "../common/members.ts";
import { readCallOptions } from "./call-options.ts";
import type { GuardCall } from "./call.ts";
import { ApprovalPending, PermissionDenied } from "./errors.ts";
import { type FlowJudged, type FlowOutcome, GuardFlow, type FlowWorld } from "./flow.ts";
import { snapshot } from "./snapshot.ts";
import {
  checkEffects,
  effectIn,
  type EffectsOf,
  type GuardedTool,
  readInput,
  withRun,
  type RunContext,
  type ToolSpec,
  isEffect,
} from "./tool.ts";
import type { AllowedOutcome, CallDecision, CoreGuardChange, GuardCallOptions, PendingOutcome } from "./types.ts";

/**
 * A policy as an object, wherever its calls are judged: see `createGuard`. `Policy` is what policies are given as, `L` what waits for a later
 * answer, where something does.
 */
export class CoreGuard<
  Policy = unknown,
  P extends Principal = Principal,
  L extends PendingOutcome<P> = never,
  J extends FlowJudged = FlowJudged,
> {
  readonly #flow: GuardFlow<P, J, L>;
  readonly #world: FlowWorld<P, J, L, Policy>;

  /** For `createGuard`. */
  constructor(world: FlowWorld<P, J, L, Policy>) {
    this.#world = world;
    this.#flow = new GuardFlow(world);
  }

  /** Judges a call, or several that belong together. Asks nobody, and lets nothing happen. Throws `GuardCallError` for what is no call. */
  async decide(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<CallDecision<P>> {
    return this.#flow.told((await this.#flow.judge(call, readCallOptions(options))).decision);
  }

  /** Judges, and asks where it has to. A refusal is a value. */
  async check(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<FlowOutcome<P, L>> {
    const own = readCallOptions(options);
    return await this.#flow.conclude(await this.#flow.judge(call, own), own);
  }

  /** As `check`. Throws `PermissionDenied`, or `ApprovalPending` where the answer comes later. */
  async require(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P> = {}): Promise<AllowedOutcome<P>> {
    return admitted(await this.check(call, options));
  }

  /**
   * A tool whose every call is judged by what it does with its input.
   *
   * ```ts
   * const save = guard.tool({ name: "save", input: z.object({ path: z.string() }), does: ({ path }) => ({ write: path }) }, async ({ path }) => …);
   * await save({ path: "src/a.ts" }); // runs, or throws PermissionDenied
   * ```
   */
  tool<I, O>(spec: ToolSpec<I>, run: (input: I, context: RunContext<P>) => O | Promise<O>): GuardedTool<I, O, P> {
    checkTool(spec, run);
    const checked = async (given: unknown, options: GuardCallOptions<P>) => {
      const input = await readInput(spec, given);
      return { input, outcome: await this.#flow.checkTool(spec, input, options) };
    };
    const call = async (given: I, told: GuardCallOptions<P> = {}): Promise<O> => {
      // What a server of the MCP SDK hands to a tool beside its input is no options of ours, but for the signal.
      const options: GuardCallOptions<P> = "requestId" in Object(told) ? signalIn(told) : told;
      const { input, outcome } = await checked(given, options);
      const { tool, decision } = admitted(outcome);
      const cwd = this.#world.folder(options);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read by the same schema when it was judged
      return await run((tool === undefined ? input : tool.input) as I, { decision, cwd, signal: options.signal });
    };
    return Object.assign(call, {
      toolName: spec.name,
      input: spec.input,
      check: async (given: I, options: GuardCallOptions<P> = {}) => (await checked(given, options)).outcome,
    });
  }

  /**
   * Tools of some library, or plain functions, each guarded by what it does: `guard.tools(tools, { save: ({ path }) => ({ write: path }), now: "nothing" })`.
   * A tool without stated effects does not compile.
   */
  tools<T extends Record<string, unknown>>(tools: T, effects: EffectsOf<T>): T {
    checkObjects("tools", { tools, effects });
    checkEffects(tools, effects);
    const guarded = Object.entries(tools).map(([name, one]) => {
      const spec = { name, does: effectIn(effects, name) };
      const whole = withRun(one, async (given, beside) => {
        const input = snapshot(given);
        const { tool } = admitted(await this.#flow.checkTool(spec, input, signalIn(beside)));
        return tool === undefined ? input : tool.input;
      });
      if (whole === undefined)
        throw new GuardOptionError("tools", `tools: \`${visible(name)}\` cannot be guarded: it has no function \`execute\``);
      return [name, whole] as const;
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names, each with a tool of the same kind
    return Object.fromEntries(guarded) as T;
  }

  /** The tools that are not denied by their name: what the model need not see is left out. */
  visible<T extends Record<string, unknown>>(tools: T): Partial<T> {
    checkObjects("visible", { tools });
    const seen = Object.entries(tools).filter(([name]) => {
      if (this.#world.shadow) return true;
      const { decision } = this.#world.judgeName(name);
      return decision.verdict !== "deny" || decision.rule === undefined;
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of the same names
    return Object.fromEntries(seen) as Partial<T>;
  }

  /** A guard for somebody else, at another place, or with a stricter policy: made in microseconds, for each request of a server. */
  with(change: CoreGuardChange<Policy, P>): CoreGuard<Policy, P, L, J> {
    return new CoreGuard(this.#world.with(change));
  }
}

/** Throws for what must not go ahead, or not yet. */
function admitted<P extends Principal>(outcome: FlowOutcome<P, PendingOutcome<P>>): AllowedOutcome<P> {
  if (outcome.verdict === "deny") throw new PermissionDenied(outcome);
  if (outcome.verdict === "pending") throw new ApprovalPending(outcome);
  return outcome;
}

// What a compiler finds in TypeScript, for plain JavaScript: told where the mistake is, not where it is first felt.

const TOOL_OPTIONS = { name: "any", input: "any", does: "any" } satisfies Options<ToolSpec<unknown>>;

/** Throws for a tool without a name, a function or an effect, or with something else in the place of its schema. */
function checkTool<I>(spec: ToolSpec<I>, run: unknown): void {
  if (!isObject(spec)) throw new GuardOptionError("options", "tool takes an object of options");
  checkOptions("tool", spec, TOOL_OPTIONS);
  const { name, input, does }: Readonly<Record<string, unknown>> = spec;
  const wrong: readonly (readonly [right: boolean, option: string, must: string])[] = [
    [typeof name === "string" && name !== "", "name", "the option `name` must be the name of the tool"],
    [
      input === undefined || isSchema(input),
      "input",
      "the option `input` must be a schema that follows standardschema.dev (zod, valibot, arktype)",
    ],
    [typeof run === "function", "run", "its second parameter must be the tool's function"],
    [isEffect(does), "does", 'the option `does` must be "nothing" or a function of the input'],
  ];
  for (const [right, option, must] of wrong) if (!right) throw new GuardOptionError(option, `tool: ${must}`);
}

/** arktype's schemas are functions. */
function isSchema(given: unknown): boolean {
  const standard: unknown = isObject(given) || typeof given === "function" ? Reflect.get(given, "~standard") : undefined;
  return isObject(standard) && typeof standard["validate"] === "function";
}

/** Throws for what is no object of tools, or of what they do. */
function checkObjects(of: string, given: Readonly<Record<string, unknown>>): void {
  const wrong = Object.keys(given).find((name) => !isObject(given[name]));
  if (wrong !== undefined) throw new GuardOptionError(wrong, `${of}: \`${wrong}\` must be an object, by the names of the tools`);
}
