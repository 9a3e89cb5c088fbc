import { NO_OTHERS, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

const HELP = "-h --help -> stop; -V --version -> stop";

/** Wrappers that give the command other rights, another root or another view of the machine. */
export const wrapperRights: readonly CommandSpec[] = [
  {
    names: "sudo",
    reads: NO_OTHERS,
    summary: "runs a command as another user",
    style: "posix",
    // -i and -s without a command open a shell; -e edits; -R is another root.
    options: rows(`
      -A --askpass; -b --background; -B --bell; -E; --preserve-env[=text]; -H --set-home; -K --remove-timestamp
      -k --reset-timestamp; -l --list; -N --no-update; -n --non-interactive; -P --preserve-groups; -S --stdin; -v --validate
      -i --login; -s --shell; -e --edit -> argv becomes edit; -C --close-from=text; -D --chdir=dir; -g --group=text; --host=text
      -p --prompt=text; -R --chroot=refuse; -r --role=text; -T --command-timeout=text; -t --type=text; -U --other-user=text
      -u --user=text; --help -> stop; -V --version -> stop`),
    operands: "env* command:argv?=sh",
    effects: "privilege",
    examples: {
      ask: ["sudo ls", "sudo -u www ls", "sudo -i", "sudo -e a.txt", "sudo --user=root -- ls"],
      deny: ["sudo rm -rf ~", "sudo -u x -- rm --recursive --force ~", "sudo A=1 rm -rf ~", "sudo -nE rm -rf ~", "sudo -e /etc/hosts"],
    },
  },
  {
    names: "sudoedit",
    style: "posix",
    options: "-u --user=text\n-g --group=text\n-n --non-interactive\n-S --stdin",
    operands: "edit+",
    effects: "privilege, terminal",
    examples: { deny: ["sudoedit /etc/hosts"], ask: ["sudoedit a.txt"] },
  },
  {
    names: "doas",
    reads: NO_OTHERS,
    style: "posix",
    options: rows("-L; -n; -s; -a=text; -C=read; -u=text"),
    operands: "command:argv?=sh",
    effects: "privilege",
    examples: { ask: ["doas ls", "doas -s"], deny: ["doas -u root rm -rf ~"] },
  },
  {
    names: "su",
    reads: NO_OTHERS,
    style: "gnu",
    options: rows(`
      -l --login; -m -p --preserve-environment; -f --fast; -P --pty; -c --command=shell; --session-command=shell; -s --shell=execute
      -g --group=text; -G --supp-group=text; -w --whitelist-environment=text; ${HELP}`),
    operands: "text? text*",
    effects: "privilege",
    examples: {
      ask: ["su", "su - root", "su -c ls", "su -s ./evil root"],
      deny: ["su -c 'rm -rf ~'", "su root --command='rm -rf ~'", "su - -c 'rm -rf ~' root"],
    },
  },
  {
    names: "runuser",
    reads: NO_OTHERS,
    style: "gnu",
    // With -u the operands are the command; without, it is su.
    options: rows(`
      -u --user=text -> user becomes argv, drop rest; -l --login; -m -p --preserve-environment; -f --fast; -P --pty; -c --command=shell; --session-command=shell; -s --shell=execute
      -g --group=text; -G --supp-group=text; -w --whitelist-environment=text; ${HELP}`),
    operands: "user:text? rest:text*",
    effects: "privilege",
    examples: {
      ask: ["runuser -u www ls", "runuser -u www ls -la"],
      deny: ["runuser -u www -- rm -rf ~", "runuser -c 'rm -rf ~'", "runuser -l www -c 'rm -rf ~'"],
    },
  },
  {
    names: "pkexec run0",
    style: "posix",
    options: "--disable-internal-agent\n--keep-cwd\n-u --user=text\n--help -> stop\n--version -> stop",
    operands: "command:argv?=sh",
    effects: "privilege",
    examples: { ask: ["pkexec ls"], deny: ["pkexec --user root rm -rf ~"] },
  },
  {
    names: "gosu su-exec setuidgid",
    style: "posix",
    operands: "text command:argv",
    effects: "privilege",
    examples: { ask: ["gosu www ls"], deny: ["gosu root rm -rf ~"] },
  },
  {
    names: "sg newgrp",
    style: "posix",
    options: "-c=shell\n-",
    operands: "text? shell?",
    effects: "privilege",
    examples: { ask: ["sg docker ls", "newgrp docker"] },
  },
  {
    names: "setpriv",
    reads: NO_OTHERS,
    style: "posix",
    options: rows(`
      -d --dump; --nnp --no-new-privs; --ambient-caps=text -> privilege; --inh-caps=text -> privilege; --bounding-set=text; --ruid=text -> privilege
      --euid=text -> privilege; --rgid=text -> privilege; --egid=text -> privilege; --reuid=text -> privilege; --regid=text -> privilege
      --clear-groups; --keep-groups; --init-groups; --groups=text -> privilege; --securebits=text -> privilege; --pdeathsig=text
      --selinux-label=text -> privilege; --apparmor-profile=text -> privilege; --reset-env; ${HELP}`),
    operands: "command:argv?=true",
    examples: { allow: ["setpriv --dump", "setpriv --no-new-privs ls"], ask: ["setpriv --reuid 0 ls"], deny: ["setpriv --nnp rm -rf ~"] },
  },
  {
    names: "unshare",
    reads: NO_OTHERS,
    style: "posix",
    // --root: other files under the same names.
    options: rows(`
      -m --mount[=write]; -u --uts[=write]; -i --ipc[=write]; -n --net[=write]; -p --pid[=write]; -U --user[=write]; -C --cgroup[=write]
      -T --time[=write]; -f --fork; --map-user=text; --map-group=text; -r --map-root-user; -c --map-current-user; --map-auto; --map-users=text
      --map-groups=text; --kill-child[=text]; --mount-proc[=list]; --propagation=text; --setgroups=text; --keep-caps; -R --root=refuse; -w --wd=dir
      -S --setuid=text; -G --setgid=text; --monotonic=text; --boottime=text; ${HELP}`),
    operands: "command:argv?=sh",
    examples: {
      allow: ["unshare -rn ls"],
      ask: ["unshare -R /x ls"],
      deny: ["unshare -r rm -rf ~", "unshare --map-root-user --fork rm -rf ~"],
    },
  },
  {
    names: "nsenter",
    reads: NO_OTHERS,
    style: "posix",
    options: rows(`
      -a --all; -t --target=text; -m --mount[=list]; -u --uts[=list]; -i --ipc[=list]; -n --net[=list]; -p --pid[=list]; -C --cgroup[=list]
      -U --user[=list]; -T --time[=list]; -S --setuid=text; -G --setgid=text; --preserve-credentials; -r --root[=list]; -w --wd[=list]; -W --wdns=text
      -F --no-fork; -Z --follow-context; -e --env; ${HELP}`),
    operands: "command:argv?=sh",
    effects: "privilege",
    examples: { ask: ["nsenter -t 1 -a ls", "nsenter -t 1 -m"], deny: ["nsenter -t 1 -m rm -rf ~", "nsenter --target 1 -- rm -rf ~"] },
  },
  {
    names: "chroot gchroot",
    reads: NO_OTHERS,
    style: "posix",
    options: rows("--userspec=text; --groups=text; --skip-chdir; --help -> stop; --version -> stop; -u=text; -g=text; -G=text"),
    operands: "list command:argv?=sh",
    effects: "privilege",
    examples: { ask: ["chroot x ls", "chroot x"], deny: ["chroot / rm -rf ~", "chroot --userspec=root / rm -rf ~"] },
  },
  {
    names: "systemd-run",
    style: "posix",
    // Properties of a unit name programs (ExecStartPre).
    options: rows(`
      --no-ask-password; --user; --scope; --slice-inherit; --no-block; -r --remain-after-exit; --wait; --send-sighup; -d --same-dir; -t --pty; -P --pipe
      -q --quiet; -G --collect; -S --shell -> terminal; --on-timezone-change; --on-clock-change; -H --host=host; -M --machine=text; -u --unit=text
      -p --property=foreign/systemd; --description=text; --slice=text; --service-type=text; --uid=text -> privilege; --gid=text -> privilege
      --nice=text; --working-directory=dir; -E --setenv=env; --path-property=foreign/systemd; --socket-property=foreign/systemd
      --timer-property=foreign/systemd; --on-active=text; --on-boot=text; --on-startup=text; --on-unit-active=text; --on-unit-inactive=text
      --on-calendar=text -> system schedule; -h --help -> stop; --version -> stop; --expand-environment=text`),
    operands: "command:argv?=sh",
    effects: "system services",
    examples: {
      ask: ["systemd-run ls", "systemd-run --user --scope ls", "systemd-run --uid=root ls"],
      deny: ["systemd-run --user rm -rf ~", "systemd-run -t -p X=y rm -rf ~"],
    },
  },
  {
    names: "systemd-inhibit systemd-cat",
    style: "posix",
    options: rows(
      "--what=text; --who=text; --why=text; --mode=text; --list -> stop; -t --identifier=text; -p --priority=text; --no-pager; -h --help -> stop; --version -> stop",
    ),
    operands: "command:argv?=true",
    effects: "system services",
    examples: { ask: ["systemd-inhibit ls"], deny: ["systemd-cat rm -rf ~"] },
  },
  {
    names: "bwrap bubblewrap",
    reads: NO_OTHERS,
    style: "posix",
    // What is bound elsewhere has other names inside: paths are judged as the ones outside.
    options: rows(`
      --unshare-all; --share-net; --unshare-user; --unshare-user-try; --unshare-ipc; --unshare-pid; --unshare-net; --unshare-uts; --unshare-cgroup; --unshare-cgroup-try; --uid=text; --gid=text; --hostname=text
      --clearenv; --setenv=env+text; --unsetenv=text; --chdir=dir; --new-session; --die-with-parent; --as-pid-1; --cap-add=text; --cap-drop=text; --level-prefix; --disable-userns; --assert-userns-disabled
      --bind=list+text; --bind-try=list+text; --dev-bind=list+text; --dev-bind-try=list+text; --ro-bind=list+text; --ro-bind-try=list+text; --remount-ro=text; --proc=text; --dev=text; --tmpfs=text; --mqueue=text; --dir=text; --symlink=text+text
      --overlay-src=list; --tmp-overlay=text; --ro-overlay=text; --perms=text; --size=text; --chmod=text+text; --lock-file=text; --argv0=refuse; --args=refuse; --seccomp=text; --sync-fd=text; --info-fd=text; --help -> stop; --version -> stop`),
    operands: "command:argv",
    examples: {
      allow: ["bwrap --version", "bwrap --ro-bind / / --dev /dev ls"],
      ask: ["bwrap --bind / / --args 3", "bwrap --frobnicate x ls"],
      deny: ["bwrap --bind / / rm -rf ~", "bwrap --ro-bind / / --unshare-all sh -c 'rm -rf ~'"],
    },
  },
  {
    names: "firejail",
    style: "posix",
    options: rows(
      "--noprofile; --quiet; --net[=text]; --private[=text]; --read-only[=text]; --seccomp[=text]; --caps.drop[=text]; --nonewprivs; --noroot; --profile[=read]; --whitelist[=text]; --blacklist[=text]; --help -> stop; --version -> stop; --list -> stop",
    ),
    operands: "command:argv?=sh",
    examples: { allow: ["firejail --net=none ls"], deny: ["firejail --quiet rm -rf ~"] },
  },
  // Everything after `--` goes to bash.
  {
    names: "capsh",
    style: "posix",
    options: "--print\n--help -> stop\n--user=refuse\n--drop=text",
    operands: "refuse*",
    effects: "privilege",
    examples: { ask: ["capsh --print", "capsh -- -c ls"] },
  },
];
