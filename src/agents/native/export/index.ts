import type { Refusal } from "../../../import/index.ts";
import { entry, listWriter, ownFileWriter, permissionWriter, type Writer } from "./write.ts";

export { ownedIn, recordOwned } from "./record.ts";
export type { Written } from "./write.ts";

/** A refusal with the reason a person gave for it. */
export interface Reasoned {
  readonly refusal: Refusal;
  readonly reason: string | undefined;
}

export interface ExportPlace {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined: for the user, in all projects. */
  readonly project: string | undefined;
}

/** A host that can be told what to refuse by itself. */
export interface ExportFormat {
  readonly id: string;
  readonly name: string;
  /** Entries of its file, or arguments of its command line; undefined where it has no words for it. */
  readonly express: (one: Reasoned) => readonly string[] | undefined;
  /** The entries as they would stand in the file, for people. */
  readonly show: (entries: readonly string[]) => string;
  /** Undefined: there is no file for it, the entries are arguments. */
  readonly file?: { readonly path: (place: ExportPlace) => string; readonly write: Writer };
}

const MARK = "Written by `assent export`: your next export replaces it. What you change here is lost.";
/** A file that is ours altogether. */
export const isExported = (text: string): boolean => text.startsWith(`# ${MARK}`);

/** Only `*` is a wildcard, `\*` is a star. */
const claudeText = (glob: string): string | undefined => (/[()\\](?!\*)/.test(glob) ? undefined : glob);

function claude({ refusal }: Reasoned): readonly string[] | undefined {
  switch (refusal.is) {
    case "shell":
      return ["Bash"];
    case "words": {
      const text = refusal.words.join(" ");
      if (refusal.words.some((word) => /[\s()*\\"']/.test(word))) return undefined;
      return [refusal.exact ? `Bash(${text})` : `Bash(${text}:*)`];
    }
    case "text": {
      const glob = claudeText(refusal.glob);
      return glob === undefined ? undefined : [`Bash(${glob})`];
    }
    case "path": {
      const name = refusal.access === "read" ? "Read" : "Edit";
      const start = { root: "//", home: "~/", project: "./", anywhere: "//" }[refusal.anchor];
      return [`${name}(${start}${refusal.pattern})`];
    }
    case "fetch":
      if (refusal.host === "*") return ["WebFetch"];
      return [
        ...(refusal.itself ? [`WebFetch(domain:${refusal.host})`] : []),
        ...(refusal.below ? [`WebFetch(domain:*.${refusal.host})`] : []),
      ];
    case "mcp":
      return [refusal.tool === "*" ? `mcp__${refusal.server}` : `mcp__${refusal.server}__${refusal.tool}`];
  }
}

const star = (glob: string): boolean => glob.includes("\\*");

function openCode({ refusal }: Reasoned): readonly string[] | undefined {
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

function codex({ refusal, reason }: Reasoned): readonly string[] | undefined {
  if (refusal.is !== "words" || refusal.exact) return undefined;
  const why = reason === undefined ? "" : `, justification = ${JSON.stringify(reason)}`;
  return [`prefix_rule(pattern = ${JSON.stringify(refusal.words)}, decision = "forbidden"${why})\n`];
}

function gemini({ refusal, reason }: Reasoned): readonly string[] | undefined {
  const rule = (...lines: readonly string[]): readonly string[] => [
    `${["[[rule]]", ...lines, 'decision = "deny"', "priority = 999", ...(reason === undefined ? [] : [`denyMessage = ${JSON.stringify(reason)}`])].join("\n")}\n`,
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

function cursor({ refusal }: Reasoned): readonly string[] | undefined {
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

function copilot({ refusal }: Reasoned): readonly string[] | undefined {
  const flag = (pattern: string): readonly string[] => [`--deny-tool='${pattern.replaceAll("'", `'\\''`)}'`];
  switch (refusal.is) {
    case "shell":
      return flag("shell");
    case "words":
      if (refusal.exact || refusal.words.some((word) => /[\s()*:]/.test(word))) return undefined;
      // A program; of git and gh, with its subcommand.
      if (refusal.words.length === 1 || (refusal.words.length === 2 && ["git", "gh"].includes(refusal.words[0] ?? "")))
        return flag(`shell(${refusal.words.join(" ")})`);
      return undefined;
    case "fetch":
      return refusal.host === "*" || !refusal.itself ? undefined : flag(`url(${refusal.host})`);
    case "mcp":
      return flag(refusal.tool === "*" ? refusal.server : `${refusal.server}(${refusal.tool})`);
    case "path":
    case "text":
      return undefined;
  }
}

const asText = (entries: readonly string[]): string => entries.join("\n");
const asList = (deny: readonly string[]): string => `${JSON.stringify({ permissions: { deny } }, undefined, 2)}\n`;
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

const folder = (value: string | undefined, otherwise: string): string => (value?.startsWith("/") === true ? value : otherwise);

function openCodeLike(id: string, name: string, config: string): ExportFormat {
  const path = ({ home, env, project }: ExportPlace): string =>
    project === undefined ? `${folder(env["XDG_CONFIG_HOME"], `${home}/.config`)}/${config}/${config}.json` : `${project}/${config}.json`;
  return { id, name, express: openCode, show: asPermission, file: { path, write: permissionWriter } };
}

export const EXPORTS: readonly ExportFormat[] = [
  {
    id: "claude",
    name: "Claude Code",
    express: claude,
    show: asList,
    file: {
      path: ({ home, env, project }) =>
        project === undefined ? `${folder(env["CLAUDE_CONFIG_DIR"], `${home}/.claude`)}/settings.json` : `${project}/.claude/settings.json`,
      write: listWriter(["permissions", "deny"]),
    },
  },
  {
    id: "codex",
    name: "Codex",
    express: codex,
    show: asText,
    file: {
      path: ({ home, env, project }) =>
        `${project === undefined ? folder(env["CODEX_HOME"], `${home}/.codex`) : `${project}/.codex`}/rules/assent.rules`,
      write: ownFileWriter(`# ${MARK}`),
    },
  },
  openCodeLike("opencode", "OpenCode", "opencode"),
  openCodeLike("kilo", "Kilo", "kilo"),
  {
    id: "gemini",
    name: "Gemini CLI",
    express: gemini,
    show: asText,
    file: { path: ({ home, project }) => `${project ?? home}/.gemini/policies/assent.toml`, write: ownFileWriter(`# ${MARK}`) },
  },
  {
    id: "qwen",
    name: "Qwen Code",
    express: claude,
    show: asList,
    file: { path: ({ home, project }) => `${project ?? home}/.qwen/settings.json`, write: listWriter(["permissions", "deny"]) },
  },
  {
    id: "cursor",
    name: "Cursor",
    express: cursor,
    show: asList,
    file: {
      path: ({ home, project }) => (project === undefined ? `${home}/.cursor/cli-config.json` : `${project}/.cursor/cli.json`),
      write: listWriter(["permissions", "deny"]),
    },
  },
  // Its refusals are arguments of its command line.
  { id: "copilot", name: "GitHub Copilot CLI", express: copilot, show: (entries) => `${entries.join(" \\\n")}\n` },
];
