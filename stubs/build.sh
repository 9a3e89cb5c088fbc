#!/bin/sh
# Builds the programs of this folder: `sh stubs/build.sh [FOLDER [ARCHITECTURE...]]`, by default all, where they are committed.
# Compilers: gcc 12.2.0-14+deb12u1 and aarch64-linux-gnu-gcc 12.2.0-14 of Debian 12 (packages gcc and gcc-aarch64-linux-gnu, both with
# binutils 2.40). Others may make other bytes: test/agents/stubs.test.ts builds again with these and compares.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- x64 arm64
flags="-std=gnu11 -Os -Wall -Wextra -Werror -ffreestanding -fno-builtin -fno-stack-protector -fno-stack-clash-protection
  -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-ident -fno-tree-loop-distribute-patterns -no-pie -static -nostdlib
  -mgeneral-regs-only -Wl,--build-id=none"
# A program with memory of its own, linked as any other.
try_flags="-std=c11 -Os -Wall -Wextra -Werror -ffreestanding -fno-builtin -fno-stack-protector -fno-asynchronous-unwind-tables -fno-ident
  -fno-pic -no-pie -static -nostdlib -Wl,--build-id=none,-z,noexecstack,-z,norelro,-z,noseparate-code -s"
linked=$(mktemp)
trap 'rm -f "$linked"' EXIT
cd "$here"
for architecture; do
  case $architecture in
    x64) tools=x86_64-linux-gnu own="-march=x86-64 -fcf-protection=none -Wl,--defsym=MACHINE=62" try_own=-mno-sse ;;
    arm64) tools=aarch64-linux-gnu own="-march=armv8-a -mno-outline-atomics -Wl,--defsym=MACHINE=183" try_own=-mno-outline-atomics ;;
  esac
  for program in launch when ask front spare confine shell routine; do
    as="-fno-pic -Wl,-T,image.ld"
    [ $program != routine ] || as="-fpie -Wl,-T,routine.ld"
    # shellcheck disable=SC2086 # lists of options
    "$tools-gcc" $flags $own $as "$program.c" -o "$linked"
    "$tools-objcopy" -O binary -j .image "$linked" "$out/$program-$architecture"
    chmod 755 "$out/$program-$architecture"
  done
  # shellcheck disable=SC2086
  "$tools-gcc" $try_flags $try_own try.c -o "$out/try-$architecture"
done
