import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Programs that change the machine: processes, users, devices, power.

export const systemChange: readonly CommandSpec[] = [
  {
    names: "kill",
    summary: "signals processes",
    // The analyser: `-l`, `-L` only list; `-SIG`, `-s SIG`, `-n N` choose; process 1 and -1 are `kill-all`, other operands are
    // processes, negative ones groups. The shell's builtin reads the same way.
    style: "none",
    operands: "text*",
    analyse: "kill",
    examples: {
      allow: ["kill -l", "kill -l 9", "kill -L"],
      ask: ["kill 1234", "kill -9 1", "kill -TERM 12 13", "kill -s HUP 1234", "kill -- -1234", 'kill "$PID"', "kill %1"],
      deny: ["kill -9 -1", "kill -- -1", "kill -s KILL -1", "kill -KILL -1"],
    },
  },
  {
    names: "pkill",
    summary: "signals processes by name",
    // The signal may be written as an option: `-9`, `-HUP`.
    options: rows(
      "-1..-9; -HUP; -INT; -QUIT; -KILL; -TERM; -STOP; -CONT; -USR1; -USR2; -SIGHUP; -SIGINT; -SIGQUIT; -SIGKILL; -SIGTERM; -SIGSTOP; -SIGCONT; -SIGUSR1; -SIGUSR2; --signal=text; -q --queue=text; -e --echo; -l",
      "-v --inverse; -c --count; -f --full; -g --pgroup=text; -G --group=text; -i --ignore-case; -n --newest; -o --oldest; -O --older=text; -P --parent=text; -s --session=text; -t --terminal=text; -u --euid=text",
      "-U --uid=text; -x --exact; -F --pidfile=read; -L --logpidfile; -r --runstates=text; -A --ignore-ancestors; --cgroup=text; --ns=text; --nslist=text; -h --help -> stop; -V --version -> stop",
    ),
    operands: "text*",
    effects: "process, danger signals-by-name",
    examples: { allow: ["pkill --version"], ask: ["pkill node", "pkill -9 -f server", "pkill -HUP nginx", "pkill -u root"] },
  },
  {
    names: "killall",
    summary: "signals processes by name",
    options: rows(
      "-1..-9; -HUP; -INT; -QUIT; -KILL; -TERM; -STOP; -CONT; -USR1; -USR2; -e --exact; -I --ignore-case; -g --process-group; -y --younger-than=text; -o --older-than=text; -i --interactive; -l --list -> stop; -q --quiet",
      "-r --regexp; -s --signal=text; -u --user=text; -v --verbose; -V --version -> stop; -w --wait; -n --ns=text; -Z --context=text",
    ),
    operands: "text*",
    effects: "process, danger signals-by-name",
    examples: { allow: ["killall -l"], ask: ["killall node", "killall -9 node", "killall -u me"] },
  },
  {
    names: "killall5",
    summary: "signals every process",
    options: "-1..-9\n-o=text",
    operands: "",
    effects: "process, danger kill-all",
    examples: { deny: ["killall5 -9", "killall5"] },
  },
  {
    names: "renice snice",
    summary: "changes priorities",
    options: rows("-n --priority=text; --relative=text; -p --pid; -g --pgrp; -u --user; -h --help -> stop; -V --version -> stop"),
    operands: "text*",
    effects: "process",
    examples: { ask: ["renice -n 5 -p 1234"] },
  },
  {
    names: "ntpdate",
    summary: "sets the clock, and with options of another version's, too: a script of ntpsec takes most for its own",
    operands: "refuse*",
    effects: "system kernel, danger host-effect",
    examples: { ask: ["ntpdate pool.ntp.org", "ntpdate -V", "ntpdate"] },
  },
  {
    names:
      "umount swapon swapoff losetup modprobe insmod rmmod kmod depmod setsebool setenforce auditctl rfkill hwclock chronyc tc brctl bridge iw iwconfig nmcli ufw firewall-cmd nft ethtool wg wg-quick",
    summary: "changes devices, modules, network or clock",
    options: rows("-h --help -> stop; -V --version -> stop"),
    operands: "refuse*",
    effects: "system kernel, danger host-effect",
    examples: {
      allow: ["umount --version"],
      ask: ["umount /mnt", "modprobe x", "insmod ./evil.ko", "swapoff -a", "ufw disable", "nmcli radio wifi off", "hwclock --set"],
    },
  },
  {
    names:
      "fdisk sfdisk cfdisk gdisk sgdisk parted mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mke2fs mkswap wipefs blkdiscard fsck fsck.ext4 e2fsck tune2fs resize2fs cryptsetup mdadm lvcreate lvremove vgcreate vgremove pvcreate pvremove hdparm nvme badblocks debugfs",
    summary: "changes disks",
    // Short letters differ: `mkfs.fat -h` counts hidden sectors, `mkfs -V` and `fsck -V` are only louder.
    options: rows("-l --list -> drop device; --version -> stop; --help -> stop"),
    operands: "device:write*",
    effects: "system mounts, danger host-effect",
    examples: {
      allow: ["fdisk --version"],
      ask: ["fdisk -l", "mkfs -t ext4 disk.img"],
      deny: ["mkfs.ext4 /dev/sda1", "wipefs /dev/sda", "parted /dev/sda rm 1"],
    },
  },
  {
    names:
      "useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup delgroup chpasswd passwd chage chsh chfn gpasswd newusers vipw vigr visudo pwconv dscl",
    summary: "changes users and groups",
    options: rows("--help -> stop; --version -> stop"),
    operands: "refuse*",
    effects: "system users, danger privilege",
    examples: {
      allow: ["useradd --help"],
      ask: ["useradd x", "usermod -aG sudo me", "passwd", "passwd root", "chsh -s /tmp/x", "echo root:x | chpasswd", "visudo"],
    },
  },
  {
    names: "shutdown reboot halt poweroff telinit init pm-suspend pm-hibernate pm-suspend-hybrid",
    summary: "stops the machine",
    options: rows("--help -> stop; --version -> stop"),
    operands: "text*",
    effects: "system power, danger host-effect",
    examples: {
      allow: ["shutdown --help"],
      ask: ["shutdown -h now", "reboot", "poweroff -f", "shutdown now", "init 0", "pm-suspend -g", "reboot -g"],
    },
  },
  {
    names: "pmset",
    summary: "how a Mac saves power",
    options: rows("-g=text -> stop"),
    operands: "text*",
    effects: "system power, danger host-effect",
    examples: { allow: ["pmset -g"], ask: ["pmset sleepnow", "pmset -a sleep 0"] },
  },
];
