import { WALKS } from "#knowledge/traits";
import { toldOf } from "../../policy/index.ts";
import type { LeftOut, TreeFilter } from "../../action/index.ts";
import { baseName } from "../../path/index.ts";
import { has, valuesOf } from "./given.ts";
import { expandBraces } from "../words/brace.ts";
import type { Context } from "../words/context.ts";
import type { Arguments, GivenOption } from "./options.ts";
import type { ShellPlace } from "../words/state.ts";
import { isGlob, patternOf, textOf, type Value } from "../words/value.ts";

/** What is asked of a command about its walks. */
interface Walker {
  readonly cx: Pick<Context, "world" | "looksForOptions">;
  readonly name: string;
  readonly args: Arguments;
  readonly places: readonly ShellPlace[];
  readonly spec: { readonly filters?: string };
  /** Names that its walks keep by themselves. */
  readonly only: readonly string[];
}

/** What a walk keeps by names; `hidden` where names with a dot in front are among them. */
interface KeptNames {
  readonly only: readonly string[];
  readonly without: readonly LeftOut[];
  readonly hidden?: true;
  /** What git ignores is not opened, either. */
  readonly listed?: true;
}

const EVERYTHING: KeptNames = { only: [], without: [], hidden: true };

/** What a walk of this command leaves out, if anything; `root`: the folder as it is written. */
export function walkFilter(inv: Walker, visible: boolean, root?: string): TreeFilter | undefined {
  const follows = followsLinks(inv);
  const { only, without, hidden, listed } = keptNames(inv, root);
  const passes = visible && hidden !== true;
  // A folder that is named itself is searched, ignored or not: below it the lists count.
  const ignores = listed === true && root !== undefined;
  if (only.length === 0 && without.length === 0 && !passes && !follows && !ignores) return undefined;
  return {
    ...(only.length > 0 ? { only } : {}),
    ...(without.length > 0 ? { without } : {}),
    ...(passes ? { hidden: false } : {}),
    ...(ignores ? { ignored: false } : {}),
    ...(follows ? { follows: true } : {}),
  };
}

/** A filter counts only where every program of the name leaves the name out for it. */
function keptNames(inv: Walker, root: string | undefined): KeptNames {
  const [style = "", ...unless] = (inv.spec.filters ?? "").split(" ").filter((word) => word !== "unless");
  const nothing: KeptNames = { only: inv.only, without: [] };
  // It is asked for each operand: options are looked through only where they may matter.
  if (style === "") return nothing;
  if (style === "gitignore") return has(inv, ...unless) ? EVERYTHING : keptByGlobs(inv);
  if (has(inv, ...unless)) return nothing;
  if (style === "untracked") return { ...nothing, listed: true };
  const given = inv.args.options.filter(({ option }) => option !== undefined && FILTERING.has(option.kind.is));
  if (style === "grep") return lastMatching(inv, given);
  const read = READERS[style];
  if (read === undefined) return nothing;
  const globs = given.map((one) => globOf(inv, one));
  // rsync(1): `!` clears the list, `+ x` takes in.
  if (style === "rsync" && globs.includes(undefined)) return nothing;
  return { only: inv.only, without: given.flatMap((one, at) => read(one, root, globs[at])) };
}

const FILTERING: ReadonlySet<string> = new Set(["only", "without", "withoutfile", "withoutfolder"]);

/** What an option says by a pattern that every program reads alike; undefined where none is certain. */
function globOf({ cx, places }: Walker, { value, tookWord }: GivenOption): string | undefined {
  const text = value === undefined ? undefined : (textOf(value) ?? unexpanded(value, tookWord === true));
  return text !== undefined && /^[^\s[\]\\{}!^$#:][^[\]\\{}!^$:\n]*$/.test(text) && !/\s$|\*\*|\/\/|(?:^|\/)\.\.(?:\/|$)/.test(text)
    ? text
    : undefined;

  /** `--exclude=*.env` stays as it is unless a file is called so; a word of its own becomes the names that it matches. */
  function unexpanded(given: Value, word: boolean): string | undefined {
    if (word || !isGlob(given)) return undefined;
    cx.looksForOptions = true;
    const dashed = places.some((place) => place.is !== "at" || cx.world.names(place.path)?.some((name) => name.startsWith("-")) !== false);
    return dashed ? undefined : patternOf(given);
  }
}

/**
 * grep(1): of `--include` and `--exclude` the last that matches a file decides; what none matches is left out only where the first is
 * `--include`. `--exclude` passes by files, `--exclude-dir` folders (GNU grep 3.8).
 */
function lastMatching(inv: Walker, given: readonly GivenOption[]): KeptNames {
  let without: readonly LeftOut[] = [];
  const only: string[] = [];
  const first = given.find(({ option }) => option?.kind.is !== "withoutfolder")?.option?.kind.is;
  for (const one of given) {
    const glob = globOf(inv, one);
    if (one.option?.kind.is === "only") {
      const { value } = one;
      only.push(value === undefined ? "*" : (textOf(value) ?? (isGlob(value) ? patternOf(value) : "*")));
      without = without.filter(({ by }) => by !== "file");
    } else without = [...without, ...byName(one, glob)];
  }
  return { only: first === "only" ? only : [], without };
}

const BY: Readonly<Record<string, LeftOut["by"]>> = { without: "name", withoutfile: "file", withoutfolder: "folder" };

function byName({ option }: GivenOption, glob: string | undefined): readonly LeftOut[] {
  const by = BY[option?.kind.is ?? ""];
  return by === undefined || glob === undefined || glob.includes("/") ? [] : [{ by, glob }];
}

const isWild = (glob: string): boolean => /[*?]/.test(glob);

/** The path itself and what lies below it. */
export const whole = (glob: string): readonly LeftOut[] => [
  { by: "path", glob },
  { by: "path", glob: `${glob}/*` },
];

/** What a walker leaves out by one option, by the way in which it reads patterns. */
type FilterReader = (given: GivenOption, root: string | undefined, glob: string | undefined) => readonly LeftOut[];

const READERS: Readonly<Record<string, FilterReader>> = {
  names: (given, _, glob) => byName(given, glob),
  /** ack(1): `--ignore-dir=NAME`, `--ignore-file=is:NAME`. */
  ack: (given) => {
    const text = given.value === undefined ? undefined : textOf(given.value);
    const name = /^(is:)?([\w.@+-]+)$/.exec(text ?? "");
    return name?.[2] === undefined || (name[1] === undefined && given.option?.kind.is === "withoutfile") ? [] : byName(given, name[2]);
  },
  /**
   * tar(1), bsdtar(1): a pattern matches at the beginning of any name in a path, and takes what lies below with it; GNU tar 1.34 takes it
   * only for operands behind it, bsdtar for an operand.
   */
  tar: (given, root, glob) => {
    if (glob === undefined || given.afterOperand === true || glob.endsWith("/") || glob.startsWith("/")) return [];
    if (!glob.includes("/")) return byName(given, glob);
    if (isWild(glob.replace(/\/\*$/, ""))) return [];
    const here = root === "." || root === "./";
    if (glob.startsWith("./")) return here ? whole(glob.slice(1)) : [];
    const start = root === undefined ? undefined : `${root.replace(/\/+$/, "")}/`;
    return [...whole(`*/${glob}`), ...(start !== undefined && glob.startsWith(start) ? whole(`/${glob.slice(start.length)}`) : [])];
  },
  /** rsync(1), FILTER RULES: the first that matches decides. A slash in front means the top of what is sent. */
  rsync: (given, root, glob) => {
    if (glob === undefined || /^[-+] /.test(glob)) return [];
    const [name = "", folder] = /^([^/]+)(\/?)$/.exec(glob)?.slice(1) ?? [];
    if (name !== "") return [{ by: folder === "/" ? "folder" : "name", glob: name }];
    if (!glob.startsWith("/") || isWild(glob) || root === undefined) return [];
    const top = /(?:^|\/)\.?$/.test(root) ? "/" : `/${baseName(root)}/`;
    return glob.startsWith(top) ? whole(`/${glob.slice(top.length).replace(/\/$/, "")}`) : [];
  },
  /** zip(1): a pattern is held against the whole path in the archive, and `*` is for slashes, too. */
  zip: ({ option }, root, glob) => {
    if (option?.kind.is === "only" || glob === undefined || glob.startsWith("/") || glob.startsWith("./")) return [];
    if (glob.startsWith("*")) return [{ by: "path", glob: root === "." ? `/${glob}` : glob }];
    if (root === ".") return [{ by: "path", glob: `/${glob}` }];
    const start = root !== undefined && /^\w/.test(root) ? `${root.replace(/\/$/, "")}/` : undefined;
    return start !== undefined && glob.startsWith(start) ? [{ by: "path", glob: `/${glob.slice(start.length)}` }] : [];
  },
};

/**
 * rg(1), fd(1): of globs the last that matches decides. One that keeps "always overrides any other ignore logic", hidden and ignored files
 * too, and so do types: `rg -g '.e*' .` reads `.env` (13.0).
 */
function keptByGlobs(inv: Walker): KeptNames {
  const globs = inv.args.options.flatMap(({ option, value }) => {
    if (value === undefined || option === undefined || !FILTERING.has(option.kind.is)) return [];
    return [option.kind.is === "without" ? `!${textOf(value) ?? ""}` : textOf(value)];
  });
  // A line of a list: blanks at its end are cut off, `#` begins a comment.
  const keeping = globs.filter((glob) => glob?.startsWith("!") !== true);
  if (keeping.some((glob) => glob === undefined || /^#|\s$/.test(glob))) return EVERYTHING;
  if (keeping.length > 0) {
    const names = has(inv, "--iglob", "--glob-case-insensitive") ? undefined : all(keeping.map(namesOf));
    return names === undefined ? EVERYTHING : { only: names, without: [], hidden: true };
  }
  const without = globs.flatMap((glob) => (glob === undefined ? [] : leftOut(glob)));
  const types = valuesOf(inv, "--type").map((value) => typeNames(textOf(value) ?? ""));
  const only = types.length === 0 ? undefined : all(types);
  if (only !== undefined) return { only, without, hidden: true };
  return { only: [], without, ...(unlisted(inv) ? {} : { listed: true }) };
}

/** `--no-ignore…`, -u: some lists, or all, do not count. */
const unlisted = ({ args }: Walker): boolean =>
  args.options.some(({ option }) => option?.names.some((name) => name.startsWith("--no-ignore") || name === "--unrestricted") !== false);

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

/** `!name` leaves out files and folders of this name, `!name/` folders. */
function leftOut(glob: string): readonly LeftOut[] {
  const [, name, folder] = /^!(?:\*\*\/)?([^/{}[\]\\!#\s]+)(\/?)$/.exec(glob) ?? [];
  return name === undefined ? [] : [{ by: folder === "/" ? "folder" : "name", glob: name }];
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

/** Whether this command's walks follow the links they come to. */
function followsLinks(inv: { readonly name: string; readonly args: Arguments }): boolean {
  const names = toldOf(WALKS, inv.name)?.split(" ");
  if (names === undefined) return false;
  const isGiven = inv.args.options.some(({ option }) => option?.names.some((one) => names.includes(one)) === true);
  return isGiven !== (names[0] === "unless");
}

/** The names of files of a type; undefined where it is not known. */
export const typeNames = (type: string): readonly string[] | undefined => TYPES.get(type)?.split(" ");
