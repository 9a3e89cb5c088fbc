import { EVERYDAY } from "#knowledge/traits";
import type { Action, ToolAction } from "../../action/index.ts";
import { type Answer, covers, matchesText, type Mistake, mistake, ok, type Result, type WordGlob, wordGlob } from "../../pattern/index.ts";
import type { MatchContext, Side } from "../match/match-context.ts";
import type { Example } from "../match/examples.ts";
import { matchCondition, parseCondition, type ToolCondition } from "../match/tool-fields.ts";
import { HOST_TOOLS } from "../tables/host-tools.ts";
import { closest, distance, likest, shortSlip } from "../match/suggest.ts";
import type { Matcher } from "./index.ts";
import { type JudgingKind, never, none, nothing } from "./kind.ts";
import { type Doubt, everythingDoubt, type ParsedText, type ReadingKind, type Refusal } from "./reading.ts";
import { doubtCallName } from "./call.ts";

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

/** Names of rules that mean something else than a tool of that name. */
const NAMES = ["Bash", "Shell", "Read", "Edit", "Write", "Delete", "List", "Exec", "Net", "Glob", "Grep", "WebFetch", "WebSearch"];

/** A command that people write as if it were a rule: with a scope, or with a capital, where it could be a tool as well. */
const isEveryday = (name: string): boolean => EVERYDAY.has(name.toLowerCase());

/** Ends of names that are hosts far oftener than files. */
const DOMAIN = /^(?:\*\.)?(?:[\w-]+\.)+(?:com|org|net|edu|gov|io|dev|ai|app|cloud|info|co|local|internal|uk|de|fr|eu|us|cn|ru|jp)$/i;
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Why a name may guard nothing, and one way to write what was surely meant. */
interface NameDoubt {
  readonly text: string;
  /** What was meant is so clear that the rule is none: it would be lost in silence. */
  readonly meant?: string;
}

/**
 * Why a rule that is read as the name of a tool may guard nothing. `scope` is undefined where there are no parentheses.
 * `Name(*)` says that the tool is meant, and so does `{ "tool": "Name" }`.
 */
function doubtName(name: string, scope: string | undefined): NameDoubt | undefined {
  // A tool of an agent may be called so, and is judged by what it does.
  const isKnown = Object.values(HOST_TOOLS).some((tools) => tools.includes(name));
  const isMeant = !isKnown && (scope !== undefined || /^[A-Z]/.test(name));
  const call = doubtCallName(name, scope !== undefined);
  if (call !== undefined)
    return {
      text: `\`${name}\` is taken as the name of a tool; the system call is written \`${call}\``,
      ...(scope === undefined ? {} : { meant: call }),
    };
  const written = scope === "" ? undefined : scope;
  const doubt = meantByName(name, written);
  if (doubt === undefined) return undefined;
  const [, meant] = isMeant ? (/^; did you mean (`.*`)\?$/s.exec(doubt) ?? []) : [];
  const isNear = meant !== undefined && !/^mcp|__|\*/.test(name) && isAlmost(name, /^`(\w+)/.exec(meant)?.[1] ?? "");
  return { text: `\`${name}\` is taken as the name of a tool${doubt}`, ...(isNear ? { meant: meant.slice(1, -1) } : {}) };
}

/** A slip of the finger, and no other word. */
const isAlmost = (name: string, meant: string): boolean =>
  (likest(name, [meant]) ?? shortSlip(name, [meant])) !== undefined &&
  distance(name.toLowerCase(), meant.toLowerCase()) <= (name.length < 7 ? 1 : 2);

function meantByName(name: string, scope: string | undefined): string | undefined {
  if (NAMES.includes(name)) return undefined;
  // The rule of Claude Code for all that a server has.
  if (/^mcp__[^*]+$/.test(name) && !/^mcp__.+?__/.test(name)) return `; all tools of the server are written \`${name}__*\``;
  if (name.includes("__") || scope === "*") return undefined;
  const cased = NAMES.find((one) => one.toLowerCase() === name.toLowerCase());
  if (cased !== undefined) return `; did you mean \`${cased}${scope === undefined ? "" : `(${scope})`}\`?`;
  const host = Object.keys(HOST_TOOLS).find((rule) => HOST_TOOLS[rule]?.includes(name) === true);
  if (host !== undefined && !isEveryday(name)) {
    const rule = scope === undefined ? host : `${host}(${scope})`;
    return `, but agents' tools of that name are judged by what they do; write \`${rule}\`, for a tool of your own \`${name}(*)\``;
  }
  const short = scope !== undefined && /^[A-Z]/.test(name) ? shortSlip(name, NAMES) : undefined;
  const near = name.length < 4 || name.includes("*") ? short : closest(name, NAMES);
  if (near !== undefined && (scope !== undefined || !isEveryday(name)))
    return `; did you mean \`${near}${scope === undefined ? "" : "(…)"}\`?`;
  if (scope !== undefined) {
    const words = scope.replace(/(?::\*| \*|\*)$/, "").trim();
    return isEveryday(name) ? `; the command is written \`Bash(${`${name.toLowerCase()} ${words}`.trim()}:*)\`` : undefined;
  }
  const place = meantPlace(name);
  if (place !== undefined) return `; ${place}`;
  if (!/^[a-z][a-z0-9+-]*\*?$/.test(name) && !isEveryday(name)) return undefined;
  const command = (isEveryday(name) ? name.toLowerCase() : name).replace("*", "");
  return `; the command is written \`Bash(${command}:*)\`, a tool of that name \`${name}(*)\``;
}

/** A file or a host, written alone. */
function meantPlace(text: string): string | undefined {
  const url = /^[a-z]+:\/\/([^/:]+)/i.exec(text)?.[1];
  if (url !== undefined || DOMAIN.test(text)) return `a website is written \`WebFetch(domain:${url ?? text})\``;
  if (ADDRESS.test(text)) return `an address is written \`Net(${text})\``;
  if (text.includes("/") || /^[~.]/.test(text)) return `a file is written \`Read(${anywhere(text)})\` or \`Edit(${anywhere(text)})\``;
  return /^[\w*-]+(?:\.[\w*-]+)+$/.test(text) && !/^[\w-]+\.\*$/.test(text)
    ? `a file is written \`Read(${anywhere(text)})\` or \`Edit(${anywhere(text)})\``
    : undefined;
}

/** A lone name is meant wherever it lies, a folder with what is in it. */
function anywhere(text: string): string {
  const whole = text.endsWith("/") ? `${text}**` : text;
  return /^[^/~]+$/.test(whole) ? `**/${whole}` : whole;
}

/** What to write for a text that is no rule at all. */
function nameHelp(text: string): string {
  const place = meantPlace(text);
  if (place !== undefined && !/\s/.test(text)) return place;
  const [, command, rest = ""] = /^([a-z][\w.+-]*)(?:(\s.*)|:\*)$/s.exec(text) ?? [];
  if (command !== undefined) {
    const words = rest.replace(/(?::\*| \*)$/, "").trimEnd();
    return `a command is written \`Bash(${command}${words}:*)\``;
  }
  const first = /^\w+/.exec(text)?.[0] ?? "Bash";
  return `a rule is a tool's name, or a name with its scope: \`${first}(…)\``;
}
