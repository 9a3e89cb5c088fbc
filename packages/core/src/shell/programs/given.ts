import type { Invocation } from "./invocation.ts";
import type { Value } from "../words/value.ts";

/** Questions analysers ask about the options and words a command was given. */

/** True when an option that goes by one of these names was given, however it was spelled. */
export function has(inv: Pick<Invocation, "args">, ...names: readonly string[]): boolean {
  return inv.args.options.some((given) => given.option?.names.some((name) => names.includes(name)) === true);
}

/** The values of an option, in order. */
export function valuesOf(inv: Pick<Invocation, "args">, ...names: readonly string[]): readonly Value[] {
  return inv.args.options.flatMap((given) =>
    given.value !== undefined && given.option?.names.some((name) => names.includes(name)) === true ? [given.value] : [],
  );
}

/** True when a given option takes the slot of this name away (`-e` of grep and its pattern). */
export function drops(inv: Pick<Invocation, "args">, slot: string): boolean {
  return inv.args.options.some((given) => given.option?.consequences.some((c) => c.then === "drop" && c.slot === slot) === true);
}
