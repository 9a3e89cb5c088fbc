#!/usr/bin/env bash
# ksh93u+m 1.0.4 (Debian 12): it collects the output of `$(…)` in a file, so `/dev/stdout` inside opens that file anew: with `>` what was
# printed before is lost, with `>>` what is written there. In bash, dash 0.5.12, mksh 59c, yash 2.52 and posh 0.14.1 it is a pipe, and every
# line arrives; `>&1` loses nothing in ksh93, either.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq mksh=59c-28+deb12u1 posh=0.14.1 ksh93u+m=1.0.4-3 yash=2.52-2 dash=0.5.12-2 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
ksh=$(find root -type f -name 'ksh93*' -perm -u+x | head -n 1)
declare -A shells=([bash]=bash [dash]=root/bin/dash [yash]=root/usr/bin/yash [mksh]=root/bin/mksh [posh]=root/usr/bin/posh [ksh93]="$ksh")
for name in bash dash yash mksh posh ksh93; do
  for way in '> /dev/stdout' '>> /dev/stdout' '>&1'; do
    echo "$name: $way: $("${shells[$name]}" -c "x=\$(echo first; echo second $way; echo third); echo \$x" | cat)"
  done
done | tee seen.txt

diff - seen.txt <<'SEEN'
bash: > /dev/stdout: first second third
bash: >> /dev/stdout: first second third
bash: >&1: first second third
dash: > /dev/stdout: first second third
dash: >> /dev/stdout: first second third
dash: >&1: first second third
yash: > /dev/stdout: first second third
yash: >> /dev/stdout: first second third
yash: >&1: first second third
mksh: > /dev/stdout: first second third
mksh: >> /dev/stdout: first second third
mksh: >&1: first second third
posh: > /dev/stdout: first second third
posh: >> /dev/stdout: first second third
posh: >&1: first second third
ksh93: > /dev/stdout: secondthird
ksh93: >> /dev/stdout: first third
ksh93: >&1: first second third
SEEN
