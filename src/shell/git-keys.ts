/** What a text of git's configuration sets. */
export type GitConfigEntry = readonly [key: string, value: string];

/** git-config(1), "Syntax". A line that is not understood is a key of its own, which nobody knows. */
export function gitConfigEntries(text: string): readonly GitConfigEntry[] {
  const found: GitConfigEntry[] = [];
  let section = "";
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    let rest = line.trim();
    const head = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(rest);
    if (head !== null) {
      const [whole, name = "", sub] = head;
      section = name.toLowerCase() + (sub === undefined ? "" : `.${sub.replace(/\\(.)/g, "$1")}`);
      rest = rest.slice(whole.length).trim();
    }
    if (rest === "" || rest.startsWith("#") || rest.startsWith(";")) continue;
    const [, key, value] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(rest) ?? [];
    // The line goes on, and what follows is no line of its own: `[color]` in it would be no section.
    found.push(
      key === undefined || rest.endsWith("\\") ? ["?", rest] : [`${section}.${key.toLowerCase()}`, (value ?? "").replace(/^"(.*)"$/, "$1")],
    );
  }
  return found;
}

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
