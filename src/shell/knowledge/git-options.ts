/**
 * Option families that many git subcommands share, from `git <command> -h`, git-log(1), git-rev-list(1) and
 * git-diff(1) of git 2.39, with the well-known newer ones.
 */

/**
 * Writes out compact option tables: entries are separated by `;` or lines, and `--[no-]name` stands for `--name` with
 * everything the entry says, and the inert `--no-name`. A name that an earlier entry has is left out of later ones.
 */
export function optionTable(...tables: readonly string[]): string {
  const seen = new Set<string>();
  const lines: string[] = [];
  for (const entry of tables.join("\n").split(/[;\n]/)) {
    const end = entry.search(/\[?=|->/);
    const names = (end < 0 ? entry : entry.slice(0, end)).trim();
    if (names === "") continue;
    const rest = end < 0 ? "" : `${entry.startsWith("->", end) ? " " : ""}${entry.slice(end).trimEnd()}`;
    const positive: string[] = [];
    const negative: string[] = [];
    for (const name of names.split(/\s+/)) {
      const plain = name.replace("[no-]", "");
      if (!seen.has(plain)) positive.push(plain);
      const negated = name.replace("[no-]", "no-");
      if (negated !== plain && !seen.has(negated)) negative.push(negated);
    }
    for (const name of [...positive, ...negative]) seen.add(name);
    if (positive.length > 0) lines.push(`${positive.join(" ")}${rest}`);
    if (negative.length > 0) lines.push(negative.join(" "));
  }
  return lines.join("\n");
}

/** Diff options: git takes no abbreviations here. `--ext-diff`, `--textconv`: programs named in the configuration. */
export const DIFF = `
  -p -u --patch; -s --no-patch; -U --unified=text; -W --[no-]function-context; --raw; --patch-with-raw
  --patch-with-stat; --stat[=text]; --stat-width=text; --stat-name-width=text; --stat-graph-width=text
  --stat-count=text; --numstat; --shortstat; -X --dirstat[=text]; --cumulative; --dirstat-by-file[=text]
  --[no-]compact-summary; --summary; --check; --name-only; --name-status; --binary; --[no-]full-index
  --[no-]color[=text]; --ws-error-highlight=text; -z; --[no-]abbrev[=text]; --src-prefix=text; --dst-prefix=text
  --line-prefix=text; --no-prefix; --default-prefix; --inter-hunk-context=text; --output-indicator-new=text
  --output-indicator-old=text; --output-indicator-context=text; -B --break-rewrites[=text]
  -M --find-renames[=text]; -D --irreversible-delete; -C --find-copies[=text]; --[no-]find-copies-harder
  --no-renames; --[no-]rename-empty; --[no-]follow; -l=text; --[no-]minimal; -w --ignore-all-space
  -b --ignore-space-change; --ignore-space-at-eol; --ignore-cr-at-eol; --ignore-blank-lines
  -I --ignore-matching-lines=text; --no-ignore-matching-lines; --[no-]indent-heuristic; --patience; --histogram
  --diff-algorithm=text; --anchored=text; --word-diff[=text]; --word-diff-regex=text; --color-words[=text]
  --[no-]color-moved[=text]; --color-moved-ws=text; --no-color-moved-ws; --[no-]relative[=text]; -a --[no-]text
  -R; --[no-]exit-code; --[no-]quiet; --[no-]ext-diff -> code.project; --[no-]textconv -> code.project
  --ignore-submodules[=text]; --submodule[=text]; --ita-invisible-in-index; --ita-visible-in-index
  -S=text; -G=text; --pickaxe-all; --pickaxe-regex; -O=read; --rotate-to=text; --skip-to=text
  --find-object=text; --diff-filter=text; --output=write; --max-depth=text
  -c; --cc; -m; --dd; --remerge-diff; --diff-merges=text; --no-diff-merges; --combined-all-paths; -t`;

/** Choosing and ordering commits. */
export const REVISIONS = `
  -1..-9; -n --max-count=text; --skip=text; --since --after=text; --since-as-filter=text; --until --before=text
  --max-age=text; --min-age=text; --author=text; --committer=text; --grep-reflog=text; --grep=text; --all-match
  --invert-grep; -i --regexp-ignore-case; --basic-regexp; -E --extended-regexp; -F --fixed-strings
  -P --perl-regexp; --remove-empty; --merges; --no-merges; --min-parents=text; --max-parents=text
  --no-min-parents; --no-max-parents; --first-parent; --exclude-first-parent-only; --not; --all
  --branches[=text]; --tags[=text]; --remotes[=text]; --glob=text; --exclude=text; --exclude-hidden=text
  --reflog; --alternate-refs; --single-worktree; --ignore-missing; --bisect; --stdin; --cherry-mark
  --cherry-pick; --left-only; --right-only; --cherry; -g --walk-reflogs; --merge; --boundary
  --use-bitmap-index; --simplify-by-decoration; --show-pulls; --full-history; --dense; --sparse
  --simplify-merges; --ancestry-path[=text]; --date-order; --author-date-order; --topo-order; --reverse
  --no-walk[=text]; --do-walk; --pretty[=text]; --format=text; --abbrev-commit; --no-abbrev-commit; --oneline
  --encoding=text; --expand-tabs[=text]; --no-expand-tabs; --notes[=text]; --no-notes; --show-notes[=text]
  --standard-notes; --no-standard-notes; --show-signature -> code.project; --no-show-signature; --relative-date
  --date=text; --parents; --children; --left-right; --graph; --no-graph; --show-linear-break[=text]`;

/** What log, show and whatchanged add. */
export const LOG = `
  --source; --no-source; --mailmap; --no-mailmap; --use-mailmap; --no-use-mailmap; --clear-decorations
  --[no-]decorate[=text]; --decorate-refs=text; --no-decorate-refs; --decorate-refs-exclude=text
  --no-decorate-refs-exclude; --full-diff; --log-size; -L=text; -q`;

/** Path arguments from a file. */
export const PATHSPEC_FILE = `
  --pathspec-from-file=read; --no-pathspec-from-file; --[no-]pathspec-file-nul`;

/** Signing runs the program that `gpg.program` names; an attached key only. */
export const SIGN = `
  -S --[no-]gpg-sign[=text]`;

/** Reaching a remote: `--upload-pack` names the program to run there, here for a local path. */
export const TRANSPORT = `
  -4 --[no-]ipv4; -6 --[no-]ipv6; -o --server-option=text; --no-server-option; --[no-]progress
  --upload-pack=foreign/command; --no-upload-pack`;

/** fetch, and pull which hands these on. */
export const FETCH = `
  --[no-]all; -a --[no-]append; --[no-]atomic; -f --[no-]force; -t --[no-]tags; -p --[no-]prune
  -j --jobs=text; --no-jobs; --[no-]dry-run; -k --[no-]keep; --depth=text; --no-depth; --shallow-since=text
  --no-shallow-since; --shallow-exclude=text; --no-shallow-exclude; --deepen=text; --no-deepen; --unshallow
  --[no-]update-shallow; --refmap=text; --negotiation-tip=text; --no-negotiation-tip
  --[no-]show-forced-updates; --[no-]set-upstream; --[no-]recurse-submodules[=text]`;

/** merge, and pull which hands these on. */
export const MERGE = `
  -n; --[no-]stat; --[no-]compact-summary; --[no-]summary; --[no-]log[=text]; --[no-]squash; --[no-]commit
  --[no-]edit -> terminal; --cleanup=text; --no-cleanup; --[no-]ff; --ff-only; --[no-]autostash
  --[no-]verify-signatures -> code.project; -s --strategy=text; --no-strategy; -X --strategy-option=text
  --no-strategy-option; --[no-]allow-unrelated-histories; --[no-]signoff; --no-verify -> danger skips-checks; --verify; -v --[no-]verbose
  -q --[no-]quiet`;

/** Picking one commit after another: cherry-pick, revert. */
export const SEQUENCER = `
  --quit; --continue; --abort; --skip; --cleanup=text; --no-cleanup; -n --no-commit; -e --[no-]edit
  -s --[no-]signoff; -m --mainline=text; --no-mainline; --[no-]rerere-autoupdate; --strategy=text; --no-strategy
  -X --strategy-option=text; --no-strategy-option`;

/** Listing refs: branch, tag, for-each-ref. An option that takes a commit takes the next word, so `--merged` may stand last. */
export const REF_LIST = `
  --[no-]contains=text; --[no-]merged[=text]; --points-at=text; --no-points-at; --sort=text; --no-sort
  --format=text; --no-format; --[no-]color[=text]; --[no-]column[=text]; -i --[no-]ignore-case`;
