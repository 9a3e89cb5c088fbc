import type { FileOperation, Span, Target, TreeFilter } from "../action/index.ts";
import { baseName } from "../path/index.ts";
import { shellPattern } from "../pattern/index.ts";
import { has, valuesOf } from "./analyse/given.ts";
import { expandBraces } from "./brace.ts";
import type { Context } from "./context.ts";
import type { EntryFields, Grammar } from "./knowledge/entries.ts";
import type { Arguments } from "./options.ts";
import { targetsOf } from "./paths.ts";
import type { ShellPlace, ShellState } from "./state.ts";
import { holeOf, prefixOf, textOf, type Stream, type Value } from "./value.ts";

/** What the walker offers to commands that run other commands. */
export interface CommandRunner {
  /** Runs argv as a command of its own: functions and aliases do not apply. Returns what it prints. `runner`: see `ExecAction`. */
  argv(cx: Context, state: ShellState, argv: readonly Value[], stdin: Stream, runner?: number): Stream;
  /**
   * Runs text as a script in a shell of its own, with `$1`… given; `keep` means a subshell of this one (`trap`, aliases). `reader` is the
   * shell that is named, where one is: else it is `sh`, whichever that is.
   */
  script(
    cx: Context,
    state: ShellState,
    text: Value,
    stdin: Stream,
    options?: {
      readonly positional?: readonly Value[];
      readonly span?: Span | undefined;
      readonly keep?: boolean;
      readonly reader?: string;
    },
  ): Stream;
}

/** One command as it is being understood. */
export interface Invocation {
  readonly cx: Context;
  readonly state: ShellState;
  readonly run: CommandRunner;
  /** Index of the exec action all effects belong to. */
  readonly exec: number;
  /** Program name for messages. */
  readonly name: string;
  readonly spec: EntryFields;
  readonly grammar: Grammar;
  readonly args: Arguments;
  /** All words after the program's name. */
  readonly words: readonly Value[];
  readonly stdin: Stream;
  readonly span: Span | undefined;
  /** `CommandSpec.reads` of the program and its subcommands, the innermost first. */
  readonly reads?: readonly string[] | undefined;
  /** `CommandSpec.confined` that counts here. */
  readonly confined?: string | undefined;
  /** `CommandSpec.helps` that counts here. */
  readonly helps?: string | undefined;
  /** Where the program works: the shell's place, moved by `-C`. */
  places: readonly ShellPlace[];
  /** Sources of a copy, for `dest`. */
  readonly sources: Value[];
  /** Operands that are read or listed; `operand` is false for a default. */
  readonly looked: { readonly value: Value; readonly operand: boolean; readonly walk: boolean; readonly filter: TreeFilter | undefined }[];
  /** Names that walks through trees keep and leave out. */
  readonly only: string[];
  readonly without: string[];
  /** What it prints, when an analyser knows. */
  output?: Stream | undefined;
}

export function emitFile(
  inv: Invocation,
  operation: FileOperation,
  value: Value,
  recursive = false,
  visible = false,
  certificate?: true,
): void {
  if (holeOf(value)?.pipe !== undefined) return;
  const filter = walkFilter(inv, visible);
  const text = textOf(value);
  const absolute = prefixOf(value).startsWith("/");
  for (const [i, target] of targetsOf(value, inv.places).entries()) {
    const place = inv.places[i];
    const walked: Target =
      recursive && target.kind === "path" && (operation === "read" || operation === "list") && isWalked(inv, target.path)
        ? { kind: "tree", path: target.path, ...(filter === undefined ? {} : { filter }) }
        : recursive && target.kind === "path" && (operation === "write" || operation === "edit") && isWalked(inv, target.path)
          ? rewritten(inv, target)
          : target;
    // Only what normalising hides: the kernel follows a symlink before it takes the `..` after it.
    const asGiven = text?.includes("..") !== true ? undefined : absolute ? text : place?.is === "at" ? `${place.path}/${text}` : undefined;
    // A name that a pattern or another program gave may be a folder, and the walk goes on below it.
    const folder = operation === "read" && recursive && filter !== undefined ? folderOf(walked) : undefined;
    emitTarget(inv, operation, walked, recursive && folder === undefined, asGiven, certificate);
    if (folder !== undefined) emitTarget(inv, operation, { kind: "tree", path: folder, filter: filter ?? {} });
  }
}

/** The folder below which the names lie; undefined for a path, and where it is not known. */
function folderOf(target: Target): string | undefined {
  if (target.kind === "glob") return shellPattern(target.pattern).folder;
  return target.kind === "unknown" ? target.within : undefined;
}

/** A formatter in a folder rewrites what its walk opens. The user's own patterns do not count: what a copy leaves out is not said by them. */
function rewritten({ spec, only }: Pick<Invocation, "spec" | "only">, target: Target & { kind: "path" }): Target {
  return spec.walks === undefined || only.length === 0
    ? target
    : { kind: "tree", path: target.path, filter: { only: spec.walks.split(" ") } };
}

/** A plain file has nothing below it. */
function isWalked({ cx }: Pick<Invocation, "cx">, path: string): boolean {
  return cx.world.kind(path) !== "file";
}

/** What a walk of this command leaves out, if anything. */
export function walkFilter(inv: Pick<Invocation, "only" | "without" | "name" | "args">, visible: boolean): TreeFilter | undefined {
  const follows = followsLinks(inv);
  const kept = keptByName(inv);
  if (kept !== undefined) return filterOf({ ...inv, ...kept }, visible && !kept.hidden, follows);
  return filterOf(inv, visible, follows);
}

function filterOf(names: Pick<KeptNames, "only" | "without">, visible: boolean, follows: boolean): TreeFilter | undefined {
  if (names.only.length === 0 && names.without.length === 0 && !visible && !follows) return undefined;
  return {
    ...(names.only.length > 0 ? { only: names.only } : {}),
    ...(names.without.length > 0 ? { without: names.without } : {}),
    ...(visible ? { hidden: false } : {}),
    ...(follows ? { follows: true } : {}),
  };
}

export function emitTarget(
  inv: Pick<Invocation, "cx" | "exec" | "span">,
  operation: FileOperation,
  target: Target,
  recursive = false,
  asGiven?: string,
  certificate?: true,
): void {
  inv.cx.add({
    kind: "file",
    operation,
    target:
      recursive && target.kind === "path" && (operation === "read" || operation === "list") && isWalked(inv, target.path)
        ? { kind: "tree", path: target.path }
        : target,
    origin: { by: "command", exec: inv.exec },
    ...(inv.span === undefined ? {} : { span: inv.span }),
    ...(recursive && (operation === "read" ? target.kind !== "path" && target.kind !== "tree" : operation !== "list")
      ? { recursive: true }
      : {}),
    ...(asGiven === undefined ? {} : { asGiven }),
    ...(certificate === undefined ? {} : { certificate }),
  });
}

/** An unknown that an allow rule for this command answers. */
export function doubt(inv: Pick<Invocation, "cx" | "exec" | "span">, reason: string, help?: string): void {
  inv.cx.unknown(reason, { span: inv.span, exec: inv.exec, ...(help === undefined ? {} : { help }) });
}

/** An unknown that only a person answers. */
export function refuse(inv: Pick<Invocation, "cx" | "span">, reason: string, help?: string): void {
  inv.cx.unknown(reason, { span: inv.span, ...(help === undefined ? {} : { help }) });
}

/** How a value is named in messages. */
export function describe(value: Value): string {
  const text = textOf(value);
  if (text !== undefined) return `\`${text}\``;
  const [only] = value.atoms;
  if (typeof only === "string" && value.atoms.length === 1) return `\`${only}\`, or nothing,`;
  return holeOf(value)?.why ?? "a pattern";
}

/** What a walk keeps by names; `hidden` where names with a dot in front are among them. */
interface KeptNames {
  readonly only: readonly string[];
  readonly without: readonly string[];
  readonly hidden: boolean;
}

const EVERYTHING: KeptNames = { only: [], without: [], hidden: true };

/**
 * rg(1): a glob that keeps "always overrides any other ignore logic", hidden and ignored files too, and so do types:
 * `rg -g '.e*' .` reads `.env` (13.0). Undefined where nothing is kept by name.
 */
function keptByName(inv: Pick<Invocation, "name" | "args">): KeptNames | undefined {
  if (inv.name !== "rg" && inv.name !== "ripgrep") return undefined;
  const globs = valuesOf(inv, "--glob", "--iglob").map(textOf);
  const keeping = globs.filter((glob) => glob?.startsWith("!") !== true);
  // What a file or another type says is not known here.
  if (has(inv, "--type-add", "--ignore-file")) return EVERYTHING;
  if (keeping.length > 0) {
    const names = has(inv, "--iglob", "--glob-case-insensitive") ? undefined : all(keeping.map(namesOf));
    return names === undefined ? EVERYTHING : { only: names, without: [], hidden: true };
  }
  const without = globs.flatMap((glob) => (glob === undefined ? [] : leftOut(glob)));
  const types = valuesOf(inv, "--type").map((value) => TYPES.get(textOf(value) ?? "")?.split(" "));
  const only = types.length === 0 ? undefined : all(types);
  if (only !== undefined) return { only, without, hidden: true };
  return without.length === 0 ? undefined : { only: [], without, hidden: false };
}

function all(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const known = lists.flatMap((list) => (list === undefined ? [] : [list]));
  return known.length === lists.length ? known.flat() : undefined;
}

/** The names that a glob keeps, whatever folders they lie in. */
function namesOf(glob: string | undefined): readonly string[] | undefined {
  const globs = glob === undefined ? undefined : expandBraces(glob);
  const names = globs?.map(baseName);
  return names?.every((name) => name !== "" && !/[{}]/.test(name)) === true ? names : undefined;
}

/** `!name` leaves out files and folders of this name. */
function leftOut(glob: string): readonly string[] {
  const name = /^!(?:\*\*\/)?([^/{}]+)\/?$/.exec(glob)?.[1];
  return name === undefined ? [] : [name];
}

/** `rg --type-list` of 13.0 and 14.1, the types that agents ask for. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["c", "*.[chH] *.[chH].in *.cats"],
  ["cpp", "*.[ChH] *.cc *.[ch]pp *.[ch]xx *.hh *.inl *.[ChH].in *.cc.in *.[ch]pp.in *.[ch]xx.in *.hh.in"],
  ["cs", "*.cs"],
  ["css", "*.css *.scss"],
  ["csv", "*.csv"],
  ["go", "*.go"],
  ["graphql", "*.graphql *.graphqls"],
  ["html", "*.htm *.html *.ejs"],
  ["java", "*.java *.jsp *.jspx *.properties"],
  ["js", "*.js *.jsx *.vue *.cjs *.mjs"],
  ["kotlin", "*.kt *.kts"],
  ["lua", "*.lua"],
  ["markdown", "*.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx"],
  ["md", "*.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx"],
  ["php", "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml"],
  ["protobuf", "*.proto"],
  ["py", "*.py *.pyi"],
  ["python", "*.py *.pyi"],
  ["rust", "*.rs"],
  ["scala", "*.scala *.sbt"],
  ["sql", "*.sql *.psql"],
  ["svelte", "*.svelte *.svelte.ts"],
  ["swift", "*.swift"],
  ["toml", "*.toml Cargo.lock"],
  ["ts", "*.ts *.tsx *.cts *.mts"],
  ["typescript", "*.ts *.tsx *.cts *.mts"],
  ["vue", "*.vue"],
  ["yaml", "*.yaml *.yml"],
]);

/** Options with which a walk enters folders that links lead to; true: it does so unless an option says no. */
const FOLLOWING: Readonly<Record<string, readonly string[] | { readonly unless: readonly string[] }>> = {
  grep: ["-R", "--dereference-recursive"],
  rg: ["-L", "--follow"],
  ripgrep: ["-L", "--follow"],
  ag: ["-f", "--follow"],
  ack: ["--follow"],
  fd: ["-L", "--follow"],
  tar: ["-h", "--dereference"],
  cp: ["-L", "--dereference"],
  rsync: ["-L", "--copy-links", "-k", "--copy-dirlinks"],
  zip: { unless: ["-y", "--symlinks"] },
  diff: { unless: ["--no-dereference"] },
};

const ALIASES: Readonly<Record<string, string>> = {
  egrep: "grep",
  fgrep: "grep",
  ggrep: "grep",
  gtar: "tar",
  bsdtar: "tar",
  colordiff: "diff",
  gdiff: "diff",
  fdfind: "fd",
  "ack-grep": "ack",
};

/** Whether this command's walks follow the links they come to. */
function followsLinks(inv: { readonly name: string; readonly args: Arguments }): boolean {
  const name = ALIASES[inv.name] ?? inv.name;
  const fact = Object.hasOwn(FOLLOWING, name) ? FOLLOWING[name] : undefined;
  if (fact === undefined) return false;
  const given = (names: readonly string[]): boolean =>
    inv.args.options.some(({ option }) => option?.names.some((one) => names.includes(one)) === true);
  return "unless" in fact ? !given(fact.unless) : given(fact);
}
