import type { RunEvent } from "../types.ts";

/**
 * What was refused only because nobody was asked, or because no rule lets the name be looked up. INVARIANT: what a written
 * rule, a built-in protection of files or the floor refuses is not among them: that is refused to be kept, not for want of
 * a rule. Of commands a protection's question may be answered beforehand, by a rule that names the command.
 */
export function mayBeAllowed({ action, verdict, answer }: Pick<RunEvent, "action" | "verdict" | "answer">): boolean {
  // A person has said no.
  if (answer !== undefined || verdict.waivable === false) return false;
  if (verdict.builtin === "unreachable-name") return true;
  if (verdict.decision !== "ask" && verdict.decision !== "none") return false;
  if (verdict.basis === "protection") return action.kind === "exec";
  return verdict.basis !== "floor" && verdict.basis !== "rule";
}
