import { attempt } from "../../data/index.ts";
import type { ToolAction } from "../../action/index.ts";
import {
  type Answer,
  both,
  either,
  expandBraces,
  hostMatches,
  hostOfUrl,
  matchesText,
  mistake,
  normaliseHost,
  ok,
  parseUnits,
  pathPattern,
  possibleHosts,
  type Result,
} from "../../pattern/index.ts";
import type { MatchContext, Side } from "./match-context.ts";
import { matchPathText } from "./match-path.ts";

/** What the input of a tool says, as far as rules look at it. */

export type ToolCondition =
  | { readonly by: "domain"; readonly host: string }
  | { readonly by: "path"; readonly pattern: string }
  | { readonly by: "field"; readonly field: string; readonly pattern: string };

const URL_FIELDS: ReadonlySet<string> = new Set(["url", "uri", "href"]);
const PATH_FIELDS: ReadonlySet<string> = new Set("path file_path filepath paths file_paths notebook_path absolute_path".split(" "));

export const isPathField = (field: string): boolean => PATH_FIELDS.has(field);

/** For deny and ask one field suffices; for allow there must be one and all must satisfy. */
export function matchCondition(where: ToolCondition, action: ToolAction, side: Side, context: MatchContext): Answer {
  let answer: Answer | undefined;
  for (const [field, text] of action.fields) {
    const value = isAbout(where, field) ? text : side === "wide" && where.by === "field" ? valueBelow(where.field, field, text) : undefined;
    if (value === undefined) continue;
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

/**
 * To forbid and to ask, a field may be written with a `*` and with what it lies in (`env.AWS_*`), and a variable may be an item of a list
 * (`"AWS_KEY=x"`). Where it lies is not known any more, so all fields of that name are meant.
 */
function valueBelow(pattern: string, field: string, text: string): string | undefined {
  const name = pattern.slice(pattern.lastIndexOf(".") + 1);
  if (matchesText(name, field)) return text;
  const [whole = "", variable = ""] = /^([A-Za-z_]\w*)=/.exec(text) ?? [];
  return whole !== "" && matchesText(name, variable) ? text.slice(whole.length) : undefined;
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
  return attempt(() => decodeURIComponent(new URL(value.trim()).pathname), undefined);
}

/** The paths a tool names, for rules that hold only inside a project. */
export function pathFields(action: ToolAction): readonly string[] {
  return action.fields.filter(([field]) => PATH_FIELDS.has(field)).map(([, value]) => pathOfUrl(value) ?? value);
}

/** The host of a rule: `*`, `*.example.com`, a name or an address. */
export function parseHost(text: string): Result<string> {
  if (text === "*") return ok("*");
  const below = text.startsWith("*.");
  const name = below ? text.slice(2) : text;
  if (name.includes("*")) return mistake(`\`${text}\`: \`*\` can only stand for whole leading labels`, "write `*.example.com`");
  const host = normaliseHost(name);
  if (host === undefined) return mistake(`\`${text}\` is not a host`, "write a host name or address without scheme, port and path");
  return ok(below ? `*.${host}` : host);
}

/** The condition of a tool rule: `domain:host`, `field:glob`, or a path pattern. */
export function parseCondition(scope: string): Result<ToolCondition> {
  const field = /^([A-Za-z_][\w.*-]*):/.exec(scope)?.[1];
  if (field === "domain") {
    const host = parseHost(scope.slice(7).trim());
    return host.ok ? ok({ by: "domain", host: host.value }) : host;
  }
  if (field !== undefined) {
    const pattern = scope.slice(field.length + 1);
    if (/^https?$/i.test(field) && pattern.startsWith("//"))
      return mistake("a URL cannot be a scope", `write \`domain:${pattern.slice(2).replace(/[/:].*$/s, "")}\``);
    const texts = expandBraces(pattern);
    if (!texts.ok) return texts;
    if (texts.value.length > 1) return mistake("braces in a field's pattern", "write one rule for each");
    const units = parseUnits(pattern);
    return units.ok ? ok({ by: "field", field, pattern }) : units;
  }
  const pattern = pathPattern(scope);
  return pattern.ok ? ok({ by: "path", pattern: scope }) : pattern;
}
