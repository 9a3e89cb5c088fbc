#!/usr/bin/env bash
# `npm run packaging`: builds the image and the devcontainer feature of packaging/ from this tree's archive in a Docker daemon of its
# own, on a base made of this machine's busybox, Node and npm, and sees that they work. Needs root, docker.io, busybox-static and npm's
# registry (for the one package that Assent installs).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
at=$(mktemp -d)
chmod 755 "$at"
docker=(docker -H "unix://$at/socket")
dockerd --data-root "$at/data" --exec-root "$at/exec" -p "$at/pid" -H "unix://$at/socket" --iptables=false --ip6tables=false --bridge=none \
  --ip-forward=false >"$at/log" 2>&1 &
daemon=$!
finish() {
  kill "$daemon" && wait "$daemon" || true
  umount "$at/exec/netns/default" 2>/dev/null || true
  rm -rf "$at"
}
trap finish EXIT
bash "$root/test/containers/image.sh" "$at/base"
(
  cd "$at/base"
  rm -rf opt/assent usr/bin/assent
  mkdir -p usr/lib/node_modules usr/local/bin etc/ssl/certs
  cp -r "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" usr/lib/node_modules/npm
  ln -s ../lib/node_modules/npm/bin/npm-cli.js usr/bin/npm
  cp -L /etc/ssl/certs/ca-certificates.crt etc/ssl/certs/
)
for _ in $(seq 60); do "${docker[@]}" version >/dev/null 2>&1 && break || sleep 0.5; done
tar -C "$at/base" -c . | "${docker[@]}" import --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' \
  --change 'ENV PATH=/usr/local/bin:/usr/bin:/bin' - assent-base:local >/dev/null
mkdir "$at/context" "$at/project"
node "$root/scripts/pack.mjs" "$at/context" >/dev/null
wrong=0
check() { # NAME EXPECTED GOT
  if [[ $3 == *"$2"* ]]; then echo "ok   $1"; else echo "no   $1: $3" && wrong=1; fi
}

DOCKER_BUILDKIT=0 "${docker[@]}" build --network host --build-arg BASE=assent-base:local -f "$root/packaging/Dockerfile" -t assent "$at/context" >"$at/build" 2>&1 ||
  { tail -20 "$at/build"; exit 1; }
run=("${docker[@]}" run --rm --network none)
# shellcheck disable=SC2016
check "image: runs as a user with records that can be written" '1000 drwx------' "$("${run[@]}" --entrypoint sh assent -c 'id -u; ls -ld $HOME/.local/state/assent' 2>&1 | tr '\n' ' ')"
check "image: doctor" 'assent run` works' "$("${run[@]}" assent 2>&1)"
check "image: judges" 'deny' "$("${run[@]}" assent explain 'rm -rf ~' 2>&1)"
echo draft >"$at/project/draft" && chown -R 1000:1000 "$at/project"
check "image: supervises what is mounted" '1 file deleted' "$("${run[@]}" -v "$at/project:/work" assent run -P -- rm draft 2>&1)"
check "image: works for any user" 'deny' "$("${run[@]}" --user 1234 -e HOME=/tmp assent explain 'rm -rf ~' 2>&1)"

cp -r "$root/packaging/devcontainer/assent" "$at/feature"
feature() { # SCRIPT...
  "${docker[@]}" run --rm --network host -v "$at/feature:/feature:ro" -e _REMOTE_USER=u -e _REMOTE_USER_HOME=/home/u assent-base:local sh -c "$1" 2>&1 || true
}
check "feature: says that its archive is missing" 'there is no archive beside install.sh' "$(feature 'sh /feature/install.sh')"
cp "$at"/context/assent-*.tgz "$at/feature/"
check "feature: says that Node is missing" 'Node is missing' "$(feature 'rm /usr/bin/npm; sh /feature/install.sh')"
check "feature: takes no address that is not https" 'neither a path nor an https address' "$(feature 'ARCHIVE=http://x/a.tgz sh /feature/install.sh')"
out=$(feature '
  sh /feature/install.sh >/dev/null && sh /feature/install.sh >/dev/null && echo TWICE
  mkdir -p /home/u/.claude && chown 1000:1000 /home/u/.claude
  ls -ldL /home/u/.local/state/assent
  su -s /bin/sh u -c "export HOME=/home/u; cd; /usr/local/share/assent/register; grep -c assent .claude/settings.json; cd /home/u && mkdir p && cd p && assent run -P -- touch made; ls /var/lib/assent"')
check "feature: installs, also twice" TWICE "$out"
check "feature: the folder for records is the user's" 'drwx------' "$out"
check "feature: registers" 'settings.json' "$out"
check "feature: a run works, and its records are in the volume" '1 file created' "$out"
check "feature: its records" 'runs' "$out"
check "feature: registers nothing where that is not wanted" 'NOTHING' "$(feature 'REGISTER=false sh /feature/install.sh >/dev/null; /usr/local/share/assent/register; [ -e /home/u/.claude/settings.json ] || echo NOTHING')"
exit $wrong
