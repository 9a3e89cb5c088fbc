import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import type { ConfinedStart } from "../common/adapted-guard.ts";
import { type GuardCall, GuardCallError } from "./call.ts";
import { snapshot } from "./snapshot.ts";
import { GuardOptionError } from "../common/options.ts";

/** A schema as libraries for them share it (standardschema.dev, version 1): of zod, valibot, arktype and others. */
export interface StandardSchema<I> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<I> | Promise<SchemaResult<I>>;
    readonly types?: { readonly input: unknown; readonly output: I } | undefined;
  };
}

/** What such a schema says of a value. */
export type SchemaResult<I> =
  | { readonly value: I; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** What a tool does with an input: nothing that a policy speaks about, or these calls. */
export type ToolEffect<I> = "nothing" | ((input: I) => GuardCall | readonly GuardCall[]);

/** That an effect is a command, and where it stands in the input: the same from whichever copy of this package. */
const COMMAND_FIELD: unique symbol = Symbol.for("assent.command");

/** An effect: the tool starts the command that stands in this field. */
export interface CommandEffect<Field extends string> {
  (input: Readonly<Record<Field, string | readonly string[]>>): GuardCall;
  readonly [COMMAND_FIELD]: Field;
}

/**
 * The effect of a tool that starts on this machine, in the guard's folder, the command that stands in a field of its input: a text is given to
 * a shell, a list of words is started without one. With `confine: true` the tool gets there what is to be started in the place of a command
 * that goes ahead confined. Not for tools that start it elsewhere, or make something else of it.
 *
 * ```ts
 * const guard = createGuard({ cwd: "/repo", confine: true });
 * createAgent({ model, tools: [bash], middleware: [guard.middleware([bash], { bash: commandIn("command") })] });
 * ```
 */
export function commandIn<Field extends string>(field: Field): CommandEffect<Field> {
  const given: unknown = field;
  if (typeof given !== "string" || given === "")
    throw new GuardOptionError("field", "commandIn takes the name of the field in which the command stands");
  const effect = (input: Readonly<Record<Field, string | readonly string[]>>): GuardCall => {
    const command: unknown = isObject(input) && Object.hasOwn(input, field) ? input[field] : undefined;
    if (typeof command === "string") return { shell: command };
    // Its words are looked at where it is judged.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read by `lowerCall`, which refuses what is none
    if (Array.isArray(command)) return { argv: command as readonly string[] };
    throw new GuardCallError(`\`${visible(field)}\` is not a command: it has to be a text or a list of words`);
  };
  return Object.assign(effect, { [COMMAND_FIELD]: field } as const);
}

/** The field in which a tool's command stands; undefined: nobody says so. */
export function commandFieldOf(effect: unknown): string | undefined {
  const field: unknown = typeof effect === "function" ? Reflect.get(effect, COMMAND_FIELD) : undefined;
  return typeof field === "string" && field !== "" ? field : undefined;
}

/** The input of a tool, with what is started in the place of its command. */
export const confinedInput = (
  input: Readonly<Record<string, unknown>>,
  field: string,
  { line, argv }: ConfinedStart,
): Readonly<Record<string, unknown>> => ({ ...input, [field]: Array.isArray(input[field]) ? [...argv] : line });

/** What tools do, by their names. */
export type ToolEffects = Readonly<Record<string, ToolEffect<never> | undefined>>;

/** The calls that an input means. Throws what the effect throws. */
export function callsOf<I>(effect: ToolEffect<I>, input: I): readonly GuardCall[] {
  if (effect === "nothing") return [];
  const given = snapshot(effect(input));
  return isList(given) ? given : [given];
}

export const isList = <T>(given: T | readonly T[]): given is readonly T[] => Array.isArray(given);
