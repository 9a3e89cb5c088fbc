// git: names that it prints, files that a revision names, what it does to files and refs, and addresses of repositories.
import { baseName, isWithin, resolvePath } from "../../../path/index.ts";
import { repositoriesAround } from "../../../policy/index.ts";
import { applyEffect } from "../effects.ts";
import { describe, emitFile, emitTarget, refuse, type Invocation } from "../invocation.ts";
import type { Kind } from "../../knowledge/read-spec.ts";
import { isHole, literal, prefixOf, textOf, type Hole, type Stream, type Value } from "../../words/value.ts";
import { mayTellOption } from "../output.ts";
import { matchesOf, mayBegin } from "../../words/paths.ts";
import type { ShellPlace } from "../../words/state.ts";
import { has, valuesOf } from "../given.ts";
import {
  HASH_NAME,
  pathspec,
  patternOf,
  reachesStash,
  revisionPath,
  revisionsOf,
  shownFiles,
  shownRevisions,
  toldRevisions,
} from "./git-revisions.ts";
import { exists } from "./only-shows.ts";
import { gitInside } from "./git-worktree.ts";
import { remoteAddress } from "./git-remote.ts";
import { gitPatched } from "./patch.ts";

/** What git prints when it prints names, for the next command in a pipe or a substitution: as relative paths, which they may be taken for. */
const printed = (hole: Omit<Hole, "hole">): Stream => ({
  is: "paths",
  values: [{ atoms: [{ hole: true, below: true, ...hole }], many: false }],
});
const OBJECT = "an object name that git prints";
const hashes = (): Stream => printed({ why: OBJECT, filter: { hidden: false, only: [HASH_NAME] } });
/** gitrevisions(7): no part of a reference begins with a dot and none holds `..` (git-check-ref-format(1)); the first may begin with `-`. */
const REFERENCE = "a reference that git prints";
const references = (): Stream => printed({ why: REFERENCE, filter: { hidden: false }, mayDash: true });

/** True when no other options were given than these, and no operand may turn out to be one. */
const only = (inv: Invocation, ...names: readonly string[]): boolean =>
  inv.args.options.every(({ option }) => option?.names.some((name) => names.includes(name)) === true) &&
  !inv.args.operands.some((operand) => mayBegin(inv, operand, "-"));

/** git-merge-base(1) prints nothing but object names. */
export function gitMergeBase(inv: Invocation): void {
  if (!reachesStash(inv, true)) inv.output = hashes();
}

/** git-rev-parse(1): what it does not know it prints as it is. */
export function gitRevParse(inv: Invocation): void {
  toldRevisions(inv, false, inv.args.operands);
  // What is told of a stash is nobody's plain name of a commit: its history has what nobody tracks.
  if (reachesStash(inv, true)) return;
  const operands = inv.args.operands.map((operand) => textOf(operand));
  if (only(inv, "--verify", "--short", "-q", "--end-of-options")) {
    if (has(inv, "--verify") || operands.every((text) => /^(?:HEAD|@)(?:[~^]\d*)*$/.test(text ?? ""))) inv.output = hashes();
    else if (operands.every((text) => /^\w[\w-]*(?:\/\w[\w-]*)*(?:[~^]\d*)*$/.test(text ?? "")))
      inv.output = printed({ why: OBJECT, filter: { hidden: false } });
  } else if (only(inv, "--abbrev-ref") && operands.every((text) => /^(?:HEAD|@|@\{u(?:pstream)?\})$/.test(text ?? "")))
    inv.output = references();
  else if (only(inv, "--show-toplevel") && operands.length === 0 && atTopLevel(inv))
    inv.output = { is: "text", value: literal(`${inv.cx.world.projectRoot}\n`) };
}

/** True when the repository around every place is the project's own. */
function atTopLevel({ cx: { world }, places }: Invocation): boolean {
  return places.every((place) => {
    if (place.is !== "at" || world.canonical(place.path) !== place.path) return false;
    const [nearest] = repositoriesAround(place.path, world);
    return nearest?.foreign === undefined && nearest?.top === world.projectRoot;
  });
}

/** Which commits are walked, not what is printed of them. */
const WALK = (
  "-n --max-count --skip --since --after --until --before --author --committer --grep --all-match --invert-grep -i " +
  "--regexp-ignore-case --merges --no-merges --first-parent --reverse --all --branches --tags --remotes --topo-order " +
  "--date-order --follow --no-walk -1 --max-parents --min-parents --ancestry-path --full-history --diff-filter"
).split(" ");

export function gitRevList(inv: Invocation): void {
  if (has(inv, "--count") && only(inv, "--count", ...WALK)) inv.output = { is: "unknown", why: "a number", network: false, number: true };
  else if (only(inv, ...WALK) && !reachesStash(inv, true)) inv.output = hashes();
  shownRevisions(inv, true, revisionsOf(inv));
}

/** git-log(1) and git-show(1) with a format that is an object name and nothing else. */
function gitLogNames(inv: Invocation): void {
  const formats = valuesOf(inv, "--format", "--pretty").map(textOf);
  // The last one counts.
  const last = inv.args.options.findLast(({ option }) => option?.names.some((name) => /^--(?:format|pretty|oneline)$/.test(name)) === true);
  const beside = ["--format", "--pretty", "--oneline", "--abbrev-commit", "-s", ...WALK];
  const isName = last?.value !== undefined && formats.length === 1 && /^(?:t?format:)?%[hHtT]$/.test(formats[0] ?? "");
  if (isName && only(inv, ...beside) && !reachesStash(inv, true)) inv.output = hashes();
}

/** git-branch(1), git-tag(1), git-for-each-ref(1) where they list names alone. */
export function gitRefNames(inv: Invocation): void {
  const formats = valuesOf(inv, "--format").map(textOf);
  const named = formats.length === 1 && /^%\(refname(?::short|:strip=\d|:lstrip=\d)?\)$/.test(formats[0] ?? "");
  const listing = "--format --list --all --remotes --sort --merged --no-merged --contains --no-contains --points-at".split(" ");
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
function gitDiffNames(inv: Invocation): void {
  const choice = "--cached --name-only --diff-filter -z --relative --merge-base --ignore-submodules --no-renames --find-renames".split(" ");
  if (!has(inv, "--name-only") || !only(inv, ...choice)) return;
  // Of other commits there may be names that are no longer tracked, or gone; told from the top they are other files here.
  const here =
    inv.args.operands.length === 0 &&
    (has(inv, "--relative") || inv.places.every((place) => place.is === "at" && place.path === inv.cx.world.projectRoot));
  const now = here && !has(inv, "--cached");
  const gone = !here || /D/.test(valuesOf(inv, "--diff-filter").map(prefixOf).join(""));
  inv.output = printed({
    why: "a name that git prints",
    ...(now ? { filter: { tracked: true } } : {}),
    mayDash: gone || mayTellOption(inv),
  });
}

/**
 * git-diff(1), `--no-index`: two paths, one of them outside of the repository, or no repository there that git may use (whose it is, its
 * format, where it lies): folders are compared with all that lies in them, a folder and a file as the file of that name.
 */
export function gitDiff(inv: Invocation): void {
  gitRevisions(inv);
  // Whatever it prints of them, it takes any two files for what is compared.
  if (has(inv, "--no-index")) for (const operand of inv.args.operands) emitFile(inv, "read", operand, true);
  for (const place of has(inv, "--no-index") ? [] : inv.places) {
    const at = { ...inv, places: [place] };
    const compared = inv.args.operands.map((operand) => pathsAt(inv, place, operand));
    const paths = compared.flatMap((all) => all ?? []);
    if (compared.includes(undefined)) for (const operand of inv.args.operands) emitFile(at, "read", operand, true);
    else if (paths.length === 2 && comparesAnyFiles(inv, place, paths)) for (const path of paths) emitFile(at, "read", literal(path), true);
    else if (paths.length === 2) {
      const folders = paths.filter((path) => isFolder(at, path) || (!exists(at, literal(path)) && /^(?:\.{0,2}\/|\.\.?$|-$)/.test(path)));
      const [file] = paths.filter((path) => !folders.includes(path));
      if (file === undefined) for (const folder of folders) emitFile(at, "read", literal(folder), true);
      else for (const folder of exists(at, literal(file)) ? folders : []) emitFile(at, "read", literal(`${folder}/${baseName(file)}`));
    }
  }
}

/** Names alone, as with `--no-index`: a path outside of the repository, or none there. */
function comparesAnyFiles({ args, cx: { world } }: Invocation, place: ShellPlace, paths: readonly string[]): boolean {
  const isList = (to: Kind): boolean => to.is === "file" && to.operation === "list";
  if (!args.options.some(({ option }) => option?.consequences.some((one) => one.then === "become" && isList(one.to)) === true))
    return false;
  const isOutside = (path: string): boolean => place.is !== "at" || !isWithin(resolvePath(place.path, path), world.projectRoot);
  return world.kind(`${world.projectRoot}/.git`) === "missing" || paths.some(isOutside);
}

/** Paths that a word of git diff may mean; undefined where that is not known. */
function pathsAt({ cx }: Invocation, place: ShellPlace, operand: Value): readonly string[] | undefined {
  const isRevision = operand.atoms.some((atom) => isHole(atom) && (atom.why === OBJECT || atom.why === REFERENCE));
  const text = isRevision ? "HEAD" : textOf(operand);
  return place.is !== "at" ? undefined : text === undefined ? matchesOf(cx.world, place, operand) : [text];
}

/** git-ls-tree(1): names in a commit, which may be gone from the folder, never tracked, or other files here (`HEAD:src`). */
export function gitTreeNames(inv: Invocation): void {
  const [tree, ...paths] = inv.args.operands;
  if (tree !== undefined) toldRevisions(inv, false, [tree]);
  if (!has(inv, "--name-only", "--name-status")) for (const path of paths) emitFile(inv, "read", path);
  if (only(inv, "-r", "-d", "-t", "-z", "--name-only", "--name-status", "--full-tree", "--full-name"))
    inv.output = printed({ why: "a name that git prints", mayDash: true });
}

/**
 * gitrevisions(7): `REV:PATH` and `:N:PATH` name a file of a commit or the index; `:(magic)PATH`, `:/PATH` are pathspecs.
 * What such a file holds is what the file of that name holds, so it counts as read.
 */
export function gitRevisions(inv: Invocation, walks = false): void {
  const pattern = patternOf(inv);
  for (const operand of inv.args.operands) {
    if (operand === pattern) continue;
    revisionPath(inv, operand);
    // Wildcards in quotes are git's own to expand.
    const text = textOf(operand);
    // gitglossary(7), "pathspec": `:!x` is everything else, and `:/` begins at the top.
    if (prefixOf(operand).startsWith(":") && has(inv, "--no-index", "--untracked"))
      for (const root of [".", inv.cx.world.projectRoot]) emitFile(inv, "read", literal(root), true);
    if (
      text !== undefined &&
      /[*?[\\]/.test(text) &&
      !text.replace(/\[:\w*:\]/g, "").includes(":") &&
      inv.grammar.slots?.some(({ kind }) => kind.is === "file") === true
    ) {
      emitFile(inv, "read", pathspec(text));
      // git-grep(1): what nobody tracks is searched, too, and git's wildcards match slashes.
      if (has(inv, "--no-index", "--untracked"))
        for (const place of inv.places) if (place.is === "at") walkIn(inv, true, endingIn(text), place.path);
    }
  }
  // git-log(1): -L START,END:FILE and -L :FUNCTION:FILE.
  for (const range of valuesOf(inv, "-L")) {
    const file = behindLastColon(range);
    if (file !== undefined) emitFile(inv, "read", file);
  }
  shownRevisions(
    inv,
    walks,
    revisionsOf(inv).filter((operand) => operand !== pattern),
  );
  gitLogNames(inv);
  gitDiffNames(inv);
}

function behindLastColon(value: Value): Value | undefined {
  const reversed = value.atoms.findLastIndex((atom) => typeof atom === "string" && atom.includes(":"));
  const atom = value.atoms[reversed];
  if (typeof atom !== "string") return undefined;
  const rest = atom.slice(atom.lastIndexOf(":") + 1);
  return { atoms: [...(rest === "" ? [] : [rest]), ...value.atoms.slice(reversed + 1)], many: value.many };
}

/** git-branch(1), git-tag(1), git-replace(1): with one of these, operands are patterns or tags to look at. */
const LISTING = ["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--show-current", "--verify"];
/** Measured with git 2.39: `git branch --list --no-list x` makes the branch. */
const NOT_LISTING = ["--no-list", "--no-show-current", "--no-points-at"];

/** An operand makes or moves a ref, unless the command only lists. */
export function gitRefs(inv: Invocation): void {
  const { operands } = inv.args;
  gitRefNames(inv);
  // `symbolic-ref NAME` reads, `symbolic-ref NAME REF` sets: its table wants one operand.
  const reads = inv.grammar.slots?.[0]?.count === "one" ? 1 : 0;
  const many = operands.some((operand) => operand.many) || operands.length > reads;
  // `tag -n` lists; `branch -a` and `-r` refuse an operand.
  const lists = has(inv, ...LISTING) || (has(inv, "-n") && inv.grammar.options.has("--annotate")) || has(inv, "--remotes", "--all");
  if (many && !(lists && !has(inv, ...NOT_LISTING))) applyEffect(inv, { is: "file", operation: "write", path: "$git", tree: false });
}

/** git-checkout(1): switches branches, or takes files from a commit or the index and loses what was changed in them. */
export function gitCheckout(inv: Invocation): void {
  const dashes = inv.words.findIndex((word) => textOf(word) === "--");
  const after = dashes < 0 ? [] : inv.words.slice(dashes + 1);
  const before = inv.args.operands.slice(0, inv.args.operands.length - after.length);
  if (after.length > 0) {
    discard(inv, after);
    return;
  }
  // A branch is made: the operand is where it starts.
  if (dashes >= 0 || has(inv, "-b", "-B", "--orphan", "--detach", "--track")) return;
  const [first, ...rest] = before;
  if (first === undefined) {
    if (has(inv, "--pathspec-from-file")) inv.cx.addDanger(inv.exec, "history-rewrite");
    return;
  }
  if (rest.length > 0) discard(inv, isPath(inv, first) ? before : rest);
  else if (isPath(inv, first) || has(inv, "--ours", "--theirs")) discard(inv, [first]);
  else if (textOf(first) === undefined)
    refuse(inv, `${describe(first)} may name files whose changes would be lost`, "write the branch out, or put -- behind it");
}

/** git-restore(1): harmless to the files when only the index is restored. */
export function gitRestore(inv: Invocation): void {
  const staged = has(inv, "--staged") && !has(inv, "--no-staged");
  if (staged && !has(inv, "--worktree")) return;
  discard(inv, inv.args.operands);
}

/** A pathspec rather than a branch: `.`, a pattern, `:(magic)`, or a name that exists. */
function isPath(inv: Invocation, value: Value): boolean {
  const text = textOf(value);
  if (text === undefined) return false;
  if (/^\.{1,2}(\/|$)|^\/|[*?[\\]|^:|\/$/.test(text)) return true;
  return inv.places.some((place) => place.is !== "at" || inv.cx.world.kind(resolvePath(place.path, text)) !== "missing");
}

/** git-stash(1): what is stashed goes back to what the last commit says. */
export function gitStashed(inv: Invocation): void {
  replaced(inv, inv.args.operands);
  if (has(inv, "--include-untracked", "--all")) walkIn(inv, has(inv, "--all"));
}

function discard(inv: Invocation, paths: readonly Value[]): void {
  inv.cx.addDanger(inv.exec, "history-rewrite");
  replaced(inv, paths);
}

function replaced(inv: Invocation, paths: readonly Value[]): void {
  for (const path of paths) {
    const text = textOf(path);
    if (text === undefined) emitFile(inv, "write", path);
    else if (!/^:|[*?[\\]/.test(text)) named(inv, text);
    // Patterns are matched by git: what they surely mean is the folder they begin with.
    else named(inv, text.replace(/^:(?:\([^)]*\)|[/^!]*:?)/, "").replace(/(?:^|\/)[^/]*[*?[\\].*$/, ""));
  }
  gitInside(inv);
}

/** A folder that holds the repository is all of it: the danger says so. */
function named(inv: Invocation, text: string): void {
  if (text !== "" && !holdsProject(inv, text)) emitFile(inv, "write", literal(text), isFolder(inv, text));
}

const isFolder = (inv: Invocation, text: string): boolean =>
  inv.places.some((place) => place.is === "at" && inv.cx.world.kind(resolvePath(place.path, text)) === "directory");

const holdsProject = (inv: Invocation, text: string): boolean =>
  inv.places.some((place) => {
    if (place.is !== "at") return false;
    const path = resolvePath(place.path, text);
    return path === "/" || `${inv.cx.world.projectRoot}/`.startsWith(`${path}/`);
  });

/** git-request-pull(1): START URL [END]. */
export function gitRequestPull(inv: Invocation): void {
  remoteAddress(inv, inv.args.operands[1]);
  if (has(inv, "-p")) shownFiles(inv, true, [...inv.args.operands.filter((_, at) => at !== 1), literal("HEAD")]);
}

/** What makes git-add(1) and git-apply(1) only tell what they would do, and what takes that back. */
const DRY_RUN = ["--dry-run", "--check", "--stat", "--numstat", "--summary"];
const NOT_DRY =
  "--no-dry-run --refresh --interactive --patch --edit --apply --no-check --no-stat --no-numstat --no-summary --build-fake-ancestor --3way --reject".split(
    " ",
  );

/** They write the repository, unless they only tell. */
function gitDryRun(inv: Invocation): void {
  if (has(inv, ...DRY_RUN) && !has(inv, ...NOT_DRY)) {
    // Which files have changed is found out by reading them.
    if (has(inv, "--all", "--update")) emitFile(inv, "list", literal(inv.cx.world.projectRoot), true);
    return;
  }
  applyEffect(inv, { is: "file", operation: "write", path: "$git", tree: false });
}

/** git-format-patch(1): a file for each commit in the working directory, unless all of them are printed. */
export function gitFormatPatch(inv: Invocation): void {
  toldRevisions(inv, true, inv.args.operands);
  shownFiles(inv, true, inv.args.operands);
  if (!has(inv, "--stdout") || has(inv, "--no-stdout")) applyEffect(inv, { is: "file", operation: "write", path: ".", tree: false });
}

/**
 * git-add(1), git-update-index(1), git-stash(1): what is taken into the repository can be read there by whoever may read it
 * (`git show :NAME`), so it counts as read: by name, or as what a walk finds that git neither tracks nor ignores.
 */
export function gitAdd(inv: Invocation): void {
  gitDryRun(inv);
  if (has(inv, ...DRY_RUN) && !has(inv, ...NOT_DRY)) return;
  const { operands } = inv.args;
  for (const operand of operands) takeIn(inv, operand);
  // With a path, --all is about what lies below it; --update takes in nothing new.
  if ((operands.length === 0 && has(inv, "--all") && !has(inv, "--update")) || has(inv, "--pathspec-from-file"))
    walkIn(inv, has(inv, "--force"));
}

export function gitUpdateIndex(inv: Invocation): void {
  if (!has(inv, "--add") || has(inv, "--info-only")) return;
  for (const operand of inv.args.operands) emitFile(inv, "read", operand);
  if (has(inv, "--stdin")) walkIn(inv, true);
}

function takeIn(inv: Invocation, operand: Value): void {
  const text = textOf(operand);
  const wild = text !== undefined && /[*?[\\]/.test(text);
  const force = has(inv, "--force");
  if (wild)
    // git's own wildcards match slashes, too.
    walkIn(inv, force, endingIn(text));
  else if (text?.startsWith(":") === true) {
    revisionPath(inv, operand);
    walkIn(inv, force);
  } else if (text === undefined || !isFolder(inv, text)) emitFile(inv, "read", operand);
  else for (const place of inv.places) if (place.is === "at") walkIn(inv, force, undefined, resolvePath(place.path, text));
}

/** `*.ts` of itself: all that is meant has names that end so. */
const endingIn = (pattern: string): string | undefined => /^\*[^*?[\\/]+$/.exec(pattern)?.[0];

function walkIn(inv: Invocation, ignored = false, only?: string, folder = inv.cx.world.projectRoot): void {
  const filter = { ...(ignored ? {} : { untracked: true as const }), ...(only === undefined ? {} : { only: [only] }) };
  emitTarget(inv, "read", { kind: "tree", path: folder, filter });
}

/** git-apply(1): as above, and it writes what the patch names. */
export function gitApply(inv: Invocation): void {
  gitDryRun(inv);
  if (!has(inv, ...DRY_RUN) || has(inv, ...NOT_DRY)) gitPatched(inv);
}
