#!/bin/sh
# Builds the programs of this folder: `sh stubs/build.sh [FOLDER]`, by default where they are committed.
# Compilers: gcc 12.2.0-14+deb12u1 and aarch64-linux-gnu-gcc 12.2.0-14 of Debian 12 (packages gcc and gcc-aarch64-linux-gnu,
# both with binutils 2.40). Others make other bytes: test/try/stub.test.ts builds again with these and compares.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here}
flags="-std=c11 -Os -Wall -Wextra -Werror -ffreestanding -fno-builtin -fno-stack-protector -fno-asynchronous-unwind-tables -fno-ident
  -fno-pic -no-pie -static -nostdlib -Wl,--build-id=none,-z,noexecstack,-z,norelro,-z,noseparate-code -s"
cd "$here"
# shellcheck disable=SC2086
[ "${ONLY:-x64}" = x64 ] && gcc $flags -mno-sse try.c -o "$out/try-x64"
# shellcheck disable=SC2086
[ "${ONLY:-arm64}" = arm64 ] && aarch64-linux-gnu-gcc $flags -mno-outline-atomics try.c -o "$out/try-arm64"
exit 0
