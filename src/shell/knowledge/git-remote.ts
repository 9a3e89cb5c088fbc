import { FETCH, MERGE, optionTable, SIGN, TRANSPORT } from "./git-options.ts";
import type { SubcommandSpec } from "./spec.ts";

/**
 * Git subcommands that reach other repositories. `git-remote` (analyser) reads the repository operand: the name of a
 * configured remote is nothing more; a URL is a connection to its host; `ext::…` and other helpers are foreign code; a path is
 * another repository. `git-push` does that and finds `+refspec`, `:ref` and `refs/…:` deletions (danger force-push).
 */
export const GIT_REMOTE: Readonly<Record<string, SubcommandSpec>> = {
  fetch: {
    style: "gnu",
    options: optionTable(
      FETCH,
      TRANSPORT,
      `
      -v --[no-]verbose; -q --[no-]quiet; -m --[no-]multiple; -n; --[no-]prefetch; -P --[no-]prune-tags; --[no-]write-fetch-head
      -u --[no-]update-head-ok; --refetch; --[no-]negotiate-only; --filter=text; --no-filter; --[no-]auto-maintenance; --[no-]auto-gc
      --[no-]write-commit-graph; --[no-]stdin; --porcelain`,
    ),
    operands: "repository:word? text*",
    effects: "repository, remote.read git, write $git",
    analyse: "git-remote",
    examples: {
      ask: [
        "git fetch",
        "git fetch --all --prune",
        "git fetch origin main",
        "git fetch --upload-pack=./evil origin",
        "git fetch ext::'sh -c evil'",
      ],
    },
  },
  pull: {
    style: "gnu",
    options: optionTable(FETCH, MERGE, TRANSPORT, SIGN, "-r --[no-]rebase[=text]"),
    operands: "repository:word? text*",
    effects: "repository, remote.read git, write $git, code.project",
    analyse: "git-remote",
    examples: { ask: ["git pull", "git pull --rebase origin main", "git pull --ff-only", "git pull --no-verify"] },
  },
  clone: {
    style: "gnu",
    options: optionTable(
      TRANSPORT,
      `
      -v --[no-]verbose; -q --[no-]quiet; --[no-]reject-shallow; -n --no-checkout; --[no-]bare; --[no-]mirror; -l --[no-]local; --no-hardlinks
      -s --[no-]shared; --[no-]recurse-submodules[=text]; --[no-]recursive[=text]; -j --jobs=text; --template=lasting/git-hooks; --reference=read
      --reference-if-able=read; --[no-]dissociate; --origin=text; -b --branch=text; --depth=text; --shallow-since=text; --shallow-exclude=text
      --[no-]single-branch; --no-tags; --tags; --[no-]shallow-submodules; --separate-git-dir=write; -c --config=lasting/git-config; --filter=text
      --[no-]also-filter-submodules; --[no-]remote-submodules; --[no-]sparse; --bundle-uri=url; --revision=text; --ref-format=text
      -u=foreign/command`,
    ),
    operands: "repository:word directory:mkdir?",
    effects: "remote.read git, net, write .",
    analyse: "git-remote",
    examples: {
      ask: [
        "git clone https://example.com/x.git",
        "git clone git@example.com:x/y z",
        "git clone -u ./evil a b",
        "git clone -c core.fsmonitor=./evil a b",
      ],
    },
  },
  push: {
    style: "gnu",
    options: optionTable(`
      -v --[no-]verbose; -q --[no-]quiet; --repo=text; --no-repo; --[no-]all; --branches; --[no-]mirror -> danger force-push
      -d --[no-]delete -> danger force-push; --[no-]tags; -n --[no-]dry-run; --[no-]porcelain; -f --[no-]force -> danger force-push
      --[no-]force-with-lease[=text] -> danger force-push; --[no-]force-if-includes; --recurse-submodules=text; --no-recurse-submodules; --[no-]thin
      --receive-pack=foreign/command; --no-receive-pack; --exec=foreign/command; --no-exec; -u --[no-]set-upstream; --[no-]progress
      --[no-]prune -> danger force-push; --no-verify -> danger skips-checks; --verify; --[no-]follow-tags; --[no-]signed[=text]; --[no-]atomic; -o --push-option=text
      --no-push-option; -4 --[no-]ipv4; -6 --[no-]ipv6`),
    operands: "repository:word? text*",
    effects: "repository, remote.change git, code.project",
    analyse: "git-push",
    examples: {
      ask: [
        "git push",
        "git push origin main",
        "git push -u origin HEAD",
        "git push --tags",
        "git push --no-verify",
        "git push --force",
        "git push -f origin main",
        "git push origin +main",
        "git push origin :old",
        "git push --delete origin old",
        "git push --force-with-lease",
        "git push --mirror",
        "git push --forc",
        "git push -uf origin x",
      ],
    },
  },
  remote: {
    style: "gnu",
    options: optionTable("-v --[no-]verbose"),
    operands: "",
    effects: "repository",
    examples: { allow: ["git remote", "git remote -v"], ask: ["git -C /tmp/other remote -v"] },
  },
  "remote get-url": {
    style: "gnu",
    options: optionTable("--[no-]push; --[no-]all"),
    operands: "text",
    effects: "repository",
    examples: { allow: ["git remote get-url origin", "git remote get-url --all origin"] },
  },
  "remote show": {
    style: "gnu",
    options: "-n",
    operands: "text*",
    effects: "repository, remote.read git",
    analyse: "git-remote",
    examples: { allow: ["git remote show origin", "git remote show -n origin"] },
  },
  "remote add|remote set-url": {
    style: "gnu",
    options: optionTable(
      "-f --[no-]fetch -> remote.read git; --[no-]tags; -t --track=text; --no-track; -m --master=text; --no-master; --mirror[=text]; --no-mirror; --push; --add; --delete",
    ),
    operands: "text text text?",
    effects: "repository, write $git/config",
    analyse: "git-remote",
    examples: { ask: ["git remote add x ext::sh", "git remote add up https://example.com/x.git", "git remote set-url origin git@h:x"] },
  },
  "remote rename|remote remove|remote rm|remote set-head|remote set-branches": {
    style: "gnu",
    options: optionTable("-a --auto -> remote.read git; -d --delete; --add; --[no-]progress"),
    operands: "text*",
    effects: "repository, write $git",
    examples: { ask: ["git remote remove up", "git remote rename a b"] },
  },
  "remote update|remote prune": {
    style: "gnu",
    options: optionTable("-p --[no-]prune; -n --[no-]dry-run"),
    operands: "text*",
    effects: "repository, remote.read git, write $git",
    analyse: "git-remote",
    examples: { ask: ["git remote update", "git remote prune origin"] },
  },
  "submodule|submodule status|submodule summary": {
    style: "gnu",
    options: optionTable("-q --quiet; --cached; --recursive; --files; -n --summary-limit=text; --for-status"),
    operands: "list*",
    effects: "repository",
    examples: { allow: ["git submodule status --recursive", "git submodule"] },
  },
  "submodule foreach": {
    style: "posix",
    options: "-q --quiet\n--recursive",
    operands: "shell+",
    effects: "repository",
    examples: {
      deny: ["git submodule foreach 'rm -rf ~'", "git submodule foreach --recursive rm -rf ~"],
      none: ["git submodule foreach ./evil"],
    },
  },
  "submodule update|submodule init|submodule deinit|submodule sync|submodule absorbgitdirs|submodule add|submodule set-branch|submodule set-url":
    {
      style: "gnu",
      options: optionTable(`
      -q --quiet; --init; --remote; -N --no-fetch; -f --force; --checkout; --merge; --rebase; --reference=read; --depth=text; --recursive
      -j --jobs=text; --[no-]single-branch; --progress; --all; -b --branch=text; --name=text; -d --default; --[no-]recommend-shallow; --filter=text`),
      operands: "word*",
      effects: "repository, remote.read git, write $git, code.project",
      analyse: "git-remote",
      examples: {
        ask: ["git submodule update --init --recursive", "git submodule add https://example.com/x.git", "git submodule deinit -f ."],
      },
    },
  "svn fetch|svn rebase|svn clone|p4 sync|cvsimport": {
    helps: "",
    style: "bsd",
    operands: "",
    effects: "repository, remote.read git, write $git",
    examples: { ask: ["git svn fetch"] },
  },
  "svn dcommit|p4 submit": {
    helps: "",
    style: "bsd",
    operands: "",
    effects: "repository, remote.change git, danger history-rewrite",
    examples: { ask: ["git svn dcommit"] },
  },
  "lfs ls-files|lfs status|lfs env|lfs version": {
    helps: "",
    // It notes the version of its format where it is asked anything.
    upkeep: ["write $git/config", "write $git/lfs/**"],
    style: "bsd",
    options: "-l --long\n-s --size\n-n --name-only\n-a --all\n-p --porcelain\n-j --json",
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git lfs ls-files"] },
  },
  "lfs fetch|lfs pull|lfs checkout|lfs install|lfs track|lfs untrack": {
    helps: "",
    style: "bsd",
    options: "-a --all\n-I --include=text\n-X --exclude=text\n--recent\n--local\n--force",
    operands: "text*",
    effects: "repository, remote.read git, write $git, write .gitattributes",
    examples: { ask: ["git lfs pull", "git lfs track '*.bin'"] },
  },
  // Programs that the configuration or `-x` names run on the compared files.
  difftool: {
    style: "bsd",
    options: optionTable(`
      -g --[no-]gui; -d --[no-]dir-diff; -y --no-prompt; --prompt; --[no-]symlinks; -t --tool=text; --[no-]tool-help -> stop
      --[no-]trust-exit-code; -x --extcmd=shell; --no-index; --cached; --staged`),
    operands: "read*",
    effects: "repository, code.project",
    examples: { none: ["git difftool", "git difftool -y -x 'sh -c evil' HEAD~1"], deny: ["git difftool -x 'rm -rf ~'"] },
  },
  mergetool: {
    style: "bsd",
    options: "-t --tool=text\n--tool-help -> stop\n-y --no-prompt\n--prompt\n-g --gui\n--no-gui",
    operands: "edit*",
    effects: "repository, write $git, code.project",
    examples: { ask: ["git mergetool"] },
  },
  "send-email|imap-send": {
    helps: "",
    style: "bsd",
    operands: "",
    effects: "repository, remote.publish mail, danger publish",
    examples: { ask: ["git send-email"] },
  },
  "daemon|http-backend|instaweb|upload-pack|receive-pack|upload-archive|shell": {
    helps: "",
    style: "bsd",
    operands: "refuse*",
    effects: "repository, listen, code.project",
    examples: { ask: ["git daemon", "git instaweb"] },
  },
  "gui|citool|gitk|hook run": {
    helps: "",
    style: "bsd",
    operands: "text*",
    effects: "repository, code.project, terminal",
    examples: { ask: ["git gui"] },
  },
  // Store, print or erase passwords.
  "credential fill|credential approve|credential reject|credential-store get|credential-cache get": {
    style: "bsd",
    operands: "",
    effects: "environment",
    examples: { ask: ["git credential fill"] },
  },
};
