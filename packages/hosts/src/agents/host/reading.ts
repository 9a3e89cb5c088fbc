import { isObject } from "@assent/core/data";
import type { Host, Request, ToolFacts } from "@assent/guard/engine";
import type { Reading } from "./protocol.ts";

export const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** What a call says, not looked at yet. */
interface Said {
  readonly agent: string;
  readonly event: string | undefined;
  readonly tool: unknown;
  readonly input: unknown;
  readonly cwd: unknown;
  /** Where `cwd` is when the host does not say. */
  readonly folder: string;
  /** What the tool does. */
  readonly facts: ToolFacts | undefined;
  readonly host: Host;
  /** Where the session started. */
  readonly root?: unknown;
  readonly session?: unknown;
  readonly toolUse?: unknown;
  readonly subagent?: string | undefined;
  readonly mode?: string | undefined;
  /** How the host calls `tool`, `input` and `cwd`, for messages. */
  readonly names?: { readonly tool: string; readonly input: string; readonly cwd: string };
}

const NAMES = { tool: "tool_name", input: "tool_input", cwd: "cwd" };

/** The request, or what is wrong with it. */
export function requestOf(said: Said): Reading {
  const names = said.names ?? NAMES;
  const problem = (why: string): Reading => ({ is: "problem", why });
  const tool = text(said.tool);
  if (tool === undefined) return problem(`\`${names.tool}\` is not a text`);
  const { input, facts } = said;
  if (!isObject(input)) return problem(`\`${names.input}\` is not an object`);
  const cwd = said.cwd === undefined ? said.folder : text(said.cwd);
  if (cwd === undefined || !isFolder(cwd)) return problem(`\`${names.cwd}\` is not an absolute path`);
  const own = facts?.does === "shell" && facts.folder !== undefined ? input[facts.folder] : undefined;
  if (own !== undefined && own !== null && (typeof own !== "string" || own.includes("\0")))
    return problem(`\`${folderField(facts)}\` is not a path`);
  // Some hosts expand it, some do not.
  if (typeof own === "string" && /^\s*(?:~|[a-z][a-z0-9+.-]+:)/i.test(own))
    return problem(`\`${folderField(facts)}\` is neither absolute nor relative: write the folder out`);
  const root = text(said.root);
  const session = root !== undefined && isFolder(root) ? root : undefined;
  const moved = typeof own === "string" && own !== "";
  const request: Request = {
    tool,
    facts,
    input,
    cwd: moved ? (own.startsWith("/") ? own : `${cwd}/${own}`) : cwd,
    // A command that runs elsewhere leaves the session's project no more than `cd` does.
    sessionRoot: session ?? (moved ? cwd : undefined),
    host: said.host,
    point: "hook",
    agent: said.agent,
    event: said.event,
    session: text(said.session),
    ...(text(said.toolUse) === undefined ? {} : { toolUse: text(said.toolUse) }),
    subagent: said.subagent,
    mode: said.mode,
  };
  return { is: "request", request };
}

const folderField = (facts: ToolFacts | undefined): string => (facts?.does === "shell" ? (facts.folder ?? "") : "");
const isFolder = (path: string): boolean => path.startsWith("/") && !path.includes("\0");

/** Facts about a tool. Names come from a model: none is looked up in a prototype. */
export function factsOf(tools: Readonly<Record<string, ToolFacts>>, tool: unknown): ToolFacts | undefined {
  return typeof tool === "string" && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
}

/** The payload knows best which event this is; the registration stands in for a payload that does not say. */
export function eventOf(own: unknown, registered: string | undefined, judged: ReadonlySet<string>): string | undefined {
  const said = text(own);
  return said !== undefined && (registered === undefined || judged.has(said)) ? said : registered;
}

/** Who asks inside a session: `Explore:a1`. */
export function subagentOf(id: unknown, type: unknown): string | undefined {
  const own = text(id);
  return own === undefined ? undefined : `${text(type) ?? "subagent"}:${own}`;
}

/** A tool's facts, for tables. */
export const files = (operation: "read" | "write" | "edit" | "list" | "delete" | "mkdir", ...fields: readonly string[]): ToolFacts => ({
  does: "file",
  operation,
  fields,
});

/** A walk through a folder that a field names, else the one where it works; `more`: what narrows it. */
export const walk = (
  operation: "read" | "list",
  fields: string,
  pattern?: string,
  more: Partial<Extract<ToolFacts, { does: "file" }>> = {},
): ToolFacts => ({
  does: "file",
  operation,
  fields: fields.split(" "),
  tree: true,
  fallback: ".",
  ...(pattern === undefined ? {} : { pattern }),
  ...more,
});

export const shell = (field = "command", folder?: string): ToolFacts =>
  folder === undefined ? { does: "shell", field } : { does: "shell", field, folder };

/** A tool that only its name describes; rules know it by Claude Code's. */
export const named = (...names: readonly string[]): ToolFacts => ({ does: "tool", names });

/** A tool of an MCP server, by the name that rules use everywhere. */
export const mcp = (server: string, tool: string): ToolFacts => named(`mcp__${server}__${tool}`);

/** `server_tool`, of which nobody says where the server's name ends: every way to read it. */
export function mcpGuess(name: string, separator: string): ToolFacts | undefined {
  const guesses: string[] = [];
  const end = name.length - separator.length;
  for (let at = name.indexOf(separator, 1); at > 0 && at < end && guesses.length < 16; at = name.indexOf(separator, at + 1))
    guesses.push(`mcp__${name.slice(0, at)}__${name.slice(at + separator.length)}`);
  return guesses.length === 0 ? undefined : { does: "tool", names: [], guesses };
}
