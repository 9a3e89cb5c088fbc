import { type Action, type ExecAction, spend } from "../action/index.ts";
import { resolvePath } from "../path/index.ts";
import type { Answer } from "../pattern/index.ts";
import { matchBash } from "./match-bash.ts";
import { sideOf, type MatchContext, type Side } from "./match-context.ts";
import { matchCommandText } from "./match-command.ts";
import { matchNet } from "./match-net.ts";
import { matchOption } from "./match-option.ts";
import { isInsideFolder, matchFile, matchProgramPath, pathIsInside, worksInside } from "./match-path.ts";
import { matchShell } from "./match-shell.ts";
import { matchCondition, matchTool, pathFields } from "./match-tool.ts";
import type { CallMatcher, Matcher, Rule } from "./types.ts";

/**
 * Whether a rule speaks about an action. `maybe` means that it depends on what is only known at run time: it is
 * not enough for an allow rule, and makes of a deny rule an ask.
 *
 * @example matchRule(rule, action, { world }) === "yes"
 */
export function matchRule(rule: Rule, action: Action, context: MatchContext): Answer {
  const answer = matchMatcher(rule.matcher, action, sideOf(rule.effect), context);
  if (answer === "no" || rule.effect !== "allow" || rule.layer !== "project" || rule.root === undefined) return answer;
  return holdsInside(rule.root, action, context) ? answer : "no";
}

/** As `matchRule`, for a pattern that is no written rule. */
export function matchMatcher(matcher: Matcher, action: Action, side: Side, context: MatchContext): Answer {
  spend(2);
  switch (matcher.kind) {
    case "bash":
    case "shell":
    case "option":
    case "command":
      return action.kind === "exec" ? matchCommand(matcher, action, side, context) : "no";
    case "path":
      return matchPathRule(matcher, action, side, context);
    case "net":
      if (action.kind === "net") return matchNet(matcher, action, side);
      if (action.kind !== "tool" || (action.name !== matcher.tool && !(action.names ?? []).some((name) => name === matcher.tool)))
        return "no";
      if (matcher.host === "*") return "yes";
      // A condition on a tool's field also means the hosts below: too much for an allow of one host.
      if (side === "narrow" && !matcher.subdomains && !matcher.host.startsWith("*")) return "no";
      return matchCondition({ by: "domain", host: matcher.host }, action, side, context);
    case "tool":
      if (action.kind === "tool") return matchTool(matcher, action, side, context);
      // `*` means every tool, also those that are known well enough to be told as file and net actions.
      return matcher.name === "*" && matcher.where === undefined && action.origin.by === "tool" ? "yes" : "no";
    case "call":
      return matchCallRule(matcher, action, side, context);
  }
}

/** Where calls are seen and nobody can compare them, a rule that narrows may apply: it is never lost in silence. */
function matchCallRule(matcher: CallMatcher, { call }: Action, side: Side, { matchCall }: MatchContext): Answer {
  if (call === undefined || call.name !== matcher.name) return "no";
  if (matchCall === undefined) return side === "narrow" ? "no" : "maybe";
  return matchCall(matcher, call, side) ? "yes" : "no";
}

type CommandMatcher = Extract<Matcher, { readonly kind: "bash" | "shell" | "option" | "command" }>;

function matchCommand(matcher: CommandMatcher, action: ExecAction, side: Side, context: MatchContext): Answer {
  switch (matcher.kind) {
    case "bash":
      return matchBash(matcher, action, side, context);
    case "shell":
      return matchShell(matcher, action, side, context);
    case "option":
      return matchOption(matcher, action, side, context);
    case "command":
      return matchCommandText(matcher.pattern, action, side);
  }
}

function matchPathRule(matcher: Extract<Matcher, { readonly kind: "path" }>, action: Action, side: Side, context: MatchContext): Answer {
  const { pattern } = matcher;
  switch (action.kind) {
    case "file":
      if (!matcher.operations.includes(action.operation)) return "no";
      return pattern === undefined ? "yes" : matchFile(pattern, action, side, context);
    case "exec":
      if (!matcher.operations.includes("execute") || action.builtin === true) return "no";
      return pattern === undefined ? "yes" : matchProgramPath(pattern, action, side, context);
    case "tool":
      // A host whose file tools nobody described still calls them by these names.
      if (action.name !== matcher.tool) return "no";
      return pattern === undefined ? "yes" : matchCondition({ by: "path", pattern }, action, side, context);
    default:
      return "no";
  }
}

/** An allow rule of a project's own file reaches no further than the project. */
function holdsInside(root: string, action: Action, context: MatchContext): boolean {
  const { cwd } = context.world;
  if (!pathIsInside(cwd, root, context)) return false;
  if (action.kind === "file") return isInsideFolder(action.target, root, context);
  if (action.kind === "exec") return worksInside(action.folders, root, context);
  if (action.kind === "tool") return pathFields(action).every((path) => pathIsInside(resolvePath(cwd, path), root, context));
  return true;
}
