import type { Action, ToolAction } from "../../action/index.ts";
import { type Answer, covers, matchesText, type Mistake, mistake, ok, type Result, type WordGlob, wordGlob } from "../../pattern/index.ts";
import type { MatchContext, Side } from "../match/match-context.ts";
import type { Example } from "../match/examples.ts";
import { doubtName, nameHelp } from "./bare-name.ts";
import { matchCondition, parseCondition, type ToolCondition } from "../match/tool-fields.ts";
import type { Matcher } from "./index.ts";
import { type JudgingKind, never, none, nothing } from "./kind.ts";
import { type Doubt, everythingDoubt, type ParsedText, type ReadingKind, type Refusal } from "./reading.ts";

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

export const toolReading: ReadingKind<ToolMatcher> = {
  written: {
    // What no other kind has taken is the name of a tool.
    scope: { isName: () => true, freeText: false, parse: parseTool },
    line: nothing,
    object: undefined,
    block: nothing,
  },
  exampleActions: (matcher, example) => [exampleAction(matcher, example)],
  exampleHelp: "",
  fileActions: none,
  whyNever: nothing,
  isEverything,
  doubtWide,
  prefixes: none,
  programs: none,
  spelledPrograms: none,
  coverGroup: () => "tool",
  refusals,
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

function doubtWide(matcher: ToolMatcher): Doubt | undefined {
  if (!isEverything(matcher)) return undefined;
  if (isAnyTool(matcher)) return everythingDoubt();
  return { of: "everything", message: "allows every tool of every MCP server", help: "name the server: `mcp__github__*`" };
}

function isEverything({ name, where }: ToolMatcher): boolean {
  return where === undefined && /^(?:mcp__)?\*$/.test(name);
}

function parseTool(name: string, written: string | undefined, text: string): Result<ParsedText<ToolMatcher>> {
  // A tool of that name in another case would never be asked for: the rule would be lost in silence.
  const right = ["Bash", "Shell"].find((one) => one.toLowerCase() === name.toLowerCase());
  if (right !== undefined) return mistake(`unknown rule name \`${name}\``, `did you mean \`${right}${text.slice(name.length)}\`?`);
  const doubt = doubtName(name, written?.trim());
  if (doubt?.meant !== undefined)
    return mistake(
      `unknown tool \`${name}\``,
      `did you mean \`${doubt.meant}\`? For a tool of that name write \`{ "tool": ${JSON.stringify(text)} }\``,
    );
  const named = namedTool(name, written);
  return named.ok && doubt !== undefined ? ok({ ...named.value, warning: doubt.text }) : named;
}

/** A tool that has this name, whatever it looks like. */
export function namedTool(name: string, written: string | undefined): Result<ParsedText<ToolMatcher>> {
  const wrong = checkName(name);
  if (wrong !== undefined) return wrong;
  const scope = written?.trim() ?? "";
  if (scope === "" || scope === "*") return ok({ matcher: { kind: "tool", name } });
  const where = parseCondition(scope);
  return where.ok ? ok({ matcher: { kind: "tool", name, where: where.value } }) : where;
}

function checkName(name: string): Mistake | undefined {
  if (/[\s"'`,;:{}()[\]\\]/.test(name)) {
    return mistake(`\`${name}\` is not a rule`, nameHelp(name));
  }
  return undefined;
}

function exampleAction(matcher: ToolMatcher, example: Example): Action {
  const origin = { by: "tool" } as const;
  const name = matcher.name.replaceAll("*", "example");
  if (typeof example !== "string") return { kind: "tool", name, fields: fieldsOf(example), origin };
  switch (matcher.where?.by) {
    case undefined:
      return { kind: "tool", name: example, fields: [], origin };
    case "domain":
      return { kind: "tool", name, fields: [["url", example]], origin };
    case "path":
      return { kind: "tool", name, fields: [["file_path", example]], origin };
    case "field":
      return { kind: "tool", name, fields: [[matcher.where.field, example]], origin };
  }
}

/** (field, text) pairs of a tool input, breadth first; items of a list keep their field. */
function fieldsOf(input: { readonly [field: string]: unknown }): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  let level: (readonly [string, unknown])[] = Object.entries(input);
  while (level.length > 0) {
    const next: (readonly [string, unknown])[] = [];
    for (const [field, value] of level) {
      if (Array.isArray(value)) for (const item of value) next.push([field, item]);
      else if (typeof value === "object" && value !== null) next.push(...Object.entries(value));
      else if (typeof value === "string") pairs.push([field, value]);
      else if (typeof value === "number" || typeof value === "boolean") pairs.push([field, `${value}`]);
    }
    level = next;
  }
  return pairs;
}

function refusals({ name, where }: ToolMatcher): readonly Refusal[] | { readonly why: string } {
  if (where !== undefined) return { why: "a condition on a tool's input" };
  const parts = /^mcp__([^*]+?)__(.+)$/.exec(name);
  if (parts === null) return { why: "a tool by its name: hosts name theirs differently" };
  const [, server = "", one = ""] = parts;
  return one.includes("*") && one !== "*" ? { why: "a wildcard in a tool's name" } : [{ is: "mcp", server, tool: one }];
}
