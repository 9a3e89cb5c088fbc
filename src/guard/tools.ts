import type { Action, FileAction, Lowered, ToolAction, Unknown, World } from "../action/index.ts";
import { lowerShell } from "../shell/index.ts";
import { join, normalise, Resolver } from "./canonical.ts";
import type { Input, Request, ToolFacts } from "./request.ts";

/** Longer commands are not analysed: Linux itself takes at most 128 KB in one argument. */
const MAX_COMMAND = 131_072;
const MAX_NODES = 1000;
const BY_TOOL = { by: "tool" } as const;

const unknown = (reason: string, help?: string): Lowered => ({
  actions: [],
  unknowns: [help === undefined ? { reason } : { reason, help }],
});

/** What a tool call would do. */
export function lowerTool(request: Request, world: World): Lowered {
  return lowerBy(request.facts, request, world);
}

function lowerBy(facts: ToolFacts | undefined, request: Request, world: World): Lowered {
  if (facts === undefined) return { actions: [toolAction(request.tool, request.input)], unknowns: [] };
  switch (facts.does) {
    case "shell":
      return lowerCommand(facts, request, world);
    case "file":
      return lowerFile(facts, request, world);
    case "fetch":
      return lowerFetch(request.input[facts.field], facts.field, world);
    case "opaque":
      return opaque(facts, request.input[facts.field]);
  }
}

function lowerCommand(facts: ToolFacts & { does: "shell" }, request: Request, world: World): Lowered {
  const command = request.input[facts.field];
  if (command === undefined && facts.otherwise !== undefined) return lowerBy(facts.otherwise, request, world);
  if (typeof command !== "string") return unknown(`the command is missing: \`${facts.field}\` is not a text`);
  const problem = badText(command);
  if (problem !== undefined) return unknown(`the command ${problem}`);
  if (command.length > MAX_COMMAND)
    return unknown(`the command is too long to analyse (${command.length} characters)`, "put it into a script file");
  const { shell } = request.host;
  return lowerShell(command, { world, shell });
}

/** What no shell and no file system would take as it stands. */
function badText(text: string): string | undefined {
  if (text.includes("\0")) return "contains a NUL character";
  // The second pattern is precise and costly to compile; the first finds pairs, too, and nearly never anything.
  return /[\ud800-\udfff]/.test(text) && /\p{Surrogate}/u.test(text) ? "contains half a surrogate pair" : undefined;
}

function lowerFile(facts: ToolFacts & { does: "file" }, request: Request, world: World): Lowered {
  const given = facts.fields
    .flatMap((field) => (request.input[field] === undefined ? [] : [request.input[field]]))
    .flatMap((value): unknown[] => (Array.isArray(value) ? value : [value]));
  if (given.length === 0 && facts.fallback !== undefined) given.push(facts.fallback);
  if (given.length === 0) return unknown(`the path is missing: no \`${facts.fields[0] ?? "path"}\``);
  const actions: Action[] = [];
  const unknowns: Unknown[] = [];
  if (facts.pattern !== undefined) given.push(...patternRoot(request.input[facts.pattern]));
  for (const path of given) {
    if (typeof path !== "string" || path === "") {
      unknowns.push({ reason: "the path is not a text" });
      continue;
    }
    const problem = badText(path);
    if (problem === undefined) actions.push(...fileActions(path, facts, world));
    else unknowns.push({ reason: `the path ${problem}` });
  }
  return { actions, unknowns };
}

/** A glob that leaves its folder (`/etc/*`, `../x/**`) also acts where its literal start leads. */
function patternRoot(pattern: unknown): readonly string[] {
  if (typeof pattern !== "string" || !(pattern.startsWith("/") || pattern.startsWith("~") || /(?:^|\/)\.\.(?:\/|$)/.test(pattern)))
    return [];
  const literal = /^[^*?[{]*/.exec(pattern)?.[0] ?? "";
  return [literal.endsWith("/") ? literal : literal.slice(0, literal.lastIndexOf("/") + 1) || "."];
}

function fileActions(given: string, facts: ToolFacts & { does: "file" }, world: World): readonly FileAction[] {
  const raw = absolutePath(given, world);
  const path = normalise(raw);
  // Hosts differ in whether `link/..` is resolved by text or by the file system: judge both.
  const physical = new Resolver(world.cwd).physical(raw);
  return (physical === undefined ? [path] : [path, physical]).map((at) => ({
    kind: "file",
    operation: facts.operation,
    target: { kind: facts.tree === true && world.kind(at) !== "file" ? "tree" : "path", path: at },
    ...(at === given ? {} : { asGiven: given }),
    origin: BY_TOOL,
  }));
}

/** `~`, `file:` URLs and relative paths made absolute. */
function absolutePath(given: string, world: World): string {
  if (given === "~" || given.startsWith("~/")) return `${world.home}${given.slice(1)}`;
  if (/^file:\/\//i.test(given)) return pathOfUrl(given) ?? join(world.cwd, given);
  return given.startsWith("/") ? given : join(world.cwd, given);
}

function pathOfUrl(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return undefined;
  }
}

function lowerFetch(url: unknown, field: string, world: World): Lowered {
  if (typeof url !== "string" || url === "") return unknown(`the address is missing: \`${field}\` is not a text`);
  // Hosts add a scheme where there is none.
  const written = /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[\w.-]+:\d+(?:\/|$)/.test(url) ? url : `https://${url.replace(/^\/+/, "")}`;
  let parsed: URL;
  try {
    parsed = new URL(written);
  } catch {
    return unknown("the address is not a URL");
  }
  if (parsed.protocol === "file:") {
    const path = pathOfUrl(written);
    return path === undefined
      ? unknown("the address is not a URL")
      : { actions: fileActions(path, { does: "file", operation: "read", fields: [] }, world), unknowns: [] };
  }
  const port = parsed.port === "" ? DEFAULT_PORTS[parsed.protocol] : Number(parsed.port);
  return {
    actions: [{ kind: "net", operation: "fetch", host: parsed.hostname === "" ? undefined : parsed.hostname, port, url, origin: BY_TOOL }],
    unknowns: [],
  };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443, "ws:": 80, "wss:": 443, "ftp:": 21 };

function opaque(facts: ToolFacts & { does: "opaque" }, source: unknown): Lowered {
  const detail = typeof source === "string" ? { detail: source } : {};
  return {
    actions: [{ kind: "code", language: facts.language, source: "inline", ...detail, origin: BY_TOOL }],
    unknowns: [{ reason: `${facts.language} is not analysed` }],
  };
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
