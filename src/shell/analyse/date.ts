import type { Invocation } from "../invocation.ts";
import { textOf } from "../value.ts";
import { valuesOf } from "./given.ts";

/** date(1): a format of nothing but numbers prints digits. BSD has no `%N` and prints the letter. */
export function date(inv: Invocation): void {
  const [format, ...others] = valuesOf(inv, "+%").map(textOf);
  if (format !== undefined && others.length === 0 && /^[CGHMSVYdgjmsuwy](?:%[CGHMSVYdgjmsuwy])*$/.test(format))
    inv.output = { is: "unknown", why: "a number that date prints", network: false, number: true };
}
