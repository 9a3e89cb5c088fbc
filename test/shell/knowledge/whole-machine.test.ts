import { describe, expect, it, test } from "vitest";
import { allEntries, entriesBelow, type KnowledgeEntry } from "../../../packages/core/src/shell/knowledge/entries.ts";
import { verdictFor, verdictUnderBroadAllow } from "./decide.ts";

// What affects the machine, or processes nobody chose, is asked about under a rule that allows every command (J18).

/** A danger, or an effect that brings one with it. */
const DANGER = /danger (?:host-effect|privilege|kill-all)|\bprivilege\b|\bsystem (?!packages\b|log\b)/;

/** Tools of the work in a project: single subcommands of theirs reach the machine, the rest does not. */
const OF_A_PROJECT =
  /^(?:aws|date|gh|git|kubectl oc|npm|pnpm|brew|pip pip3.*|poetry|go|security|ss|setpriv|direnv|strace|ltrace|deno|corepack|rustup|gem|tmux screen zellij)$/;

const isDangerous = (entry: KnowledgeEntry): boolean =>
  DANGER.test(entry.effects ?? "") ||
  (entry.rows.options ?? "").split("\n").some((row) => DANGER.test(row.slice(row.indexOf("->")))) ||
  entriesBelow(entry).some((below) => isDangerous(below.entry));

describe("what an entry of the machine does not list is no less dangerous than what it lists", () => {
  const open = allEntries()
    .filter(
      (entry) =>
        isDangerous(entry) &&
        !DANGER.test(entry.effects ?? "") &&
        entry.otherwise === undefined &&
        entry.stranger === undefined &&
        !OF_A_PROJECT.test(entry.names),
    )
    .map(({ names }) => names);

  it("in every table", () => {
    expect(open).toEqual([]);
  });
});

const HELD = `pgrep x | xargs kill; pgrep x | xargs -r kill -9; kill $(pgrep x); kill -9 $(pidof x); kill $(lsof -t -i:3000); lsof -ti:3000 | xargs kill -9
ps aux | awk '{print $2}' | xargs kill; kill $(seq 1 9999); kill {2..99}
kill $(ls /proc | grep '^[0-9]'); kill -9 1; kill -TERM 1; fuser -k 3000/tcp; fuser -km /; fuser -vk /mnt; skill x; tmux kill-server; tmux kill-session -t x
iptables -F; iptables -P INPUT DROP; ip6tables -X; iptables-restore rules; ipset flush; nft flush ruleset; ufw disable; pfctl -d; ebtables -F; ip link set eth0 down
ip addr flush dev eth0; ip route del default; ip netns add x; ip -b file; ifconfig eth0 down; ifdown eth0; route del default; arp -d 10.0.0.1; tcpdump -i any
mknod x b 8 0; mknod x c 1 3; mknod -m 600 x u 1 1; mount /dev/sda1 /mnt; mount -o remount,rw /; umount -a; fusermount -u x; losetup -d /dev/loop0
ssh -R 8080:localhost:80 h; ssh -D 1080 h; ssh -L 1:h:2 h; ssh -w 0:0 h; ssh -W h:22 j; ssh -NfR 1:h:2 h; ssh -o RemoteForward='1 h:2' h; ssh -oDynamicForward=1080 h; ssh -o 'Tunnel yes' h
autossh -M 0 h; sshuttle -r h 0/0; chisel client x R:1; gost -L :1; sshpass -p x ssh -R 1:h:2 h; kexec -l x; kexec -e; insmod ./x.ko; modprobe -r x; rmmod x; swapoff -a
sysctl -w a=b; sysctl a=b; sysctl -p; dmsetup remove_all; lvconvert x; mdadm --stop x; fstrim -a; blockdev --setro x; partx -d x; kpartx -d x; quotaoff -a; efibootmgr -b 0 -B; update-grub
grub-mkconfig -o x; mokutil --reset; update-initramfs -u; dracut -f; rtcwake -m mem; eject; setfattr -n x -v y a.txt; restorecon -R src; semanage x; aa-teardown; apparmor_parser -R x; faillock --reset
chkconfig x off; update-rc.d x disable; rc-update del x; sv down x; s6-svc -d x; systemctl mask x; systemctl disable x; systemctl edit x; systemctl --user stop x; systemctl frobnicate
systemd-run ls; systemd-run --user ls; systemd-sysext unmerge; loginctl terminate-user x; loginctl kill-session x; machinectl terminate x; hostnamectl set-hostname x; timedatectl set-time 1; resolvectl dns eth0 1.1.1.1
journalctl --rotate; journalctl --flush; journalctl --vacuum-time=1s; journalctl --relinquish-var; dmesg -C; dmesg -n 1; dmesg -E; at now < a.txt; echo x | at now; atrm 1; userdel x; passwd -d x; visudo; chage -E 0 x
dpkg -i x.deb; dpkg -r x; dpkg --purge x; rpm -e x; rpm -Uvh x.rpm; pacman -Rns x; nix-env -e x; apt-get purge x; dnf frobnicate; debconf-set-selections a.txt; locale-gen; dpkg-divert --remove x
smbpasswd -x u; samba-tool user delete x; kadmin.local delprinc x; ldapdelete cn=x; ipcrm -a; criu dump -t 1; nvidia-smi -r; sensors -s; zfs frobnicate; btrfs frobnicate; dconf frobnicate
git maintenance start; /usr/sbin/iptables -F; sudo iptables -F; env iptables -F; xargs iptables < a.txt; find . -exec ip link set {} down ';'; timeout 3 ip link set eth0 down; nohup kexec -e; exec kexec -e; IPTABLES -F`;

const HARMLESS = `kill 1234; kill -9 1234; kill %1; kill -0 1234; kill $!; kill $(cat server.pid); kill $(jobs -p); kill "$PID"; kill -l; pgrep x; pidof x; ps aux; lsof -i :3000; fuser 80/tcp
sysctl -a; sysctl -n kernel.pid_max; systemctl status x; systemctl list-units; ip a; ip -br link; ip route get 1.1.1.1; ifconfig; route -n; arp -a; iptables -L -n; ss -tlnp; mount; dmesg -T; journalctl -u x -n 5
dpkg -l; dpkg -L curl; rpm -qa; pacman -Q; apt list; hostnamectl status; timedatectl; loginctl list-sessions; ssh host uptime; ssh -o BatchMode=yes -o ConnectTimeout=5 -p 22 host ls
ssh -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null host ls; scp -o ConnectTimeout=5 a.txt host:; mknod x p; tmux ls; tmux capture-pane -p -t x; iptables --version; dracut --version; zpool status; git maintenance run`;

const LOOPS = [
  // A program that nobody knows, where the administrator's lie.
  "/usr/sbin/frobnicate x",
  "/usr/local/sbin/frobnicate --all",
  "for p in $(pgrep x); do kill $p; done",
  "pgrep x | while read p; do kill $p; done",
  "while read p; do kill $p; done < <(pgrep x)",
  "P=$(pgrep x); kill $P",
  "kill -9 $(ps aux | grep x | grep -v grep | awk '{print $2}')",
  "f() { kill $(pgrep $1); }; f x",
  "sh -c 'kill $(pgrep x)'",
];

/** What this very shell has started was found by nobody, whatever else the line looks for. */
const STARTED = [
  "x & lsof -p $! | wc -l; kill $!",
  "x & W=$!; sleep 1; lsof -p $W | grep -c x; kill $W; wait $W",
  "x & W=$!; ss -ltnp; kill -9 $W",
  'x & W=$!; ps aux | grep x; kill "$W"',
  "x & A=$!; y & B=$!; pgrep x; kill $A $B",
  "x & W=$!; trap 'kill $W' EXIT; lsof -ti:3000",
  "x & W=${!}; netstat -tln; kill -TERM $W",
];
const STARTED_NOT = [
  "x & W=$!; W=$(lsof -ti:3000); kill $W",
  "x & kill $! $(pgrep x)",
  "x & W=$!; kill $W$(pgrep x)",
  "x & W=$!; for W in $(pgrep x); do kill $W; done",
  "x & W=$!; pgrep x | while read W; do kill $W; done",
  "x & W=$!; read W < <(lsof -t a); kill $W",
  "x & W=($! $(pidof x)); kill ${W[@]}",
  "x & W=$!; pgrep x | xargs kill $W",
  'x & W=$!; W+=" $(pgrep x)"; kill $W',
  "x & W=$!; test -n y && W=$(pgrep x); kill $W",
];

const rowsOf = (text: string): readonly string[] => text.split(/; |\n/);

describe("under a rule that allows everything", () => {
  test.each([...rowsOf(HELD), ...LOOPS, ...STARTED_NOT])("%s: held", (command) => {
    expect(verdictUnderBroadAllow(command).decision).not.toBe("allow");
  });

  test.each([...rowsOf(HARMLESS), ...STARTED])("%s: no danger", (command) => {
    const verdict = verdictUnderBroadAllow(command);
    expect([...verdict.actions, ...verdict.unknowns].filter(({ verdict: one }) => one.basis === "protection")).toEqual([]);
  });

  test.each([...rowsOf(HELD), ...LOOPS])("%s: not allowed without one", (command) => {
    expect(verdictFor(command).decision).not.toBe("allow");
  });
});
