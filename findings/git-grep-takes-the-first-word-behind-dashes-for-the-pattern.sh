#!/usr/bin/env bash
# git 2.39.5 (Debian 12): git-grep(1) says that what follows `--` are <pathspec> limiters. Where no -e and no -f is given, the first word
# behind `--` is the pattern all the same, and the whole tree is searched for it: a tree whose only file is not called so, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq git=1:2.39.5-0+deb12u3 2>/dev/null
dpkg -x git_*.deb root
export GIT_CONFIG_NOSYSTEM=1 HOME="$folder"
git=root/usr/bin/git
$git init -q tree
printf 'one line\nanother-line\n' > tree/notes.txt
$git -C tree add notes.txt
show() { echo "git grep $*: $("$git" -C tree grep "$@" 2>&1 | tr '\n' ' ')"; }
{
  show -- one
  show -- -
  show -- one notes.txt
  show -e one -- another
} | tee seen.txt

diff - seen.txt <<'SEEN'
git grep -- one: notes.txt:one line 
git grep -- -: notes.txt:another-line 
git grep -- one notes.txt: notes.txt:one line 
git grep -e one -- another: 
SEEN
