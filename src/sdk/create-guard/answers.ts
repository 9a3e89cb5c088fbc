import { isObject } from "../../data/index.ts";
import { holderOf, type Outcome, rememberAnswer } from "../../engine/index.ts";
import { parseRule } from "../../policy/index.ts";
import { LONGEST_GRANT_MS, type Machine } from "../../state/index.ts";
import { changesFor } from "../../suggest/index.ts";
import { grantedIn } from "../granted-in.ts";
import { LIBRARY } from "../library.ts";
import type { GuardCall } from "./call.ts";
import type { JudgedCall } from "./judging.ts";

/** An answer that was understood. */
export type ReadAnswer =
  | { readonly is: "yes"; readonly scope: AnswerScope; readonly call: GuardCall | undefined; readonly input: unknown }
  | { readonly is: "no"; readonly note: string }
  | { readonly is: "later" };

type AnswerScope =
  | { readonly is: "once" }
  | { readonly is: "session" }
  | { readonly is: "for"; readonly ms: number }
  | { readonly is: "rule"; readonly rule: string };

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `10m`; undefined: it is no length of time. */
export function lengthOf(value: unknown): number | undefined {
  const [, count = "", unit = ""] = typeof value === "string" ? (/^(\d{1,6})([smhd])$/.exec(value) ?? []) : [];
  const ms = typeof value === "number" ? value : count === "" ? Number.NaN : Number(count) * (UNITS[unit] ?? Number.NaN);
  return Number.isFinite(ms) && ms > 0 && ms <= LONGEST_GRANT_MS ? ms : undefined;
}

/** INVARIANT: whatever is not surely a yes is a no. */
export function readAnswer(answer: unknown): ReadAnswer {
  if (answer === true) return { is: "yes", scope: { is: "once" }, call: undefined, input: undefined };
  if (answer === "later") return { is: "later" };
  if (!isObject(answer)) return { is: "no", note: "" };
  if ("no" in answer || !("yes" in answer)) return { is: "no", note: typeof answer["no"] === "string" ? answer["no"] : "" };
  if (Object.keys(answer).some((key) => key !== "yes" && key !== "call" && key !== "input")) return NOT_UNDERSTOOD;
  const scope = scopeOf(answer["yes"]);
  // What the call is, is judged where it is judged again.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read by `lowerCall`, which refuses what is none
  return scope === undefined ? NOT_UNDERSTOOD : { is: "yes", scope, call: answer["call"] as GuardCall | undefined, input: answer["input"] };
}

const NOT_UNDERSTOOD: ReadAnswer = { is: "no", note: "the answer was not understood" };

function scopeOf(yes: unknown): AnswerScope | undefined {
  if (yes === "once" || yes === "session") return { is: yes };
  if (!isObject(yes) || Object.keys(yes).length !== 1) return undefined;
  const ms = lengthOf(yes["for"]);
  if (ms !== undefined) return { is: "for", ms };
  const { rule } = yes;
  return typeof rule === "string" && parseRule(rule).ok ? { is: "rule", rule } : undefined;
}

/** Rules that would allow exactly what is asked about; none where one rule is not enough. */
export function rulesFor(parts: readonly JudgedCall[]): readonly string[] {
  return parts.flatMap(({ outcome }) => {
    const rules = changesFor(outcome, readRules);
    const [only] = rules.length === 1 ? rules : [];
    return only === undefined ? [] : [only];
  });
}

function readRules(texts: readonly string[]): ReturnType<Parameters<typeof changesFor>[1]> {
  const content = { is: "text", text: JSON.stringify({ permissions: { allow: texts } }) } as const;
  const policy = LIBRARY.reader().read(
    [{ layer: "user", file: "answer", mayGrant: true, content }],
    { text: "", pins: new Map() },
    () => [],
  );
  return policy.broken === undefined ? policy.rules : undefined;
}

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
      holderOf(request),
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

/** `false` once it is aborted. */
export function whenAborted(signal: AbortSignal): { readonly promise: Promise<false>; readonly stop: () => void } {
  const over = new AbortController();
  const promise = new Promise<false>((resolveWith) => {
    signal.addEventListener("abort", () => resolveWith(false), { once: true, signal: over.signal });
  });
  return { promise, stop: () => over.abort() };
}
