import { USUAL } from "#knowledge/traits";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { type ExecAction, visible, type World } from "@assent/core/action";
import { isWithin, joinPath, normalise, resolvePath } from "@assent/core/path";
import { gitDials, gitLists, gitLooks, gitWrites, type GitConfigEntry, repositoriesAround, type Repository } from "@assent/core/policy";
import { gitEntries, isForge, isGitsOwnKey, isInertGitKey } from "@assent/core/shell";

/** What git starts, reads elsewhere or dials because files of a repository, or the user's own configuration in it, say so. */

const LISTS = /^(?:-l|--list|--(?:no-)?(?:contains|merged)|--points-at)$/;
const OF_LISTS = /^(?:-[vqrain]|--(?:verbose|quiet|remotes|all|show-current|abbrev|sort|format|column|color|omit-empty|ignore-case))$/;

function isListing({ knowledge = "", shape }: ExecAction): boolean {
  if (!gitLists(knowledge) || shape?.complete !== true) return false;
  const lists = shape.options.some(({ names }) => names.some((name) => LISTS.test(name)));
  // `git -C FOLDER branch`; `branch -C` has no value.
  const own = shape.options.filter(({ names, value }) => !(names.includes("-C") && value !== undefined) && !names.includes("--no-pager"));
  const only = own.every(({ names }) => names.some((name) => LISTS.test(name) || OF_LISTS.test(name)));
  return only && (lists || shape.operands.length === 1);
}

/**
 * diff-options of git: a git of its own works in each repository that a commit names, also where the index has none.
 * `-c diff.submodule=…` is the same.
 */
const SUBMODULE_DIFF = /^--sub\w*=(?!(?:log|short)$)|^diff\.submodule=(?!(?:log|short)$)/i;

/** What git starts because this repository, or the user's own configuration in it, says so. */
export function gitControlled(exec: ExecAction, world: World): string | undefined {
  if (gitWrites(`git ${subcommandOf(exec)}`) && !gitLooks(exec.knowledge ?? "")) return "nobody sees which files it writes";
  for (const folder of exec.folders ?? [world.cwd]) {
    for (const repository of repositoriesAround(world.canonical(folder), world)) {
      const why = controlledBy(repository, exec, world);
      if (why !== undefined) return why;
    }
  }
  if (exec.argv.some((word) => word.known && SUBMODULE_DIFF.test(word.text)))
    return "git also uses the configuration of the repositories inside this one";
  return exec.folders?.length === 0 ? "it is only known at run time in which repository it works" : undefined;
}

/**
 * It only looks, and nothing of the repositories it may work in, or of the user's own, says what git starts. INVARIANT: they lie where
 * nobody writes unasked, or what was looked at could be another when git starts.
 */
export function looksAtPlain(exec: ExecAction, world: World): boolean {
  const own = [world.projectRoot, ...world.temp, "/tmp", "/var/tmp"].map((folder) => world.canonical(folder));
  const isElsewhere = (folder: string): boolean => !own.some((place) => isWithin(world.canonical(folder), place));
  const { folders = [] } = exec;
  return (
    exec.trusted &&
    exec.pointed === undefined &&
    folders.length > 0 &&
    folders.every(isElsewhere) &&
    (gitLooks(exec.knowledge ?? "") || isListing(exec)) &&
    gitControlled(exec, world) === undefined
  );
}

function controlledBy({ top, gitdir, common, foreign }: Repository, { knowledge = "" }: ExecAction, world: World): string | undefined {
  const hidden = foreign ?? quotedByGit(gitdir, world) ?? quotedByGit(common, world) ?? nestedIn(gitdir);
  if (hidden !== undefined) return hidden;
  const all: GitConfigEntry[] = [];
  for (const file of [joinPath(common, "config"), joinPath(gitdir, "config.worktree")]) {
    if (world.kind(file) === "missing") continue;
    if (world.text?.(file) === undefined) return "it is not known what the repository's configuration says";
    const entries = gitEntries(world, file, () => false);
    // Who was led there has been named back: `core.worktree` leads to this very folder.
    const entry = entries.find((each) => !isPlain(each) && !(each[0] === "core.worktree" && gitdir !== joinPath(top, ".git")));
    if (entry !== undefined) return `the repository's configuration may name what git runs (${visible(entry[0])})`;
    all.push(...entries);
  }
  const remote = remoteElsewhere(all, gitDials(knowledge), world);
  if (remote !== undefined) return `an agent may have named the remote that it speaks to (${visible(remote[0])})`;
  // gitrepository-layout(5), "remotes", "branches": remotes as they were kept once.
  if (gitDials(knowledge) && ["remotes", "branches"].some((name) => (world.names(joinPath(common, name)) ?? []).length > 0))
    return "it is not known which remotes the repository has";
  const hook = hookIn(joinPath(common, "hooks"), gitLooks(knowledge), world);
  if (hook !== undefined) return `git runs the repository's hook ${visible(hook)}`;
  return controlledByUser(gitLooks(knowledge), world);
}

/** Texts that git quotes in its messages, line by line, when they are not what it expects ("bad shallow line: …"). */
const QUOTED = "shallow packed-refs commondir info/grafts info/exclude info/attributes info/sparse-checkout objects/info/alternates".split(
  " ",
);

/** One of them is a link, or no plain file: what git would show is another file. */
function quotedByGit(folder: string, world: World): string | undefined {
  const real = world.canonical(folder);
  const name = QUOTED.find(
    (each) => world.canonical(joinPath(real, each)) !== joinPath(real, each) || world.kind(joinPath(real, each)) === "other",
  );
  return name === undefined ? undefined : `git may show what ${visible(name)} leads to`;
}

/** gitformat-index(5): the mode of an entry that is another repository, whose own configuration git obeys as well. */
const GITLINK = Buffer.from([0, 0, 0xe0, 0]);
const MOST_INDEX = 64 << 20;

/** The index holds other repositories. A file of 56 KiB has the same bytes in it: then the sandbox is there for nothing. */
function nestedIn(own: string): string | undefined {
  try {
    const shared = readdirSync(own).filter((name) => name.startsWith("sharedindex."));
    for (const name of ["index", ...shared]) {
      const file = joinPath(own, name);
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats === undefined) continue;
      if (!stats.isFile() || stats.size > MOST_INDEX) return "it is not known whether this repository contains others";
      if (readFileSync(file).includes(GITLINK)) return "git also uses the configuration of the repositories inside this one";
    }
    return undefined;
  } catch {
    return "it is not known whether this repository contains others";
  }
}

/**
 * A remote at a host that is no forge: whoever serves it learns what its address says and which objects are asked for. Any command
 * may speak to one that objects are promised by (git help partial-clone).
 */
function remoteElsewhere(entries: readonly GitConfigEntry[], dials: boolean, world: World): GitConfigEntry | undefined {
  const promised = entries.some(([key]) => key === "extensions.partialclone" || key.endsWith(".promisor"));
  if (!dials && !promised) return undefined;
  return entries.find(([key, value]) => REMOTE.test(key) && (!isForgeOrLocal(value) || liesHere(key, value, world)));
}

/** A remote that is a folder an agent can write: git starts a git there, which obeys what lies in it. */
function liesHere(key: string, value: string, world: World): boolean {
  if (/^(?!file:)[a-z][a-z\d+.-]*:\/\/|^[^/]*:(?!\/\/)/i.test(value)) return false;
  const path = value.replace(/^file:\/\//i, "");
  // A branch may name a remote in the place of an address, and `.` is this repository.
  if (!path.startsWith("/")) return key.endsWith("url") || (path !== "." && path.includes("/"));
  const real = world.canonical(normalise(path));
  return [world.projectRoot, ...world.temp].some((own) => isWithin(real, world.canonical(own)));
}

/** Where a remote is named by its address (git-config(1): `branch.<name>.remote`). */
const REMOTE = /^(?:remote\..+\.(?:push)?url|remote\.pushdefault|branch\..+\.(?:push)?remote|submodule\..+\.url)$/;

/** git-clone(1), "Git URLs". The name of a remote is local as well; an authority that could be read in two ways is nobody's. */
function isForgeOrLocal(address: string): boolean {
  const authority = /^[a-z][a-z\d+.-]*:\/\/([^/]*)/i.exec(address)?.[1] ?? /^([^/:]*):/.exec(address)?.[1];
  if (authority === undefined || (authority === "" && address.startsWith("file://"))) return true;
  return isForge(/^(?:[\w.~-]+(?::[\w.~-]*)?@)?([\w.-]+)(?::\d+)?$/.exec(authority)?.[1] ?? "");
}

/** Programs that everybody uses to page and edit, with options and no paths. */
const USUAL_WORDS = /^(\S+)(?: -{1,2}[\w-]+(?:=\w+)?)*$/;
/** What `git lfs install --local` writes. */
const LFS = /^(?:git-lfs (?:clean|smudge) -- %f|git-lfs (?:smudge --skip -- %f|filter-process(?: --skip)?)|true|false)$/;

/** The key can make git start nothing that lies in the project. */
function isPlain(entry: readonly [key: string, value: string]): boolean {
  const [key, value] = entry;
  // `diff` starts a git in each repository inside this one that a commit names.
  if (key === "diff.submodule") return /^(?:log|short)$/.test(value);
  if (isGitsOwnKey(entry) || isInertGitKey(key)) return true;
  if (key === "core.pager" || key === "core.editor" || key.startsWith("pager."))
    return USUAL.has(USUAL_WORDS.exec(value)?.[1] ?? "") || /^(?:true|false|)$/.test(value);
  if (/^filter\.lfs\.(?:clean|smudge|process|required)$/.test(key)) return LFS.test(value);
  // An alias replaces no command of git's own (git-config(1), alias.*), and others are not known.
  return key.startsWith("alias.") || /^(?:core\.(?:excludesfile|attributesfile|fsync)|gui\..+|credential\.username)$/.test(key);
}

function hookIn(folder: string, looks: boolean, world: World): string | undefined {
  if (world.kind(folder) === "missing") return undefined;
  const names = world.names(folder);
  if (names === undefined) return "hooks that cannot be listed";
  return names.find((name) => !name.endsWith(".sample") && !name.endsWith("~") && (!looks || name === "post-index-change"));
}

/** A path that is not absolute, as a word of its own or behind a `!`. */
const RELATIVE = /(?:^|[\s"'!=;|&(])(?:\.{1,2}\/|[\w.-]+\/)/;
const STARTS = new RegExp(
  String.raw`^(?:core\.(?:hookspath|pager|editor|sshcommand|askpass|fsmonitor|gitproxy)|sequence\.editor|pager\..+|` +
    String.raw`(?:diff|merge)\..+\.(?:textconv|command|driver)|diff\.external|filter\..+\.(?:clean|smudge|process)|` +
    String.raw`gpg\.(?:.+\.)?program|credential\.(?:.+\.)?helper|interactive\.difffilter|init\.templatedir)$`,
);

/** The user's own configuration and the machine's, which may name programs by where they lie in each project (`core.hooksPath .githooks`). */
function controlledByUser(looks: boolean, world: World): string | undefined {
  const entries = gitEntries(world);
  const entry = entries.find((each) => namesHere(each, world));
  if (entry !== undefined) return `your git configuration names what lies in the project (${visible(entry[0])})`;
  const hooks = entries.findLast(([key]) => key === "core.hookspath")?.[1];
  const hook = hooks === undefined ? undefined : hookIn(resolvePath(world.home, hooks.replace(/^~\//, "")), looks, world);
  // Hooks for all repositories start what each of them holds: pre-commit, lefthook, `.githooks`.
  return hook === undefined ? undefined : `git runs your hook ${visible(hook)}, which may start what lies in the project`;
}

const namesHere = ([key, value]: GitConfigEntry, world: World): boolean =>
  (STARTS.test(key) && leadsHere(key, value, world)) || (key === "diff.submodule" && !/^(?:log|short)$/.test(value));

function leadsHere(key: string, value: string, world: World): boolean {
  if (key === "core.hookspath" || key === "init.templatedir") return !/^(?:\/|~\/)/.test(value) || isWithin(value, world.projectRoot);
  return RELATIVE.test(value) || value.includes(world.projectRoot);
}

/** The first operand of a command; empty where it is only known at run time. */
export function subcommandOf({ shape }: ExecAction): string {
  const [first] = shape?.operands ?? [];
  return first?.known === true ? first.text : "";
}
