import { MERGE, optionTable, PATHSPEC_FILE, SEQUENCER, SIGN } from "./git-options.ts";
import type { SubcommandSpec } from "./spec.ts";

/** What nearly every change of a repository does: its files under `.git` are written, its hooks run. */
const CHANGES = "repository, write $git";
const CHANGES_AND_HOOKS = "repository, write $git, code.project";

/** Git subcommands that change the index, the working tree or history by adding to it. */
export const GIT_CHANGE: Readonly<Record<string, SubcommandSpec>> = {
  add: {
    style: "gnu",
    options: optionTable(
      PATHSPEC_FILE,
      `
      -n --[no-]dry-run; -v --[no-]verbose; -i --[no-]interactive -> terminal; -p --[no-]patch -> terminal
      -e --[no-]edit -> terminal; -f --[no-]force; -u --[no-]update; --[no-]renormalize; -N --[no-]intent-to-add
      -A --[no-]all; --[no-]ignore-removal; --[no-]refresh; --[no-]ignore-errors; --[no-]ignore-missing; --[no-]sparse
      --chmod=text; --no-chmod`,
    ),
    operands: "listtree*",
    effects: "repository",
    // Writes `$git`, unless it only tells what it would do.
    analyse: "git-dry-run",
    examples: {
      allow: ["git add -n .", "git add --dry-run -A"],
      ask: ["git add a.txt", "git add -A", "git add .", "git add -p", "git add -n --no-dry-run ."],
    },
  },
  stage: {
    style: "gnu",
    options: "-A --all\n-u --update\n-v --verbose\n-f --force\n-n --dry-run",
    operands: "list*",
    effects: CHANGES,
    examples: { ask: ["git stage a.txt"] },
  },
  commit: {
    style: "gnu",
    options: optionTable(
      PATHSPEC_FILE,
      "--no-gpg-sign -> danger skips-checks",
      SIGN,
      `
      -q --[no-]quiet; -v --[no-]verbose; -F --file=read; --no-file; --author=text; --no-author; --date=text; --no-date
      -m --message=text; --no-message; -c --reedit-message=text -> terminal; --no-reedit-message; -C --reuse-message=text
      --no-reuse-message; --[no-]fixup=text; --squash=text; --no-squash; --[no-]reset-author; --trailer=text
      -s --[no-]signoff; -t --template=read; --no-template; -e --[no-]edit -> terminal; --cleanup=text; --no-cleanup
      --[no-]status; -a --[no-]all; -i --[no-]include; --[no-]interactive -> terminal; -p --[no-]patch -> terminal
      -o --[no-]only; -n --no-verify -> danger skips-checks; --verify; --[no-]dry-run; --[no-]short; --[no-]branch; --[no-]ahead-behind
      --[no-]porcelain; --[no-]long; -z --[no-]null; --[no-]amend -> danger history-rewrite; --no-post-rewrite
      --[no-]allow-empty; --[no-]allow-empty-message; -u --[no-]untracked-files[=text]`,
    ),
    operands: "list*",
    effects: CHANGES_AND_HOOKS,
    examples: {
      ask: [
        "git commit -m x",
        "git commit -am 'rm -rf ~'",
        "git commit --amend --no-edit",
        "git commit --no-verify -m x",
        "git commit -m \"$(cat <<'EOF'\nfix\nEOF\n)\"",
      ],
      deny: ["git commit -F .env"],
    },
  },
  mv: {
    style: "gnu",
    options: optionTable("-v --[no-]verbose; -n --[no-]dry-run; -f --[no-]force; -k; --[no-]sparse"),
    operands: "rename+ dest",
    effects: CHANGES,
    examples: { ask: ["git mv a.txt c.txt"] },
  },
  rm: {
    style: "gnu",
    options: optionTable(
      PATHSPEC_FILE,
      `
      -n --[no-]dry-run; -q --[no-]quiet; --[no-]cached -> delete becomes list; -f --[no-]force -> danger history-rewrite
      -r -> delete becomes deletetree; --[no-]ignore-unmatch; --[no-]sparse`,
    ),
    operands: "delete*",
    effects: CHANGES,
    examples: { ask: ["git rm a.txt", "git rm -r src", "git rm -f a.txt", "git rm --cached a.txt"], deny: ["git rm -rf ."] },
  },
  // `git-checkout` (analyser): operands after `--`, `.`, and existing paths are files that are overwritten.
  checkout: {
    style: "gnu",
    options: optionTable(
      PATHSPEC_FILE,
      `
      -b=text; -B=text -> danger history-rewrite; -l; --[no-]guess; --[no-]overlay; -q --[no-]quiet; --[no-]recurse-submodules[=text]
      --[no-]progress; -m --[no-]merge; --conflict=text; --no-conflict; -d --[no-]detach; -t --[no-]track[=text]
      -f --[no-]force -> danger history-rewrite; --orphan=text; --no-orphan; --[no-]overwrite-ignore
      --[no-]ignore-other-worktrees; -2 --ours; -3 --theirs; -p --[no-]patch -> terminal; --[no-]ignore-skip-worktree-bits`,
    ),
    operands: "text*",
    effects: CHANGES_AND_HOOKS,
    analyse: "git-checkout",
    examples: {
      ask: [
        "git checkout main",
        "git checkout -b new",
        "git checkout -- a.txt",
        "git checkout .",
        "git checkout -f",
        "git checkout HEAD -- .",
      ],
    },
  },
  switch: {
    style: "gnu",
    options: optionTable(`
      -c --create=text; --no-create; -C --force-create=text -> danger history-rewrite; --no-force-create; --[no-]guess
      --[no-]discard-changes -> danger history-rewrite; -q --[no-]quiet; --[no-]recurse-submodules[=text]; --[no-]progress
      -m --[no-]merge; --conflict=text; --no-conflict; -d --[no-]detach; -t --[no-]track[=text]
      -f --[no-]force -> danger history-rewrite; --orphan=text; --no-orphan; --[no-]overwrite-ignore; --[no-]ignore-other-worktrees`),
    operands: "text*",
    effects: CHANGES_AND_HOOKS,
    examples: { ask: ["git switch main", "git switch -c new", "git switch -f main", "git switch --discard-changes main"] },
  },
  // `git-restore` (analyser): danger history-rewrite, unless only the index is restored (`--staged` without `--worktree`).
  restore: {
    style: "gnu",
    options: optionTable(
      PATHSPEC_FILE,
      `
      -s --source=text; --no-source; -S --[no-]staged; -W --[no-]worktree -> danger history-rewrite; --[no-]ignore-unmerged
      --[no-]overlay; -q --[no-]quiet; --[no-]recurse-submodules[=text]; --[no-]progress; -m --[no-]merge; --conflict=text
      --no-conflict; -2 --ours; -3 --theirs; -p --[no-]patch -> terminal; --[no-]ignore-skip-worktree-bits`,
    ),
    operands: "list*",
    effects: CHANGES,
    analyse: "git-restore",
    examples: { ask: ["git restore a.txt", "git restore .", "git restore --staged a.txt", "git restore -SW a.txt"] },
  },
  reset: {
    style: "gnu",
    options: optionTable(
      PATHSPEC_FILE,
      `
      -q --[no-]quiet; --[no-]refresh; --[no-]mixed; --[no-]soft; --[no-]hard -> danger history-rewrite
      --[no-]merge -> danger history-rewrite; --[no-]keep -> danger history-rewrite; --[no-]recurse-submodules[=text]
      -p --[no-]patch -> terminal; -N --[no-]intent-to-add`,
    ),
    operands: "text*",
    effects: CHANGES,
    examples: { ask: ["git reset", "git reset HEAD a.txt", "git reset --hard", "git reset --har HEAD~3"] },
  },
  "stash|stash push|stash save": {
    style: "gnu",
    options: optionTable(
      PATHSPEC_FILE,
      `
      -k --[no-]keep-index; -S --[no-]staged; -p --[no-]patch -> terminal; -q --[no-]quiet; -u --[no-]include-untracked
      -a --[no-]all; -m --message=text; --no-message`,
    ),
    operands: "list*",
    effects: CHANGES,
    analyse: "git-stashed",
    examples: { ask: ["git stash", "git stash -u", "git stash push -m wip -- a.txt"] },
  },
  "stash pop|stash apply|stash branch": {
    style: "gnu",
    options: optionTable("-q --[no-]quiet; --[no-]index"),
    operands: "text*",
    effects: CHANGES,
    examples: { ask: ["git stash pop", "git stash apply stash@{1}"] },
  },
  "stash create|stash store": {
    style: "gnu",
    options: "-m --message=text\n-q --quiet",
    operands: "text*",
    effects: CHANGES,
    examples: { ask: ["git stash create"] },
  },
  "stash drop|stash clear": {
    style: "gnu",
    options: optionTable("-q --[no-]quiet"),
    operands: "text*",
    effects: `${CHANGES}, danger history-rewrite`,
    examples: { ask: ["git stash drop", "git stash clear", "git stash drop -v", "git stash clear -v"] },
  },
  merge: {
    style: "gnu",
    options: optionTable(
      MERGE,
      SIGN,
      `
      --[no-]rerere-autoupdate; -m --message=text; --no-message; -F --file=read; --into-name=text; --no-into-name; --[no-]abort
      --[no-]quit; --[no-]continue; --[no-]progress; --[no-]overwrite-ignore`,
    ),
    operands: "text*",
    effects: CHANGES_AND_HOOKS,
    examples: { ask: ["git merge feature", "git merge --abort", "git merge --no-verify feature"] },
  },
  "cherry-pick": {
    style: "gnu",
    options: optionTable(
      SEQUENCER,
      SIGN,
      "-x; --[no-]ff; --[no-]allow-empty; --[no-]allow-empty-message; --[no-]keep-redundant-commits; --empty=text",
    ),
    operands: "text*",
    effects: CHANGES_AND_HOOKS,
    examples: { ask: ["git cherry-pick abc123", "git cherry-pick --continue"] },
  },
  revert: {
    style: "gnu",
    options: optionTable(SEQUENCER, SIGN, "--[no-]reference"),
    operands: "text*",
    effects: CHANGES_AND_HOOKS,
    examples: { ask: ["git revert --no-edit HEAD"] },
  },
  // `--unsafe-paths` writes outside the repository; `--check`, `--stat` and the like only read.
  apply: {
    style: "gnu",
    options: optionTable(`
      --exclude=text; --include=text; -p=text; --no-add; --[no-]stat; --[no-]numstat; --[no-]summary; --[no-]check; --[no-]index
      -N --[no-]intent-to-add; --[no-]cached; --[no-]unsafe-paths=refuse; --[no-]apply; -3 --[no-]3way
      --build-fake-ancestor=write; --no-build-fake-ancestor; -z; -C=text; --whitespace=text; --no-whitespace
      --[no-]ignore-space-change; --[no-]ignore-whitespace; -R --[no-]reverse; --[no-]unidiff-zero; --[no-]reject
      --[no-]allow-overlap; -v --[no-]verbose; -q --[no-]quiet; --[no-]inaccurate-eof; --[no-]recount; --directory=text
      --no-directory; --[no-]allow-empty`),
    operands: "read*",
    effects: "repository",
    analyse: "git-apply",
    examples: {
      allow: ["git apply --check x.patch", "git apply --stat x.patch"],
      ask: [
        "git apply x.patch",
        "git apply --unsafe-paths x.patch",
        "git apply --stat --apply x.patch",
        "git apply --check --no-check x.patch",
      ],
    },
  },
  am: {
    style: "gnu",
    options: optionTable(
      SIGN,
      `
      -i --[no-]interactive -> terminal; -3 --[no-]3way; -q --[no-]quiet; -s --[no-]signoff; -u --[no-]utf8; -k --[no-]keep
      --[no-]keep-non-patch; -m --[no-]message-id; --[no-]keep-cr; -c --[no-]scissors; --quoted-cr=text; --whitespace=text
      --no-whitespace; --[no-]ignore-space-change; --[no-]ignore-whitespace; --directory=text; --no-directory; --exclude=text
      --no-exclude; --include=text; --no-include; -C=text; -p=text; --patch-format=text; --no-patch-format; --[no-]reject
      --resolvemsg=text; --no-resolvemsg; --continue; -r --resolved; --skip; --abort; --quit; --show-current-patch[=text]
      --allow-empty; --[no-]committer-date-is-author-date; --[no-]ignore-date; --[no-]rerere-autoupdate; --empty=text; -n --no-verify -> danger skips-checks`,
    ),
    operands: "read*",
    effects: CHANGES_AND_HOOKS,
    analyse: "git-patched",
    examples: { ask: ["git am x.patch", "git am --abort", "git am --no-verify x.patch"] },
  },
  // Lists without an operand or with a listing option; `git-refs` (analyser) adds `write $git` for any other operand.
  "worktree add": {
    style: "gnu",
    options: optionTable(
      "-f --[no-]force; -b=text; -B=text -> danger history-rewrite; -d --[no-]detach; --[no-]checkout; --[no-]lock; --reason=text; --no-reason; -q --[no-]quiet; --[no-]track; --[no-]guess-remote; --orphan",
    ),
    operands: "write text?",
    effects: CHANGES_AND_HOOKS,
    examples: { ask: ["git worktree add ../wt", "git worktree add -b x wt main", "git worktree add -B main wt"] },
  },
  "worktree move|worktree lock|worktree unlock|worktree prune|worktree repair": {
    style: "gnu",
    options: optionTable("-f --[no-]force; --reason=text; -n --[no-]dry-run; -v --[no-]verbose; --expire=text; --no-expire"),
    operands: "write*",
    effects: CHANGES,
    examples: { ask: ["git worktree prune", "git worktree lock wt"] },
  },
  "worktree remove": {
    style: "gnu",
    options: optionTable("-f --[no-]force -> danger history-rewrite"),
    operands: "deletetree",
    effects: CHANGES,
    examples: { ask: ["git worktree remove wt", "git worktree remove --force wt"], deny: ["git worktree remove ~"] },
  },
  "bisect start|bisect bad|bisect new|bisect good|bisect old|bisect skip|bisect next|bisect reset|bisect replay": {
    style: "gnu",
    options: "--term-new --term-bad=text\n--term-old --term-good=text\n--no-checkout\n--first-parent",
    operands: "text*",
    effects: CHANGES_AND_HOOKS,
    examples: { ask: ["git bisect start HEAD v1", "git bisect good"] },
  },
  "bisect run": {
    style: "posix",
    operands: "argv",
    effects: CHANGES_AND_HOOKS,
    examples: { ask: ["git bisect run ls", "git bisect run ./evil"], deny: ["git bisect run rm -rf ~"] },
  },
  init: {
    style: "gnu",
    options: optionTable(`
      --template=lasting/git-hooks; --no-template; --[no-]bare; --shared[=text]; -q --[no-]quiet; --separate-git-dir=write
      --no-separate-git-dir; -b --initial-branch=text; --no-initial-branch; --object-format=text; --ref-format=text`),
    operands: "mkdir?",
    effects: "write .",
    examples: { ask: ["git init", "git init -b main x"] },
  },
};
