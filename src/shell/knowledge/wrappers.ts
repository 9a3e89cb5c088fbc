import { NO_OTHERS, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

const HELP = "-h --help -> stop; -V --version -> stop";

/**
 * Programs whose job is to run another command, with other rights, in another place or at another priority.
 * `argv` is that command; its default is what runs when none is given (`env` prints the environment: printenv).
 * Facts: their manual pages, util-linux 2.38, coreutils 9.1, reference 3.1.
 */
export const wrappers: readonly CommandSpec[] = [
  {
    names: "env genv",
    before: "env-removes",
    reads: NO_OTHERS,
    summary: "runs a command in a changed environment, or prints it",
    style: "posix",
    // -S is split like a command line; operands after it are further arguments, which nothing here can join: not understood.
    options: rows(`
      -i - --ignore-environment; -0 --null; -u --unset=text; -C --chdir=dir; -a --argv0=refuse; -S --split-string=shell -> drop command
      --block-signal[=text]; --default-signal[=text]; --ignore-signal[=text]; --list-signal-handling; -v --debug; -P=refuse
      --help -> stop; --version -> stop`),
    operands: "env* command:argv?=printenv",
    examples: {
      allow: ["env ls", "env -i ls", "env CI=1 NODE_ENV=test ls -la", "env -u FOO -- ls", "env -C src ls"],
      ask: [
        "env",
        "env -0",
        "env FOO=1",
        "env -S 'rm -rf' src",
        "env LD_PRELOAD=./evil.so ls",
        "env -a x ls",
        "env -i bash -c ls",
        "env -u PATH sh -c ls",
      ],
      none: ["env ./evil"],
      deny: [
        "env - rm -rf ~",
        "env rm -rf ~",
        "env -S 'rm -rf ~'",
        "env --split-string='rm -rf ~'",
        "env -- A=1 rm -rf ~",
        "env -iu X rm -rf ~",
      ],
    },
  },
  {
    names: "timeout gtimeout",
    reads: NO_OTHERS,
    style: "posix",
    options: rows(
      "--preserve-status; --foreground; -v --verbose; -k --kill-after=text; -s --signal=text; --help -> stop; --version -> stop; -p; -f",
    ),
    operands: "text command:argv",
    examples: {
      allow: ["timeout 5 ls", "timeout -k 1 -s KILL 5s git status", "timeout --foreground 5 ls"],
      none: ["timeout 5 ./evil"],
      deny: ["timeout 5 rm -rf ~", "timeout -s9 5 rm -rf ~"],
    },
  },
  {
    names: "nice",
    reads: NO_OTHERS,
    style: "posix",
    options: rows("-n --adjustment=text; -1..-9; --help -> stop; --version -> stop"),
    operands: "command:argv?=true",
    examples: {
      allow: ["nice", "nice ls", "nice -n 5 ls", "nice -10 ls"],
      deny: ["nice -n 5 rm -rf ~", "nice -15 rm -rf ~", "nice --adj=5 rm -rf ~"],
    },
  },
  {
    names: "ionice",
    reads: NO_OTHERS,
    style: "posix",
    options: rows(
      `-c --class=text; -n --classdata=text; -t --ignore; -p --pid=text -> drop command, process; -P --pgid=text -> drop command, process; -u --uid=text -> drop command, process; ${HELP}`,
    ),
    operands: "command:argv?=true",
    examples: { allow: ["ionice -c 3 ls"], ask: ["ionice -c 3 -p 1"], deny: ["ionice -c3 -t rm -rf ~"] },
  },
  {
    names: "chrt",
    reads: NO_OTHERS,
    style: "posix",
    // With -b, -d, -i and -o newer versions take no priority: a word that is no number may be the command.
    options: rows(`
      -b --batch; -d --deadline; -i --idle; -o --other; -f --fifo; -r --rr; -R --reset-on-fork; -T --sched-runtime=text; -P --sched-period=text
      -D --sched-deadline=text; -v --verbose; -a --all-tasks; -m --max -> stop; -p --pid -> argv becomes text, process; ${HELP}`),
    operands: "number command:argv?",
    examples: {
      allow: ["chrt -f 10 ls", "chrt -b 0 ls", "chrt -m"],
      ask: ["chrt -p 10 1", "chrt -o rm ls"],
      deny: ["chrt -r 5 rm -rf ~", "chrt --batch 0 rm -rf ~"],
    },
  },
  {
    names: "taskset",
    reads: NO_OTHERS,
    style: "posix",
    options: rows(`-a --all-tasks; -c --cpu-list; -p --pid -> argv becomes text, process; ${HELP}`),
    operands: "text command:argv?",
    examples: { allow: ["taskset -c 0 ls", "taskset 0x1 ls"], ask: ["taskset -p 1 2"], deny: ["taskset -c 0 rm -rf ~"] },
  },
  {
    names: "setarch",
    reads: NO_OTHERS,
    style: "posix",
    // An architecture comes first or not at all; after an option there is none.
    options: rows(`
      -B --32bit -> drop arch; -F --fdpic-funcptrs -> drop arch; -I --short-inode -> drop arch; -L --addr-compat-layout -> drop arch
      -R --addr-no-randomize -> drop arch; -S --whole-seconds -> drop arch; -T --sticky-timeouts -> drop arch; -X --read-implies-exec -> drop arch
      -Z --mmap-page-zero -> drop arch; -3 --3gb -> drop arch; -v --verbose -> drop arch; --uname-2.6 -> drop arch; --list -> stop; ${HELP}`),
    operands: "arch:word command:argv?=sh",
    examples: {
      allow: ["setarch x86_64 ls", "setarch -R ls"],
      deny: ["setarch x86_64 rm -rf ~", "setarch -R rm -rf ~"],
      ask: ["setarch -R rm ls"],
    },
  },
  {
    names: "linux32 linux64 i386 i686 x86_64 uname26",
    reads: NO_OTHERS,
    style: "posix",
    options: rows(`-B --32bit; -I --short-inode; -L --addr-compat-layout; -R --addr-no-randomize; -v --verbose; -3 --3gb; ${HELP}`),
    operands: "command:argv?=sh",
    examples: { allow: ["linux64 ls"], deny: ["linux32 rm -rf ~"] },
  },
  {
    names: "prlimit",
    reads: NO_OTHERS,
    style: "posix",
    options: rows(`
      -p --pid=text -> process; -o --output=text; --noheadings; --raw; --verbose; -c --core[=text]; -d --data[=text]; -e --nice[=text]; -f --fsize[=text]
      -i --sigpending[=text]; -l --memlock[=text]; -m --rss[=text]; -n --nofile[=text]; -q --msgqueue[=text]; -r --rtprio[=text]; -s --stack[=text]
      -t --cpu[=text]; -u --nproc[=text]; -v --as[=text]; -x --locks[=text]; -y --rttime[=text]; ${HELP}`),
    operands: "command:argv?=true",
    examples: { allow: ["prlimit", "prlimit --nofile=64 ls"], ask: ["prlimit --pid 1 --nofile=1"], deny: ["prlimit --cpu=1 rm -rf ~"] },
  },
  {
    names: "choom uclampset",
    reads: NO_OTHERS,
    style: "posix",
    options: rows(`-n --adjust=text; -m=text; -M=text; -s; -a; -R; -v; -p --pid=text -> process; ${HELP}`),
    operands: "command:argv?=true",
    examples: { allow: ["choom -n 100 ls"], deny: ["choom -n 1 -- rm -rf ~"] },
  },
  {
    names: "stdbuf gstdbuf",
    reads: NO_OTHERS,
    style: "posix",
    options: rows("-i --input=text; -o --output=text; -e --error=text; --help -> stop; --version -> stop"),
    operands: "command:argv",
    examples: { allow: ["stdbuf -oL ls", "stdbuf --output=L ls"], deny: ["stdbuf -oL rm -rf ~", "stdbuf -o L -e 0 rm -rf ~"] },
  },
  {
    names: "nohup",
    reads: NO_OTHERS,
    style: "posix",
    options: "--help -> stop\n--version -> stop",
    operands: "command:argv",
    examples: { allow: ["nohup ls"], deny: ["nohup rm -rf ~", "nohup -- rm -rf ~"], none: ["nohup ./evil &"] },
  },
  {
    names: "setsid",
    reads: NO_OTHERS,
    style: "posix",
    options: rows(`-c --ctty; -f --fork; -w --wait; ${HELP}`),
    operands: "command:argv",
    examples: { allow: ["setsid ls"], deny: ["setsid -f rm -rf ~", "setsid --wait rm -rf ~"] },
  },
  {
    names: "time gtime",
    reads: NO_OTHERS,
    summary: "measures a command (the program; the keyword is grammar)",
    style: "posix",
    options: rows(
      "-a --append; -p --portability; -q --quiet; -v --verbose; -l; -h; -o --output=write; -f --format=text; --help -> stop; --version -> stop",
    ),
    operands: "command:argv",
    examples: {
      allow: ["/usr/bin/time ls", "/usr/bin/time -v ls"],
      ask: ["/usr/bin/time -o x ls"],
      deny: ["/usr/bin/time -f %e rm -rf ~"],
    },
  },
  {
    names: "xargs gxargs",
    reads: NO_OTHERS,
    summary: "runs a command with arguments from standard input",
    style: "posix",
    options: rows(`
      -0 --null; -o --open-tty; -p --interactive; -r --no-run-if-empty; -t --verbose; -x --exit; --show-limits; -a --arg-file=read; -d --delimiter=text
      -E=text; -e --eof[=text]; -I=text; -i --replace[=text]; -L=text; -l --max-lines[=text]; -n --max-args=text; -P --max-procs=text; -s --max-chars=text
      --process-slot-var=text; -J=text; -R=text; -S=text; --help -> stop; --version -> stop`),
    analyse: "xargs",
    examples: {
      allow: ["ls src | xargs -n1 echo", "echo a.txt | xargs"],
      ask: ["xargs -a a.txt -n 1 rm -rf", "ls | xargs rm", "git ls-files | xargs wc -l"],
      deny: ["echo ~ | xargs rm -rf", "xargs sh -c 'rm -rf ~'", "xargs -I{} rm -rf ~"],
    },
  },
  {
    names: "parallel",
    upkeep: ["write ~/.parallel/tmp/**", "write ~/.parallel/semaphores/**"],
    summary: "runs shell lines made from a template and inputs",
    style: "posix",
    // `parallel` (analyser): the template ends at `:::`, `:::+`, `::::`; without one the inputs are the commands.
    options: rows(`
      -0 --null; -a --arg-file=read; -j --jobs --max-procs -P=text; -k --keep-order; -n --max-args=text; -N=text; -I=text; -i --replace[=text]; -q --quote; -u --ungroup
      --line-buffer --lb; --bar; --eta; --progress; --dry-run --dryrun; --halt=text; --timeout=text; --retries=text; -t --verbose; -v; -d --delimiter=text
      -C --colsep=text; -X; -m; -r --no-run-if-empty; --tag; --will-cite; --citation -> stop; --pipe; --shuf; -h --help -> stop; -V --version -> stop`),
    analyse: "parallel",
    examples: {
      allow: ["parallel ls ::: src a.txt", "parallel ls {} < a.txt"],
      ask: ["parallel", "ls | parallel rm"],
      deny: ["parallel rm -rf ::: ~", "parallel 'rm -rf ~' ::: a", "parallel ::: ls 'rm -rf ~'", "parallel rm -rf {} ::: a ~"],
    },
  },
  {
    names: "watch",
    reads: NO_OTHERS,
    style: "posix",
    options: rows(
      "-b --beep; -c --color; -C --no-color; -d --differences[=text]; -e --errexit; -g --chgexit; -p --precise; -t --no-title; -w --no-wrap; -r --no-rerun; -x --exec -> shell becomes argv; -n --interval=text; -q --equexit=text; -h --help -> stop; -v --version -> stop",
    ),
    operands: "shell+",
    examples: {
      allow: ["watch -n 1 ls -la", "watch 'git status | head'", "watch -x ls"],
      deny: ["watch rm -rf ~", "watch -n1 'rm -rf ~'", "watch -xd rm -rf ~", "watch 'ls; rm -rf ~'"],
    },
  },
  {
    names: "script",
    reads: NO_OTHERS,
    summary: "records a terminal session",
    style: "gnu",
    // Without a command it runs a shell, which reads standard input.
    options: rows(`
      -a --append; -e --return; -f --flush; --force; -q --quiet; -c --command=shell -> drop shell; -I --log-in=write -> drop log; -O --log-out=write -> drop log
      -B --log-io=write -> drop log; -T --log-timing=write; -t --timing[=write]; -m --logging-format=text; -E --echo=text; -o --output-limit=text; ${HELP}`),
    operands: "log:write?=typescript",
    effects: "terminal",
    examples: { ask: ["script", "script -q -c ls x.log"], deny: ["script -qc 'rm -rf ~' /dev/null", "script --command='rm -rf ~'"] },
  },
  {
    names: "flock",
    reads: NO_OTHERS,
    style: "posix",
    // `flock` (analyser): `FILE -c STRING` is a shell line; a number alone is a descriptor.
    options: rows(
      `-s --shared; -x -e --exclusive; -u --unlock; -n --nb --nonblock; -w --wait --timeout=text; -E --conflict-exit-code=text; -o --close; -F --no-fork; --verbose; --fcntl; -c --command=shell; ${HELP}`,
    ),
    analyse: "flock",
    examples: {
      ask: ["flock x.lock ls"],
      deny: ["flock /tmp/l -c 'rm -rf ~'", "flock -n /tmp/l rm -rf ~", "flock -w 5 /tmp/l --command 'rm -rf ~'"],
    },
  },
];
