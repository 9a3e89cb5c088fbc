import { describe, doubt, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { isGlob, literal, textOf } from "../value.ts";
import { has, valuesOf } from "./given.ts";

const NUMERIC = /^(\d+(\.\d+){0,3}(\/\d+)?|\[?[0-9a-f]*:[0-9a-f:.]*\]?(\/\d+)?|localhost|\*)$/i;

/** Viewers that look the names up that they are given: the question carries the name to whoever answers for it. */
export function hostNames(inv: Invocation): void {
  const words = inv.name === "lsof" ? [...inv.args.operands, ...valuesOf(inv, "-i")] : inv.args.operands;
  for (const word of words) {
    const text = textOf(word);
    if (text === undefined) {
      if (!isGlob(word) && (inv.name !== "lsof" || has(inv, "-i")))
        doubt(inv, `${describe(word)} may be a host whose name ${inv.name} looks up`, "write it out");
      continue;
    }
    const host = hostIn(inv.name, text);
    if (host !== undefined && host !== "" && !NUMERIC.test(host)) applyKind(inv, { is: "host" }, literal(host));
  }
}

/** lsof(8): `[46][protocol][@host][:service]`. ss(8): `dst HOST:PORT` among words of a filter. */
function hostIn(name: string, word: string): string | undefined {
  if (name === "lsof") return /@(\[[^\]]*\]|[^:]*)/.exec(word)?.[1];
  if (name === "ss") return /[a-z][\w-]*\.[a-z]/i.test(word) && !word.includes("/") ? word.replace(/:[\w*-]*$/, "") : undefined;
  return word;
}
