#!/bin/sh
# Installs Assent into a devcontainer, as root, when its image is built. Records are kept in the volume /var/lib/assent.
set -eu
fail() {
  echo "assent: $1" >&2
  exit 1
}
user=${_REMOTE_USER:-root}
home=${_REMOTE_USER_HOME:-}
[ -n "$home" ] || home=$(awk -F: -v user="$user" '$1 == user { print $6 }' /etc/passwd)
[ -n "$home" ] || fail "the user $user has no home folder"
[ "$(id -u)" = 0 ] || fail "a feature is installed as root"
command -v npm >/dev/null && command -v node >/dev/null || fail "Node is missing: add the feature ghcr.io/devcontainers/features/node"
[ "$(node -p 'process.versions.node.split(".")[0] >= 20')" = true ] || fail "Node 20 or newer is needed, this is $(node --version)"

archive=${ARCHIVE:-}
if [ -z "$archive" ]; then
  set -- "$(dirname "$0")"/assent-*.tgz
  [ -f "$1" ] || fail "there is no archive beside install.sh; name one by the option \`archive\`"
  archive=$1
fi
case $archive in
https://* | /* | ./* | ../*) ;;
*) fail "\`archive\` is neither a path nor an https address: $archive" ;;
esac
npm install --global --prefix /usr/local --ignore-scripts --no-audit --no-fund --no-update-notifier "$archive"

# A new volume takes over what the image has there, with its owner.
mkdir -p /var/lib/assent "$home/.local/state"
if [ ! -e "$home/.local/state/assent" ]; then ln -s /var/lib/assent "$home/.local/state/assent"; fi
group=$(id -g "$user")
chown "$user:$group" /var/lib/assent "$home/.local" "$home/.local/state"
chown -h "$user:$group" "$home/.local/state/assent"
chmod 700 /var/lib/assent

mkdir -p /usr/local/share/assent
if [ "${REGISTER:-true}" = true ]; then
  printf '#!/bin/sh\nexec assent install --yes\n' >/usr/local/share/assent/register
else
  printf '#!/bin/sh\n' >/usr/local/share/assent/register
fi
chmod 755 /usr/local/share/assent/register
