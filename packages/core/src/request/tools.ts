import {
  type Action,
  type FileAction,
  joinLowered,
  type Lowered,
  type ToolAction,
  type TreeFilter,
  type Unknown,
  type World,
} from "../action/index.ts";
import { attempt, isObject } from "../data/index.ts";
import { lowerPatch } from "../patch/index.ts";
import { baseName, joinPath, normalise, resolvePath } from "../path/index.ts";
import { expandBraces, normaliseHost, possibleHosts } from "../pattern/index.ts";
import { lowerArgv, lowerShell } from "../shell/index.ts";
import { physicalPath } from "./physical-path.ts";
import type { Input, Lowerable, ToolFacts } from "./request.ts";
import { searchFilter } from "./search-filter.ts";

/** Longer commands are not analysed: Linux itself takes at most 128 KB in one argument. */
const MAX_COMMAND = 131_072;
/** Commands or addresses in one call. */
const MAX_PARTS = 100;
const MAX_NODES = 1000;
const BY_TOOL = { by: "tool" } as const;

const unknown = (reason: string, help?: string): Lowered => ({
  actions: [],
  unknowns: [help === undefined ? { reason } : { reason, help }],
});

/** What a tool call would do. */
export function lowerTool(request: Lowerable, world: World): Lowered {
  // `link/..` in a folder's name leads elsewhere by text than by the file system, and hosts differ in which they take.
  if (physicalPath(request.cwd, world) !== undefined)
    return unknown("the folder of this call can be read in two ways: it goes back behind a link", "name the folder without `..`");
  return lowerBy(request.facts, request, world);
}

function lowerBy(facts: ToolFacts | undefined, request: Lowerable, world: World): Lowered {
  if (facts === undefined) return { actions: [toolAction(request.tool, request.input)], unknowns: [] };
  switch (facts.does) {
    case "shell":
      return lowerCommand(facts, request, world);
    case "file":
      return lowerFile(facts, request, world);
    case "fetch":
      return facts.within === true
        ? lowerFetches(request.input[facts.field], facts.field, world)
        : lowerFetch(onlyValue(valuesAt(request.input, facts.field)), facts.field, world);
    case "tool":
      return { actions: [{ ...toolAction(request.tool, request.input), ...otherNames(facts) }], unknowns: [] };
    case "argv":
      return lowerWords(request.input[facts.field], facts.field, request, world);
    case "patch":
      return lowerPatchText(request.input[facts.field], facts, world);
    case "opaque":
      return opaque(facts, request.input[facts.field]);
  }
}

function lowerCommand(facts: ToolFacts & { does: "shell" }, request: Lowerable, world: World): Lowered {
  const command = request.input[facts.field];
  if (command === undefined && facts.otherwise !== undefined) return lowerBy(facts.otherwise, request, world);
  if (facts.list === true && Array.isArray(command)) return lowerCommands(command, facts.field, request, world);
  if (typeof command !== "string") return unknown(`the command is missing: \`${facts.field}\` is not a text`);
  const problem = badText(command);
  if (problem !== undefined) return unknown(`the command ${problem}`);
  if (command.length > MAX_COMMAND)
    return unknown(`the command is too long to analyse (${command.length} characters)`, "put it into a script file");
  const { shell } = request.host;
  const lowered = lowerShell(command, { world, shell });
  return startsOne(lowered, facts.patches ?? []) ? joinLowered([lowered, lowerCarried(command, world)]) : lowered;
}

function startsOne({ actions }: Lowered, names: readonly string[]): boolean {
  return names.length > 0 && actions.some((action) => action.kind === "exec" && names.includes(baseName(action.program)));
}

/** The patch that a command carries in a heredoc, applied where its `cd` leads. */
function lowerCarried(command: string, world: World): Lowered {
  const [, folder = "", patch] =
    /^\s*(?:cd\s+([\w./@+-]+)\s*&&\s*)?[\w-]+\s*<<-?\s*['"]?\w+['"]?\n([\s\S]*?\*\*\* End Patch)[ \t]*\n/.exec(command) ?? [];
  if (patch === undefined) return unknown("the patch in this command is not where it could be read", "use the tool for patches");
  return lowerPatch(patch, { ...world, cwd: resolvePath(world.cwd, folder) });
}

/** Several commands, each in a shell of its own. */
function lowerCommands(commands: readonly unknown[], field: string, request: Lowerable, world: World): Lowered {
  if (commands.length === 0) return unknown(`the command is missing: \`${field}\` is empty`);
  if (commands.length > MAX_PARTS) return unknown(`too many commands in one call (${commands.length})`, "run them in several calls");
  return joinLowered(
    commands.map((command) =>
      typeof command === "string"
        ? lowerCommand({ does: "shell", field }, { ...request, input: { [field]: command } }, world)
        : unknown(`a command of \`${field}\` is not a text`),
    ),
  );
}

function lowerWords(argv: unknown, field: string, { host }: Lowerable, world: World): Lowered {
  if (!Array.isArray(argv) || argv.length === 0 || !argv.every((word) => typeof word === "string"))
    return unknown(`the command is missing: \`${field}\` is not a list of texts`);
  const text = argv.join(" ");
  const problem = badText(text);
  if (problem !== undefined) return unknown(`the command ${problem}`);
  if (text.length > MAX_COMMAND) return unknown(`the command is too long to analyse (${text.length} characters)`);
  return lowerArgv(argv, { world, shell: host.shell });
}

function lowerPatchText(text: unknown, facts: ToolFacts & { does: "patch" }, world: World): Lowered {
  if (typeof text !== "string") return unknown(`the patch is missing: \`${facts.field}\` is not a text`);
  return lowerPatch(text, world, facts);
}

/** What no shell and no file system would take as it stands. */
function badText(text: string): string | undefined {
  if (text.includes("\0")) return "contains a NUL character";
  // The second pattern is precise and costly to compile; the first finds pairs, too, and nearly never anything.
  return /[\ud800-\udfff]/.test(text) && /\p{Surrogate}/u.test(text) ? "contains half a surrogate pair" : undefined;
}

function lowerFile(facts: ToolFacts & { does: "file" }, request: Lowerable, world: World): Lowered {
  const given = facts.fields
    .flatMap((field) => valuesAt(request.input, field))
    .flatMap((value): unknown[] => (Array.isArray(value) ? value : [value]));
  if (given.length === 0 && facts.fallback !== undefined) given.push(facts.fallback);
  if (given.length === 0) return unknown(`the path is missing: no \`${facts.fields[0] ?? "path"}\``);
  const actions: Action[] = [];
  const unknowns: Unknown[] = [];
  const searched = facts.search === undefined ? undefined : searchFilter(facts.search, request, world);
  if (facts.pattern !== undefined) given.push(...patternRoots(request.input[facts.pattern]));
  for (const path of given) {
    if (typeof path !== "string" || path === "") {
      unknowns.push({ reason: "the path is not a text" });
      continue;
    }
    const problem = badText(path);
    const found = problem === undefined ? fileActions(path, facts, world, searched) : { wrong: problem };
    if ("wrong" in found) unknowns.push({ reason: `the path ${found.wrong}` });
    else actions.push(...found);
  }
  return { actions, unknowns };
}

/** What stands in `field`; `list.field` is that field of every element. */
function valuesAt(input: Input, field: string): readonly unknown[] {
  const [name = "", inner] = field.split(".");
  const value = own(input, name);
  if (value === undefined || inner === undefined) return value === undefined ? [] : [value];
  // What is no list of objects is no path either, and is told so.
  return Array.isArray(value) ? value.map((element: unknown) => (isObject(element) ? own(element, inner) : undefined)) : [undefined];
}

const onlyValue = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : values);
const own = (input: Input, field: string): unknown => (Object.hasOwn(input, field) ? input[field] : undefined);

function fileActions(
  given: string,
  facts: ToolFacts & { does: "file" },
  world: World,
  searched?: TreeFilter,
): readonly FileAction[] | { readonly wrong: string } {
  const actions: FileAction[] = [];
  const trees = facts.globs === true ? patternTrees(given) : [{ path: given, ...(searched === undefined ? {} : { filter: searched }) }];
  for (const { path: text, filter } of trees) {
    const paths = pathsOf(text, world, facts.searched);
    if ("wrong" in paths) return paths;
    for (const path of paths) {
      const tree = (facts.tree === true || filter !== undefined) && world.kind(path) !== "file";
      actions.push({
        kind: "file",
        operation: facts.operation,
        target: tree ? { kind: "tree", path, ...(filter === undefined ? {} : { filter }) } : { kind: "path", path },
        ...(path === given ? {} : { asGiven: given }),
        origin: BY_TOOL,
      });
    }
  }
  return actions;
}

/** Addresses in a text that one model wrote for another. */
function lowerFetches(text: unknown, field: string, world: World): Lowered {
  if (typeof text !== "string" || text === "") return unknown(`the address is missing: \`${field}\` is not a text`);
  const found = [...new Set(text.match(/[a-z][a-z0-9+.-]*:\/\/[^\s<>"'`]+/gi))];
  if (found.length === 0) return unknown(`no address in \`${field}\``);
  if (found.length > MAX_PARTS) return unknown(`too many addresses in one call (${found.length})`);
  // A sentence goes on behind an address.
  return joinLowered(found.map((url) => lowerFetch(url.replace(/[.,;:!?)\]}]+$/, ""), field, world)));
}

function lowerFetch(url: unknown, field: string, world: World): Lowered {
  if (Array.isArray(url) && url.length > 0 && url.length <= MAX_PARTS)
    return joinLowered(url.map((each) => lowerFetch(each, field, world)));
  if (typeof url !== "string" || url === "") return unknown(`the address is missing: \`${field}\` is not a text`);
  // As the URL standard has it, so that no blank hides a scheme.
  // oxlint-disable-next-line no-control-regex -- C0 and space
  const plain = url.replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]/g, "");
  // Hosts add a scheme where there is none.
  const written =
    /^[a-z][a-z0-9+.-]*:/i.test(plain) && !/^[\w.-]+:\d+(?:\/|$)/.test(plain) ? plain : `https://${plain.replace(/^\/+/, "")}`;
  let parsed: URL;
  try {
    parsed = new URL(written);
  } catch {
    return unknown("the address is not a URL");
  }
  if (parsed.protocol === "file:") {
    const path = pathOfUrl(written);
    const found = path === undefined ? { wrong: "" } : fileActions(path, { does: "file", operation: "read", fields: [] }, world);
    return "wrong" in found ? unknown("the address is not a URL") : { actions: found, unknowns: [] };
  }
  const port = parsed.port === "" ? DEFAULT_PORTS[parsed.protocol] : Number(parsed.port);
  const { hostname } = parsed;
  // Clients that read `\\` and `@` by the older standard come to another host.
  const others = hostname === "" ? [] : possibleHosts(written).filter((host) => host !== normaliseHost(hostname));
  const hosts = hostname === "" ? [undefined] : [hostname, ...others];
  return { actions: hosts.map((host) => ({ kind: "net", operation: "fetch", host, port, url, origin: BY_TOOL })), unknowns: [] };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443, "ws:": 80, "wss:": 443, "ftp:": 21 };

function opaque(facts: ToolFacts & { does: "opaque" }, source: unknown): Lowered {
  const detail = typeof source === "string" ? { detail: source } : {};
  return {
    actions: [{ kind: "code", language: facts.language, source: "inline", ...detail, origin: BY_TOOL }],
    unknowns: [{ reason: `${facts.language} is not analysed` }],
  };
}

function otherNames({ names, guesses = [] }: ToolFacts & { does: "tool" }): Pick<ToolAction, "names" | "guesses"> {
  return { ...(names.length === 0 ? {} : { names }), ...(guesses.length === 0 ? {} : { guesses }) };
}

/** A tool that only its name and fields describe: (field, text) pairs, breadth first, list items under their field's name. */
function toolAction(name: string, input: Input): ToolAction {
  const fields: (readonly [string, string])[] = [];
  const queue: (readonly [string, unknown])[] = Object.entries(input);
  for (let at = 0; at < queue.length && at < MAX_NODES; at += 1) {
    const [field, value] = queue[at] ?? ["", undefined];
    if (typeof value === "string") fields.push([field, value]);
    else if (typeof value === "number" || typeof value === "boolean") fields.push([field, String(value)]);
    else if (Array.isArray(value)) for (const item of value.slice(0, MAX_NODES)) queue.push([field, item]);
    else if (typeof value === "object" && value !== null) queue.push(...Object.entries(value).slice(0, MAX_NODES));
  }
  return { kind: "tool", name, fields, origin: BY_TOOL };
}

/**
 * What hosts make of the text that a model gives as a path. They forgive much, and each something else (measured: Gemini
 * CLI 0.61.0 decodes `%2e` and strips `@`, pi 0.87.1 strips `@`, replaces the blanks of Unicode and tries other forms of
 * letters and quotes, Qwen Code 0.24.4 trims and takes away backslashes). So every file that one of them would open is
 * judged; for the paths that agents really give there is one.
 */
function pathsOf(given: string, world: World, searched = false): readonly string[] | { readonly wrong: string } {
  const spellings = PLAIN.test(given) ? [given] : spellingsOf(given, world);
  if (!Array.isArray(spellings)) return spellings;
  const out = new Set<string>();
  for (const spelling of spellings) {
    const raw = absolute(spelling, world);
    out.add(normalise(raw));
    // Hosts differ in whether `link/..` is resolved by text or by the file system: judge both.
    const physical = physicalPath(raw, world);
    if (physical !== undefined) out.add(physical);
    if (searched && !spelling.startsWith("/") && world.kind(normalise(raw)) === "missing")
      for (const found of filesEndingIn(spelling, world)) out.add(found);
  }
  return [...out];
}

/** More files of one name are told apart by nobody. */
const MOST_FOUND = 50;

/** The files below the folder that a host takes instead of one that is not there. */
function filesEndingIn(name: string, world: World): readonly string[] {
  const found: string[] = [];
  world.find(world.cwd, (path) => path.endsWith(name) && found.push(path) >= MOST_FOUND);
  return found;
}

/** Nothing in it that any host would change. */
const PLAIN = /^[\w~/.,=+-][\w/.,=+@-]*$/;
const MOST_SPELLINGS = 32;

const REWRITES: readonly ((text: string) => string)[] = [
  (text) => text.trim(),
  // Pi's blanks.
  (text) => text.replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " "),
  (text) => (text.startsWith("@") ? text.slice(1) : text),
  (text) => (text.startsWith("@") ? text.slice(1).replace(/^[\\/]+/, "") : text),
  (text) => text.replace(/\\([ \t()[\]{};|*?$`'"#&<>!~])/g, "$1"),
  (text) => decoded(text) ?? text,
  (text) => (/^file:/i.test(text) ? (pathOfUrl(text) ?? text) : text),
];

/** These are tried where the file is not there. */
const OTHER_LETTERS: readonly ((text: string) => string)[] = [
  (text) => text.normalize("NFC"),
  (text) => text.normalize("NFD"),
  (text) => text.replaceAll("'", "\u2019"),
  (text) => text.normalize("NFD").replaceAll("'", "\u2019"),
  (text) => text.replace(/ (AM|PM)\./gi, "\u202F$1."),
];

function spellingsOf(given: string, world: World): string[] | { readonly wrong: string } {
  const all = new Set([given]);
  for (const text of all) {
    if (all.size > MOST_SPELLINGS) return { wrong: "can be read in too many ways" };
    for (const rewrite of REWRITES) all.add(rewrite(text));
  }
  all.delete("");
  for (const text of all) {
    if (/^file:/i.test(text) && pathOfUrl(text) === undefined) return { wrong: "is a `file:` address that cannot be read" };
    // One letter is a drive.
    if (/^[a-z][a-z0-9+.-]+:\//i.test(text) && !/^file:/i.test(text)) return { wrong: "is an address, and no file" };
    if (text.includes("\0")) return { wrong: "contains a NUL character" };
    for (const rewrite of OTHER_LETTERS) {
      const other = rewrite(text);
      if (other !== text && world.kind(normalise(absolute(other, world))) !== "missing") all.add(other);
    }
  }
  return [...all].filter((text) => !/^file:/i.test(text));
}

function decoded(text: string): string | undefined {
  if (!/%[0-9a-f]{2}/i.test(text)) return undefined;
  return attempt(() => decodeURIComponent(text), undefined);
}

/** `~` and relative paths made absolute. */
function absolute(given: string, world: World): string {
  if (given === "~" || given.startsWith("~/")) return `${world.home}${given.slice(1)}`;
  return given.startsWith("/") ? given : joinPath(world.cwd, given);
}

/** The path of a `file:` URL. */
function pathOfUrl(url: string): string | undefined {
  return attempt(() => decodeURIComponent(new URL(url).pathname), undefined);
}

/** Where the wildcards of a tool's pattern begin. */
const LITERAL = /^(?:[^*?[{(!+@]|[!+@](?!\())*/;

/** The folder that the literal start of a pattern leads to; relative to nothing but itself. */
function startOf(pattern: string): string {
  const literal = LITERAL.exec(pattern)?.[0] ?? "";
  if (literal.length === pattern.length) return pattern;
  return literal.endsWith("/") ? literal : literal.slice(0, literal.lastIndexOf("/") + 1) || ".";
}

/** A pattern without its braces; the folder of everything where they cannot be read. */
function alternatives(pattern: string): readonly string[] {
  const expanded = expandBraces(pattern);
  return expanded.ok ? expanded.value : ["/**"];
}

/** A glob that leaves its folder (`/etc/*`, `../x/**`) also acts where its literal start leads. */
function patternRoots(pattern: unknown): readonly string[] {
  if (Array.isArray(pattern)) return pattern.flatMap(patternRoots);
  if (typeof pattern !== "string") return [];
  return alternatives(pattern)
    .filter((each) => each.startsWith("/") || each.startsWith("~") || /(?:^|\/)\.\.(?:\/|$)/.test(each))
    .map(startOf);
}

/** What a pattern that a tool reads by stands for: a folder, and the names in it that it means. */
function patternTrees(pattern: string): readonly { readonly path: string; readonly filter?: TreeFilter }[] {
  return alternatives(pattern.replace(/^!/, "")).map((each) => {
    const path = startOf(each);
    if (path === each) return { path };
    const last = baseName(each);
    // `**` means all that is below, as does what is not known.
    return last === "**" || last === "" || /[()|!]/.test(last) ? { path } : { path, filter: { only: [last] } };
  });
}
