import type { GuardCall } from "./call.ts";
import { snapshot } from "./snapshot.ts";

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

/** What tools do, by their names. */
export type ToolEffects = Readonly<Record<string, ToolEffect<never>>>;

/** The calls that an input means. Throws what the effect throws. */
export function callsOf<I>(effect: ToolEffect<I>, input: I): readonly GuardCall[] {
  if (effect === "nothing") return [];
  const given = snapshot(effect(input));
  return isList(given) ? given : [given];
}

export const isList = <T>(given: T | readonly T[]): given is readonly T[] => Array.isArray(given);
