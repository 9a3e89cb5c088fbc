import type { Action, FileOperation } from "../../action/index.ts";
import {
  type Answer,
  both,
  genericInstances,
  mistake,
  ok,
  patternCovers,
  type PatternBase,
  pathPattern,
  type Result,
} from "../../pattern/index.ts";
import type { MatchContext, Side } from "../match/match-context.ts";
import { matchFile, matchProgramPath } from "../match/match-path.ts";
import { EXAMPLE_WORLD, type Example } from "../match/examples.ts";
import { matchCondition } from "../match/tool-fields.ts";
import type { OperationName } from "../match/types.ts";
import { type JudgingKind, never, none, nothing, type PathScope } from "./kind.ts";
import type { Doubt, ParsedText, ReadingKind, Refusal } from "./reading.ts";

/** `Read(glob)`, `Edit(glob)`, …; also the `operations` blocks. */
export interface PathMatcher extends PathScope {
  readonly kind: "path";
  /** The rule's name, so that it also reaches a tool of that name which nobody described. */
  readonly tool?: string;
}

export const path: JudgingKind<PathMatcher> = {
  ofCommands: false,
  match: matchPath,
  keys: {
    programs: ({ operations }) => (operations.includes("execute") ? "file" : undefined),
    words: nothing,
    files: (matcher) => (namesWhatIsRead(matcher) ? [...matcher.operations, ...UNDER_ANOTHER_NAME] : matcher.operations),
    host: nothing,
    tool: ({ tool }) => tool,
    others: never,
    call: nothing,
  },
  pathScope: (matcher) => matcher,
  isEveryCommand: never,
  covers: (outer, inner, _, base) => inner.kind === "path" && coversPath(outer, inner, base),
  names: {
    literal: ({ pattern }) => pattern !== undefined && /[^*?/.~]/.test(pattern),
    isWholeCommand: never,
    paths: ({ pattern }) => [pattern],
    host: nothing,
  },
  samples: none,
};

export const pathReading: ReadingKind<PathMatcher> = {
  written: {
    scope: { isName: (name) => OPERATIONS_OF.has(name), freeText: false, parse: parsePath },
    line: nothing,
    object: undefined,
    block: (operation) =>
      operation === "execute"
        ? undefined
        : { check: pathPattern, matcher: (pattern) => ({ kind: "path", operations: BLOCK_OPERATIONS[operation], pattern }) },
  },
  exampleActions,
  exampleHelp: 'an example of this rule is a path: "src/main.ts"',
  fileActions,
  whyNever: nothing,
  isEverything: never,
  doubtWide,
  prefixes: none,
  programs: none,
  spelledPrograms: ({ operations, pattern }) =>
    operations.includes("execute") && pattern !== undefined && !/[*?[\]{}\\]/.test(pattern) ? [pattern] : [],
  coverGroup: () => "path",
  refusals,
};

/** What may not be read may be read under another name: moving and linking it are asked about. */
const UNDER_ANOTHER_NAME: readonly FileOperation[] = ["rename", "link"];
const namesWhatIsRead = ({ operations, pattern }: PathMatcher): boolean => operations.includes("read") && pattern !== undefined;

function matchPath(matcher: PathMatcher, action: Action, side: Side, context: MatchContext): Answer {
  const { operations, pattern, tool } = matcher;
  switch (action.kind) {
    case "file":
      if (operations.includes(action.operation)) return pattern === undefined ? "yes" : matchFile(pattern, action, side, context);
      if (side !== "wide" || pattern === undefined || !namesWhatIsRead(matcher)) return "no";
      return UNDER_ANOTHER_NAME.includes(action.operation) ? both("maybe", matchFile(pattern, action, side, context)) : "no";
    case "exec":
      if (!operations.includes("execute") || action.builtin === true) return "no";
      return pattern === undefined ? "yes" : matchProgramPath(pattern, action, side, context);
    case "tool":
      // A host whose file tools nobody described still calls them by these names.
      if (action.name !== tool) return "no";
      return pattern === undefined ? "yes" : matchCondition({ by: "path", pattern }, action, side, context);
    default:
      return "no";
  }
}

function coversPath(outer: PathMatcher, inner: PathMatcher, base: PatternBase): boolean {
  if (!inner.operations.every((operation) => outer.operations.includes(operation))) return false;
  // A tool that nobody described is reached by the rule of its name alone.
  if (inner.tool !== undefined && inner.tool !== outer.tool) return false;
  if (outer.pattern === undefined) return true;
  return inner.pattern !== undefined && patternCovers(outer.pattern, inner.pattern, base);
}

/** Rule names that speak of files, whichever way they are reached. */
const OPERATIONS_OF: ReadonlyMap<string, readonly FileOperation[]> = new Map<string, readonly FileOperation[]>([
  ["Read", ["read"]],
  ["Grep", ["read"]],
  ["NotebookRead", ["read"]],
  ["Edit", ["write", "edit"]],
  ["MultiEdit", ["write", "edit"]],
  ["NotebookEdit", ["write", "edit"]],
  ["Write", ["write", "edit", "delete", "rename", "mkdir", "link", "metadata"]],
  ["Delete", ["delete"]],
  ["List", ["list"]],
  ["LS", ["list"]],
  ["Glob", ["list"]],
  ["Exec", ["execute"]],
]);

/** `write` is every change that is not an edit; the searching operations are one to the system. */
const BLOCK_OPERATIONS: Readonly<Record<Exclude<OperationName, "execute">, readonly FileOperation[]>> = {
  read: ["read"],
  write: ["write", "delete", "rename", "mkdir", "link", "metadata"],
  edit: ["edit"],
  glob: ["list"],
  grep: ["list"],
  ls: ["list"],
};

function parsePath(name: string, written: string | undefined): Result<ParsedText<PathMatcher>> {
  const operations = OPERATIONS_OF.get(name) ?? [];
  const scope = written?.trim() ?? "";
  if (scope === "" || scope === "*" || scope === "**") return ok({ matcher: { kind: "path", operations, tool: name } });
  const wrongPrefix = /^(?:domain|path|file|file_path):/.exec(scope)?.[0];
  if (wrongPrefix !== undefined)
    return mistake(
      `\`${name}\` takes a path pattern`,
      `write \`${name}(${wrongPrefix === "domain:" ? "src/**" : scope.slice(wrongPrefix.length)})\``,
    );
  if (/^[A-Za-z]:\\/.test(scope)) return mistake("a Windows path", "write it with `/`");
  const pattern = pathPattern(scope);
  return pattern.ok ? ok({ matcher: { kind: "path", operations, pattern: scope, tool: name } }) : pattern;
}

function exampleActions({ operations }: PathMatcher, example: Example): readonly Action[] | undefined {
  const written = typeof example === "string" ? example : Object.values(example).find((value) => typeof value === "string");
  return written === undefined ? undefined : operations.map((operation) => fileAction(operation, written));
}

function fileAction(operation: FileOperation, written: string): Action {
  const path = absolute(written);
  return {
    kind: "file",
    operation,
    target: { kind: "path", path },
    origin: { by: "tool" },
    ...(path === written ? {} : { asGiven: written }),
  };
}

function absolute(written: string): string {
  const start = written === "~" || written.startsWith("~/") ? `${EXAMPLE_WORLD.home}${written.slice(1)}` : written;
  const segments: string[] = [];
  for (const segment of (start.startsWith("/") ? start : `${EXAMPLE_WORLD.cwd}/${start}`).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

function fileActions({ operations, pattern }: PathMatcher, base: PatternBase): readonly Action[] {
  if (pattern === undefined) return [];
  const instances = genericInstances(pattern, base);
  return operations
    .filter((operation) => operation !== "execute")
    .flatMap((operation) =>
      instances.map((one): Action => ({ kind: "file", operation, target: { kind: "path", path: one }, origin: { by: "tool" } })),
    );
}

function doubtWide({ operations, pattern, tool = "Edit" }: PathMatcher, base: PatternBase): Doubt | undefined {
  if (operations.every((operation) => operation === "read" || operation === "list")) return undefined;
  if (pattern !== undefined && !["/**", "~/**"].some((all) => patternCovers(pattern, all, base))) return undefined;
  return {
    of: "everywhere",
    message: "allows this for files anywhere, not only in the project",
    help: `name a folder: \`${tool}(src/**)\``,
  };
}

function refusals({ operations, pattern }: PathMatcher): readonly Refusal[] | { readonly why: string } {
  const access = operations.includes("read") ? "read" : operations.includes("edit") || operations.includes("write") ? "edit" : undefined;
  if (access === undefined) return { why: "hosts know reading and editing only" };
  const written = pattern ?? "**";
  if (/[{}\\]/.test(written)) return { why: "braces and quoted characters in a path pattern" };
  if (written.startsWith("~/")) return [{ is: "path", access, anchor: "home", pattern: written.slice(2) }];
  if (written.startsWith("/")) return [{ is: "path", access, anchor: "root", pattern: written.slice(1) }];
  if (written.startsWith("**")) return [{ is: "path", access, anchor: "anywhere", pattern: written }];
  if (written.startsWith("../")) return { why: "a path out of the project" };
  return [{ is: "path", access, anchor: "project", pattern: written.replace(/^\.\//, "") }];
}
