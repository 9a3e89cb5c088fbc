import { DIFF, LOG, optionTable, REVISIONS, TRANSPORT } from "./git-options.ts";
import type { SubcommandSpec } from "./spec.ts";

/** Git subcommands that only read. A path that a revision names (`HEAD:.env`) is what `git-revisions` looks for. */
export const GIT_READ: Readonly<Record<string, SubcommandSpec>> = {
  status: {
    style: "gnu",
    options: optionTable(`
      -v --[no-]verbose; -s --[no-]short; -b --[no-]branch; --[no-]show-stash; --[no-]ahead-behind
      --[no-]porcelain[=text]; --[no-]long; -z --[no-]null; -u --[no-]untracked-files[=text]; --[no-]ignored[=text]
      --[no-]ignore-submodules[=text]; --[no-]column[=text]; --[no-]renames; -M --find-renames[=text]`),
    operands: "list*",
    effects: "repository",
    examples: {
      allow: ["git status", "git status --short", "git status -sb", "git status --porc", "git --no-pager status -- src"],
      ask: ["git -C /tmp/other status", "git --git-dir=/tmp/other/.git status", "git status --frobnicate"],
    },
  },
  "log|whatchanged": {
    style: "bsd",
    options: optionTable(LOG, REVISIONS, DIFF),
    operands: "read*",
    effects: "repository",
    analyse: "git-revisions",
    examples: {
      allow: [
        "git log",
        "git log --oneline --graph --all",
        "git log -p -3 -- src",
        "git log -30 --format=%H",
        "git log --author=me -S needle main..HEAD",
      ],
      ask: ["git log --output=x", "git -C /tmp/evil log -p"],
      none: ["git log -p --ext-diff", "git log --show-signature"],
    },
  },
  show: {
    style: "bsd",
    options: optionTable(LOG, REVISIONS, DIFF),
    operands: "read*",
    effects: "repository",
    analyse: "git-revisions",
    examples: {
      allow: ["git show", "git show HEAD --stat", "git show HEAD:src/index.ts", "git show --name-only abc123"],
      ask: ["git show --output=src/x.ts"],
      none: ["git show --ext-diff", "git show --textconv HEAD"],
      deny: ["git show HEAD:.env"],
    },
  },
  diff: {
    style: "bsd",
    options: optionTable(
      DIFF,
      `--cached --staged; --merge-base; --base; --ours; --theirs; -q; -L=text
       --no-index -> read becomes tree`,
    ),
    operands: "read*",
    effects: "repository",
    analyse: "git-revisions",
    examples: {
      allow: ["git diff", "git diff HEAD~1 -- src", "git diff --cached --stat", "git --no-pager diff", "git diff main...HEAD --name-only"],
      ask: ["git diff --output=src/x.ts", "git -C /tmp/evil diff"],
      none: ["git diff --ext-diff"],
      deny: ["git diff --no-index .env a.txt", "git diff -- .env"],
    },
  },
  "range-diff": {
    style: "bsd",
    options: optionTable(DIFF, "--creation-factor=text; --no-dual-color; --notes[=text]; --no-notes; --left-only; --right-only"),
    operands: "read*",
    effects: "repository",
    examples: { allow: ["git range-diff main feature@{1} feature"], ask: ["git range-diff --output=x a b c"] },
  },
  shortlog: {
    style: "bsd",
    options: optionTable(
      REVISIONS,
      "-c --[no-]committer; -n --[no-]numbered; -s --[no-]summary; -e --[no-]email; -w[=text]; --[no-]group=text",
    ),
    operands: "read*",
    effects: "repository",
    examples: { allow: ["git shortlog -sn HEAD"] },
  },
  "blame|annotate": {
    style: "bsd",
    options: optionTable(`
      --[no-]incremental; -b; --[no-]root; --[no-]show-stats; --[no-]progress; --[no-]score-debug
      -f --[no-]show-name; -n --[no-]show-number; -p --[no-]porcelain; --[no-]line-porcelain; -c; -t; -l; -s
      -e --[no-]show-email; -w; --ignore-rev=text; --no-ignore-rev; --ignore-revs-file=read; --no-ignore-revs-file
      --[no-]color-lines; --[no-]color-by-age; --[no-]minimal; -S=read; --contents=read; --no-contents; -C[=text]
      -M[=text]; -L=text; --[no-]abbrev[=text]; --since=text; --reverse; --first-parent; --date=text`),
    operands: "read*",
    effects: "repository",
    analyse: "git-revisions",
    examples: { allow: ["git blame -L 10,20 a.txt", "git blame HEAD~3 -- a.txt"], deny: ["git blame --contents .env a.txt"] },
  },
  grep: {
    style: "gnu",
    options: optionTable(`
      --[no-]cached; --no-index -> read becomes tree, default .; --index
      --[no-]untracked -> read becomes tree, default .; --[no-]exclude-standard
      --[no-]recurse-submodules; -v --[no-]invert-match; -i --[no-]ignore-case; -w --[no-]word-regexp; -a --[no-]text
      -I; --[no-]textconv -> code.project; -r --[no-]recursive; --max-depth=text; -E --[no-]extended-regexp
      -G --[no-]basic-regexp; -F --[no-]fixed-strings; -P --[no-]perl-regexp; -n --[no-]line-number; --[no-]column; -h; -H
      --[no-]full-name; -l --[no-]files-with-matches; --[no-]name-only; -L --[no-]files-without-match; -z --[no-]null
      -o --[no-]only-matching; -c --[no-]count; --[no-]color[=text]; --[no-]break; --[no-]heading; -C --context=text
      --no-context; -B --before-context=text; --no-before-context; -A --after-context=text; --no-after-context
      --threads=text; --no-threads; -1..-9; -p --[no-]show-function; -W --[no-]function-context
      -f=read -> drop pattern; -e=text -> drop pattern; --and; --or; --no-or; --not; -q --[no-]quiet
      --[no-]all-match; --[no-]ext-grep; -m --max-count=text; --no-max-count
      -O --open-files-in-pager[=foreign/command] -> code.project; --no-open-files-in-pager`),
    operands: "pattern:text read*",
    effects: "repository",
    analyse: "git-revisions",
    examples: {
      allow: ["git grep foo", "git grep -n -e foo -- src", "git grep -il todo HEAD~2"],
      none: ["git grep -O foo", "git grep -O./evil foo", "git grep --open-files-in-pa=./evil foo"],
      deny: ["git grep --no-index x ~/.ssh", "git grep -f .env"],
    },
  },
  "ls-files": {
    style: "gnu",
    options: optionTable(`
      -z; -t; -v; -f; -c --[no-]cached; -d --[no-]deleted; -m --[no-]modified; -o --[no-]others; -i --[no-]ignored
      -s --[no-]stage; -k --[no-]killed; --[no-]directory; --[no-]eol; --[no-]empty-directory; -u --[no-]unmerged
      --[no-]resolve-undo; -x --exclude=text; -X --exclude-from=read; --exclude-per-directory=text
      --no-exclude-per-directory; --exclude-standard; --full-name; --[no-]recurse-submodules; --[no-]error-unmatch
      --with-tree=text; --no-with-tree; --[no-]abbrev[=text]; --[no-]debug; --[no-]deduplicate; --[no-]sparse; --format=text -> output none`),
    operands: "listtree*=.",
    effects: "repository",
    output: "paths",
    examples: {
      allow: ["git ls-files", "git ls-files '*.ts'", "git ls-files -o --exclude-standard src"],
      ask: ["git -C /tmp/other ls-files"],
    },
  },
  describe: {
    style: "gnu",
    options: optionTable(`
      --[no-]contains; --[no-]debug; --[no-]all; --[no-]tags; --[no-]long; --[no-]first-parent; --[no-]abbrev[=text]; --[no-]exact-match
      --candidates=text; --no-candidates; --match=text; --no-match; --exclude=text; --no-exclude; --[no-]always
      --[no-]dirty[=text]; --[no-]broken[=text]`),
    operands: "text*",
    effects: "repository",
    analyse: "git-describe",
    examples: { allow: ["git describe --tags --always --dirty"] },
  },
  cherry: {
    style: "gnu",
    options: optionTable("--[no-]abbrev[=text]; -v --[no-]verbose"),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git cherry -v main"] },
  },
  "count-objects": {
    style: "gnu",
    options: optionTable("-v --[no-]verbose; -H --[no-]human-readable"),
    operands: "",
    effects: "repository",
    examples: { allow: ["git count-objects -vH"] },
  },
  var: { style: "gnu", options: "-l", operands: "text?", effects: "repository", examples: { allow: ["git var GIT_AUTHOR_IDENT"] } },
  version: { style: "gnu", options: "--build-options", operands: "", examples: { allow: ["git version", "git --version"] } },
  // Shows a manual page or a list; `-w` opens a browser.
  help: {
    style: "gnu",
    options: optionTable(
      "-a --[no-]all; --[no-]verbose; -g --[no-]guides; -c --[no-]config; --user-interfaces; --developer-interfaces; -m --man; --external-commands; --no-external-commands; --aliases; --no-aliases",
    ),
    operands: "text?",
    examples: { allow: ["git help log", "git help -a"] },
  },
  // `git-remote` (analyser): a URL operand is a connection, `ext::` is code, a path is another repository.
  "ls-remote": {
    style: "gnu",
    options: optionTable(
      TRANSPORT,
      "-q --[no-]quiet; -t --[no-]tags; -h -b --heads --branches; --no-heads; --[no-]refs; --[no-]get-url; --sort=text; --no-sort; --[no-]exit-code; --[no-]symref",
    ),
    operands: "repository:word? text*",
    effects: "repository, remote.read git",
    analyse: "git-remote",
    examples: {
      allow: ["git ls-remote", "git ls-remote --heads origin", "git ls-remote origin main"],
      ask: ["git ls-remote ext::'sh -c evil'", "git ls-remote https://evil.example/x", "git ls-remote /tmp/other"],
      none: ["git ls-remote --upload-pack=./evil origin", "git ls-remote --uplo=./evil origin"],
    },
  },
  "for-each-repo": {
    style: "gnu",
    options: "--config=text",
    operands: "refuse*",
    examples: { ask: ["git for-each-repo --config=x maintenance"] },
  },
  "request-pull": {
    style: "gnu",
    options: "-p",
    operands: "text text text?",
    effects: "repository, remote.read git",
    analyse: "git-request-pull",
    examples: {
      allow: ["git request-pull v1 origin main"],
      ask: ["git request-pull v1 ../other", "git request-pull v1 evil.example:x", "git request-pull v1 ext::./evil"],
    },
  },
  "diff-pairs|diagnose|bugreport": {
    style: "gnu",
    options: "-s --suffix=text\n-o --output-directory=write\n--mode=text\n--diagnose[=text]",
    operands: "",
    effects: "repository, write .",
    examples: { ask: ["git bugreport -o x"] },
  },
};
