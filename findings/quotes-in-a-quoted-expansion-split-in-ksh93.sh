#!/usr/bin/env bash
# ksh93u+m 1.0.4 (Debian 12): in `"${x:+"a b"}"` the inner quotes end the outer ones, so the word behind `:+`, `:-` and `-` is split into two.
# bash, dash 0.5.12, mksh 59c, yash 2.52, posh 0.14.1 and busybox 1.35.0 keep it one; behind `#` and `%` ksh93 keeps it, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq mksh=59c-28+deb12u1 posh=0.14.1 ksh93u+m=1.0.4-3 yash=2.52-2 dash=0.5.12-2 busybox=1:1.35.0-4+deb12u1+b1 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
ksh=$(find root -type f -name 'ksh93*' -perm -u+x | head -n 1)
declare -A shells=(
  [bash]=bash [dash]=root/bin/dash [busybox]="root/bin/busybox sh" [yash]=root/usr/bin/yash [mksh]=root/bin/mksh
  [posh]=root/usr/bin/posh [ksh93]="$ksh"
)
for name in bash dash busybox yash mksh posh ksh93; do
  run=(${shells[$name]})
  echo "$name: $("${run[@]}" -c 'x="1 2"; printf "[%s]" "${x:+"a b"}" "${no:-"c d"}" "${no-e"f g"h}" "${x#"1 "}"')"
done | tee seen.txt

diff - seen.txt <<'SEEN'
bash: [a b][c d][ef gh][2]
dash: [a b][c d][ef gh][2]
busybox: [a b][c d][ef gh][2]
yash: [a b][c d][ef gh][2]
mksh: [a b][c d][ef gh][2]
posh: [a b][c d][ef gh][2]
ksh93: [a][b][c][d][ef][gh][2]
SEEN
