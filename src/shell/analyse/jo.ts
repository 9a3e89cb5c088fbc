import { dropPrefix } from "../options.ts";
import { describe, emitFile, refuse, type Invocation } from "../invocation.ts";
import { prefixOf, textOf } from "../value.ts";

/** jo(1): the value of a word that begins with `@`, `%` or `:` is the content of that file. */
export function jo(inv: Invocation): void {
  for (const word of inv.args.operands) {
    const prefix = prefixOf(word);
    const at = /^(?:[^=@%:]*[=]?[=:]?)?([@%:])/.exec(prefix) ?? /[=]([@%:])/.exec(prefix);
    if (at !== null) emitFile(inv, "read", dropPrefix(word, (at.index ?? 0) + at[0].length));
    else if (textOf(word) === undefined && !/=[^@%:]/.test(prefix))
      refuse(inv, `${describe(word)} may name a file that jo reads`, "write the name of the field and a quote in front of it");
  }
}
