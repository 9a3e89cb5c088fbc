import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Programs that change the machine: processes, services, users, devices, the time.

const SERVICE_OPTIONS = rows(
  "--system; --user; -t --type=text; --state=text; -p --property=text; -P=text; -a --all; --failed; -l --full; -r --recursive; --reverse; --with-dependencies; --value; --no-wall; -q --quiet; --no-pager; --legend=text",
  "--no-legend; --plain; --no-block; --wait; --no-reload; --now; --runtime; -f --force; -n --lines=text; -o --output=text; --show-types; --before; --after; --dry-run; --no-ask-password; --timestamp=text; --check-inhibitors=text",
  "-i; -s --signal=text; --kill-who --kill-whom=text; --what=text; --no-warn; --marked; --mkdir; --read-only; --preset-mode=text; --message=text; --job-mode=text; -T --show-transaction",
  "-h --help -> stop; --version -> stop",
  "# other machines and roots: -H --host -M --machine --root --image --firmware-setup --boot-loader-menu --boot-loader-entry",
);

export const systemChange: readonly CommandSpec[] = [
  {
    names: "kill",
    summary: "signals processes",
    // The analyser: `-l`, `-L` only list; `-SIG`, `-s SIG`, `-n N` choose; process 1 and -1 are `kill-all`, other operands are
    // processes, negative ones groups. The shell's builtin reads the same way.
    style: "none",
    operands: "text*",
    analyse: "kill",
    examples: { allow: ["kill -l", "kill -l 9", "kill -L"], ask: ["kill 1234", "kill -9 1", "kill -TERM 12 13", "kill -s HUP 1234", "kill -- -1234", 'kill "$PID"', "kill %1"], deny: ["kill -9 -1", "kill -- -1", "kill -s KILL -1", "kill -KILL -1"] },
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
    effects: "process",
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
    effects: "process",
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
    names: "systemctl",
    summary: "shows and controls services",
    style: "gnu",
    options: SERVICE_OPTIONS,
    subcommands: {
      "status|show|cat|help|list-units|list-unit-files|list-sockets|list-timers|list-jobs|list-machines|list-dependencies|list-automounts|list-paths|is-active|is-enabled|is-failed|is-system-running|get-default|whoami":
        { operands: "text*", examples: { allow: ["systemctl status nginx", "systemctl --user list-units --failed", "systemctl is-active x", "systemctl list-timers --all", "systemctl cat ssh"], ask: ["systemctl -H host status x"] } },
      "start|stop|restart|reload|try-restart|reload-or-restart|try-reload-or-restart|isolate|kill|clean|freeze|thaw|set-property|bind|mount-image|reset-failed|enable|disable|reenable|preset|preset-all|mask|unmask|revert|add-wants|add-requires|set-default|daemon-reload|daemon-reexec|service-log-level|service-log-target|set-environment|unset-environment|import-environment|cancel|log-level|log-target|link":
        { operands: "text*", effects: "system services, danger host-effect", examples: { ask: ["systemctl restart nginx", "systemctl daemon-reload", "systemctl enable --now x", "systemctl link ./evil.service", "systemctl mask sshd"] } },
      "show-environment": { operands: "", effects: "environment", examples: { ask: ["systemctl --user show-environment"] } },
      edit: { operands: "text*", effects: "system services, terminal", examples: { ask: ["systemctl edit nginx"] } },
      "reboot|poweroff|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|default|rescue|emergency|exit|switch-root|sleep":
        { operands: "text*", effects: "system power, danger host-effect", examples: { ask: ["systemctl reboot", "systemctl poweroff", "systemctl -f -f halt"] } },
    },
    examples: { none: ["systemctl nonsense"] },
  },
  {
    names: "service rc-service initctl invoke-rc.d",
    summary: "controls services",
    options: rows("--status-all -> stop; --full-restart; -h --help -> stop; --version -> stop"),
    operands: "text*",
    effects: "system services, danger host-effect",
    examples: { allow: ["service --status-all"], ask: ["service nginx restart", "service ssh status"] },
  },
  {
    names: "launchctl",
    summary: "services of macOS",
    subcommands: {
      "list|print|print-cache|print-disabled|blame|managername|managerpid|manageruid|version|getenv": { operands: "text*", examples: { allow: ["launchctl list", "launchctl print system"] } },
      "load|unload|start|stop|bootstrap|bootout|kickstart|kill|enable|disable|setenv|unsetenv|remove|submit|limit|asuser|config|reboot": { style: "none", operands: "text*", effects: "system services, danger host-effect", examples: { ask: ["launchctl load x.plist", "launchctl kickstart -k x", "launchctl submit -l x -- evil"] } },
    },
    examples: { none: ["launchctl nonsense"] },
  },
  {
    names: "hostnamectl timedatectl localectl loginctl networkctl resolvectl busctl coredumpctl machinectl bootctl",
    summary: "shows and sets parts of the system",
    options: rows("--no-pager; -a --all; -l --full; --value; -p --property=text; --json=text; --no-legend; --monitor; -n --lines=text; -o --output=text; --transient; --static; --pretty; --no-ask-password; -h --help -> stop; --version -> stop", "# other machines: -H --host -M --machine --root"),
    subcommands: {
      "status|show|list|list-timezones|timesync-status|show-timesync|list-sessions|list-users|list-seats|session-status|show-session|user-status|show-user|seat-status|show-seat|list-locales|list-keymaps|lldp|statistics|info|tree":
        { operands: "text*", examples: { allow: ["hostnamectl status", "timedatectl show", "timedatectl list-timezones", "loginctl list-sessions", "resolvectl status"] } },
      "set-time|set-timezone|set-local-rtc|set-ntp": { operands: "text*", effects: "system clock, danger host-effect", examples: { ask: ["timedatectl set-time 10:00", "timedatectl set-ntp false"] } },
      "hostname|set-hostname|icon-name|chassis|deployment|location|set-locale|set-keymap|set-x11-keymap|enable-linger|disable-linger|kill-session|kill-user|terminate-session|terminate-user|lock-session|lock-sessions|unlock-session|up|down|dns|domain|flush-caches|call|set-property|start|stop|poweroff|reboot|remove|install|update":
        { operands: "text*", effects: "system services, danger host-effect", examples: { ask: ["hostnamectl set-hostname pwned", "loginctl terminate-user me", "resolvectl dns eth0 6.6.6.6"] } },
    },
    examples: { allow: ["hostnamectl", "timedatectl"], none: ["coredumpctl debug"] },
  },
  {
    names: "sysctl",
    summary: "shows and sets kernel parameters",
    // An operand with `=` sets: only the usual names are known.
    options: rows(
      "-a -A -X --all; --deprecated; --dry-run; -b --binary; -e --ignore; -N --names; -n --values; -r --pattern=text; -q --quiet; -o; -x; -d -h --help -> stop; -V --version -> stop",
      "-w --write -> system kernel, danger host-effect; -p -f --load[=read] -> system kernel, danger host-effect; --system -> system kernel, danger host-effect",
    ),
    operands: "",
    subcommands: {
      "hw.ncpu|hw.memsize|hw.physicalcpu|hw.logicalcpu|hw.model|hw.machine|hw.optional.arm64|machdep.cpu.brand_string|machdep.cpu|kern.osversion|kern.ostype|kern.version|kern.hostname|kern.boottime|kern.maxfiles|vm.swapusage|vm.loadavg|kernel.pid_max|kernel.hostname|kernel.ostype|kernel.osrelease|kernel.randomize_va_space|kernel.yama.ptrace_scope|kernel.unprivileged_userns_clone|fs.file-max|fs.file-nr|fs.inotify.max_user_watches|fs.inotify.max_user_instances|vm.swappiness|vm.max_map_count|vm.overcommit_memory|net.core.somaxconn|net.ipv4.ip_forward":
        { operands: "", examples: { allow: ["sysctl -n kernel.pid_max", "sysctl hw.ncpu"], ask: ["sysctl -w vm.swappiness=1", "sysctl vm.swappiness kernel.x=1"] } },
    },
    examples: { allow: ["sysctl -a"], ask: ["sysctl -p", "sysctl --system"], none: ["sysctl vm.swappiness=1"], deny: ["sysctl -p.env"] },
  },
  {
    names: "umount swapon swapoff losetup modprobe insmod rmmod kmod depmod setsebool setenforce auditctl rfkill hwclock ntpdate chronyc tc brctl bridge iw iwconfig nmcli ufw firewall-cmd nft ethtool wg wg-quick",
    summary: "changes devices, modules, network or clock",
    options: rows("-h --help -> stop; -V --version -> stop"),
    operands: "refuse*",
    effects: "system kernel, danger host-effect",
    examples: { allow: ["umount --version"], ask: ["umount /mnt", "modprobe x", "insmod ./evil.ko", "swapoff -a", "ufw disable", "nmcli radio wifi off", "hwclock --set"] },
  },
  {
    names: "fdisk sfdisk cfdisk gdisk sgdisk parted mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mke2fs mkswap wipefs blkdiscard fsck fsck.ext4 e2fsck tune2fs resize2fs cryptsetup mdadm lvcreate lvremove vgcreate vgremove pvcreate pvremove hdparm nvme badblocks debugfs diskutil",
    summary: "changes disks",
    options: rows("-l --list -> drop device; -V --version -> stop; -h --help -> stop"),
    operands: "device:write*",
    effects: "system mounts, danger host-effect",
    examples: { allow: ["fdisk --version"], ask: ["fdisk -l", "mkfs -t ext4 disk.img"], deny: ["mkfs.ext4 /dev/sda1", "wipefs /dev/sda", "parted /dev/sda rm 1"] },
  },
  {
    names: "crontab",
    summary: "scheduled commands of a user",
    // Anything but listing and testing changes the table; without an operand it comes from the input.
    options: rows("-l -> drop table, drop install; -u=text; -V -> stop; -e; -r; -i; -T -> drop install"),
    operands: "table:read? install:write?=/var/spool/cron/crontabs/user",
    examples: { allow: ["crontab -l"], deny: ["crontab -r", "crontab a.txt", "crontab -", "crontab -e", "echo '* * * * * evil' | crontab -", "crontab < a.txt"] },
  },
  {
    names: "at batch",
    summary: "runs commands later",
    options: rows("-l -> stop; -q=text; -v; -m; -M; -V -> stop; -c=text -> stop; -d=text -> system schedule; -r=text -> system schedule; -b; -t=text; -f=script/sh"),
    operands: "text*",
    effects: "system schedule, code.stdin sh",
    examples: { ask: ["echo 'rm -rf x' | at now", "at -f a.sh now", "at now < a.txt", "batch < a.txt"], deny: ["echo 'rm -rf ~' | at now"] },
  },
  {
    names: "atq",
    summary: "jobs that will run later",
    options: rows("-V -> stop; -q=text; -o=text"),
    operands: "text*",
    examples: { allow: ["atq"] },
  },
  {
    names: "atrm anacron systemd-tmpfiles",
    summary: "changes scheduled jobs",
    options: rows("-V -> stop; -f; -n; -s; -u; -d"),
    operands: "text*",
    effects: "system schedule, danger host-effect",
    examples: { ask: ["atrm 3", "anacron -f"] },
  },
  {
    names: "useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup delgroup chpasswd passwd chage chsh chfn gpasswd newusers vipw vigr visudo pwconv dscl",
    summary: "changes users and groups",
    options: rows("--help -> stop; --version -> stop"),
    operands: "refuse*",
    effects: "system users, danger privilege",
    examples: { allow: ["useradd --help"], ask: ["useradd x", "usermod -aG sudo me", "passwd", "passwd root", "chsh -s /tmp/x", "echo root:x | chpasswd", "visudo"] },
  },
  {
    names: "shutdown reboot halt poweroff telinit init pm-suspend pmset",
    summary: "stops the machine",
    options: rows("--help -> stop; --version -> stop; -g -> stop"),
    operands: "text*",
    effects: "system power, danger host-effect",
    examples: { allow: ["shutdown --help", "pmset -g"], ask: ["shutdown -h now", "reboot", "poweroff -f", "shutdown now", "init 0"] },
  },
  {
    names: "tmux screen zellij byobu",
    summary: "terminals that outlive the command",
    // Commands given to it run outside of this tool call.
    style: "posix",
    options: rows("-V -> stop; -v -> stop; --version -> stop; -L=text"),
    subcommands: {
      "ls|list-sessions|list-windows|lsw|list-panes|lsp|list-clients|lsc|list-commands|lscm|list-keys|lsk|list-buffers|lsb|info|display-message|display|show-options|show|has-session|has|show-environment|showenv":
        { options: rows("-a; -p; -t=text; -s; -F=refuse; -f=refuse; -g; -w; -v"), operands: "refuse*", examples: { allow: ["tmux ls", "tmux list-panes -a", "tmux has-session -t x"], ask: ["tmux ls -F '#(evil)'", "tmux display -p '#(evil)'"] } },
      "capture-pane|capturep": { options: rows("-p; -t=text; -S=text; -E=text; -e; -J; -a; -q; -C; -N; -b=text"), operands: "", examples: { allow: ["tmux capture-pane -p -t x"] } },
      "new|new-session|new-window|neww|split-window|splitw|respawn-pane|respawnp|respawn-window|respawnw|run-shell|run|if-shell|if|pipe-pane|pipep|send-keys|send|set-hook|bind-key|bind|source-file|source|command-prompt|popup|display-popup|set|set-option|setenv|set-environment|confirm-before|load-buffer|save-buffer|paste-buffer|attach|attach-session|a":
        { style: "none", operands: "refuse*", effects: "terminal", examples: { ask: ["tmux new -d 'rm -rf ~'", "tmux send-keys -t x 'rm -rf ~' Enter", "tmux run-shell 'id'", "tmux attach", "tmux new"] } },
      "kill-server|kill-session|kill-window|killw|kill-pane|killp|detach|detach-client": { options: rows("-a; -t=text; -C; -s=text"), operands: "", effects: "process", examples: { ask: ["tmux kill-server", "tmux kill-session -t x"] } },
    },
    effects: "",
    examples: { allow: ["tmux -V"], ask: ["tmux -f evil.conf ls", "tmux -L x new", "screen -ls"], none: ["tmux nonsense"] },
  },
  {
    names: "apt apt-get aptitude apt-cache apt-mark apt-file",
    summary: "packages of Debian",
    // -o and -c may name hooks that run.
    options: rows("-q --quiet; -qq; -y --yes --assume-yes; -s --simulate --dry-run --just-print --recon; -a --all-versions; --installed; --upgradable; --names-only; -n; -f --fix-broken; -V --verbose-versions; --no-install-recommends; --no-install-suggests; -i --important; --recurse; --installed-only; --manual-installed; -h --help -> stop; -v --version -> stop", "# hooks: -o --option -c --config-file -t"),
    subcommands: {
      "list|search|show|policy|depends|rdepends|showpkg|showsrc|madison|pkgnames|stats|dump|unmet|dotty|changelog|showauto|showmanual|showhold|find|check": { operands: "text*", examples: { allow: ["apt list --installed", "apt show curl", "apt-cache policy curl", "apt search x", "apt-mark showhold"], ask: ["apt list -o APT::Update::Pre-Invoke::=evil"] } },
      "update|install|remove|purge|upgrade|full-upgrade|dist-upgrade|autoremove|autopurge|reinstall|clean|autoclean|build-dep|source|download|edit-sources|satisfy|hold|unhold|auto|manual|dselect-upgrade|indextargets|moo": { operands: "text*", effects: "system packages, danger host-effect, remote.read packages", examples: { ask: ["apt install x", "apt-get update", "apt-get -y remove x", "apt-get install ./evil.deb", "apt-mark hold x"] } },
    },
    examples: { allow: ["apt --version"], none: ["apt nonsense"] },
  },
  {
    names: "dpkg dpkg-query",
    summary: "packages of Debian",
    options: rows("-l --list; -L --listfiles; -s --status; -S --search; -p --print-avail; -W --show; -f --showformat=text; -c --contents -> text becomes read; -I --info -> text becomes read; -C --audit; -V --verify; --get-selections; --print-architecture; --print-foreign-architectures; --compare-versions; --no-pager; --help -> stop; --version -> stop", "# everything else installs, removes or configures"),
    operands: "text*",
    examples: { allow: ["dpkg -l", "dpkg -L curl", "dpkg -S /bin/ls", "dpkg --print-architecture", "dpkg-query -W -f '${Version}' curl"], ask: ["dpkg -i evil.deb", "dpkg --configure -a", "dpkg -P x", "dpkg --root=x -l"] },
  },
  {
    names: "rpm",
    summary: "packages of Red Hat",
    // --eval and --define expand macros that run programs.
    // -i alone installs, so the letter is known only behind -q.
    options: rows("-q --query; -qi; -qia; -qai; -qip; -qpi; -qil; -qli; -qif; -qc; -a --all; --info; -l --list; -f --file; -c --configfiles; -d --docfiles; -R --requires; --provides; --whatprovides; --whatrequires; --changelog; -s --state; --last; -V --verify; -p --package -> text becomes read; --version -> stop; --help -> stop"),
    operands: "text*",
    examples: { allow: ["rpm -qa", "rpm -ql bash", "rpm -q --changelog bash", "rpm -V bash"], ask: ["rpm -i evil.rpm", "rpm -e x", "rpm --eval '%(id)'", "rpm -qa --queryformat '%{NAME}'", "rpm -Uvh x.rpm"] },
  },
  {
    names: "pacman",
    summary: "packages of Arch",
    options: rows("-Q; -Qi; -Ql; -Qs; -Qo; -Qe; -Qet; -Qt; -Qdt; -Qtd; -Qd; -Qm; -Qn; -Qu; -Qq; -Qqe; -Qk; -Ss; -Si; -Sl; -Sg; -Ssq; -Fl; -Fq; -V --version -> stop; -h --help -> stop", "# everything else changes packages"),
    operands: "text*",
    examples: { allow: ["pacman -Q", "pacman -Qi bash", "pacman -Ss vim"], ask: ["pacman -Syu", "pacman -S x", "pacman -Rns x", "pacman -Q --config=evil"] },
  },
  {
    names: "dnf yum microdnf zypper apk snap flatpak port nix-env",
    summary: "packages",
    options: rows("-q --quiet; -y --assumeyes; -v --verbose; --installed; --available; -h --help -> stop; --version -> stop; -V -> stop"),
    subcommands: {
      "list|info|search|provides|whatprovides|repoquery|repolist|deplist|check-update|history list|packages|patterns|products|se|if|policy|dot|version|audit|find|connections|interfaces|services|changes|known|remotes|remote-ls": { operands: "text*", examples: { allow: ["dnf list --installed", "apk info", "snap list", "yum search x"] } },
      "install|remove|erase|update|upgrade|downgrade|reinstall|autoremove|clean|makecache|groupinstall|localinstall|swap|module|distro-sync|in|rm|up|dup|add|del|fix|refresh|enable|disable|switch|run|connect|disconnect|set|unset|start|stop|restart|uninstall|override|remote-add|remote-delete|selfupdate|cache": { style: "none", operands: "text*", effects: "system packages, danger host-effect", examples: { ask: ["dnf install x", "apk add x", "snap remove x", "flatpak run x", "yum -y update"] } },
    },
    examples: { allow: ["dnf --version"], ask: ["nix-env -iA nixpkgs.x"], none: ["dnf nonsense"] },
  },
  {
    names: "brew",
    summary: "Homebrew",
    // Formulae are Ruby code: reading commands load only installed and official ones.
    options: rows("-q --quiet; -v --verbose; -d --debug; -h --help -> stop; --version -> stop; --prefix -> stop; --cellar -> stop; --cache -> stop; --repository -> stop; --env -> stop; --config -> stop"),
    subcommands: {
      "list|ls|info|abv|search|deps|uses|leaves|outdated|config|doctor|desc|log|home|options|casks|formulae|--prefix|--cellar|--repository|shellenv|commands|missing|tap-info|services list": {
        options: rows("--versions; --formula --formulae; --cask --casks; --json[=text]; --tree; --installed; --installed-on-request; --greedy; --full-name; -1; --pinned; --analytics; --topological; --annotate; --include-build; --recursive; -l; -r; -t"),
        operands: "text*",
        examples: { allow: ["brew list", "brew info jq", "brew search x", "brew outdated --json=v2", "brew deps --tree jq", "brew services list"] },
      },
      "install|uninstall|remove|rm|upgrade|update|reinstall|tap|untap|link|unlink|pin|unpin|cleanup|autoremove|services|edit|create|bundle|sh|ruby|test|fetch|migrate|postinstall|developer|analytics|irb|extract|bump": { style: "none", operands: "text*", effects: "system packages, danger host-effect", examples: { ask: ["brew install jq", "brew upgrade", "brew tap evil/x", "brew services start x", "brew ruby -e 'x'"] } },
    },
    examples: { allow: ["brew --version", "brew --prefix"], none: ["brew nonsense"] },
  },
];
