#!/usr/bin/env bash
# mksh 59c, posh 0.14.1, ksh93u+m 1.0.4, zsh 5.9, yash 2.52 (Debian 12): whether the number that a builtin takes is arithmetic differs by
# shell and by builtin. `shift 1+1` shifts two words in mksh, posh, ksh93 and zsh, and is an error in bash, dash, busybox and yash.
# `exit 1+2` ends with 3 in zsh alone; ksh93 reads as far as the first digit and ends with 1, the others say that it is no number.
# `ulimit -c 2*3` sets 6 in mksh and ksh93 alone, not in zsh. Whoever takes such a word for a plain number, because bash does, reads a
# script for one of the other shells wrongly.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq mksh=59c-28+deb12u1 posh=0.14.1 ksh93u+m=1.0.4-3 yash=2.52-2 zsh=5.9-4+b15 zsh-common=5.9-4 dash=0.5.12-2 busybox=1:1.35.0-4+deb12u1+b1 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
ksh=$(find root -type f -name 'ksh93*' -perm -u+x | head -n 1)
declare -A shells=(
  [bash]=bash [dash]=root/bin/dash [busybox]="root/bin/busybox sh" [yash]=root/usr/bin/yash
  [mksh]=root/bin/mksh [posh]=root/usr/bin/posh [ksh93]="$ksh" [zsh]="root/bin/zsh -f"
)

for name in bash dash busybox yash mksh posh ksh93 zsh; do
  run=(${shells[$name]})
  # What is left of four words.
  shifted=$("${run[@]}" -c 'set -- a b c d; shift 1+1; echo $#' 2>/dev/null) || true
  [ "$shifted" = 2 ] && shifted=arithmetic || shifted=no
  status=0
  "${run[@]}" -c 'exit 1+2' 2>/dev/null || status=$?
  limit=$("${run[@]}" -c 'ulimit -c 64; ulimit -c "2*3"; ulimit -c' 2>/dev/null | tail -n 1) || true
  [ "$limit" = 6 ] && limit=arithmetic || limit=no
  echo "$name: shift $shifted, exit ends with $status, ulimit $limit"
done | tee seen.txt

diff - seen.txt <<'SEEN'
bash: shift no, exit ends with 2, ulimit no
dash: shift no, exit ends with 2, ulimit no
busybox: shift no, exit ends with 2, ulimit no
yash: shift no, exit ends with 2, ulimit no
mksh: shift arithmetic, exit ends with 1, ulimit arithmetic
posh: shift arithmetic, exit ends with 1, ulimit no
ksh93: shift arithmetic, exit ends with 1, ulimit arithmetic
zsh: shift arithmetic, exit ends with 3, ulimit no
SEEN
