import { applyEffect } from "../effects.ts";
import { emitFile, type Invocation } from "../invocation.ts";
import { literal } from "../value.ts";
import { has } from "./given.ts";
import { gitPatched } from "./patch.ts";

/** What makes git-add(1) and git-apply(1) only tell what they would do, and what takes that back. */
const TELLS = ["--dry-run", "--check", "--stat", "--numstat", "--summary"];
const TAKEN_BACK =
  "--no-dry-run --refresh --interactive --patch --edit --apply --no-check --no-stat --no-numstat --no-summary --build-fake-ancestor --3way --reject".split(
    " ",
  );

/** They write the repository, unless they only tell. */
export function gitDryRun(inv: Invocation): void {
  if (has(inv, ...TELLS) && !has(inv, ...TAKEN_BACK)) {
    // Which files have changed is found out by reading them.
    if (has(inv, "--all", "--update")) emitFile(inv, "list", literal(inv.cx.world.projectRoot), true);
    return;
  }
  applyEffect(inv, { is: "file", operation: "write", path: "$git", tree: false });
}

/** git-apply(1): as above, and it writes what the patch names. */
export function gitApply(inv: Invocation): void {
  gitDryRun(inv);
  if (!has(inv, ...TELLS) || has(inv, ...TAKEN_BACK)) gitPatched(inv);
}
