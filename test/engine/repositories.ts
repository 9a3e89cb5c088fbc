import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { scratch, type Scratch } from "../scratch.ts";

/** Home folders with repositories of each kind, made by git itself. The session's folder, below `~/w`. */
export const KINDS = {
  plain: "plain",
  "linked worktree": "wt",
  "worktree in .claude": "plain/.claude/worktrees/x",
  submodule: "super/sub",
  "separate git dir": "sep",
  "worktree of a bare repository": "bwt",
  "worktree beside .bare": "hub/m",
} as const;

export const MAKE = `
set -e
cd ~
git config --global user.email a@b.c; git config --global user.name a; git config --global init.defaultBranch main
git config --global protocol.file.allow always
mkdir w; cd w
fill() { echo hi > a; echo K=1 > .env.example; mkdir src; echo x > src/b; git add -A; git commit -qm first; git branch topic; }
for name in plain lib super; do git init -q $name; (cd $name; fill); done
git -C plain worktree add -q ../wt topic
git -C plain worktree add -q .claude/worktrees/x -b x
git -C super submodule --quiet add ~/w/lib sub; git -C super commit -qm sub; git -C super/sub branch topic
mkdir gitdirs; git init -q --separate-git-dir gitdirs/sep sep; (cd sep; fill)
git clone -q --bare plain b.git; git -C b.git worktree add -q ../bwt main
mkdir hub; git clone -q --bare plain hub/.bare; echo 'gitdir: ./.bare' > hub/.git; git -C hub worktree add -q m main
git init -q ~/evil; (cd ~/evil; fill; git config core.fsmonitor '~/pwned')
`;

export interface Repositories extends Scratch {
  readonly sh: (text: string, cwd?: string) => string;
  readonly at: (folder: string) => string;
  /** In a folder below `~/w`, where everything is as it was made. */
  readonly change: (folder: string, text: string) => void;
}

/** For several tests: whoever asks removes it. */
export function repositories(): Repositories {
  const place = scratch({ keep: true });
  const at = (folder: string): string => join(place.home, "w", folder);
  const env = { PATH: process.env["PATH"] ?? "", HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" };
  const sh = (text: string, cwd = place.home): string =>
    execFileSync("bash", ["-c", text], { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  sh(MAKE);
  sh("cp -a home made", place.root);
  const change = (folder: string, text: string): void => {
    sh("rm -rf home; cp -a made home", place.root);
    sh(text, at(folder));
  };
  return { ...place, sh, at, change };
}
