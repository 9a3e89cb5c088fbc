#!/usr/bin/env bash
# git 2.39.5 (Debian 12): git-log(1), git-rev-list(1) and git-format-patch(1) take what follows a lone `--` for paths. git-fast-export(1),
# which is said to take arguments as git-rev-list(1) does, exports the commits that such a word names; a second `--` begins the paths.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq git=1:2.39.5-0+deb12u3 2>/dev/null
dpkg -x git_*.deb root
export GIT_CONFIG_NOSYSTEM=1 HOME="$folder" GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
git=$folder/root/usr/bin/git
export GIT_EXEC_PATH=$folder/root/usr/lib/git-core
$git init -q -b topic tree
cd tree
echo one > notes.txt
echo two > more.txt
$git add .
$git -c user.name=a -c user.email=a@example.org commit -qm first
count() { echo "git $*: $("$git" "$@" 2>/dev/null | grep -c '^commit \|^M \|^[0-9a-f]\{7,\}' || true)"; }
{
  count log --oneline -- topic
  count rev-list HEAD -- topic
  count fast-export -- topic
  count fast-export -- topic -- notes.txt
  count fast-export topic -- notes.txt
} | tee ../seen.txt

diff - ../seen.txt <<'SEEN'
git log --oneline -- topic: 0
git rev-list HEAD -- topic: 0
git fast-export -- topic: 3
git fast-export -- topic -- notes.txt: 2
git fast-export topic -- notes.txt: 2
SEEN
