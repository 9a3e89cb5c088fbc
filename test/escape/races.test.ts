import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { program, python, sh, type Expect } from "./harness/program.ts";
import { escapes, type Row, type Seen, SLOWER } from "./harness/suite.ts";

/** `npm run races` makes it 100,000. */
const TRIES = Number(process.env["ESCAPE_TRIES"] ?? 400);
const EXEC_TRIES = Math.max(200, Math.floor(TRIES / 50));
const SECONDS = 30 + TRIES / 250;

/** Bare, a race is won now and then; supervised it never is. */
const RACE: Readonly<Record<string, Expect>> = { wins: [/^[1-9]/, "0"], tries: /^[1-9]/ };
const race = (kind: string, allowed: string, forbidden: string, more = "", expect = RACE): Row["program"] =>
  program(["/media/race", kind, String(TRIES), allowed, forbidden, ...(more === "" ? [] : [more])], expect);

const descriptors = ({ checkpoints }: Seen): readonly string[] => {
  const [before, after] = checkpoints;
  if (before === undefined || after === undefined) return ["the supervisor was not seen"];
  return after.descriptors.length > before.descriptors.length + 4
    ? [`${before.descriptors.length} descriptors became ${after.descriptors.length}`]
    : [];
};

/** Answers each question of a run with `action` after `seconds`. */
const answering = (action: string, seconds: number): string => `touch /srv/ready
  while :; do
    q=$($NODE $ASSENT run --background-wait /srv/home/ask) || { sleep 0.1; continue; }
    case $q in *'"done"'*) exit 0;; esac
    n=$(printf '%s' "$q" | sed -n 's/.*"seq": *\\([0-9]*\\).*/\\1/p' | head -1)
    echo "$q" >> /srv/home/questions
    sleep ${seconds}
    $NODE $ASSENT run --background-respond /srv/home/ask "$n" ${action} > /dev/null || sleep 0.1
  done`;
/** A test of waiting is none if nothing waited. */
const asked = ({ world }: Seen): readonly string[] => (existsSync(world.at("$HOME/questions")) ? [] : ["nothing was asked"]);
const BACKGROUND = ["--background-dir", "/srv/home/ask"];

const rows: readonly Row[] = [
  {
    number: "55",
    title: "a link is turned from a public file to the secret",
    seconds: SECONDS,
    setUp: (w) => {
      symlinkSync("/srv/O/f", w.at("$W/l"));
    },
    program: race("swap", "$W/l", "$S/key", "$O/f"),
  },
  {
    number: "55a",
    title: "the path of a public file becomes that of the secret",
    seconds: SECONDS,
    setUp: (w) => {
      writeFileSync(w.at("$HOME/pub12"), "public");
    },
    program: race("read", "$HOME/pub12", "$S/key"),
  },
  { number: "57", title: "the second path of rename", seconds: SECONDS, program: race("rename", "$W/n", "$O/n", "$W/source") },
  {
    number: "57a",
    title: "the second path of link",
    seconds: SECONDS,
    setUp: (w) => {
      writeFileSync(w.at("$W/source"), "x");
    },
    program: race("link", "$W/n", "$O/n", "$W/source"),
  },
  { number: "57b", title: "the flags of openat2", seconds: SECONDS, program: race("how", "$W/f", "$T") },
  { number: "57c", title: "the path of open", seconds: SECONDS, program: race("path", "$W/f", "$T") },
  { number: "59", title: "another process shares the page of the path", seconds: SECONDS, program: race("shared", "$W/f", "$T") },
  { number: "59a", title: "another process writes the path by process_vm_writev", seconds: SECONDS, program: race("vm", "$W/f", "$T") },
  {
    number: "59b",
    title: "another process writes the path by ptrace",
    seconds: SECONDS,
    program: race("ptrace", "$W/f", "$T", "", { wins: ["any", "0"], tries: /^[1-9]/ }),
  },
  {
    number: "61",
    title: "a word of argv that another process shares",
    seconds: SECONDS,
    deny: ["Bash(/media/said push:*)", "Bash(said push:*)", "exec(/media/said, [_, push, ...])"],
    program: program(["/media/flip-exec", "shared", String(EXEC_TRIES), "/media/said", "status", "push"], {
      wins: [/^[1-9]/, "0"],
      started: /^\d/,
    }),
    check: ({ stdout, stderr }) => [
      ...(stdout.includes("wins 0") ? [] : ["the denied command ran"]),
      ...(stderr.includes("was changed while") ? [] : ["the change was not seen"]),
    ],
  },
  {
    number: "61a",
    title: "a word of argv that a thread of the parent changes",
    seconds: SECONDS,
    deny: ["Bash(/media/said push:*)", "Bash(said push:*)", "exec(/media/said, [_, push, ...])"],
    program: program(["/media/flip-exec", "thread", String(EXEC_TRIES), "/media/said", "status", "push"], {
      wins: [/^[1-9]/, "0"],
      started: /^\d/,
    }),
  },
  {
    number: "61c",
    title: "children that are killed as they start accuse nobody",
    seconds: SECONDS,
    program: python(
      `
import random, signal, time
killed = 0
for i in range(${3 * EXEC_TRIES}):
    pid = os.fork()
    if pid == 0: os.execv("/bin/true", ["true", str(i)])
    time.sleep(random.random() * 0.003)
    os.kill(pid, signal.SIGKILL)
    killed += os.WIFSIGNALED(os.waitpid(pid, 0)[1])
print("killed", killed)`,
      { killed: [/^\d/, /^[1-9]/] },
    ),
    check: ({ events, stderr }) => [
      ...events.filter(({ outcome }) => outcome === "refused").map(({ text }) => `${text} was refused`),
      ...(stderr.includes("was changed while") ? ["somebody was accused"] : []),
    ],
  },
  {
    number: "61b",
    title: "a denied word is denied, and others are not",
    deny: ["Bash(/media/said push:*)", "Bash(said push:*)", "exec(/media/said, [_, push, ...])"],
    program: sh(`t status '/media/said status'; /media/said push; echo push $?`, { status: "ok", push: ["7", /^(?!7$)/] }),
    refused: ["exec"],
  },
  {
    number: "63",
    title: "a folder changes places with a link while a question waits",
    options: BACKGROUND,
    beside: answering("approve", 0.7),
    unchanged: ["$S", "$O"],
    seconds: 60,
    ask: ["Write($W/a/**)"],
    program: sh(
      `mkdir $W/a; ln -s /srv/O $W/b
       mkdir $W/a/made & sleep 0.3; python3 -c 'import ctypes; print("exchange", ctypes.CDLL(None).renameat2(-100, b"/srv/W/a", -100, b"/srv/W/b", 2))'; wait
       [ -e $O/made ] && echo escaped yes || echo escaped no`,
      { escaped: ["any", "no"] },
    ),
    bare: "nothing waits",
    check: asked,
  },
  {
    number: "63a",
    title: "a folder changes places with a link",
    seconds: SECONDS,
    unchanged: ["$S", "$O/d", "$O/f"],
    setUp: (w) => {
      symlinkSync("/srv/W", w.at("$W/a"));
    },
    program: race("folder", "$W/a", "$O/empty", "$W"),
  },
  {
    number: "65",
    title: "another thread changes the working folder",
    seconds: SECONDS,
    unchanged: ["$S", "$O/d", "$O/f"],
    program: program(["/media/threads", "wander", String(TRIES), "$W", "$O/empty"], { wins: [/^[1-9]/, "0"], made: /^[1-9]/ }),
  },
  {
    number: "67",
    title: "a process that waits for an answer is killed",
    options: BACKGROUND,
    beside: answering("approve", 0.3),
    seconds: 90,
    unchanged: ["$S"],
    program: python(
      `
print("checkpoint before", flush=True); time.sleep(0.5)
for i in range(6):
    pid = os.fork()
    if pid == 0:
        open(O + "/dead%d" % i, "w"); os._exit(0)
    time.sleep(0.15); os.kill(pid, 9); os.waitpid(pid, 0)
    for j in range(100):
        p = os.fork()
        if p == 0:
            try: open(W + "/f").read()
            finally: os._exit(0)
        os.waitpid(p, 0)
time.sleep(1.5)
print("dead", len([n for n in os.listdir(O) if n.startswith("dead")]), flush=True)
print("checkpoint after", flush=True); time.sleep(0.5)
`,
      { dead: "0" },
    ),
    bare: "nothing waits",
    check: (seen) => [...asked(seen), ...descriptors(seen)],
  },
  {
    number: "67a",
    title: "1000 calls wait for an answer, and the answer is to end it all",
    options: BACKGROUND,
    beside: `touch /srv/ready; sleep 6; ${answering("quit", 0)}`,
    seconds: 60,
    status: "any",
    program: program(["/media/storm", "waiting", "1000", "$O"], {}),
    bare: "nothing waits",
    check: asked,
  },
  {
    number: "67b",
    title: "others go on while one waits, and what was answered no is refused",
    options: BACKGROUND,
    beside: answering("deny", 1.5 * SLOWER),
    seconds: 60,
    program: sh(
      `( echo x > $O/new; echo waited $? ) 2>/dev/null & s=$(date +%s%N); for i in 1 2 3 4 5 6 7 8 9 10; do cat $T > /dev/null; echo x > $W/x$i; done
       e=$(( ($(date +%s%N) - s) / 1000000 )); [ $e -lt ${1200 * SLOWER} ] && echo others quick || echo others $e; wait`,
      { others: ["quick", "quick"], waited: ["0", "2"] },
    ),
    bare: "nothing waits",
    check: asked,
  },
];

escapes("F. Races", rows);
