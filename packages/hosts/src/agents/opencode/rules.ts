import {
  Collector,
  flatPattern,
  type Loss,
  made,
  type NativeRead,
  type NativeOrigin,
  pathRule,
  textRule,
  type Converted,
} from "@assent/import/import";
import type { OperationName } from "@assent/core/policy";
import type { JsonNode } from "@assent/core/edit/json5";
import { hostRule } from "../claude/rules.ts";
import { at, type JsonFile, readJson, textOfNode, said } from "../rules/json.ts";
import { keepOrdered, type OrderedRule } from "../rules/ordered.ts";
import type { Edit } from "@assent/core/edit";
import { type Path, placeFinder, toValue } from "@assent/core/edit/json5";
import { folder, inProject, type NativeRules, ofUser, type Reasoned, type NativeSurroundings } from "../rules/contract.ts";
import { applyEdits, nodeAt, readObject, type Refused, type Writer } from "../rules/write.ts";

/**
 * `permission` of OpenCode (1.18.34; opencode.ai/docs/permissions) and of Kilo, which is made from it. An action for
 * everything, or one for each tool, or for each pattern of a tool: the last that matches decides, over all keys.
 * `*` is any text, also `/`, `?` one character; a ` *` at the end also matches nothing.
 */

const ACTIONS: ReadonlySet<string> = new Set(["allow", "ask", "deny"]);

export function readOpenCode(text: string): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  const permission = at(file.root, "permission");
  if (permission !== undefined) keepOrdered(rulesOf(permission, file, into).toReversed(), into);
  const agents = at(file.root, "agent") ?? at(file.root, "mode");
  for (const { key, value } of agents?.kind === "object" ? agents.members : []) {
    const own = at(value, "permission");
    if (own === undefined) continue;
    const rules = rulesOf(own, file, new Collector());
    for (const rule of rules)
      into.lose(
        { ...rule, text: `agent ${key}: ${rule.text}` },
        "a rule for one agent alone; rules here hold for all",
        "add it with `assent rule add` if it may hold for all",
      );
  }
  const tools = at(file.root, "tools");
  for (const { key, keyStart, value } of tools?.kind === "object" ? tools.members : [])
    if (value.kind === "scalar" && value.value === false) {
      const origin: NativeOrigin = { effect: "deny", text: `tools.${key}: false`, line: file.lineOf({ start: keyStart }) };
      into.keep(convert(origin, key, "*"), origin);
    }
  return into.result();
}

function rulesOf(permission: JsonNode, { lineOf }: JsonFile, into: Collector): readonly OrderedRule[] {
  const whole = textOfNode(permission);
  if (whole !== undefined) return one("*", "*", whole, `permission: ${whole}`, lineOf(permission), into);
  if (permission.kind !== "object") return lose(into, "permission", lineOf(permission), "it is neither an action nor an object");
  return permission.members.flatMap(({ key, keyStart, value }) => {
    const line = lineOf({ start: keyStart });
    const action = textOfNode(value);
    if (action !== undefined) return one(key, "*", action, `${key}: ${action}`, line, into);
    if (value.kind !== "object") return lose(into, key, line, "it is neither an action nor an object");
    return value.members.flatMap((item) => {
      const own = textOfNode(item.value);
      return one(key, item.key, own ?? "", `${key} ${item.key}: ${own ?? ""}`, lineOf({ start: item.keyStart }), into);
    });
  });
}

function lose(into: Collector, text: string, line: number, why: string): readonly OrderedRule[] {
  into.lose({ text, line }, why);
  return [];
}

const isAction = (value: string): value is NativeOrigin["effect"] => ACTIONS.has(value);

/** Changing a file is one permission, whichever tool does it. */
const SAME: Readonly<Record<string, string>> = { write: "edit", apply_patch: "edit", patch: "edit", multiedit: "edit" };
const ALL = ["bash", "read", "edit", "webfetch"] as const;
const OPERATIONS: Readonly<Record<string, readonly OperationName[]>> = { bash: ["execute"], read: ["read"], edit: ["write", "edit"] };

function one(key: string, pattern: string, action: string, text: string, line: number, into: Collector): readonly OrderedRule[] {
  if (!isAction(action)) return lose(into, text, line, "the action is none of allow, ask and deny");
  const rule = (domain: string): OrderedRule => {
    const operations = said(OPERATIONS, domain);
    return {
      effect: action,
      text,
      line,
      domain,
      glob: globOf(pattern),
      convert: (origin) => convert(origin, domain, pattern),
      ...(operations === undefined ? {} : { operations }),
    };
  };
  // The key for every tool stands among the rules of each.
  if (key === "*") return [...ALL.map(rule), ...(action === "allow" ? [] : [rule("*")])];
  return [rule(said(SAME, key) ?? key)];
}

/** Only `*` and `?` are wildcards there. */
const globOf = (pattern: string): string => pattern.replace(/[\\[\]]/g, "\\$&");

function convert(origin: NativeOrigin, tool: string, pattern: string): readonly Converted[] | Loss {
  const whole = /^\*+$/.test(pattern);
  const every = (rule: string): readonly Converted[] => [made(origin, { list: "permissions", rule })];
  switch (tool) {
    case "bash":
      return textRule(origin, globOf(pattern), { bare: true });
    case "read":
      return whole ? every("Read") : path(origin, "read", pattern);
    case "edit":
      return whole
        ? every(origin.effect === "allow" ? "Edit" : "Write")
        : path(origin, origin.effect === "allow" ? "content" : "change", pattern);
    case "webfetch":
      return whole ? every("WebFetch") : address(origin, pattern);
    case "websearch":
      return whole ? every("WebSearch") : { why: "a pattern over what is searched for" };
    case "task":
      return whole ? every("Task") : every(`Task(subagent_type:${globOf(pattern)})`);
    case "external_directory":
      return external(origin, pattern, whole);
    case "list":
    case "glob":
    case "grep":
      return {
        why: "listing and searching are one with reading and listing by any other way here",
        help: "write `Read(…)` or `List(…)` for the paths",
      };
    case "*":
      return { why: "tools that no rule names are left to the preset here", help: '`"preset": "strict"` asks for everything' };
    case "doom_loop":
    case "question":
    case "todowrite":
    case "todoread":
    case "lsp":
    case "skill":
      return { why: "a question of the host about itself" };
    default:
      if (!whole) return { why: "which part of the tool's input this means is not known" };
      return /^[\w.-]+\*?$/.test(tool) ? every(tool) : { why: `\`${tool}\` is not a tool` };
  }
}

/** Patterns are relative to the work tree; `~` and `$HOME` at the front are home. */
function path(origin: NativeOrigin, access: "read" | "content" | "change", written: string): readonly Converted[] | Loss {
  const pattern = written.replace(/^\$HOME(?=\/|$)/, "~");
  const found = flatPattern(pattern);
  if ("why" in found) return found;
  return pathRule(origin, access, found.pattern, found.samples);
}

/** Only a pattern for all of a host can be said. */
function address(origin: NativeOrigin, pattern: string): readonly Converted[] | Loss {
  const host = /^(?:https?|\*):\/\/(\*\.)?([a-z\d.-]+)\/?\*+$/i.exec(pattern);
  if (host === null || (origin.effect === "allow" && !/\/\*+$/.test(pattern)))
    return { why: "a pattern over whole addresses; rules here are about hosts", help: "write `WebFetch(host:example.com)`" };
  if (origin.effect === "allow" && pattern.startsWith("http"))
    return { why: "an allow for one scheme alone; rules here are about hosts", help: `write \`WebFetch(host:${host[2] ?? ""})\`` };
  return hostRule(origin, host[2] ?? "", host[1] !== undefined);
}

function external(origin: NativeOrigin, pattern: string, whole: boolean): readonly Converted[] | Loss {
  if (whole) return { why: "a rule cannot name everything outside the project" };
  if (origin.effect === "allow")
    return { why: "reaching a folder has no rule of its own here", help: "reading is free; allow changes with `Edit(…)`" };
  const read = path(origin, "read", pattern);
  const change = path(origin, "change", pattern);
  return "why" in read ? read : "why" in change ? change : [...read, ...change];
}

const star = (glob: string): boolean => glob.includes("\\*");

function express({ refusal }: Reasoned): readonly string[] | undefined {
  switch (refusal.is) {
    case "shell":
      return [entry("bash", "*")];
    case "words": {
      const text = refusal.words.join(" ");
      return /[*?"'\\]/.test(text) ? undefined : [entry("bash", refusal.exact ? text : `${text} *`)];
    }
    case "text":
      return star(refusal.glob) || refusal.glob.includes("?") ? undefined : [entry("bash", refusal.glob)];
    case "fetch":
      if (refusal.host === "*") return [entry("webfetch", "*")];
      return [
        ...(refusal.itself ? [entry("webfetch", `*://${refusal.host}/*`)] : []),
        ...(refusal.below ? [entry("webfetch", `*://*.${refusal.host}/*`)] : []),
      ];
    case "mcp":
      return [entry(`${refusal.server}_${refusal.tool}`, "*")];
    case "path":
      return undefined;
  }
}

function asPermission(entries: readonly string[]): string {
  const tools = new Map<string, string[]>();
  for (const one of entries) {
    const [tool = "", pattern = ""] = one.split("\u0000");
    tools.set(tool, [...(tools.get(tool) ?? []), pattern]);
  }
  const permission = Object.fromEntries(
    [...tools].map(([tool, patterns]) => [tool, Object.fromEntries(patterns.map((one) => [one, "deny"]))]),
  );
  return `${JSON.stringify({ permission }, undefined, 2)}\n`;
}

const SEPARATOR = "\u0000";
/** An entry of `permission`: a tool and a pattern. */
export const entry = (tool: string, pattern: string): string => `${tool}${SEPARATOR}${pattern}`;

/**
 * `permission` of OpenCode: the last that matches decides, so ours stand last. A tool with one action for everything
 * becomes a tool with patterns, of which the first is that action.
 */
export const permissionWriter: Writer = (now, wanted, owned) => {
  const start = now === undefined || now.trim() === "" ? "{}\n" : now;
  const root = readObject(start);
  if ("is" in root) return root;
  const changes: Edit[] = [];
  const permission = nodeAt(root, ["permission"]);
  if (permission?.kind === "scalar") {
    if (wanted.length === 0) return { is: "text", text: start, own: [] };
    return {
      is: "refused",
      why: '`permission` is one action for everything: write it as `{ "*": … }` first',
      ...placeFinder(start)(permission.start),
    };
  }
  const split = (one: string): readonly [string, string] => {
    const at = one.indexOf(SEPARATOR);
    return [one.slice(0, at), one.slice(at + 1)];
  };
  const own: string[] = [];
  for (const one of owned) {
    const [tool, pattern] = split(one);
    const there = nodeAt(root, ["permission", tool, pattern]);
    if (!wanted.includes(one) && there !== undefined && toValue(there) === "deny")
      changes.push({ do: "remove", path: ["permission", tool, pattern] });
  }
  const converted = new Set<string>();
  for (const one of wanted) {
    const [tool, pattern] = split(one);
    const node = nodeAt(root, ["permission", tool]);
    const there = nodeAt(root, ["permission", tool, pattern]);
    if (there !== undefined) {
      if (owned.includes(one)) own.push(one);
      else if (toValue(there) !== "deny")
        return { is: "refused", why: `\`${tool}\` has another action for \`${pattern}\``, ...placeFinder(start)(there.start) };
      continue;
    }
    if (node?.kind === "scalar" && !converted.has(tool)) {
      converted.add(tool);
      changes.push({ do: "replace", path: ["permission", tool], value: { "*": toValue(node) } });
    }
    changes.push({ do: "set", path: ["permission", tool, pattern], value: "deny" });
    own.push(one);
  }
  const next = applyEdits(start, changes);
  if (typeof next !== "string") return next;
  const clean = withoutEmpty(next, [...new Set(owned.filter((one) => !wanted.includes(one)).map((one) => split(one)[0]))]);
  return typeof clean === "string" ? { is: "text", text: clean, own } : clean;
};

/** What held nothing but ours goes with it. */
function withoutEmpty(text: string, tools: readonly string[]): string | Refused {
  let next = text;
  for (const path of [...tools.map((tool): Path => ["permission", tool]), ["permission"]] as readonly Path[]) {
    const root = readObject(next);
    const node = "is" in root ? undefined : nodeAt(root, path);
    if (tools.length === 0 || node?.kind !== "object" || node.members.length > 0) continue;
    const done = applyEdits(next, [{ do: "remove", path }]);
    if (typeof done !== "string") return done;
    next = done;
  }
  return next;
}

/** OpenCode's rules, and those of what is made from it: `NAME.json` in a folder of that name. */
export function openCodeRules(name: string, own: string): NativeRules {
  const files = [`${name}.json`, `${name}.jsonc`];
  const config = ({ home, env }: NativeSurroundings): string => `${folder(env["XDG_CONFIG_HOME"], `${home}/.config`)}/${name}`;
  return {
    reader: {
      places: (around) => [
        ...files.map((file) => ofUser(`${config(around)}/${file}`, readOpenCode)),
        ...inProject(around, readOpenCode, ...files, ...files.map((file) => `${own}/${file}`)),
      ],
      readerFor: () => readOpenCode,
    },
    refusals: {
      express,
      show: asPermission,
      file: {
        path: (place) => `${place.project ?? config(place)}/${name}.json`,
        write: permissionWriter,
      },
    },
  };
}

export const rules: NativeRules = openCodeRules("opencode", ".opencode");
