import { emitFile, type Invocation } from "../invocation.ts";
import { tablePath } from "../kinds.ts";
import { dropPrefix } from "../options.ts";
import { concat, literal, prefixOf } from "../value.ts";

/**
 * gitrevisions(7): `REV:PATH`, `:PATH` and `:N:PATH` are the content of a file, below the top of the repository unless the
 * path starts with `./`. gitglossary(7), pathspec: `:/PATH` and `:(…)PATH` are paths from there too.
 */
export function gitRevisions(inv: Invocation): void {
  const top = tablePath(inv, "$git/..");
  for (const operand of inv.args.operands) {
    const match = /^(?::\([^)]*\)|:\/|:[0-3]:|[^:]*:)/.exec(prefixOf(operand));
    if (match === null || /^:(\(.*exclude|[!^])/.test(prefixOf(operand))) continue;
    const path = dropPrefix(operand, match[0].length);
    if (path.atoms.length === 0) continue;
    emitFile(inv, "read", prefixOf(path).startsWith(".") && /^\.{1,2}\//.test(prefixOf(path)) ? path : concat(concat(top, literal("/")), path));
  }
}
