import { GIT_CHANGE } from "./git-change.ts";
import { GIT_HISTORY } from "./git-history.ts";
import { GIT_PLUMBING } from "./git-plumbing.ts";
import { GIT_READ } from "./git-read.ts";
import { GIT_REMOTE } from "./git-remote.ts";
import { GIT_STORE } from "./git-store.ts";
import { optionTable } from "./git-options.ts";
import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

/**
 * git 2.39 and the well-known newer parts. Facts: `git <command> -h`, git(1).
 * Inside the project the repository's own configuration is trusted; `repository` asks elsewhere.
 * Aliases are not looked up: an unlisted subcommand has no opinion.
 */
export const git: readonly CommandSpec[] = [
  {
    names: "git",
    helps: "-h -> repository",
    reads: rows("SKIP NETRC=refuse; *=any"),
    summary: "version control",
    style: "posix",
    // `-c`, `--config-env`: configuration that can name programs; `--exec-path`: where subcommands are found;
    // `-p`: the pager from the environment or the configuration; `--git-dir`, `--work-tree`: another repository.
    options: optionTable(`
      -C=dir
      -c=gitkey; --config-env=gitkey
      --exec-path[=foreign/git]
      --git-dir=list -> danger foreign-repository; --work-tree=list -> danger foreign-repository
      --namespace=text; --super-prefix=text; --attr-source=text; --list-cmds=text
      -p --paginate -> code.project; -P --no-pager; --bare -> code.project; --no-replace-objects; --literal-pathspecs; --glob-pathspecs
      --noglob-pathspecs; --icase-pathspecs; --no-optional-locks; --no-lazy-fetch; --no-advice
      --html-path; --man-path; --info-path; --help -> stop; -v --version -> stop`),
    // status, diff and describe refresh the index when file times changed.
    upkeep: ["write $git/index", "write $git/index.lock"],
    subcommands: { ...GIT_READ, ...GIT_PLUMBING, ...GIT_STORE, ...GIT_CHANGE, ...GIT_HISTORY, ...GIT_REMOTE },
    examples: {
      allow: [
        "git --version",
        "git -v",
        "git --help",
        "git -C src status",
        "git -P log -1",
        "git --no-optional-locks status",
        "git -c color.ui=never status",
        "git -c core.quotePath=off diff",
        "git --exec-path",
      ],
      none: [
        "git -c core.pager='sh -c evil' log",
        "git -c alias.x='!evil' status",
        "git --exec-path=./evil status",
        "git frobnicate",
        "git -p log",
      ],
      ask: ["git -C /tmp/evil diff", "git --git-dir /tmp/evil/.git log", "git $(echo push) status", "git --frobnicate status"],
      deny: ["git bisect run sh -c 'rm -rf ~'"],
    },
  },
  {
    names: "gitk git-gui tig lazygit",
    summary: "git with a screen of its own",
    style: "bsd",
    operands: "text*",
    effects: "repository, terminal",
    examples: { ask: ["lazygit", "tig"] },
  },
];
