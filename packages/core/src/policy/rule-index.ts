import type { Action, Argument, Call, CallName, ExecAction, FileAction, FileOperation, NetAction, ToolAction } from "../action/index.ts";
import { baseName, foldCase, resolvePath } from "../path/index.ts";
import { BoundedMap, type Region, wordGlob } from "../pattern/index.ts";
import { otherName } from "./match/exec-words.ts";
import { judgingOf, pathScopeOf } from "./kinds/index.ts";
import { patternBase, type MatchContext } from "./match/match-context.ts";
import { movesFolder, programRegions, targetRegions } from "./match/match-path.ts";
import { PathTree, put } from "./path-tree.ts";
import type { RuleKeys } from "./kinds/kind.ts";
import type { Effect, Matcher, OperationBlock, OperationName, Policy, Rule } from "./match/types.ts";

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
export type RuleExtent = "sure" | "possible";

/** Rules of one effect, in layer and file order. */
export class EffectIndex {
  readonly rules: readonly Rule[];
  #commands: CommandRules | undefined;
  #files: PathRules | undefined;
  #hosts: HostRules | undefined;
  #tools: ToolRules | undefined;
  #others: readonly Rule[] | undefined;
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
  matching(action: Action, extent: RuleExtent, context: MatchContext): readonly Rule[] {
    if (this.rules.length === 0) return this.rules;
    const own = this.#ofKind(action, extent, context);
    return action.call === undefined ? own : this.#withCall(own, action.call);
  }

  /** Whether a rule could be about a program of this name. */
  maySpeakOf(name: string): boolean {
    this.#commands ??= new CommandRules(this.#withKey("programs"));
    return this.#commands.mayMean(name);
  }

  /** Where a rule stands among the others. */
  placeOf(rule: Rule): number {
    return this.#order().get(rule) ?? this.rules.length;
  }

  #order(): ReadonlyMap<Rule, number> {
    return (this.#places ??= new Map(this.rules.map((rule, at) => [rule, at])));
  }

  #ofKind(action: Action, extent: RuleExtent, context: MatchContext): readonly Rule[] {
    switch (action.kind) {
      case "exec":
        this.#commands ??= new CommandRules(this.#withKey("programs"));
        return this.#commands.matching(action, context);
      case "file":
        this.#files ??= new PathRules(this.#withKey("files"));
        return this.#files.of(action.operation).matching(action, extent, context);
      case "net":
        this.#hosts ??= new HostRules(this.#withKey("host"));
        return this.#hosts.matching(action);
      case "tool":
        this.#tools ??= new ToolRules(this.#withKey("tool"));
        return this.#tools.matching(action);
      default:
        return (this.#others ??= this.rules.filter(({ matcher }) => judgingOf(matcher).keys.others(matcher)));
    }
  }

  #withKey(key: "programs" | "files" | "host" | "tool"): readonly Rule[] {
    return this.rules.filter(({ matcher }) => judgingOf(matcher).keys[key](matcher) !== undefined);
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
    const name = judgingOf(rule.matcher).keys.call(rule.matcher);
    if (name === undefined) continue;
    const list = calls.get(name);
    if (list === undefined) calls.set(name, [rule]);
    else list.push(rule);
  }
  return calls;
}

/** The rules at these places, in their order; the list itself where that is all of them. */
function select(rules: readonly Rule[], places: ReadonlySet<number>): readonly Rule[] {
  if (places.size === rules.length) return rules;
  const chosen: Rule[] = [];
  for (const at of [...places].toSorted((a, b) => a - b)) {
    const rule = rules[at];
    if (rule !== undefined) chosen.push(rule);
  }
  return chosen;
}

/** Two choices from one list as one; `places` says where each of its rules stands. */
function inOrder(some: readonly Rule[], others: readonly Rule[], places: ReadonlyMap<Rule, number>): readonly Rule[] {
  if (others.length === 0) return some;
  if (some.length === 0) return others;
  return [...new Set([...some, ...others])].toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

/** So few rules are tried one after the other sooner than they are looked up. */
const SMALL = 16;

/** A list of rules about paths, of which those that could speak about an action are found by its path. */
export class PathRules {
  readonly #rules: readonly Rule[];
  readonly #lists = new Map<FileOperation, OperationRules>();

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  of(operation: FileOperation): OperationRules {
    let list = this.#lists.get(operation);
    if (list === undefined) {
      const rules = this.#rules.filter(({ matcher }) => {
        const operations = judgingOf(matcher).keys.files(matcher);
        return operations === "any" || operations?.includes(operation) === true;
      });
      this.#lists.set(operation, (list = new OperationRules(rules)));
    }
    return list;
  }
}

/** The rules of one operation. */
class OperationRules {
  readonly all: readonly Rule[];
  /** Places of the rules that mean every path. */
  readonly #always: readonly number[];
  readonly #trees = new BoundedMap<string, PathTree>(4);

  constructor(rules: readonly Rule[]) {
    this.all = rules;
    this.#always = rules.flatMap(({ matcher }, at) => (pathScopeOf(matcher)?.pattern === undefined ? [at] : []));
  }

  /** What could be sure to match, and all that could match if it depends. */
  matching(action: FileAction | ExecAction, extent: "sure" | "possible", context: MatchContext): readonly Rule[] {
    if (this.all.length <= SMALL) return this.all;
    const below = extent === "possible";
    if (action.kind === "exec") return this.#at(programRegions(action, context), false, context);
    const moved = below && movesFolder(action, context);
    return this.#at(targetRegions(action, context), moved || (below && !isExact(action)), context);
  }

  #at(regions: readonly Region[] | undefined, below: boolean, context: MatchContext): readonly Rule[] {
    // Nothing is known of the place.
    if (regions === undefined) return this.all;
    const tree = this.#tree(context);
    const found = new Set([...this.#always, ...tree.unread]);
    for (const region of regions) tree.collect(region, below, context.world, found);
    return select(this.all, found);
  }

  #tree({ world }: MatchContext): PathTree {
    const base = patternBase(world, "wide");
    return this.#trees.get(`${base.fold ? "f" : ""}\0${base.project}\0${base.home}`, () => new PathTree(patternsOf(this.all), base));
  }
}

function* patternsOf(rules: readonly Rule[]): Generator<readonly [number, string]> {
  for (const [at, { matcher }] of rules.entries()) {
    const pattern = pathScopeOf(matcher)?.pattern;
    if (pattern !== undefined) yield [at, pattern];
  }
}

/** Nothing but the one path: what could match surely does. */
export function isExact(action: Action): boolean {
  return action.kind === "file" && action.target.kind === "path" && action.recursive !== true;
}

/** Rules about commands, of which those that could speak about one are found by its program and its words. */
class CommandRules {
  readonly #rules: readonly Rule[];
  /** Places of the rules that could mean a program of this (case-folded) name. */
  readonly #named = new Map<string, number[]>();
  /** Of those that could mean any program. */
  readonly #always: number[] = [];
  /** Of those about programs' files, and they themselves. */
  readonly #paths: readonly number[];
  readonly #places: ReadonlyMap<Rule, number>;
  readonly #files: OperationRules;
  readonly #lists = new BoundedMap<string, WordRules>(512);

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    const paths = rules.flatMap(({ matcher }, at) => (programsOf(matcher) === "file" ? [at] : []));
    this.#files = new OperationRules(select(rules, new Set(paths)));
    // A handful of them is tried with the others.
    this.#paths = paths.length <= SMALL ? [] : paths;
    this.#places = new Map(this.#paths.length === 0 ? [] : rules.map((rule, at) => [rule, at]));
    for (const [at, { matcher }] of rules.entries()) {
      const names = programsOf(matcher);
      if (names === "file" && this.#paths.length > 0) continue;
      if (typeof names !== "object") this.#always.push(at);
      else for (const name of new Set(names.map((word) => foldCase(baseName(word))))) put(this.#named, name, at);
    }
  }

  matching(action: ExecAction, context: MatchContext): readonly Rule[] {
    const [word] = action.argv;
    if (this.#rules.length === 0 || word === undefined || !word.known || /\s/.test(word.text)) return this.#rules;
    const own = this.#list(action, word.text).matching(action);
    if (this.#paths.length === 0) return own;
    return inOrder(own, this.#files.matching(action, "possible", context), this.#places);
  }

  mayMean(name: string): boolean {
    return this.#always.length + this.#paths.length > 0 || this.#named.has(foldCase(baseName(name)));
  }

  /** A link may lead to a program of another name, and then the rules for both count. */
  #list(action: ExecAction, text: string): WordRules {
    const name = foldCase(baseName(text));
    const program = foldCase(baseName(action.program));
    const resolved = action.resolved === undefined ? name : foldCase(baseName(action.resolved));
    const key = program === name && resolved === name ? name : `${name}\0${program}\0${resolved}`;
    return this.#lists.get(key, () => {
      const names = new Set([name, program, resolved, otherName(text) ?? name]);
      const places = new Set([...this.#always, ...[...names].flatMap((one) => this.#named.get(one) ?? [])]);
      return new WordRules(select(this.#rules, places));
    });
  }
}

const programsOf = (matcher: Matcher): ReturnType<RuleKeys<Matcher>["programs"]> => judgingOf(matcher).keys.programs(matcher);

/** The rules for one program, by a word that the command must have. */
class WordRules {
  readonly #rules: readonly Rule[];
  readonly #worded = new Map<string, number[]>();
  readonly #always: number[] = [];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    if (rules.length <= SMALL) return;
    for (const [at, { matcher }] of rules.entries()) {
      const words = judgingOf(matcher).keys.words(matcher);
      if (words === undefined) this.#always.push(at);
      else for (const word of new Set(words)) put(this.#worded, word, at);
    }
  }

  matching(action: ExecAction): readonly Rule[] {
    if (this.#worded.size === 0 || action.argv.some((argument) => !argument.known) || shapeHides(action)) return this.#rules;
    const found = new Set(this.#always);
    for (const text of textsOf(action)) for (const at of this.#worded.get(text) ?? []) found.add(at);
    return select(this.#rules, found);
  }
}

function shapeHides({ shape }: ExecAction): boolean {
  if (shape === undefined) return false;
  return !shape.operands.every(({ known }) => known) || !shape.options.every(({ value }) => value?.known !== false);
}

/** Every text that a plain word of a rule is compared with. */
function textsOf({ argv, shape }: ExecAction): ReadonlySet<string> {
  const texts = new Set<string>();
  const add = (argument: Argument | undefined): void => {
    if (argument?.known === true) addText(argument.text, texts);
  };
  for (const argument of argv.slice(1)) add(argument);
  for (const operand of shape?.operands ?? []) add(operand);
  for (const { value } of shape?.options ?? []) add(value);
  return texts;
}

function addText(text: string, texts: Set<string>): void {
  texts.add(text);
  if (text.includes("/")) texts.add(resolvePath("/", text).slice(1));
  if (!text.startsWith("-")) return;
  const equals = text.indexOf("=");
  if (equals !== -1) addText(text.slice(equals + 1), texts);
  else if (!text.startsWith("--")) addText(text.slice(2), texts);
}

/** Rules about connections, by host. */
class HostRules {
  readonly #rules: readonly Rule[];
  readonly #hosts = new Map<string, number[]>();
  readonly #always = new Set<number>();

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    if (rules.length <= SMALL) return;
    for (const [at, { matcher }] of rules.entries()) {
      const host = judgingOf(matcher).keys.host(matcher) ?? "*";
      if (host === "*") this.#always.add(at);
      else put(this.#hosts, host.startsWith("*.") ? host.slice(2) : host, at);
    }
  }

  matching({ host }: NetAction): readonly Rule[] {
    if (host === undefined || this.#rules.length <= SMALL) return this.#rules;
    const found = new Set(this.#always);
    // A host and the domains it lies in, written with or without the dot at its end.
    let name = host.endsWith(".") ? host.slice(0, -1) : host;
    for (;;) {
      for (const at of this.#hosts.get(name) ?? []) found.add(at);
      const dot = name.indexOf(".");
      if (dot === -1) return select(this.#rules, found);
      name = name.slice(dot + 1);
    }
  }
}

/** Rules about tools, by name or by what their name begins with. */
class ToolRules {
  readonly #rules: readonly Rule[];
  readonly #names = new Map<string, number[]>();
  readonly #starts = new Map<string, number[]>();
  readonly #lengths = new Set<number>();
  readonly #always = new Set<number>();

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    if (rules.length <= SMALL) return;
    for (const [at, { matcher }] of rules.entries()) {
      const { literal, start, hasSet } = wordGlob(judgingOf(matcher).keys.tool(matcher) ?? "*");
      if (literal !== undefined) put(this.#names, literal, at);
      else if (start === "" || hasSet) this.#always.add(at);
      else {
        put(this.#starts, start, at);
        this.#lengths.add(start.length);
      }
    }
  }

  matching({ name, names = [], guesses = [] }: ToolAction): readonly Rule[] {
    if (this.#rules.length <= SMALL) return this.#rules;
    const found = new Set(this.#always);
    for (const each of [name, ...names, ...guesses]) {
      for (const at of this.#names.get(each) ?? []) found.add(at);
      for (const length of this.#lengths) for (const at of this.#starts.get(each.slice(0, length)) ?? []) found.add(at);
    }
    return select(this.#rules, found);
  }
}
