# Makes the machine of one run, in namespaces of its own, then goes on as the harness inside it.
# usage: inside.sh CLIENT NODE-FOLDER OWN-NODE ASSENT-FOLDER MCP-SERVER HARNESS OUT
set -eu
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t tmpfs -o size=1g tmpfs /mnt
mkdir -p /mnt/client/node_modules /mnt/node/node_modules /mnt/own/assent /mnt/out /mnt/bin
touch /mnt/own/node /mnt/own/mcp-server.mjs /mnt/own/inside.mjs
frozen() { mount -o remount,bind,ro "$1" 2>/dev/null || true; }
bound() { mount --bind "$1" "$2" && frozen "$2"; }
bound "$1" /mnt/client/node_modules
bound "$2" /mnt/node/node_modules
bound "$3" /mnt/own/node
bound "$4" /mnt/own/assent
bound "$5" /mnt/own/mcp-server.mjs
bound "$6" /mnt/own/inside.mjs
mount --bind "$7" /mnt/out
# From here on nothing of the real homes and temporary files is in reach.
for folder in /home /root /tmp /var/tmp; do
  if [ -d "$folder" ] && [ ! -L "$folder" ]; then mount -t tmpfs -o size=1g tmpfs "$folder"; fi
done
chmod 1777 /tmp
# What only an administrator can write is this machine's own, too.
mkdir /mnt/etc
cp -a /etc/. /mnt/etc 2>/dev/null || true
mount --bind /mnt/etc /etc
# Hooks for everybody on the machine ask the account for its home.
sed -i 's#^\(root:.*:\)[^:]*\(:[^:]*\)$#\1/home/you\2#' /etc/passwd
frozen /
ip link set lo up
cd /
exec /mnt/own/node /mnt/own/inside.mjs
