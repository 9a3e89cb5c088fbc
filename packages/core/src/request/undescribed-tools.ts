import { type Action, joinLowered, type Lowered, visible, type World } from "../action/index.ts";
import { isMeantQuestion, type RequestVerdict, verdictOf } from "../policy/index.ts";
import type { Request, ToolFacts } from "./request.ts";
import { serverFields } from "./server-fields.ts";
import { whatVariableControls } from "../shell/index.ts";
import { lowerTool } from "./tools.ts";

const COMMANDS = new Set(["command", "cmd", "script", "shell_command", "commandLine", "command_line"]);
const PATHS = new Set(["path", "file_path", "filePath", "filepath", "absolute_path", "notebook_path", "target_file", "file", "paths"]);

/** What a tool may do of which only the names of its fields are known. */
interface GuessedEffects {
  /** Running and reading. */
  readonly likely: Lowered;
  readonly writing: Lowered;
  /** Questions about what it may do count, too: a server's tool is supposed with more care, see `serverFields`. */
  readonly asks?: true;
  /** By its name or its fields it writes: what a change is denied for is denied. */
  readonly writes?: true;
  /** A path in it holds control characters. */
  readonly refused?: true;
  /** A variable that it sets, and what that controls. */
  readonly controlled?: string;
  /** The input is too large to look through. */
  readonly incomplete?: true;
}

const join = (parts: readonly Lowered[]): Lowered => ({ ...joinLowered(parts), unknowns: [] });

/**
 * Hosts get new tools every month: until a host's file says what one does, a command or a path in its input is supposed to
 * be run, read and written. So it is with a server's tool, anywhere in its input.
 */
export function guessEffects(request: Request, world: World): GuessedEffects | undefined {
  const server = serverTool(request);
  if (server !== undefined) return guessServerEffects(server, request, world);
  const { facts, input, point } = request;
  if (facts !== undefined || point !== "hook") return undefined;
  const as = (guess: ToolFacts): Lowered => lowerTool({ ...request, facts: guess }, world);
  const given = Object.keys(input).filter((field) => typeof input[field] === "string" || Array.isArray(input[field]));
  const commands = given.filter((field) => COMMANDS.has(field)).map((field) => as({ does: "shell", field, list: true }));
  const fields = given.filter((field) => PATHS.has(field));
  const files = (operation: "read" | "write"): readonly Lowered[] => (fields.length === 0 ? [] : [as({ does: "file", operation, fields })]);
  if (commands.length === 0 && fields.length === 0) return undefined;
  return { likely: join([...commands, ...files("read")]), writing: join(files("write")) };
}

/** The name of a server's tool, as rules have it; undefined: it is the host's own. */
function serverTool({ tool, facts }: Request): string | undefined {
  const names = facts === undefined ? [tool] : facts.does === "tool" ? [tool, ...facts.names, ...(facts.guesses ?? [])] : [];
  return names.find((name) => name.startsWith("mcp__"));
}

/** Verbs of tools that change what they are given. */
const CHANGES = new RegExp(
  String.raw`(?:^|[_\-.]|(?<=[a-z]))(?:write|create|edit|update|delete|remove|move|rename|copy|append|insert|replace|patch|put|save|` +
    "set|upload|overwrite|modify|mkdir|rm|mv|cp|touch|chmod|store)(?![a-z])",
  "i",
);

function guessServerEffects(name: string, request: Request, world: World): GuessedEffects | undefined {
  const { commands, paths, urls, statements, variables, input, content, refused, complete } = serverFields(name, request.input);
  const controlled = variables
    .map(([variable, value]) => ({ variable, why: whatVariableControls(variable, value) }))
    .find(({ why }) => why !== undefined);
  const isNothing = [commands, paths, urls, statements].every(({ length }) => length === 0);
  if (complete && !refused && isNothing && controlled === undefined) return undefined;
  const as = (facts: ToolFacts, more: Request["input"] = input): Lowered => lowerTool({ ...request, facts, input: more }, world);
  const files = (operation: "read" | "write"): readonly Lowered[] =>
    paths.length === 0 ? [] : [as({ does: "file", operation, fields: ["paths"] }, { paths })];
  const fetched = urls.map((url) => asConnection(as({ does: "fetch", field: "url" }, { url })));
  const destroys = statements.map((text) => as({ does: "argv", field: "words" }, { words: asClient(text) })).filter(isHarm);
  const writes = CHANGES.test(name.slice(name.lastIndexOf("__") + 2)) || (content && paths.length > 0);
  return {
    likely: joinLowered([...destroys, join([...commands.map((facts) => as(facts)), ...files("read"), ...fetched])]),
    writing: join(files("write")),
    asks: true,
    ...(writes ? { writes } : {}),
    ...(refused ? { refused } : {}),
    ...(controlled === undefined ? {} : { controlled: `sets ${visible(controlled.variable).slice(0, 60)}: ${controlled.why ?? ""}` }),
    ...(complete ? {} : { incomplete: true as const }),
  };
}

/** As a client of a database reads it: what it would destroy, and what nobody can tell. MySQL alone quotes names so. */
const asClient = (text: string): readonly string[] => (text.includes("`") ? ["mysql", "-e", text] : ["psql", "-c", text]);
const isHarm = ({ actions, unknowns }: Lowered): boolean => unknowns.length > 0 || actions.some(({ dangers = [] }) => dangers.length > 0);

/** A browser that a server drives is there for this machine's own pages, too: only metadata services are out of bounds. */
function asConnection({ actions, unknowns }: Lowered): Lowered {
  const connect = (action: Action): Action => (action.kind === "net" ? { ...action, operation: "connect" } : action);
  return { actions: actions.map(connect), unknowns };
}

/** For finding the policy files that speak about the places involved. */
export const withGuess = (lowered: Lowered, { likely, writing }: GuessedEffects): Lowered => join([lowered, likely, writing]);

/** INVARIANT: it can only narrow. What is denied is denied; what only a change would be denied for is asked, but where it does change. */
export function narrowByGuess(
  verdict: RequestVerdict,
  likely: RequestVerdict,
  writing: RequestVerdict,
  guess: GuessedEffects,
): RequestVerdict {
  if (verdict.decision === "deny") return verdict;
  if (guess.refused === true) return { ...verdict, ...verdictOf("deny", "tool.corrupt-path") };
  const reason = (because: RequestVerdict): string => `it is not known what this tool does; by its input it may do this: ${because.reason}`;
  if (likely.decision === "deny") return { ...likely, reason: reason(likely) };
  if (writing.decision === "deny" && guess.writes === true) return { ...writing, reason: reason(writing) };
  if (isMeantQuestion(verdict)) return verdict;
  if (writing.decision === "deny") return { ...writing, decision: "ask", reason: reason(writing) };
  if (guess.controlled !== undefined) return { ...verdict, ...verdictOf("ask", "tool.variable", { reason: guess.controlled }) };
  const asked = [likely, ...(guess.writes === true ? [writing] : [])].find(({ decision, basis }) => decision === "ask" && ASKS.has(basis));
  if (guess.asks === true && asked !== undefined) return { ...asked, reason: reason(asked) };
  if (guess.incomplete !== true) return verdict;
  return { ...verdict, ...verdictOf("ask", "tool.too-large") };
}

/** Questions that somebody wants asked, as opposed to what nobody has an opinion on. */
const ASKS: ReadonlySet<RequestVerdict["basis"]> = new Set(["floor", "rule", "protection"]);
