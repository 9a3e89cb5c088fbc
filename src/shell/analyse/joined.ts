import type { Invocation } from "../invocation.ts";
import { join, type Atom } from "../value.ts";

/**
 * watch(1), git-submodule(1) foreach, tmux(1): the operands joined by blanks are one shell line. An option that the table says
 * turns it into `argv` (watch -x) runs the words as they are.
 */
export function joined(inv: Invocation): void {
  const { operands } = inv.args;
  if (operands.length === 0) return;
  const asWords = inv.args.options.some((given) => given.option?.consequences.some((c) => c.then === "become" && c.to.is === "argv") === true);
  if (asWords) {
    inv.output = inv.run.argv(inv.cx, inv.state, operands, inv.stdin);
    return;
  }
  const atoms = join(operands.flatMap((operand, i): readonly Atom[] => (i === 0 ? operand.atoms : [" ", ...operand.atoms])));
  inv.output = inv.run.script(inv.cx, inv.state, { atoms, many: operands.some((operand) => operand.many) }, inv.stdin, { span: inv.span });
}
