#!/usr/bin/env bash
# `bash test/machines/musl.sh [--escapes [REGEX]]`: Assent under a Node of musl, in a user land as Alpine's: musl, busybox and that Node in a
# root file system of their own, and nothing of glibc. Says what hook, judge, library, doctor, run and undo do there, and supervises programs
# of musl, dynamic and static, and the shell and tools of busybox. `--escapes` plays test/escape there too (those whose name fits REGEX); its
# attempts are programs of musl, but for python3, perl and what makes the namespaces, which are this machine's. Needs root (for chroot), gcc,
# g++, musl-tools, npm and Debian's archive. The Node is kept below $ASSENT_MACHINES.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
escapes=no only=''
[[ ${1:-} != --escapes ]] || { escapes=yes && only=${2:-}; }
cache=${ASSENT_MACHINES:-$HOME/.cache/assent-machines}
mkdir -p "$cache"
bash "$root/test/machines/musl-node.sh" "$cache/musl-node"
# Not below /tmp, where everybody may write.
at=$(mktemp -d -p "$cache")
trap 'rm -rf --one-file-system "$at"' EXIT
chmod 755 "$at"
new=$at/root
mkdir -p "$new"/{bin,lib,usr/bin,usr/lib,usr/local/bin,etc,proc,dev,tmp,run,srv,media,root,var/tmp,home/u,opt/assent}
cp "$(realpath /lib/ld-musl-x86_64.so.1)" "$new/lib/ld-musl-x86_64.so.1"
ln -s ld-musl-x86_64.so.1 "$new/lib/libc.musl-x86_64.so.1"
cp "$cache/musl-node/lib"/* "$new/usr/lib/"
cp "$cache/musl-node/node" "$new/usr/bin/node"
(cd "$at" && apt-get download busybox-static >/dev/null 2>&1 && dpkg-deb -x busybox-static_*.deb busybox)
cp "$at/busybox/bin/busybox" "$new/bin/busybox"
for name in $("$new/bin/busybox" --list); do [[ -e $new/bin/$name ]] || ln -s busybox "$new/bin/$name"; done
ln -s ../../bin/env "$new/usr/bin/env"
printf 'root:x:0:0::/root:/bin/sh\nu:x:1000:1000::/home/u:/bin/sh\n' >"$new/etc/passwd"
printf 'root:x:0:\nu:x:1000:\n' >"$new/etc/group"
# As npm installs it on such a machine.
node "$root/scripts/pack.mjs" "$at" >/dev/null
(cd "$new/opt/assent" && echo '{}' >package.json && npm install --silent --ignore-scripts --no-audit --no-fund --libc musl "$at"/assent-*.tgz)
cp "$root/test/machines/built.mjs" "$new/opt/"
# Its code caches are of the Node that built it.
rm -f "$new/opt/assent/node_modules/assent/dist"/*.cache
chown -R 1000:1000 "$new/opt/assent" "$new/home/u"

# enter UID COMMAND…: in namespaces of its own, with that root.
enter() {
  local uid=$1 home=/home/u
  shift
  [[ $uid != 0 ]] || home=/root
  # shellcheck disable=SC2016
  unshare -mpf bash -c '
    set -e
    mount --make-rprivate / && mount --bind "$1" "$1" && cd "$1"
    mount -t proc proc proc && mount --rbind /dev dev && mount -t tmpfs -o mode=1777 tmpfs tmp
    uid=$2 home=$3 && shift 3
    exec chroot --userspec="$uid:$uid" . /usr/bin/env -i HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin NO_COLOR=1 "$@"' - "$new" "$uid" "$home" "$@"
}
wrong=0
check() { # NAME EXPECTED GOT
  if [[ $3 == "$2" ]]; then echo "ok   $1"; else echo "no   $1: $3, not $2" && wrong=1; fi
}
# shellcheck disable=SC2016
echo "== $(enter 1000 node -p '`Node ${process.versions.node}, ${process.report.getReport().header.glibcVersionRuntime === undefined ? "no glibc" : "glibc"}`')"
enter 1000 node --input-type=module -e '
  const { tryInstalled } = await import("/opt/built.mjs");
  const looks = tryInstalled("/opt/assent", process.execPath, []);
  for (const { cell, text, right, seen } of looks) console.log(`${right ? "ok  " : "no  "} ${cell}: ${text}${right ? "" : `: ${seen}`}`);
  process.exitCode = looks.every(({ right }) => right) ? 0 : 1;' || wrong=1

for kind in dynamic static; do
  musl-gcc -O1 $([[ $kind == static ]] && echo -static) -o "$at/$kind" "$root/test/machines/musl.c"
done
readelf -l "$at/dynamic" | grep -q ld-musl || { echo "no   dynamic: not a program of musl"; exit 1; }
make_home() { # KIND
  rm -rf "${home:?}"
  mkdir -p "$home/p/.git" "$home/.ssh"
  (cd "$home/p" && echo key >../.ssh/id_rsa && echo orig >../other && echo draft >draft && echo old >old)
  cp "$([[ $1 == box ]] && echo "$root/test/machines/musl-box.sh" || echo "$at/$1")" "$home/p/tidy"
  chown -R 1000:1000 "$home"
}
home=$new/home/u
assent=(node /opt/assent/node_modules/assent/dist/bin.cjs)
for kind in dynamic static box; do
  command='./tidy'
  [[ $kind != box ]] || command='sh ./tidy'
  make_home "$kind"
  bare=$(enter 1000 sh -c "cd ~/p && $command" 2>/dev/null | grep -c HARM || true)
  make_home "$kind"
  out=$(enter 1000 sh -c "cd ~/p && ${assent[*]} run -P -- $command" 2>"$at/err") && status=0 || status=$?
  check "$kind: ran to its end" "0 end" "$status $(tail -1 <<<"$out")"
  check "$kind: no harm, of $bare without Assent" 0 "$(grep -c HARM <<<"$out" || true)"
  [[ $bare -ge 6 ]] || { echo "no   $kind: only $bare harms without Assent" && wrong=1; }
  check "$kind: what it may do" "new new old" "$(cd "$home/p" && cat made threaded folder/moved 2>&1 | tr '\n' ' ' | sed 's/ $//')"
  check "$kind: what it may not" "orig 644" "$(cat "$home/other") $(stat -c %a "$home/other")"
  enter 1000 sh -c "cd ~/p && ${assent[*]} undo --yes" >/dev/null 2>&1 || true
  check "$kind: undone" "draft old no" "$(cd "$home/p" && cat draft old | tr '\n' ' ')$([[ -e $home/p/made || -e $home/p/folder ]] && echo yes || echo no)"
done
[[ $escapes == yes ]] || exit "$wrong"

mkdir -p "$new/opt/suite/assent/node_modules" "$new/opt/bundles" "$new/opt/here"
cp -r "$root/dist" "$root/package.json" "$new/opt/suite/assent/" && rm -f "$new/opt/suite/assent/dist"/*.cache
cp -r "$new/opt/assent/node_modules/@koromix" "$new/opt/suite/assent/node_modules/"
# musl has no names of errors.
{
  echo '#include <errno.h>' && echo 'static const char *strerrorname_np(int number) { switch (number) {'
  awk '$1 == "#define" && $2 ~ /^E[A-Z0-9]+$/ && $3 ~ /^[0-9]+$/ { print "case " $3 ": return \"" $2 "\";" }' /usr/include/asm-generic/errno*.h
  echo 'default: return 0; } }'
} >"$at/names.h"
for source in "$root"/test/escape/probes/*.c; do
  options=$(sed -n 's|^// gcc ||p' "$source") probe=$new/opt/suite/$(basename "$source" .c)
  # Those without any library of C, and of 32 bits, as they are.
  # shellcheck disable=SC2086
  case $source in
  *abi32.c | *elf32.c) gcc -O1 -w -pthread "$source" -o "$probe" $options -static ;;
  *)
    names=()
    ! grep -q strerrorname_np "$source" || names=(-include "$at/names.h")
    musl-gcc -static -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu "${names[@]}" -O1 -w -pthread "$source" -o "$probe" $options
    ;;
  esac
done
# This machine's own programs, with their library where it is here: for attempts, and for the namespaces around them.
python=$(realpath /usr/bin/python3)
mkdir -p "$new/lib64" "$new/usr/lib/x86_64-linux-gnu" "$new/usr/sbin" "$new/usr/share"
for program in "$python" /usr/bin/{awk,base64,bash,date,env,find,flock,git,id,install,ls,nice,nohup,perl,setpriv,setsid,stdbuf,taskset,timeout,unshare,xargs}; do
  rm -f "$new/usr/bin/${program##*/}"
  cp -L "$program" "$new/usr/bin/"
done
ln -sf /usr/bin/{bash,date,env,ls} "$new/bin/"
# Debian's busybox takes its own commands before any other, which Alpine's does not.
rm "$new/bin/sh" && cp -L /bin/dash "$new/bin/sh"
mkdir -p "$new/usr/lib/git-core" "$new/usr/share/git-core"
cp -r /usr/lib/git-core/. "$new/usr/lib/git-core/" && cp -r /usr/share/git-core/. "$new/usr/share/git-core/"
printf '127.0.0.1 localhost\n::1 localhost\n' >"$new/etc/hosts"
printf 'hosts: files dns\npasswd: files\ngroup: files\n' >"$new/etc/nsswitch.conf"
: >"$new/etc/resolv.conf"
mkdir -p "$new/var" && rm -rf "$new/var/run" && ln -s /run "$new/var/run"
ln -sf "${python##*/}" "$new/usr/bin/python3"
cp -r "/usr/lib/${python##*/}" "$new/usr/lib/"
cp -r /usr/lib/x86_64-linux-gnu/perl* "$new/usr/lib/x86_64-linux-gnu/" && cp -r /usr/share/perl* "$new/usr/share/"
# A name that is musl's, too, is only found by musl's loader in /usr/lib itself.
for library in $(find "$new/usr/bin" "$new/usr/lib/${python##*/}" -type f \( -perm -100 -o -name '*.so' \) ! -name node -exec ldd {} + 2>/dev/null | grep -o '/[^ ]* (0x' | cut -d' ' -f1 | sort -u); do
  cp -n "$library" "$new/usr/lib/x86_64-linux-gnu/"
done
cp /lib64/ld-linux-x86-64.so.2 "$new/lib64/"
files=()
for file in "$root"/test/escape/*.test.ts; do [[ $file == */soundness* ]] || files+=("${file#"$root"/}"); done
node "$root/test/machines/bundle.mjs" "$new/opt/bundles" "${files[@]}"
# busybox's shell takes its own setpriv and unshare before any other.
sed -i 's|setpriv --|/usr/bin/setpriv --|g; s|"unshare -U|"/usr/bin/unshare -U|g' "$new/opt/bundles/test/escape/inside.sh"
rm -f "$new/bin"/{unshare,setpriv,setsid,nice,nohup,timeout,xargs,base64,flock,id,install,find,taskset}
mkdir -p "$new/opt/bundles/packages/hosts/src/agents" "$new/opt/bundles/node_modules"
cp -r "$root/packages/hosts/src/agents/install" "$new/opt/bundles/packages/hosts/src/agents/"
ln -s ../suite/assent/dist "$new/opt/bundles/dist"
ln -s ../../suite/assent/dist "$new/opt/bundles/test/dist"
ln -s ../../suite/assent/node_modules/@koromix "$new/opt/bundles/node_modules/@koromix"
{
  echo "== kernel $(uname -r) $(uname -m) node $(enter 0 node --version) of musl"
  for file in "${files[@]}"; do
    enter 0 env ESCAPE_SUITE=/opt/suite ESCAPE_SLOWER=4 ONLY="$only" SUITE_FILE="$file" node "/opt/bundles/${file%.ts}.mjs" </dev/null || true
  done
  echo "== end"
} | node "$root/test/machines/report.mjs" musl || wrong=1
exit "$wrong"
