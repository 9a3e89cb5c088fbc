import type { Action, ExecAction, FileAction, FileOperation } from "../action/index.ts";
import { BoundedMap, type Region } from "../pattern/index.ts";
import { patternBase, type MatchContext } from "./match-context.ts";
import { movesFolder, programRegions, targetRegions } from "./match-path.ts";
import { PathTree } from "./path-tree.ts";
import { select } from "./rule-lists.ts";
import type { Rule } from "./types.ts";

/** So few rules are tried one after the other sooner than they are looked up. */
export const SMALL = 16;

/** A list of rules about paths, of which those that could speak about an action are found by its path. */
export class PathRules {
  readonly #rules: readonly Rule[];
  readonly #lists = new Map<FileOperation, OperationRules>();

  /** `rules` speak about files or programs' files, each in its order. */
  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  of(operation: FileOperation): OperationRules {
    let list = this.#lists.get(operation);
    if (list === undefined) {
      const rules = this.#rules.filter(({ matcher }) => matcher.kind !== "path" || matcher.operations.includes(operation));
      this.#lists.set(operation, (list = new OperationRules(rules)));
    }
    return list;
  }
}

/** The rules of one operation. */
export class OperationRules {
  readonly all: readonly Rule[];
  /** Places of the rules that mean every path. */
  readonly #always: readonly number[];
  readonly #trees = new BoundedMap<string, PathTree>(4);

  constructor(rules: readonly Rule[]) {
    this.all = rules;
    this.#always = rules.flatMap(({ matcher }, at) => (matcher.kind === "path" && matcher.pattern !== undefined ? [] : [at]));
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
  for (const [at, { matcher }] of rules.entries())
    if (matcher.kind === "path" && matcher.pattern !== undefined) yield [at, matcher.pattern];
}

/** Nothing but the one path: what could match surely does. */
export function isExact(action: Action): boolean {
  return action.kind === "file" && action.target.kind === "path" && action.recursive !== true;
}
