import { PRESET_TABLE } from "../../policy/index.ts";
import { compileRuleset } from "./read.ts";
import type { Operation, Ruleset } from "./ruleset.ts";

/** Whether a ruleset lets an operation happen at all: asked or allowed, for some target. */
export function isOffered(ruleset: Ruleset, operation: Operation): boolean {
  const { policy } = compileRuleset(ruleset);
  const block = policy.operations.find((one) => one.operation === operation);
  const row =
    operation === "execute" ? "exec" : operation === "read" ? "read" : operation === "write" || operation === "edit" ? "write" : "list";
  const fallback = block?.default ?? PRESET_TABLE[policy.settings.preset ?? "default"].defaults[row];
  for (const { effect, matcher } of block?.rules ?? []) {
    if (effect !== "deny") return true;
    // Nothing gets past it.
    if ("pattern" in matcher && (matcher.pattern === "**" || (matcher.kind === "command" && matcher.pattern === "*"))) return false;
  }
  return fallback !== "deny";
}
