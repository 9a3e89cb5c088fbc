import { type Action, type FileAction, printTarget, type Target } from "../action/index.ts";
import type { Answer } from "../pattern/index.ts";
import { pathScopeOf } from "./kinds/index.ts";
import type { MatchContext } from "./match/match-context.ts";
import { matchRule } from "./rule.ts";
import { isInsideFolder, pathIsInside, worksInside } from "./match/match-path.ts";
import { rowOf } from "./match/presets.ts";
import { findReached } from "./targets.ts";
import { type EffectIndex, isExact, PathRules, type RuleIndex } from "./rule-index.ts";
import type { OperationBlock, OperationName, Rule } from "./match/types.ts";
import { compareDecisions } from "./match/verdict.ts";

/** A rule that speaks about an action: for sure, or depending on what is only known at run time. */
export interface Hit {
  readonly rule: Rule;
  readonly certain: boolean;
}

/** What is written about one action, whatever layer it comes from. */
export interface MatchedRules {
  readonly deny: Hit | undefined;
  readonly ask: Hit | undefined;
  /** Every allow rule that surely matches: which of them names a protection is decided later. */
  readonly allow: readonly Rule[];
  /** The strictest default that `operations` blocks give it. */
  readonly fallback: OperationBlock | undefined;
}

export const NO_MATCHES: MatchedRules = { deny: undefined, ask: undefined, allow: [], fallback: undefined };

/** What the rules and blocks of a policy say about an action. */
export function findMatchingRules(action: Action, index: RuleIndex, context: MatchContext): MatchedRules {
  if (!index.hasRules && !index.hasBlocks) return NO_MATCHES;
  let deny = firstHit(index.deny, action, context);
  let ask = firstHit(index.ask, action, context);
  const allowing = index.allow.matching(action, "sure", context);
  let allow: readonly Rule[] = allowing.length === 0 ? allowing : allowing.filter((rule) => matchRule(rule, action, context) === "yes");
  let fallback: OperationBlock | undefined;
  for (const name of blockNames(action)) {
    for (const block of index.blocks[name] ?? []) {
      const spoken = firstInBlock(block, action, context);
      if (spoken === "default") fallback = stricter(fallback, block, action, context);
      else if (spoken.rule.effect === "deny") deny = deny?.certain === true ? deny : spoken;
      else if (spoken.rule.effect === "ask") ask = ask?.certain === true ? ask : spoken;
      else if (spoken.certain && spoken.rule.untrusted !== true) allow = [...allow, spoken.rule];
    }
  }
  return { deny, ask, allow, fallback };
}

/** Every rule that asks about an action, or may. */
export function asking(action: Action, index: RuleIndex, context: MatchContext): readonly Rule[] {
  const rules = index.ask.matching(action, "possible", context).filter((rule) => matchRule(rule, action, context) !== "no");
  const blocks = blockNames(action).flatMap((name) =>
    (index.blocks[name] ?? []).flatMap((block) => {
      const spoken = firstInBlock(block, action, context);
      return spoken !== "default" && spoken.rule.effect === "ask" ? [spoken.rule] : [];
    }),
  );
  return [...rules, ...blocks];
}

/** The first rule that surely matches, else the first that may. */
function firstHit(index: EffectIndex, action: Action, context: MatchContext): Hit | undefined {
  const rules = index.matching(action, "sure", context);
  const maybe: Rule[] = [];
  for (const rule of rules) {
    const answer = matchRule(rule, action, context);
    if (answer === "yes") return { rule, certain: true };
    if (answer === "maybe") maybe.push(rule);
  }
  const rule =
    action.kind !== "file" ? maybe[0] : isLookedUp(action) ? firstFound(index, action, maybe, context) : firstOf(index, action, context);
  return rule === undefined ? undefined : { rule, certain: false };
}

/** What is read is surely there already, so whether a folder or pattern really holds what a rule means can be looked up. */
function isLookedUp(action: FileAction): boolean {
  return !isExact(action) && (action.operation === "read" || action.operation === "list");
}

/** The first rule that may match. */
function firstOf(index: EffectIndex, action: FileAction, context: MatchContext): Rule | undefined {
  return index.matching(action, "possible", context).find((rule) => matchRule(rule, action, context) !== "no");
}

/** The first rule that means something the action reaches: one walk for all of them. */
function firstFound(index: EffectIndex, action: FileAction, maybe: readonly Rule[], context: MatchContext): Rule | undefined {
  // Whether a call pattern matches cannot be looked up.
  let first = maybe.find((rule) => !isByPath(rule));
  const inside = index.matching(action, "possible", context).filter(isByPath);
  const few = inside.length <= MOST_TRIED;
  const could = few ? inside.filter((rule) => matchRule(rule, action, context) === "maybe") : inside;
  const [earliest] = could;
  if (earliest === undefined) return first;
  const look = (path: string): boolean => {
    const one = exactly(action, path);
    for (const rule of few ? could : index.matching(one, "sure", context)) {
      if (first !== undefined && index.placeOf(rule) >= index.placeOf(first)) break;
      if (!isByPath(rule) || matchRule(rule, one, context) !== "yes" || matchRule(rule, action, context) === "no") continue;
      first = rule;
      break;
    }
    return first === earliest;
  };
  const { found, complete } = findReached(action, look, context.world);
  if (found !== undefined || complete) return first;
  const hidden = could.find((rule) => matchRule(rule, action, context) !== "no");
  return hidden !== undefined && (first === undefined || index.placeOf(hidden) < index.placeOf(first)) ? hidden : first;
}

const isByPath = ({ matcher }: Rule): boolean => pathScopeOf(matcher) !== undefined;

/** More rules than this are looked up by each path that is found, instead of being tried on it. */
const MOST_TRIED = 64;

/** As `matchRule`, for rules that narrow: whether a folder or pattern really holds something they mean is asked of the world. */
function matchStrict(rule: Rule, action: Action, context: MatchContext): Answer {
  const answer = matchRule(rule, action, context);
  if (answer !== "maybe" || action.kind !== "file" || !isByPath(rule)) return answer;
  if (action.target.kind === "path" && action.recursive !== true) return answer;
  // Something new may be made there, too; only what is read is surely there already.
  if (action.operation !== "read" && action.operation !== "list") return answer;
  const { found, complete } = findReached(action, (path) => matchRule(rule, exactly(action, path), context) === "yes", context.world);
  return found === undefined && complete ? "no" : "maybe";
}

/** The action on one path of those its target reaches. */
export function exactly(action: FileAction, path: string): FileAction {
  const target: Target = { kind: "path", path };
  const { asGiven: _, recursive: __, ...rest } = action;
  return { ...rest, target };
}

const NO_BLOCKS: readonly OperationName[] = [];
const BLOCKS = {
  read: ["read"],
  list: ["ls", "glob", "grep"],
  write: ["write"],
  delete: ["write"],
  exec: ["execute"],
  code: ["execute"],
} as const;

/** The blocks that speak about an action: searching and listing are one to the system. */
function blockNames(action: Action): readonly OperationName[] {
  if (action.kind === "file" && action.operation === "edit") return ["edit"];
  const row = rowOf(action);
  return row === "read" || row === "list" || row === "write" || row === "delete" || row === "exec" || row === "code"
    ? BLOCKS[row]
    : NO_BLOCKS;
}

const indexed = new WeakMap<OperationBlock, PathRules>();

/** Those of a block's rules that could match. */
function rulesOf(block: OperationBlock, action: Action, context: MatchContext): readonly Rule[] {
  if (action.kind !== "file") return block.rules;
  let rules = indexed.get(block);
  if (rules === undefined) indexed.set(block, (rules = new PathRules(block.rules)));
  return rules.of(action.operation).matching(action, "possible", context);
}

/** First match wins inside a block. Rules that may match make the outcome uncertain where they differ from it. */
function firstInBlock(block: OperationBlock, action: Action, context: MatchContext): Hit | "default" {
  let strictest: Rule | undefined;
  for (const rule of rulesOf(block, action, context)) {
    const answer = matchStrict(rule, action, context);
    if (answer === "no") continue;
    if (answer === "yes" && (strictest === undefined || strictest.effect === rule.effect)) return { rule, certain: true };
    if (strictest === undefined || compareDecisions(rule.effect, strictest.effect) > 0) strictest = rule;
    if (answer === "yes") break;
  }
  return strictest === undefined || strictest.effect === "allow" ? "default" : { rule: strictest, certain: false };
}

function stricter(
  current: OperationBlock | undefined,
  block: OperationBlock,
  action: Action,
  context: MatchContext,
): OperationBlock | undefined {
  if (block.default === undefined) return current;
  if (block.default === "allow" && !allowHolds(block, action, context)) return current;
  return current?.default === undefined || compareDecisions(block.default, current.default) > 0 ? block : current;
}

/** A project's own default opens nothing outside the project. */
function allowHolds(block: OperationBlock, action: Action, context: MatchContext): boolean {
  if (block.untrusted === true) return false;
  return block.root === undefined || isInside(block.root, action, context);
}

/** True when the cwd and everything the action reaches lie inside `root`. */
export function isInside(root: string, action: Action, context: MatchContext): boolean {
  if (!pathIsInside(context.world.cwd, root, context)) return false;
  if (action.kind === "exec") return worksInside(action.folders, root, context);
  return action.kind !== "file" || isInsideFolder(action.target, root, context);
}

/** Why a rule that may match cannot be told to match: what hides it. */
export function hiddenBy(action: Action): string {
  switch (action.kind) {
    case "exec": {
      const unknown = action.argv.find((argument) => !argument.known);
      return unknown === undefined || unknown.known
        ? "it is not clear which program this is, or which words are values of its options"
        : unknown.why;
    }
    case "file":
      if (action.target.kind === "unknown") return action.target.why;
      return action.target.kind === "tree" && action.target.filter?.shown !== undefined
        ? "git may show of its index or its history what it means"
        : `${printTarget(action.target)} may hold what it means`;
    case "net":
      return action.why ?? "the host is only known at run time";
    default:
      return "its content is only known at run time";
  }
}
