import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Argument, ExecAction } from "@assent/core/action";

/**
 * Some programs start themselves over and over. In a PID namespace all of that ends with the time-out, which kills `unshare`
 * alone; its first process waits for whatever the shell leaves behind, as the oracle wants to hear of that, too. Each program
 * leads a process group: a namespace does not part groups, and `kill 0` would end the test.
 */
const NAMESPACES = ["/usr/bin/unshare", "--user", "--map-current-user", "--pid", "--fork", "--kill-child"] as const;
const CONTAINED: readonly string[] = (() => {
  const first = "unless (fork) { setpgrp; exec { $ARGV[0] } @ARGV } 1 while wait != -1";
  const prefix = [...NAMESPACES, "/usr/bin/perl", "-e", first, "--"] as const;
  const [command, ...args] = [...prefix, "/bin/true"];
  return spawnSync(command, args).status === 0 ? prefix : [];
})();

/**
 * Runs many programs one after the other in one PID namespace, whose first process it is: each has its four seconds, and what it
 * leaves behind is waited for, then ended, before the next one starts.
 */
const SERVER = `
use POSIX qw(:fcntl_h :errno_h dup2 _exit);
die "not the first process" unless $$ == 1;
my ($folder, $count, @shell) = @ARGV;
$SIG{ALRM} = sub { kill "KILL", -1; alarm 1 };
for my $i (0 .. $count - 1) {
  open my $file, "<", "$folder/p$i" or die;
  my $program = do { local $/; <$file> };
  close $file;
  unless (fork) {
    setpgrp;
    my $null = POSIX::open("/dev/null", O_RDWR);
    my $log = POSIX::open("$folder/l$i", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    my $errors = POSIX::open("$folder/e$i", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2($log, 9);
    dup2($errors, 2);
    $_ == $null or dup2($null, $_) for 0, 1, 3 .. 8;
    exec { $shell[0] } @shell, "-c", $program;
    _exit(127);
  }
  alarm 4;
  while (1) { last if wait == -1 && $! == ECHILD }
  alarm 0;
}
`;

const COMMANDS = {
  bash: ["/bin/bash", "--norc", "--noprofile"],
  zsh: ["/bin/zsh", "-f"],
  dash: ["/bin/dash"],
  mksh: ["/bin/mksh"],
  posh: ["/bin/posh"],
  yash: ["/bin/yash", "--norc", "--noprofile"],
  ksh93: ["/bin/ksh93"],
  busybox: ["/bin/busybox", "sh"],
} as const;
export type OracleShell = keyof typeof COMMANDS;

export const isInstalled = (shell: OracleShell): boolean => existsSync(COMMANDS[shell][0]);

/** What the programs of the tests and of the generator start: shells that have no handler find each of them in their PATH. */
const PROGRAMS = ["evil", "ls", "a", "b", "c", "cat", ...Array.from({ length: 100 }, (_, i) => `q${i}`)];
const PROGRAM = String.raw`#!/usr/bin/perl
my @words = ($0 =~ s{.*/}{}r, @ARGV);
my $copies = $words[0] eq "cat" && @ARGV == 0;
if (open my $log, ">>&=", 9) { syswrite $log, join("", map { s/\n/\x02/gr . "\0" } @words) . "\x01\0" }
if ($copies) { print while <STDIN> }
exit(($ENV{ORACLE_STATUS} + @words) % 2);
`;

/**
 * What a real shell tries to start when it runs a program in an empty folder with an empty PATH: each name that is
 * not a builtin or function reaches the handler, which logs its words and exits with a status the program cannot know.
 */
export class Oracle {
  readonly folder: string;
  private readonly logs = mkdtempSync(join(tmpdir(), "assent-fuzz-log-"));
  private runs = 0;
  readonly shell: OracleShell;
  private readonly handles: boolean;
  private readonly programs = mkdtempSync(join(tmpdir(), "assent-fuzz-bin-"));

  /** `names`: files in the folder that programs start in; `folder`: that of another shell, as it is. */
  constructor(shell: OracleShell, names: readonly string[] = [], folder?: string) {
    this.shell = shell;
    this.handles = shell === "bash" || shell === "zsh";
    this.folder = folder ?? mkdtempSync(join(tmpdir(), "assent-fuzz-"));
    // Builtins of some shells are programs in others.
    if (!this.handles) for (const name of ["printf", "test", "["]) symlinkSync(`/usr/bin/${name}`, join(this.programs, name));
    for (const name of names) writeFileSync(join(this.folder, name), "");
    if (!this.handles) for (const name of PROGRAMS) writeFileSync(join(this.programs, name), PROGRAM, { mode: 0o755 });
    if (folder !== undefined) return;
    // Folders to move in: nothing of a program leaves the folder it starts in.
    mkdirSync(join(this.folder, "d/d/d"), { recursive: true });
    symlinkSync("d/d", join(this.folder, "l"));
  }

  /** The argv of every command the shell tried to start, or undefined when it did not accept the program. */
  run(program: string, status: number): readonly (readonly string[])[] | undefined {
    // A log of its own for each run: a process that outlives its program must not write into the next one's.
    const log = join(this.logs, String(this.runs++));
    const fd = openSync(log, "w");
    const [command, ...args] = [...CONTAINED, ...this.command(), "-c", this.script(program, status)];
    const result = spawnSync(command, args, {
      cwd: this.folder,
      env: this.environment(status),
      stdio: ["ignore", "ignore", "pipe", "ignore", "ignore", "ignore", "ignore", "ignore", "ignore", fd],
      timeout: 4000,
      killSignal: "SIGKILL",
    });
    closeSync(fd);
    const text = readFileSync(log, "latin1");
    rmSync(log);
    return argvsOf(text, result.stderr.toString("latin1"));
  }

  /** The same for many programs, in a tenth of the time where the kernel gives namespaces. */
  runAll(
    programs: readonly { readonly program: string; readonly status: number }[],
  ): readonly (readonly (readonly string[])[] | undefined)[] {
    if (CONTAINED.length === 0) return programs.map(({ program, status }) => this.run(program, status));
    const folder = join(this.logs, `many-${this.runs++}`);
    mkdirSync(folder);
    programs.forEach(({ program, status }, i) => writeFileSync(join(folder, `p${i}`), this.script(program, status)));
    const [command, ...args] = [...NAMESPACES, "/usr/bin/perl", "-e", SERVER, folder, String(programs.length), ...this.command()];
    const result = spawnSync(command, args, {
      cwd: this.folder,
      env: this.environment(0),
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 6000 * programs.length,
      killSignal: "SIGKILL",
    });
    if (result.status !== 0) throw new Error(`the programs were not all run: ${result.stderr.toString("latin1")}`);
    const found = programs.map((_, i) =>
      argvsOf(readFileSync(join(folder, `l${i}`), "latin1"), readFileSync(join(folder, `e${i}`), "latin1")),
    );
    rmSync(folder, { recursive: true });
    return found;
  }

  private handler(status: number): string {
    // In zsh what `$'…'` stands for inside double quotes stays as it is written, and a word of a function may go on behind a NUL.
    const words = this.shell === "bash" ? "${@//$'\\n'/$'\\2'}" : "${(@)${(@)@%%${(#):-0}*}//$'\\n'/${(#):-2}}";
    return `() { builtin printf '%s\\0' "${words}" $'\\1' >&9; builtin return $(( (${status} + $#) % 2 )); }`;
  }

  private script(program: string, status: number): string {
    const handler = this.shell === "bash" ? "command_not_found_handle" : "command_not_found_handler";
    // One program really reads and prints, as those in a substitution do.
    const copy = `[[ $# != 0 ]] || while IFS= builtin read -r l || [[ -n $l ]]; do builtin printf '%s\\n' "$l"; done`;
    const cat = `cat() { ${handler} cat "$@"; builtin local s=$? l; ${copy}; builtin return $s; }`;
    const more = [...(program.includes("cat") ? [cat] : []), ...(this.shell === "zsh" ? ["setopt no_bg_nice 2>/dev/null"] : [])];
    if (!this.handles) return `ulimit -t 2; ulimit -f 1024\nexport ORACLE_STATUS=${status}\n${program}`;
    const prelude = [`${handler}${this.handler(status)}`, ...more].join("; ");
    return `ulimit -t 2 -f 1024 -u 4000\n${prelude}\n${program}`;
  }

  private command(): readonly [string, ...string[]] {
    return COMMANDS[this.shell];
  }

  /** A shell that a program starts logs alike. */
  private environment(status: number): Record<string, string> {
    return {
      PATH: this.handles ? "/nonexistent" : this.programs,
      HOME: "/home/u",
      "BASH_FUNC_command_not_found_handle%%": this.handler(status).replace(/^\(\) \{/, "() { "),
    };
  }

  /** True when the shell can read all of the program; it runs nothing of it. */
  accepts(program: string): boolean {
    const [command, ...args] = this.command();
    return (
      spawnSync(command, [...args, "-n", "-c", program], { stdio: "ignore", env: {}, timeout: 4000, killSignal: "SIGKILL" }).status === 0
    );
  }

  close(): void {
    for (const folder of [this.folder, this.logs, this.programs]) rmSync(folder, { recursive: true, force: true });
  }
}

function argvsOf(log: string, errors: string): readonly (readonly string[])[] | undefined {
  if (/syntax error|parse error|unexpected EOF|unmatched/.test(errors) && log === "") return undefined;
  return (
    log
      .split("\u0001\0")
      .filter((entry) => entry !== "")
      // Shells flush at a newline; without one an entry is a single write.
      .map((entry) =>
        entry
          .split("\0")
          .slice(0, -1)
          .map((word) => word.replaceAll("\u0002", "\n")),
      )
  );
}

/** True when this exec action can be the command that really ran. */
export function couldBe(action: ExecAction, argv: readonly string[]): boolean {
  return matches(action.argv, argv);
}

/** An unknown that may be several words has its prefix on the first of them only. */
function matches(pattern: readonly Argument[], argv: readonly string[], inside = false): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return argv.length === 0;
  const [word, ...others] = argv;
  if (!first.known && first.many && (inside || first.prefix === "") && matches(rest, argv)) return true;
  if (word === undefined) return false;
  const fits = first.known
    ? Buffer.from(first.text, "utf8").toString("latin1") === word
    : inside || word.startsWith(Buffer.from(first.prefix, "utf8").toString("latin1"));
  if (!fits) return false;
  return matches(rest, others) || (!first.known && first.many && matches(pattern, others, true));
}
