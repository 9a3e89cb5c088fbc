import * as v from "valibot";
import { type Action, brief } from "../../action/index.ts";
import type { RuleSource } from "../match/verdict.ts";
import { parseRule } from "../parse-rule.ts";
import { EFFECTS, type Rule, type Effect, type Matcher } from "../match/types.ts";
import { type Fault, member, type JsonNode, offsetOf, type Path, toValue } from "../../edit/json5/index.ts";
import { callMatcher } from "../call-matcher.ts";
import { readingOf } from "../kinds/index.ts";
import { sideOf } from "../match/match-context.ts";
import { matchMatcher } from "../rule.ts";
import { EXAMPLE_WORLD, type Example } from "../match/examples.ts";
import type { RuleOrigin } from "./operations.ts";
import { type RuleEntry, ruleEntry } from "./schema.ts";

/** Each example is a command to analyse, and the file may be a stranger's. */
const MAX_EXAMPLES = 2000;
const TOO_MANY = { message: `more than ${MAX_EXAMPLES} examples in one file`, help: "keep those that tell something" };

export interface RuleReader {
  readonly origin: RuleOrigin;
  readonly examples: ((command: string) => readonly Action[]) | undefined;
  readonly sourceOf: (text: string, path: Path) => RuleSource;
}

export interface RulesRead {
  readonly rules: readonly Rule[];
  readonly faults: readonly Fault[];
  /** Nothing is wrong with these, but their writer may mean something else. */
  readonly doubts: readonly Fault[];
  /** What the examples of the rules say, right or wrong. */
  readonly checked: readonly CheckedExample[];
}

/** The rules of `permissions` in file order. Entries that have not the form of a rule are left out here: the schema reports them. */
export function readRules(root: JsonNode, reader: RuleReader): RulesRead {
  const rules: Rule[] = [];
  const faults: Fault[] = [];
  const doubts: Fault[] = [];
  const checked: CheckedExample[] = [];
  let examples = 0;
  const permissions = member(root, "permissions")?.value;
  for (const { key, value } of permissions?.kind === "object" ? permissions.members : []) {
    const effect = EFFECTS.find((name) => name === key);
    if (effect === undefined || value.kind !== "array") continue;
    for (const [index, item] of value.items.entries()) {
      const entry = v.safeParse(ruleEntry, toValue(item));
      if (!entry.success) continue;
      const base = ["permissions", key, index];
      const { parsed, path } = readRule(entry.output, base);
      const at = { offset: offsetOf(root, path, false), path };
      if (!parsed.ok) {
        const { message, help } = parsed;
        faults.push({ ...at, message, ...(help === undefined ? {} : { help }) });
        continue;
      }
      if (parsed.warning !== undefined) doubts.push({ ...at, message: parsed.warning });
      const { matcher, text } = parsed;
      const reason = typeof entry.output === "string" ? undefined : entry.output.reason;
      const bare =
        effect === "allow" && typeof entry.output !== "string" && "confined" in entry.output && entry.output.confined !== undefined;
      rules.push({
        effect,
        matcher,
        source: reader.sourceOf(text, base),
        ...reader.origin,
        ...(reason === undefined ? {} : { reason }),
        ...(bare ? { confined: false } : {}),
        ...(parsed.when === undefined ? {} : { when: parsed.when }),
      });
      const count = countExamples(entry.output);
      examples += count;
      if (reader.examples === undefined) continue;
      if (examples <= MAX_EXAMPLES) checked.push(...checkExamples(entry.output, { effect, matcher, text }, item, base, reader.examples));
      else if (examples - count <= MAX_EXAMPLES) faults.push({ offset: item.start, path: base, ...TOO_MANY });
    }
  }
  return { rules, faults: [...faults, ...checked.flatMap(({ fault }) => fault ?? [])], doubts, checked };
}

/** The rule of an entry that has the form of one, and the path to what it is written as. */
function readRule(entry: RuleEntry, path: Path): { readonly parsed: ReturnType<typeof parseRule>; readonly path: Path } {
  if (typeof entry === "string") return { parsed: parseRule(entry), path };
  if ("tool" in entry && !("command" in entry)) return { parsed: parseRule({ tool: entry.tool }), path: [...path, "tool"] };
  const { when } = entry;
  if (!("rule" in entry)) return { parsed: parseRule({ tool: entry.tool, command: entry.command, when }), path };
  return { parsed: parseRule(when === undefined ? entry.rule : { rule: entry.rule, when }), path: [...path, "rule"] };
}

function countExamples(entry: RuleEntry): number {
  return typeof entry === "string" ? 0 : (entry.match?.length ?? 0) + (entry.notMatch?.length ?? 0);
}

/** One example of a rule, held against it. */
interface CheckedExample {
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
function checkExamples(
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
