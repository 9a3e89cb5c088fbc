import { describe, expect, it } from "vitest";
import { CONFINED_NEEDS } from "@assent/core/action";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "../world.ts";

/** Whether the line, with these files of configuration, asks whoever holds the keys. */
function needsKeys(line: string, texts: Readonly<Record<string, string>>): boolean {
  const { actions } = lowerShell(line, { world: smallWorld({ files: { "/home/u/p/.git": "directory" }, text: (path) => texts[path] }) });
  return actions.some((action) => action.kind === "exec" && action.needs?.some((need) => need.startsWith(CONFINED_NEEDS.keys)) === true);
}

const USER = "/home/u/.gitconfig";
const OWN = "/home/u/p/.git/config";
const COMMITS = "[user]\n\tname = A\n[commit]\n\tgpgsign = true\n";
const TAGS = "[tag]\n\tgpgSign = yes\n";

describe("what signs because it is told so", () => {
  it.each([
    "git commit -S -m x",
    "git commit -qSKEY -m x",
    "git commit --gpg-sign=KEY -m x",
    "git commit --gpg -m x",
    "git tag -s v1 -m x",
    "git tag -sm x v1",
    "git tag --sign v1",
    "git tag -u KEY v1 -m x",
    "git tag --local-user=KEY v1 -m x",
    "git rebase --gpg-sign main",
    "git rebase -S main",
    "git merge -S f",
    "git cherry-pick -S abc123",
    "git revert -S HEAD",
    "git am -S x.patch",
    "git pull -S",
    "git push --signed",
    "git push --signed=if-asked origin main",
    "git commit-tree -S HEAD^{tree} -m x",
    "git -c commit.gpgsign=true commit -m x",
    "git -c COMMIT.gpgSign commit -m x",
    "git -c user.name=A -c commit.gpgsign=1 commit -m x",
    "git --config-env=commit.gpgsign=X commit -m x",
    "git -c tag.gpgsign=true tag v1",
    "git -c push.gpgsign=if-asked push",
    "env git commit -S -m x",
    "sh -c 'git commit -S -m x'",
    "s=-S; git commit $s -m x",
    "git add . && git commit '-S' -m x",
  ])("%s", (line) => {
    expect(needsKeys(line, {})).toBe(true);
  });

  it.each([
    "git commit -m x",
    "git commit -s -m x",
    "git commit -m -S",
    "git commit -m commit.gpgsign=true",
    "git tag v1",
    "git tag -a v1 -m x",
    "git tag -v v1",
    "git merge --no-gpg-sign f",
    "git push",
    "git push --no-signed",
    "git log --show-signature",
    "git -c commit.gpgsign=false commit -m x",
    "git -c commit.gpgsign=true -c commit.gpgsign=no merge f",
    "git log -S needle",
    "git add . && git status",
  ])("not %s", (line) => {
    expect(needsKeys(line, {})).toBe(false);
  });
});

describe("what signs because a configuration says so", () => {
  it.each<readonly [line: string, texts: Readonly<Record<string, string>>]>([
    ["git commit -m x", { [USER]: COMMITS }],
    ["git commit -am x && git push", { [USER]: COMMITS }],
    ["git commit --amend --no-edit", { [USER]: COMMITS }],
    ["git merge f", { [USER]: COMMITS }],
    ["git cherry-pick abc123", { [USER]: COMMITS }],
    ["git revert HEAD", { [USER]: COMMITS }],
    ["git rebase main", { [USER]: COMMITS }],
    ["git rebase --continue", { [USER]: COMMITS }],
    ["git am x.patch", { [USER]: COMMITS }],
    ["git pull", { [USER]: COMMITS }],
    ["cd src && git commit -m x", { [USER]: COMMITS }],
    ["git commit -m x", { "/home/u/.config/git/config": COMMITS }],
    ["git commit -m x", { "/etc/gitconfig": COMMITS }],
    ["git commit -m x", { [OWN]: COMMITS }],
    ["git commit -m x", { "/home/u/p/.git/config.worktree": COMMITS }],
    ["git commit -m x", { [USER]: "[commit]\n\tgpgsign\n" }],
    ["git commit -m x", { [USER]: "[commit] gpgSign = 1\n" }],
    ["git commit -m x", { [USER]: `[include]\n\tpath = signing\n`, "/home/u/signing": COMMITS }],
    ["git commit -m x", { [USER]: `[includeIf "gitdir:~/p/"]\n\tpath = ~/work\n`, "/home/u/work": COMMITS }],
    ["git commit -m x", { [USER]: `[includeIf "onbranch:main"]\n\tpath = ~/work\n`, "/home/u/work": COMMITS }],
    ["git commit -m x", { [USER]: "[commit]\n\tgpgsign = false\n", [OWN]: COMMITS }],
    ["git -c commit.gpgsign=false -c commit.gpgsign=true commit -m x", {}],
    ["git commit -m x", { [USER]: `${COMMITS}[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = ~/.ssh/id.pub\n` }],
    ["git commit -m x", { [USER]: `${COMMITS}[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = ~/.ssh/id\n` }],
    ["git commit -m x", { [USER]: `${COMMITS}[gpg]\n\tformat = x509\n` }],
    ["git commit -m x", { [USER]: `${COMMITS}[gpg]\n\tprogram = /opt/sign\n` }],
    ["git tag v1", { [USER]: TAGS }],
    ["git tag -a v1 -m x", { [USER]: "[tag]\n\tforceSignAnnotated = true\n" }],
    ["git push", { [USER]: "[push]\n\tgpgSign = if-asked\n" }],
  ])("%s %j", (line, texts) => {
    expect(needsKeys(line, texts)).toBe(true);
  });

  it.each<readonly [line: string, texts: Readonly<Record<string, string>>]>([
    ["git commit --no-gpg-sign -m x", { [USER]: COMMITS }],
    ["git -c commit.gpgsign=false commit -m x", { [USER]: COMMITS }],
    ["git commit -m x", { [USER]: COMMITS, [OWN]: "[commit]\n\tgpgsign = false\n" }],
    ["git commit -m x", { [USER]: `[includeIf "gitdir:~/work/"]\n\tpath = ~/work\n`, "/home/u/work": COMMITS }],
    ["git commit -m x", { [USER]: TAGS }],
    ["git commit --dry-run", { [USER]: COMMITS }],
    ["git merge --abort", { [USER]: COMMITS }],
    ["git merge --ff-only f", { [USER]: COMMITS }],
    ["git pull --ff-only", { [USER]: COMMITS }],
    ["git rebase --abort", { [USER]: COMMITS }],
    ["git cherry-pick -n abc123", { [USER]: COMMITS }],
    ["git status && git diff && git log -1", { [USER]: COMMITS }],
    ["git add . && git stash && git switch f", { [USER]: COMMITS }],
    ["git commit-tree HEAD^{tree} -m x", { [USER]: COMMITS }],
    ["git tag", { [USER]: TAGS }],
    ["git tag -l 'v*'", { [USER]: TAGS }],
    ["git tag -d v1", { [USER]: TAGS }],
    ["git tag --contains HEAD", { [USER]: TAGS }],
    ["git tag v1", { [USER]: COMMITS }],
    ["git tag v1", { [USER]: "[tag]\n\tforceSignAnnotated = true\n" }],
    ["git commit -m x", { [USER]: `${COMMITS}[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = /srv/keys/ci\n` }],
  ])("not %s %j", (line, texts) => {
    expect(needsKeys(line, texts)).toBe(false);
  });
});
