import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import type { FileAction } from "@assent/core/action";
import { baseName, isBelow, parentOf } from "@assent/core/path";
import { gitLinks, gitRemoves, type GitConfigEntry, gitConfigEntries, type Verdict, verdictOf } from "@assent/core/policy";
import { visible } from "@assent/core/action";
import { isGitsOwnKey, isInertGitKey } from "@assent/core/shell";
import type { Caller } from "./types.ts";

/** Among the names of a git process: a person was asked about what it sets. */
export const TOLD = "git, as told";

/** githooks(5): what git runs. Other files in the folder (samples, files half copied) are not run. */
export const HOOK = new RegExp(
  String.raw`\/hooks\/(?:applypatch-msg|pre-applypatch|post-applypatch|pre-commit|pre-merge-commit|prepare-commit-msg|commit-msg|` +
    "post-commit|pre-rebase|post-checkout|post-merge|pre-push|pre-receive|update|proc-receive|post-receive|post-update|" +
    String.raw`reference-transaction|push-to-checkout|pre-auto-gc|post-rewrite|sendemail-validate|fsmonitor-watchman|p4-\w+(?:-\w+)*|post-index-change)$`,
  "i",
);

/** git writes what is tracked, under the names it is tracked by. */
export const isCheckingOut = (programs: readonly string[]): boolean => programs.some((name) => gitLinks(name));

interface GitPlaces {
  /** Where the run works. */
  readonly roots: readonly string[];
  /** The project's git folders. */
  readonly git: readonly string[];
}

const KEPT_WHOLE = /\/(?:\.git|gitdir|commondir)$/;

/**
 * What git may write into a repository's configuration without a question: what it sets by itself, not what somebody
 * told it. Told it can be by options, variables, a template, `--output`, or files that it copies to where it is told.
 */
export function byGit(action: FileAction, path: string, programs: readonly string[], places: GitPlaces): Verdict | undefined {
  // libgit2 makes the file at once, with nothing in it that anybody told it.
  if (programs.includes("cargo") && action.call?.name === "open" && path.endsWith("/.git/config") && !existsSync(path)) return ALLOWED;
  if (!programs.includes("git") && !programs.includes("cargo")) return undefined;
  if (programs.includes(TOLD)) return ALLOWED;
  const { operation, call } = action;
  if (operation === "metadata") return ALLOWED;
  const removes = operation === "delete" && programs.some((name) => gitRemoves(name));
  if (KEPT_WHOLE.test(path)) return removes || makesLink(path, programs, places) ? ALLOWED : undefined;
  // lockfile.c makes it new; what is there already is somebody else's.
  if (path.endsWith(".lock")) {
    const isNew = operation === "write" && call?.name === "open" && !existsSync(path);
    return isNew || operation === "delete" || operation === "rename" ? ALLOWED : undefined;
  }
  const [from, to] = call?.args ?? [];
  // `path` may be the same place by another mount.
  const replaces = call?.name === "rename" && typeof to === "string" && from === `${to}.lock` && baseName(to) === baseName(path);
  if (!replaces) return removes ? ALLOWED : undefined;
  const news = addedKeys(textOf(to) ?? "", textOf(from) ?? "?").filter((entry) => !isOwn(entry, path, programs));
  const [first] = news;
  if (first === undefined) return ALLOWED;
  return verdictOf("ask", "protect.git-config", {
    reason: `it adds the git setting ${visible(`${first[0]}=${first[1]}`.slice(0, 200))}, which can make git start programs later`,
  });
}

/** A git that sets what it keeps for the user, and nothing that can name a program. */
export const setsUpGit = (path: string, home: string, programs: readonly string[]): boolean =>
  programs.includes("git") && !programs.includes(TOLD) && [`${home}/.gitconfig`, `${home}/.config/git/config`].includes(path);

/**
 * The user's own configuration (git-config(1), "FILES"), where a git puts its new text in the place of the old one: asked about,
 * like any other file of the user's, unless what it adds can name what git runs later.
 */
export function byGitAtHome({ call }: FileAction, path: string, home: string, programs: readonly string[]): Verdict | undefined {
  if (!setsUpGit(path, home, programs)) return undefined;
  const [from, to] = call?.args ?? [];
  if (call?.name !== "rename" || to !== path || from !== `${to}.lock`) return undefined;
  const after = textOf(from);
  const adds = after === undefined ? undefined : addedKeys(textOf(to) ?? "", after);
  return adds?.every(([key]) => isInertGitKey(key)) === true ? verdictOf("ask", "run.outside") : undefined;
}

/**
 * What `git init` copies into a repository that is none yet, so that its place says nothing (git-init(1), "TEMPLATE DIRECTORY").
 * Its own configuration it writes through a lock.
 */
export function fromTemplate({ operation, target, call }: FileAction, caller: Caller): boolean {
  if ((operation !== "write" && operation !== "link") || target.kind !== "path") return false;
  const isMade = call?.name === "open" || call?.name === "symlink";
  const isKept = HOOK.test(target.path) || (isMade && /\/(?:config(?:\.worktree)?|hooks)$/.test(target.path));
  return isKept && caller.programs().includes("git init");
}

/**
 * In a repository only `git worktree` makes `commondir` and `gitdir`: with `--work-tree=.git` any checkout would write tracked
 * files of these names there. `git init --separate-git-dir` takes a folder that is there already, with its configuration: within a
 * repository nobody takes it for one that a person made. The same holds for what `git worktree` makes of a repository that is not
 * called `.git`, unless it is the project's.
 */
function makesLink(path: string, programs: readonly string[], { roots, git }: GitPlaces): boolean {
  if (!path.endsWith("/.git")) {
    const isKnown = /\/\.git\//i.test(path) || git.some((folder) => isBelow(path, folder));
    return OF_WORKTREE.test(path) && isKnown && programs.includes("git worktree");
  }
  const isInside = (root: string): boolean => isBelow(parentOf(path), root) && existsSync(`${root}/.git`);
  return isCheckingOut(programs) || (programs.includes("git init") && roots.some(isInside));
}

const OF_WORKTREE = /\/worktrees\/[^/]+\/(?:commondir|gitdir)$/;

const ALLOWED = verdictOf("allow", "run.errand", { reason: "git's own configuration" });

/** A line as git itself writes it, which everybody reads alike: nothing quoted, no comment, none that goes on. */
const PLAIN = /^(?:\[[a-z]+(?: "[\w./-]+")?\]|\t[a-z][a-z\d-]* = [^"\\;#\p{Cc}]*|)$/iu;

/** A file of settings by which git starts nothing, whoever wrote it. */
export function isInertConfig(file: string): boolean {
  const text = textOf(file);
  if (text?.split("\n").every((line) => PLAIN.test(line)) !== true) return false;
  return gitConfigEntries(text).every((entry) => isGitsOwnKey(entry) || isInertGitKey(entry[0]));
}

function isOwn(entry: GitConfigEntry, path: string, programs: readonly string[]): boolean {
  const [key] = entry;
  if (key === "core.worktree")
    return /\/\.git\/(?:worktrees\/[^/]+\/)?modules\//.test(path) || programs.some((name) => /^git (?:init|clone)$/.test(name));
  return isGitsOwnKey(entry) || isInertGitKey(key);
}

/** Undefined for what is no plain file of a usual size. */
function textOf(path: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= LARGEST ? readFileSync(fd, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const LARGEST = 1 << 20;

/** What the new text sets and the old one did not. */
function addedKeys(before: string, after: string): readonly GitConfigEntry[] {
  const known = new Set(gitConfigEntries(before).map(([key, value]) => `${key}\0${value}`));
  return gitConfigEntries(after).filter(([key, value]) => !known.has(`${key}\0${value}`));
}
