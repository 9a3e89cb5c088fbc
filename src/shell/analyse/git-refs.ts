import type { Invocation } from "../invocation.ts";
import { applyEffect } from "../kinds.ts";

const LISTING = new Set(["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"]);
/** git-tag(1): `-n` alone lists too. */
const LISTING_TAGS = new Set([...LISTING, "-n"]);

/**
 * git-branch(1), git-tag(1), git-replace(1), git-symbolic-ref(1): without an operand, or with an option that makes them
 * list, they only read; any other operand names a ref to create, move or delete.
 */
export function gitRefs(inv: Invocation): void {
  const given = inv.args.options.map((option) => option.option?.names ?? []);
  const isTag = given.length > 0 && inv.grammar.options.has("--local-user");
  const listing = isTag ? LISTING_TAGS : LISTING;
  const takenBack = given.some((names) => names.includes("--no-list") || names.includes("--no-points-at"));
  if (!takenBack && given.some((names) => names.some((name) => listing.has(name)))) return;
  const shown = inv.grammar.options.has("--short") ? 1 : 0;
  if (inv.args.operands.length > shown) applyEffect(inv, { is: "file", operation: "write", path: "$git", tree: false });
}
