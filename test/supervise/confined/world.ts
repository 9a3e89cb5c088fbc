import { execFile } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

/** Built elsewhere while developing: ATTACK_DIST. */
const DIST = process.env["ATTACK_DIST"] ?? join(import.meta.dirname, "../../../dist");

export interface ConfinedCase {
  /** The command line that the agent wrote. */
  readonly command: string;
  /** Members of the user's policy file besides `"unknown": "confine"`. */
  readonly policy?: object;
  /** Shell that prepares the world; `another SESSION FOLDER COMMAND` is a confined command, in `after` too. Home is /srv/home, the project /srv/proj, `$O` lies outside of both. */
  readonly before?: string;
  /** A line that looks at the world afterwards; its output is `after`. */
  readonly after?: string;
  /** Variables of the host's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Without Assent, as the host starts it where nothing confines. */
  readonly bare?: boolean;
  /** What the ticket says other than what is true; `none`: there is no ticket. */
  readonly ticket?: "none" | Readonly<Record<string, unknown>>;
  /** Standard input. */
  readonly input?: string;
  /** Started in the place of the program. */
  readonly by?: string;
}

export interface ConfinedResult {
  readonly status: string;
  readonly stdout: string;
  /** Without what Assent says. */
  readonly stderr: string;
  /** What Assent says. */
  readonly said: readonly string[];
  readonly after: string;
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** A world of its own in its own namespaces: nothing of the machine is within reach but through what is read. */
const WORLD = `
set -e
mount --make-rprivate /
# The clone may lie in what is about to be hidden.
exec 9< "$DIST/.."
mount -t tmpfs none /srv
mkdir /srv/assent
mount --no-canonicalize --rbind /proc/self/fd/9 /srv/assent
exec 9<&-
mkdir /srv/dev /srv/dev/pts /srv/dev/shm
for d in null zero full random urandom tty ptmx; do cp -a /dev/$d /srv/dev/ 2>/dev/null || { : > /srv/dev/$d; mount --bind /dev/$d /srv/dev/$d; }; done
mount --bind /dev/pts /srv/dev/pts
ln -s /proc/self/fd /srv/dev/fd
for d in 0:stdin 1:stdout 2:stderr; do ln -s /proc/self/fd/\${d%%:*} /srv/dev/\${d##*:}; done
mount --rbind /srv/dev /dev
mount -t tmpfs none /tmp
ip link set lo up 2>/dev/null || true
mkdir -p /srv/home/.ssh /srv/home/other /srv/proj /srv/out /srv/tmp /srv/told
cd /srv
echo SECRETKEY > home/.ssh/id_rsa
echo theirs > home/other/f
echo outside > out/f
printf '%s' "$POLICY" > home/.agent-permissions.jsonc
export HOME=/srv/home XDG_STATE_HOME=/srv/state TMPDIR=/srv/tmp O=/srv/out
export GIT_AUTHOR_DATE=2001-01-01T00:00:00Z GIT_COMMITTER_DATE=2001-01-01T00:00:00Z
cd /srv/proj
git init -q . && git config user.name Me && git config user.email me@here && echo one > kept && git add kept && git commit -qm first
echo SECRETENV > .env
set +e
ticket() {
  "$NODE" -e 'const { readFileSync: r, writeFileSync: w, mkdirSync: m } = require("node:fs");
    const [, id, text] = process.argv;
    m("/srv/state/assent/tickets", { recursive: true, mode: 0o700 });
    const up = Math.round(Number(r("/proc/uptime", "utf8").split(" ")[0]) * 1000), boot = r("/proc/sys/kernel/random/boot_id", "utf8").trim();
    w("/srv/state/assent/tickets/" + id + ".json", JSON.stringify({ v: 1, id, time: Date.now(), boot, up, ...JSON.parse(text) }), { mode: 0o600 });' "$1" "$2"
  chmod 700 /srv/state /srv/state/assent /srv/state/assent/tickets
}
# another SESSION FOLDER COMMAND: one more confined command
another() {
  ticket 416e6f7468657200 "$("$NODE" -e 'const [, session, cwd, command] = process.argv; console.log(JSON.stringify({ agent: "claude", session, cwd, root: cwd, command }))' "$1" "$2" "$3")"
  (cd "$2" && exec setsid -w "$NODE" /srv/assent/dist/bin.cjs run --confined 416e6f7468657200 -- "$3" < /dev/null)
}
eval "$BEFORE"
T=0000000000000000
if [ -n "$TICKET" ]; then
  T=4a6f686e20446f65
  ticket $T "$TICKET"
fi
unset TICKET POLICY BEFORE
eval "$ENVIRONMENT"
unset ENVIRONMENT
printf '%s' "$INPUT" > /srv/told/input
unset INPUT
if [ "$BARE" = 1 ]; then set -- /bin/bash -c "$COMMAND"; else set -- "$NODE" /srv/assent/dist/bin.cjs run --confined $T -- "$COMMAND"; fi
if [ "$SPARE" = 1 ] && [ "$BARE" != 1 ]; then
  resident=/srv/state/assent/resident
  mkdir -p $resident && chmod 700 /srv/state /srv/state/assent $resident
  # By a shell in between: it ends when whoever started it is process 1, as it would when that has ended.
  ( "$NODE" /srv/assent/dist/bin.cjs run --beside --spare 0 < /dev/null > /dev/null 2>&1 3> /dev/null & wait ) &
  for n in {1..400}; do compgen -G "$resident/spare.*" > /dev/null && waits=0 && break; sleep 0.05; done
  set -- /srv/assent/dist/spare-$([ "$(uname -m)" = x86_64 ] && echo x64 || echo arm64) $resident/ "$@"
fi
after=$AFTER by=$BY
unset COMMAND AFTER BY BARE DIST SPARE
setsid -w timeout 60 $by "$@" < /srv/told/input > /srv/told/out 2> /srv/told/err
echo $? > /srv/told/status
[ "$waits" = 0 ] && ! compgen -G "/srv/state/assent/resident/spare.*" > /dev/null; echo $? > /srv/told/handed
eval "$after" > /srv/told/after 2>&1
"$NODE" -e 'console.log(JSON.stringify(Object.fromEntries(["out", "err", "status", "after", "handed"].map((name) => [name, require("node:fs").readFileSync("/srv/told/" + name, "latin1")]))))'
`;

/** For `before`: a name server of the system's that answers nothing, and writes what it is asked into /srv/told/got. */
export const NAME_SERVER = `printf 'nameserver 127.0.0.9\n' > /srv/told/resolv; mount --bind /srv/told/resolv /etc/resolv.conf; printf '%s' 'import socket\ns=socket.socket(socket.AF_INET,socket.SOCK_DGRAM);s.bind(("127.0.0.9",53));open("/srv/told/up","w").close()\nwhile True:\n d,a=s.recvfrom(512); open("/srv/told/got","ab").write(d)' > /srv/told/dns.py; python3 /srv/told/dns.py & until [ -e /srv/told/up ]; do sleep 0.02; done`;

/**
 * ASSENT_TEST_SPARE=FILE: confined commands are handed over to a supervisor that waits, where they can be; the file gets a line for each.
 * The expectations are the same.
 */
const HANDS = process.env["ASSENT_TEST_SPARE"];

/** Runs a command line as a host does, confined or bare, and tells what came of it. */
export async function confined(what: ConfinedCase): Promise<ConfinedResult> {
  const { command, policy = {}, before = "", after = "", env = {}, bare = false, ticket = {}, input = "", by = "" } = what;
  const written = { agent: "claude", session: "s1", command, cwd: "/srv/proj", root: "/srv/proj" };
  const root = process.getuid?.() === 0;
  const stdout = await new Promise<string>((resolve, reject) => {
    execFile(
      "unshare",
      [root ? "-pmn" : "-Urpmn", "--fork", "--kill-child", "--mount-proc", "/bin/bash", "-c", WORLD],
      {
        env: {
          PATH,
          NODE: process.execPath,
          DIST,
          LANG: "C.UTF-8",
          POLICY: JSON.stringify({ unknown: "confine", ...policy }),
          COMMAND: command,
          BEFORE: before,
          AFTER: after,
          BY: by,
          BARE: bare ? "1" : "0",
          SPARE: HANDS === undefined ? "0" : "1",
          INPUT: input,
          TICKET: ticket === "none" ? "" : JSON.stringify({ ...written, ...ticket }),
          ENVIRONMENT: Object.entries(env)
            .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'`)
            .join("\n"),
        },
        timeout: 90_000,
        maxBuffer: 64 << 20,
      },
      (error, text, stderr) => (error === null ? resolve(text) : reject(new Error(`${error.message}\n${stderr}`))),
    );
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written a few lines above
  const told = JSON.parse(stdout.slice(stdout.lastIndexOf("\n{") + 1)) as Readonly<
    Record<"out" | "err" | "status" | "after" | "handed", string>
  >;
  if (HANDS !== undefined && !bare) appendFileSync(HANDS, `${told.handed.trim() === "0" ? "handed over" : "today's way"}\n`);
  const lines = told.err.split(/(?<=\n)/);
  const isSaid = (line: string): boolean => line.startsWith("assent: ");
  return {
    status: told.status.trim(),
    stdout: told.out,
    stderr: lines.filter((line) => !isSaid(line)).join(""),
    said: lines.filter(isSaid).map((line) => line.trimEnd().slice("assent: ".length)),
    after: told.after,
  };
}
