import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Version control besides git, and what rewrites or searches repositories.

const HG = rows(
  "-r --rev=text; -l --limit=number; -p --patch; -g --git; -v --verbose; -q --quiet; -T --template=read; -G --graph; --stat; -m --modified; -a --added; -d --deleted; -u --unknown; -n --no-status; -I --include=text; -X --exclude=text; -c --change=text; -w; -b; -U --unified=number; --color=text; --pager=text; -i; -0; -A --all; -f --follow; -k --keyword=text; -M --no-merges; --user=text; --date=text; -t; --id; --num; --branch",
);

export const vcs: readonly CommandSpec[] = [
  {
    names: "svn svnadmin svnlook svnversion",
    upkeep: ["write ~/.subversion/auth/**", "write ~/.subversion/README.txt", "write ~/.subversion/config", "write ~/.subversion/servers"],
    summary: "Subversion",
    style: "posix",
    options: "--version -> stop\n-h --help -> stop\n-q --quiet\n--non-interactive",
    subcommands: {
      "status|stat|st|log|info|diff|di|cat|list|ls|blame|praise|annotate|ann|propget|pget|pg|proplist|plist|pl|help|mergeinfo": {
        style: "gnu",
        options: rows(
          "-r --revision=text; -v --verbose; -q --quiet; -u --show-updates; -l --limit=number; -c --change=text; --xml; --stop-on-copy; --summarize; -R --recursive; --depth=text; -N --non-recursive; --no-ignore; --show-item=text; --no-newline; --non-interactive; -g --use-merge-history; --ignore-externals; --git; -x --extensions=text; --internal-diff; --no-diff-deleted; --search=text; --incremental",
          "# run programs: --diff-cmd --editor-cmd --config-option --config-dir --diff",
        ),
        operands: "read*",
        effects: "remote.read svn",
        examples: {
          allow: ["svn status", "svn log -l 5", "svn diff a.txt"],
          ask: ["svn diff --diff-cmd ./evil", "svn ls svn://evil.example", "svn log --config-option=config:tunnels:x=evil"],
          deny: ["svn cat .env"],
        },
      },
      "update|up|checkout|co|switch|sw|add|copy|cp|move|mv|rename|mkdir|merge|resolve|resolved|patch|propset|pset|ps|propedit|propdel|pdel|pd|changelist|cleanup|upgrade|relocate|export|lock|unlock|create|dump|load|hotcopy|setlog":
        {
          style: "none",
          operands: "text*",
          effects: "remote.read svn, write .",
          examples: { ask: ["svn update", "svn propset svn:externals x .", "svn checkout svn://evil.example/x"] },
        },
      revert: {
        style: "none",
        operands: "text*",
        effects: "writetree ., danger history-rewrite",
        examples: { ask: ["svn revert a.txt", "svn revert -R ."] },
      },
      "commit|ci|import": {
        style: "none",
        operands: "text*",
        effects: "remote.publish svn, danger publish",
        examples: { ask: ["svn commit -m x"] },
      },
      "delete|del|remove|rm": {
        style: "none",
        operands: "text*",
        effects: "remote.destroy svn, danger remote-destroy",
        examples: { ask: ["svn rm -m x https://h/r"] },
      },
    },
    examples: { allow: ["svn --version"], none: ["svn frobnicate"] },
  },
  {
    names: "hg",
    summary: "Mercurial; configuration and extensions of the repository run",
    style: "posix",
    options: rows(
      "--version -> stop; -h --help -> stop; -q --quiet; -v --verbose; -R --repository --cwd=dir; -y --noninteractive",
      "# runs programs: --config --config-file --debugger",
    ),
    subcommands: {
      "status|st|log|history|diff|cat|annotate|blame|branches|tags|heads|identify|id|parents|paths|manifest|files|summary|root|version|help|grep|locate|export|tip|incoming|outgoing|resolve -l":
        {
          style: "gnu",
          options: HG,
          operands: "read*",
          effects: "repository, remote.read hg",
          examples: {
            allow: ["hg status", "hg log -l 5", "hg diff -c tip", "hg id"],
            ask: ["hg log --config extensions.x=./evil.py", "hg -R /tmp/evil status", "hg cat -o out a.txt"],
            deny: ["hg cat .env"],
          },
        },
      // With a name they set or make it.
      "branch|bookmarks|bookmark": {
        style: "gnu",
        options: "-q --quiet\n-v --verbose\n-T --template=read",
        operands: "",
        effects: "repository, remote.read hg",
        examples: {
          allow: ["hg branch", "hg bookmarks"],
          ask: ["hg branch x", "hg bookmarks x", "hg bookmark x", "hg branch -C", "hg bookmarks -d x", "hg bookmarks -r tip x"],
        },
      },
      phase: {
        style: "gnu",
        options: "-r --rev=text",
        operands: "text*",
        effects: "repository, remote.read hg",
        examples: { allow: ["hg phase -r tip"], ask: ["hg phase -d tip", "hg phase --public tip"] },
      },
      "add|addremove|update|up|checkout|co|pull|clone|commit|ci|merge|graft|import|copy|mv|rename|remove|rm|tag|shelve|unshelve|init|forget|backout|bisect|unbundle|archive|bundle|serve|convert":
        {
          style: "none",
          operands: "text*",
          effects: "code.project, remote.read hg, write .",
          examples: { ask: ["hg commit -m x", "hg pull -u", "hg bisect --command ./evil"] },
        },
      "revert|rebase|strip|histedit|amend|rollback|purge|evolve|prune|absorb|uncommit": {
        style: "none",
        operands: "text*",
        effects: "code.project, danger history-rewrite",
        examples: { ask: ["hg revert --all", "hg strip tip", "hg purge --all"] },
      },
      push: {
        style: "none",
        operands: "text*",
        effects: "code.project, remote.publish hg, danger publish",
        examples: { ask: ["hg push -f"] },
      },
    },
    examples: { allow: ["hg --version"], none: ["hg frobnicate"] },
  },
  {
    names: "jj",
    summary: "Jujutsu; every command records the working copy",
    style: "posix",
    options: rows(
      "-R --repository=dir; --no-pager; --color=text; --quiet; --ignore-working-copy; --at-op --at-operation=text; -V --version -> stop; -h --help -> stop",
      "# chooses programs: --config --config-file --config-toml",
    ),
    upkeep: ["write .jj/**"],
    subcommands: {
      "log|status|st|diff|show|op log|operation log|bookmark list|branch list|tag list|file list|file show|file annotate|config list|config get|root|version|help|workspace list|workspace root|git remote list|evolog|obslog|interdiff":
        {
          style: "bsd",
          options: rows(
            "-r --revisions --revision=text; -n --limit=number; -p --patch; -s --summary; --stat; --types; --name-only; --git; --color-words; --context=number; -T --template=text; --no-graph; --reversed; --from=text; --to=text; -a --all-remotes",
            "# runs a program: --tool",
          ),
          operands: "text*",
          effects: "repository",
          examples: {
            allow: ["jj log", "jj st", "jj diff --git", "jj op log -n 5"],
            ask: ["jj diff --tool ./evil", "jj --config ui.pager=./evil log"],
          },
        },
      "new|commit|ci|describe|desc|edit|next|prev|squash|split|rebase|duplicate|bookmark|branch|tag|git fetch|git clone|git init|git import|git export|git remote|resolve|config set|config edit|workspace|file track|file untrack|file chmod|sparse|fix|sign|parallelize|absorb|diffedit|metaedit":
        { style: "none", operands: "text*", effects: "code.project, write .", examples: { ask: ["jj new", "jj commit -m x", "jj fix"] } },
      "abandon|restore|undo|op restore|op undo|op abandon|revert|backout": {
        style: "none",
        operands: "text*",
        effects: "danger history-rewrite",
        examples: { ask: ["jj abandon", "jj restore", "jj op restore x"] },
      },
      "git push": {
        style: "none",
        operands: "text*",
        effects: "remote.publish git, danger force-push, danger publish",
        examples: { ask: ["jj git push --all"] },
      },
    },
    examples: { allow: ["jj --version"], none: ["jj util exec -- rm x"] },
  },
  {
    names:
      "git-filter-repo git-filter-branch bfg git-crypt git-secret git-annex gitui git-absorb git-machete git-branchless git-town git-spice gt sl sapling fossil bzr brz cvs p4 darcs pijul",
    summary: "changes repositories in ways not told apart here",
    style: "none",
    operands: "code/project?=default code/project*",
    effects: "danger history-rewrite",
    examples: { ask: ["git-filter-repo --path x", "bfg --delete-files x", "cvs commit", "p4 obliterate x", "git-crypt unlock"] },
  },
  {
    names: "gitleaks trufflehog detect-secrets git-secrets noseyparker talisman whispers",
    summary: "finds secrets, and prints them",
    style: "none",
    operands: "text*",
    effects: "tree ., environment, net",
    examples: { ask: ["gitleaks detect", "trufflehog filesystem ."] },
  },
  {
    names: "git-lfs",
    // It notes the version of its format where it is asked anything.
    upkeep: ["write $git/config", "write $git/lfs/**"],
    style: "posix",
    subcommands: {
      "ls-files|env|status|version|locks|track": {
        style: "bsd",
        options: "-l --long\n-s --size\n-n --name-only\n--json",
        operands: "",
        effects: "repository",
        examples: { allow: ["git-lfs ls-files", "git-lfs version"] },
      },
      "fetch|pull|push|install|uninstall|migrate|prune|checkout|lock|unlock|untrack|clone|dedup|fsck|update": {
        style: "none",
        operands: "text*",
        effects: "code.project, remote.change git, write .",
        examples: { ask: ["git-lfs pull", "git-lfs migrate import"] },
      },
    },
    examples: { none: ["git-lfs filter-process"] },
  },
];
