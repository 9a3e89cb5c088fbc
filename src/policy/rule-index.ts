import type { Action, Call, CallName, ExecAction, FileAction, NetAction, ToolAction } from "../action/index.ts";
import { CommandRules } from "./command-rules.ts";
import type { MatchContext } from "./match-context.ts";
import { HostRules, ToolRules } from "./name-rules.ts";
import { PathRules } from "./path-rules.ts";
import { inOrder } from "./rule-lists.ts";
import type { Effect, Matcher, OperationBlock, OperationName, Policy, Rule } from "./types.ts";

/** The rules of a policy by what they can speak about, made once per policy, each part when it is first asked for. */
export interface RuleIndex {
  readonly deny: EffectIndex;
  readonly ask: EffectIndex;
  readonly allow: EffectIndex;
  readonly hasRules: boolean;
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

function makeIndex({ rules, operations }: Policy): RuleIndex {
  const blocks: Partial<Record<OperationName, readonly OperationBlock[]>> = {};
  for (const block of operations) blocks[block.operation] = [...(blocks[block.operation] ?? []), block];
  const of = (effect: Effect): EffectIndex => new EffectIndex(rules.filter((rule) => rule.effect === effect));
  return {
    deny: of("deny"),
    ask: of("ask"),
    // What nobody has trusted may narrow, never widen.
    allow: new EffectIndex(rules.filter((rule) => rule.effect === "allow" && rule.untrusted !== true)),
    hasRules: rules.length > 0,
    hasBlocks: operations.length > 0,
    blocks,
  };
}

/**
 * How much a rule could say: `sure` leaves out rules that could at most match something in a folder or a pattern,
 * because what it holds is only known when it is looked at.
 */
export type Extent = "sure" | "possible";

/** Rules of one effect, in layer and file order. */
export class EffectIndex {
  readonly rules: readonly Rule[];
  #commands: CommandRules | undefined;
  #files: PathRules | undefined;
  #hosts: HostRules | undefined;
  #tools: ToolRules | undefined;
  #anyTool: readonly Rule[] | undefined;
  #calls: ReadonlyMap<CallName, readonly Rule[]> | undefined;
  #places: ReadonlyMap<Rule, number> | undefined;
  /** The rules for an action together with those for its call; lists that stay the same do so together. */
  readonly #withCalls = new WeakMap<readonly Rule[], Map<CallName, readonly Rule[]>>();

  constructor(rules: readonly Rule[]) {
    this.rules = rules;
  }

  /**
   * The rules that could speak about an action, in their order.
   * INVARIANT: what is left out answers `no`; with `sure`, nothing but `no` or `maybe`.
   */
  matching(action: Action, extent: Extent, context: MatchContext): readonly Rule[] {
    if (this.rules.length === 0) return this.rules;
    const own = this.#ofKind(action, extent, context);
    return action.call === undefined ? own : this.#withCall(own, action.call);
  }

  /** Where a rule stands among the others. */
  placeOf(rule: Rule): number {
    return this.#order().get(rule) ?? this.rules.length;
  }

  #order(): ReadonlyMap<Rule, number> {
    return (this.#places ??= new Map(this.rules.map((rule, at) => [rule, at])));
  }

  #ofKind(action: Action, extent: Extent, context: MatchContext): readonly Rule[] {
    switch (action.kind) {
      case "exec":
        return this.#commandRules(action, context);
      case "file":
        return this.#fileRules(action, extent, context);
      case "net":
        return this.#netRules(action);
      case "tool":
        return this.#toolRules(action);
      default:
        return (this.#anyTool ??= this.rules.filter(isAnyTool));
    }
  }

  #commandRules(action: ExecAction, context: MatchContext): readonly Rule[] {
    this.#commands ??= new CommandRules(this.rules.filter(({ matcher }) => isCommandMatcher(matcher)));
    return this.#commands.matching(action, context);
  }

  #fileRules(action: FileAction, extent: Extent, context: MatchContext): readonly Rule[] {
    this.#files ??= new PathRules(this.rules.filter((rule) => rule.matcher.kind === "path" || isAnyTool(rule)));
    return this.#files.of(action.operation).matching(action, extent, context);
  }

  #netRules(action: NetAction): readonly Rule[] {
    this.#hosts ??= new HostRules(this.rules.filter((rule) => rule.matcher.kind === "net" || isAnyTool(rule)));
    return this.#hosts.matching(action);
  }

  #toolRules(action: ToolAction): readonly Rule[] {
    this.#tools ??= new ToolRules(this.rules.filter(({ matcher: { kind } }) => kind === "tool" || kind === "path" || kind === "net"));
    return this.#tools.matching(action);
  }

  /** In policy order, so that the first rule that matches is the one that is named. */
  #withCall(own: readonly Rule[], { name }: Call): readonly Rule[] {
    const calls = (this.#calls ??= byCall(this.rules)).get(name);
    if (calls === undefined) return own;
    if (own.length === 0) return calls;
    let known = this.#withCalls.get(own);
    if (known === undefined) this.#withCalls.set(own, (known = new Map<CallName, readonly Rule[]>()));
    let both = known.get(name);
    if (both === undefined) known.set(name, (both = inOrder(own, calls, this.#order())));
    return both;
  }
}

function byCall(rules: readonly Rule[]): ReadonlyMap<CallName, readonly Rule[]> {
  const calls = new Map<CallName, Rule[]>();
  for (const rule of rules) {
    if (rule.matcher.kind !== "call") continue;
    const list = calls.get(rule.matcher.name);
    if (list === undefined) calls.set(rule.matcher.name, [rule]);
    else list.push(rule);
  }
  return calls;
}

function isAnyTool({ matcher }: Rule): boolean {
  return matcher.kind === "tool" && matcher.name === "*" && matcher.where === undefined;
}

function isCommandMatcher(matcher: Matcher): boolean {
  const { kind } = matcher;
  return (
    kind === "bash" ||
    kind === "shell" ||
    kind === "option" ||
    kind === "command" ||
    (kind === "path" && matcher.operations.includes("execute"))
  );
}
