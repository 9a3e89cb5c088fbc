#!/usr/bin/env bash
# mksh 59c (Debian 12): an unquoted `${x:=…}` that assigns nothing takes the whole word with it, text beside it included: `-l${x:=$1}` without
# an argument is no word at all. bash, dash 0.5.12, yash 2.52, posh 0.14.1, ksh93u+m 1.0.4 and busybox 1.35.0 keep `-l`; mksh keeps it for
# `${x:-$1}`, and where the expansion is quoted.
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
  echo "$name: $("${run[@]}" -c 'printf "<%s>" -l${x:=$1} -m${y:-$1} "-n${z:=$1}" end')"
done | tee seen.txt

diff - seen.txt <<'SEEN'
bash: <-l><-m><-n><end>
dash: <-l><-m><-n><end>
busybox: <-l><-m><-n><end>
yash: <-l><-m><-n><end>
mksh: <-m><-n><end>
posh: <-l><-m><-n><end>
ksh93: <-l><-m><-n><end>
SEEN
