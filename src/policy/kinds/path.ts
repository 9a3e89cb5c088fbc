import type { Action } from "../../action/index.ts";
import { type Answer, patternCovers, type PatternBase } from "../../pattern/index.ts";
import type { MatchContext, Side } from "../match-context.ts";
import { matchFile, matchProgramPath } from "../match-path.ts";
import { matchCondition } from "../tool-fields.ts";
import type { Matcher } from "./index.ts";
import { type JudgingKind, never, none, nothing, type PathScope } from "./kind.ts";

/** `Read(glob)`, `Edit(glob)`, …; also the `operations` blocks. */
export interface PathMatcher extends PathScope {
  readonly kind: "path";
  /** The rule's name, so that it also reaches a tool of that name which nobody described. */
  readonly tool?: string;
}

export const path: JudgingKind<PathMatcher> = {
  ofCommands: false,
  match: matchPath,
  keys: {
    programs: ({ operations }) => (operations.includes("execute") ? "file" : undefined),
    words: nothing,
    files: ({ operations }) => operations,
    host: nothing,
    tool: ({ tool }) => tool,
    others: never,
    call: nothing,
  },
  pathScope: (matcher) => matcher,
  isEveryCommand: never,
  covers: (outer, inner, _, base) => inner.kind === "path" && coversPath(outer, inner, base),
  names: {
    literal: ({ pattern }) => pattern !== undefined && /[^*?/.~]/.test(pattern),
    isWholeCommand: never,
    paths: ({ pattern }) => [pattern],
    host: nothing,
  },
  samples: none,
};

function matchPath({ operations, pattern, tool }: PathMatcher, action: Action, side: Side, context: MatchContext): Answer {
  switch (action.kind) {
    case "file":
      if (!operations.includes(action.operation)) return "no";
      return pattern === undefined ? "yes" : matchFile(pattern, action, side, context);
    case "exec":
      if (!operations.includes("execute") || action.builtin === true) return "no";
      return pattern === undefined ? "yes" : matchProgramPath(pattern, action, side, context);
    case "tool":
      // A host whose file tools nobody described still calls them by these names.
      if (action.name !== tool) return "no";
      return pattern === undefined ? "yes" : matchCondition({ by: "path", pattern }, action, side, context);
    default:
      return "no";
  }
}

function coversPath(outer: PathMatcher, inner: PathMatcher, base: PatternBase): boolean {
  if (!inner.operations.every((operation) => outer.operations.includes(operation))) return false;
  // A tool that nobody described is reached by the rule of its name alone.
  if (inner.tool !== undefined && inner.tool !== outer.tool) return false;
  if (outer.pattern === undefined) return true;
  return inner.pattern !== undefined && patternCovers(outer.pattern, inner.pattern, base);
}
