import { isObject } from "../data/index.ts";
import { mistake, type Mistake, type Result } from "../pattern/index.ts";
import { nameList } from "./match/name-list.ts";
import { writtenForms } from "./kinds/index.ts";
import { namedTool } from "./kinds/tool.ts";
import type { ParsedText } from "./kinds/reading.ts";
import { unknownKey } from "./match/suggest.ts";
import { agentName, CONDITIONS } from "./principals.ts";
import type { Matcher, RuleWhen } from "./match/types.ts";

export interface ParsedRule {
  readonly ok: true;
  readonly matcher: Matcher;
  /** The rule as written, on one line; for an option rule, as it would stand in a file. */
  readonly text: string;
  readonly reason?: string;
  /** Whom it is about; absent: everybody. */
  readonly when?: RuleWhen;
  readonly match?: readonly unknown[];
  readonly notMatch?: readonly unknown[];
  /** Nothing is wrong, but the rule may not mean what its writer thinks. */
  readonly warning?: string;
}

const LONGEST = 8192;
/**
 * Reads a rule: a string such as `Bash(git status:*)` or `open(/home/me/**, _)`, `{ "rule": …, "reason": …, "match": […], "notMatch": […] }`,
 * or agentperm's `{ "tool": "Bash", "command": …, "when": { "hasOption": … } }`. A mistake is returned, never thrown.
 *
 * @example parseRule("Read(src/**)") // { ok: true, matcher: { kind: "path", … } }
 */
export function parseRule(input: unknown): ParsedRule | Mistake {
  if (typeof input === "string") return parseText(input);
  if (!isObject(input)) return mistake("a rule is a string or an object", 'for example `"Bash(git status:*)"`');
  const { when, rest } = conditionsOf(input);
  if ("message" in when) return when;
  const parsed = "rule" in rest ? parseRuleObject(rest) : isNamedTool(rest) ? parseNamedTool(rest) : parseObject(rest);
  return parsed.ok && Object.keys(when).length > 0 ? { ...parsed, when } : parsed;
}

interface Conditions {
  readonly when: RuleWhen | Mistake;
  /** The rule without them. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Names of agents are compared folded, as everywhere. */
function conditionsOf(input: Readonly<Record<string, unknown>>): Conditions {
  const { when: given, ...others } = input;
  if (!isObject(given)) return { when: {}, rest: input };
  const lists: [string, readonly string[]][] = [];
  for (const key of CONDITIONS) {
    if (!Object.hasOwn(given, key)) continue;
    const names = nameList(given[key]);
    if (names === undefined) return { when: mistake(`\`${key}\` is a name or a list of names`, '`"role": ["dev", "ops"]`'), rest: input };
    lists.push([key, key === "agent" ? names.map(agentName) : names]);
  }
  const left = Object.fromEntries(Object.entries(given).filter(([key]) => !CONDITIONS.some((known) => known === key)));
  const unknown = "rule" in input ? unknownKey(left, CONDITIONS) : undefined;
  if (unknown !== undefined) return { when: unknown, rest: input };
  if ("rule" in input && lists.length === 0) return { when: mistake("`when` says nothing", '`"when": { "role": "dev" }`'), rest: input };
  return { when: Object.fromEntries(lists), rest: "rule" in input ? others : { ...others, when: left } };
}

function parseText(written: string): ParsedRule | Mistake {
  const text = written.trim();
  const [line] = writtenForms().flatMap((form) => form.line(text) ?? []);
  if (line !== undefined) return parsedRule(line, text);
  if (text === "") return mistake("empty rule", "write `*` for every tool, `Bash` for every command");
  if (text.length > LONGEST) return mistake(`the rule is longer than ${LONGEST} characters`);
  const open = text.indexOf("(");
  if (open === -1) {
    if (text.includes(")")) return mistake("`)` without `(`", `write \`${nameBefore(text)}(…)\``);
    return parseNamed(text, undefined, text);
  }
  const name = text.slice(0, open);
  if (name === "") return mistake("a rule starts with a name", "for example `Bash(git status:*)` or `Read(src/**)`");
  if (/\s$/.test(name)) return mistake(`a blank before \`(\``, `write \`${name.trim()}${text.slice(open)}\``);
  if (!text.endsWith(")")) {
    const close = text.lastIndexOf(")");
    return close < open
      ? mistake("`(` without `)`", `write \`${text})\``)
      : mistake(`\`${text.slice(close + 1)}\` after \`)\``, `write \`${text.slice(0, close + 1)}\``);
  }
  return parseNamed(name, text.slice(open + 1, -1), text);
}

function nameBefore(text: string): string {
  return /^[\w*.-]+/.exec(text)?.[0] ?? "Bash";
}

function checkBalance(text: string): Mistake | undefined {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "\\") i++;
    else if (char === "(") depth++;
    else if (char === ")" && --depth < 0) return mistake("`)` without `(`", "write `\\)` for a literal one");
  }
  return depth > 0 ? mistake("`(` without `)`", "close it, or write `\\(` for a literal one") : undefined;
}

function parseNamed(name: string, scope: string | undefined, text: string): ParsedRule | Mistake {
  const form = writtenForms().find((one) => one.scope?.isName(name) === true)?.scope;
  if (form === undefined) return mistake(`\`${name}\` is not a rule`);
  const wrong = scope === undefined || form.freeText ? undefined : checkBalance(scope);
  return wrong ?? parsedRule(form.parse(name, scope, text), text);
}

function parsedRule(read: Result<ParsedText<Matcher>>, text: string): ParsedRule | Mistake {
  return read.ok ? { ok: true, ...read.value, text } : read;
}

/** `{ "tool": "Raed(**)" }`: the tool really is called so. */
const isNamedTool = (input: { readonly [key: string]: unknown }): boolean =>
  "tool" in input && input["tool"] !== "Bash" && !("command" in input) && !("when" in input);

function parseNamedTool(input: { readonly [key: string]: unknown }): ParsedRule | Mistake {
  const unknown = unknownKey(input, ["tool", "reason", "match", "notMatch"]);
  if (unknown !== undefined) return unknown;
  const { tool: text, reason, match, notMatch } = input;
  if (typeof text !== "string")
    return mistake("`tool` is a string", 'the name of a tool, for example `"my_tool"` or `"my_tool(path:src/**)"`');
  const [, name = "", scope] = /^([^()]+?)(?:\(([^]*)\))?$/.exec(text.trim()) ?? [];
  const own = writtenForms().find((form) => form.scope?.isName(name) === true)?.scope;
  if (own?.isName(TOOL_NOBODY_KNOWS) !== true)
    return mistake(`\`${name}\` is the name of a rule, not of a tool`, `write \`"rule": ${JSON.stringify(text)}\``);
  const read = namedTool(name, scope);
  if (!read.ok) return read;
  if (reason !== undefined && typeof reason !== "string") return mistake("`reason` is a string");
  if (match !== undefined && !Array.isArray(match)) return mistake("`match` is a list of examples");
  if (notMatch !== undefined && !Array.isArray(notMatch)) return mistake("`notMatch` is a list of examples");
  return {
    ok: true,
    ...read.value,
    text: JSON.stringify({ tool: text.trim() }),
    ...(reason === undefined ? {} : { reason }),
    ...(match === undefined ? {} : { match }),
    ...(notMatch === undefined ? {} : { notMatch }),
  };
}

/** What no kind of rule but that of tools takes. */
const TOOL_NOBODY_KNOWS = "zqx1";

/** What has no `rule` is of the kind that is written as an object. */
function parseObject(input: { readonly [key: string]: unknown }): ParsedRule | Mistake {
  const read =
    writtenForms()
      .find(({ object }) => object !== undefined)
      ?.object?.(input) ?? mistake("a rule object needs `rule`");
  return read.ok ? { ok: true, ...read.value } : read;
}

function parseRuleObject(input: { readonly [key: string]: unknown }): ParsedRule | Mistake {
  const unknown = unknownKey(input, ["rule", "reason", "confined", "match", "notMatch"]);
  if (unknown !== undefined) return unknown;
  if (typeof input.rule !== "string") return mistake("`rule` is a string", 'for example `"Bash(git status:*)"`');
  const parsed = parseText(input.rule);
  if (!parsed.ok) return parsed;
  const { reason, match, notMatch } = input;
  if (reason !== undefined && typeof reason !== "string") return mistake("`reason` is a string");
  if (match !== undefined && !Array.isArray(match)) return mistake("`match` is a list of examples");
  if (notMatch !== undefined && !Array.isArray(notMatch)) return mistake("`notMatch` is a list of examples");
  return {
    ...parsed,
    ...(reason === undefined ? {} : { reason }),
    ...(match === undefined ? {} : { match }),
    ...(notMatch === undefined ? {} : { notMatch }),
  };
}
