#!/bin/sh
# The first process of a test's namespaces: shows the scratch world as /srv and the suite's programs as /media, hides the
# machine's temporary and run folders, and starts what is tested. Everything here ends when this process does.
set -eu
mount --bind "$ESCAPE_WORLD" /srv
mount --bind "$ESCAPE_SUITE" /media
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
/media/lo-up
case $ESCAPE_USER in
root) as= ;;
user)
  if [ "$ESCAPE_REAL_ROOT" = 1 ]; then as="setpriv --reuid 1000 --regid 1000 --clear-groups"
  else as="unshare -U --map-user=1000 --map-group=1000 setpriv --inh-caps=-all --bounding-set=-all"; fi
  ;;
esac
as="$as env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/srv/home XDG_STATE_HOME=/srv/home/state W=/srv/W O=/srv/O S=/srv/home/S T=/srv/O/f LANG=C.UTF-8 $ESCAPE_ENV"
assent="$ESCAPE_NODE /media/assent/dist/bin.cjs"
as="$as ASSENT=/media/assent/dist/bin.cjs NODE=$ESCAPE_NODE"
cd /srv/W
eval "$ESCAPE_PRELUDE"
if [ -n "$ESCAPE_BESIDE" ]; then
  $as /bin/sh -c "$ESCAPE_BESIDE" &
  for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -e /srv/ready ] || sleep 0.25; done
fi
set +e
# Through a pipe: what the harness reads from is a socket, which cannot be opened by name.
$as /bin/sh -c '{ "$@"; echo "exit-status $?"; } | cat' sh "$@"
[ -z "$ESCAPE_AFTER" ] || $as /bin/sh -c "$ESCAPE_AFTER"
exit 0
