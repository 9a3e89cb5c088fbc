import * as v from "valibot";
import type { Action } from "../../action/index.ts";
import type { RuleSource } from "../match/verdict.ts";
import { parseRule } from "../parse-rule.ts";
import { EFFECTS, type Rule } from "../match/types.ts";
import { type CheckedExample, checkExamples } from "./check-examples.ts";
import type { RuleOrigin } from "./operations.ts";
import { type RuleEntry, ruleEntry } from "./schema.ts";
import { type Fault, member, type JsonNode, offsetOf, type Path, toValue } from "../../edit/json5/index.ts";

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
