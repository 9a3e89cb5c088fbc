import { DIFF, optionTable, REF_LIST, REVISIONS } from "./git-options.ts";
import type { SubcommandSpec } from "./spec.ts";

/** Git subcommands that scripts read with. */
export const GIT_PLUMBING: Readonly<Record<string, SubcommandSpec>> = {
  "diff-tree|diff-files|diff-index": {
    style: "bsd",
    options: optionTable(DIFF, REVISIONS, "--cached; --merge-base; -r; --root; --no-commit-id; -v; -q"),
    operands: "read*",
    effects: "repository",
    analyse: "git-revisions",
    examples: {
      allow: ["git diff-tree --no-commit-id --name-only -r HEAD", "git diff-index --cached HEAD"],
      ask: ["git diff-tree --output=x HEAD"],
    },
  },
  "ls-tree": {
    style: "gnu",
    options: optionTable(
      "-d; -r; -t; -z; -l --long; --name-only; --name-status; --object-only; --[no-]full-name; --[no-]full-tree; --format=text; --[no-]abbrev[=text]",
    ),
    operands: "text*",
    effects: "repository",
    analyse: "git-tree-names",
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
    examples: {
      allow: ["git cat-file -p HEAD", "git cat-file -t abc123"],
      none: ["git cat-file --textconv HEAD:a.txt"],
      deny: ["git cat-file -p HEAD:.env"],
    },
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
    analyse: "git-rev-parse",
    examples: {
      allow: ["git rev-parse HEAD", "git rev-parse --show-toplevel", "git rev-parse --abbrev-ref HEAD", "git rev-parse --short=8 HEAD~1"],
    },
  },
  "rev-list": {
    style: "bsd",
    options: optionTable(
      REVISIONS,
      `
      --objects; --objects-edge; --objects-edge-aggressive; --in-commit-order; --indexed-objects; --unpacked
      --object-names; --no-object-names; --filter=text; --no-filter; --filter-provided-objects; --filter-print-omitted
      --missing=text; --exclude-promisor-objects; --header; --commit-header; --no-commit-header; --timestamp; --count
      --disk-usage[=text]; --bisect-vars; --bisect-all; --quiet; --abbrev[=text]; --no-abbrev; --progress=text`,
    ),
    operands: "read*",
    effects: "repository",
    analyse: "git-rev-list",
    examples: { allow: ["git rev-list --count HEAD", "git rev-list -n1 HEAD -- src"] },
  },
  "merge-base": {
    style: "gnu",
    options: optionTable("-a --[no-]all; --octopus; --independent; --is-ancestor; --fork-point"),
    operands: "text*",
    effects: "repository",
    analyse: "git-merge-base",
    examples: { allow: ["git merge-base main HEAD", "git merge-base --is-ancestor a b"] },
  },
  "for-each-ref": {
    style: "gnu",
    options: optionTable(
      REF_LIST,
      "-s --[no-]shell; -p --[no-]perl; --[no-]python; --[no-]tcl; --count=text; --no-count; --stdin; --exclude=text; --include-root-refs; --omit-empty",
    ),
    operands: "text*",
    effects: "repository",
    analyse: "git-ref-names",
    examples: {
      allow: ["git for-each-ref --sort=-committerdate --format='%(refname:short)' refs/heads", "git for-each-ref --merged main"],
    },
  },
  "show-ref": {
    style: "gnu",
    options: optionTable(
      "--[no-]tags; --[no-]heads; --branches; --[no-]verify; --exists; --[no-]head; -d --[no-]dereference; -s --[no-]hash[=text]; --[no-]abbrev[=text]; -q --[no-]quiet; --exclude-existing[=text]",
    ),
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
  "name-rev": {
    style: "gnu",
    options: optionTable(
      "--[no-]name-only; --[no-]tags; --refs=text; --no-refs; --exclude=text; --no-exclude; --[no-]all; --[no-]stdin; --[no-]annotate-stdin; --[no-]undefined; --[no-]always",
    ),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git name-rev HEAD"] },
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
  "check-mailmap": {
    style: "gnu",
    options: optionTable("--[no-]stdin"),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git check-mailmap 'A <a@b>'"] },
  },
  "check-ref-format": {
    style: "gnu",
    options: "--branch\n--normalize\n--allow-onelevel\n--no-allow-onelevel\n--refspec-pattern",
    operands: "text",
    examples: { allow: ["git check-ref-format --branch x"] },
  },
};
