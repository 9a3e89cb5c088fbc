#!/usr/bin/env bash
# `bash test/machines/musl.sh`: programs of another C library, musl's, dynamic and static, and the tools of a static busybox, supervised by
# a Node of glibc. Needs musl-tools and busybox-static. A Node of musl is not run here.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# Not below /tmp, where everybody may write.
mkdir -p "${XDG_CACHE_HOME:-$HOME/.cache}"
at=$(mktemp -d -p "${XDG_CACHE_HOME:-$HOME/.cache}")
trap 'rm -rf "$at"' EXIT
for kind in dynamic static; do
  musl-gcc -O1 $([[ $kind == static ]] && echo -static) -o "$at/$kind" "$root/test/machines/musl.c"
done
readelf -l "$at/dynamic" | grep -q ld-musl || { echo "no   dynamic: not a program of musl"; exit 1; }
mkdir "$at/box"
busybox --install -s "$at/box"
wrong=0
check() { # NAME EXPECTED GOT
  if [[ $3 == "$2" ]]; then echo "ok   $1"; else echo "no   $1: $3, not $2" && wrong=1; fi
}
in_home() { env -i HOME="$home" XDG_STATE_HOME="$at/state" PATH="${path:-$PATH}" NO_COLOR=1 "$@"; }
assent() { in_home "$(command -v node)" "$root/dist/bin.cjs" "$@"; }
make_home() { # KIND
  rm -rf "$home"
  mkdir -p "$home/p/.git" "$home/.ssh"
  cd "$home/p"
  echo key >"$home/.ssh/id_rsa"; echo orig >"$home/other"; echo draft >draft; echo old >old
  if [[ $1 == box ]]; then
    cp "$root/test/machines/musl-box.sh" tidy
    path=$at/box:$PATH command=("$at/box/sh" ./tidy)
  else
    cp "$at/$1" tidy
    path=$PATH command=(./tidy)
  fi
}
for kind in dynamic static box; do
  home=$at/home-$kind
  make_home "$kind"
  bare=$(in_home "${command[@]}" 2>/dev/null | grep -c HARM)
  make_home "$kind"
  out=$(assent run -P -- "${command[@]}" 2>err) && status=0 || status=$?
  check "$kind: ran to its end" "0 end" "$status $(tail -1 <<<"$out")"
  check "$kind: no harm, of $bare without Assent" 0 "$(grep -c HARM <<<"$out" || true)"
  [[ $bare -ge 6 ]] || { echo "no   $kind: only $bare harms without Assent" && wrong=1; }
  check "$kind: what it may do" "new new old" "$(cat made threaded folder/moved 2>&1 | tr '\n' ' ' | sed 's/ $//')"
  check "$kind: what it may not" "orig 644" "$(cat "$home/other") $(stat -c %a "$home/other")"
  assent undo --yes >/dev/null 2>&1 || true
  check "$kind: undone" "draft old no" "$(cat draft old | tr '\n' ' ')$([[ -e made || -e folder ]] && echo yes || echo no)"
done
exit "$wrong"
