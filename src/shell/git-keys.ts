import type { GitConfigEntry } from "../policy/index.ts";

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

/** Whoever has an account there does not learn what somebody else's fetch asks for. */
const FORGES =
  " github.com gitlab.com bitbucket.org codeberg.org git.sr.ht dev.azure.com ssh.dev.azure.com " +
  "gitea.com gitee.com git.kernel.org salsa.debian.org gitlab.freedesktop.org gitlab.gnome.org ";

/** A public forge, where remotes may be named without a question. */
export const isForge = (host: string): boolean => FORGES.includes(` ${host.toLowerCase()} `);
