import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { LONGEST_GRANT_MS } from "@assent/core/policy";
import type { PermissionChange } from "./host-permissions.ts";

/** What an answer was understood as. `failed`: there is none. */
export type ReadAnswer =
  | {
      readonly is: "yes";
      readonly scope: AnswerScope;
      /** What it is, is judged where it is judged again. */
      readonly call: unknown;
      readonly input: unknown;
      /** For a host to remember. */
      readonly changes?: readonly PermissionChange[];
    }
  | { readonly is: "no"; readonly note: string }
  | { readonly is: "later" }
  | { readonly is: "failed"; readonly why: string };

/** Who kept a call from going ahead: the `policy`, a `person`; `nobody` was there to be asked, or asking was a `failure`. */
export type DeniedBy = "policy" | "person" | "nobody" | "failure";

/** Whose no it is that something does not go ahead after this answer. */
export const whoseNo = ({ is }: ReadAnswer): DeniedBy => (is === "failed" ? "failure" : is === "later" ? "nobody" : "person");

export type AnswerScope =
  | { readonly is: "once" }
  | { readonly is: "session" }
  | { readonly is: "for"; readonly ms: number }
  | { readonly is: "rule"; readonly rule: string };

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `10m`; undefined: it is no length of time. */
export function lengthOf(value: unknown, most: number = LONGEST_GRANT_MS): number | undefined {
  const [, count = "", unit = ""] = typeof value === "string" ? (/^(\d{1,6})([smhd])$/.exec(value) ?? []) : [];
  const ms = typeof value === "number" ? value : count === "" ? Number.NaN : Number(count) * (UNITS[unit] ?? Number.NaN);
  return Number.isFinite(ms) && ms > 0 && ms <= most ? ms : undefined;
}

/** Waits for an answer, and reads it. Never throws: what goes wrong is none. */
export async function hear(ask: () => unknown, understand: (answer: unknown) => ReadAnswer): Promise<ReadAnswer> {
  try {
    return understand(await ask());
  } catch (error) {
    return { is: "failed", why: messageOf(error) };
  }
}

export const messageOf = (error: unknown): string => visible(error instanceof Error ? error.message : String(error)).slice(0, 200);

/** INVARIANT: whatever is not surely a yes lets nothing go ahead. `isRule`: whether a text is a rule that an answer may hold for. */
export function understandAnswer(answer: unknown, isRule: (text: string) => boolean): ReadAnswer {
  if (answer === true) return { is: "yes", scope: { is: "once" }, call: undefined, input: undefined };
  if (answer === false) return { is: "no", note: "" };
  if (answer === "later") return { is: "later" };
  if (!isObject(answer) || !("yes" in answer || "no" in answer)) return NOT_UNDERSTOOD;
  if ("no" in answer) return { is: "no", note: typeof answer["no"] === "string" ? answer["no"] : "" };
  if (Object.keys(answer).some((key) => !KEYS.has(key))) return NOT_UNDERSTOOD;
  const { yes, call, input, updatedPermissions: changes } = answer;
  const scope = scopeOf(yes, isRule);
  if (scope === undefined || (changes !== undefined && !areChanges(changes))) return NOT_UNDERSTOOD;
  return { is: "yes", scope, call, input, ...(changes === undefined ? {} : { changes }) };
}

const KEYS = new Set(["yes", "call", "input", "updatedPermissions"]);

/** As far as they are used here: the host looks at the rest. */
const areChanges = (value: unknown): value is readonly PermissionChange[] =>
  Array.isArray(value) &&
  Object.keys(value).length === value.length &&
  value.every((one) => isObject(one) && typeof one["type"] === "string");

const NOT_UNDERSTOOD: ReadAnswer = { is: "failed", why: "the answer was not understood" };

function scopeOf(yes: unknown, isRule: (text: string) => boolean): AnswerScope | undefined {
  if (yes === "once" || yes === "session") return { is: yes };
  if (!isObject(yes) || Object.keys(yes).length !== 1) return undefined;
  const ms = lengthOf(yes["for"]);
  if (ms !== undefined) return { is: "for", ms };
  const { rule } = yes;
  return typeof rule === "string" && isRule(rule) ? { is: "rule", rule } : undefined;
}
