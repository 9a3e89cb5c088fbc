import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { sh, type Expect } from "./harness/program.ts";
import { escapes, type Row } from "./harness/suite.ts";
import type { World } from "./harness/world.ts";

const init = (world: World, folder = "$W"): void => {
  execFileSync("git", ["init", "-q", "-b", "main", world.at(folder)]);
};
const HOOK = 'echo "#!/bin/sh"';
const GIT = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

const refusals = (...labels: readonly string[]): Record<string, Expect> =>
  Object.fromEntries(labels.map((label) => [label, "refused" as const]));

const says =
  (what: RegExp) =>
  ({ stderr, stdout }: { readonly stderr: string; readonly stdout: string }): readonly string[] => [
    ...(what.test(stderr) ? [] : [`what is off is not said: ${stderr}`]),
    ...(stdout.includes("started yes") ? ["the program ran"] : []),
  ];

const rows: readonly Row[] = [
  {
    number: "113",
    title: "hooks and configuration of a repository that is made in the run",
    env: GIT,
    program: sh(
      `t init 'git init -q $W/n'; t nested 'git init -q $W/n/deep/er'
       t hook '${HOOK} > $W/n/.git/hooks/pre-commit'; t nested-hook '${HOOK} > $W/n/deep/er/.git/hooks/post-checkout'; t fsmonitor 'git -C $W/n config core.fsmonitor ./evil'
       t hooks-path 'git -C $W/n config core.hooksPath $W/evil'; t by-hand 'printf "[core]\\n\\tfsmonitor = ./evil\\n" >> $W/n/.git/config'; t moved '${HOOK} > $W/h; mv $W/h $W/n/.git/hooks/pre-push'
       t linked '${HOOK} > $W/h2; ln $W/h2 $W/n/.git/hooks/pre-rebase'; t symlinked 'ln -s $W/h2 $W/n/.git/hooks/post-merge'; t sample 'mv $W/n/.git/hooks/pre-commit.sample $W/n/.git/hooks/pre-commit'
       t commit 'cd $W/n && echo x > x && git add x && git commit -q -m x'`,
      {
        init: "ok",
        nested: "ok",
        ...refusals("hook", "nested-hook", "fsmonitor", "hooks-path", "by-hand", "moved", "linked", "symlinked"),
        sample: ["any", "failed"],
        commit: ["any", "ok"],
      },
    ),
  },
  {
    number: "113a",
    title: "no phantom files",
    env: GIT,
    program: sh(`t list 'ls -A $W $O $HOME > /dev/null'; t write 'echo x > $W/x'`, { list: "ok", write: "ok" }),
    check: ({ world }) => {
      const w = readdirSync(world.at("$W")).sort().join(" ");
      const home = readdirSync(world.at("$HOME")).sort().join(" ");
      return [...(w === "f x" ? [] : [`W holds ${w}`]), ...(home === ".agent-permissions.jsonc S state" ? [] : [`home holds ${home}`])];
    },
  },
  {
    number: "113b",
    title: "other things that run later, outside",
    setUp: (world) => {
      init(world);
      mkdirSync(world.at("$W/.vscode"));
    },
    allow: ["Write($HOME/**)"],
    program: sh(
      `t rc 'echo evil >> $HOME/.bashrc'; t profile 'echo evil >> $HOME/.profile'; t keys 'mkdir -p $HOME/.ssh && echo evil >> $HOME/.ssh/authorized_keys'; t agent 'mkdir -p $W/.claude && echo "{}" > $W/.claude/settings.json'
       t autostart 'mkdir -p $HOME/.config/autostart && echo evil > $HOME/.config/autostart/x.desktop'; t unit 'mkdir -p $HOME/.config/systemd/user && echo evil > $HOME/.config/systemd/user/x.service'`,
      { rc: "refused", profile: "refused", keys: "refused", agent: "refused", autostart: "refused", unit: "refused" },
    ),
  },
  {
    number: "115",
    title: "templates, submodules, worktrees and folders elsewhere",
    env: GIT,
    setUp: (world) => {
      mkdirSync(world.at("$W/tpl/hooks"), { recursive: true });
      writeFileSync(world.at("$W/tpl/hooks/pre-commit"), "#!/bin/sh\n", { mode: 0o755 });
      init(world, "$O/repo");
      mkdirSync(world.at("$W/wt"));
      writeFileSync(world.at("$W/wt/.git"), "gitdir: /srv/O/repo/.git\n");
      mkdirSync(world.at("$W/real.git/hooks"), { recursive: true });
    },
    program: sh(
      `git init -q --template=$W/tpl $W/n; [ -e $W/n/.git/hooks/pre-commit ] && echo template hooked || echo template clean
       t gitdir 'git -C $W/wt config core.fsmonitor ./evil'; t gitdir-hook '${HOOK} > $(git -C $W/wt rev-parse --git-dir)/hooks/pre-commit'
       git init -q --separate-git-dir $W/sep.git $W/sep; t separate '${HOOK} > $W/sep.git/hooks/pre-commit'
       git init -q --bare $W/bare.git; t bare '${HOOK} > $W/bare.git/hooks/post-receive'
       git init -q $W/main && cd $W/main && git commit -q --allow-empty -m x && git worktree add -q $W/tree; t worktree '${HOOK} > $(git -C $W/tree rev-parse --git-path hooks)/pre-commit'
       t core-worktree 'git -C $W/main config core.worktree /srv/O'`,
      {
        template: ["hooked", "clean"],
        ...refusals("gitdir", "gitdir-hook", "separate", "bare", "worktree"),
        "core-worktree": ["ok", "any"],
      },
    ),
  },
  {
    number: "117",
    title: "undo, after the user went on with a file",
    program: sh(`echo run > $W/f; echo new > $W/new; mkdir $W/d; rm -f $W/none; echo done 1`, { done: "1" }),
    after: `cat $W/f; echo user > $W/f; cd $W; $NODE $ASSENT undo --yes; echo undone $?; echo content $(cat $W/f); [ -e $W/new ] && echo new there || echo new gone`,
    bare: "it is about undo",
    check: ({ labels }) => [
      ...(labels.get("content") === "user" ? [] : [`what the user wrote became ${labels.get("content")}`]),
      ...(labels.get("undone") === "0" ? ["undo says that all is well"] : []),
    ],
  },
  {
    number: "117a",
    title: "undo brings everything back",
    setUp: (world) => {
      writeFileSync(world.at("$W/keep"), "keep", { mode: 0o640 });
      writeFileSync(world.at("$W/over"), "over");
      mkdirSync(world.at("$W/folder"));
      writeFileSync(world.at("$W/folder/x"), "x");
    },
    program: sh(
      `rm $W/f; mv $W/keep $W/kept; echo new > $W/over2; mv $W/over2 $W/over; rm -r $W/folder; echo more >> $W/added; chmod 600 $W/kept; truncate -s 0 $W/kept; echo done 1`,
      { done: "1" },
    ),
    after: "cd $W; $NODE $ASSENT undo --yes; echo undone $?; ls -A $W",
    bare: "it is about undo",
    check: ({ labels, world }) => {
      const text = (path: string): string => (existsSync(world.at(path)) ? readFileSync(world.at(path), "utf8") : "gone");
      const wanted: Readonly<Record<string, string>> = {
        "$W/f": "mine",
        "$W/keep": "keep",
        "$W/over": "over",
        "$W/folder/x": "x",
        "$W/added": "gone",
        "$W/kept": "gone",
      };
      return [
        ...(labels.get("undone") === "0" ? [] : [`undo exits with ${labels.get("undone")}`]),
        ...Object.entries(wanted).flatMap(([path, content]) =>
          text(path) === content ? [] : [`${path} holds ${JSON.stringify(text(path))}, not ${content}`],
        ),
      ];
    },
  },
  {
    number: "119",
    title: "a kernel without Landlock",
    wrap: ["/media/without", "landlock"],
    program: sh("echo started yes", {}),
    bare: "it is about starting",
    status: 125,
    check: says(/landlock/i),
  },
  {
    number: "119a",
    title: "a kernel where Landlock is off",
    wrap: ["/media/without", "disabled"],
    program: sh("echo started yes", {}),
    bare: "it is about starting",
    status: 125,
    check: says(/landlock/i),
  },
  {
    number: "119b",
    title: "inside another supervisor",
    wrap: ["/media/without", "listener"],
    program: sh("echo started yes", {}),
    bare: "it is about starting",
    status: 125,
    check: says(/supervis|listener|another/i),
  },
  {
    number: "119c",
    title: "where filters are forbidden",
    wrap: ["/media/without", "notify"],
    program: sh("echo started yes", {}),
    bare: "it is about starting",
    status: 125,
    check: says(/seccomp|filter|notif/i),
  },
  {
    number: "119d",
    title: "a run in a run",
    program: sh(
      `$NODE $ASSENT run -P -- /bin/sh -c 'echo started yes; echo x > /srv/O/new && echo inner ok || echo inner failed'; echo status $?; t still 'echo x > $O/new'`,
      {
        status: ["any", /^\d+$/],
        still: ["any", "refused"],
        inner: ["any", /^(?:undefined|failed)$/],
      },
    ),
    bare: "it is about a run in a run",
  },
];

escapes("K. Later, and honesty", rows);
