import { baseName } from "../path/index.ts";
import { has, valuesOf } from "./analyse/given.ts";
import { expandBraces } from "./brace.ts";
import type { Invocation } from "./invocation.ts";
import { textOf } from "./value.ts";

/** What a walk keeps by names; `hidden` where names with a dot in front are among them. */
export interface Kept {
  readonly only: readonly string[];
  readonly without: readonly string[];
  readonly hidden: boolean;
}

const EVERYTHING: Kept = { only: [], without: [], hidden: true };

/**
 * rg(1): a glob that keeps "always overrides any other ignore logic", hidden and ignored files too, and so do types:
 * `rg -g '.e*' .` reads `.env` (13.0). Undefined where nothing is kept by name.
 */
export function keptByName(inv: Pick<Invocation, "name" | "args">): Kept | undefined {
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
