import type { Invocation } from "../invocation.ts";
import { resolvePath } from "../paths.ts";
import { textOf, type Value } from "../value.ts";

const has = (inv: Invocation, ...names: readonly string[]): boolean => inv.args.options.some((given) => given.option?.names.some((name) => names.includes(name)) === true);

/** git-checkout(1): with paths it replaces files of the working tree, and what was in them is gone. */
export function gitCheckout(inv: Invocation): void {
  if (has(inv, "--pathspec-from-file", "--ours", "--theirs")) inv.cx.addDanger(inv.exec, "history-rewrite");
  const { operands } = inv.args;
  const end = inv.words.findIndex((word) => textOf(word) === "--");
  const afterEnd = end < 0 ? 0 : inv.words.length - end - 1;
  const [first] = operands;
  const names = has(inv, "-b", "-B", "--orphan", "--detach");
  if (afterEnd > 0 || (!names && operands.length > 1) || (!names && first !== undefined && mayBePath(inv, first))) inv.cx.addDanger(inv.exec, "history-rewrite");
}

/** A word that is a file where the command runs, or could be. */
function mayBePath(inv: Invocation, value: Value): boolean {
  const text = textOf(value);
  if (text === undefined || text.startsWith(":") || /[*?[]/.test(text)) return true;
  return inv.places.some((place) => place.is !== "at" || inv.cx.world.kind(resolvePath(place.path, text)) !== "missing");
}

/** git-restore(1): restoring only the index loses nothing that is in a file. */
export function gitRestore(inv: Invocation): void {
  if (!has(inv, "--staged") || has(inv, "--worktree", "--no-staged")) inv.cx.addDanger(inv.exec, "history-rewrite");
}
