import { describe, doubt, type Invocation } from "../invocation.ts";
import { textOf } from "../value.ts";
import { mayBegin, valuesOf } from "./given.ts";

/** java(1): sizes and choices among what the machine does itself. Others write logs (-Xlog) or run a command (-XX:OnError). */
const INERT =
  /^((mx|ms|ss|mn)\d+[kmgt]?|int|rs|share:\w+|verify:\w+|showSettings(:\w+)?|X:[+-]Use\w+|X:(Max|Min|Initial)\w+=[\d.]+[kmgt]?)$/i;

export function javaOptions(inv: Invocation): void {
  const [first] = inv.args.operands;
  if (first !== undefined && mayBegin(inv, first, "@"))
    doubt(inv, `${describe(first)} may name a file with more options of java`, "put ./ in front of it");
  for (const value of valuesOf(inv, "-X")) {
    if (!INERT.test(textOf(value) ?? "")) doubt(inv, `java -X${textOf(value) ?? ""} is not known: ${describe(value)}`);
  }
}
