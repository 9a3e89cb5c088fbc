import { DIFF, LOG, optionTable, REF_LIST, REVISIONS, SIGN } from "./git-options.ts";
import type { SubcommandSpec } from "./spec.ts";

const CHANGES = "repository, write $git";
const REWRITES = "repository, write $git, danger history-rewrite";

/** Git subcommands about refs, configuration and rewriting: some list, some change, some discard. */
export const GIT_HISTORY: Readonly<Record<string, SubcommandSpec>> = {
  // `git-refs` (analyser): lists without an operand or with -l, --contains, --merged …; any other operand adds `write $git`.
  branch: {
    style: "gnu",
    options: optionTable(
      `
      -v --[no-]verbose; -q --[no-]quiet; -t --[no-]track[=text] -> write $git; -u --set-upstream-to=text -> write $git; --no-set-upstream-to
      --unset-upstream -> write $git; -r --[no-]remotes; --[no-]abbrev[=text]; -a --[no-]all; -d --[no-]delete -> write $git
      -D -> write $git, danger history-rewrite; -m --[no-]move -> write $git; -M -> write $git, danger history-rewrite
      -c --[no-]copy -> write $git; -C -> write $git, danger history-rewrite; -l --[no-]list; --[no-]show-current
      --[no-]create-reflog -> write $git; --[no-]edit-description -> write $git, terminal; -f --[no-]force -> write $git, danger history-rewrite
      --[no-]recurse-submodules; --omit-empty`,
      REF_LIST,
    ),
    operands: "text*",
    effects: "repository",
    analyse: "git-refs",
    examples: {
      allow: [
        "git branch",
        "git branch -a",
        "git branch -vv",
        "git branch --show-current",
        "git branch --list 'f*'",
        "git branch --contains HEAD",
        "git branch --merged",
        "git branch -r --sort=-committerdate",
      ],
      ask: [
        "git branch new",
        "git branch -d old",
        "git branch -D old",
        "git branch -f main HEAD~1",
        "git branch -m a b",
        "git branch --edit-description",
      ],
    },
  },
  tag: {
    style: "gnu",
    options: optionTable(
      `
      -l --list; -n[=text]; -d --delete -> write $git, danger history-rewrite; -v --verify -> code.project; -a --[no-]annotate -> write $git
      -m --message=text -> write $git; -F --file=read -> write $git; --no-file; -e --[no-]edit -> terminal; -s --[no-]sign -> write $git
      --cleanup=text; --no-cleanup; -u --local-user=text -> write $git; -f --[no-]force -> write $git, danger history-rewrite
      --[no-]create-reflog; --trailer=text; --omit-empty`,
      REF_LIST,
    ),
    operands: "text*",
    effects: "repository",
    analyse: "git-refs",
    examples: {
      allow: ["git tag", "git tag -l 'v*'", "git tag --list --sort=-v:refname", "git tag -n5", "git tag --points-at HEAD"],
      ask: ["git tag v1", "git tag -a v1 -m x", "git tag -d v1", "git tag -f v1"],
      none: ["git tag -v v1"],
    },
  },
  "symbolic-ref": {
    style: "gnu",
    options: optionTable("-q --[no-]quiet; -d --[no-]delete -> write $git; --[no-]short; --[no-]recurse; -m=text"),
    operands: "text text?",
    effects: "repository",
    // A second operand sets the ref.
    analyse: "git-refs",
    examples: {
      allow: ["git symbolic-ref HEAD", "git symbolic-ref --short refs/remotes/origin/HEAD"],
      ask: ["git symbolic-ref HEAD refs/heads/x"],
    },
  },
  "stash list": {
    style: "bsd",
    options: optionTable(LOG, REVISIONS, DIFF),
    operands: "",
    effects: "repository",
    examples: { allow: ["git stash list", "git stash list -p"], ask: ["git stash list --output=x"] },
  },
  "stash show": {
    style: "bsd",
    options: optionTable("-u --include-untracked; --no-include-untracked; --only-untracked", DIFF),
    operands: "text?",
    effects: "repository",
    examples: { allow: ["git stash show -p", "git stash show stash@{0} --stat"], ask: ["git stash show --output=x"] },
  },
  "reflog|reflog show|reflog list|reflog exists": {
    style: "bsd",
    options: optionTable(LOG, REVISIONS, DIFF),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git reflog", "git reflog -5", "git reflog show main"], ask: ["git reflog --output=x"] },
  },
  "reflog expire|reflog delete|reflog drop": {
    style: "gnu",
    options: optionTable(
      "-n --[no-]dry-run; --[no-]rewrite; --[no-]updateref; --[no-]verbose; --expire=text; --expire-unreachable=text; --[no-]stale-fix; --[no-]all; --[no-]single-worktree",
    ),
    operands: "text*",
    effects: REWRITES,
    examples: { ask: ["git reflog expire --expire=now --all", "git reflog delete HEAD@{1}"] },
  },
  "worktree list": {
    style: "gnu",
    options: optionTable("--[no-]porcelain; -v --[no-]verbose; --expire=text; -z"),
    operands: "",
    effects: "repository",
    examples: { allow: ["git worktree list"] },
  },
  "notes|notes list|notes show|notes get-ref": {
    style: "gnu",
    options: "--ref=text",
    operands: "text?",
    effects: "repository",
    examples: { allow: ["git notes", "git notes show HEAD"] },
  },
  "notes add|notes append|notes copy|notes edit|notes merge|notes remove|notes prune": {
    style: "gnu",
    options: optionTable(
      "--ref=text; -m --message=text; -F --file=read; -c --reedit-message=text -> terminal; -C --reuse-message=text; --[no-]allow-empty; -f --[no-]force; -n --dry-run; -v --verbose; -q --quiet; --stdin; --ignore-missing; --abort; --commit; -s --strategy=text",
    ),
    operands: "text*",
    effects: CHANGES,
    examples: { ask: ["git notes add -m x", "git notes remove HEAD"] },
  },
  replace: {
    style: "gnu",
    options: optionTable(
      "-l --list; -d --delete -> write $git; -e --edit -> write $git, terminal; -g --graft -> write $git; --convert-graft-file -> write $git; -f --[no-]force -> write $git; --[no-]raw; --format=text; --no-format",
    ),
    operands: "text*",
    effects: "repository",
    analyse: "git-refs",
    examples: { allow: ["git replace -l"], ask: ["git replace HEAD~1 HEAD", "git replace --graft HEAD"] },
  },
  "bisect log|bisect terms|bisect visualize|bisect view": {
    style: "gnu",
    options: "--term-good\n--term-bad\n--stat\n--oneline",
    operands: "",
    effects: "repository",
    examples: { allow: ["git bisect log"] },
  },
  "rerere status|rerere diff|rerere remaining": {
    style: "gnu",
    operands: "",
    effects: "repository",
    examples: { allow: ["git rerere status"] },
  },
  // `git-config` (analyser): reads with a reading option or one operand, else writes `$git/config`, `~/.gitconfig` with
  // --global, /etc/gitconfig with --system, the file of -f; a key that names a program (core.pager, alias.x, hooks …) is foreign code.
  config: {
    style: "gnu",
    options: optionTable(`
      --[no-]global; --[no-]system; --[no-]local; --[no-]worktree; -f --file=read; --no-file; --blob=text; --no-blob; --[no-]get; --[no-]get-all
      --[no-]get-regexp; --[no-]get-urlmatch; --[no-]replace-all -> write $git/config; --[no-]add -> write $git/config
      --[no-]unset -> write $git/config; --[no-]unset-all -> write $git/config; --[no-]rename-section -> write $git/config
      --[no-]remove-section -> write $git/config; -l --[no-]list; --[no-]fixed-value; -e --[no-]edit -> write $git/config, terminal
      --[no-]get-color; --[no-]get-colorbool; -t --type=text; --no-type; --bool; --int; --bool-or-int; --bool-or-str; --path; --expiry-date
      -z --[no-]null; --[no-]name-only; --[no-]includes; --[no-]show-origin; --[no-]show-scope; --[no-]show-names; --default=text; --no-default`),
    operands: "word* ",
    effects: "repository",
    analyse: "git-config",
    examples: {
      allow: [
        "git config --get user.email",
        "git config --list",
        "git config -l --show-origin",
        "git config user.email",
        "git config --global --get user.name",
        "git config get user.name",
      ],
      ask: [
        "git config core.pager 'sh -c evil'",
        "git config user.email x@y.z",
        "git config --unset user.email",
        "git config --edit",
        "git config set alias.x '!evil'",
        "git config user.email --get-all",
        "git config user.email --no-includes",
        "git config core.pager -t",
      ],
    },
  },
  clean: {
    style: "gnu",
    options: optionTable(
      "-q --[no-]quiet; -n --[no-]dry-run; -f --[no-]force -> list becomes deletetree, danger history-rewrite; -i --[no-]interactive -> terminal; -d; -e --exclude=text; -x; -X",
    ),
    operands: "list*",
    effects: "repository",
    examples: {
      allow: ["git clean -n", "git clean -ndx src"],
      ask: ["git clean -fd", "git clean -fdx", "git clean --force src", "git clean -n -f"],
      deny: ["git clean -fd ~"],
    },
  },
  // `--exec` runs after every commit; without a terminal the todo list opens the editor from the environment.
  rebase: {
    style: "gnu",
    options: optionTable(
      SIGN,
      `
      --onto=text; --no-onto; --[no-]keep-base; --no-verify -> danger skips-checks; --verify; -q --[no-]quiet; -v --[no-]verbose; -n --no-stat; --stat; --[no-]signoff
      --[no-]committer-date-is-author-date; --[no-]reset-author-date; --[no-]ignore-date; -C=text; --[no-]ignore-whitespace; --whitespace=text; --no-whitespace
      -f --[no-]force-rebase; --no-ff; --ff; --continue; --skip; --abort; --quit; --edit-todo -> terminal; --show-current-patch; --apply; -m --merge
      -i --interactive -> terminal; --[no-]rerere-autoupdate; --empty=text; --[no-]autosquash; --[no-]update-refs; --[no-]autostash; -x --exec=shell; --no-exec
      -r --[no-]rebase-merges[=text]; --[no-]fork-point; -s --strategy=text; --no-strategy; -X --strategy-option=text; --no-strategy-option; --[no-]root
      --[no-]reschedule-failed-exec; --[no-]reapply-cherry-picks; --trailer=text`,
    ),
    operands: "text*",
    effects: `${REWRITES}, code.project`,
    examples: {
      ask: ["git rebase main", "git rebase -i HEAD~3", "git rebase --abort", "git rebase --no-verify main", "git rebase -x evil HEAD~1"],
      deny: ["git rebase -x 'rm -rf ~' HEAD~1", "git rebase --exec='rm -rf ~' main"],
    },
  },
  // Filters are shell code; the rest of its many options is left unlisted.
  "filter-branch": {
    style: "bsd",
    options: optionTable(`
      --setup=shell; --subdirectory-filter=text; --env-filter=shell; --tree-filter=shell; --index-filter=shell; --parent-filter=shell
      --msg-filter=shell; --commit-filter=shell; --tag-name-filter=shell; --prune-empty; --original=text; -d=write; -f --force; --all; --branches; --tags`),
    operands: "text*",
    effects: `${REWRITES}, code.project`,
    examples: {
      ask: ["git filter-branch --force --index-filter 'git rm --cached x' HEAD"],
      deny: ["git filter-branch --tree-filter 'rm -rf ~' HEAD"],
    },
  },
  "filter-repo": {
    style: "bsd",
    options:
      "--path=text\n--invert-paths\n--force\n--path-glob=text\n--subdirectory-filter=text\n--analyze\n--dry-run\n--replace-text=read\n--mailmap=read",
    operands: "",
    effects: REWRITES,
    examples: { ask: ["git filter-repo --path x --invert-paths", "git filter-repo --force"] },
  },
  gc: {
    style: "gnu",
    options: optionTable(
      "-q --[no-]quiet; --[no-]prune[=text] -> danger history-rewrite; --[no-]cruft; --[no-]aggressive; --[no-]auto; --[no-]force; --[no-]keep-largest-pack; --[no-]detach; --max-cruft-size=text",
    ),
    operands: "",
    effects: CHANGES,
    examples: { ask: ["git gc", "git gc --prune=now", "git gc --auto"] },
  },
  prune: {
    style: "gnu",
    options: optionTable("-n --[no-]dry-run; -v --[no-]verbose; --[no-]progress; --expire=text; --[no-]exclude-promisor-objects"),
    operands: "text*",
    effects: REWRITES,
    examples: { ask: ["git prune"] },
  },
  "repack|prune-packed": {
    style: "gnu",
    options: optionTable(`
      -a; -A; --[no-]cruft; --cruft-expiration=text; -d; -f; -F; -n --dry-run; -q --[no-]quiet; -l --[no-]local; -b --[no-]write-bitmap-index
      -i --[no-]delta-islands; --unpack-unreachable=text; -k --[no-]keep-unreachable; --window=text; --window-memory=text; --depth=text; --threads=text
      --max-pack-size=text; --[no-]pack-kept-objects; --keep-pack=text; -g --geometric=text; -m --[no-]write-midx; --expire-to=write; --filter=text; --filter-to=write`),
    operands: "",
    effects: CHANGES,
    examples: { ask: ["git repack -ad"] },
  },
  "maintenance run": {
    style: "gnu",
    options: optionTable("--[no-]auto; --schedule=text; --[no-]quiet; --task=text; --detach; --no-detach"),
    operands: "",
    effects: CHANGES,
    examples: { ask: ["git maintenance run"] },
  },
  "maintenance start|maintenance stop|maintenance register|maintenance unregister": {
    style: "gnu",
    options: optionTable(
      "--[no-]auto; --schedule=text; --[no-]quiet; --task=text; --scheduler=text -> system schedule; --force; --config-file=write; --detach; --no-detach",
    ),
    operands: "",
    effects: `${CHANGES}, system schedule`,
    examples: { ask: ["git maintenance start"] },
  },
  "update-ref": {
    style: "gnu",
    options: optionTable(
      "-m=text; -d -> danger history-rewrite; --no-deref; --deref; -z; --[no-]stdin -> danger history-rewrite; --[no-]create-reflog",
    ),
    operands: "text*",
    effects: CHANGES,
    examples: { ask: ["git update-ref refs/heads/x HEAD", "git update-ref -d refs/heads/x"] },
  },
};
