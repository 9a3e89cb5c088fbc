#!/bin/sh
# The first process on the guest's disks (run.sh): says what Assent does on this kernel, or plays suites there.
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root
exec </dev/console >/dev/console 2>&1
mkdir -p /dev/shm /dev/pts
mount -t tmpfs t /dev/shm; mount -t devpts p /dev/pts; mount -t tmpfs -o mode=755 t /run; mount -t securityfs s /sys/kernel/security
chmod 1777 /tmp
for link in fd:/proc/self/fd stdin:fd/0 stdout:fd/1 stderr:fd/2; do [ -e /dev/${link%%:*} ] || ln -s "${link#*:}" "/dev/${link%%:*}"; done
ip link set lo up
. /opt/what
mkdir -p /usr/local/bin /usr/local/sbin; ln -s /opt/node /usr/local/bin/node
echo "== kernel $(uname -r) $(uname -m) node $(node --version) lsm $(cat /sys/kernel/security/lsm)"
# Code caches are of the processor that made them, and every row has a state folder of its own: without any beside the program, each
# start would compile all of it in the emulator.
warm() {
  dist=/opt/suite/assent/dist
  mkdir -p /root/warm/p/.git
  (cd /root/warm/p && export HOME=/root/warm && node $dist/bin.cjs run -P -- true && node $dist/bin.cjs run -P -- sh -c 'echo x > f; cat f; ls') >/dev/null
  for cache in /root/warm/.local/state/assent/*.cache; do
    part=${cache##*/}
    [ ! -e "$cache" ] || cp "$cache" "$dist/${part%-*-v*}.cache"
  done
}
suites() {
  [ -z "$SCOPE" ] || echo "$SCOPE" > /proc/sys/kernel/yama/ptrace_scope
  warm
  echo "== suites, ptrace_scope $(cat /proc/sys/kernel/yama/ptrace_scope 2>&1), after $(cut -d. -f1 /proc/uptime) s"
  export ONLY ESCAPE_SUITE=/opt/suite ESCAPE_SLOWER="${ESCAPE_SLOWER:-8}"
  for file in $SUITES; do
    echo "== suite $file"
    SUITE_FILE=$file node "/opt/bundles/${file%.ts}.mjs" </dev/null || echo "== broken off: $file, status $?"
  done
}
end() { echo "== end"; sync; busybox poweroff -f; }
if [ "$WHAT" = suites ] && [ -z "$FACTS" ]; then suites; end; fi
mkdir -p /home/u/p/.git /home/u/.ssh; echo key-hunter2 > /home/u/.ssh/id_rsa; echo orig > /home/u/other
A="node /opt/suite/assent/dist/bin.cjs"
chown -R 1000:1000 /home/u
as() { setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps=-all sh -c "cd /home/u/p; export HOME=/home/u NO_COLOR=1; $*"; }
echo "== version"; as "$A --version"
echo "== explain"; as "$A explain 'git log | head && rm -rf ~'" | head -3
# In an emulator the first decision may take longer than one may.
sleep 5; as "$A explain 'git log | head && rm -rf ~'" | head -3
echo "== hook"; as "echo '{\"hook_event_name\":\"PreToolUse\",\"cwd\":\"/home/u/p\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm -rf ~\"}}' | $A check --agent claude"; echo
echo "== library"; as "node --input-type=module -e 'const m = await import(\"/opt/suite/assent/dist/library.mjs\"); console.log(Object.keys(m).length > 5 ? \"loaded\" : \"?\")'"
cat > /home/u/harms <<'T'
try() { name=$1; shift; if ( eval "$*" ) >/dev/null 2>&1; then echo "harm $name: done"; else echo "harm $name: failed"; fi; }
rm draft; echo new > made
try secret 'cat ~/.ssh/id_rsa'; try write 'echo stolen > ~/other'; try chmod 'chmod 777 ~/other'; try link 'ln ~/other ~/p/l'
try rename 'mv ~/other ~/x && mv ~/x ~/other'; try mkdir 'mkdir ~/.config/autostart -p'; try namespace 'unshare -r true'
try init 'kill -9 1'; try sysctl 'echo x > /proc/sys/kernel/hostname'; try mount 'mount -t tmpfs t /tmp'
T
for s in 0 1 2; do
  [ -e /proc/sys/kernel/yama/ptrace_scope ] && echo $s > /proc/sys/kernel/yama/ptrace_scope
  echo "== ptrace_scope $s: $(cat /proc/sys/kernel/yama/ptrace_scope 2>&1)"
  for how in bare run; do
    rm -rf /home/u/p/* /home/u/.config; echo orig > /home/u/other; chmod 644 /home/u/other; chown 1000 /home/u/other
    cp /home/u/harms /home/u/p/tidy; echo d > /home/u/p/draft; chown -R 1000:1000 /home/u/p
    if [ $how = bare ]; then
      [ "$s" = 0 ] || continue
      echo "-- without assent"; as "sh ./tidy"
    else
      echo "-- doctor"; as "$A doctor"; echo "-- doctor status $?"
      echo "-- run"; as "$A run -P -- sh ./tidy"; echo "-- run status $?"
    fi
    echo "other=$(cat /home/u/other) mode=$(stat -c %a /home/u/other) draft=$(cat /home/u/p/draft 2>&1) made=$(cat /home/u/p/made 2>&1)"
  done
  echo "-- undo"; as "$A undo --yes"; echo "-- undo status $?"
  echo "draft=$(cat /home/u/p/draft 2>&1) made=$(cat /home/u/p/made 2>&1)"
done
echo 0 2>/dev/null > /proc/sys/kernel/yama/ptrace_scope
[ "$WHAT" = facts ] || suites
end
