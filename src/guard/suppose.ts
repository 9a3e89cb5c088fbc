import type { Lowered, RequestVerdict, World } from "../action/index.ts";
import type { Request, ToolFacts } from "./request.ts";
import { lowerTool } from "./tools.ts";

const COMMANDS = new Set(["command", "cmd", "script", "shell_command", "commandLine", "command_line"]);
const PATHS = new Set(["path", "file_path", "filePath", "filepath", "absolute_path", "notebook_path", "target_file", "file", "paths"]);

/** What a tool may do of which only the names of its fields are known. */
interface Supposed {
  /** Running and reading. */
  readonly likely: Lowered;
  readonly writing: Lowered;
}

const join = (parts: readonly Lowered[]): Lowered => ({
  actions: parts.flatMap(({ actions }) => actions),
  unknowns: [],
});

/**
 * Hosts get new tools every month: until a host's file says what one does, a command or a path in its input is supposed to
 * be run, read and written. A server's tool has files and commands of its own, and is judged by its name.
 */
export function supposedOf(request: Request, world: World): Supposed | undefined {
  const { facts, input, point, tool } = request;
  if (facts !== undefined || point !== "hook" || tool.startsWith("mcp__")) return undefined;
  const as = (supposed: ToolFacts): Lowered => lowerTool({ ...request, facts: supposed }, world);
  const given = Object.keys(input).filter((field) => typeof input[field] === "string" || Array.isArray(input[field]));
  const commands = given.filter((field) => COMMANDS.has(field)).map((field) => as({ does: "shell", field, list: true }));
  const fields = given.filter((field) => PATHS.has(field));
  const files = (operation: "read" | "write"): readonly Lowered[] => (fields.length === 0 ? [] : [as({ does: "file", operation, fields })]);
  if (commands.length === 0 && fields.length === 0) return undefined;
  return { likely: join([...commands, ...files("read")]), writing: join(files("write")) };
}

/** For finding the policy files that speak about the places involved. */
export const withSupposed = (lowered: Lowered, { likely, writing }: Supposed): Lowered => join([lowered, likely, writing]);

/** INVARIANT: it can only narrow. What is denied is denied; what only a change would be denied for is asked. */
export function narrowed(verdict: RequestVerdict, likely: RequestVerdict, writing: RequestVerdict): RequestVerdict {
  if (verdict.decision === "deny") return verdict;
  const reason = (because: RequestVerdict): string => `nobody has said what this tool does, and it may ${because.reason}`;
  if (likely.decision === "deny") return { ...likely, reason: reason(likely) };
  if (writing.decision === "deny" && verdict.decision !== "ask") return { ...writing, decision: "ask", reason: reason(writing) };
  return verdict;
}
