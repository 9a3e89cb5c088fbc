# A machine of its own for one test, with addresses of both kinds: `sh world.sh COMMAND...` in namespaces of its own.
ip link set lo up
# Not every kernel has dummies.
ip link add d0 type dummy 2>/dev/null || { ip link add d0 type veth peer name d1 && ip link set d1 up; }
ip addr add 198.51.100.1/24 dev d0
ip addr add 2001:db8:1::1/64 dev d0 nodad
ip link set d0 up
# What a suite brings stands where the machine would have it.
[ -z "$BIND" ] || mount --bind "${BIND%%:*}" "${BIND#*:}"
exec "$@"
