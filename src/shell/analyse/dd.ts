import { describe, doubt, emitFile, type Invocation } from "../invocation.ts";
import { dropPrefix } from "../options.ts";
import { prefixOf } from "../value.ts";
import { ddFills } from "./rights.ts";

const INERT = /^(bs|cbs|conv|count|ibs|iflag|obs|oflag|seek|oseek|skip|iseek|status)=/;

/** dd(1): `if=` is read, `of=` written, the rest are numbers and flags. */
export function dd(inv: Invocation): void {
  ddFills(inv);
  for (const word of inv.args.operands) {
    const prefix = prefixOf(word);
    if (prefix.startsWith("if=")) emitFile(inv, "read", dropPrefix(word, 3));
    else if (prefix.startsWith("of=")) emitFile(inv, "write", dropPrefix(word, 3));
    else if (!INERT.test(prefix)) doubt(inv, `dd has no operand ${describe(word)}`);
  }
}
