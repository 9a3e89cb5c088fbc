import type { JsonNode } from "@assent/core/edit/json5";
import {
  Collector,
  type Converted,
  type Loss,
  made,
  type NativeContext,
  type NativeRead,
  type NativeOrigin,
  textRule,
  wordsRule,
} from "@assent/import/import";
import { normaliseHost } from "@assent/core/pattern";
import { reachOfHost } from "@assent/core/policy";
import { convert as claudeRule } from "../claude/rules.ts";
import { type NativePlace, type NativeSurroundings, ofUser } from "../rules/contract.ts";
import { at, type Item, type JsonFile, readJson, textsOf } from "../rules/json.ts";

/**
 * `auto_approve_policy.json` of autonomous-dev's auto-approval engine (schema 2.0). Patterns are Python's `fnmatch` over
 * the whole text: `*` is any text, also `/`. A refusal there sends the request to the host's question; here it refuses.
 * What no list names is asked there, so it is asked here.
 */
export function readAutonomousDev(text: string, context: NativeContext): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const { root } = file;
  if (isConsent(root)) return readConsent(file);
  const missing = [["version"], ["bash"], ["file_paths"], ["agents"], ["bash", "whitelist"], ["file_paths", "whitelist"]].find(
    (path) => at(root, ...path) === undefined,
  );
  if (missing !== undefined)
    return { line: 1, column: 1, problem: `\`${missing.join(".")}\` is missing: the engine does not load it either` };
  const into = new Collector();
  readCommands(file, context, into);
  readPaths(file, context, into);
  readAgents(file, into);
  readWeb(file, into);
  readTools(file, context, into);
  for (const { key, keyStart } of root.kind === "object" ? root.members : [])
    if (!KEYS.has(key)) into.lose({ text: key, line: file.lineOf({ start: keyStart }) }, "nothing is known of this key");
  return into.result();
}

/** Whether a text of JSON is such a policy. */
export const isAutonomousDev = (root: JsonNode): boolean =>
  at(root, "bash", "whitelist") !== undefined && at(root, "file_paths", "whitelist") !== undefined;

/** Its `user_state.json`. */
export const isConsent = (root: JsonNode): boolean => at(root, "first_run_complete") !== undefined && at(root, "preferences") !== undefined;

/** What the user said to the engine's question at its first use: docs/TOOL-AUTO-APPROVAL.md of autonomous-dev 3.40. */
export const consentPlace = ({ home }: NativeSurroundings): NativePlace => ({
  ...ofUser(`${home}/.autonomous-dev/user_state.json`, readAutonomousDev),
  beside: true,
});

/** A file that agents can write is nobody's word: what to type is said, a yes is never taken from it. */
function readConsent(file: JsonFile): NativeRead {
  const into = new Collector();
  const said = at(file.root, "preferences", "mcp_auto_approve_enabled");
  const yes = said?.kind === "scalar" && said.value === true;
  const text = `mcp_auto_approve_enabled: ${yes ? "yes" : said?.kind === "scalar" && said.value === false ? "no" : "nothing was said"}`;
  into.lose(
    { text, line: said === undefined ? 1 : file.lineOf(said) },
    yes
      ? "a yes to what agents do without asking is given to Assent anew"
      : "without a yes the engine approved nothing, whatever its lists allow",
    yes ? "say `assent auto on`; for MCP_AUTO_APPROVE=subagent_only say `assent auto on --subagents-only`" : "say `assent auto off`",
  );
  return into.result();
}

const KEYS: ReadonlySet<string> = new Set(["version", "description", "bash", "file_paths", "agents", "web_tools", "tools"]);

/** The refusals of a part: `denylist` counts where there is no `blacklist`. */
function lists(file: JsonFile, part: string, into: Collector): { readonly allow: readonly Item[]; readonly deny: readonly Item[] } {
  const deny = at(file.root, part, "blacklist") ?? at(file.root, part, "denylist");
  const [allowed, denied] = [textsOf(at(file.root, part, "whitelist")), textsOf(deny)];
  for (const other of [...allowed.others, ...denied.others]) into.lose({ text: part, line: file.lineOf(other) }, "it is not text");
  return { allow: allowed.texts, deny: denied.texts };
}

/** What asks there whatever a list allows: outside the project, and behind `;`, `&&` or `||`. */
const WATCHED = ["rm", "mv", "cp", "chmod", "chown", "sudo", "eval", "exec"];

function readCommands(file: JsonFile, { home, scope }: NativeContext, into: Collector): void {
  const { allow, deny } = lists(file, "bash", into);
  // A home folder means nothing to a project's other users.
  const glob = (pattern: string): string => {
    const quoted = pattern.replaceAll("\\", "\\\\").replaceAll("[^", "[\\^");
    return scope === "user" ? quoted.replace(/(?<=^| )~(?=[/*]|$)/g, home) : quoted;
  };
  for (const [effect, items] of [["deny", deny] as const, ["allow", allow] as const])
    for (const { value, start } of items) {
      const origin: NativeOrigin = { effect, text: value, line: file.lineOf({ start }) };
      into.keep(textRule(origin, glob(value), { bare: false }), origin);
    }
  for (const item of allow) {
    const words = WATCHED.filter((word) => mayBegin(item.value, `${word} `));
    const origin: NativeOrigin = { effect: "ask", text: item.value, line: file.lineOf(item) };
    for (const word of words) into.keep(wordsRule(origin, [[word]], true), origin);
    if (words.length > 0)
      into.lose(
        { ...origin, effect: "allow" },
        `kept, but these are asked wherever they stand: ${words.join(", ")}; no rule can say, ` +
          "as the engine does, outside the project or behind another command",
        "take out the ask rules that you do not want",
      );
  }
  if (!allow.some(({ value }) => isEverything(value))) askFor("execute", at(file.root, "bash"), "bash", file, into);
}

function mayBegin(pattern: string, start: string): boolean {
  const literal = /^[^*?[]*/.exec(pattern)?.[0] ?? "";
  return literal.startsWith(start) || (literal !== pattern && start.startsWith(literal));
}

const isEverything = (pattern: string): boolean => /^\*+$/.test(pattern);

function askFor(
  operation: "execute" | "read" | "write" | "edit",
  node: JsonNode | undefined,
  part: string,
  file: JsonFile,
  into: Collector,
): void {
  const origin: NativeOrigin = { effect: "ask", text: part, line: node === undefined ? 1 : file.lineOf(node) };
  into.keep([made(origin, { list: "default", operation })], origin);
}

function readPaths(file: JsonFile, { project, scope }: NativeContext, into: Collector): void {
  const { allow, deny } = lists(file, "file_paths", into);
  for (const { value, start } of deny) {
    const origin: NativeOrigin = { effect: "deny", text: value, line: file.lineOf({ start }) };
    const pattern = deniedPath(value);
    into.keep(typeof pattern === "string" ? bothWays(origin, "Write", pattern) : pattern, origin);
  }
  for (const { value, start } of allow) {
    const origin: NativeOrigin = { effect: "allow", text: value, line: file.lineOf({ start }) };
    const pattern = allowedPath(value, scope === "project" ? project : undefined);
    into.keep(typeof pattern === "string" ? bothWays(origin, "Edit", pattern) : pattern, origin);
  }
  for (const operation of ["read", "write", "edit"] as const) askFor(operation, at(file.root, "file_paths"), "file_paths", file, into);
}

function bothWays(origin: NativeOrigin, change: "Write" | "Edit", pattern: string): readonly Converted[] {
  return ["Read", change].map((name) => made(origin, { list: "permissions", rule: `${name}(${pattern})` }));
}

/** `*` and `?` are also a `/` there. A text that begins with a star begins anywhere on the machine. */
function deniedPath(written: string): string | Loss {
  if (/[?[\]]/.test(written))
    return { why: "`?` and sets also stand for a `/` there, and for none here", help: "write `*` in their place" };
  return pathGlob(written);
}

/** The engine allows files of the project, and of `~/.claude`, whatever the list says. */
function allowedPath(written: string, project: string | undefined): string | Loss {
  if (/^~\/\.claude(?:\/|$)/.test(written)) return { why: "settings of an agent decide what it may do", help: "change them yourself" };
  const inside = project !== undefined && written.startsWith(`${project}/`) ? written.slice(project.length + 1) : written;
  if (/^[/~]/.test(inside))
    return { why: "the engine allows files of the project only, so this never allowed anything, or which project it means is not known" };
  const pattern = pathGlob(inside);
  return typeof pattern === "string" && pattern.startsWith("**") ? `./${pattern}` : pattern;
}

function pathGlob(written: string): string | Loss {
  if (written.trim() === "") return { why: "the pattern is empty" };
  if (/(?:^|\/)\.\.(?:\/|$)/.test(written)) return { why: "`..` in a pattern" };
  return written.replace(/[{}\\]/g, "\\$&").replace(/\*+/g, "**");
}

function readAgents(file: JsonFile, into: Collector): void {
  for (const key of ["trusted", "restricted"])
    for (const { value, start } of textsOf(at(file.root, "agents", key)).texts)
      into.lose(
        { text: `agents.${key} ${value}`, line: file.lineOf({ start }) },
        "which sub-agents you trust is not a rule of a policy",
        key === "trusted"
          ? `say \`assent agents trust ${value}\``
          : "a sub-agent that you do not trust is asked about, once `assent auto` looks at agents",
      );
}

const INNER = "a web tool that reaches this machine or a private network is asked by itself here, a metadata service is refused";

function readWeb(file: JsonFile, into: Collector): void {
  for (const { value, start } of textsOf(at(file.root, "web_tools", "blocked_domains")).texts) {
    const origin: NativeOrigin = { effect: "deny", text: value, line: file.lineOf({ start }) };
    const name = value.includes("*") ? undefined : normaliseHost(value);
    if (name === undefined) into.lose(origin, "a part of a name or of an address", INNER);
    else if (reachOfHost(name) === "public") into.keep([made(origin, { list: "permissions", rule: `WebFetch(domain:${name})` })], origin);
    // A rule would also refuse `curl localhost:3000`, which the engine does not.
    else into.lose(origin, "it is asked or refused without a rule", INNER);
  }
  const open = at(file.root, "web_tools", "allow_all_domains");
  const free = open?.kind === "scalar" && open.value === true;
  for (const { value, start } of textsOf(at(file.root, "web_tools", "whitelist")).texts) {
    const origin: NativeOrigin = { effect: "allow", text: `web_tools ${value}`, line: file.lineOf({ start }) };
    if (!free) into.lose(origin, "without `allow_all_domains` no address is allowed there");
    else into.keep(toolRule(origin, value), origin);
  }
}

/** Tools with a list of their own. */
const JUDGED: ReadonlySet<string> = new Set(["Bash", "Read", "Write", "Edit", "Grep", "Glob", "Fetch", "WebFetch", "WebSearch"]);

function readTools(file: JsonFile, context: NativeContext, into: Collector): void {
  for (const { value, start } of textsOf(at(file.root, "tools", "always_allowed")).texts) {
    const origin: NativeOrigin = { effect: "allow", text: value, line: file.lineOf({ start }) };
    // `claudeRule` would take these for rules about all their inputs.
    if (JUDGED.has(value)) continue;
    if (value === "MultiEdit" || value === "NotebookEdit")
      into.lose(origin, "a tool that changes files: here the rules about paths decide", "write `Edit(…)` for the paths");
    else into.keep(/^[\w.-]+$/.test(value) ? claudeRule(origin, context) : toolRule(origin, value), origin);
  }
}

/** A name of a tool, or a pattern over names that ends in its only star. */
function toolRule(origin: NativeOrigin, name: string): readonly Converted[] | Loss {
  if (name === "Fetch") return { why: "no host that Assent knows has a tool of this name", help: "`WebFetch` stands for fetching" };
  if (!/^[A-Za-z][\w.-]*\*?$/.test(name)) return { why: "a pattern over the names of tools, with a star inside" };
  return [made(origin, { list: "permissions", rule: name })];
}
