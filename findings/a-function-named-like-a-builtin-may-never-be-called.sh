#!/usr/bin/env bash
# bash 5.2.15, dash 0.5.12, busybox 1.35.0, ksh93u+m 1.0.4, mksh 59c, posh 0.14.1, yash 2.52, zsh 5.9 (Debian 12): what `NAME() { …; }` does
# where NAME is a builtin. bash calls the function, dash and busybox refuse to define one, ksh93 one called `set` or `export`. mksh defines it
# without a word and never calls it; so do posh and yash for `set` and `export`. zsh calls one called `set`, and never one called `export` or
# `local`: as words these are reserved there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq mksh=59c-28+deb12u1 posh=0.14.1 ksh93u+m=1.0.4-3 yash=2.52-2 zsh=5.9-4+b15 zsh-common=5.9-4 dash=0.5.12-2 busybox=1:1.35.0-4+deb12u1+b1 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
ksh=$(find root -type f -name 'ksh93*' -perm -u+x | head -n 1)
declare -A shells=(
  [bash]=bash [dash]=root/bin/dash [busybox]="root/bin/busybox sh" [ksh93]="$ksh" [mksh]=root/bin/mksh [posh]=root/usr/bin/posh
  [yash]=root/usr/bin/yash [zsh]="$(find root -type f -name 'zsh*' -perm -u+x -path '*bin*' | head -n 1)"
)
for name in bash dash busybox ksh93 mksh posh yash zsh; do
  run=(${shells[$name]})
  line=
  for word in set export local; do
    out=$("${run[@]}" -c "$word() { echo called; }; echo defined; $word x=1" 2>/dev/null) || true
    case $out in
      *called) how=called ;;
      defined*) how=never ;;
      *) how=refused ;;
    esac
    line+=" $word $how,"
  done
  echo "$name:${line%,}"
done | tee seen.txt
diff - seen.txt <<'SEEN'
bash: set called, export called, local called
dash: set refused, export refused, local refused
busybox: set refused, export refused, local refused
ksh93: set refused, export refused, local called
mksh: set never, export never, local never
posh: set never, export never, local called
yash: set never, export never, local called
zsh: set called, export never, local never
SEEN
