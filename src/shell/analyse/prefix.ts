import { emitFile, type Invocation } from "../invocation.ts";
import { literal } from "../value.ts";
import { has, valuesOf } from "./given.ts";

/** split(1), csplit(1): pieces are named PREFIX and letters or digits, so `~/.bashr` becomes `~/.bashrc` in the end. */
export function prefix(inv: Invocation): void {
  if (has(inv, "--filter")) return;
  const cuts = inv.grammar.options.has("--prefix");
  const name = (cuts ? valuesOf(inv, "-f", "--prefix").at(-1) : inv.args.operands[1]) ?? literal(cuts ? "xx" : "x");
  emitFile(inv, "write", { atoms: [...name.atoms, { glob: "*" }], many: name.many });
}
