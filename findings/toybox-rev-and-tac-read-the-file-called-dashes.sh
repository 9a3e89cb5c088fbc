#!/usr/bin/env bash
# toybox 0.8.9 and util-linux 2.38.1, coreutils 9.1 (Debian 12): `rev` and `tac` of toybox have no options but --help, and do not know the end
# of options either. `rev -- x` reads a file called `--` and then x, `tac -s x` one called `-s`; the others take both for options.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq toybox=0.8.9+dfsg-1 util-linux=2.38.1-5+deb12u3 coreutils=9.1-1 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
mkdir work
cd work
echo plain > x
echo dashes > ./--
echo option > ./-s
seen=$(
  for words in 'rev -- x' 'tac -s x x' 'tac -- x'; do
    for program in ../root/bin/toybox ../root/usr/bin; do
      [[ $program == *toybox ]] && line="$program $words" || line="$program/$words"
      # shellcheck disable=SC2086
      printf '%s, %s: %s\n' "$(basename "$program")" "$words" "$($line 2>&1 | paste -sd ' ')"
    done
  done
)
echo "$seen"
[[ $seen == 'toybox, rev -- x: sehsad nialp
bin, rev -- x: nialp
toybox, tac -s x x: option plain plain
bin, tac -s x x: plain
toybox, tac -- x: dashes plain
bin, tac -- x: plain' ]]
