import type { Action, Call, CallName, ExecAction, FileOperation } from "../action/index.ts";
import { baseName } from "./location.ts";
import { foldCase } from "./path.ts";
import { BoundedMap } from "./result.ts";
import type { Effect, OperationBlock, OperationName, Policy, Rule } from "./types.ts";

/** The rules that could speak about one action, by effect, in layer and file order. */
export type RulesByEffect = Readonly<Record<Effect, readonly Rule[]>>;

/** The rules of a policy by what they can speak about, made once per policy. */
export interface RuleIndex {
  readonly commands: RulesByEffect;
  /** The part of `commands` that could mean a program of this (case-folded) name. */
  readonly byProgram: BoundedMap<string, RulesByEffect>;
  readonly files: Readonly<Record<FileOperation, RulesByEffect>>;
  readonly net: RulesByEffect;
  readonly tools: RulesByEffect;
  /** `*`, which means every tool. */
  readonly anyTool: RulesByEffect;
  /** Call patterns by the call they speak of. */
  readonly calls: ReadonlyMap<CallName, RulesByEffect>;
  /** The rules for an action together with those for its call, in their order; made when first asked for. */
  readonly withCalls: Map<CallName, WeakMap<RulesByEffect, RulesByEffect>>;
  readonly rules: readonly Rule[];
  readonly hasBlocks: boolean;
  readonly blocks: Readonly<Partial<Record<OperationName, readonly OperationBlock[]>>>;
}

const indexes = new WeakMap<Policy, RuleIndex>();

export function indexOf(policy: Policy): RuleIndex {
  let index = indexes.get(policy);
  if (index === undefined) {
    index = makeIndex(policy);
    indexes.set(policy, index);
  }
  return index;
}

/** No rule can speak; compared by identity. */
export const NO_RULES: RulesByEffect = { deny: [], ask: [], allow: [] };

function select(rules: readonly Rule[], wanted: (rule: Rule) => boolean): RulesByEffect {
  const chosen = rules.filter(wanted);
  if (chosen.length === 0) return NO_RULES;
  const of = (effect: Effect): readonly Rule[] => chosen.filter((rule) => rule.effect === effect);
  return { deny: of("deny"), ask: of("ask"), allow: of("allow") };
}

function makeIndex(policy: Policy): RuleIndex {
  // What nobody has trusted may narrow, never widen.
  const rules = policy.rules.filter((rule) => rule.effect !== "allow" || rule.untrusted !== true);
  const fileRules = (operation: FileOperation): RulesByEffect =>
    select(rules, (rule) => (rule.matcher.kind === "path" && rule.matcher.operations.includes(operation)) || isAnyTool(rule));
  const files: Record<FileOperation, RulesByEffect> = {
    read: fileRules("read"),
    list: fileRules("list"),
    write: fileRules("write"),
    edit: fileRules("edit"),
    delete: fileRules("delete"),
    rename: fileRules("rename"),
    mkdir: fileRules("mkdir"),
    link: fileRules("link"),
    metadata: fileRules("metadata"),
    execute: fileRules("execute"),
  };
  const blocks: Partial<Record<OperationName, readonly OperationBlock[]>> = {};
  for (const block of policy.operations) blocks[block.operation] = [...(blocks[block.operation] ?? []), block];
  return {
    commands: select(
      rules,
      ({ matcher }) => isCommandMatcher(matcher.kind) || (matcher.kind === "path" && matcher.operations.includes("execute")),
    ),
    byProgram: new BoundedMap(512),
    files,
    net: select(rules, (rule) => rule.matcher.kind === "net" || isAnyTool(rule)),
    tools: select(rules, ({ matcher }) => matcher.kind === "tool" || matcher.kind === "path" || matcher.kind === "net"),
    anyTool: select(rules, isAnyTool),
    calls: new Map(
      callNames(rules).map((name) => [name, select(rules, ({ matcher }) => matcher.kind === "call" && matcher.name === name)]),
    ),
    withCalls: new Map(),
    rules,
    hasBlocks: policy.operations.length > 0,
    blocks,
  };
}

function callNames(rules: readonly Rule[]): readonly CallName[] {
  return [...new Set(rules.flatMap(({ matcher }) => (matcher.kind === "call" ? [matcher.name] : [])))];
}

function isAnyTool({ matcher }: Rule): boolean {
  return matcher.kind === "tool" && matcher.name === "*" && matcher.where === undefined;
}

function isCommandMatcher(kind: Rule["matcher"]["kind"]): boolean {
  return kind === "bash" || kind === "shell" || kind === "option" || kind === "command";
}

/** The rules that could speak about an action. */
export function rulesFor(index: RuleIndex, action: Action): RulesByEffect {
  const own = rulesForKind(index, action);
  return action.call === undefined || index.calls.size === 0 ? own : withCallRules(index, own, action.call);
}

/** In policy order, so that the first rule that matches is the one that is named. */
function withCallRules(index: RuleIndex, own: RulesByEffect, { name }: Call): RulesByEffect {
  const calls = index.calls.get(name);
  if (calls === undefined) return own;
  if (own === NO_RULES) return calls;
  let known = index.withCalls.get(name);
  if (known === undefined) index.withCalls.set(name, (known = new WeakMap()));
  let both = known.get(own);
  if (both === undefined) {
    const wanted = new Set([own, calls].flatMap(({ deny, ask, allow }) => [...deny, ...ask, ...allow]));
    both = select(index.rules, (rule) => wanted.has(rule));
    known.set(own, both);
  }
  return both;
}

function rulesForKind(index: RuleIndex, action: Action): RulesByEffect {
  switch (action.kind) {
    case "exec":
      return commandRules(index, action);
    case "file":
      return index.files[action.operation];
    case "net":
      return index.net;
    case "tool":
      return index.tools;
    default:
      return index.anyTool;
  }
}

function commandRules(index: RuleIndex, action: ExecAction): RulesByEffect {
  const { commands } = index;
  if (commands === NO_RULES) return NO_RULES;
  const word = action.argv[0];
  if (word === undefined || !word.known) return commands;
  const name = foldCase(baseName(word.text));
  // A link may lead to a program of another name, and then the rules for both count.
  if (foldCase(baseName(action.program)) !== name || (action.resolved !== undefined && foldCase(baseName(action.resolved)) !== name))
    return commands;
  return index.byProgram.get(name, () => {
    const all = [...commands.deny, ...commands.ask, ...commands.allow];
    return select(all, (rule) => couldMean(rule, name));
  });
}

function couldMean({ matcher }: Rule, name: string): boolean {
  switch (matcher.kind) {
    case "bash": {
      const first = matcher.tokens[0];
      return first === undefined || first.is !== "text" || foldCase(baseName(first.text)) === name;
    }
    case "option":
      return matcher.commands.some((command) => foldCase(baseName(command)) === name);
    case "shell":
      return (
        matcher.program.negated || matcher.program.alternatives.some((word) => /[*?[\]\\]/.test(word) || foldCase(baseName(word)) === name)
      );
    default:
      return true;
  }
}
