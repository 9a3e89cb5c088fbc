# A small internet for one test: `sh world.sh LOG COMMAND...`, inside network and mount namespaces of its own (as their root).
# This side is 203.0.113.1; everything else is in the peer's namespace. Nothing here touches the machine's own network.
set -e
log=$1
here=$(dirname "$0")
shift
ip link set lo up
ip link add v0 type veth peer name v1
: >"$log"
unshare -n python3 "$here/peer.py" "$log" &
peer=$!
export peer
trap 'kill -9 $peer $outside 2>/dev/null' EXIT
# The namespace is there as soon as it is not ours.
while [ "$(readlink /proc/$peer/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
ip link set v1 netns $peer
nsenter -t $peer -n sh -c 'ip link set lo up; ip link set v1 up; ip addr add 203.0.113.10/24 dev v1
for a in 203.0.113.11 203.0.113.12 203.0.113.13 10.77.0.10 169.254.169.254 8.8.8.8; do ip addr add $a/32 dev lo; done
ip addr add 2001:db8::10/64 dev v1 nodad; ip addr add 2001:db8::11/128 dev lo nodad'
ip addr add 203.0.113.1/24 dev v0
ip addr add 2001:db8::1/64 dev v0 nodad
ip link set v0 up
ip route add default via 203.0.113.10
ip route add 2001:db8::/32 dev v0
printf 'nameserver 203.0.113.10\noptions timeout:15\n' >"$log.resolv"
mount --bind "$log.resolv" /etc/resolv.conf
python3 "$here/outside.py" "$log" &
outside=$!
until grep -q '^ready' "$log" && grep -q '^outside' "$log"; do sleep 0.02; done
set +e
"$@"
status=$?
exit $status
