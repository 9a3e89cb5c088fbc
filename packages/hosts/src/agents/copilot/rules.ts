import {
  Collector,
  type Converted,
  everyPath,
  type Loss,
  made,
  type NativeContext,
  type NativeRead,
  type NativeOrigin,
  pathRule,
  textRule,
  wordsRule,
} from "@assent/import/import";
import { normaliseHost } from "@assent/core/pattern";
import { hostRule } from "../claude/rules.ts";
import { at, type JsonFile, readJson, textOfNode, textsOf } from "../rules/json.ts";
import { folder, inProject, type NativeRules, ofUser, type Reasoned } from "../rules/contract.ts";

/**
 * GitHub Copilot CLI (1.0.102). `settings.json`: addresses. `permissions-config.json`: what was answered "always" in a
 * folder (github/docs pull 44916). Managed files: `permissions` with the patterns of `--allow-tool`.
 */

export function readCopilotSettings(text: string, context: NativeContext): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  const { root, lineOf } = file;
  for (const [key, effect] of [
    ["allowedUrls", "allow"],
    ["allowed_urls", "allow"],
    ["deniedUrls", "deny"],
    ["denied_urls", "deny"],
  ] as const)
    for (const item of textsOf(at(root, key)).texts) {
      const origin: NativeOrigin = { effect, text: `${key} ${item.value}`, line: lineOf(item) };
      into.keep(address(origin, item.value), origin);
    }
  for (const effect of ["deny", "ask", "allow"] as const)
    for (const item of textsOf(at(root, "permissions", effect)).texts) {
      const origin: NativeOrigin = { effect, text: item.value, line: lineOf(item) };
      into.keep(pattern(origin, item.value), origin);
    }
  readFolders(file, context, into);
  return into.result();
}

function readFolders({ root, lineOf }: JsonFile, _: NativeContext, into: Collector): void {
  const trusted = at(root, "trustedFolders") ?? at(root, "trusted_folders");
  for (const item of textsOf(trusted).texts)
    into.lose(
      { text: `trustedFolders ${item.value}`, line: lineOf(item) },
      "trusting a project's rules is a decision of its own here",
      "say `assent trust` there",
    );
}

/** `host`, `https://host`, `*.host`. */
function address(origin: NativeOrigin, written: string): readonly Converted[] | Loss {
  const parts = /^(?:[a-z]+:\/\/)?(\*\.)?([^/]+)(\/\**)?$/i.exec(written);
  const host = parts === null ? undefined : normaliseHost(parts[2] ?? "");
  if (host === undefined)
    return { why: "a pattern over whole addresses; rules here are about hosts", help: "write `WebFetch(host:example.com)`" };
  if (origin.effect === "allow" && /^[a-z]+:\/\//i.test(written))
    return { why: "an allow for one scheme alone; rules here are about hosts", help: `write \`WebFetch(host:${host})\`` };
  return hostRule(origin, host, parts?.[1] !== undefined);
}

/** A pattern of `--allow-tool`: `shell(git:*)`, `write`, `write(path)`, `url(host)`, `Server(tool)`. */
function pattern(origin: NativeOrigin, written: string): readonly Converted[] | Loss {
  const parts = /^([^()]+)(?:\((.*)\))?$/s.exec(written.trim());
  if (parts === null) return { why: "it is not a pattern: `kind` or `kind(argument)`" };
  const [, kind = "", argument = ""] = parts;
  switch (kind) {
    case "shell":
      return shell(origin, argument);
    case "write":
      if (argument === "") return everyPath(origin, "content");
      return /[*?[\]{}\\]/.test(argument)
        ? { why: "how patterns of paths are read is not known" }
        : pathRule(origin, "content", argument, [argument]);
    case "read":
      if (argument === "") return everyPath(origin, "read");
      return /[*?[\]{}\\]/.test(argument)
        ? { why: "how patterns of paths are read is not known" }
        : pathRule(origin, "read", argument, [argument]);
    case "url":
      return address(origin, argument);
    case "memory":
      return { why: "a question of the host about itself" };
    default:
      return [made(origin, { list: "permissions", rule: `mcp__${kind}__${argument === "" ? "*" : argument}` })];
  }
}

/** A command, with its first subcommand for git and gh; `:*` opens it. Whether it is open without that is not certain. */
function shell(origin: NativeOrigin, argument: string): readonly Converted[] | Loss {
  if (argument === "" || argument === "*") return textRule(origin, "*", { bare: true });
  const open = argument.endsWith(":*");
  const words = (open ? argument.slice(0, -2) : argument).trim().split(/\s+/);
  if (words.some((word) => /[*?[\]"'\\|&;<>()$`]/.test(word))) return { why: "wildcards, quotes and operators in a command" };
  return wordsRule(
    origin,
    words.map((word) => [word]),
    open || origin.effect !== "allow",
  );
}

/** Answers kept for folders: only those of the project at hand hold there. */
export function readCopilotApprovals(text: string, { project }: NativeContext): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  const { root, lineOf } = file;
  const locations = at(root, "locations");
  for (const { key: folder, keyStart, value } of locations?.kind === "object" ? locations.members : []) {
    const approvals = at(value, "tool_approvals");
    if (folder !== project) {
      if (approvals?.kind === "array" && approvals.items.length > 0)
        into.lose(
          { effect: "allow", text: folder, line: lineOf({ start: keyStart }) },
          "answers for another folder",
          "say `assent import` there",
        );
      continue;
    }
    for (const item of approvals?.kind === "array" ? approvals.items : []) {
      const kind = textOfNode(at(item, "kind")) ?? "";
      const origin: NativeOrigin = { effect: "allow", text: kind, line: lineOf(item) };
      const server = textOfNode(at(item, "serverName"));
      if (kind === "commands") {
        for (const { value: command, start } of textsOf(at(item, "commandIdentifiers")).texts) {
          const own: NativeOrigin = { effect: "allow", text: `commands ${command}`, line: lineOf({ start }) };
          into.keep(approved(own, command), own);
        }
      } else if (kind === "write") into.keep(everyPath(origin, "content"), origin);
      else if (kind === "read") into.keep(everyPath(origin, "read"), origin);
      else if (kind === "mcp" && server !== undefined)
        into.keep(
          [
            made(
              { ...origin, text: `mcp ${server}` },
              { list: "permissions", rule: `mcp__${server}__${textOfNode(at(item, "toolName")) ?? "*"}` },
            ),
          ],
          origin,
        );
      else into.lose(origin, "nothing is known of this kind");
    }
  }
  return into.result();
}

/** An identifier is a program; of git and gh, a program and its subcommand (github/copilot-cli issue 4150). */
function approved(origin: NativeOrigin, command: string): readonly Converted[] | Loss {
  const words = command.trim().split(/\s+/);
  const plain = words.every((word) => /^[\w@%+=.,/-]+$/.test(word));
  if (!plain || words.length > 2 || (words.length === 2 && !["git", "gh"].includes(words[0] ?? "")))
    return { why: "the host does not take it for a command either" };
  return wordsRule(
    origin,
    words.map((word) => [word]),
    true,
  );
}

function express({ refusal }: Reasoned): readonly string[] | undefined {
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

/** Copilot 1.0.102. Left out are those that deny, choose tools, plan, and let somebody else set the rules of a session. */
const OPTIONS: ReadonlySet<string> = new Set(
  (
    "-i --interactive -p --prompt -s --silent -r --resume --continue -n --name --session-id -C --trust-folder --fleet --model " +
    "--reasoning-effort --context --auto-tier --allow-all-tools --allow-all-paths --allow-all-urls --allow-all --yolo --allow-tool " +
    "--allow-url --disallow-temp-dir --banner --screen-reader --plain-diff --log-dir --log-level --stream --output-format --share " +
    "--share-gist --add-dir --attachment --disable-mcp-server --enable-mcp-server --disable-builtin-mcps --additional-mcp-config " +
    "--max-autopilot-continues --autopilot --no-custom-instructions --no-auto-update --no-ask-user --no-color --no-experimental " +
    "--experimental --no-bash-env --bash-env --mouse --no-mouse --no-remote --no-remote-export --secret-env-vars " +
    "--disable-client-telemetry --enable-memory --usage-output-file"
  ).split(" "),
);

export const rules: NativeRules = {
  reader: {
    places: (around) => {
      const own = folder(around.env["COPILOT_HOME"], `${around.home}/.copilot`);
      return [
        ofUser("/etc/github-copilot", readCopilotSettings, ".json"),
        ofUser("/etc/github-copilot/policy.d", readCopilotSettings, ".json"),
        ofUser(`${own}/settings.json`, readCopilotSettings),
        ofUser(`${own}/config.json`, readCopilotSettings),
        { path: `${own}/permissions-config.json`, read: readCopilotApprovals, scope: "project" },
        ...inProject(around, readCopilotSettings, ".github/copilot/settings.json", ".github/copilot/settings.local.json"),
      ];
    },
    readerFor: (path) => (path.endsWith("permissions-config.json") ? readCopilotApprovals : readCopilotSettings),
    start: { program: /^copilot$/, options: OPTIONS },
  },
  // Its refusals are arguments of its command line.
  refusals: { express, show: (entries) => `${entries.join(" \\\n")}\n` },
};
