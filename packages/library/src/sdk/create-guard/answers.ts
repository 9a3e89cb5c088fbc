import { granteeOf, type Outcome, rememberAnswer } from "@assent/guard/engine";
import { LONGEST_GRANT_MS, parseRule } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";
import { grantedIn, ruleFor } from "../common/granted-in.ts";
import type { JudgedCall } from "./judging.ts";
import { type AnswerScope, type ReadAnswer, understandAnswer } from "../common/read-answer.ts";

export type { ReadAnswer };

/** An answer, which may hold for a rule. */
export const readAnswer = (answer: unknown): ReadAnswer => understandAnswer(answer, (rule) => parseRule(rule).ok);

/** Rules that would allow exactly what is asked about; none where one rule is not enough. */
export const rulesFor = (parts: readonly JudgedCall[]): readonly string[] => parts.flatMap(({ outcome }) => ruleFor(outcome) ?? []);

/** Keeps what an answer holds for beyond this call. */
export function keepScope(
  scope: AnswerScope,
  parts: readonly JudgedCall[],
  rules: readonly string[],
  machine: Machine,
  target: string,
): void {
  const { memory } = machine;
  const [first] = parts;
  if (memory === undefined || first === undefined || scope.is === "once") return;
  const { request } = first.outcome;
  const now = Date.now();
  const until = now + (scope.is === "for" ? scope.ms : LONGEST_GRANT_MS);
  const { session, principal } = request;
  // Of whom nothing but the session is known, that is who it is.
  const bound = session !== undefined && (scope.is === "session" || principal?.user === undefined);
  for (const rule of scope.is === "rule" ? [scope.rule] : rules)
    memory.addGrant(
      granteeOf(request),
      {
        kind: "rule",
        rule,
        by: "whoever was asked",
        until,
        why: `answered about ${target}`.slice(0, 300),
        ...(bound ? { session } : {}),
        ...grantedIn(rule, first.outcome),
      },
      now,
    );
}

/** What was refused is refused through the other tools as well, and what was allowed is no longer. */
export function noteAnswer({ request, verdict, basis }: Outcome, answer: "allowed" | "refused", machine: Machine): void {
  if (basis !== undefined) rememberAnswer(request, verdict, answer, { ...basis, machine });
}
