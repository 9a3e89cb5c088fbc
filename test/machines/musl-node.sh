#!/usr/bin/env bash
# `bash test/machines/musl-node.sh FOLDER`: a Node of musl, as FOLDER/node, with the C++ library that it needs below FOLDER/lib. Of npm's
# packages only programs that have a Node of musl in them are known; pnpm's is one: without its own script in it, it is that Node. Its C++
# library is made of Debian's source of gcc, for musl, by the machine's own compiler (some minutes). Needs gcc, g++, musl-tools, npm.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
to=$1
pnpm=@pnpm/linuxstatic-x64@11.21.0
[[ -e $to/complete ]] && exit 0
rm -rf "$to" && mkdir -p "$to/lib"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
tar -xzf "$(npm pack --silent "$pnpm")"
node "$here/musl-node.mjs" program package/pnpm "$to/node"

version=$(gcc -dumpversion)
apt-get download "gcc-$version-source" >/dev/null 2>&1
dpkg-deb -x "gcc-$version-source"_*.deb .
archive=$(ls usr/src/gcc-"$version"/gcc-"$version"*.tar.xz)
source=$(tar -tf "$archive" 2>/dev/null | head -1 | cut -d/ -f1 || true)
tar -xf "$archive" --wildcards "$source/libstdc++-v3/*" "$source/libgcc/*" "$source/config*" "$source/libiberty/*" "$source/include/*" \
  "$source/gcc/BASE-VER" "$source/gcc/DATESTAMP" "$source/install-sh" "$source/missing" "$source/lt*" "$source/mkinstalldirs" \
  "$source/move-if-change" "$source/depcomp" 2>/dev/null || true

specs=/usr/lib/x86_64-linux-musl/musl-gcc.specs
printf '#!/bin/sh\nexec gcc -specs %s "$@"\n' "$specs" >cc
printf '#!/bin/sh\nexec g++ -nostdinc -nostdinc++ -isystem /usr/include/x86_64-linux-musl -isystem "%s" -specs %s "$@"\n' \
  "$(gcc -print-file-name=include)" "$specs" >cxx
chmod 755 cc cxx
# Threads: what libgcc's own build would have put there.
mkdir libgcc built && cp "$source/libgcc/gthr-posix.h" libgcc/gthr-default.h
cd built
../"$source"/libstdc++-v3/configure --host=x86_64-linux-musl --build=x86_64-linux-gnu --disable-multilib --disable-nls \
  --disable-libstdcxx-pch --disable-libstdcxx-filesystem-ts CC="$work/cc" CXX="$work/cxx" \
  AR=ar RANLIB=ranlib AS=as LD=ld NM=nm STRIP=strip OBJDUMP=objdump >configured 2>&1 || { tail -5 configured >&2 && exit 1; }
make -k -j"$(nproc)" CFLAGS='-O1 -fPIC' CXXFLAGS='-O1' >made 2>&1 || [[ -e src/.libs/libstdc++.a ]] || { tail -5 made >&2 && exit 1; }
cd ..

# The machine's own unwinder and arithmetic, for others to see; what glibc alone would have stands in musl-shim.cc.
mkdir objects && cd objects
ar x "$(gcc -print-file-name=libgcc_eh.a)"
ar x "$(gcc -print-libgcc-file-name)"
rm -f cpuinfo.o ./*morestack*.o
node "$here/musl-node.mjs" visible ./*.o
cd ..
headers=(-I built/include/x86_64-linux-musl -I built/include -I "$source/libstdc++-v3/libsupc++" -I "$source/libgcc")
./cxx -O1 -fPIC "${headers[@]}" -DOF_GCC -c "$here/musl-shim.cc" -o of-gcc.o
./cxx -O1 -fPIC "${headers[@]}" -c "$here/musl-shim.cc" -o of-library.o
shared=(-shared -nostartfiles -nostdlib)
./cc "${shared[@]}" -Wl,-soname,libgcc_s.so.1 -o "$to/lib/libgcc_s.so.1" of-gcc.o -Wl,--whole-archive objects/*.o -Wl,--no-whole-archive \
  -L/usr/lib/x86_64-linux-musl -lc
./cxx "${shared[@]}" -Wl,-soname,libstdc++.so.6 -o "$to/lib/libstdc++.so.6" of-library.o \
  -Wl,--whole-archive built/src/.libs/libstdc++.a -Wl,--no-whole-archive "$to/lib/libgcc_s.so.1" -L/usr/lib/x86_64-linux-musl -lc
: >"$to/complete"
