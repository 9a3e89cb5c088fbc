import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import type { Principal } from "@assent/core/policy";
import { callbackIn, copyWith } from "../common/members.ts";
import { GuardCallError } from "./call.ts";
import { type ToolEffect, type StandardSchema } from "./effects.ts";
import { snapshot } from "./snapshot.ts";
import type { CallDecision, GuardCallOptions, CallOutcome } from "./types.ts";
import { GuardOptionError } from "../common/options.ts";

/** A tool, before it is guarded. */
export interface ToolSpec<I> {
  /** What the model calls it. Rules may speak about it by this name. */
  readonly name: string;
  /** What it takes: any schema library that follows standardschema.dev. Without it whatever comes is handed on. */
  readonly input?: StandardSchema<I>;
  /** What it does with an input. */
  readonly does: ToolEffect<I>;
}

/** What a guarded tool's own function is told besides its input. */
export interface RunContext<P extends Principal = Principal> {
  readonly decision: CallDecision<P>;
  /** What relative paths were judged from. */
  readonly cwd: string;
  readonly signal: AbortSignal | undefined;
}

/** A function for one tool: judges, asks, and runs. Throws `PermissionDenied`, `ApprovalPending`, `GuardCallError`, or what the tool throws. */
export interface GuardedTool<I, O, P extends Principal = Principal> {
  (input: I, options?: GuardCallOptions<P>): Promise<O>;
  readonly toolName: string;
  readonly input: StandardSchema<I> | undefined;
  /** What would come of a call, without running it. */
  check(input: I, options?: GuardCallOptions<P>): Promise<CallOutcome<P>>;
}

type Takes<I> = (input: I, ...rest: never[]) => unknown;

/**
 * What a tool takes, as its type says: a function, or a tool of the AI SDK and Mastra (`execute`), LangChain (`func`), the Claude Agent SDK
 * (`handler`) or OpenAI's (`needsApproval`). `never` where it does not say: then whoever states the effect says it.
 */
export type InputOf<T> = Known<
  T extends Takes<infer I>
    ? I
    : T extends { readonly func: Takes<infer I> } | { readonly handler: Takes<infer I> }
      ? I
      : T extends { readonly invoke: unknown; readonly needsApproval: (context: never, input: infer I, ...rest: never[]) => unknown }
        ? I
        : T extends { readonly execute?: infer E }
          ? NonNullable<E> extends Takes<infer I>
            ? I
            : unknown
          : unknown
>;
type Known<I> = unknown extends I ? never : I;

/** The effects of all tools: with one missing it does not compile. */
export type EffectsOf<T> = { readonly [Name in keyof T]: ToolEffect<InputOf<T[Name]>> };

/** Tools by their names, or a list of tools that have one. */
export type NamedTools = Readonly<Record<string, object>> | readonly { readonly name: string }[];

/** The effects of some of these tools. */
export type SomeEffects<T extends NamedTools> = Partial<
  EffectsOf<T extends readonly { readonly name: string }[] ? { readonly [Tool in T[number] as Tool["name"]]: Tool } : T>
>;

/** The effect of a tool of some SDK: its input is known by the tool's type. `{ mcp__box__run: effectOf(run, ({ line }) => ({ shell: line })) }`. */
export const effectOf = <T>(_: T, does: ToolEffect<InputOf<T>>): ToolEffect<InputOf<T>> => does;

/** Reads an input by its schema. */
export async function readInput<I>({ name, input: schema }: Pick<ToolSpec<I>, "name" | "input">, given: unknown): Promise<I> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a schema the caller says what it is
  if (schema === undefined) return snapshot(given) as I;
  const read = await schema["~standard"].validate(snapshot(given));
  if (read.issues === undefined) return read.value;
  const [issue] = read.issues;
  throw new GuardCallError(
    `the input of ${visible(name)} is wrong: ${visible(issue?.message ?? "it does not fit the schema").slice(0, 400)}`,
  );
}

/** Throws where the two do not name the same tools. */
export function checkEffects(tools: Readonly<Record<string, unknown>>, effects: Readonly<Record<string, unknown>>): void {
  const missing = Object.keys(tools).find((name) => !Object.hasOwn(effects, name) || !isEffect(effects[name]));
  if (missing !== undefined)
    throw new GuardOptionError(
      "effects",
      `tools: nothing says what the tool \`${visible(missing)}\` does: give "nothing" or a function of its input`,
    );
  checkNames(Object.keys(tools), effects);
}

/** Throws where an effect is stated for a tool that does not exist: the one that was meant would be judged by its name. */
export function checkNames(names: readonly string[], effects: object): void {
  const extra = Object.keys(effects).find((name) => !names.includes(name));
  if (extra !== undefined) throw new GuardOptionError("effects", `the tool \`${visible(extra)}\` does not exist`);
}

export const isEffect = (effect: unknown): boolean => effect === "nothing" || typeof effect === "function";

type Run = (...values: unknown[]) => unknown;

/**
 * A tool of some library, with another function in the place of its own; undefined: it has none that could be guarded. `admit` gives the
 * input that it may run with, or throws.
 */
export function withRun<T>(tool: T, admit: (input: unknown, beside: unknown) => Promise<unknown>): T | undefined {
  if (typeof tool === "function") {
    const run = callbackIn({ tool }, "tool");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a function of the same parameters
    return run === undefined ? undefined : (runAfter(admit, run, isStreaming(tool)) as T);
  }
  if (!isObject(tool)) return undefined;
  const run = callbackIn(tool, "execute");
  return run === undefined ? undefined : copyWith(tool, { execute: runAfter(admit, run, isStreaming(tool["execute"])) });
}

/** An async generator function: SDKs read from what it gives at once, and wait for what any other gives. */
const isStreaming = (run: unknown): boolean => Object.prototype.toString.call(run) === "[object AsyncGeneratorFunction]";

const runAfter = (admit: (input: unknown, beside: unknown) => Promise<unknown>, run: Run, streams: boolean): Run =>
  streams
    ? async function* (input, ...rest) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what an async generator function gives
        yield* run(await admit(input, rest[0]), ...rest) as AsyncIterable<unknown>;
      }
    : async (input, ...rest) => await run(await admit(input, rest[0]), ...rest);

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `checkEffects` has looked
export const effectIn = (effects: object, name: string): ToolEffect<unknown> => Reflect.get(effects, name) as ToolEffect<unknown>;
