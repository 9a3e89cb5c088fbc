import { edit, type Edit, type NewItem, type ItemPlace } from "@assent/core/edit";
import { type Json, member, type JsonNode, type Path, readJson5, toValue } from "@assent/core/edit/json5";
import { compareDecisions, type Effect, type Matcher, OPERATIONS, type OperationName, parseRule, type RuleWhen } from "@assent/core/policy";
import { ruleEntries } from "@assent/guard/policy-edit";
import type { Converted, Loss } from "./types.ts";
import { textOf } from "./settle.ts";

/** A converted rule with where it came from, as people read it: `~/.claude/settings.json:12`. */
export interface Sourced {
  readonly rule: Converted;
  readonly from: string;
}

export interface ImportPlan {
  readonly edits: readonly Edit[];
  /** The policy afterwards. */
  readonly text: string;
  readonly added: readonly Sourced[];
  /** Stand in the policy already. */
  readonly there: readonly Sourced[];
  readonly lost: readonly { readonly of: Sourced; readonly loss: Loss }[];
}

/** A list of the policy, or the beginning of one, and what is to be added to it. */
interface PlanGroup {
  readonly list: Path;
  readonly place: (text: string) => ItemPlace | Loss;
  readonly items: { readonly of: Sourced; readonly value: Json }[];
}

/** The edits that add rules to a flawless policy text. What stands there is never changed. */
export function planImport(before: string, rules: readonly Sourced[]): ImportPlan {
  const known = new Set(keysOf(before));
  const groups = new Map<string, PlanGroup>();
  const single: Sourced[] = [];
  const there: Sourced[] = [];
  const lost: { of: Sourced; loss: Loss }[] = [];
  const inOrder = blocksInOrder(before, rules);
  for (const of of rules) {
    const key = keyOf(of.rule);
    if (key === undefined) single.push(of);
    else if (typeof key !== "string") lost.push({ of, loss: key });
    else if (known.has(key)) there.push(of);
    else {
      known.add(key);
      addTo(groups, of, inOrder);
    }
  }
  for (const of of rules) if (isOutOfOrder(of, rules, inOrder)) lost.push({ of, loss: OUT_OF_ORDER });
  const draft = new PlanDraft(before);
  // Of the block, each group finds its place among the rules that stand there by then.
  for (const group of groups.values()) draft.add(group, lost);
  for (const of of single) draft.addSingle(of, there, lost);
  return { edits: draft.edits, text: draft.text, added: rules.filter((of) => draft.added.has(of)), there, lost };
}

/** What makes a rule the same as another. Undefined for what is no element of a list of rules. */
function keyOf({ effect, into }: Converted): string | Loss | undefined {
  if ("pattern" in into) return blockKey(into.list, effect, into.pattern);
  if (into.list !== "permissions") return undefined;
  const parsed = parseRule(into.written ?? into.rule);
  return parsed.ok ? permissionKey(effect, parsed.matcher, parsed.when) : { why: parsed.message };
}

const permissionKey = (effect: Effect, matcher: Matcher, when: RuleWhen | undefined): string =>
  `${effect} ${JSON.stringify(matcher)} ${JSON.stringify(when ?? {})}`;
const blockKey = (operation: OperationName, effect: unknown, pattern: unknown): string =>
  `${String(effect)} ${operation} ${String(pattern)}`;

function keysOf(text: string): readonly string[] {
  return [
    ...ruleEntries(text).map(({ effect, matcher, when }) => permissionKey(effect, matcher, when)),
    ...OPERATIONS.flatMap((operation) =>
      rulesOfBlock(text, operation).map((item) => blockKey(operation, toText(item, "action"), toText(item, "pattern"))),
    ),
  ];
}

/** The blocks that have no rules yet and get those of one file: there they can stand in the order they had. */
function blocksInOrder(before: string, rules: readonly Sourced[]): ReadonlySet<OperationName> {
  const fileOf = ({ from }: Sourced): string => from.replace(/:\d+$/, "");
  return new Set(
    OPERATIONS.filter((operation) => {
      const own = rules.filter(({ rule }) => rule.into.list === operation);
      return (
        own.every(({ rule }) => rule.ordered === true) &&
        new Set(own.map(fileOf)).size === 1 &&
        rulesOfBlock(before, operation).length === 0
      );
    }),
  );
}

const OUT_OF_ORDER: Loss = {
  why: "kept, but your policy has rules for this operation already: among them it stands behind what refuses or asks",
  help: "put it where it should stand by hand",
};

/** It decided before a stricter one, and cannot here. */
function isOutOfOrder({ rule }: Sourced, rules: readonly Sourced[], inOrder: ReadonlySet<OperationName>): boolean {
  const { into, ordered, effect } = rule;
  if (ordered !== true || !("pattern" in into) || inOrder.has(into.list)) return false;
  const at = rules.findIndex((other) => other.rule === rule);
  return rules.slice(at + 1).some((other) => other.rule.into.list === into.list && compareDecisions(other.rule.effect, effect) > 0);
}

function rulesOfBlock(text: string, operation: OperationName): readonly JsonNode[] {
  const block = nodeAt(text, blockPath(operation));
  return block?.kind === "array" ? block.items : [];
}

function nodeAt(text: string, path: Path): JsonNode | undefined {
  let node: JsonNode | undefined = readJson5(text).root;
  for (const step of path) node = typeof step === "string" ? member(node, step)?.value : undefined;
  return node;
}

const blockPath = (operation: OperationName): Path => ["operations", operation, "rules"];

function addTo(groups: Map<string, PlanGroup>, of: Sourced, inOrder: ReadonlySet<OperationName>): void {
  const { effect, into } = of.rule;
  const operation = "pattern" in into ? into.list : undefined;
  const asTheyAre = operation !== undefined && inOrder.has(operation);
  const name = asTheyAre ? into.list : `${into.list} ${effect}`;
  const group = groups.get(name) ?? {
    list: operation === undefined ? ["permissions", effect] : blockPath(operation),
    place: operation === undefined || asTheyAre ? () => "end" as const : (text: string) => placeInBlock(text, operation, effect),
    items: [],
  };
  groups.set(name, group);
  group.items.push({ of, value: "pattern" in into ? blockRule(of.rule, into.pattern) : entryOf(of.rule) });
}

function entryOf({ into, reason, keep = {} }: Converted): Json {
  const { match, notMatch } = keep;
  const rule = textOf({ into });
  const written = into.list === "permissions" ? into.written : undefined;
  if (written === undefined && reason === undefined && match === undefined && notMatch === undefined) return rule;
  return {
    ...(written ?? { rule }),
    ...(reason === undefined ? {} : { reason }),
    ...(match === undefined ? {} : { match }),
    ...(notMatch === undefined ? {} : { notMatch }),
  };
}

const blockRule = ({ effect, reason }: Converted, pattern: string): Json => ({
  pattern,
  action: effect,
  ...(reason === undefined ? {} : { description: reason }),
});

/**
 * In a block the first match decides, so a refusal comes first, a question after the refusals and what is allowed last:
 * no rule that stands there loses anything to a looser one.
 */
function placeInBlock(text: string, operation: OperationName, effect: Effect): ItemPlace | Loss {
  const effects = rulesOfBlock(text, operation).map((item) => toText(item, "action"));
  if (effect === "allow" || effects.length === 0) return "end";
  const lastDeny = effects.lastIndexOf("deny");
  const firstAllow = effects.indexOf("allow");
  if (effect === "ask" && firstAllow !== -1 && firstAllow < lastDeny)
    return {
      why: `\`operations.${operation}\` of your policy mixes allow and deny rules, so a question has no place among them`,
      help: "add it by hand",
    };
  // After the refusals that stand first; in front of everything else.
  const ownDenies = effects.findIndex((one) => one !== "deny");
  const at = effect === "ask" ? lastDeny + 1 : ownDenies === -1 ? effects.length : ownDenies;
  return at >= effects.length ? "end" : { before: at };
}

function toText(node: JsonNode, key: string): unknown {
  const value = member(node, key)?.value;
  return value === undefined ? undefined : toValue(value);
}

/** The policy as it becomes, edit by edit. */
class PlanDraft {
  readonly edits: Edit[] = [];
  readonly added = new Set<Sourced>();
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  add({ list, place, items }: PlanGroup, lost: { of: Sourced; loss: Loss }[]): void {
    const spot = place(this.text);
    const [first, ...also] = items.map(({ of, value }): NewItem => ({ value, comment: `from ${of.from}` }));
    if (first === undefined) return;
    const make: readonly Edit[] = nodeAt(this.text, list)?.kind === "array" ? [] : [{ do: "set", path: list, value: [] }];
    const loss =
      typeof spot === "object" && "why" in spot ? spot : this.#apply([...make, { do: "insert", list, place: spot, ...first, also }]);
    for (const { of } of items)
      if (loss === undefined) this.added.add(of);
      else lost.push({ of, loss });
  }

  addSingle(of: Sourced, there: Sourced[], lost: { of: Sourced; loss: Loss }[]): void {
    const { effect, into } = of.rule;
    const step =
      into.list === "default" ? intoDefault(this.text, effect, into.operation) : intoRoots(this.text, textOf(of.rule), `from ${of.from}`);
    if (step === "there") return void there.push(of);
    const loss = "why" in step ? step : this.#apply(step.edits);
    if (loss === undefined) this.added.add(of);
    else lost.push({ of, loss });
  }

  #apply(edits: readonly Edit[]): Loss | undefined {
    let { text } = this;
    for (const change of edits) {
      const edited = edit(text, change);
      if (!edited.ok) return { why: `the policy cannot be changed safely: ${edited.message}` };
      ({ text } = edited);
    }
    this.text = text;
    this.edits.push(...edits);
    return undefined;
  }
}

type PlanStep = "there" | Loss | { readonly edits: readonly Edit[] };

function intoDefault(text: string, effect: Effect, operation: string): PlanStep {
  const path: Path = ["operations", operation, "default"];
  const now = nodeAt(text, path);
  const general = nodeAt(text, ["operations", "default"]);
  const value = now === undefined ? general && toValue(general) : toValue(now);
  if (value !== "allow" && value !== "ask" && value !== "deny") return { edits: [{ do: "set", path, value: effect }] };
  if (compareDecisions(value, effect) >= 0) return "there";
  return { why: `your policy has \`operations.${operation}.default\`: ${value}`, help: "change it by hand" };
}

function intoRoots(text: string, folder: string, comment: string): PlanStep {
  const path: Path = ["writableRoots"];
  const node = nodeAt(text, path);
  if (node?.kind === "array" && node.items.some((item) => toValue(item) === folder)) return "there";
  const insert: Edit = { do: "insert", list: path, place: "end", value: folder, comment };
  // Without the key the project is writable: it stays so.
  return { edits: node === undefined ? [{ do: "set", path, value: ["."] }, insert] : [insert] };
}
