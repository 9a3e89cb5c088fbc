// git: what revisions name, whether a word, an option or the input says them.
import { emitFile, emitTarget, type Invocation } from "../invocation.ts";
import type { Kind } from "../../knowledge/read-spec.ts";
import { concat, holeOf, literal, patternAtoms, prefixOf, textOf, type Value } from "../../words/value.ts";
import { baseName, isWithin, parentOf, resolvePath } from "../../../path/index.ts";
import { exists } from "./only-shows.ts";
import type { Action, GitShown } from "../../../action/index.ts";
import type { Context } from "../../words/context.ts";
import { drops, has, valuesOf } from "../given.ts";

/** Names of objects: at least four hexadecimal digits, which no file with a secret is called. */
export const HASH_NAME = "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]*";

export const isHash = (value: Value): boolean => holeOf(value)?.filter?.only?.[0] === HASH_NAME;

/** Emits the read of the file that a revision names, if it names one. */
export function revisionPath(inv: Invocation, value: Value): void {
  const text = textOf(value);
  if (text?.startsWith(":") === true) {
    const magic = /^:\(([^)]*)\)(.*)$/s.exec(text);
    const [, words = "", rest = ""] = magic ?? [];
    if (magic !== null) {
      if (!/\b(exclude|attr)\b/.test(words)) emitFile(inv, "read", words.includes("top") ? fromTop(inv, pathspec(rest)) : pathspec(rest));
      return;
    }
    if (/^:[!^]/.test(text)) return;
    emitFile(inv, "read", fromTop(inv, pathspec(text.replace(/^:(\/|[0-3]:)?/, ""))));
    return;
  }
  const file = behindFirstColon(value);
  if (file === undefined) return;
  // `REV:./x` means the working directory, anything else the top of the repository.
  emitFile(inv, "read", /^\.{1,2}\//.test(prefixOf(file)) ? file : fromTop(inv, file));
}

const fromTop = (inv: Invocation, path: Value): Value => concat(literal(`${inv.cx.world.projectRoot}/`), path);

/** A pathspec as the pattern it is; what a backslash quotes (gitglossary(7)) is read more widely. */
export const pathspec = (text: string): Value => ({ atoms: patternAtoms(text.replace(/\\(.)/gs, "$1")), many: false });

function behindFirstColon(value: Value): Value | undefined {
  const at = value.atoms.findIndex((atom) => typeof atom === "string" && atom.includes(":"));
  const atom = value.atoms[at];
  if (typeof atom !== "string" || (at === 0 && /^[a-z+]+:\/\//.test(atom))) return undefined;
  const rest = atom.slice(colonOf(atom) + 1);
  return { atoms: [...(rest === "" ? [] : [rest]), ...value.atoms.slice(at + 1)], many: value.many && value.atoms.length > at + 1 };
}

/** As in git's object-name.c: in braces stand times and texts (`HEAD@{10:00}:x`). */
function colonOf(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && depth > 0) depth--;
    else if (text[at] === ":" && depth === 0) return at;
  }
  return text.indexOf(":");
}

/** git-stash(1), `show`: it takes no paths, and its operand is a stash behind `--`, too. */
const isStash = ({ grammar }: Pick<Invocation, "grammar">): boolean => grammar.options.has("--only-untracked");

/** git-fast-export(1): its own reader of options takes the first `--` away. */
const takesDashes = (grammar: Invocation["grammar"]): boolean => isStash({ grammar }) || grammar.options.has("--fake-missing-tagger");

/** Operands in front of `--`, where no path stands. */
export function revisionsOf(inv: Invocation): readonly Value[] {
  const { args, words, grammar } = inv;
  if (takesDashes(grammar)) return args.operands;
  // git's builtin/grep.c: one that stands before the pattern separates nothing.
  const pattern = patternOf(inv);
  const before = pattern === undefined ? -1 : words.indexOf(pattern);
  const isValue = (word: Value): boolean => args.options.some(({ value, second }) => value === word || second === word);
  const dashes = words.findIndex((word, at) => at > before && textOf(word) === "--" && !isValue(word));
  const paths = new Set(dashes < 0 ? [] : words.slice(dashes));
  return args.operands.filter((word) => !paths.has(word));
}

/** git-grep(1): the first word that is no option, even behind `--`. */
export const patternOf = (inv: Invocation): Value | undefined =>
  inv.grammar.slots?.[0]?.name === "pattern" && !drops(inv, "pattern") ? inv.args.operands[0] : undefined;

/** True where it prints what files hold, not only their names: always, or by an option (`-p`). git-cat-file(1) prints what it is told. */
const showsContent = ({ grammar, args, words }: Invocation, without?: RegExp): boolean =>
  grammar.options.has("--batch") ||
  (grammar.slots?.some(({ kind }) => isRead(kind)) === true && !onlyCounts({ grammar, args, words })) ||
  args.options.some(
    ({ option }) =>
      option?.consequences.some((one) => one.then === "become" && isRead(one.to)) === true &&
      !option.names.some((name) => without?.test(name) === true),
  );

/** git-stash(1), `show`: it counts where no option of git-diff(1) that shows more and no `--` is given. */
const onlyCounts = ({ grammar, args, words }: Pick<Invocation, "grammar" | "args" | "words">): boolean =>
  isStash({ grammar }) &&
  args.options.every(
    ({ option }) => option?.names.some((name) => name.endsWith("-untracked") || (COUNTS.test(name) && !TELLS.test(name))) === true,
  ) &&
  !words.some((word) => textOf(word) === "--");

/** With these it tells where something is, or what the object is called. */
const TELLS = /^(?:-[SG]|--objects.*|--raw)$/;

const isRead = (kind: Kind): boolean => kind.is === "file" && kind.operation === "read";

/** A stash, and how its third parent is reached from a commit: by number, as one of all parents, by its message. */
const STASH = /(?:^|\.\.|\^|refs\/)stash(?:$|@\{|[\^~:]|\.\.)/;
const FAR = /\^(?:\d*[3-9]|\d*[1-9]\d|[@!-]|\{\/)/;

/**
 * git-stash(1): files that nobody tracks are kept as the third parent of a stash, under names that nothing in the line has to say.
 * `walks`: with a commit all of its history is meant.
 */
export function reachesStash(inv: Invocation, walks: boolean, revisions: readonly Value[] = revisionsOf(inv), tells = false): boolean {
  // What is only known at run time may be a name of an object.
  const texts = revisions.map(({ atoms }) => atoms.map((atom) => (typeof atom === "string" ? atom : "0")).join(""));
  const named = texts.filter((text) => STASH.test(text));
  // gitrevisions(7): beside what is left out, all that the others reach is meant. A number has git-show(1) walk, too.
  const isNumber = has(inv, "--max-count") || inv.words.some((word) => /^-\d+$/.test(prefixOf(word)));
  const isRange = isNumber || has(inv, "--not", "--do-walk") || texts.some((text) => /^\^|\.\./.test(text));
  if (named.some((text) => walks || isRange || FAR.test(text)) || has(inv, "--include-untracked", "--only-untracked")) return true;
  if (named.length > 0 && has(inv, "-m", "--diff-merges")) return true;
  const byOther = (text: string): boolean => /^:\/|^[0-9a-f]+\^/.test(text) && (text.startsWith(":") || FAR.test(text));
  return !tells && (has(inv, "--all", "--reflog", "--glob") || texts.some(byOther)) && mayHoldStash(inv);
}

function mayHoldStash({ cx: { world } }: Invocation): boolean {
  const git = `${world.projectRoot}/.git`;
  return (
    world.kind(git) === "file" || ["refs/stash", "logs/refs/stash", "reftable"].some((name) => world.kind(`${git}/${name}`) !== "missing")
  );
}

const UNTRACKED = "a stash may hold files that nobody tracks";

/** Files that only git's own store has are read. */
const readStore = (inv: Invocation, why: string): void => emitTarget(inv, "read", { kind: "unknown", why });

/** Nothing but names and numbers, unless another option shows more (git-diff(1), "OPTIONS"). */
const COUNTS =
  /^(?:-[sqX]|--(?:(?:short|num|dir|compact-)?(?:stat|summary)|name-(?:only|status)|raw|no-patch|quiet|files-with(?:out)?-match(?:es)?|count))$/;

/** git-rev-list(1): each means commits beside those that words name. */
const MORE_REVISIONS = "--all --branches --tags --remotes --glob --reflog --alternate-refs --bisect --stdin --merge --walk-reflogs".split(
  " ",
);

/**
 * What it shows of files that no word names: all that is tracked, below the folders that are named, but for `:!PATH`. Written rules speak
 * about them, as they do where a program walks through the folder.
 */
export function shownFiles(inv: Invocation, walks: boolean, revisions: readonly Value[]): void {
  const { world } = inv.cx;
  const shows = (names: readonly string[]): boolean => names.some((name) => COUNTS.test(name));
  const isPatch = inv.args.options.some(
    ({ option }) => option?.consequences.some((one) => one.then === "become" && isRead(one.to)) === true,
  );
  if (has(inv, "--list") && inv.grammar.slots?.[0]?.name !== "pattern") return;
  if (onlyCounts(inv) || (isStatus(inv) && !isPatch)) return;
  if (!isPatch && inv.args.options.some(({ option }) => option !== undefined && shows(option.names))) return;
  // git-archive(1): one revision, then paths.
  const inFront = inv.grammar.slots?.[0]?.name === "tree" ? inv.args.operands.slice(0, 1) : revisionsOf(inv);
  // gitrevisions(7), ":/<text>": a commit by its message, where no file is meant.
  const isMessage = (word: Value): boolean => /^:\/./.test(prefixOf(word)) && !exists(inv, fromTop(inv, literal(prefixOf(word).slice(2))));
  const pattern = patternOf(inv);
  const isNamed = (word: Value): boolean =>
    word !== pattern && (!inFront.includes(word) || (revisions.includes(word) && isPath(inv, word) && !isMessage(word)));
  // git-log(1): a file is followed to where it had another name; lines of one by renames, and by copies of what changed beside it.
  const isOfLines = has(inv, "-L") && !isBlame(inv);
  const named = has(inv, "--follow") || isOfLines || isStash(inv) ? [] : inv.args.operands.filter(isNamed);
  const lines = has(inv, "--follow", "--find-copies-harder", "-C", "--find-copies") ? [] : valuesOf(inv, "-L").map(fileOfLines);
  const others = revisions.filter((word) => !named.includes(word));
  // git-diff(1): one folder of a commit is compared with the working tree.
  const inTrees =
    !has(inv, ...MORE_REVISIONS) &&
    others.length > (inv.grammar.options.has("--merge-base") ? 1 : 0) &&
    others.every((word) => behindFirstColon(word) !== undefined && !isMessage(word));
  const isSearch = inv.grammar.slots?.some(({ name }) => name === "pattern" || name === "tree") === true;
  const isCompared = isSearch || inv.grammar.options.has("--cached");
  if (named.length === 0 && inTrees && !isCompared) return;
  const shown = shownOf(inv, walks, others, named.length > 0);
  // A wildcard that matches nothing here is handed on, and git's own matches slashes.
  // What is left out counts where it is known.
  const specs = named
    .map((word) => ({ isKnown: textOf(word) !== undefined, ...readPathspec(textOf(word) ?? `${prefixOf(word)}*`) }))
    .filter(({ isKnown, isOut }) => isKnown || !isOut);
  const without = specs.filter(({ isLeftOut }) => isLeftOut);
  const folders = specs.filter(({ isOut }) => !isOut);
  for (const place of inv.places) {
    const here = place.is === "at" ? place.path : world.projectRoot;
    // In git's own folder there is no working tree: everything is meant.
    const isWhole = isWithin(here, world.projectRoot) && (!isSearch || /\/\.git(?:\/|$)/.test(here));
    const top = isWhole ? world.projectRoot : here;
    const placeOf = ({ isTop, path }: Pathspec): string => resolvePath(isTop ? world.projectRoot : here, path);
    const tops = inTrees ? others.map((word) => resolvePath(world.projectRoot, prefixOf(behindFirstColon(word) ?? literal("")))) : [top];
    for (const path of folders.length === 0 ? tops : folders.map((one) => placeOf({ ...one, path: one.folder }))) {
      const left = without.map(placeOf).filter((one) => one.startsWith(`${path}/`));
      const out = left.flatMap((one) => ["", "/*"].map((end) => ({ by: "path" as const, glob: one.slice(path.length) + end })));
      const origins = isOfLines ? originsOf(inv, lines, { ...shown, at: here }, path) : undefined;
      for (const one of origins ?? []) emitFile(inv, "read", literal(one));
      if (origins !== undefined) continue;
      const filter = { tracked: true as const, shown: { ...shown, at: here }, ...(out.length === 0 ? {} : { without: out }) };
      const target = { kind: "tree" as const, path: world.canonical(path), filter };
      inv.cx.add({ kind: "file", operation: "read", target, upkeep: true, origin: { by: "command", exec: inv.exec } });
      if (showsNow(inv, others)) readChangedSecrets(inv, target.path, (one) => !left.some((out) => isWithin(one, out)));
    }
  }
}

/** git-log(1), `-L<start>,<end>:<file>`: the file, where the range is one of numbers or a function's name. */
const fileOfLines = (value: Value): string | undefined => /^(?:\d+(?:,[+-]?\d+)?|:\w+):([^:]+)$/.exec(textOf(value) ?? "")?.[1];

/** What files may have been called before; undefined: not known. */
function originsOf(
  { cx: { world } }: Invocation,
  lines: readonly (string | undefined)[],
  shown: GitShown,
  top: string,
): readonly string[] | undefined {
  const files = lines.flatMap((file) => (file === undefined ? [] : [resolvePath(shown.at, file)]));
  if (files.length === 0 || files.length < lines.length) return undefined;
  const found = world.gitShows?.(world.canonical(top), { ...shown, origins: files });
  return found === undefined || found.length > MOST_ORIGINS ? undefined : found;
}

const MOST_ORIGINS = 100;

const isBlame = ({ grammar }: Invocation): boolean => grammar.options.has("--score-debug");

/** What a commit is, whatever else is said of it: how it is shown, and how many. */
const DISPLAY = new RegExp(
  String.raw`^-[puswbMUn\d]$|^--(?:patch|no-patch|stat|numstat|shortstat|name-only|name-status|oneline|format|pretty|date|color|` +
    "no-color|decorate|no-decorate|abbrev-commit|unified|find-renames|max-count|cc|stdout)$",
);
/** Options with which other references are meant than those that are named, or the input says which. */
const ANY_REVISION = (
  "--all --branches --tags --remotes --glob --reflog --walk-reflogs --stdin --bisect --merge --merge-base --alternate-refs " +
  "--indexed-objects --batch --batch-command --batch-all-objects"
).split(" ");

/** Which of what git keeps is shown: all that these revisions mean, or more. */
function shownOf(inv: Invocation, walks: boolean, revisions: readonly Value[], isByPath: boolean): Omit<GitShown, "at"> {
  const { grammar, args, words } = inv;
  // git-bundle(1): the file comes first.
  const texts = (grammar.options.has("--all-progress") ? revisions.filter((word) => textOf(word) !== "-") : revisions).map(textOf);
  const known = texts.flatMap((text) => text ?? []);
  const isPatches = grammar.options.has("--cover-letter");
  // git-reflog(1), git-stash(1), `list`: what is meant stands in a log of their own.
  const isLog = grammar.options.has("--walk-reflogs");
  const isMany = grammar.options.has("--no-commit-id");
  const isTrees = isStatus(inv) || grammar.options.has("--trivial-merge") || grammar.slots?.[0]?.name === "tree";
  const isOfIndex = !isTrees && grammar.options.has("--cached");
  if (isOfIndex && revisions.length === 0 && !has(inv, "--cached", "--merge-base") && !has(inv, "--stdin")) return { of: "index" };
  const isRange = words.some((word) => /^-\d+$/.test(prefixOf(word))) || known.some((text) => /^\^|\.\.|\^[@!-]/.test(text));
  const isHistory = walks || isPatches || isRange || has(inv, "--not", "--do-walk", "--max-count");
  const isSymmetric = known.some((text) => text.includes("..."));
  const of = (isTrees || isOfIndex) && !isSymmetric ? "trees" : isHistory || isSymmetric ? "history" : "commits";
  const isAny =
    known.length < texts.length ||
    has(inv, ...ANY_REVISION) ||
    (isLog && !walks && grammar.slots?.some(({ kind }) => isRead(kind)) !== true);
  if (isAny) return { of: "history" };
  const [only = isStash(inv) ? "stash" : "HEAD", ...others] = known;
  // git-format-patch(1): one revision is where it begins; git-diff-tree(1): one is compared with the one before it.
  const isStart = isPatches && known.length === 1 && !isRange && !has(inv, "--root");
  const isBefore = isMany && known.length === 1;
  const first = isStart ? `${only}..HEAD` : isStash(inv) && /^\d+$/.test(only) ? `stash@{${only}}` : only;
  const all = [first, ...(isBefore ? [`${only}^`] : []), ...others];
  const numbers = [
    ...valuesOf(inv, "-n", "--max-count").map(textOf),
    ...words.flatMap((word) => /^-(\d+)$/.exec(textOf(word) ?? "")?.[1] ?? []),
  ];
  const isCounted = numbers.length > 0 && numbers.every((text) => /^\d+$/.test(text ?? "")) && !isByPath;
  const isPlain = args.options.every(({ option }) => option?.names.some((name) => DISPLAY.test(name)) === true);
  return { of, revisions: all, ...(isCounted && isPlain ? { most: Math.max(...numbers.map(Number)) } : {}) };
}

const isStatus = ({ grammar }: Pick<Invocation, "grammar">): boolean => grammar.options.has("--show-stash");

interface Pathspec {
  readonly path: string;
  /** What it begins with, whatever its wildcards match. */
  readonly folder: string;
  readonly isTop: boolean;
  readonly isOut: boolean;
  /** All that is there is surely left out. */
  readonly isLeftOut: boolean;
}

/** gitglossary(7), "pathspec". */
function readPathspec(text: string): Pathspec {
  const [, long, short = "", rest = ""] = /^:(?:\(([^)]*)\)|([/!^]*):?)(.*)$/s.exec(text) ?? [undefined, undefined, "", text];
  const words = (long ?? "").split(",");
  const isOut = words.includes("exclude") || /[!^]/.test(short);
  const wild = rest.search(/[*?[\\]/);
  const folder = words.some((word) => /^(?:icase|prefix:.*)$/.test(word))
    ? ""
    : wild < 0
      ? rest
      : rest.slice(0, rest.slice(0, wild).lastIndexOf("/") + 1);
  return {
    path: rest,
    folder: folder === "" ? "." : folder,
    isTop: words.includes("top") || short.includes("/") || words.some((word) => word.startsWith("prefix:")),
    isOut,
    isLeftOut: isOut && words.every((word) => /^(?:exclude|top|)$/.test(word)),
  };
}

/** git-diff(1), git-grep(1): with two commits, or one to search in, nothing of the index or the working tree is shown. What is not known may be a path. */
const showsNow = ({ grammar }: Invocation, revisions: readonly Value[]): boolean =>
  (isStatus({ grammar }) || grammar.options.has("--cached")) &&
  revisions.every((word) => !/\.\./.test(prefixOf(word))) &&
  revisions.filter((word) => textOf(word) !== undefined).length < 2;

/** What no commit has yet is nobody's to see but that of whoever put it there. */
function readChangedSecrets(inv: Invocation, folder: string, isShown: (path: string) => boolean): void {
  for (const path of inv.cx.world.changedSecrets?.(folder) ?? []) {
    if (!isWithin(path, folder) || !isShown(path)) continue;
    const name = baseName(path);
    if (inv.cx.world.kind(path) === "file" && !/[*?[\\]/.test(name))
      emitTarget(inv, "read", { kind: "tree", path: parentOf(path), filter: { only: [name] } });
    else readStore(inv, `git keeps a changed ${name} that is not committed`);
  }
}

/** gitcli(7): where no `--` stands, a word that is a file here is one; a pathspec with magic is no revision. */
const isPath = (inv: Invocation, word: Value): boolean => /^:[!^(/]/.test(prefixOf(word)) || exists(inv, word);

/** What is shown beside the files that its words name. */
export function shownRevisions(inv: Invocation, walks: boolean, revisions: readonly Value[]): void {
  if (!showsContent(inv)) return;
  shownFiles(inv, walks, revisions);
  if (reachesStash(inv, walks, revisions, !showsContent(inv, TELLS))) readStore(inv, UNTRACKED);
  if (has(inv, "--stdin", "--batch", "--batch-command")) inputRevisions(inv, walks);
}

/** What is checked out under other names can be read there: all that a commit or the index has. */
export const copiedFiles = ({ cx, exec }: Invocation): void => copyHistory(cx, cx.world.projectRoot, { by: "command", exec });

function copyHistory(cx: Context, at: string, origin: Action["origin"]): void {
  const filter = { tracked: true as const, shown: { of: "history" as const, at } };
  const target = { kind: "tree" as const, path: cx.world.canonical(at), filter };
  cx.add({ kind: "file", operation: "read", target, upkeep: true, origin });
}

/** gitrepository-layout(5): who reads the store of objects, or gives it another name, has all of the history, whichever program it is. */
export function settleStores(cx: Context): void {
  for (const action of cx.actions) {
    if (action.kind !== "file" || action.upkeep === true || !/^(?:read|rename|link)$/.test(action.operation)) continue;
    const { target } = action;
    const named = target.kind === "unknown" ? target.within : target.kind === "glob" ? target.pattern : target.path;
    const path = cx.world.canonical(named ?? "/");
    const [, top, below] = /^(.*)\/\.git(?:\/(?:objects|lfs|modules)(\/.*)?)?$/.exec(path) ?? [];
    const isAll = action.operation !== "read" || action.recursive === true || target.kind !== "path";
    if (top !== undefined && (isAll || below !== undefined || path.endsWith("/objects"))) copyHistory(cx, top, action.origin);
  }
}

/** Whoever knows the name of an object can have it shown. */
export function toldRevisions(inv: Invocation, walks: boolean, revisions: readonly Value[]): void {
  for (const revision of revisions) revisionPath(inv, revision);
  if (reachesStash(inv, walks, revisions)) readStore(inv, UNTRACKED);
}

/** rev-list, `--stdin`; git-cat-file(1), `--batch`: a revision a line, with a command in front or words behind it. */
function inputRevisions(inv: Invocation, walks: boolean): void {
  const { stdin } = inv;
  const lines = stdin.is === "text" ? textOf(stdin.value)?.split(/\r?\n|\0/) : undefined;
  if (lines === undefined) {
    if (stdin.is !== "paths" || !stdin.values.every(isHash)) readStore(inv, "its input says what git shows");
    return;
  }
  const end = lines.includes("--") ? lines.indexOf("--") : lines.length;
  const words = lines.slice(0, end).map((line) => line.replace(/^(?:contents|info) /, ""));
  toldRevisions(inv, walks, [...new Set(words.flatMap((line) => [line, line.replace(/\s.*/s, "")]))].map(literal));
  for (const path of lines.slice(end + 1)) if (path !== "") emitFile(inv, "read", pathspec(path));
  // Newer ones take `--all`, `--glob` and the like there.
  if (words.some((line) => line.startsWith("--"))) readStore(inv, UNTRACKED);
}
