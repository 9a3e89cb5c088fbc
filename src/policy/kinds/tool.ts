import type { Action, ToolAction } from "../../action/index.ts";
import { type Answer, covers, matchesText, type WordGlob, wordGlob } from "../../pattern/index.ts";
import type { MatchContext, Side } from "../match-context.ts";
import { matchCondition, type ToolCondition } from "../tool-fields.ts";
import type { Matcher } from "./index.ts";
import { type JudgingKind, never, none, nothing } from "./kind.ts";

/** `Name`, `prefix*`, `*`, with an optional field condition (`domain:`, path glob, `field:glob`). */
export interface ToolMatcher {
  readonly kind: "tool";
  readonly name: string;
  readonly where?: ToolCondition;
}

export const tool: JudgingKind<ToolMatcher> = {
  ofCommands: false,
  match: matchTool,
  keys: {
    programs: nothing,
    words: nothing,
    files: (matcher) => (isAnyTool(matcher) ? "any" : undefined),
    host: (matcher) => (isAnyTool(matcher) ? "*" : undefined),
    tool: ({ name }) => name,
    others: isAnyTool,
    call: nothing,
  },
  pathScope: nothing,
  isEveryCommand: never,
  covers: coversTool,
  names: { literal: ({ name }) => /[^*]/.test(name), isWholeCommand: never, paths: none, host: nothing },
  samples: none,
};

function matchTool(matcher: ToolMatcher, action: Action, side: Side, context: MatchContext): Answer {
  // `*` means every tool, also those that are known well enough to be told as file and net actions.
  if (action.kind !== "tool") return isAnyTool(matcher) && action.origin.by === "tool" ? "yes" : "no";
  if (!isNamed(matcher.name, action, side)) return "no";
  return matcher.where === undefined ? "yes" : matchCondition(matcher.where, action, side, context);
}

function isAnyTool({ name, where }: ToolMatcher): boolean {
  return name === "*" && where === undefined;
}

/** An allow rule must mean the tool whichever of its guessed names is right. */
function isNamed(pattern: string, { name, names = [], guesses = [] }: ToolAction, side: Side): boolean {
  const matches = (each: string): boolean => matchesText(pattern, each);
  if (matches(name) || names.some(matches)) return true;
  return guesses.length > 0 && (side === "narrow" ? guesses.every(matches) : guesses.some(matches));
}

function coversTool(outer: ToolMatcher, inner: Matcher): boolean {
  if (inner.kind !== "tool") return false;
  if (outer.where !== undefined && JSON.stringify(outer.where) !== JSON.stringify(inner.where)) return false;
  return outer.name === inner.name || covers(nameGlob(outer.name), nameGlob(inner.name));
}

function nameGlob(name: string): WordGlob {
  return wordGlob(name.replace(/[\\?[\]]/g, "\\$&"));
}
