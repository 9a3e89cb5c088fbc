import { describe, expect, it } from "vitest";
import { confined, type ConfinedCase, NAME_SERVER } from "./world.ts";

/** What a confined command is given, what it may listen on and reach here, and what it leaves behind. */
interface AroundCase extends ConfinedCase {
  readonly name: string;
  readonly status?: string;
  readonly stdout?: string;
  readonly looks?: string;
  readonly said?: RegExp;
}

const SECRETS = {
  GITHUB_TOKEN: "ghp_x",
  AWS_SECRET_ACCESS_KEY: "k",
  DATABASE_URL: "postgres://me:pw@db/x",
  SSH_AUTH_SOCK: "/srv/tmp",
  PLAIN: "p",
};
const NAMES = "env | cut -d= -f1 | sort | grep -e TOKEN -e AWS -e DATABASE -e SSH -e PLAIN | tr '\\n' ' '";
const ALL = "AWS_SECRET_ACCESS_KEY DATABASE_URL GITHUB_TOKEN PLAIN SSH_AUTH_SOCK ";
const allow = (...rules: readonly string[]): object => ({ permissions: { allow: rules } });

/** Serves one line to each who comes, until a file is there. */
const SERVE = (bind: string): string =>
  `cat > serve.py <<'END'\nimport socket\ns = ${bind}\ns.listen(9)\nopen("/tmp/up", "w").close()\nwhile True:\n  c, _ = s.accept()\n  c.send(b"served\\n"); c.close()\nEND\n`;
const TCP = SERVE('socket.create_server(("0.0.0.0", 7788))');
const UNIX = SERVE('socket.socket(socket.AF_UNIX); s.bind("/tmp/sock")');
const STARTED = "python3 serve.py > /dev/null 2>&1 & until [ -e /tmp/up ]; do sleep 0.02; done";
const ASK = "import socket; s = socket.create_connection(('127.0.0.1', 7788)); print(s.recv(9).decode(), end='')";
const ASK_UNIX = "import socket; s = socket.socket(socket.AF_UNIX); s.connect('/tmp/sock'); print(s.recv(9).decode(), end='')";
const GONE = "for i in $(seq 100); do pgrep -f '^python3 serve.py' > /dev/null || break; sleep 0.1; done; pgrep -fc '^python3 serve.py'";

const CASES: readonly AroundCase[] = [
  { name: "secrets stay where code reaches no host outside", command: NAMES, env: SECRETS, stdout: ALL },
  { name: "and where it reaches this machine only", command: NAMES, env: SECRETS, policy: allow("Net(localhost:5432)"), stdout: ALL },
  {
    name: "and where a command of the line is allowed, not its scripts",
    command: NAMES,
    env: SECRETS,
    policy: allow("Bash(curl:*)"),
    stdout: ALL,
  },
  {
    name: "they leave where a rule opens a host",
    command: NAMES,
    env: SECRETS,
    policy: allow("Net(api.example.com:443)"),
    stdout: "PLAIN SSH_AUTH_SOCK ",
  },
  {
    name: "and every host",
    command: `${NAMES}; false`,
    env: SECRETS,
    policy: allow("Net(*)"),
    status: "1",
    stdout: "PLAIN SSH_AUTH_SOCK ",
    said: /left out of the environment.*GITHUB_TOKEN.*Way out: ask the user/,
  },
  { name: "nothing is said where nothing failed", command: "true", env: SECRETS, policy: allow("Net(*)") },

  {
    name: "listening on every address goes ahead, and is heard here",
    before: TCP,
    command: `${STARTED}; python3 -c "${ASK}"; kill %1`,
    stdout: "served\n",
  },
  {
    name: "only here",
    before: `ip addr add 10.7.7.7/32 dev lo; ${TCP}`,
    command: `${STARTED}; kill %1; ls /proc/net/tcp > /dev/null`,
    stdout: "",
  },
  {
    name: "the receipt says so",
    before: TCP,
    command: `${STARTED}; kill %1`,
    after: '"$NODE" /srv/assent/dist/bin.cjs receipt | grep -o -e ^listened -e heard.*only',
    looks: "listened\nheard by this machine only\n",
  },
  {
    name: "of datagrams, too",
    command: "python3 -c \"import socket; socket.socket(type=socket.SOCK_DGRAM).bind(('0.0.0.0', 7788))\"",
    after: '"$NODE" /srv/assent/dist/bin.cjs receipt | grep -o -e ^listened -e heard.*only',
    looks: "listened\nheard by this machine only\n",
  },
  {
    name: "another command of the session reaches it",
    before: `${TCP}mkdir sub; another s1 /srv/proj "${STARTED}" 2>/dev/null`,
    command: `python3 -c "${ASK}"`,
    stdout: "served\n",
  },
  {
    name: "from another folder of it, too",
    before: `${TCP}mkdir sub; another s1 /srv/proj "${STARTED}" 2>/dev/null; cd sub`,
    ticket: { cwd: "/srv/proj/sub" },
    command: `python3 -c "${ASK}"`,
    stdout: "served\n",
  },
  {
    name: "one of another session does not, in another folder",
    before: `${TCP}mkdir sub; another s2 /srv/proj "${STARTED}" 2>/dev/null; mkdir -p /srv/other; cd /srv/other`,
    ticket: { cwd: "/srv/other", root: "/srv/other" },
    command: `python3 -c "${ASK}" 2>/dev/null`,
    status: "1",
    stdout: "",
    said: /refused: connect to "(?:localhost|127\.0\.0\.1):7788".*Way out: start that server by a command of this session/,
  },
  {
    name: "a UNIX socket of the session",
    before: `${UNIX}another s1 /srv/proj "${STARTED}" 2>/dev/null`,
    command: `python3 -c "${ASK_UNIX}"`,
    stdout: "served\n",
  },
  {
    name: "a UNIX socket of another session",
    before: `${UNIX}another s2 /srv/proj "${STARTED}" 2>/dev/null`,
    command: `python3 -c "${ASK_UNIX}" 2>/dev/null`,
    status: "1",
    stdout: "",
    said: /refused: connect to the socket "\/tmp\/sock"/,
  },

  // /tmp lies on another file system than the state, where no socket can be kept.
  {
    name: "a socket that somebody outside listens on stays where it is",
    before: `${UNIX}${STARTED.replace("> /dev/null", "> /dev/null < /dev/null")}`,
    command: "rm /tmp/sock 2>/dev/null; touch f; mv f /tmp/sock 2>/dev/null; rm -r /tmp 2>/dev/null",
    status: "1",
    after: `python3 -c "${ASK_UNIX}"; pkill -f serve.py`,
    looks: "served\n",
    said: /refused: delete "\/tmp\/sock": a program outside the run made the socket.*Way out: go on without it/,
  },
  {
    name: "one of the session, or that nobody listens on, is deleted as ever",
    before: `${UNIX}another s1 /srv/proj "${STARTED}" 2>/dev/null; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('/tmp/dead')"`,
    command: "rm /tmp/sock /tmp/dead && python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('/tmp/new')\" && rm /tmp/new",
    after: "pkill -f serve.py; ls /tmp | grep -c -e sock -e dead",
    looks: "0\n",
  },

  {
    name: "what a script starts that cannot work there is named, where it fails",
    before: "echo 'unshare --user true 2>/dev/null; exit 3' > s.sh",
    command: "sh s.sh",
    status: "3",
    said: /^started unshare, which makes a sandbox .*: that does not work in a sandboxed command\. Way out: leave it out, or ask the user/,
  },
  {
    name: "and not where it goes on without",
    before: "echo 'unshare --user true 2>/dev/null; exit 0' > s.sh",
    command: "sh s.sh",
  },
  {
    name: "a browser is not started by a script either, where it would never end",
    before:
      "mkdir shell; printf '#!/bin/sh\\necho page' > shell/headless_shell; chmod +x shell/headless_shell; echo './shell/headless_shell --no-sandbox x.html 2>/dev/null' > s.sh",
    command: "sh s.sh",
    status: "126",
    said: /^refused: run ".*headless_shell --no-sandbox x\.html": it does not work in a supervised run.*Way out: ask the user to run/,
  },
  {
    name: "what one that works starts of its own is",
    before: "printf '#!/bin/sh\\necho page' > chrome; chmod +x chrome; echo './chrome --type=renderer x; ./chrome --no-zygote x' > s.sh",
    command: "sh s.sh",
    stdout: "page\npage\n",
  },

  {
    name: "what is left behind is named, and stays",
    before: TCP,
    command: STARTED,
    after: "pgrep -fc '^python3 serve.py'",
    looks: "1\n",
    said: /^still running, under the same rules until the session ends: python3[\d.]* \(\d+\)$/,
  },
  {
    name: "it keeps the wall",
    before: "printf 'sleep 0.5; echo x > /srv/out/new; echo done > ended' > s.sh",
    command: "nohup sh s.sh > /dev/null 2>&1 &",
    after: "until [ -e ended ]; do sleep 0.1; done; ls /srv/out",
    looks: "f\n",
    said: /still running/,
  },
  {
    name: "it ends when its session is told to end",
    before: TCP,
    command: STARTED,
    after: `rm /srv/state/assent/left/*.json; ${GONE}`,
    looks: "0\n",
    said: /still running/,
  },
  {
    name: "it ends when the host is gone",
    before: `${TCP}printf 'import subprocess, sys, time\nsubprocess.run(sys.argv[1:])\ntime.sleep(5)' > /srv/told/host.py`,
    by: "python3 /srv/told/host.py",
    command: STARTED,
    after: GONE,
    looks: "0\n",
    said: /still running/,
  },
  {
    name: "TERM for the command ends all of it",
    before: `printf '"$@" & sleep 1.5; kill $!; wait $!' > /srv/told/host`,
    by: "sh /srv/told/host",
    command: "setsid sleep 77 & sleep 77",
    status: "143",
    after: "for i in $(seq 50); do pgrep -x sleep > /dev/null || break; sleep 0.1; done; pgrep -xc sleep",
    looks: "0\n",
  },
  {
    name: "KILL, too",
    before: `printf '"$@" & sleep 1.5; kill -9 $!; wait $!' > /srv/told/host`,
    by: "sh /srv/told/host",
    command: "setsid sleep 77 & sleep 77",
    status: "137",
    after: "for i in $(seq 50); do pgrep -x sleep > /dev/null || break; sleep 0.1; done; pgrep -xc sleep",
    looks: "0\n",
  },
];

it("where an agent's run refuses nothing, names are looked up as ever", async () => {
  const look = "import socket\ntry: socket.getaddrinfo('a.example', 80)\nexcept OSError: pass";
  const run = (options: string): string =>
    `CLAUDECODE=1 "$NODE" /srv/assent/dist/bin.cjs run -q ${options} -- python3 -c "${look}" 2>/dev/null`;
  const asked = "grep -ac example /srv/told/got || echo 0";
  const { after } = await confined({
    before: NAME_SERVER,
    command: "true",
    after: `${run("-P")}; ${asked}; ${run("--log-only")}; ${asked}`,
  });
  expect(after.replaceAll(/^grep:.*\n/gm, "")).toBe("0\n1\n");
});

describe("around a confined command", { concurrent: true }, () => {
  it.each(CASES)("$name", async ({ status = "0", stdout = "", looks = "", said, ...what }) => {
    const found = await confined(what);
    expect(found).toMatchObject({ status, stdout, after: looks });
    if (said === undefined) expect(found.said).toEqual([]);
    else expect(found.said.join("\n")).toMatch(said);
  });
});
