import { emitFile, type Invocation } from "../invocation.ts";
import { dropPrefix } from "../options.ts";
import { prefixOf } from "../value.ts";

/** aws(1), "Loading parameters from a file": a value that begins with `file://` or `fileb://` is that file's content. */
export function fileArguments(inv: Invocation): void {
  for (const value of [...inv.args.operands, ...inv.args.options.flatMap((given) => (given.value === undefined ? [] : [given.value]))]) {
    const match = /^fileb?:\/\//.exec(prefixOf(value));
    if (match !== null) emitFile(inv, "read", dropPrefix(value, match[0].length));
  }
}
