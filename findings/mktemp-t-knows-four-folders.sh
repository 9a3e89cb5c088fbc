#!/usr/bin/env bash
# Where `mktemp -t x.XXXXXX` and `mktemp -p b -t x.XXXXXX` make their file while TMPDIR is a: coreutils 9.1 and toybox 0.8.9 in a, both times;
# BusyBox 1.35.0 in a, then in b, as -p comes before TMPDIR there; uutils 0.0.17 in the working folder, then not at all (all of Debian 12).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq coreutils=9.1-1 toybox=0.8.9+dfsg-1 busybox=1:1.35.0-4+deb12u1+b1 rust-coreutils=0.0.17-2 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
mkdir work work/a work/b
cd work
declare -A programs=([coreutils]=../root/bin/mktemp [toybox]='../root/bin/toybox mktemp' [busybox]='../root/bin/busybox mktemp' [uutils]='../root/usr/bin/coreutils mktemp')
seen=$(
  for name in coreutils toybox busybox uutils; do
    for words in '-t x.XXXXXX' '-p b -t x.XXXXXX'; do
      # shellcheck disable=SC2086
      made=$(TMPDIR=a ${programs[$name]} $words 2>/dev/null) && where=$(dirname "$made") || where=nowhere
      printf '%s %s: %s\n' "$name" "$words" "$where"
    done
  done
)
echo "$seen"
[[ $seen == 'coreutils -t x.XXXXXX: a
coreutils -p b -t x.XXXXXX: a
toybox -t x.XXXXXX: a
toybox -p b -t x.XXXXXX: a
busybox -t x.XXXXXX: a
busybox -p b -t x.XXXXXX: b
uutils -t x.XXXXXX: .
uutils -p b -t x.XXXXXX: nowhere' ]]
