import type { Invocation } from "../invocation.ts";
import { applyEffect } from "../effects.ts";
import { gitRefNames } from "./git-names.ts";
import { has } from "./given.ts";

/** git-branch(1), git-tag(1), git-replace(1): with one of these, operands are patterns or tags to look at. */
const LISTING = ["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--show-current", "--verify"];
/** Measured with git 2.39: `git branch --list --no-list x` makes the branch. */
const TAKEN_BACK = ["--no-list", "--no-show-current", "--no-points-at"];

/** An operand makes or moves a ref, unless the command only lists. */
export function gitRefs(inv: Invocation): void {
  const { operands } = inv.args;
  gitRefNames(inv);
  // `symbolic-ref NAME` reads, `symbolic-ref NAME REF` sets: its table wants one operand.
  const reads = inv.grammar.slots?.[0]?.count === "one" ? 1 : 0;
  const many = operands.some((operand) => operand.many) || operands.length > reads;
  // `tag -n` lists; `branch -a` and `-r` refuse an operand.
  const lists = has(inv, ...LISTING) || (has(inv, "-n") && inv.grammar.options.has("--annotate")) || has(inv, "--remotes", "--all");
  if (many && !(lists && !has(inv, ...TAKEN_BACK))) applyEffect(inv, { is: "file", operation: "write", path: "$git", tree: false });
}
