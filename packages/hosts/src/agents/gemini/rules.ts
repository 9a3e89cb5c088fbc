import type { JsonNode } from "@assent/core/edit/json5";
import { placeFinder } from "@assent/core/edit/json5";
import { readToml } from "@assent/core/edit/toml";
import { Collector, type Converted, type Loss, made, type NativeRead, type NativeOrigin, textRule } from "@assent/import/import";
import { escapeWord } from "@assent/core/pattern";
import { at, type JsonFile, readJson, textOfNode, textsOf, said } from "../rules/json.ts";
import { keepOrdered, type OrderedRule } from "../rules/ordered.ts";
import { inProject, inProjectFolder, type NativeRules, ofUser, type Reasoned } from "../rules/contract.ts";
import { asText, ownFileWriter } from "../rules/write.ts";

/**
 * Gemini CLI (0.61.0; docs/reference/policy-engine.md): of all rules that match, the one with the highest priority
 * decides. A command prefix ends at a word (packages/core/src/policy/utils.ts), an expression need not.
 */

const DECISIONS = { allow: "allow", deny: "deny", ask_user: "ask" } as const;
const isDecision = (value: unknown): value is keyof typeof DECISIONS => typeof value === "string" && Object.hasOwn(DECISIONS, value);

/** Tools by the rules of ours that mean the same. */
const TOOLS: Readonly<Record<string, string>> = {
  run_shell_command: "Bash",
  ShellTool: "Bash",
  read_file: "Read",
  read_many_files: "Read",
  write_file: "Edit",
  replace: "Edit",
  web_fetch: "WebFetch",
  google_web_search: "WebSearch",
  invoke_agent: "Task",
};
/** Tools that do what other tools do as well. */
const SEARCHING = new Set(["glob", "list_directory", "grep_search", "search_file_content"]);

export function readGeminiPolicy(text: string): NativeRead {
  const placeOf = placeFinder(text);
  const { root, faults } = readToml(text);
  if (root === undefined) return { ...placeOf(faults[0]?.offset ?? 0), problem: faults[0]?.message ?? "cannot be read" };
  const into = new Collector();
  const rules: (OrderedRule & { readonly priority: number })[] = [];
  const list = at(root, "rule");
  for (const node of list?.kind === "array" ? list.items : []) rules.push(...readRule(node, placeOf(node.start).line, into));
  for (const { key, keyStart } of root.members)
    if (key !== "rule") into.lose({ text: `[[${key}]]`, line: placeOf(keyStart).line }, `nothing is known of \`${key}\``);
  keepOrdered(
    rules.toSorted((a, b) => b.priority - a.priority),
    into,
  );
  return into.result();
}

const KNOWN = new Set(
  (
    "toolName mcpName subagent argsPattern commandPrefix commandRegex decision priority modes interactive denyMessage " +
    "deny_message allowRedirection allow_redirection name"
  ).split(" "),
);
const USUAL_MODES = ["default", "autoEdit", "yolo"];

function list(node: JsonNode | undefined): readonly string[] {
  const text = textOfNode(node);
  return text === undefined ? textsOf(node).texts.map(({ value }) => value) : [text];
}

function readRule(node: JsonNode, line: number, into: Collector): readonly (OrderedRule & { readonly priority: number })[] {
  const decision = textOfNode(at(node, "decision"));
  const tools = list(at(node, "toolName"));
  const server = textOfNode(at(node, "mcpName"));
  const prefixes = list(at(node, "commandPrefix"));
  const regex = textOfNode(at(node, "commandRegex"));
  const words = [server, ...tools, ...prefixes.map((one) => `\`${one}\``), ...(regex === undefined ? [] : [`/${regex}/`])];
  const shown = `${decision ?? ""} ${words.filter((one) => one !== undefined).join(" ")}`.trim();
  if (!isDecision(decision)) return lose(into, shown, line, "the decision is none of allow, ask_user and deny");
  const message = textOfNode(at(node, "denyMessage")) ?? textOfNode(at(node, "deny_message"));
  const origin: NativeOrigin = { effect: DECISIONS[decision], text: shown, line, ...(message === undefined ? {} : { reason: message }) };
  const narrowed = narrowing(node, origin);
  if (narrowed !== undefined) return lose(into, shown, line, narrowed, origin);
  const number = at(node, "priority");
  const priority = number?.kind === "scalar" && typeof number.value === "number" ? number.value : 0;
  const rule = (domain: string, glob: string, convert: OrderedRule["convert"]): OrderedRule & { readonly priority: number } => ({
    ...origin,
    domain,
    glob,
    convert,
    priority,
    ...(domain === "Bash" ? { operations: ["execute"] as const } : {}),
  });
  if (prefixes.length > 0)
    return prefixes.map((prefix) => rule("Bash", `${escapeWord(prefix.trimEnd())} *`, (own) => prefixRule(own, prefix)));
  if (regex !== undefined) {
    const globs = simpleGlobs(regex);
    if (globs === undefined) return lose(into, shown, line, "a regular expression over the text of the call", origin);
    return globs.map((glob) => rule("Bash", glob, (own) => textRule(own, glob, { bare: false })));
  }
  const names = server === undefined ? tools : (tools.length === 0 ? ["*"] : tools).map((tool) => `mcp__${server}__${tool}`);
  if (names.length === 0) return lose(into, shown, line, "it names no tool", origin);
  return names.map((name) => rule(said(TOOLS, name) ?? name, "*", (own) => toolRule(own, name)));
}

/** Why a rule holds only in a situation that rules here do not know. A refusal may hold in every one. */
function narrowing(node: JsonNode, { effect }: NativeOrigin): string | undefined {
  if (at(node, "argsPattern") !== undefined) return "a regular expression over the text of the call";
  if (at(node, "subagent") !== undefined) return "a rule for one subagent alone; rules here hold for all";
  const other = node.kind === "object" ? node.members.find(({ key }) => !KNOWN.has(key)) : undefined;
  if (other !== undefined) return `nothing is known of \`${other.key}\``;
  if (effect === "deny") return undefined;
  if (at(node, "interactive") !== undefined) return "a rule for one way of running the host";
  const modes = list(at(node, "modes"));
  return modes.length === 0 || USUAL_MODES.every((mode) => modes.includes(mode)) ? undefined : "a rule for some modes of the host";
}

function lose(into: Collector, text: string, line: number, why: string, origin?: NativeOrigin): readonly never[] {
  into.lose({ text, line, ...(origin === undefined ? {} : { effect: origin.effect }) }, why);
  return [];
}

function prefixRule(origin: NativeOrigin, prefix: string): readonly Converted[] | Loss {
  if (origin.effect === "allow" && /\s$/.test(prefix))
    return { why: "a prefix that ends in a blank matches next to nothing there", help: `write \`${prefix.trimEnd()}\`` };
  return textRule(origin, `${escapeWord(prefix.trimEnd())} *`, { bare: true });
}

/** `git (commit|push)` as `git commit*` and `git push*`; undefined for what needs a regular expression. */
function simpleGlobs(regex: string): readonly string[] | undefined {
  const parts = /^([\w /=:@%,-]*)(?:\(([\w /=:@%,|-]+)\)([\w /=:@%,-]*))?(?:\.\*)?$/.exec(regex);
  if (parts === null || regex === "") return undefined;
  const [, start = "", choices = "", end = ""] = parts;
  return choices.split("|").map((choice) => `${start}${choice}${end}*`);
}

function toolRule(origin: NativeOrigin, name: string): readonly Converted[] | Loss {
  if (SEARCHING.has(name)) return { why: "listing and searching are one with reading and listing by any other way here" };
  const ours = said(TOOLS, name) ?? canonical(name);
  if (ours === undefined)
    return { why: "the name does not say which server and which tool this is", help: "write the rule with `mcpName`" };
  return [made(origin, { list: "permissions", rule: ours })];
}

/** `mcp_server_tool`: a server's name holds no `_` there. */
function canonical(name: string): string | undefined {
  if (name.startsWith("mcp__") || !name.startsWith("mcp_")) return name;
  const parts = /^mcp_([^_*]+|\*)(?:_(.+))?$/.exec(name);
  if (parts === null) return undefined;
  if (parts[1] === "*" && parts[2] === undefined) return "mcp__*";
  return `mcp__${parts[1] ?? ""}__${parts[2] ?? "*"}`;
}

/** `tools` and `mcpServers` of the settings, which came before policies. Qwen Code has them too. */
export function readGeminiSettings(text: string): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  readToolSettings(file, into);
  for (const key of ["policyPaths", "adminPolicyPaths"]) {
    const named = at(file.root, key);
    if (named !== undefined) into.lose({ effect: "deny", text: key, line: file.lineOf(named) }, "policies in other places are not read");
  }
  return into.result();
}

export function readToolSettings({ root, lineOf }: JsonFile, into: Collector): void {
  const lists = [
    ["tools.allowed", "allow", at(root, "tools", "allowed")],
    ["allowedTools", "allow", at(root, "allowedTools")],
    ["tools.exclude", "deny", at(root, "tools", "exclude")],
    ["excludeTools", "deny", at(root, "excludeTools")],
  ] as const;
  for (const [key, effect, node] of lists)
    for (const item of textsOf(node).texts) {
      const origin: NativeOrigin = { effect, text: `${key} ${item.value}`, line: lineOf(item) };
      const parts = /^(\w+)\((.*)\)$/s.exec(item.value);
      const name = parts?.[1] ?? item.value;
      if (parts === null) into.keep(toolRule(origin, name), origin);
      else if (said(TOOLS, name) === "Bash") into.keep(prefixRule(origin, parts[2] ?? ""), origin);
      else into.lose(origin, "which part of the tool's input this means is not known");
    }
  for (const key of ["core", "coreTools"]) {
    const core = at(root, "tools", key) ?? (key === "coreTools" ? at(root, key) : undefined);
    if (core !== undefined)
      into.lose(
        { text: `tools.${key}`, line: lineOf(core) },
        "a rule cannot name every tool but some",
        '`"preset": "strict"` asks for everything',
      );
  }
  const servers = at(root, "mcpServers");
  for (const { key: server, value } of servers?.kind === "object" ? servers.members : []) {
    const trust = at(value, "trust");
    const rule = (effect: NativeOrigin["effect"], tool: string, what: string, start: number): void => {
      const origin: NativeOrigin = { effect, text: `mcpServers.${server}: ${what}`, line: lineOf({ start }) };
      into.keep([made(origin, { list: "permissions", rule: `mcp__${server}__${tool}` })], origin);
    };
    if (trust?.kind === "scalar" && trust.value === true) rule("allow", "*", "trust", trust.start);
    for (const item of textsOf(at(value, "excludeTools")).texts) rule("deny", item.value, `excludeTools ${item.value}`, item.start);
    const include = at(value, "includeTools");
    if (include !== undefined)
      into.lose({ text: `mcpServers.${server}: includeTools`, line: lineOf(include) }, "a rule cannot name every tool but some");
  }
  for (const item of textsOf(at(root, "mcp", "excluded")).texts) {
    const origin: NativeOrigin = { effect: "deny", text: `mcp.excluded ${item.value}`, line: lineOf(item) };
    into.keep([made(origin, { list: "permissions", rule: `mcp__${item.value}__*` })], origin);
  }
  const allowed = at(root, "mcp", "allowed");
  if (allowed !== undefined) into.lose({ text: "mcp.allowed", line: lineOf(allowed) }, "a rule cannot name every server but some");
}

function express({ refusal, reason }: Reasoned): readonly string[] | undefined {
  const denyMessage = reason === undefined ? [] : [`denyMessage = ${JSON.stringify(reason)}`];
  const rule = (...lines: readonly string[]): readonly string[] => [
    `${["[[rule]]", ...lines, 'decision = "deny"', "priority = 999", ...denyMessage].join("\n")}\n`,
  ];
  switch (refusal.is) {
    case "shell":
      return rule('toolName = "run_shell_command"');
    case "words":
      return refusal.exact
        ? undefined
        : rule('toolName = "run_shell_command"', `commandPrefix = ${JSON.stringify(refusal.words.join(" "))}`);
    case "fetch":
      return refusal.host === "*" ? rule('toolName = "web_fetch"') : undefined;
    case "mcp":
      return refusal.tool === "*"
        ? rule(`mcpName = ${JSON.stringify(refusal.server)}`)
        : rule(`mcpName = ${JSON.stringify(refusal.server)}`, `toolName = ${JSON.stringify(refusal.tool)}`);
    case "path":
      return refusal.pattern === "**" && refusal.anchor === "anywhere"
        ? rule(`toolName = ${refusal.access === "read" ? '["read_file", "read_many_files"]' : '["write_file", "replace"]'}`)
        : undefined;
    case "text":
      return undefined;
  }
}

/** Gemini 0.61.0. Left out are those that name policies and tools, and that start what calls no hooks. */
const OPTIONS: ReadonlySet<string> = new Set(
  (
    "-d --debug -m --model -p --prompt -i --prompt-interactive --skip-trust -w --worktree -s --sandbox -y --yolo --approval-mode " +
    "--allowed-mcp-server-names -e --extensions -r --resume --session-file --session-id --include-directories --screen-reader " +
    "-o --output-format --raw-output --accept-raw-output-risk"
  ).split(" "),
);

export const rules: NativeRules = {
  reader: {
    places: (around) => [
      ofUser("/etc/gemini-cli/policies", readGeminiPolicy, ".toml"),
      ofUser("/etc/gemini-cli/settings.json", readGeminiSettings),
      ofUser(`${around.home}/.gemini/policies`, readGeminiPolicy, ".toml"),
      ofUser(`${around.home}/.gemini/settings.json`, readGeminiSettings),
      ...inProjectFolder(around, readGeminiPolicy, ".gemini/policies", ".toml"),
      ...inProject(around, readGeminiSettings, ".gemini/settings.json"),
    ],
    readerFor: (path) => (path.endsWith(".toml") ? readGeminiPolicy : readGeminiSettings),
    trusts: true,
    start: { program: /^gemini(?:\.js)?$/, options: OPTIONS, unasking: ["--yolo", "-y", "--approval-mode yolo"] },
  },
  refusals: {
    express,
    show: asText,
    file: { path: ({ home, project }) => `${project ?? home}/.gemini/policies/assent.toml`, write: ownFileWriter },
  },
};
