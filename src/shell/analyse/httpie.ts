import { describe, emitFile, refuse, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { dropPrefix } from "../options.ts";
import { literal, prefixOf, textOf } from "../value.ts";

/** http(1): `[METHOD] URL [ITEM…]`; an item `name@FILE`, `name=@FILE` or `name:=@FILE` sends a file. */
export function httpie(inv: Invocation): void {
  const operands = [...inv.args.operands];
  if (operands.length > 1 && /^[A-Za-z]+$/.test(textOf(operands[0] ?? literal("")) ?? "")) operands.shift();
  const [url, ...items] = operands;
  // `:3000/x` is a port of this machine.
  if (url !== undefined)
    applyKind(inv, { is: "url" }, /^:\d*(\/|$)/.test(textOf(url) ?? "") ? literal(`http://localhost${textOf(url) ?? ""}`) : url);
  for (const item of items) {
    const match = /^[^=:@]*(?:=@|:=@|@)/.exec(prefixOf(item));
    if (match !== null) emitFile(inv, "read", dropPrefix(item, match[0].length));
    else if (textOf(item) === undefined && !/[=:]./.test(prefixOf(item)))
      refuse(inv, `${describe(item)} may name a file that ${inv.name} sends`);
  }
}
