import { execFile } from "node:child_process";
import { join } from "node:path";

/** Built elsewhere while developing: ATTACK_DIST. */
const DIST = process.env["ATTACK_DIST"] ?? join(import.meta.dirname, "../../../dist");

/** An emulated machine takes its time: what a test gives its helpers is multiplied by it. */
export const SLOWER = Number(process.env["ESCAPE_SLOWER"] ?? 1);

export interface Attack {
  /** Rules of the user's policy file. */
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  /** A line of shell that prepares the world, before the run. */
  readonly before?: string;
  /** The supervised script. Home is /srv/home, the project /srv/proj; `$O` lies outside of both. */
  readonly program: string;
  /** A line that looks at the world after the run. */
  readonly after?: string;
  /** What `assent run` itself is started by. */
  readonly by?: string;
  /** Options of `assent run`. */
  readonly options?: readonly string[];
}

export interface Seen {
  readonly out: string;
  readonly events: readonly { readonly text: string; readonly outcome: string; readonly verdict: string; readonly builtin?: string }[];
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** A world of its own in its own namespaces: nothing of the machine is within reach but through what is read. */
const INSIDE = `
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
# A user without rights can change nothing there anyway.
mount -o remount,bind,ro / || [ "$ROOT" = 0 ]
mkdir -p /srv/home/.ssh /srv/proj/.git /srv/out /srv/tmp
cd /srv
echo SECRETKEY > home/.ssh/id_rsa
echo SECRETENV > proj/.env
echo outside > out/f
printf '%s' "$POLICY" > home/.agent-permissions.jsonc
printf '%s' "$PROGRAM" > /srv/program
export HOME=/srv/home XDG_STATE_HOME=/srv/state TMPDIR=/srv/tmp O=/srv/out
cd /srv/proj
eval "$BEFORE"
set +e
timeout $SECONDS $BY "$NODE" /srv/assent/dist/bin.cjs run $OPTIONS --quiet --profile attack --json --output /srv/events -- /bin/sh /srv/program
echo "status $?"
eval "$AFTER"
echo "--- events"
cat /srv/events
`;

/** Runs a program under supervision, and tells what it printed and what was said of its calls. */
export async function attack({
  allow = [],
  ask = [],
  deny = [],
  before = "",
  program,
  after = "",
  by = "",
  options = ["-P"],
}: Attack): Promise<Seen> {
  const root = process.getuid?.() === 0;
  const text = await new Promise<string>((resolve, reject) => {
    execFile(
      "unshare",
      [root ? "-pmn" : "-Urpmn", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c", INSIDE],
      {
        env: {
          PATH,
          ROOT: root ? "1" : "0",
          NODE: process.execPath,
          DIST,
          SECONDS: String(60 * SLOWER),
          POLICY: JSON.stringify({ permissions: { allow, ask, deny } }),
          PROGRAM: program,
          BEFORE: before,
          AFTER: after,
          BY: by,
          OPTIONS: options.join(" "),
        },
        timeout: 90_000 * SLOWER,
        maxBuffer: 64 << 20,
      },
      (error, stdout, stderr) =>
        error !== null && !stdout.includes("--- events")
          ? reject(new Error(`${error.message}\n${stderr}`))
          : resolve(`${stderr}\n${stdout}`),
    );
  });
  const [out = "", events = ""] = text.split("--- events\n");
  return {
    out,
    events: events
      .split("\n")
      .filter((line) => line.startsWith("{"))
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- docs/json.md
      .map((line) => JSON.parse(line) as Seen["events"][number]),
  };
}
