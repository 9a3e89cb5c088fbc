#!/bin/sh
# The first process of the guest that run.sh boots: says what Assent does on this kernel, for each ptrace_scope of Yama.
export PATH=/bin:/usr/bin HOME=/root
mount -t proc p /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev; mkdir -p /dev/shm /dev/pts; mount -t tmpfs t /dev/shm; mount -t tmpfs -o mode=1777 t /tmp
exec </dev/ttyS0 >/dev/ttyS0 2>&1
echo "== kernel $(uname -r) $(uname -m) lsm $(cat /sys/kernel/security/lsm 2>/dev/null)"
mount -t securityfs s /sys/kernel/security 2>/dev/null; echo "== lsm $(cat /sys/kernel/security/lsm)"
ip link set lo up
mkdir -p /home/u/p/.git /home/u/.ssh; echo key-hunter2 > /home/u/.ssh/id_rsa; echo orig > /home/u/other; 
A="node /opt/assent/dist/bin.cjs"
chown -R 1000:1000 /home/u
as() { su -s /bin/sh u -c "cd /home/u/p; export HOME=/home/u NO_COLOR=1 PATH=/bin:/usr/bin; $*"; }
echo "== version"; as "$A --version"
echo "== explain"; as "$A explain 'git log | head && rm -rf ~'" | head -3
echo "== hook"; as "echo '{\"hook_event_name\":\"PreToolUse\",\"cwd\":\"/home/u/p\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm -rf ~\"}}' | $A check --agent claude"; echo
echo "== library"; as "node --input-type=module -e 'const m = await import(\"/opt/assent/dist/library.mjs\"); console.log(Object.keys(m).length > 5 ? \"loaded\" : \"?\")'"
for s in 0 1 2; do
  [ -e /proc/sys/kernel/yama/ptrace_scope ] && echo $s > /proc/sys/kernel/yama/ptrace_scope
  echo "== ptrace_scope $s: $(cat /proc/sys/kernel/yama/ptrace_scope 2>&1)"
  echo "-- doctor"; as "$A doctor"; echo "-- doctor status $?"
  cat > /home/u/p/tidy <<'T'
rm draft; echo new > made; cat /home/u/.ssh/id_rsa; echo stolen > /home/u/other; chmod 777 /home/u/other; ln /home/u/other /home/u/p/l && echo stolen > l; mv /home/u/other /home/u/x; mkdir /home/u/.config; kill -9 1; echo x > /proc/sys/kernel/hostname; mount -t tmpfs t /tmp; unshare -r true && echo UNSHARED; echo end
T
  chown 1000:1000 /home/u/p/tidy; as "echo d > draft"
  echo "-- run"; as "$A run -P -- sh ./tidy"; echo "-- run status $?"
  echo "other=$(cat /home/u/other) mode=$(stat -c %a /home/u/other) draft=$(cat /home/u/p/draft 2>&1) made=$(cat /home/u/p/made 2>&1)"
  echo "-- undo"; as "$A undo --yes"; echo "-- undo status $?"
  echo "draft=$(cat /home/u/p/draft 2>&1) made=$(cat /home/u/p/made 2>&1)"
done
echo "== end"; poweroff -f
