import type { Action, DangerId, FileAction, Lowered, Unknown, World } from "@assent/core/action";
import type { RequestVerdict } from "@assent/core/policy";
import { type FloorPaths, floorPaths } from "../../packages/core/src/policy/floor-paths.ts";
import type { Grant } from "../../packages/core/src/policy/grants.ts";
import { judge, type JudgeContext } from "../../packages/core/src/policy/judge.ts";
import { DEFAULT_SETTINGS } from "../../packages/core/src/policy/layers.ts";
import type { Effect, OperationBlock, OperationName, Policy, Rule, Settings } from "../../packages/core/src/policy/match/types.ts";
import { exec, matcherOf, ruleOf, world } from "./language.ts";

/** A machine in memory: these files exist, with the folders they lie in. */
export function machine(files: readonly string[], changes: Parameters<typeof world>[0] = {}): World {
  const all = new Set<string>();
  const folders = new Set<string>(["/"]);
  for (const file of files) {
    for (let at = file.indexOf("/", 1); at > 0; at = file.indexOf("/", at + 1)) folders.add(file.slice(0, at));
    if (!file.endsWith("/")) all.add(file);
  }
  const entries = [...folders, ...all];
  return world({
    kind: (path) => (all.has(path) ? "file" : folders.has(path) ? "directory" : "missing"),
    find: (root, wanted, depth) => {
      const start = root === "/" ? "/" : `${root}/`;
      const inside = entries.filter((path) => path === root || path.startsWith(start));
      const near = inside.filter((path) => depth === undefined || path.slice(start.length).split("/").length <= depth);
      return { found: near.find((path) => wanted(path)), complete: inside.length < 1000 };
    },
    names: (directory) => {
      if (!folders.has(directory)) return [];
      const start = directory === "/" ? "/" : `${directory}/`;
      return entries
        .filter((path) => path !== directory && path.startsWith(start) && !path.slice(start.length).includes("/"))
        .map((path) => path.slice(start.length));
    },
    ...changes,
  });
}

export const FLOOR: FloorPaths = {
  ...floorPaths("/home/me"),
  own: ["/opt/tools/assent"],
  projectPolicies: ["/home/me/repo/.agent-permissions.jsonc"],
};

export interface Written {
  readonly allow?: readonly unknown[];
  readonly ask?: readonly unknown[];
  readonly deny?: readonly unknown[];
  readonly settings?: Partial<Settings>;
  readonly operations?: readonly OperationBlock[];
  readonly broken?: string;
}

export function policy({ allow = [], ask = [], deny = [], settings = {}, operations = [], broken }: Written = {}): Policy {
  return {
    settings: { ...DEFAULT_SETTINGS, ...settings },
    rules: [...rulesOf("deny", deny), ...rulesOf("ask", ask), ...rulesOf("allow", allow)],
    operations,
    warnings: [],
    ...(broken === undefined ? {} : { broken }),
  };
}

function rulesOf(effect: Effect, rules: readonly unknown[]): readonly Rule[] {
  return rules.map((rule) => ruleOf(effect, rule));
}

/** A remembered answer. */
export function grant(rule: string, more: Partial<Grant> = {}): Grant {
  return { id: "g1", rule: ruleOf("allow", rule), said: "granted", ...more };
}

/** `block("read", "allow", ["deny secrets/**"])`: rules in order, an effect and a pattern each. */
export function block(operation: OperationName, fallback: Effect | undefined, rules: readonly string[] = []): OperationBlock {
  const source = { text: `${operation} default`, file: "policy.jsonc", line: 1, column: 1 };
  return {
    operation,
    layer: "user",
    ...(fallback === undefined ? {} : { default: fallback, defaultSource: source }),
    rules: rules.map((text): Rule => {
      const [effect = "", pattern = ""] = text.split(/ (.*)/s);
      const matcher = operation === "execute" ? ({ kind: "command", pattern } as const) : matcherOf(`${TOOLS[operation]}(${pattern})`);
      return { effect: effect as Effect, matcher, source: { ...source, text }, layer: "user" };
    }),
  };
}

const TOOLS: Readonly<Record<Exclude<OperationName, "execute">, string>> = {
  read: "Read",
  write: "Write",
  edit: "Edit",
  glob: "List",
  grep: "List",
  ls: "List",
};

/** Danger classes as knowledge would see them: enough for the rows here. */
export function dangersOf(argv: readonly string[]): ReadonlySet<DangerId> {
  const [program, ...rest] = argv;
  const found = new Set<DangerId>();
  const has = (...words: readonly string[]): boolean => words.some((word) => rest.includes(word));
  if (program === "rm" && has("-rf", "-r", "-fr")) {
    const targets = rest.filter((word) => !word.startsWith("-"));
    found.add(targets.some((word) => word === "~" || word.startsWith("/")) ? "delete-outside" : "delete-recursive");
  }
  if (program === "git" && has("push") && has("--force", "-f")) found.add("force-push");
  if (program === "npm" && has("publish")) found.add("publish");
  if (program === "cp" && rest.some((word) => word.endsWith(".bashrc"))) found.add("persistence");
  return found;
}

/** A command that knowledge covers, with what it does: `command("cat .env", file("read .env"))`. */
export function command(line: string, ...effects: readonly Action[]): readonly Action[] {
  return [
    exec(line, { knowledge: line.split(" ")[0] ?? "" }),
    ...effects.map((effect) => ({ ...effect, origin: { by: "command", exec: 0 } as const })),
  ];
}

/** A program without an entry. */
export function unknownCommand(line: string, ...effects: readonly Action[]): readonly Action[] {
  return [exec(line), ...effects.map((effect) => ({ ...effect, origin: { by: "command", exec: 0 } as const }))];
}

/** Several commands in one line. */
export function line(...commands: readonly (readonly Action[])[]): readonly Action[] {
  const all: Action[] = [];
  for (const actions of commands) {
    const start = all.length;
    for (const action of actions)
      all.push(action.origin.by === "command" ? { ...action, origin: { by: "command", exec: action.origin.exec + start } } : action);
  }
  return all;
}

/** What the shell does itself. */
export function redirect(action: FileAction): readonly Action[] {
  return [{ ...action, origin: { by: "shell" } }];
}

export function script(detail: string, changes: { readonly foreign?: boolean } = {}): Action {
  return { kind: "code", language: "shell", source: "project", detail, origin: { by: "tool" }, ...changes };
}

export function judged(
  actions: readonly Action[] | Action,
  written: Policy | Written = {},
  changes: Partial<JudgeContext> & { readonly unknowns?: readonly Unknown[] } = {},
): RequestVerdict {
  const { unknowns = [], ...context } = changes;
  const lowered: Lowered = { actions: Array.isArray(actions) ? actions : [actions as Action], unknowns };
  return judge(lowered, "warnings" in written ? written : policy(written), {
    world: machine([]),
    host: true,
    floor: FLOOR,
    dangersOf,
    supervised: false,
    ...context,
  });
}

/** `ask default`, `deny protection`: decision and basis in one word pair, as rows write it. */
export function shortly({ decision, basis }: { readonly decision: string; readonly basis: string }): string {
  return `${decision} ${basis}`;
}
