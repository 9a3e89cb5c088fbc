import type { World } from "../../action/index.ts";
import { joinPath, normalise, parentOf, resolvePath } from "../../path/index.ts";
import { type GitConfigEntry, gitConfigEntries } from "../../policy/index.ts";

/** git-config(1), "Includes". */
const MOST_INCLUDES = 5;

/** Whether what an `include` names counts; of an `includeIf` with its condition. */
export type IncludeTest = (condition: string) => boolean;
const ANY: IncludeTest = () => true;

/** What a file sets, with those that it includes: by default more than git reads. Without a file: the machine's configuration and the user's. */
export function gitEntries(world: World, file?: string, holds = ANY, depth = 0): readonly GitConfigEntry[] {
  if (file === undefined) return userFiles(world).flatMap((each) => gitEntries(world, each, holds));
  return gitConfigEntries(world.text?.(file) ?? "").flatMap((entry) => {
    const [key, path] = entry;
    const condition = /^include(?:if\.(.*))?\.path$/.exec(key);
    if (condition === null || depth === MOST_INCLUDES || !holds(condition[1] ?? "")) return [entry];
    return [entry, ...gitEntries(world, resolvePath(parentOf(file), gitPath(path, world)), holds, depth + 1)];
  });
}

/** A path as git's configuration writes it. */
export const gitPath = (path: string, world: World): string =>
  path.startsWith("~/") ? joinPath(world.home, normalise(path.slice(1)).slice(1)) : path;

/** A later one counts more. */
const userFiles = (world: World): readonly string[] => [
  "/etc/gitconfig",
  joinPath(world.env("XDG_CONFIG_HOME") ?? joinPath(world.home, ".config"), "git/config"),
  joinPath(world.home, ".gitconfig"),
];

/** What git sets by itself: where objects come from, which layout a repository has (git-config(1), gitrepository-layout(5)). */
const OWN_KEYS = new RegExp(
  String.raw`^(?:core\.(?:repositoryformatversion|bare|sparsecheckout|sparsecheckoutcone|hidedotfiles|sharedrepository)|` +
    String.raw`extensions\.(?:worktreeconfig|partialclone|objectformat|compatobjectformat|refstorage|relativeworktrees|` +
    String.raw`preciousobjects)|remote\..+\.(?:url|pushurl|promisor|partialclonefilter)|submodule\.(?:active|.+\.(?:url|active|` +
    String.raw`branch))|lfs\.(?:repositoryformatversion|.+\.access)|maintenance\.(?:auto|strategy)|svn-remote\..+\.(?:url|fetch|branches|tags))$`,
);

/** git sets it by itself, and it names nothing that runs. `core.worktree` hangs on who sets it. */
export function isGitsOwnKey([key, value]: GitConfigEntry): boolean {
  // gitremote-helpers(7): `ext::COMMAND`.
  if (/^(?:remote|submodule)\..+url$/.test(key) && /^[\w.+-]+::/.test(value)) return false;
  if (/^submodule\..+\.update$/.test(key)) return !value.startsWith("!");
  return OWN_KEYS.test(key);
}

/** Keys whose value git hands to a shell (git-config(1)); an alias only with `!`. */
export const STARTING_KEY = new RegExp(
  String.raw`^(?:alias\.[^=]+=!|(?:core\.(?:pager|editor|sshcommand|askpass|fsmonitor)|sequence\.editor|pager\.[^=]+|(?:diff|` +
    String.raw`merge)\..+\.(?:textconv|command|driver)|filter\..+\.(?:clean|smudge|process)|(?:diff|merge)tool\..+\.cmd|gpg\.program|` +
    String.raw`interactive\.difffilter)=)`,
  "i",
);

/** git's own, or its word for none: `core.fsmonitor=true`, what `git lfs install --local` writes. */
const HARMLESS = /^(?:|true|false|cat|less|git[ -]lfs\b.*)$/;

/** True when an entry of a configuration names a program that git starts by itself; an alias is a name of the user's. */
export const namesProgram = (key: string, value: string): boolean =>
  (STARTING_KEY.test(`${key}=`) && !HARMLESS.test(value)) ||
  (/^credential\.(?:.+\.)?helper$/.test(key) && /^[!/.]/.test(value)) ||
  (/^(?:remote|submodule)\..+url$/.test(key) && /^[\w.+-]+::/.test(value));
