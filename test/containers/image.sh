#!/usr/bin/env bash
# Makes the root folder of an image at $1 out of this machine's busybox and Node and of the built Assent: no registry is needed.
set -euo pipefail
image=$1 root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$image"/{proc,sys,dev,tmp,etc,root,bin,usr/bin,lib64,home/u,opt/assent/node_modules/@koromix,opt/assent/bin}
cd "$image"
chmod 1777 tmp
cp "$(command -v busybox)" bin/busybox
for applet in $(busybox --list); do [[ -e bin/$applet ]] || ln -s busybox "bin/$applet"; done
ln -s ../../bin/busybox usr/bin/env
node=$(node -p process.execPath)
cp -L "$node" usr/bin/node
for library in $(ldd "$node" | grep -o '/[^ ]*\.so[^ ]*'); do mkdir -p ".${library%/*}" && cp -L "$library" ".$library"; done
cp -r "$root/dist" "$root/package.json" opt/assent/
cp -r "$root"/node_modules/@koromix/koffi-linux-* opt/assent/node_modules/@koromix/
cp "$root/bin/assent.cjs" opt/assent/bin/
ln -s /opt/assent/bin/assent.cjs usr/bin/assent
printf 'root:x:0:0::/root:/bin/sh\nu:x:1000:1000::/home/u:/bin/sh\n' >etc/passwd
printf 'root:x:0:\nu:x:1000:\n' >etc/group
[[ $(id -u) != 0 ]] || chown -R 1000:1000 home/u
