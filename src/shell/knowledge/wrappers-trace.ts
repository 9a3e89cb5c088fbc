import { NO_OTHERS, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

const HELP = "-h --help -> stop; -V --version -> stop";

/** Programs that watch, measure or debug the command they run. */
export const wrapperTrace: readonly CommandSpec[] = [
  {
    names: "assent",
    summary: "runs a command under supervision",
    style: "posix",
    options: "--debug\n--help -> stop\n-V --version -> stop",
    examples: { allow: ["assent --version"], none: ["assent explain x"] },
    subcommands: {
      // Options that loosen, or write files, are the floor's (policy/floor-commands.ts).
      run: {
        style: "posix",
        options: rows("-P --no-prompt; --json; -q --quiet; --debug; --skill; --list; --help -> stop"),
        operands: "command:argv?",
        examples: {
          allow: ["assent run ls", "assent run -Pq -- git status"],
          none: ["assent run npm test"],
          ask: ["assent run git push --force", "assent run --frobnicate ls"],
          deny: ["assent run rm -rf ~", "assent run -P -- sh -c 'rm -rf ~'", "assent run --log-only ls", "assent run -o x ls"],
        },
      },
      // The gateway starts the server; nothing supervises it.
      mcp: {
        style: "posix",
        options: rows("--name=text; --help -> stop"),
        operands: "command:argv?",
        examples: {
          none: ["assent mcp -- ./server"],
          ask: ["assent mcp --policy x -- ls"],
          deny: ["assent mcp -- rm -rf ~", "assent mcp --name x sh -c 'rm -rf ~'"],
        },
      },
    },
  },
  {
    names: "strace",
    reads: NO_OTHERS,
    style: "posix",
    // `-o '|cmd'` and `-o '!cmd'` run a command.
    options: rows(`
      -e=text; -E --env=env; -p --attach=text -> process; -u --user=text -> privilege; -b --detach-on=text; -D; --daemonize[=text]; -f --follow-forks
      -I --interruptible=text; --trace=text; --signal=text; --status=text; -P --trace-path=text; -z --successful-only; -Z --failed-only; -a --columns=text
      --abbrev=text; --verbose=text; --raw=text; --read=text; --write=text; --quiet[=text]; --decode-fds[=text]; -i --instruction-pointer; -k --stack-traces
      -n --syscall-number; -o --output=refuse; -A --output-append-mode; --output-separately; -q; -r --relative-timestamps[=text]; -s --string-limit=text
      --absolute-timestamps[=text]; -t; -T --syscall-times[=text]; -v --no-abbrev; -x; --strings-in-hex[=text]; -X --const-print-style=text; -y; -yy; -Y
      --decode-pids=text; -c --summary-only; -C --summary; -O --summary-syscall-overhead=text; -S --summary-sort-by=text; -U --summary-columns=text
      -w --summary-wall-clock; --inject=refuse; --fault=refuse; --seccomp-bpf; --tips[=text]; ${HELP}`),
    operands: "command:argv?",
    examples: {
      allow: ["strace ls", "strace -f -e trace=openat ls"],
      ask: ["strace -o '|evil' ls", "strace -o x ls", "strace -p 1", "strace -u root ls"],
      deny: ["strace rm -rf ~", "strace -fc rm -rf ~"],
    },
  },
  {
    names: "ltrace",
    style: "posix",
    options: rows(
      "-c; -C; -f; -i; -L; -n=text; -o --output=refuse; -p=text -> process; -r; -s=text; -S; -t; -T; -u=text -> privilege; -e=text; -x=text; -a=text; -l=text; -h --help -> stop; -V --version -> stop",
    ),
    operands: "command:argv?",
    examples: { allow: ["ltrace ls"], ask: ["ltrace -o x ls", "ltrace -u root ls"], deny: ["ltrace -f rm -rf ~"] },
  },
  {
    names: "perf",
    style: "posix",
    options: "-v --version -> stop\n-h --help -> stop",
    examples: { allow: ["perf --version"] },
    subcommands: {
      "stat|record|trace": {
        style: "posix",
        options: rows(
          "-e --event=text; -a --all-cpus -> process; -p --pid=text -> process; -t --tid=text -> process; -g; --call-graph=text; -F --freq=text; -o --output=write; -r --repeat=text; -d --detailed; -x --field-separator=text; -q --quiet; -v --verbose; -s --summary; --pre=shell; --post=shell",
        ),
        operands: "command:argv?",
        effects: "write perf.data",
        examples: { ask: ["perf stat ls", "perf record -g ls"], deny: ["perf stat rm -rf ~", "perf stat --pre 'rm -rf ~' ls"] },
      },
      "report|annotate": {
        style: "gnu",
        options: rows("-i --input=read; --stdio; -n; -g; --sort=text; --no-children"),
        operands: "text*",
        examples: { allow: ["perf report --stdio"] },
      },
      list: { style: "gnu", operands: "text*", examples: { allow: ["perf list"] } },
    },
  },
  {
    names: "valgrind",
    upkeep: ["write /tmp/vgdb-*"],
    style: "posix",
    options: rows(
      "--tool=text; --leak-check[=text]; --track-origins[=text]; --show-leak-kinds[=text]; --error-exitcode[=text]; -q --quiet; -v --verbose; --log-file[=write]; --xml[=text]; --xml-file[=write]; --trace-children[=text]; --num-callers[=text]; --gen-suppressions[=text]; --suppressions[=read]; --callgrind-out-file[=write]; -h --help -> stop; --version -> stop",
    ),
    operands: "command:argv",
    examples: { allow: ["valgrind --leak-check=full ls"], ask: ["valgrind --log-file=x ls"], deny: ["valgrind -q rm -rf ~"] },
  },
  {
    names: "rr",
    style: "posix",
    options: "--help -> stop\n--version -> stop",
    subcommands: {
      record: {
        style: "posix",
        options: "-n\n-h",
        operands: "command:argv",
        effects: "write ~/.local/share/rr",
        examples: { ask: ["rr record ls"], deny: ["rr record rm -rf ~"] },
      },
    },
    examples: { allow: ["rr --version"] },
  },
  {
    names: "gdb lldb",
    style: "words",
    options: rows(`
      -batch; -batch-silent; -q -quiet -silent; -nx; -nh; -ex -eval-command -o -O=foreign/gdb; -iex -init-eval-command=foreign/gdb; -x -command -s=script/gdb
      -ix -init-command=script/gdb; -p -pid=text -> process; -c -core=read; -args; -n; -h -help -> stop; -v -version -> stop`),
    operands: "execute? text*",
    effects: "terminal",
    examples: { deny: ["gdb -batch -ex 'shell rm -rf ~'"], ask: ["gdb -p 1", "lldb -o 'platform shell id'"], allow: ["gdb --version"] },
  },
];
