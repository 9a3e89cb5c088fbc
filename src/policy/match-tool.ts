import type { ToolAction } from "../action/index.ts";
import { both, either, hostMatches, hostOfUrl, matchesText, possibleHosts, type Answer } from "../pattern/index.ts";
import type { MatchContext, Side } from "./match-context.ts";
import { matchPathText } from "./match-path.ts";
import type { Matcher, ToolCondition } from "./types.ts";

type ToolMatcher = Extract<Matcher, { readonly kind: "tool" }>;

const URL_FIELDS: ReadonlySet<string> = new Set(["url", "uri", "href"]);
const PATH_FIELDS: ReadonlySet<string> = new Set([
  "path",
  "file_path",
  "filepath",
  "paths",
  "file_paths",
  "notebook_path",
  "absolute_path",
]);

export const isPathField = (field: string): boolean => PATH_FIELDS.has(field);

/** `Name`, `mcp__server__*`, `*`, with an optional condition on the tool's input. */
export function matchTool(matcher: ToolMatcher, action: ToolAction, side: Side, context: MatchContext): Answer {
  if (!isNamed(matcher.name, action, side)) return "no";
  return matcher.where === undefined ? "yes" : matchCondition(matcher.where, action, side, context);
}

/** An allow rule must mean the tool whichever of its guessed names is right. */
function isNamed(pattern: string, { name, names = [], guesses = [] }: ToolAction, side: Side): boolean {
  const matches = (each: string): boolean => matchesText(pattern, each);
  if (matches(name) || names.some(matches)) return true;
  return guesses.length > 0 && (side === "narrow" ? guesses.every(matches) : guesses.some(matches));
}

/** For deny and ask one field suffices; for allow there must be one and all must satisfy. */
export function matchCondition(where: ToolCondition, action: ToolAction, side: Side, context: MatchContext): Answer {
  let answer: Answer | undefined;
  for (const [field, value] of action.fields) {
    if (!isAbout(where, field)) continue;
    const found = matchValue(where, value, side, context);
    answer = answer === undefined ? found : side === "narrow" ? both(answer, found) : either(answer, found);
  }
  return answer ?? "no";
}

function isAbout(where: ToolCondition, field: string): boolean {
  switch (where.by) {
    case "domain":
      return URL_FIELDS.has(field);
    case "path":
      return PATH_FIELDS.has(field);
    case "field":
      return field === where.field;
  }
}

function matchValue(where: ToolCondition, value: string, side: Side, context: MatchContext): Answer {
  switch (where.by) {
    case "domain":
      return matchUrl(where.host, value, side);
    case "path":
      return matchPathValue(where.pattern, value, side, context);
    case "field":
      return matchesText(where.pattern, value) ? "yes" : "no";
  }
}

function matchUrl(host: string, url: string, side: Side): Answer {
  const real = hostOfUrl(url);
  const hosts = side === "wide" ? possibleHosts(url) : real === undefined ? [] : [real];
  return hosts.some((name) => hostMatches(host, true, name)) ? "yes" : "no";
}

/** A path field may hold a `file:` URL. */
export function matchPathValue(pattern: string, value: string, side: Side, context: MatchContext): Answer {
  if (value === "" || value.includes("\0")) return side === "narrow" ? "no" : "maybe";
  const path = pathOfUrl(value);
  const asUrl: Answer = path === undefined ? "no" : matchPathText(pattern, path, side, context);
  if (path !== undefined && side === "narrow") return asUrl;
  return either(asUrl, matchPathText(pattern, value, side, context));
}

function pathOfUrl(value: string): string | undefined {
  if (!/^\s*file:/i.test(value)) return undefined;
  try {
    return decodeURIComponent(new URL(value.trim()).pathname);
  } catch {
    return undefined;
  }
}

/** The paths a tool names, for rules that hold only inside a project. */
export function pathFields(action: ToolAction): readonly string[] {
  return action.fields.filter(([field]) => PATH_FIELDS.has(field)).map(([, value]) => pathOfUrl(value) ?? value);
}
