import { describe, doubt, emitFile, refuse, type Invocation } from "../invocation.ts";
import { textOf } from "../value.ts";

/** flock(1): `FILE COMMAND…`, `FILE -c LINE`, or the number of an open descriptor. The lock file is created. */
export function flock(inv: Invocation): void {
  const [lock, ...command] = inv.args.operands;
  if (lock === undefined) return;
  if (lock.many) refuse(inv, `${describe(lock)} may become the command that flock runs`, "quote it");
  const [first, line, ...more] = command;
  if (first === undefined) {
    if (!/^\d+$/.test(textOf(lock) ?? "")) doubt(inv, "flock is given no command");
    return;
  }
  emitFile(inv, "write", lock);
  const word = textOf(first);
  if (word !== "-c" && word !== "--command") {
    inv.output = inv.run.argv(inv.cx, inv.state, command, inv.stdin);
    return;
  }
  if (line === undefined || more.length > 0) doubt(inv, "flock -c takes exactly one command line");
  if (line !== undefined) inv.output = inv.run.script(inv.cx, inv.state, line, inv.stdin, { span: inv.span });
}
