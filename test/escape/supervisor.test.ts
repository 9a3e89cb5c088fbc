import { writeFileSync } from "node:fs";
import { calls, program, python, sh, step, type Expect } from "./harness/program.ts";
import { escapes, type Row, type Seen, SLOWER } from "./harness/suite.ts";
import { O } from "./harness/syscalls.ts";

/** A process outside the run that belongs to the same user. */
const OUTSIDE = "sleep 300 & echo $! > /srv/outside; touch /srv/ready; wait";
const ALIVE = `if kill -0 $(cat /srv/outside); then echo outside alive; else echo outside gone; fi`;
const alive = ({ labels }: Seen): readonly string[] => (labels.get("outside") === "alive" ? [] : ["a process outside was ended"]);

/** What an attack does to a process outside, and to the supervisor: there is none when it runs bare. */
function both(...names: readonly string[]): Record<string, Expect> {
  return Object.fromEntries(
    names.flatMap((name) => [
      [`outside-${name}`, ["any", "absent"] as const],
      [`helper-${name}`, ["any", "absent"] as const],
    ]),
  );
}
const TARGETS = `targets = {"outside": int(open("/srv/outside").read()), "helper": os.getppid()}\n`;

const STORM = Number(process.env["ESCAPE_TRIES"] ?? 400);

const memoryIsFlat = ({ checkpoints }: Seen): readonly string[] => {
  const [before, after] = checkpoints;
  if (before === undefined || after === undefined) return ["the supervisor was not seen"];
  const left = after.descriptors.filter((each) => !before.descriptors.includes(each));
  return [
    ...(after.descriptors.length > before.descriptors.length + 4
      ? [`descriptors: ${before.descriptors.length} before, ${after.descriptors.length} after: ${left.slice(0, 20).join(", ")}`]
      : []),
    ...(after.memory > before.memory + 200_000 ? [`memory: ${before.memory} KiB before, ${after.memory} KiB after`] : []),
  ];
};

const AFTER_KILL: Expect = ["works", /^(?:undefined|E\w+)$/];

/** A program that goes on once somebody outside has killed what holds it. `pattern`: of the shell's `case`, for the words of a process. */
const killedRow = (named: { readonly number: string; readonly title: string }, pattern: string): Row => ({
  ...named,
  beside: `touch /srv/ready; while [ ! -e $W/go ]; do sleep 0.05; done
    for p in /proc/[0-9]*; do case "$(tr '\\0' ' ' < $p/cmdline)" in ${pattern}) kill -9 \${p#/proc/};; esac; done; echo x > /srv/killed`,
  after: `sleep ${2.5 * SLOWER}`,
  status: "any",
  program: calls(
    step("go", "any", "open", "$W/go", O.wronly | O.creat, 0o644),
    step("sleep", "any", "nanosleep", [Math.floor(1.5 * SLOWER), ((1.5 * SLOWER) % 1) * 1e9], 0),
    ...["$O/late", "$W/late", "$O/f"].map((path, at) => step(`write${at}`, AFTER_KILL, "open", path, O.creat | O.wronly | O.trunc, 0o644)),
    step("chmod", AFTER_KILL, "chmod", "$O/f", 0o400),
    step("unlink", AFTER_KILL, "unlink", "$O/f"),
    step("read", AFTER_KILL, "open", "$S/key", O.rdonly),
  ),
});

const rows: readonly Row[] = [
  {
    number: "79",
    title: "signals to the supervisor and to others",
    beside: OUTSIDE,
    after: ALIVE,
    program: python(
      `${TARGETS}
for name, pid in targets.items():
    if name == "helper" and pid == 1: continue
    for label, number in (("stop", 19), ("cont", 18), ("term", 15), ("usr1", 10), ("zero", 0), ("kill", 9)):
        if name == "outside" and label == "kill" : continue
        t(name + "-" + label, lambda: os.kill(pid, number))
    t(name + "-tgkill", lambda: sc(234, pid, pid, 18))
    t(name + "-tkill", lambda: sc(200, pid, 18))
    t(name + "-queue", lambda: sc(129, pid, 18, ctypes.create_string_buffer(struct.pack("iii", 18, 0, -1), 128)))
    t(name + "-pidfd", lambda: sc(424, sc(434, pid, 0), 18, 0, 0))
    t(name + "-group", lambda: os.kill(-os.getpgid(pid), 18) if os.getpgid(pid) != os.getpgrp() else sc(62, pid, 18))
t("own", lambda: os.kill(os.getpid(), 0))
c = subprocess.Popen(["sleep", "9"]); t("child", lambda: c.kill()); c.wait()
`,
      { ...both("stop", "term", "kill", "usr1", "tgkill", "tkill", "queue", "pidfd"), "outside-kill": "any", own: "0", child: "0" },
    ),
    check: alive,
  },
  {
    number: "79a",
    title: "signals to everybody",
    beside: OUTSIDE,
    after: ALIVE,
    status: "any",
    program: python(
      `
signal.signal(signal.SIGTERM, signal.SIG_IGN)
t("term", lambda: os.kill(-1, 15))
t("kill", lambda: os.kill(-1, 9))
time.sleep(0.3)
t("write", lambda: open(O + "/new", "w"))
`,
      { term: ["any", "any"] },
    ),
    bare: "it ends the harness, too",
    check: (seen) => [...alive(seen), ...(seen.labels.has("exit-status") ? [] : ["the supervisor was ended"])],
  },
  {
    number: "79b",
    title: "signals by a descriptor's owner and by a timer",
    beside: OUTSIDE,
    after: ALIVE,
    program: python(
      `${TARGETS}
import fcntl
for name, pid in targets.items():
    def by_owner():
        r, w = os.pipe()
        fcntl.fcntl(r, fcntl.F_SETOWN, pid); fcntl.fcntl(r, 10, signal.SIGKILL)
        fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        os.write(w, b"x"); time.sleep(0.2)
    if not (name == "helper" and pid == 1): t(name + "-owner", by_owner)
t("done", lambda: None)
`,
      { done: "0" },
    ),
    bare: "it ends the process outside",
    check: alive,
  },
  {
    number: "79c",
    title: "starving the supervisor",
    beside: OUTSIDE,
    program: python(
      `${TARGETS}
for name, pid in targets.items():
    t(name + "-before", lambda: os.getpriority(os.PRIO_PROCESS, 0)); t(name + "-nice", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
    t(name + "-affinity", lambda: os.sched_setaffinity(pid, [0]))
    t(name + "-scheduler", lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
    t(name + "-limit", lambda: sc(302, pid, 7, struct.pack("QQ", 3, 3), 0))
    t(name + "-io", lambda: sc(251, 1, pid, 3 << 13))
    t(name + "-oom", lambda: open("/proc/%d/oom_score_adj" % pid, "w").write("1000") and 0)
    t(name + "-comm", lambda: open("/proc/%d/comm" % pid, "w").write("x") and 0)
    t(name + "-refs", lambda: open("/proc/%d/clear_refs" % pid, "w").write("1") and 0)
t("now", lambda: os.getpriority(os.PRIO_PROCESS, 0)); t("own", lambda: os.setpriority(os.PRIO_PROCESS, 0, min(19, os.getpriority(os.PRIO_PROCESS, 0) + 1)))
t("user", lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19))
t("group", lambda: os.setpriority(os.PRIO_PGRP, 0, 2))
t("limit-own", lambda: sc(302, 0, 7, struct.pack("QQ", 500, 500), 0))
`,
      {
        ...Object.fromEntries(
          ["nice", "affinity", "scheduler", "limit", "io", "oom", "comm", "refs"].flatMap((name) => [
            [`outside-${name}`, ["any", "hidden"] as const],
            [`helper-${name}`, ["any", "hidden"] as const],
          ]),
        ),
        own: "0",
        user: ["any", "absent"],
        "limit-own": "0",
      },
    ),
  },
  {
    number: "81",
    title: "memory and descriptors of the supervisor and of others",
    beside: OUTSIDE,
    after: ALIVE,
    program: python(
      `${TARGETS}
b = ctypes.create_string_buffer(64)
iov = struct.pack("QQ", ctypes.addressof(b), 8)
class Remote: pass
for name, pid in targets.items():
    if name == "helper" and pid == 1: continue
    remote = struct.pack("QQ", 0x400000, 8)
    t(name + "-attach", lambda: sc(101, 16, pid, 0, 0))
    t(name + "-seize", lambda: sc(101, 0x4206, pid, 0, 0))
    t(name + "-readv", lambda: sc(310, pid, iov, 1, remote, 1, 0))
    t(name + "-writev", lambda: sc(311, pid, iov, 1, remote, 1, 0))
    t(name + "-getfd", lambda: sc(438, sc(434, pid, 0), 0, 0))
    t(name + "-kcmp", lambda: sc(312, os.getpid(), pid, 0, 0, 0))
    t(name + "-madvise", lambda: sc(440, sc(434, pid, 0), iov, 1, 4, 0))
    t(name + "-mem", lambda: os.open("/proc/%d/mem" % pid, os.O_RDWR) and 0)
    t(name + "-fd", lambda: os.open("/proc/%d/fd/1" % pid, os.O_WRONLY) and 0)
t("perf", lambda: sc(298, struct.pack("II", 1, 128) + bytes(120), -1, 0, -1, 0) and 0)
t("bpf", lambda: sc(321, 0, bytes(128), 128) and 0)
t("userfault", lambda: sc(323, 1) and 0)
`,
      {
        ...Object.fromEntries(
          ["attach", "seize", "readv", "writev", "getfd", "kcmp", "madvise", "mem", "fd"].flatMap((name) => [
            [`outside-${name}`, ["any", /^(?:EACCES|EPERM|ENOENT|ENOSYS|ESRCH)$/] as const],
            [`helper-${name}`, ["any", /^(?:EACCES|EPERM|ENOENT|ENOSYS|ESRCH)$/] as const],
          ]),
        ),
        perf: ["any", "absent"],
        bpf: ["any", "absent"],
        userfault: ["any", "absent"],
      },
    ),
    bare: "a process that is traced does not end",
    check: alive,
  },
  killedRow(
    { number: "81a", title: "the supervisor is killed from outside: nothing can be changed any more" },
    '"$NODE "*" run --beside "*',
  ),
  killedRow(
    { number: "81b", title: "the program in front of the supervisor is killed from outside: nothing can be changed any more" },
    '*"/front-"*" $NODE "*" run -P "*',
  ),
  {
    number: "83",
    title: "policy, state and record are out of reach, whatever is allowed",
    allow: ["Write(/srv/**)", "Edit(/srv/**)", "Delete(/srv/**)"],
    unchanged: ["$S"],
    setUp: (world) => writeFileSync(world.at("$HOME/old"), "old"),
    program: sh(
      `t allowed 'echo x > $HOME/old'
       P=$HOME/.agent-permissions.jsonc
       t write 'echo {} > $P'; t append 'echo " " >> $P'; t delete 'rm -f $P'; t move 'mv $P $HOME/p'; t over 'cp $HOME/old $HOME/o2; mv $HOME/o2 $P'; t link 'ln -sf $HOME/old $P'
       t through 'ln -s $P $W/l; echo {} > $W/l'; t mode 'chmod 666 $P'; t times 'touch $P'; t hard 'ln $P $W/h && echo {} > $W/h'
       t state 'echo x > $HOME/state/assent/x'; t runs 'rm -rf $HOME/state/assent/runs'; t record 'echo x >> /srv/log/events'; t profile 'mkdir -p $HOME/state/assent/profiles && echo {} > $HOME/state/assent/profiles/escape.jsonc'
       t parent 'mv $HOME/state $HOME/s2'; t home 'mv $HOME /srv/h2'; t above 'mv /srv/log /srv/l2'; t exchange 'python3 -c "
import ctypes; L = ctypes.CDLL(None, use_errno=True)
import sys; sys.exit(0 if L.renameat2(-100, b\\"/srv/home/state\\", -100, b\\"/srv/W/f\\", 2) == 0 else 1)"'
       t program 'echo >> /media/assent/dist/bin.cjs'; t project 'echo "{}" > $W/.agent-permissions.jsonc'`,
      {
        allowed: "ok",
        ...Object.fromEntries(
          [
            "write",
            "append",
            "delete",
            "move",
            "over",
            "link",
            "through",
            "mode",
            "times",
            "state",
            "record",
            "profile",
            "parent",
            "home",
            "exchange",
            "program",
          ].map((label) => [label, ["any", "refused"] as const]),
        ),
        runs: ["any", "any"],
        above: ["any", "any"],
        hard: ["any", "refused"],
        project: ["ok", "refused"],
      },
    ),
    check: ({ events }) => (events.length > 0 ? [] : ["the record is gone"]),
  },
  {
    number: "83a",
    title: "its own policy cannot be loosened by the run, nor its program be used for it",
    allow: ["Write(/srv/**)"],
    // A run inside a run joins it: what this one is denied it is denied there, too.
    deny: ["Write(/srv/O/new2)"],
    unchanged: ["$S", "$O"],
    program: sh(
      `t trust '$NODE $ASSENT trust'; t auto '$NODE $ASSENT auto on'; t respond '$NODE $ASSENT run --background-respond $W/x 1 approve'; t observe '$NODE $ASSENT run --log-only -- touch $O/new'
       t edit '$NODE $ASSENT allow "Write(/srv/O/**)"'; t env 'XDG_STATE_HOME=$W/s $NODE $ASSENT run -P -- sh -c "echo x > $O/new2"'`,
      Object.fromEntries(["trust", "respond", "observe", "edit", "env"].map((label) => [label, ["any", "failed"] as const])),
    ),
    bare: "it is what it does",
  },
  {
    number: "83b",
    title: "the disk of the state folder is full",
    prelude: "mount -t tmpfs -o size=1m,mode=777 tmpfs $HOME/state",
    beside:
      "touch /srv/ready; while [ ! -e $W/go ]; do sleep 0.05; done; dd if=/dev/zero of=$HOME/state/fill bs=4k 2>/dev/null; touch /srv/W/full",
    program: sh(
      `touch $W/go; while [ ! -e $W/full ]; do sleep 0.1; done
       t delete 'rm $W/f'; t write 'echo x > $W/new'; i=0; while [ $i -lt 300 ]; do echo x > $O/n$i; i=$((i+1)); done 2>/dev/null; t outside 'echo x > $O/new'; t read 'cat $T >/dev/null'; t secret 'cat $S/key'`,
      { delete: ["ok", "any"], write: ["ok", "any"], outside: "refused", read: "ok", secret: "hidden" },
    ),
  },
  {
    number: "85",
    title: `${Math.max(STORM, 5000)} distinct paths`,
    seconds: 200,
    program: program(["/media/storm", "paths", String(Math.max(STORM, 5000)), "$O"], {
      refused: ["0", String(Math.max(STORM, 5000))],
      other: "0",
    }),
    refused: ["open"],
    check: memoryIsFlat,
  },
  {
    number: "85a",
    title: "distinct paths in W",
    seconds: 200,
    program: program(["/media/storm", "paths", String(Math.max(STORM, 5000)), "$W"], { done: String(Math.max(STORM, 5000)), other: "0" }),
    check: memoryIsFlat,
  },
  {
    number: "87",
    title: "filters of the program's own",
    program: program(["/media/filters", "$T"], {
      "allow-all": "works",
      open: "refused",
      pretend: "works",
      unlink: "works",
      there: "yes",
      // A second listener of one tree cannot be.
      listener: ["works", /^(?:EBUSY|EACCES|EPERM|ENOSYS|EINVAL)$/],
    }),
    refused: ["open"],
  },
  {
    number: "89",
    title: "1000 processes at once, and many short ones",
    seconds: 120,
    program: sh("/media/storm bomb 1000 $W > $LOG/b; /media/storm short 3000 $W", { done: /^\d+$/, other: "0" }),
    check: memoryIsFlat,
    prelude: "touch $LOG/b; chmod 666 $LOG/b",
    allow: ["Write($LOG/b)"],
  },
  {
    number: "89a",
    title: "1000 calls at once",
    seconds: 120,
    program: program(["/media/storm", "waiting", "1000", "$O"], { done: ["1000", "0"], refused: ["0", "1000"], other: "0" }),
    refused: ["open"],
    check: memoryIsFlat,
  },
  {
    number: "89b",
    title: "processes that are killed while they wait, among newborn ones",
    seconds: 120,
    program: program(["/media/storm", "recycled", "200", "$W"], { done: /^\d+$/, other: "0" }),
    check: memoryIsFlat,
  },
];

escapes("H. Attacks on the supervisor", rows);
