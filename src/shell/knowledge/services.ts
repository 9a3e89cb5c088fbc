import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Services, settings of the system, scheduled jobs and terminals that outlive the command.

const SERVICE_OPTIONS = rows(
  "--system; --user; -t --type=text; --state=text; -p --property=text; -P=text; -a --all; --failed; -l --full; -r --recursive; --reverse; --with-dependencies; --value; --no-wall; -q --quiet; --no-pager; --legend=text",
  "--no-legend; --plain; --no-block; --wait; --no-reload; --now; --runtime; -f --force; -n --lines=text; -o --output=text; --show-types; --before; --after; --dry-run; --no-ask-password; --timestamp=text; --check-inhibitors=text",
  "-i; -s --signal=text; --kill-who --kill-whom=text; --what=text; --no-warn; --marked; --mkdir; --read-only; --preset-mode=text; --message=text; --job-mode=text; -T --show-transaction",
  "-h --help -> stop; --version -> stop",
  "# other machines and roots: -H --host -M --machine --root --image --firmware-setup --boot-loader-menu --boot-loader-entry",
);

export const services: readonly CommandSpec[] = [
  {
    names: "systemctl",
    otherwise: "host-effect",
    helps: "--help",
    summary: "shows and controls services",
    style: "gnu",
    options: SERVICE_OPTIONS,
    subcommands: {
      "status|show|cat|help|list-units|list-unit-files|list-sockets|list-timers|list-jobs|list-machines|list-dependencies|list-automounts|list-paths|is-active|is-enabled|is-failed|is-system-running|get-default|whoami":
        {
          operands: "text*",
          examples: {
            allow: [
              "systemctl status nginx",
              "systemctl --user list-units --failed",
              "systemctl is-active x",
              "systemctl list-timers --all",
              "systemctl cat ssh",
            ],
            ask: ["systemctl -H host status x"],
          },
        },
      "start|stop|restart|reload|try-restart|reload-or-restart|try-reload-or-restart|isolate|kill|clean|freeze|thaw|set-property|bind|mount-image|reset-failed|enable|disable|reenable|preset|preset-all|mask|unmask|revert|add-wants|add-requires|set-default|daemon-reload|daemon-reexec|set-environment|unset-environment|import-environment|cancel|link":
        {
          operands: "text*",
          effects: "system services, danger host-effect",
          examples: {
            ask: [
              "systemctl restart nginx",
              "systemctl daemon-reload",
              "systemctl enable --now x",
              "systemctl link ./evil.service",
              "systemctl mask sshd",
            ],
          },
        },
      // Without a value they show it.
      "log-level|log-target|service-watchdogs": {
        operands: "setting?",
        examples: {
          allow: ["systemctl log-level", "systemctl --user log-target"],
          ask: ["systemctl log-level debug", "systemctl service-watchdogs no"],
        },
      },
      "service-log-level|service-log-target": {
        operands: "text setting?",
        examples: { allow: ["systemctl service-log-level nginx"], ask: ["systemctl service-log-level nginx debug"] },
      },
      "show-environment": { operands: "", effects: "environment", examples: { ask: ["systemctl --user show-environment"] } },
      edit: { operands: "text*", effects: "system services, terminal", examples: { ask: ["systemctl edit nginx"] } },
      "reboot|poweroff|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|default|rescue|emergency|exit|switch-root|sleep":
        {
          operands: "text*",
          effects: "system power, danger host-effect",
          examples: { ask: ["systemctl reboot", "systemctl poweroff", "systemctl -f -f halt"] },
        },
    },
    examples: { ask: ["systemctl nonsense"] },
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
    otherwise: "host-effect",
    summary: "services of macOS",
    subcommands: {
      "list|print|print-cache|print-disabled|blame|managername|managerpid|manageruid|version|getenv": {
        operands: "text*",
        examples: { allow: ["launchctl list", "launchctl print system"] },
      },
      "load|unload|start|stop|bootstrap|bootout|kickstart|kill|enable|disable|setenv|unsetenv|remove|submit|limit|asuser|config|reboot": {
        style: "none",
        operands: "text*",
        effects: "system services, danger host-effect",
        examples: { ask: ["launchctl load x.plist", "launchctl kickstart -k x", "launchctl submit -l x -- evil"] },
      },
    },
    examples: { ask: ["launchctl nonsense"] },
  },
  {
    names: "hostnamectl timedatectl localectl loginctl networkctl resolvectl busctl coredumpctl machinectl bootctl",
    otherwise: "host-effect",
    summary: "shows and sets parts of the system",
    options: rows(
      "--no-pager; -a --all; -l --full; --value; -p --property=text; --json=text; --no-legend; --monitor; -n --lines=text; -o --output=text; --transient; --static; --pretty; --no-ask-password; -h --help -> stop; --version -> stop",
      "# other machines: -H --host -M --machine --root",
    ),
    subcommands: {
      "status|show|list|list-timezones|timesync-status|show-timesync|list-sessions|list-users|list-seats|session-status|show-session|user-status|show-user|seat-status|show-seat|list-locales|list-keymaps|lldp|statistics|info|tree":
        {
          operands: "text*",
          examples: {
            allow: ["hostnamectl status", "timedatectl show", "timedatectl list-timezones", "loginctl list-sessions", "resolvectl status"],
          },
        },
      "set-time|set-timezone|set-local-rtc|set-ntp": {
        operands: "text*",
        effects: "system clock, danger host-effect",
        examples: { ask: ["timedatectl set-time 10:00", "timedatectl set-ntp false"] },
      },
      "hostname|set-hostname|icon-name|chassis|deployment|location|set-locale|set-keymap|set-x11-keymap|enable-linger|disable-linger|kill-session|kill-user|terminate-session|terminate-user|lock-session|lock-sessions|unlock-session|up|down|dns|domain|flush-caches|call|set-property|start|stop|poweroff|reboot|remove|install|update":
        {
          operands: "text*",
          effects: "system services, danger host-effect",
          examples: { ask: ["hostnamectl set-hostname pwned", "loginctl terminate-user me", "resolvectl dns eth0 6.6.6.6"] },
        },
    },
    examples: { allow: ["hostnamectl", "timedatectl"], ask: ["coredumpctl debug"] },
  },
  {
    names: "sysctl",
    otherwise: "host-effect",
    summary: "shows and sets kernel parameters",
    // An operand with `=` sets: only the usual names are known.
    options: rows(
      "-a -A -X --all; --deprecated; --dry-run; -b --binary; -e --ignore; -N --names; -n --values; -r --pattern=text; -q --quiet; -o; -x; -d -h --help -> stop; -V --version -> stop",
      "-w --write -> system kernel, danger host-effect; -p -f --load[=read] -> system kernel, danger host-effect; --system -> system kernel, danger host-effect",
    ),
    operands: "",
    subcommands: {
      "hw.ncpu|hw.memsize|hw.physicalcpu|hw.logicalcpu|hw.model|hw.machine|hw.optional.arm64|machdep.cpu.brand_string|machdep.cpu|kern.osversion|kern.ostype|kern.version|kern.hostname|kern.boottime|kern.maxfiles|vm.swapusage|vm.loadavg|kernel.pid_max|kernel.hostname|kernel.ostype|kernel.osrelease|kernel.randomize_va_space|kernel.yama.ptrace_scope|kernel.unprivileged_userns_clone|fs.file-max|fs.file-nr|fs.inotify.max_user_watches|fs.inotify.max_user_instances|vm.swappiness|vm.max_map_count|vm.overcommit_memory|net.core.somaxconn|net.ipv4.ip_forward":
        {
          operands: "",
          examples: {
            allow: ["sysctl -n kernel.pid_max", "sysctl hw.ncpu"],
            ask: ["sysctl -w vm.swappiness=1", "sysctl vm.swappiness kernel.x=1"],
          },
        },
    },
    examples: { allow: ["sysctl -a"], ask: ["sysctl -p", "sysctl --system", "sysctl vm.swappiness=1"], deny: ["sysctl -p.env"] },
  },
  {
    names: "crontab",
    otherwise: "host-effect",
    summary: "scheduled commands of a user",
    // Anything but listing and testing changes the table; without an operand it comes from the input.
    options: rows("-l -> drop table, drop install; -u=text; -V -> stop; -e; -r; -i; -T -> drop install"),
    operands: "table:read? install:write?=/var/spool/cron/crontabs/user",
    examples: {
      allow: ["crontab -l"],
      deny: ["crontab -r", "crontab a.txt", "crontab -", "crontab -e", "echo '* * * * * evil' | crontab -", "crontab < a.txt"],
    },
  },
  {
    names: "at batch",
    otherwise: "host-effect",
    summary: "runs commands later",
    options: rows(
      "-l -> stop; -q=text; -v; -m; -M; -V -> stop; -c=text -> stop; -d=text -> system schedule; -r=text -> system schedule; -b; -t=text; -f=script/sh",
    ),
    operands: "text*",
    effects: "system schedule, code.stdin sh",
    examples: {
      ask: ["echo 'rm -rf x' | at now", "at -f a.sh now", "at now < a.txt", "batch < a.txt"],
      deny: ["echo 'rm -rf ~' | at now"],
    },
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
    names: "byobu",
    summary: "a terminal that outlives the command; whatever it is asked, it sets itself up at home first",
    operands: "refuse*",
    examples: { ask: ["byobu", "byobu --version"] },
  },
  {
    names: "tmux screen zellij",
    upkeep: ["write /tmp/tmux-*/**"],
    summary: "terminals that outlive the command",
    // Commands given to it run outside of this tool call.
    style: "posix",
    options: rows("-V -> stop; --version -> stop; -L=text; -ls -list -> stop"),
    // Alone it opens a terminal.
    operands: "refuse+",
    subcommands: {
      "ls|list-sessions|list-windows|lsw|list-panes|lsp|list-clients|lsc|list-commands|lscm|list-keys|lsk|list-buffers|lsb|info|display-message|display|show-options|show|has-session|has":
        {
          options: rows("-a; -p; -t=text; -s; -F=refuse; -f=refuse; -g; -w; -v"),
          operands: "refuse*",
          idle: true,
          examples: {
            allow: ["tmux ls", "tmux list-panes -a", "tmux has-session -t x"],
            ask: ["tmux ls -F '#(evil)'", "tmux display -p '#(evil)'"],
          },
        },
      "show-environment|showenv": {
        options: rows("-g; -t=text; -s; -h"),
        operands: "text?",
        effects: "environment",
        examples: { ask: ["tmux show-environment -g"] },
      },
      "capture-pane|capturep": {
        options: rows("-p; -t=text; -S=text; -E=text; -e; -J; -a; -q; -C; -N; -b=text"),
        operands: "",
        examples: { allow: ["tmux capture-pane -p -t x"] },
      },
      "new|new-session|new-window|neww|split-window|splitw|respawn-pane|respawnp|respawn-window|respawnw|run-shell|run|if-shell|if|pipe-pane|pipep|send-keys|send|set-hook|bind-key|bind|source-file|source|command-prompt|popup|display-popup|set|set-option|setenv|set-environment|confirm-before|load-buffer|save-buffer|paste-buffer|attach|attach-session|a":
        {
          style: "none",
          operands: "refuse*",
          effects: "terminal",
          examples: {
            ask: ["tmux new -d 'rm -rf ~'", "tmux send-keys -t x 'rm -rf ~' Enter", "tmux run-shell 'id'", "tmux attach", "tmux new"],
          },
        },
      "kill-server|kill-session|kill-window|killw|kill-pane|killp|detach|detach-client": {
        options: rows("-a; -t=text; -C; -s=text"),
        operands: "",
        effects: "process, danger signals-by-name",
        examples: { ask: ["tmux kill-server", "tmux kill-session -t x"] },
      },
    },
    effects: "",
    examples: { allow: ["tmux -V", "screen -ls"], ask: ["tmux -f evil.conf ls", "tmux -L x new"], none: ["tmux nonsense"] },
  },
];
