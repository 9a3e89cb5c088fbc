import { printAction, visible } from "../action/index.ts";
import type { Verdict } from "../policy/index.ts";
import { type Outcome, policyFile, type PolicySource } from "../engine/index.ts";

/** One part of a request that two policies judge differently. */
export interface ChangedPart {
  readonly text: string;
  readonly before: Verdict;
  readonly after: Verdict;
}

/** The same files, with another one in place of the user's own. */
export function withUserFile(file: string): (found: readonly PolicySource[]) => readonly PolicySource[] {
  return (found) => {
    const managed = found.filter(({ layer }) => layer === "managed");
    const rest = found.filter(({ layer }) => layer !== "managed" && layer !== "user");
    return [...managed, policyFile(file, "user"), ...rest];
  };
}

/** Verdicts that differ in what they say or in the rule they rest on. */
export function differ(a: Verdict, b: Verdict): boolean {
  return (
    a.decision !== b.decision ||
    a.basis !== b.basis ||
    a.builtin !== b.builtin ||
    a.rule?.text !== b.rule?.text ||
    (a.rule === undefined && a.reason !== b.reason)
  );
}

/** The parts of one request that two policies judge differently. Both outcomes are of the same request, so the parts are the same. */
export function changedParts(before: Outcome, after: Outcome): readonly ChangedPart[] {
  const actions = before.verdict.actions.flatMap(({ action, verdict }, at): ChangedPart[] => {
    const other = after.verdict.actions[at]?.verdict;
    return other === undefined || !differ(verdict, other) ? [] : [{ text: printAction(action), before: verdict, after: other }];
  });
  const unknowns = before.verdict.unknowns.flatMap(({ unknown, verdict }, at): ChangedPart[] => {
    const other = after.verdict.unknowns[at]?.verdict;
    if (other === undefined || !differ(verdict, other)) return [];
    return [{ text: `unknown: ${visible(unknown.reason)}`, before: verdict, after: other }];
  });
  return [...actions, ...unknowns];
}
