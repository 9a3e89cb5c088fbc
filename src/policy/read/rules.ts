import * as v from "valibot";
import { type Action, brief, type RuleSource } from "../../action/index.ts";
import { parseRule } from "../parse-rule.ts";
import type { Effect, Matcher, Rule } from "../types.ts";
import { type Example, exampleActions } from "./examples.ts";
import type { Origin } from "./operations.ts";
import { optionRule, type RuleEntry, ruleEntry } from "./schema.ts";
import { type Fault, member, type Node, type Path, toValue } from "./tree.ts";

const EFFECTS: readonly Effect[] = ["allow", "ask", "deny"];

export interface RuleReader {
  readonly origin: Origin;
  readonly examples: (command: string) => readonly Action[];
  readonly sourceOf: (text: string, path: Path) => RuleSource;
}

/** The rules of `permissions` in file order. Entries that have not the form of a rule are left out here: the schema reports them. */
export function readRules(root: Node, reader: RuleReader): { readonly rules: readonly Rule[]; readonly faults: readonly Fault[] } {
  const rules: Rule[] = [];
  const faults: Fault[] = [];
  const permissions = member(root, "permissions")?.value;
  for (const { key, value } of permissions?.kind === "object" ? permissions.members : []) {
    const effect = EFFECTS.find((name) => name === key);
    if (effect === undefined || value.kind !== "array") continue;
    for (const [index, item] of value.items.entries()) {
      const entry = v.safeParse(ruleEntry, toValue(item));
      if (!entry.success) continue;
      const path = ["permissions", key, index];
      const read = readRule(entry.output, item, path, reader);
      if (!read.ok) {
        faults.push(read.fault);
        continue;
      }
      const source = reader.sourceOf(read.text, path);
      const reason = typeof entry.output === "string" ? undefined : entry.output.reason;
      rules.push({ effect, matcher: read.matcher, source, ...reader.origin, ...(reason === undefined ? {} : { reason }) });
      faults.push(...checkExamples(entry.output, read, item, path, reader));
    }
  }
  return { rules, faults };
}

type ReadRule = { readonly ok: true; readonly text: string; readonly matcher: Matcher } | { readonly ok: false; readonly fault: Fault };

function readRule(entry: RuleEntry, node: Node, path: Path, reader: RuleReader): ReadRule {
  if (typeof entry !== "string" && "tool" in entry) return { ok: true, text: printOptionRule(entry), matcher: optionMatcher(entry) };
  const text = typeof entry === "string" ? entry : entry.rule;
  const place = typeof entry === "string" ? node : (member(node, "rule")?.value ?? node);
  const parsed = parseRule(text);
  if (parsed.ok) return { ok: true, text, matcher: parsed.matcher };
  const { message, help } = parsed;
  const at = typeof entry === "string" ? path : [...path, "rule"];
  return { ok: false, fault: { offset: place.start, path: at, message, ...(help === undefined ? {} : { help }) } };
}

type OptionRule = v.InferOutput<typeof optionRule>;

function optionMatcher({ command, when }: OptionRule): Matcher {
  return { kind: "option", commands: toList(command), options: toList(when.hasOption) };
}

/** As it would stand in a file on one line. */
function printOptionRule({ tool, command, when }: OptionRule): string {
  return JSON.stringify({ tool, command, when });
}

function toList(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}

function checkExamples(entry: RuleEntry, rule: { readonly text: string; readonly matcher: Matcher }, node: Node, path: Path, reader: RuleReader): Fault[] {
  if (typeof entry === "string") return [];
  const check = (key: "match" | "notMatch", examples: readonly Example[]): Fault[] => {
    const list = member(node, key)?.value;
    return examples.flatMap((example, index): Fault[] => {
      const item = list?.kind === "array" ? list.items[index] : undefined;
      const at = { offset: item?.start ?? node.start, path: [...path, key, index] };
      const shown = `\`${brief(typeof example === "string" ? example : JSON.stringify(example), 60)}\``;
      const made = exampleActions(rule.matcher, example, reader.examples);
      if (!made.ok) return [{ ...at, message: `${shown} is no example of what this rule looks at`, help: made.help }];
      const matched = made.actions.some((action) => reader.matches(rule.matcher, action));
      if (matched === (key === "match")) return [];
      const not = key === "match" ? "does not match" : "matches";
      const wish = key === "match" ? "must" : "must not";
      return [{ ...at, message: `the rule ${not} ${shown}`, help: `\`${key}\` says that it ${wish}: correct \`${brief(rule.text, 60)}\`, or this example` }];
    });
  };
  return [...check("match", entry.match ?? []), ...check("notMatch", entry.notMatch ?? [])];
}
