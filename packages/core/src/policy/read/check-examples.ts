import { type Action, brief } from "../../action/index.ts";
import { type Fault, member, type JsonNode, type Path } from "../../edit/json5/index.ts";
import { callMatcher } from "../call-matcher.ts";
import { readingOf } from "../kinds/index.ts";
import { sideOf } from "../match/match-context.ts";
import { matchMatcher } from "../rule.ts";
import type { Effect, Matcher } from "../match/types.ts";
import { EXAMPLE_WORLD, type Example } from "../match/examples.ts";
import type { RuleEntry } from "./schema.ts";

/** One example of a rule, held against it. */
export interface CheckedExample {
  readonly offset: number;
  /** The rule as written. */
  readonly rule: string;
  readonly key: "match" | "notMatch";
  readonly example: Example;
  /** What is wrong; absent: the rule does what the example says. */
  readonly fault?: Fault;
}

interface RuleWithExamples {
  readonly effect: Effect;
  readonly text: string;
  readonly matcher: Matcher;
}

/** Holds the `match` and `notMatch` examples of an entry against its rule. */
export function checkExamples(
  entry: RuleEntry,
  rule: RuleWithExamples,
  node: JsonNode,
  path: Path,
  lower: (command: string) => readonly Action[],
): readonly CheckedExample[] {
  if (typeof entry === "string") return [];
  const check = (key: "match" | "notMatch", examples: readonly Example[]): readonly CheckedExample[] => {
    const list = member(node, key)?.value;
    return examples.map((example, index): CheckedExample => {
      const item = list?.kind === "array" ? list.items[index] : undefined;
      const offset = item?.start ?? node.start;
      const wrong = whatIsWrong(key, example, rule, lower);
      const fault = wrong === undefined ? {} : { fault: { offset, path: [...path, key, index], ...wrong } };
      return { offset, rule: rule.text, key, example, ...fault };
    });
  };
  return [...check("match", entry.match ?? []), ...check("notMatch", entry.notMatch ?? [])];
}

function whatIsWrong(
  key: "match" | "notMatch",
  example: Example,
  { effect, matcher, text }: RuleWithExamples,
  lower: (command: string) => readonly Action[],
): { readonly message: string; readonly help: string } | undefined {
  const shown = `\`${brief(typeof example === "string" ? example : JSON.stringify(example), 60)}\``;
  const kind = readingOf(matcher);
  const actions = kind.exampleActions(matcher, example, lower);
  if (actions === undefined) return { message: `${shown} is not an example of what this rule looks at`, help: kind.exampleHelp };
  const context = { world: EXAMPLE_WORLD, matchCall: callMatcher(EXAMPLE_WORLD) };
  const answers = actions.map((action) => matchMatcher(matcher, action, sideOf(effect), context));
  const best = answers.includes("yes") ? "yes" : answers.includes("maybe") ? "maybe" : "no";
  if (best === (key === "match" ? "yes" : "no")) return undefined;
  const not = best === "maybe" ? "matches only perhaps" : best === "yes" ? "matches" : "does not match";
  const wish = key === "match" ? "must" : "must not";
  return {
    message: `the rule ${not} ${shown}`,
    help: `\`${key}\` says that it ${wish}: correct \`${brief(text, 60)}\`, or this example`,
  };
}
