#!/bin/busybox sh
# The first process of the guest: loads what the disks need, and goes on from them.
export PATH=/bin
/bin/busybox --install -s /bin
mount -t devtmpfs d /dev; mount -t proc p /proc; mount -t sysfs s /sys
# In whatever order they need each other.
for round in 1 2 3 4; do for module in /modules/*.ko; do insmod "$module" 2>/dev/null; done; done
for try in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/vdb ] || sleep 1; done
mount -t ext4 /dev/vda /new || exec sh </dev/console
if [ -e /new/init.sh ]; then umount /new; mount -t ext4 /dev/vdb /new; other=vda; else other=vdb; fi
mount -t ext4 "/dev/$other" /new/opt
for folder in dev proc sys; do mount --move /$folder /new/$folder; done
exec switch_root /new /opt/init.sh
