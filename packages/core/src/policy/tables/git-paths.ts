import { baseName, foldCase } from "../../path/index.ts";

/** What a name in a repository's folder means. */

/** A repository may lie in another's `.git`, so the first and the last `.git` count. */
export function isGitHook(lower: string): boolean {
  const first = lower.indexOf("/.git/");
  if (first < 0 || lower.endsWith(".sample")) return false;
  return GIT_HOOK.test(lower.slice(first)) || GIT_HOOK.test(lower.slice(lower.lastIndexOf("/.git/")));
}

const GIT_HOOK = /^\/\.git\/(?:worktrees\/[^/]+\/)?(?:modules\/.+\/)?hooks(?:\/|$)/;

const GIT_CONFIG: ReadonlySet<string> = new Set(["config", "config.worktree", "commondir", "gitdir", "attributes"]);

/** hg(1), "Files"; jj-config(1). */
const OTHER_CONFIG = /\/(?:\.hg\/hgrc(?:-not-shared)?|\.jj\/(?:repo\/)?(?:workspace-)?config\.toml)$/;

/** True for the configuration of a repository: it names programs that git, hg or jj will run. */
export function isGitConfig(path: string): boolean {
  const lower = foldCase(path);
  if (lower.endsWith("/.git") || OTHER_CONFIG.test(lower)) return true;
  const start = lower.lastIndexOf("/.git/");
  // git writes `config.lock` and makes it `config`; whoever holds that file open then holds the configuration.
  if (start < 0 || !GIT_CONFIG.has(baseName(lower).replace(/\.lock$/, ""))) return false;
  const rest = lower.slice(start + "/.git/".length);
  return rest.startsWith("modules/") || rest.startsWith("worktrees/") || rest.startsWith("info/") || !rest.includes("/");
}

/** True for anything in a repository's `.git`, itself included. */
export function isGitInternal(path: string): boolean {
  return /\/\.git(?:\/|$)/i.test(path);
}
