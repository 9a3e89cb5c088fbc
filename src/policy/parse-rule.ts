import type { CallName } from "../action/index.ts";
import { isObject } from "../data/index.ts";
import { mistake, type Mistake, ok, type Result } from "../pattern/index.ts";
import { doubtCallName, isCallName, parseCall } from "./call-pattern.ts";
import { parseScope } from "./parse-scope.ts";
import { parseShell } from "./parse-shell.ts";
import { closest } from "./read/suggest.ts";
import type { Token } from "./kinds/bash.ts";
import type { Matcher } from "./types.ts";

export interface ParsedRule {
  readonly ok: true;
  readonly matcher: Matcher;
  /** The rule as written, on one line; for an option rule, as it would stand in a file. */
  readonly text: string;
  readonly reason?: string;
  readonly match?: readonly unknown[];
  readonly notMatch?: readonly unknown[];
  /** Nothing is wrong, but the rule may not mean what its writer thinks. */
  readonly warning?: string;
}

const LONGEST = 8192;
/** Room for every argument list that is not a file of its own. */
const LONGEST_CALL = 1 << 20;

/**
 * Reads a rule: a string such as `Bash(git status:*)` or `open(/home/me/**, _)`, `{ "rule": …, "reason": …, "match": […], "notMatch": […] }`,
 * or agentperm's `{ "tool": "Bash", "command": …, "when": { "hasOption": … } }`. A mistake is returned, never thrown.
 *
 * @example parseRule("Read(src/**)") // { ok: true, matcher: { kind: "path", … } }
 */
export function parseRule(input: unknown): ParsedRule | Mistake {
  if (typeof input === "string") return parseText(input);
  if (!isObject(input)) return mistake("a rule is a string or an object", 'for example `"Bash(git status:*)"`');
  return "rule" in input ? parseRuleObject(input) : parseOptionRule(input);
}

function parseText(written: string): ParsedRule | Mistake {
  const text = written.trim();
  const call = /^([a-z]+)\(/.exec(text)?.[1];
  if (call !== undefined && isCallName(call)) return parseCallRule(call, text);
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
  const inner = text.slice(open + 1, -1);
  // Command rules hold shell text, where a lone parenthesis is possible.
  if (name !== "Bash" && name !== "Shell") {
    const wrong = checkBalance(inner);
    if (wrong !== undefined) return wrong;
  }
  return parseNamed(name, inner, text);
}

function parseCallRule(name: CallName, text: string): ParsedRule | Mistake {
  if (text.length > LONGEST_CALL) return mistake(`the rule is longer than ${LONGEST_CALL} characters`);
  const read = parseCall(name, text);
  if (!read.ok) return read;
  const { matcher, warning } = read.value;
  return { ok: true, matcher, text, ...(warning === undefined ? {} : { warning }) };
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

function parseNamed(name: string, inner: string | undefined, text: string): ParsedRule | Mistake {
  const folded = name.toLowerCase();
  if (folded === "bash" || folded === "shell") {
    const right = folded === "bash" ? "Bash" : "Shell";
    // A tool of that name in another case would never be asked for: the rule would be lost in silence.
    if (name !== right) return mistake(`unknown rule name \`${name}\``, `did you mean \`${right}${text.slice(name.length)}\`?`);
    const command = right === "Bash" ? parseBash(inner) : parseShell(inner);
    if (!command.ok) return command;
    const warning = right === "Bash" ? doubt(inner ?? "") : undefined;
    return { ok: true, matcher: command.value, text, ...(warning === undefined ? {} : { warning }) };
  }
  const scope = parseScope(name, inner);
  if (!scope.ok) return scope;
  const warning = scope.value.kind === "tool" ? doubtTool(scope.value.name, inner !== undefined) : undefined;
  return { ok: true, matcher: scope.value, text, ...(warning === undefined ? {} : { warning }) };
}

/** agentperm takes these as they stand, so they load, but they never match what their writer had in mind. */
function doubt(inner: string): string | undefined {
  if (/(?:^|\s)(?:&&|\|\||[;|&])|;(?:\s|$)/.test(inner))
    return "each command of a line is judged by itself, so a rule with `;`, `&&` or `|` matches nothing";
  if (/(?:^|\s)["']|["'](?:\s|$)/.test(inner)) return "quotes are literal in `Bash(...)`; write `Shell(...)` with `\\ ` for a blank";
  if (/\S\*|\*\S/.test(inner.replace(/:\*$/, "").replace(/(?:^|\s)\*\*(?=\s|$)/g, " ")))
    return "in `Bash(...)` a `*` inside a word is literal for allow rules; write `Shell(...)` for a pattern";
  return undefined;
}

const NAMES = ["Bash", "Shell", "Read", "Edit", "Write", "Delete", "List", "Exec", "Net", "Glob", "Grep", "WebFetch", "WebSearch"];

function doubtTool(name: string, scoped: boolean): string | undefined {
  return doubtCallName(name, scoped) ?? (scoped ? undefined : doubtName(name));
}

function doubtName(name: string): string | undefined {
  if (NAMES.includes(name) || name.includes("__") || name.includes("*") || name.length < 4) return undefined;
  const near = closest(name, NAMES);
  return near === undefined ? undefined : `\`${name}\` is taken as the name of a tool; did you mean \`${near}\`?`;
}

function parseRuleObject(input: { readonly [key: string]: unknown }): ParsedRule | Mistake {
  const unknown = unknownKey(input, ["rule", "reason", "match", "notMatch"]);
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

/** A rule about options, where agentperm drops silently what is incomplete. */
function parseOptionRule(input: { readonly [key: string]: unknown }): ParsedRule | Mistake {
  const unknown = unknownKey(input, ["tool", "command", "when", "reason"]);
  if (unknown !== undefined) return unknown;
  const { tool, command, when, reason } = input;
  if (tool === undefined) return mistake("a rule object needs `rule`", 'write `{ "rule": "Bash(…)", "reason": "…" }`');
  if (tool !== "Bash") return mistake("`tool` can only be `Bash` here", 'for another tool write `{ "rule": "Name(…)" }`');
  const commands = nameList(command);
  if (commands === undefined) return mistake("`command` is a program's name or a list of them", '`"command": "sed"`');
  if (!isObject(when)) return mistake("`when` is missing", '`"when": { "hasOption": "-i" }`, or write the rule as `Bash(…)`');
  const extra = unknownKey(when, ["hasOption"]);
  if (extra !== undefined) return extra;
  const options = nameList(when.hasOption);
  if (options === undefined) return mistake("`hasOption` is an option or a list of them", '`"hasOption": ["-i", "--in-place"]`');
  const bare = options.find((option) => !/^-[^-=]|^--[^-=]/.test(option));
  if (bare !== undefined) return mistake(`\`${bare}\` is no option`, "an option starts with `-`");
  if (reason !== undefined && typeof reason !== "string") return mistake("`reason` is a string");
  const text = JSON.stringify({ tool, command, when });
  return { ok: true, matcher: { kind: "option", commands, options }, text, ...(reason === undefined ? {} : { reason }) };
}

function unknownKey(input: { readonly [key: string]: unknown }, keys: readonly string[]): Mistake | undefined {
  const key = Object.keys(input).find((name) => !keys.includes(name));
  if (key === undefined) return undefined;
  const near = closest(key, keys);
  return mistake(
    `unknown key \`${key}\``,
    near === undefined ? `known are ${keys.map((name) => `\`${name}\``).join(", ")}` : `did you mean \`${near}\`?`,
  );
}

function nameList(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const names: string[] = [];
  for (const name of list) {
    if (typeof name !== "string" || name.trim() === "") return undefined;
    names.push(name);
  }
  return names.length === 0 ? undefined : names;
}

/** `Bash(tokens)` and `Bash(tokens:*)`. `Bash`, `Bash()`, `Bash(*)` and `Bash(:*)` mean every command. */
function parseBash(inner: string | undefined): Result<Matcher> {
  let text = (inner ?? "").trim();
  if (text === "" || text === "*" || text === ":*" || text === "**" || text === "**:*" || text === "*:*")
    return ok({ kind: "bash", tokens: [], open: true });
  const open = text.endsWith(":*");
  if (open) text = text.slice(0, -2).trimEnd();
  const tokens = text.split(/\s+/).map(readToken);
  return ok({ kind: "bash", tokens: mergeGaps(tokens), open });
}

function readToken(text: string): Token {
  if (text === "*") return { is: "one" };
  if (text === "**") return { is: "any" };
  return { is: "text", text };
}

/** Several `**` in a row are one. */
function mergeGaps(tokens: readonly Token[]): readonly Token[] {
  return tokens.filter((token, i) => token.is !== "any" || tokens[i - 1]?.is !== "any");
}
