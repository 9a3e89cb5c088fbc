import { adviceForModel, adviceForPerson, quote, visible, withCommand } from "@assent/core/action";
import type { Outcome } from "../engine/index.ts";
import { parseRule } from "@assent/core/policy";
import { changesFor, type RuleReader } from "./rules.ts";

/** A command that people type once more. */
const LONGEST_TYPED = 100;
/** More rules than these are no advice. */
const MOST_RULES = 3;

/** What a person types so that `rules`, which were found for the request, are written; undefined: nothing that is short enough. */
export function offer({ request, verdict }: Outcome, rules: readonly string[]): string | undefined {
  if (rules.length === 0) return undefined;
  const { facts, input } = request;
  const line = facts?.does === "shell" ? input[facts.field] : undefined;
  // Whatever a rule is made of, `assent allow` finds it again in the command, unless it takes the command for something else.
  const isTyped =
    typeof line === "string" && line.length <= LONGEST_TYPED && visible(line) === line && line.trim() !== "" && isCommandText(line);
  if (isTyped && verdict.decision !== "allow") return `assent allow ${line.startsWith("-") ? "-- " : ""}${quote(line)}`;
  if (rules.length > MOST_RULES || rules.some((rule) => visible(rule) !== rule)) return undefined;
  return rules.map((rule) => `assent allow ${quote(rule)}`).join(" && ");
}

/** Neither a rule nor a path nor an address. */
const isCommandText = (line: string): boolean => /^[A-Za-z0-9_][\w.+@-]*(?:\s|$)/.test(line) && !parsesAsRule(line);

function parsesAsRule(text: string): boolean {
  const parsed = parseRule(text);
  return parsed.ok && parsed.matcher.kind !== "tool";
}

/**
 * The outcome with the way on that works: where a rule lets exactly this go ahead, the command that writes it, tried on the judge;
 * else none is named. What a host is told says the same.
 */
export function advise(outcome: Outcome, read: RuleReader): Outcome {
  const { verdict, answer } = outcome;
  const { help } = verdict;
  if (help === undefined || typeof help === "string" || help.without === undefined || verdict.decision === "allow") return outcome;
  const better = withCommand(help, offer(outcome, changesFor(outcome, read)));
  const say = (text: string): string =>
    text
      .replace(`(${adviceForPerson(help)})`, () => `(${adviceForPerson(better)})`)
      .replace(`(${adviceForModel(help)})`, () => `(${adviceForModel(better)})`);
  return {
    ...outcome,
    verdict: { ...verdict, help: better },
    answer: { ...answer, reason: say(answer.reason), modelReason: say(answer.modelReason) },
  };
}
