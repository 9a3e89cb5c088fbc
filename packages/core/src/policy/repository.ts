import type { World } from "../action/index.ts";
import { baseName, isBelow, isWithin, joinPath, parentOf, resolvePath } from "../path/index.ts";
import { gitConfigEntries } from "./git-config-text.ts";
import { isGitConfig, isGitInternal } from "./tables/git-paths.ts";
import { perWorld } from "./match/location.ts";

/** A git repository, as its working tree leads to it (gitrepository-layout(5)). All canonical. */
export interface Repository {
  readonly top: string;
  /** What this working tree has of its own: HEAD, the index. */
  readonly gitdir: string;
  /** What all its working trees share: objects, refs, configuration, hooks. */
  readonly common: string;
  /** Why nothing of it is trusted: its configuration names programs. Undefined: repository and folder name each other. */
  readonly foreign?: string;
}

const GITFILE = /^gitdir: (.+)$/;

/** The repository whose working tree begins at this very folder. */
export function repositoryAt(folder: string, world: World): Repository | undefined {
  const top = world.canonical(folder);
  const path = joinPath(top, ".git");
  const kind = world.kind(path);
  if (kind === "missing") return undefined;
  const gitdir = kind === "directory" ? world.canonical(path) : kind === "file" ? pathIn(path, world, GITFILE) : undefined;
  const common = gitdir === undefined ? undefined : commonOf(gitdir, world);
  if (gitdir === undefined || common === undefined)
    return { top, gitdir: path, common: path, foreign: "it is not known where `.git` leads" };
  const foreign = gitdir === path && common === path ? undefined : whyForeign({ top, gitdir, common }, world);
  return { top, gitdir, common, ...(foreign === undefined ? {} : { foreign }) };
}

/**
 * git takes a folder for a repository that looks like `.git`, whatever its name, and one can be checked in: its configuration came with
 * the project's files (git-config(1), safe.bareRepository). What it lacks may lie where `commondir` leads.
 */
function bareAt(folder: string, world: World): Repository | undefined {
  const has = (name: string): boolean => world.kind(joinPath(folder, name)) !== "missing";
  if (!has("HEAD") || !(has("commondir") || (has("objects") && has("refs")))) return undefined;
  const common = commonOf(folder, world);
  const isProject = folder === world.canonical(world.projectRoot) || folder === ofProject(world)?.common;
  const one = { top: folder, gitdir: folder, common: common ?? folder };
  const isKnown = common !== undefined && (isLocked(folder) || (isProject && common === folder));
  return isKnown ? one : { ...one, foreign: "the folder itself is a repository" };
}

/**
 * The repositories that git may take in a folder, the nearest first: it passes by a folder in which something is missing, and
 * looks further up (setup.c, is_git_directory).
 */
export function repositoriesAround(folder: string, world: World, until = "/"): readonly Repository[] {
  const found: Repository[] = [];
  for (let at = world.canonical(folder); ; at = parentOf(at)) {
    const one = repositoryAt(at, world);
    if (one !== undefined) found.push(one);
    if (one !== undefined && (world.kind(joinPath(at, ".git")) !== "directory" || isWhole(one, world))) return found;
    const bare = bareAt(at, world);
    if (bare !== undefined) found.push(bare);
    if (at === "/" || at === until) return found;
  }
}

/** The project's own, whether it is trusted or not. */
const ofProject = perWorld((world) => repositoryAt(world.projectRoot, world));

/** It is the project's repository, in whichever of its working trees, a submodule of it, or lies in the project, under a locked name. */
export function isOwnRepository({ top, common, foreign }: Repository, world: World): boolean {
  const root = world.canonical(world.projectRoot);
  // Nobody knows what lies there.
  if (top === root && world.kind(joinPath(root, ".git")) === "other") return true;
  if (foreign !== undefined) return false;
  const project = ofProject(world);
  if (top === root || (project !== undefined && project.foreign === undefined && isWithin(common, project.common))) return true;
  return isBelow(top, root) && isWithin(common, root) && isLocked(common);
}

/** The git folders of the project's that git works in when it is started there. */
export const ownGitFolders = (folder: string, world: World): readonly string[] =>
  repositoriesAround(folder, world)
    .filter((one) => isOwnRepository(one, world))
    .flatMap(({ gitdir, common }) => [gitdir, common]);

/** Whether git that is started in a folder obeys nobody's configuration but the project's own. `below`: or in a folder below. */
export function worksInOwnRepository(folder: string, below: boolean, world: World): boolean {
  const root = world.canonical(world.projectRoot);
  const from = world.canonical(folder);
  // What lies above the project says nothing of it.
  const around = repositoriesAround(from, world, root);
  if (!around.every((one) => isOwnRepository(one, world)) || (around.length === 0 && !isWithin(from, root))) return false;
  if (!below) return true;
  const names = world.names(from);
  if (names === undefined) return world.kind(from) === "missing";
  const isOthers = (at: string): boolean =>
    [repositoryAt(at, world), bareAt(at, world)].some((one) => one !== undefined && !isOwnRepository(one, world));
  return names.length <= MOST_FOLDERS && !names.some((name) => isOthers(`${from}/${name}`));
}

/**
 * The `.git` that git takes when it is started in a folder: the project's, too, where none is around. `below`: or in a folder below, so
 * that it may be one that nobody knows.
 */
export function gitFolderOf(
  folder: string,
  below: boolean,
  world: World,
): { readonly path: string; readonly is: "own" | "other" | "none" } | undefined {
  const own = joinPath(world.projectRoot, ".git");
  if (worksInOwnRepository(folder, below, world)) return { path: own, is: "own" };
  if (below) return undefined;
  const [nearest] = repositoriesAround(folder, world);
  return nearest === undefined ? { path: own, is: "none" } : { path: nearest.common, is: "other" };
}

/** More names than this in one folder are not looked into. */
const MOST_FOLDERS = 500;

function isWhole({ gitdir, common }: Repository, world: World): boolean {
  const head = /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(world.text?.(joinPath(gitdir, "HEAD")) ?? "");
  // What lies in the two folders says that they may be entered.
  return head && ["objects/pack", "refs/heads"].every((part) => world.kind(joinPath(common, part)) !== "missing");
}

/** The place that a file of one line names, canonical. */
function pathIn(file: string, world: World, line = /^(.+)$/): string | undefined {
  const path = line.exec((world.text?.(file) ?? "").replace(/[\r\n]+$/, ""))?.[1];
  return path === undefined ? undefined : world.canonical(resolvePath(parentOf(file), path));
}

/** gitrepository-layout(5), "commondir": any folder of a repository may send git elsewhere for its configuration. */
const commonOf = (gitdir: string, world: World): string | undefined =>
  world.kind(joinPath(gitdir, "commondir")) === "missing" ? gitdir : pathIn(joinPath(gitdir, "commondir"), world);

function whyForeign({ top, gitdir, common }: Repository, world: World): string | undefined {
  if (common !== gitdir) {
    const isOne = parentOf(gitdir) === joinPath(common, "worktrees");
    if (!isOne || pathIn(joinPath(gitdir, "gitdir"), world) !== joinPath(top, ".git"))
      return "the repository that its `.git` leads to does not know this working tree (`git worktree repair` if you moved it)";
  } else {
    const named = gitConfigEntries(world.text?.(joinPath(gitdir, "config")) ?? "").findLast(([key]) => key === "core.worktree")?.[1];
    const back = named === undefined ? undefined : world.canonical(resolvePath(gitdir, named));
    if (named === undefined ? !isApart(top, gitdir, world) : back !== top)
      return "the repository that its `.git` leads to does not name this folder";
    if (named === undefined) return undefined;
  }
  const project = top === world.canonical(world.projectRoot) ? undefined : ofProject(world)?.common;
  const writable = [world.projectRoot, ...world.temp, ...(project === undefined ? [] : [project])];
  const isFree = (): boolean => !writable.some((place) => isWithin(common, world.canonical(place))) && isAlone(common, common, world);
  const isSafe = isLocked(common) || common === project || isFree();
  return isSafe ? undefined : "an agent may have written the repository that its `.git` leads to";
}

/** Its configuration and hooks are protected by where they lie. */
const isLocked = (common: string): boolean => isGitConfig(joinPath(common, "config"));

/**
 * git-init(1), --separate-git-dir, names no working tree, nor does a bare repository that `.git` beside it leads to. At the top of the
 * project nobody but the person makes such a `.git`, of a folder where no agent works: anywhere else it leads to a repository of somebody's.
 */
function isApart(top: string, gitdir: string, world: World): boolean {
  if (isGitInternal(gitdir) || baseName(parentOf(gitdir)) === "worktrees") return false;
  if (top !== world.canonical(world.projectRoot)) return parentOf(gitdir) === top && gitdir === ofProject(world)?.common;
  const isInside = isBelow(gitdir, top);
  const isTemporary = world.temp.some((place) => isWithin(gitdir, world.canonical(place)));
  if (!isInside && (isTemporary || !isBelow(gitdir, world.canonical(world.home)))) return false;
  return (isInside ? [top] : [top, gitdir]).every((folder) => isAlone(folder, gitdir, world));
}

/** No other repository is around a folder: none in which an agent may have worked. */
function isAlone(folder: string, gitdir: string, world: World): boolean {
  for (let at = folder; at !== "/";) {
    at = parentOf(at);
    const path = joinPath(at, ".git");
    if (world.kind(path) !== "missing" && pathIn(path, world, GITFILE) !== gitdir) return false;
  }
  return true;
}

/** Where the working trees lie that the project's repository has made. */
function linkedTrees(world: World): readonly string[] {
  const project = ofProject(world);
  if (project === undefined || project.foreign !== undefined) return [];
  const folder = joinPath(project.common, "worktrees");
  const files = (world.names(folder) ?? []).map((name) => pathIn(joinPath(folder, `${name}/gitdir`), world));
  return files.flatMap((file) => (file !== undefined && baseName(file) === ".git" ? [parentOf(file)] : []));
}

/** The one that git-worktree(1) is told by these words: by the last parts of its path, where one alone has them, or by the path. */
export function linkedTree(words: string, path: string, world: World): string | undefined {
  const trees = linkedTrees(world);
  const [named, ...others] = trees.filter((tree) => tree.endsWith(`/${words}`));
  const tree = named !== undefined && others.length === 0 ? named : trees.find((one) => one === world.canonical(path));
  const found = tree === undefined ? undefined : repositoryAt(tree, world);
  return found !== undefined && isOwnRepository(found, world) && found.common === ofProject(world)?.common ? tree : undefined;
}

/** Nothing is there yet, and it lies beside a working tree of the project's repository. */
export function mayBecomeTree(path: string, world: World): boolean {
  const project = ofProject(world);
  if (project === undefined || project.foreign !== undefined || world.kind(path) !== "missing") return false;
  const main = baseName(project.common) === ".git" ? [parentOf(project.common)] : [];
  const real = world.canonical(path);
  return /^\w/.test(baseName(real)) && [project.top, ...main, ...linkedTrees(world)].some((tree) => parentOf(tree) === parentOf(real));
}

/** What lies in the project's repository under another name than `.git` is locked as if it lay in `.git`. */
export function nameInGit(path: string, world: World): string | undefined {
  const project = ofProject(world);
  if (project === undefined || project.foreign !== undefined || isGitInternal(project.common) || !isWithin(path, project.common))
    return undefined;
  return joinPath(project.top, `.git${path.slice(project.common.length)}`);
}
