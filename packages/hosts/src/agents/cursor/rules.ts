import {
  Collector,
  type Converted,
  everyPath,
  type Loss,
  made,
  type NativeRead,
  type NativeOrigin,
  pathRule,
  textRule,
  wordsRule,
} from "@assent/import/import";
import { escapeWord, normaliseHost, pathPattern } from "@assent/core/pattern";
import { hostRule } from "../claude/rules.ts";
import { at, readJson, textsOf } from "../rules/json.ts";
import { inProject, type NativeRules, ofUser, type Reasoned } from "../rules/contract.ts";
import { asList, listWriter } from "../rules/write.ts";

/** Cursor's command line (docs.cursor.com/en/cli/reference/permissions; not run here). Deny wins over allow. */

export function readCursor(text: string): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  for (const effect of ["deny", "allow"] as const) {
    const { texts, others } = textsOf(at(file.root, "permissions", effect));
    for (const other of others) into.lose({ effect, text: `permissions.${effect}`, line: file.lineOf(other) }, "it is not text");
    for (const item of texts) {
      const origin: NativeOrigin = { effect, text: item.value, line: file.lineOf(item) };
      into.keep(convert(origin), origin);
    }
  }
  for (const key of ["terminalAllowlist", "mcpAllowlist"])
    for (const item of textsOf(at(file.root, key)).texts)
      into.lose(
        { effect: "allow", text: `${key} ${item.value}`, line: file.lineOf(item) },
        "how its entries are compared is not documented",
        "add it with `assent rule add`",
      );
  return into.result();
}

function convert(origin: NativeOrigin): readonly Converted[] | Loss {
  const parts = /^(\w+)\((.*)\)$/s.exec(origin.text.trim());
  if (parts === null) return { why: "it is not a permission: `Type(argument)`" };
  const [, type = "", argument = ""] = parts;
  const every = /^\*{0,2}$/.test(argument);
  switch (type) {
    case "Shell":
      return shell(origin, argument);
    case "Read":
      return every ? everyPath(origin, "read") : path(origin, "read", argument);
    case "Write":
      if (every) return everyPath(origin, origin.effect === "allow" ? "content" : "change");
      return path(origin, origin.effect === "allow" ? "content" : "change", argument);
    case "WebFetch": {
      if (every) return [made(origin, { list: "permissions", rule: "WebFetch" })];
      const host = normaliseHost(argument.replace(/^\*\./, ""));
      return host === undefined || host.includes("*")
        ? { why: `\`${argument}\` is not a host` }
        : hostRule(origin, host, argument.startsWith("*."));
    }
    case "Mcp": {
      const [server = "", tool = "*"] = argument.split(/\s*[:,]\s*/);
      return [made(origin, { list: "permissions", rule: `mcp__${server === "" ? "*" : server}__${tool === "" ? "*" : tool}` })];
    }
    default:
      return { why: `nothing is known of \`${type}\`` };
  }
}

/** `Shell(git)`: the first word. `Shell(curl:*)`, `Shell(npm:run *)`: the first word, and a glob over the rest. */
function shell(origin: NativeOrigin, argument: string): readonly Converted[] | Loss {
  if (/^\*{0,2}$/.test(argument)) return textRule(origin, "*", { bare: true });
  const colon = argument.indexOf(":");
  if (colon === -1) {
    const words = argument.trim().split(/\s+/);
    if (words.some((word) => /[*?[\]"'\\|&;<>()$`]/.test(word))) return { why: "wildcards, quotes and operators in a command" };
    return wordsRule(
      origin,
      words.map((word) => [word]),
      words.length === 1 || origin.effect === "deny",
    );
  }
  const rest = argument.slice(colon + 1).trim();
  const program = escapeWord(argument.slice(0, colon));
  if (/^\*{1,2}$/.test(rest)) return textRule(origin, `${program} *`, { bare: true });
  return textRule(origin, `${program} ${rest.replaceAll("**", "*")}`, { bare: origin.effect !== "allow" });
}

/** `**`, `*` and `?`; relative ones mean the workspace. Whether one without a slash matches in every folder is not said. */
function path(origin: NativeOrigin, access: "read" | "content" | "change", written: string): readonly Converted[] | Loss {
  if (/[{}[\]\\]/.test(written)) return { why: "braces, brackets and backslashes are not documented" };
  const pattern = written.startsWith("**") ? `./${written}` : written.replace(/^\.\//, "");
  if (!pathPattern(pattern).ok) return { why: "it is not a path pattern" };
  const deep = origin.effect === "deny" && !/[/~]/.test(pattern) ? [`./**/${pattern}`] : [pattern];
  const sample = pattern.replace(/^\.\//, "").replaceAll("**/", "").replaceAll("**", "x1").replaceAll("*", "x1").replaceAll("?", "x");
  return deep.flatMap((one) => pathRule(origin, access, one, [sample]));
}

function express({ refusal }: Reasoned): readonly string[] | undefined {
  switch (refusal.is) {
    case "shell":
      return ["Shell(**)"];
    case "words":
      if (refusal.exact || refusal.words.some((word) => /[\s()*:]/.test(word))) return undefined;
      return refusal.words.length === 1
        ? [`Shell(${refusal.words[0] ?? ""})`]
        : [`Shell(${refusal.words[0] ?? ""}:${refusal.words.slice(1).join(" ")}*)`];
    case "path": {
      const name = refusal.access === "read" ? "Read" : "Write";
      if (refusal.anchor === "home") return undefined;
      return [`${name}(${refusal.anchor === "root" ? "/" : ""}${refusal.pattern})`];
    }
    case "fetch":
      if (refusal.host === "*") return ["WebFetch(*)"];
      return [...(refusal.itself ? [`WebFetch(${refusal.host})`] : []), ...(refusal.below ? [`WebFetch(*.${refusal.host})`] : [])];
    case "mcp":
      return [`Mcp(${refusal.server}:${refusal.tool})`];
    case "text":
      return undefined;
  }
}

export const rules: NativeRules = {
  reader: {
    places: (around) => [
      ofUser(`${around.home}/.cursor/cli-config.json`, readCursor),
      ofUser(`${around.home}/.cursor/permissions.json`, readCursor),
      ...inProject(around, readCursor, ".cursor/cli.json", ".cursor/permissions.json"),
    ],
    readerFor: () => readCursor,
  },
  refusals: {
    express,
    show: asList("deny"),
    file: {
      path: ({ home, project }) => (project === undefined ? `${home}/.cursor/cli-config.json` : `${project}/.cursor/cli.json`),
      write: listWriter(["permissions", "deny"]),
    },
  },
};
