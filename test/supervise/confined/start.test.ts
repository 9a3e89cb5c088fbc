import { describe, expect, it } from "vitest";
import { confined, type ConfinedCase } from "./world.ts";

/** What starts, and what never does: `run --confined` supervises a command or starts nothing. */
interface StartCase extends ConfinedCase {
  readonly name: string;
  readonly status: number;
  readonly stdout?: string;
  readonly said?: RegExp;
  readonly looks?: string;
}

const GROUPS: [string, ConfinedCase] = ["groups", { command: 'test "$(ps -o pgid= $$ | tr -d " ")" != "$$" && echo own' }];

const UNDER_WAY = "started >&2; echo started";
/** The state folder on a file system of its own. */
const OWN_STATE = "mkdir -p /srv/state/assent; mount -t tmpfs -o size=1m none /srv/state; mkdir -m 700 -p /srv/state/assent";
const script = (text: string): string => `printf '%s' '${text.replaceAll("'", `'\\''`)}' > /srv/told/by`;

const CASES: readonly StartCase[] = [
  { name: "with its ticket", command: "./t.sh", before: "echo 'echo ran' > t.sh; chmod +x t.sh", status: 0, stdout: "ran\n" },
  {
    name: "without one, what would go ahead sandboxed",
    ticket: "none",
    command: "./t.sh",
    before: "echo 'echo ran' > t.sh; chmod +x t.sh",
    status: 0,
    stdout: "ran\n",
  },
  {
    name: "without one, what would be asked",
    ticket: "none",
    command: "git push",
    status: 126,
    stdout: "",
    said: /not started: change data on the git server.*\[preset\.default\.remote-change\]\)\. Way out:.*ask the user/,
  },
  {
    name: "without one, what is denied",
    ticket: "none",
    command: "echo ran",
    policy: { permissions: { deny: ["Bash(echo:*)"] } },
    status: 126,
    stdout: "",
    said: /not started.*Bash\(echo:\*\).*Way out/,
  },
  {
    name: "without one, and no consent to confining",
    ticket: "none",
    command: "./t.sh",
    policy: { unknown: "ask" },
    before: "echo 'echo ran' > t.sh; chmod +x t.sh",
    status: 126,
    stdout: "",
    said: /not started/,
  },
  {
    name: "without one, while sandboxing is only looked at",
    ticket: "none",
    command: "./t.sh",
    policy: { unknown: "confine-log" },
    before: "echo 'echo ran' > t.sh; chmod +x t.sh",
    status: 126,
    stdout: "",
    said: /not started/,
  },
  {
    name: "a ticket for another command",
    ticket: { command: "true" },
    command: "git push",
    status: 126,
    stdout: "",
    said: /not started: change data on the git server/,
  },
  {
    name: "a ticket for the command and a blank",
    ticket: { command: "git push " },
    command: "git push",
    status: 126,
    stdout: "",
    said: /not started/,
  },
  { name: "a ticket for another folder", ticket: { cwd: "/srv/out" }, command: "git push", status: 126, stdout: "", said: /not started/ },
  { name: "a ticket that is too old", ticket: { time: 1 }, command: "git push", status: 126, stdout: "", said: /not started/ },
  {
    name: "a ticket with a field that nobody knows",
    ticket: { narrowed: true },
    command: "git push",
    status: 126,
    stdout: "",
    said: /not started/,
  },
  {
    name: "a ticket is taken once",
    command: "./t.sh",
    before: "printf 'echo ran' > t.sh; chmod +x t.sh",
    after: "ls -A /srv/state/assent/tickets",
    looks: "",
    status: 0,
    stdout: "ran\n",
  },
  {
    name: "a ticket lends no rule: what it names is judged when it happens",
    command: "cat ~/.ssh/id_rsa",
    status: 1,
    stdout: "",
    said: /refused: read "\/srv\/home\/.ssh\/id_rsa": .*protect.secrets.*Way out/,
  },
  {
    name: "a first part goes as it is, and its status to the rest, which is held",
    command: "looks; echo $?; cat ~/.ssh/id_rsa",
    ticket: {
      first: "cat ~/.ssh/id_rsa > /dev/null && echo read; f() { echo not here; }; exit 3",
      rest: ["", "; echo $?; f; cat ~/.ssh/id_rsa"],
    },
    status: 1,
    stdout: "read\n3\n",
    said: /refused: read "\/srv\/home\/.ssh\/id_rsa"/,
  },
  {
    name: "what ends a first part by itself is its status",
    command: "looks || echo $?",
    ticket: { first: "kill -9 $$", rest: ["", " || echo $?"] },
    status: 0,
    stdout: "137\n",
  },
  {
    name: "a ticket with a first part and no rest",
    command: "git push",
    ticket: { first: "echo read" },
    status: 126,
    stdout: "",
    said: /not started/,
  },
  {
    name: "a browser that a driver starts does without a zygote, which would wait for ever",
    command: "./show --no-sandbox --use-mock-keychain --headless about:blank",
    before: `printf '#!/bin/sh\\necho "$*"\\n' > show; chmod +x show`,
    status: 0,
    stdout: "--no-sandbox --no-zygote --headless about:blank\n",
  },
  {
    name: "and with its own sandbox, as one of its processes, or told so already, it is as it was",
    command:
      "./show --use-mock-keychain; ./show --type=gpu --no-sandbox --use-mock-keychain; ./show --no-sandbox --no-zygote --use-mock-keychain",
    before: `printf '#!/bin/sh\\necho "$*"\\n' > show; chmod +x show`,
    status: 0,
    stdout: "--use-mock-keychain\n--type=gpu --no-sandbox --use-mock-keychain\n--no-sandbox --no-zygote --use-mock-keychain\n",
  },
  { name: "what begins like an option is a command", command: "-c", status: 127, stdout: "" },
  {
    name: "the policy is broken since the hook answered",
    policy: { unknwon: 1 },
    command: UNDER_WAY,
    status: 125,
    stdout: "",
    said: /not started.*policy/,
  },
  {
    name: "the state folder is read-only",
    before: `${OWN_STATE}; ${script('mount -o remount,ro /srv/state; exec "$@"')}`,
    by: "sh /srv/told/by",
    command: UNDER_WAY,
    status: 125,
    stdout: "",
    said: /not started.*(?:cannot be used|cannot be kept|EROFS)/,
  },
  {
    name: "the disk is full",
    before: `${OWN_STATE}; ${script('cat /dev/zero > /srv/state/fill 2>/dev/null; exec "$@"')}`,
    by: "sh /srv/told/by",
    ticket: "none",
    command: "echo started",
    status: 125,
    stdout: "",
    said: /not started.*cannot be kept/,
  },
  {
    name: "supervising needs /proc",
    before: script('umount -l /proc; exec "$@"'),
    by: "sh /srv/told/by",
    command: UNDER_WAY,
    ticket: "none",
    status: 125,
    stdout: "",
    said: /not started.*\/proc/,
  },
  {
    name: "the agent's words grant nothing",
    command: "bash -c 'echo > /dev/tcp/1.1.1.1/80'",
    status: 1,
    stdout: "",
    said: /refused: connect to "1.1.1.1:80".*Net\(1.1.1.1:80\)/,
  },
  {
    name: "an answer for programs that a person starts is not for this",
    before: "mkdir -p ~/.config/assent",
    command: "echo $0",
    status: 0,
    stdout: "/bin/bash\n",
  },
];

describe("a confined command starts supervised or not at all", { concurrent: true }, () => {
  it.each(CASES)("$name", async ({ status, stdout, said, looks, ...what }) => {
    const found = await confined(what);
    expect(found).toMatchObject({
      status: String(status),
      ...(stdout === undefined ? {} : { stdout }),
      ...(looks === undefined ? {} : { after: looks }),
    });
    if (said === undefined) expect(found.said.filter((line) => !line.startsWith("refused: "))).toEqual([]);
    else expect(found.said.join("\n")).toMatch(said);
  });
});

describe("a confined command is as a bare one", { concurrent: true }, () => {
  const bytes = Array.from({ length: 256 }, (_, at) => `\\x${at.toString(16).padStart(2, "0")}`).join("");
  it.each<readonly [name: string, what: ConfinedCase]>([
    ["standard input", { command: "cat; echo end", input: "one\ntwo" }],
    ["no standard input", { command: "cat; echo end" }],
    ["any bytes", { command: `printf '${bytes}'; printf '${bytes}' >&2` }],
    ["20,000 lines", { command: "seq 20000; seq 20000 >&2" }],
    ["the order of both", { command: "for i in 1 2 3; do echo o$i; echo e$i >&2; done 2>&1" }],
    ["a status", { command: "exit 200" }],
    ["not found", { command: "no-such-command" }],
    ["a syntax error", { command: "if" }],
    ["ends by a signal", { command: "kill -KILL $$" }],
    ["ends by TERM", { command: "kill -TERM $$" }],
    ["dumps no core", { command: "ulimit -c 0; kill -SEGV $$" }],
    ["a pipe that closes", { command: "set -o pipefail; yes | head -2; echo $?" }],
    ["a folder", { command: "cd /srv/out && pwd && cat f" }],
    ["variables", { command: 'echo "$A|$B|$(printenv C)"; env | grep -vc ^LSAN_OPTIONS=', env: { A: "a b", B: "", C: "x\ny" } }],
    ["limits", { command: "ulimit -n; umask" }],
    ["its name", { command: 'echo "$0 $# $-"' }],
    ["no terminal", { command: "test -t 0 || echo no; tty" }],
    ["descriptors", { command: "exec 9>&1; echo nine >&9; exec 9>&-; echo more >&9" }],
    // What is handed over leads a group of its own (docs/daemon.md).
    ...(process.env["ASSENT_TEST_SPARE"] === undefined ? [GROUPS] : []),
  ])("%s", async (_, what) => {
    const [bare, inside] = await Promise.all([confined({ ...what, bare: true }), confined(what)]);
    expect(inside).toEqual(bare);
  });
});

it("output is not delayed: the reader has the first line before the second is written", async () => {
  const command =
    "mkfifo p; { read -r first; echo got $first > seen; echo go > go; cat > /dev/null; } < p & { echo one; until [ -e go ]; do sleep 0.02; done; echo two; } > p; wait; cat seen";
  expect(await confined({ command })).toMatchObject({ status: "0", stdout: "got one\n", said: [] });
});
