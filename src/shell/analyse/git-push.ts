import { refuse, type Invocation } from "../invocation.ts";
import { prefixOf, textOf } from "../value.ts";
import { remoteAddress } from "./git-remote.ts";

/** git-push(1): a refspec that begins with `+` forces, one that begins with `:` deletes. */
export function gitPush(inv: Invocation): void {
  remoteAddress(inv, inv.args.operands[0]);
  for (const operand of inv.args.operands.slice(1)) {
    const start = prefixOf(operand);
    if (start.startsWith("+") || start.startsWith(":")) inv.cx.addDanger(inv.exec, "force-push");
    else if (textOf(operand) === undefined && start === "")
      refuse(inv, "a refspec only known at run time may force or delete", "write the branch out");
  }
}
