#!/usr/bin/env bash
# `npm run machines -- bookworm`: boots Debian's kernel of that suite (bullseye 5.10, bookworm 6.1, trixie 6.12, sid 7.x) in an
# emulator, with busybox, this Node and dist/ in its initramfs, and prints what doctor, hook, library, run and undo do there.
# Needs qemu-system-x86, busybox-static, cpio. Kernels are kept below $ASSENT_MACHINES.
set -euo pipefail
suite=${1:?usage: npm run machines -- bullseye|bookworm|trixie|sid}
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${ASSENT_MACHINES:-$HOME/.cache/assent-machines}
folder=$cache/$suite
if [[ -z $(find "$folder/kernel" -name 'vmlinuz*' 2>/dev/null) ]]; then
  mkdir -p "$folder"/{lists/partial,cache/archives/partial,kernel}
  {
    echo "deb http://deb.debian.org/debian $suite main"
    [[ $suite == sid ]] || echo "deb http://deb.debian.org/debian-security $suite-security main"
  } >"$folder/sources.list"
  apt=(-o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$folder/lists"
    -o "Dir::Cache=$folder/cache" -o Dir::State::status=/dev/null -o Acquire::Languages=none
    -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false)
  apt-get "${apt[@]}" update >&2
  image=$(apt-cache "${apt[@]}" depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image.*\)/\1/p' | head -1)
  # Newer suites keep the kernel itself in a package beside.
  more=$(apt-cache "${apt[@]}" depends "$image" | sed -n 's/.*Depends: \(linux-\(binary\|modules\)-.*\)/\1/p')
  # shellcheck disable=SC2086
  (cd "$folder" && apt-get "${apt[@]}" download "$image" $more >&2)
  for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder/kernel"; done
fi
guest=$(mktemp -d)
trap 'rm -rf "$guest"' EXIT
mkdir -p "$guest"/root/{proc,sys,dev,tmp,etc,root,usr/bin,usr/lib,bin,lib64,opt/assent/node_modules,home/u}
cd "$guest/root"
ln -s usr/lib lib
cp /bin/busybox bin/busybox
for applet in $(/bin/busybox --list); do [[ -e bin/$applet ]] || ln -s busybox "bin/$applet"; done
node=$(node -p process.execPath)
cp -L "$node" usr/bin/node
for library in $(ldd "$node" | grep -o '/[^ ]*\.so[^ ]*'); do mkdir -p ".${library%/*}" && cp -L "$library" ".$library"; done
cp -r "$root/dist" "$root/package.json" opt/assent/
cp -r "$root/node_modules/@koromix" opt/assent/node_modules/
printf 'root:x:0:0::/root:/bin/sh\nu:x:1000:1000::/home/u:/bin/sh\n' >etc/passwd
printf 'root:x:0:\nu:x:1000:\n' >etc/group
install -m 755 "$root/test/machines/init.sh" init
find . | cpio -o -H newc --quiet >"$guest/initrd"
# no_timer_check: 5.10 gives up where an emulated timer comes late.
timeout "${SECONDS_AT_MOST:-1500}" qemu-system-x86_64 -M q35 -cpu max -smp 1 -m 1G -nographic -no-reboot -nic none \
  -kernel "$(find "$folder/kernel" -name 'vmlinuz*' | head -1)" -initrd "$guest/initrd" \
  -append "console=ttyS0 panic=-1 quiet no_timer_check" </dev/null
