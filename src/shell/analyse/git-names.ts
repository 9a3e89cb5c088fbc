import type { Invocation } from "../invocation.ts";
import { literal, textOf, type Hole, type Stream } from "../value.ts";
import { has, mayBegin, valuesOf } from "./given.ts";

/** Names of objects: at least four hexadecimal digits, which no file with a secret is called. */
const HASH_NAME = "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]*";

/** What git prints when it prints names, for the next command in a pipe or a substitution: as relative paths, which they may be taken for. */
const printed = (hole: Omit<Hole, "hole">): Stream => ({
  is: "paths",
  values: [{ atoms: [{ hole: true, below: true, ...hole }], many: false }],
});
const hashes = (): Stream => printed({ why: "an object name that git prints", filter: { hidden: false, only: [HASH_NAME] } });
/** gitrevisions(7): no part of a reference begins with a dot and none holds `..` (git-check-ref-format(1)); the first may begin with `-`. */
const references = (): Stream => printed({ why: "a reference that git prints", filter: { hidden: false }, mayDash: true });

/** True when no other options were given than these, and no operand may turn out to be one. */
const only = (inv: Invocation, ...names: readonly string[]): boolean =>
  inv.args.options.every(({ option }) => option?.names.some((name) => names.includes(name)) === true) &&
  !inv.args.operands.some((operand) => mayBegin(inv, operand, "-"));

/** git-merge-base(1) prints nothing but object names. */
export function gitMergeBase(inv: Invocation): void {
  inv.output = hashes();
}

/** git-rev-parse(1): what it does not know it prints as it is. */
export function gitRevParse(inv: Invocation): void {
  const operands = inv.args.operands.map((operand) => textOf(operand));
  if (only(inv, "--verify", "--short", "-q", "--end-of-options")) {
    if (has(inv, "--verify") || operands.every((text) => /^(?:HEAD|@)(?:[~^]\d*)*$/.test(text ?? ""))) inv.output = hashes();
    else if (operands.every((text) => /^\w[\w-]*(?:\/\w[\w-]*)*(?:[~^]\d*)*$/.test(text ?? "")))
      inv.output = printed({ why: "an object name that git prints", filter: { hidden: false } });
  } else if (only(inv, "--abbrev-ref") && operands.every((text) => /^(?:HEAD|@|@\{u(?:pstream)?\})$/.test(text ?? "")))
    inv.output = references();
  else if (only(inv, "--show-toplevel") && operands.length === 0 && atTopLevel(inv))
    inv.output = { is: "text", value: literal(`${inv.cx.world.projectRoot}\n`) };
}

/** True when the repository around every place is the project's own. */
function atTopLevel({ cx: { world }, places }: Invocation): boolean {
  return places.every((place) => {
    if (place.is !== "at" || world.canonical(place.path) !== place.path) return false;
    for (let path = place.path; path !== "" && path !== "/"; path = path.slice(0, path.lastIndexOf("/"))) {
      if (world.kind(`${path}/.git`) !== "missing") return path === world.projectRoot;
    }
    return false;
  });
}

/** Which commits are walked, not what is printed of them. */
const WALK =
  "-n --max-count --skip --since --after --until --before --author --committer --grep --all-match --invert-grep -i --regexp-ignore-case --merges --no-merges --first-parent --reverse --all --branches --tags --remotes --topo-order --date-order --follow --no-walk -1 --ancestry-path --full-history --diff-filter".split(
    " ",
  );

export function gitRevList(inv: Invocation): void {
  if (has(inv, "--count") && only(inv, "--count", ...WALK)) inv.output = { is: "unknown", why: "a number", network: false, number: true };
  else if (only(inv, ...WALK)) inv.output = hashes();
}

/** git-log(1) and git-show(1) with a format that is an object name and nothing else. */
export function gitLogNames(inv: Invocation): void {
  const formats = valuesOf(inv, "--format", "--pretty").map(textOf);
  if (formats.length === 1 && /^(?:t?format:)?%[hHtT]$/.test(formats[0] ?? "") && only(inv, "--format", "--pretty", "-s", ...WALK))
    inv.output = hashes();
}

/** git-branch(1), git-tag(1), git-for-each-ref(1) where they list names alone. */
export function gitRefNames(inv: Invocation): void {
  const formats = valuesOf(inv, "--format").map(textOf);
  const named = formats.length === 1 && /^%\(refname(?::short|:strip=\d|:lstrip=\d)?\)$/.test(formats[0] ?? "");
  const listing = [
    "--format",
    "--list",
    "--all",
    "--remotes",
    "--sort",
    "--merged",
    "--no-merged",
    "--contains",
    "--no-contains",
    "--points-at",
  ];
  if (named ? only(inv, ...listing, "--count") : has(inv, "--show-current") && only(inv, "--show-current")) inv.output = references();
  else if (!named && inv.grammar.options.has("--annotate") && only(inv, "-l", "--list", "--sort", "--merged", "--contains", "--points-at"))
    inv.output = references();
}

/** git-describe(1): the name of a tag, with what `--dirty` is given behind it. */
export function gitDescribe(inv: Invocation): void {
  if (only(inv, "--tags", "--abbrev", "--always", "--exact-match", "--long", "--first-parent", "--match", "--exclude"))
    inv.output = references();
}

/** git-diff(1) --name-only: files that changed, told from the top of the repository. */
export function gitDiffNames(inv: Invocation): void {
  const choice = [
    "--cached",
    "--name-only",
    "--diff-filter",
    "-z",
    "--relative",
    "--merge-base",
    "--ignore-submodules",
    "--no-renames",
    "--find-renames",
  ];
  if (!has(inv, "--name-only") || !only(inv, ...choice)) return;
  // Of other commits there may be names that are no longer tracked, or gone; told from the top they are other files here.
  const here =
    inv.args.operands.length === 0 &&
    (has(inv, "--relative") || inv.places.every((place) => place.is === "at" && place.path === inv.cx.world.projectRoot));
  const now = here && !has(inv, "--cached");
  inv.output = printed({
    why: "a name that git prints",
    ...(now ? { filter: { tracked: true } } : {}),
    ...(here ? {} : { mayDash: true }),
  });
}

/** git-ls-tree(1): names in a commit, which may be gone from the folder, never tracked, or other files here (`HEAD:src`). */
export function gitTreeNames(inv: Invocation): void {
  if (only(inv, "-r", "-d", "-t", "-z", "--name-only", "--name-status", "--full-tree", "--full-name"))
    inv.output = printed({ why: "a name that git prints", mayDash: true });
}
