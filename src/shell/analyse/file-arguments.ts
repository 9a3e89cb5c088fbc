import { doubt, emitFile, type Invocation } from "../invocation.ts";
import { dropPrefix } from "../options.ts";
import { prefixOf, textOf } from "../value.ts";
import { valuesOf } from "./given.ts";

/** aws(1), "Loading parameters from a file": a value that begins with `file://` or `fileb://` is that file's content. */
export function fileArguments(inv: Invocation): void {
  for (const value of [...inv.args.operands, ...inv.args.options.flatMap((given) => (given.value === undefined ? [] : [given.value]))]) {
    const match = /^fileb?:\/\//.exec(prefixOf(value));
    if (match !== null) emitFile(inv, "read", dropPrefix(value, match[0].length));
  }
}

/** aws(1), operations with a streamed answer: OUTFILE is a word of its own, often the last. */
export function intoAFile(inv: Invocation): void {
  fileArguments(inv);
  const last = inv.args.operands.at(-1);
  if (last !== undefined && !prefixOf(last).startsWith("-")) emitFile(inv, "write", last);
  doubt(inv, `${inv.name} writes what it gets into a file that one of its words names`, "write it to a folder of its own");
}

/** `aws lambda list-functions` answers with the environment of each function, unless `--query` (JMESPath) picks other fields. */
export function lambdaVariables(inv: Invocation): void {
  fileArguments(inv);
  const fields = valuesOf(inv, "--query").map((value) => textOf(value) ?? "");
  const picks =
    fields.length > 0 &&
    fields.every((text) => /^Functions\[[^\]]*\]\.(?:\w+|\[\w+(?:,\s*\w+)*\])$/.test(text) && !/environment/i.test(text));
  if (!picks)
    doubt(
      inv,
      "aws shows the environment variables of functions, which may hold secrets",
      "pick fields: --query 'Functions[].FunctionName'",
    );
}
