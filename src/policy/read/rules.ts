import * as v from "valibot";
import { type Action, brief, type RuleSource } from "../../action/index.ts";
import { parseRule } from "../parse-rule.ts";
import { sideOf } from "../match-context.ts";
import { matchMatcher } from "../match-rule.ts";
import type { Effect, Matcher, Rule } from "../types.ts";
import { EXAMPLE_WORLD, type Example, exampleActions } from "./examples.ts";
import type { Origin } from "./operations.ts";
import { type RuleEntry, ruleEntry } from "./schema.ts";
import { type Fault, member, type Node, offsetOf, type Path, toValue } from "../../edit/json5/index.ts";

const EFFECTS: readonly Effect[] = ["allow", "ask", "deny"];

/** Each example is a command to analyse, and the file may be a stranger's. */
const MAX_EXAMPLES = 2000;
const TOO_MANY = { message: `more than ${MAX_EXAMPLES} examples in one file`, help: "keep those that tell something" };

export interface RuleReader {
  readonly origin: Origin;
  readonly examples: (command: string) => readonly Action[];
  readonly sourceOf: (text: string, path: Path) => RuleSource;
}

export interface RulesRead {
  readonly rules: readonly Rule[];
  readonly faults: readonly Fault[];
  /** Nothing is wrong with these, but their writer may mean something else. */
  readonly doubts: readonly Fault[];
}

/** The rules of `permissions` in file order. Entries that have not the form of a rule are left out here: the schema reports them. */
export function readRules(root: Node, reader: RuleReader): RulesRead {
  const rules: Rule[] = [];
  const faults: Fault[] = [];
  const doubts: Fault[] = [];
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
      rules.push({ effect, matcher, source: reader.sourceOf(text, base), ...reader.origin, ...(reason === undefined ? {} : { reason }) });
      const count = countExamples(entry.output);
      examples += count;
      if (examples <= MAX_EXAMPLES) faults.push(...checkExamples(entry.output, { effect, matcher, text }, item, base, reader));
      else if (examples - count <= MAX_EXAMPLES) faults.push({ offset: item.start, path: base, ...TOO_MANY });
    }
  }
  return { rules, faults, doubts };
}

/** The rule of an entry that has the form of one, and the path to what it is written as. */
function readRule(entry: RuleEntry, path: Path): { readonly parsed: ReturnType<typeof parseRule>; readonly path: Path } {
  if (typeof entry === "string") return { parsed: parseRule(entry), path };
  if ("rule" in entry) return { parsed: parseRule(entry.rule), path: [...path, "rule"] };
  const { tool, command, when } = entry;
  return { parsed: parseRule({ tool, command, when }), path };
}

function countExamples(entry: RuleEntry): number {
  return typeof entry === "string" ? 0 : (entry.match?.length ?? 0) + (entry.notMatch?.length ?? 0);
}

function checkExamples(
  entry: RuleEntry,
  rule: { readonly effect: Effect; readonly text: string; readonly matcher: Matcher },
  node: Node,
  path: Path,
  reader: RuleReader,
): Fault[] {
  if (typeof entry === "string") return [];
  const check = (key: "match" | "notMatch", examples: readonly Example[]): Fault[] => {
    const list = member(node, key)?.value;
    return examples.flatMap((example, index): Fault[] => {
      const item = list?.kind === "array" ? list.items[index] : undefined;
      const at = { offset: item?.start ?? node.start, path: [...path, key, index] };
      const shown = `\`${brief(typeof example === "string" ? example : JSON.stringify(example), 60)}\``;
      const made = exampleActions(rule.matcher, example, reader.examples);
      if (!made.ok) return [{ ...at, message: `${shown} is no example of what this rule looks at`, help: made.help }];
      const answers = made.actions.map((action) => matchMatcher(rule.matcher, action, sideOf(rule.effect), { world: EXAMPLE_WORLD }));
      const best = answers.includes("yes") ? "yes" : answers.includes("maybe") ? "maybe" : "no";
      if (best === (key === "match" ? "yes" : "no")) return [];
      const not = best === "maybe" ? "matches only perhaps" : best === "yes" ? "matches" : "does not match";
      const wish = key === "match" ? "must" : "must not";
      return [
        {
          ...at,
          message: `the rule ${not} ${shown}`,
          help: `\`${key}\` says that it ${wish}: correct \`${brief(rule.text, 60)}\`, or this example`,
        },
      ];
    });
  };
  return [...check("match", entry.match ?? []), ...check("notMatch", entry.notMatch ?? [])];
}
