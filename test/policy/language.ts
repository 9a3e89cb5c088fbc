import * as fc from "fast-check";
import type {
  Action,
  Argument,
  CommandShape,
  ExecAction,
  FileAction,
  FileOperation,
  NetAction,
  Target,
  ToolAction,
  World,
} from "@assent/core/action";
import type { Answer } from "@assent/core/pattern";
import { matchRule } from "../../packages/core/src/policy/rule.ts";
import { parseRule } from "../../packages/core/src/policy/parse-rule.ts";
import type { Effect, LayerName, Matcher, Rule } from "../../packages/core/src/policy/match/types.ts";

/** A small machine for rows: a project in `/home/me/repo`, and the symlinks a row gives it. */
export function world(changes: Partial<World> & { readonly links?: Readonly<Record<string, string>> } = {}): World {
  const { links = {}, ...rest } = changes;
  const canonical = (path: string): string => {
    let segments = path.split("/").filter((name) => name !== "" && name !== ".");
    let done: string[] = [];
    for (let steps = 0; segments.length > 0 && steps < 100; steps++) {
      const [name = "", ...after] = segments;
      segments = after;
      if (name === "..") done.pop();
      else done.push(name);
      const link = links[`/${done.join("/")}`];
      if (link === undefined) continue;
      segments = [...link.split("/").filter((part) => part !== ""), ...segments];
      done = [];
    }
    return `/${done.join("/")}`;
  };
  return {
    cwd: "/home/me/repo",
    home: "/home/me",
    projectRoot: "/home/me/repo",
    temp: ["/tmp"],
    foldsCase: false,
    platform: "linux",
    env: () => undefined,
    canonical,
    kind: () => "missing",
    lookup: () => ({ path: undefined, trusted: true }),
    trustedProgram: () => true,
    find: () => ({ found: undefined, complete: true }),
    tracked: () => true,
    names: () => [],
    ...rest,
  };
}

/** One word of a row: `$X` may be any number of arguments, `"$X"` is one, `*.ts` a glob, `a$X` starts with `a`. */
export function argument(word: string): Argument {
  const quoted = /^"(.*)"$/.exec(word)?.[1];
  const text = quoted ?? word;
  const dollar = text.indexOf("$");
  if (dollar !== -1) return { known: false, prefix: text.slice(0, dollar), many: quoted === undefined, why: "a variable" };
  if (quoted === undefined && /[*?[]/.test(text))
    return { known: false, prefix: /^[^*?[]*/.exec(text)?.[0] ?? "", many: true, why: "a glob", glob: text };
  return { known: true, text };
}

/** Spellings of options that these tests know; `value` ones take the next word. */
const GRAMMARS: Readonly<
  Record<string, { readonly flags: readonly (readonly string[])[]; readonly values: readonly (readonly string[])[] }>
> = {
  rm: { flags: [["-r", "-R", "--recursive"], ["-f", "--force"], ["-i"], ["-v", "--verbose"]], values: [] },
  git: {
    flags: [["-f", "--force"], ["-s", "--short"], ["-p", "--patch"], ["-q", "--quiet"], ["--force-with-lease"], ["--hard"], ["--add"]],
    values: [["-C"], ["-S"], ["-m", "--message"], ["--format"]],
  },
  sed: { flags: [["-n", "--quiet"], ["-i", "--in-place"], ["-E"]], values: [["-e", "--expression"]] },
  pnpm: { flags: [["--watch"]], values: [["--dir", "-C"]] },
  docker: { flags: [["--rm"]], values: [["--network", "--net"]] },
};

function shapeOf(argv: readonly Argument[]): CommandShape | undefined {
  const [program, ...rest] = argv;
  const grammar = program?.known === true ? GRAMMARS[program.text.replace(/^.*\//, "")] : undefined;
  if (grammar === undefined) return undefined;
  const options: { names: readonly string[]; value?: Argument }[] = [];
  const operands: Argument[] = [];
  let complete = true;
  let ended = false;
  const find = (name: string): { names: readonly string[]; takes: boolean } | undefined => {
    const of = (list: readonly (readonly string[])[]) =>
      list.find((names) => names.includes(name)) ??
      list.find((names) => name.length > 3 && names.some((known) => known.startsWith(name) && name.startsWith("--")));
    const exact = [...grammar.flags, ...grammar.values].find((names) => names.includes(name));
    if (exact !== undefined) return { names: exact, takes: grammar.values.includes(exact) };
    const flag = of(grammar.flags);
    if (flag !== undefined) return { names: flag, takes: false };
    const value = of(grammar.values);
    return value === undefined ? undefined : { names: value, takes: true };
  };
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]!;
    if (!word.known || ended || !word.text.startsWith("-") || word.text === "-") operands.push(word);
    else if (word.text === "--") ended = true;
    else if (word.text.startsWith("--")) {
      const [name = "", value] = word.text.split(/=(.*)/s);
      const option = find(name);
      if (option === undefined) complete = false;
      const given = value !== undefined ? { known: true as const, text: value } : option?.takes === true ? rest[++i] : undefined;
      options.push({ names: option?.names ?? [name], ...(given === undefined ? {} : { value: given }) });
    } else {
      for (let c = 1; c < word.text.length; c++) {
        const option = find(`-${word.text.charAt(c)}`);
        if (option === undefined) complete = false;
        if (option?.takes === true) {
          const value = c + 1 < word.text.length ? { known: true as const, text: word.text.slice(c + 1) } : rest[++i];
          options.push({ names: option.names, ...(value === undefined ? {} : { value }) });
          break;
        }
        options.push({ names: option?.names ?? [`-${word.text.charAt(c)}`] });
      }
    }
  }
  return { options, operands, complete };
}

export function exec(line: string, changes: Partial<ExecAction> = {}): ExecAction {
  return execOf(
    line
      .split(" ")
      .filter((word) => word !== "")
      .map(argument),
    changes,
  );
}

export function execOf(argv: readonly Argument[], changes: Partial<ExecAction> = {}): ExecAction {
  const [first] = argv;
  const word = first?.known === true ? first.text : "";
  const trusted = !/^(?:\.|~|\/tmp|\/home)/.test(word);
  const shape = shapeOf(argv);
  return {
    kind: "exec",
    program: trusted ? word.replace(/^.*\//, "") : word,
    argv,
    trusted,
    env: [],
    origin: { by: "shell" },
    ...(shape === undefined ? {} : shape.complete ? { shape } : { shape, knowledge: "a test's grammar" }),
    ...changes,
  };
}

/** `read /etc/passwd`, `delete src/**` (a tree), `read src/*.ts` (a glob), `read ?` and `read src/?` (unknown, in a folder). */
export function file(text: string, changes: Partial<FileAction> = {}): FileAction {
  const [operation = "read", written = ""] = text.split(/ (.*)/s);
  const path = written.startsWith("/") ? written : `/home/me/repo/${written}`;
  const folder = path.replace(/\/(?:\*\*|\?)$/, "");
  const target: Target =
    written === "?"
      ? { kind: "unknown", why: "a variable" }
      : path.endsWith("/?")
        ? { kind: "unknown", why: "a variable", within: folder }
        : path.endsWith("/**")
          ? { kind: "tree", path: folder === "" ? "/" : folder }
          : /[*?[]/.test(path)
            ? { kind: "glob", pattern: path }
            : { kind: "path", path: path.length > 1 ? path.replace(/\/$/, "") : path };
  return { kind: "file", operation: operation as FileOperation, target, origin: { by: "tool" }, ...changes };
}

export function net(host: string | undefined, port?: number, operation: NetAction["operation"] = "fetch"): NetAction {
  return { kind: "net", operation, host, port, origin: { by: "tool" } };
}

export function tool(name: string, input: Readonly<Record<string, string | readonly string[]>> = {}): ToolAction {
  const fields = Object.entries(input).flatMap(([field, value]) =>
    (typeof value === "string" ? [value] : value).map((text) => [field, text] as const),
  );
  return { kind: "tool", name, fields, origin: { by: "tool" } };
}

export function matcherOf(rule: unknown): Matcher {
  const parsed = parseRule(rule);
  if (!parsed.ok) throw new Error(`${JSON.stringify(rule)}: ${parsed.message}`);
  return parsed.matcher;
}

export function ruleOf(effect: Effect, rule: unknown, changes: { readonly layer?: LayerName; readonly root?: string } = {}): Rule {
  const text = typeof rule === "string" ? rule : JSON.stringify(rule);
  return { effect, matcher: matcherOf(rule), source: { text, file: "policy.jsonc", line: 1, column: 1 }, layer: "user", ...changes };
}

/** What is wrong with a property; undefined when it holds. */
export function failure<T>(property: fc.IProperty<T>, parameters: fc.Parameters<T> = {}): string | undefined {
  return fc.defaultReportMessage(fc.check(property, parameters));
}

/** How an `allow` or `deny` rule answers an action; a string is a command line. */
export function answer(effect: Effect, rule: unknown, action: Action | string, where: World = world()): Answer {
  return matchRule(ruleOf(effect, rule), typeof action === "string" ? exec(action) : action, { world: where });
}
