import { emitFile, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { isGlob, prefixOf, textOf } from "../value.ts";

/** An operand that is fetched when it looks like an address, and read otherwise. */
export function urlOrPath(inv: Invocation): void {
  for (const operand of inv.args.operands) {
    if (/^[a-z][a-z0-9+.-]+:/i.test(prefixOf(operand))) applyKind(inv, { is: "url" }, operand);
    else if (textOf(operand) !== "-") {
      emitFile(inv, "read", operand);
      if (textOf(operand) === undefined && !isGlob(operand) && !/[/.]/.test(prefixOf(operand))) applyKind(inv, { is: "url" }, operand);
    }
  }
}
