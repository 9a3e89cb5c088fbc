import type { Invocation } from "../invocation.ts";
import { applyEffect, codeFromStream } from "../kinds.ts";

/** What runs before the shell reads its input, not instead of it. */
const BEFORE = new Set(["-cmd", "-init", "--init-command"]);

/** A database shell without SQL on its command line takes it from standard input. */
export function sqlStdin(inv: Invocation): void {
  const given = inv.args.options.some(({ option }) => {
    if (option === undefined || option.names.some((name) => BEFORE.has(name))) return false;
    return option.kind.is === "sql" || (option.kind.is === "script" && option.kind.language === "sql") || option.names.includes("--list");
  });
  const slot = inv.grammar.slots?.findIndex(({ kind }) => kind.is === "sql") ?? -1;
  if (given || (slot >= 0 && inv.args.operands.length > slot)) return;
  if (inv.stdin.is === "none") applyEffect(inv, { is: "terminal" });
  else codeFromStream(inv, "sql", inv.stdin);
}
