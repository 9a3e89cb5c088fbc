#!/usr/bin/env bash
# posh 0.14.1, mksh 59c, dash 0.5.12, busybox 1.35.0, yash 2.52, ksh93u+m 1.0.4 (Debian 12): where `unset 1x`, `shift 9` or `export 1x` fails
# within a function, the script may end (dash each time; busybox, ksh93 for some), go on behind the failure (bash, yash each time), or, in
# posh each time and in mksh for `shift` and `export`, the function alone ends: the script goes on behind its call with the value from before.
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
  for line in 'unset 1x' 'shift 9' 'export 1x'; do
    out=$("${run[@]}" -c "x=before; f() { $line; x=after; }; f; echo goes on with \$x" 2>/dev/null) || true
    echo "$name: $line: ${out:-the script ends}"
  done
done | tee seen.txt

diff - seen.txt <<'SEEN'
bash: unset 1x: goes on with after
bash: shift 9: goes on with after
bash: export 1x: goes on with after
dash: unset 1x: the script ends
dash: shift 9: the script ends
dash: export 1x: the script ends
busybox: unset 1x: the script ends
busybox: shift 9: goes on with after
busybox: export 1x: the script ends
yash: unset 1x: goes on with after
yash: shift 9: goes on with after
yash: export 1x: goes on with after
mksh: unset 1x: goes on with after
mksh: shift 9: goes on with before
mksh: export 1x: goes on with before
posh: unset 1x: goes on with before
posh: shift 9: goes on with before
posh: export 1x: goes on with before
ksh93: unset 1x: goes on with after
ksh93: shift 9: the script ends
ksh93: export 1x: the script ends
SEEN
