import { refuse, type Invocation } from "../invocation.ts";
import { environmentWord } from "../kinds.ts";
import { concat, literal, prefixOf, type Value } from "../value.ts";

/**
 * make(1): `NAME=VALUE` among the operands is a variable of every recipe, and goes before what the Makefile says. `NAME!=CODE` runs the
 * code, a name is expanded as a value is, and those that begin with a dot are make's own (`.SHELLFLAGS`).
 */
export function makeVariables(inv: Invocation): void {
  for (const operand of inv.args.operands) {
    const match = /^\s*([^\s:#=?+!]*)\s*(\?|\+|:{1,3}|!)?=/.exec(prefixOf(operand));
    const [first] = operand.atoms;
    if (/^[^=]*\$[^]*=/.test(prefixOf(operand))) {
      refuse(inv, `make expands the name in \`${prefixOf(operand)}\``);
      continue;
    }
    if (match === null || typeof first !== "string") continue;
    if (match[2] === "!" || !/^[A-Za-z_][\w.-]*$/.test(match[1] ?? "")) {
      refuse(inv, `make runs or expands what \`${match[0]}\` sets`);
      continue;
    }
    const rest: Value = {
      atoms: [first.slice(match[0].length), ...operand.atoms.slice(1)].filter((atom) => atom !== ""),
      many: operand.many,
    };
    environmentWord(inv, concat(literal(`${(match[1] ?? "").replaceAll(/[.-]/g, "_")}=`), rest));
  }
}
