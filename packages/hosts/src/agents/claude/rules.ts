import {
  Collector,
  type Converted,
  everyPath,
  gitignorePattern,
  type Loss,
  made,
  type NativeContext,
  type NativeRead,
  type NativeOrigin,
  pathRule,
  textRule,
} from "@assent/import/import";
import { escapeWord, normaliseHost } from "@assent/core/pattern";
import { at, type JsonFile, readJson, textOfNode, textsOf, said } from "../rules/json.ts";
import {
  folder,
  inProject,
  type NativeRules,
  ofUser,
  type Reasoned,
  type RefusalWriter,
  type NativeSurroundings,
} from "../rules/contract.ts";
import { asList, listWriter } from "../rules/write.ts";

/**
 * `permissions` of Claude Code's settings (measured on 2.1.329, else code.claude.com/docs/en/permissions), which Qwen
 * Code reads too. Deny wins over ask, ask over allow, as here.
 */

const LISTS = ["deny", "ask", "allow"] as const;

/** What each key of `permissions` besides the lists means here. */
const OTHER_KEYS: Readonly<Record<string, Loss>> = {
  disableBypassPermissionsMode: {
    why: "it switches a mode of the host off",
    help: "here a bypass never skips a refusal, unless you set `bypass` to `host`",
  },
  disableAutoMode: { why: "it switches a mode of the host off" },
  blockReadsOutsideWorkingDirectories: { why: "a rule cannot name everything outside a folder", help: "deny the folders that matter" },
  blockWritesOutsideWorkingDirectories: {
    why: "a rule cannot name everything outside a folder",
    help: "set `preset` to `readonly`, or deny the folders",
  },
  denyInsteadOfPrompting: { why: "how the host asks is the host's own setting" },
};

export function readClaude(text: string, context: NativeContext): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  readPermissions(file, context, into);
  return into.result();
}

export function readPermissions(file: JsonFile, context: NativeContext, into: Collector): void {
  const { lineOf } = file;
  const permissions = at(file.root, "permissions");
  if (permissions === undefined) return;
  if (permissions.kind !== "object") return into.lose({ text: "permissions", line: lineOf(permissions) }, "it is not an object");
  for (const effect of LISTS) {
    const { texts, others } = textsOf(at(permissions, effect));
    for (const other of others) into.lose({ effect, text: `permissions.${effect}`, line: lineOf(other) }, "it is not text");
    for (const item of texts) {
      const origin: NativeOrigin = { effect, text: item.value, line: lineOf(item) };
      into.keep(convert(origin, context), origin);
    }
  }
  for (const { key, keyStart, value } of permissions.members) {
    const origin = { text: key, line: lineOf({ start: keyStart }) };
    if (LISTS.some((name) => name === key)) continue;
    if (key === "defaultMode") readMode(textOfNode(value), origin, into);
    else if (key === "additionalDirectories") {
      for (const item of textsOf(value).texts)
        readFolder(item.value, { text: `additionalDirectories ${item.value}`, line: lineOf(item) }, context, into);
    } else {
      const { why, help } = said(OTHER_KEYS, key) ?? { why: "nothing is known of this key" };
      into.lose({ text: key, line: origin.line }, why, help);
    }
  }
}

const MODES: Readonly<Record<string, Loss | undefined>> = {
  default: undefined,
  manual: undefined,
  acceptEdits: { why: "a mode here would hold for every agent", help: 'for the same everywhere, set `"mode": "auto-edit"`' },
  plan: { why: "a mode of the host", help: 'a policy that changes nothing is `"preset": "readonly"`' },
  bypassPermissions: { why: "to skip every question is never taken over" },
  dontAsk: { why: "how the host asks is the host's own setting" },
  auto: { why: "a mode of the host" },
};

function readMode(mode: string | undefined, { line }: { readonly line: number }, into: Collector): void {
  if (mode !== undefined && Object.hasOwn(MODES, mode) && MODES[mode] === undefined) return;
  const { why, help } = said(MODES, mode ?? "") ?? { why: "an unknown mode" };
  into.lose({ text: `defaultMode ${mode ?? ""}`.trim(), line }, why, help);
}

/** Folders in which edits may go ahead: only in the host's mode for that, as here. */
export function readFolder(
  folder: string,
  origin: { readonly text: string; readonly line: number },
  { scope, home }: NativeContext,
  into: Collector,
): void {
  const path = folder.startsWith("~/") ? `${home}${folder.slice(1)}` : folder;
  if (scope === "project")
    return into.lose(origin, "a project cannot make more folders writable", "add it to `writableRoots` of your own policy");
  if (!path.startsWith("/")) return into.lose(origin, "a relative folder means another one in each project");
  into.keep([made({ effect: "allow", ...origin }, { list: "writableRoots", folder: path.replace(/(?<=.)\/+$/, "") })], origin);
}

/** Other names of a tool, of older versions and of Qwen Code. */
const ALIASES: Readonly<Record<string, string>> = {
  Task: "Agent",
  ReadFile: "Read",
  read_file: "Read",
  WriteFile: "Write",
  write_file: "Write",
  edit: "Edit",
  run_shell_command: "Bash",
  Shell: "Bash",
  ShellTool: "Bash",
  web_fetch: "WebFetch",
  glob: "Glob",
  grep_search: "Grep",
};

/** Parameters of the shell tool that a rule may name in place of a command (since June 2026). */
const PARAMETERS = /^(?:command|description|timeout|run_in_background|dangerouslyDisableSandbox)\s*:/;

/** One rule: `Tool` or `Tool(specifier)`. */
export function convert(origin: NativeOrigin, context: NativeContext): readonly Converted[] | Loss {
  const match = /^([^()\s]+)(?:\((.*)\))?$/s.exec(origin.text.trim());
  if (match === null) return { why: "it is not a rule: `Tool` or `Tool(specifier)`" };
  const written = match[1] ?? "";
  const name = said(ALIASES, written) ?? written;
  const inner = match[2]?.trim();
  const scope = inner === undefined || inner === "" || inner === "*" || inner === "**" ? undefined : inner;
  switch (name) {
    case "Bash":
      return scope === undefined ? every(origin, "Bash", ["git status", "x1"]) : command(origin, scope);
    case "Read":
      return scope === undefined ? everyPath(origin, "read") : path(origin, "read", scope, context);
    case "Edit":
    case "MultiEdit":
      return scope === undefined ? everyPath(origin, "content") : path(origin, "content", scope, context);
    case "Write":
      if (scope === undefined) return everyPath(origin, "content");
      return origin.effect === "allow"
        ? { why: "the host takes only `Edit(…)` for changing files, `Write(…)` allows nothing there", help: `write \`Edit(${scope})\`` }
        : path(origin, "content", scope, context);
    case "NotebookEdit":
      return scope === undefined ? pathRule(origin, "content", "**/*.ipynb", ["a/x1.ipynb"]) : path(origin, "content", scope, context);
    case "WebFetch":
      return scope === undefined ? every(origin, "WebFetch", ["https://example.com/x1"]) : fetch(origin, scope);
    case "Glob":
    case "LS":
    case "Grep":
      return {
        why: "listing and searching are one with reading and listing by any other way here",
        help: origin.effect === "allow" ? "they are free unless a rule speaks of them" : "write `Read(…)` or `List(…)` for the paths",
      };
    case "PowerShell":
      return { why: "PowerShell is not analysed" };
    case "Agent":
      return scope === undefined || scope.includes("*") || scope.includes(":")
        ? tool(origin, name, scope)
        : every(origin, `Agent(subagent_type:${escapeWord(scope)})`, []);
    default:
      return tool(origin, name, scope);
  }
}

function every(origin: NativeOrigin, rule: string, match: readonly string[]): readonly Converted[] {
  return [made(origin, { list: "permissions", rule }, { match })];
}

/** `Bash(exact)`, `Bash(prefix:*)`, `Bash(glob)`. A ` *` at the end, and `:*`, also match nothing more. */
function command(origin: NativeOrigin, scope: string): readonly Converted[] | Loss {
  if (PARAMETERS.test(scope)) return { why: "a rule about a parameter of the tool, not about the command" };
  // Between folders `**` may also be no folder (2.1.330).
  if (origin.effect !== "allow" && scope.includes("/**/")) {
    const [far, near] = [command(origin, scope.replaceAll("/**/", "/*/")), command(origin, scope.replaceAll("/**/", "/"))];
    return "why" in far ? far : "why" in near ? near : [...far, ...near];
  }
  if (!scope.endsWith(":*")) return textRule(origin, ownGlob(scope), { bare: onlyAtEnd(scope) || origin.effect !== "allow" });
  const prefix = scope.slice(0, -2).trimEnd();
  return textRule(origin, `${ownGlob(prefix)} *`, { bare: true });
}

/** Whether the host takes a ` *` at the end for nothing is only certain where it is the only wildcard. */
const onlyAtEnd = (scope: string): boolean => scope.indexOf("*") === scope.length - 1;

/** Only `*` is a wildcard there, and `\*` a star. */
function ownGlob(text: string): string {
  return text.replace(/\\\*|[\\?[\]]/g, (found) => (found === "\\*" ? "\\*" : `\\${found}`));
}

function path(
  origin: NativeOrigin,
  access: "read" | "content",
  scope: string,
  { scope: whose }: NativeContext,
): readonly Converted[] | Loss {
  let found;
  if (scope.startsWith("//")) found = gitignorePattern(origin.effect, "/", scope.slice(1));
  else if (scope === "~" || scope.startsWith("~/")) found = gitignorePattern(origin.effect, "~/", scope.slice(1) || "/**");
  else if (scope.startsWith("/") && whose === "user")
    return {
      why: "a path that begins with `/` starts at the folder of the settings there",
      help: `write \`/${scope}\` for an absolute path`,
    };
  else found = gitignorePattern(origin.effect, "", scope);
  return "why" in found ? found : pathRule(origin, access, found.pattern, found.samples);
}

function fetch(origin: NativeOrigin, scope: string): readonly Converted[] | Loss {
  if (!scope.startsWith("domain:")) return { why: "only `domain:` is known for addresses" };
  const host = scope.slice(7).trim();
  if (host === "*") return every(origin, "WebFetch", ["https://example.com/x1"]);
  const name = normaliseHost(host.replace(/^\*\./, ""));
  if (name === undefined || name.includes("*")) return { why: `\`${host}\` is not a host` };
  return hostRule(origin, name, host.startsWith("*."));
}

/** A host and nothing below it; or only what is below it. */
export function hostRule(origin: NativeOrigin, host: string, below: boolean): readonly Converted[] | Loss {
  if (below) return every(origin, `WebFetch(domain:*.${host})`, [`https://a.${host}/x1`]);
  // `domain:` also means the hosts below it.
  return every(origin, `WebFetch(${origin.effect === "allow" ? "host" : "domain"}:${host})`, [`https://${host}/x1`]);
}

function tool(origin: NativeOrigin, name: string, scope: string | undefined): readonly Converted[] | Loss {
  if (name.startsWith("mcp__")) {
    if (scope !== undefined) return { why: "a scope of an MCP tool" };
    const whole = /^mcp__[^_*]+(?:_[^_*]+)*$/.test(name) ? `${name}__*` : name;
    return every(origin, whole, []);
  }
  if (!/^[A-Za-z][\w.-]*\*?$/.test(name)) return { why: `\`${name}\` is not a tool` };
  if (scope === undefined) return every(origin, name, []);
  const field = /^([A-Za-z_]\w*):(.+)$/s.exec(scope);
  if (field === null || scope.includes("*")) return { why: "which part of the tool's input this means is not known" };
  return every(origin, `${name}(${field[1] ?? ""}:${escapeWord(field[2] ?? "")})`, []);
}

/** Only `*` is a wildcard, `\*` is a star. */
const claudeText = (glob: string): string | undefined => (/[()\\](?!\*)/.test(glob) ? undefined : glob);

function express({ refusal }: Reasoned): readonly string[] | undefined {
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

/** Refusals as entries of `permissions.deny`, which Qwen Code has too. */
export const denyList = (path: (place: NativeSurroundings) => string): RefusalWriter => ({
  express,
  show: asList("deny"),
  file: { path, write: listWriter(["permissions", "deny"]) },
});

const settingsFile = (place: NativeSurroundings): string =>
  place.project === undefined ? `${ownFolder(place)}/settings.json` : `${place.project}/.claude/settings.json`;

const ownFolder = ({ home, env }: NativeSurroundings): string => folder(env["CLAUDE_CONFIG_DIR"], `${home}/.claude`);

/**
 * Claude Code 2.1.330. Left out are those that name settings, plugins and agents, which bring rules and hooks, and folders, of which
 * the skills are taken.
 */
const OPTIONS = new Set(
  (
    "--allow-dangerously-skip-permissions --allowedTools --allowed-tools --append-system-prompt --bg --brief --chrome " +
    "--continue --dangerously-skip-permissions --debug --debug-file --disable-slash-commands --disallowedTools --disallowed-tools " +
    "--effort --fallback-model --fork-session --ide --include-hook-events --include-partial-messages --input-format --json-schema " +
    "--max-budget-usd --max-turns --mcp-config --model --name --no-chrome --no-session-persistence --output-format --permission-mode " +
    "--permission-prompt-tool --print --replay-user-messages --resume --session-id --strict-mcp-config --system-prompt --tools " +
    "--verbose --worktree -c -d -n -p -r -w"
  ).split(" "),
);

export const rules: NativeRules = {
  reader: {
    places: (around) => [
      ofUser("/etc/claude-code/managed-settings.json", readClaude),
      ofUser("/etc/claude-code/managed-settings.d", readClaude, ".json"),
      ofUser("/Library/Application Support/ClaudeCode/managed-settings.json", readClaude),
      ofUser(`${ownFolder(around)}/settings.json`, readClaude),
      ...inProject(around, readClaude, ".claude/settings.json", ".claude/settings.local.json"),
    ],
    readerFor: () => readClaude,
    asksAnyway: true,
    questions: {
      start: { program: /^claude$/, options: OPTIONS },
      hooks: "PreToolUse",
      shell: "Bash",
      plugins: "enabledPlugins",
      definitions: (around) =>
        [ownFolder(around), ...(around.project === undefined ? [] : [`${around.project}/.claude`])].flatMap((folder) =>
          ["agents", "skills", "commands"].map((name) => `${folder}/${name}`),
        ),
    },
  },
  // A rule here spares its own question and the check of its auto mode; a hook is called and heard all the same (2.1.332).
  refusals: {
    ...denyList(settingsFile),
    allows: { path: settingsFile, show: asList("allow"), write: listWriter(["permissions", "allow"]) },
  },
};
