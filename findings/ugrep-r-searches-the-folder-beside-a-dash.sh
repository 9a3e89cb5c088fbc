#!/usr/bin/env bash
# ugrep 3.11.2 and GNU grep 3.8 (Debian 12): `-r PATTERN -` means the standard input alone to GNU grep. ugrep searches the standard input
# and, beside it, the folder it stands in; with a file's name beside `-` only these two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq ugrep=3.11.2+dfsg-1 grep=3.8-5 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
mkdir -p tree/inside
echo hay > tree/inside/file
echo hay > tree/other
cd tree
for program in usr/bin/ugrep bin/grep; do
  for operands in "-" "- other"; do
    # shellcheck disable=SC2086
    echo "$program -rl hay $operands: $(echo hay | "../root/$program" -rl hay $operands | sort | tr '\n' ' ')"
  done
done | tee ../seen.txt

diff - ../seen.txt <<'SEEN'
usr/bin/ugrep -rl hay -: (standard input) inside/file other 
usr/bin/ugrep -rl hay - other: (standard input) other 
bin/grep -rl hay -: (standard input) 
bin/grep -rl hay - other: (standard input) other 
SEEN
