import { DIFF, LOG, optionTable, REF_LIST, REVISIONS, TRANSPORT } from "./git-options.ts";
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
      allow: ["git log", "git log --oneline --graph --all", "git log -p -3 -- src", "git log -30 --format=%H", "git log --author=me -S needle main..HEAD"],
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
  "diff-tree|diff-files|diff-index": {
    style: "bsd",
    options: optionTable(DIFF, REVISIONS, "--cached; --merge-base; -r; --root; --no-commit-id; -v; -q"),
    operands: "read*",
    effects: "repository",
    analyse: "git-revisions",
    examples: { allow: ["git diff-tree --no-commit-id --name-only -r HEAD", "git diff-index --cached HEAD"], ask: ["git diff-tree --output=x HEAD"] },
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
    options: optionTable(REVISIONS, "-c --[no-]committer; -n --[no-]numbered; -s --[no-]summary; -e --[no-]email; -w[=text]; --[no-]group=text"),
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
      --with-tree=text; --no-with-tree; --[no-]abbrev[=text]; --[no-]debug; --[no-]deduplicate; --[no-]sparse; --format=text`),
    operands: "listtree*=.",
    effects: "repository",
    output: "paths",
    examples: { allow: ["git ls-files", "git ls-files '*.ts'", "git ls-files -o --exclude-standard src"], ask: ["git -C /tmp/other ls-files"] },
  },
  "ls-tree": {
    style: "gnu",
    options: optionTable("-d; -r; -t; -z; -l --long; --name-only; --name-status; --object-only; --[no-]full-name; --[no-]full-tree; --format=text; --[no-]abbrev[=text]"),
    operands: "text*",
    effects: "repository",
    output: "paths",
    examples: { allow: ["git ls-tree -r HEAD --name-only", "git ls-tree HEAD src/"] },
  },
  "cat-file": {
    style: "gnu",
    options: optionTable(`
      -e; -p; -t; -s; --[no-]allow-unknown-type; --[no-]use-mailmap; --[no-]mailmap; --batch[=text]; --batch-check[=text]; -z; -Z
      --batch-command[=text]; --batch-all-objects; --[no-]buffer; --[no-]follow-symlinks; --[no-]unordered
      --textconv -> code.project; --filters -> code.project; --path=text; --no-path; --filter=text`),
    operands: "text*",
    effects: "repository",
    analyse: "git-revisions",
    examples: { allow: ["git cat-file -p HEAD", "git cat-file -t abc123"], none: ["git cat-file --textconv HEAD:a.txt"], deny: ["git cat-file -p HEAD:.env"] },
  },
  "rev-parse": {
    style: "bsd",
    options: optionTable(`
      --revs-only; --no-revs; --flags; --no-flags; --default=text; --prefix=text; --verify; -q --quiet; --sq; --short[=text]
      --not; --abbrev-ref[=text]; --symbolic; --symbolic-full-name; --all; --branches[=text]; --tags[=text]
      --remotes[=text]; --glob=text; --exclude=text; --exclude-hidden=text; --disambiguate=text; --local-env-vars
      --path-format=text; --git-dir; --git-common-dir; --resolve-git-dir=list; --git-path=text; --show-toplevel
      --show-superproject-working-tree; --shared-index-path; --absolute-git-dir; --is-inside-git-dir
      --is-inside-work-tree; --is-bare-repository; --is-shallow-repository; --show-cdup; --show-prefix
      --show-object-format[=text]; --show-ref-format; --since --after=text; --until --before=text; --end-of-options`),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git rev-parse HEAD", "git rev-parse --show-toplevel", "git rev-parse --abbrev-ref HEAD", "git rev-parse --short=8 HEAD~1"] },
  },
  "rev-list": {
    style: "bsd",
    options: optionTable(REVISIONS, `
      --objects; --objects-edge; --objects-edge-aggressive; --in-commit-order; --indexed-objects; --unpacked
      --object-names; --no-object-names; --filter=text; --no-filter; --filter-provided-objects; --filter-print-omitted
      --missing=text; --exclude-promisor-objects; --header; --commit-header; --no-commit-header; --timestamp; --count
      --disk-usage[=text]; --bisect-vars; --bisect-all; --quiet; --abbrev[=text]; --no-abbrev; --progress=text`),
    operands: "read*",
    effects: "repository",
    examples: { allow: ["git rev-list --count HEAD", "git rev-list -n1 HEAD -- src"] },
  },
  "merge-base": {
    style: "gnu",
    options: optionTable("-a --[no-]all; --octopus; --independent; --is-ancestor; --fork-point"),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git merge-base main HEAD", "git merge-base --is-ancestor a b"] },
  },
  "for-each-ref": {
    style: "gnu",
    options: optionTable(REF_LIST, "-s --[no-]shell; -p --[no-]perl; --[no-]python; --[no-]tcl; --count=text; --no-count; --stdin; --exclude=text; --include-root-refs; --omit-empty"),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git for-each-ref --sort=-committerdate --format='%(refname:short)' refs/heads", "git for-each-ref --merged main"] },
  },
  "show-ref": {
    style: "gnu",
    options: optionTable("--[no-]tags; --[no-]heads; --branches; --[no-]verify; --exists; --[no-]head; -d --[no-]dereference; -s --[no-]hash[=text]; --[no-]abbrev[=text]; -q --[no-]quiet; --exclude-existing[=text]"),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git show-ref --heads"] },
  },
  "show-branch": {
    style: "gnu",
    options: optionTable(`
      -a --[no-]all; -r --[no-]remotes; --[no-]color[=text]; --[no-]more[=text]; --[no-]list; --no-name; --[no-]current
      --[no-]sha1-name; --[no-]merge-base; --[no-]independent; --[no-]topo-order; --[no-]topics; --[no-]sparse; --[no-]date-order; -g --reflog[=text]`),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git show-branch --all"] },
  },
  describe: {
    style: "gnu",
    options: optionTable(`
      --[no-]contains; --[no-]debug; --[no-]all; --[no-]tags; --[no-]long; --[no-]first-parent; --[no-]abbrev[=text]; --[no-]exact-match
      --candidates=text; --no-candidates; --match=text; --no-match; --exclude=text; --no-exclude; --[no-]always
      --[no-]dirty[=text]; --[no-]broken[=text]`),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git describe --tags --always --dirty"] },
  },
  "name-rev": {
    style: "gnu",
    options: optionTable("--[no-]name-only; --[no-]tags; --refs=text; --no-refs; --exclude=text; --no-exclude; --[no-]all; --[no-]stdin; --[no-]annotate-stdin; --[no-]undefined; --[no-]always"),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git name-rev HEAD"] },
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
  "check-ignore": {
    style: "gnu",
    options: optionTable("-q --[no-]quiet; -v --[no-]verbose; --[no-]stdin; -z; -n --[no-]non-matching; --no-index; --index"),
    operands: "list*",
    effects: "repository",
    examples: { allow: ["git check-ignore -v .env", "git check-ignore node_modules"] },
  },
  "check-attr": {
    style: "gnu",
    options: optionTable("-a --[no-]all; --[no-]cached; --[no-]stdin; -z; --source=text"),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git check-attr -a -- a.txt"] },
  },
  "check-mailmap": { style: "gnu", options: optionTable("--[no-]stdin"), operands: "text*", effects: "repository", examples: { allow: ["git check-mailmap 'A <a@b>'"] } },
  "check-ref-format": { style: "gnu", options: "--branch\n--normalize\n--allow-onelevel\n--no-allow-onelevel\n--refspec-pattern", operands: "text", examples: { allow: ["git check-ref-format --branch x"] } },
  var: { style: "gnu", options: "-l", operands: "text?", effects: "repository", examples: { allow: ["git var GIT_AUTHOR_IDENT"] } },
  version: { style: "gnu", options: "--build-options", operands: "", examples: { allow: ["git version", "git --version"] } },
  // Shows a manual page or a list; `-w` opens a browser.
  help: {
    style: "gnu",
    options: optionTable("-a --[no-]all; --[no-]verbose; -g --[no-]guides; -c --[no-]config; --user-interfaces; --developer-interfaces; -m --man; --external-commands; --no-external-commands; --aliases; --no-aliases"),
    operands: "text?",
    examples: { allow: ["git help log", "git help -a"] },
  },
  // `git-remote` (analyser): a URL operand is a connection, `ext::` is code, a path is another repository.
  "ls-remote": {
    style: "gnu",
    options: optionTable(TRANSPORT, "-q --[no-]quiet; -t --[no-]tags; -h -b --heads --branches; --no-heads; --[no-]refs; --[no-]get-url; --sort=text; --no-sort; --[no-]exit-code; --[no-]symref"),
    operands: "repository:word? text*",
    effects: "repository, remote.read git",
    analyse: "git-remote",
    examples: {
      allow: ["git ls-remote", "git ls-remote --heads origin", "git ls-remote origin main"],
      ask: ["git ls-remote ext::'sh -c evil'", "git ls-remote https://evil.example/x", "git ls-remote /tmp/other"],
      none: ["git ls-remote --upload-pack=./evil origin", "git ls-remote --uplo=./evil origin"],
    },
  },
  "for-each-repo": { style: "gnu", options: "--config=text", operands: "refuse*", examples: { ask: ["git for-each-repo --config=x maintenance"] } },
  "request-pull": { style: "gnu", options: "-p", operands: "text text text?", effects: "repository, remote.read git", analyse: "git-remote", examples: { allow: ["git request-pull v1 origin main"] } },
  "diff-pairs|diagnose|bugreport": {
    style: "gnu",
    options: "-s --suffix=text\n-o --output-directory=write\n--mode=text\n--diagnose[=text]",
    operands: "",
    effects: "repository, write .",
    examples: { ask: ["git bugreport -o x"] },
  },
};
