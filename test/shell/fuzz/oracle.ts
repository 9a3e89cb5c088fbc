import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Argument, ExecAction } from "../../../src/action/index.ts";

/**
 * Some programs start themselves over and over. In a PID namespace all of that ends with the time-out, which kills `unshare`
 * alone; its first process waits for whatever the shell leaves behind, as the oracle wants to hear of that, too.
 */
const CONTAINED: readonly string[] = (() => {
  const first = "unless (fork) { exec { $ARGV[0] } @ARGV } 1 while wait != -1";
  const prefix = [
    "/usr/bin/unshare",
    "--user",
    "--map-current-user",
    "--pid",
    "--fork",
    "--kill-child",
    "/usr/bin/perl",
    "-e",
    first,
    "--",
  ];
  const [command, ...args] = [...prefix, "/bin/true"];
  return spawnSync(command, args).status === 0 ? prefix : [];
})();

/**
 * What a real shell tries to start when it runs a program in an empty folder with an empty PATH: each name that is
 * not a builtin or function reaches the handler, which logs its words and exits with a status the program cannot know.
 */
export class Oracle {
  readonly folder = mkdtempSync(join(tmpdir(), "assent-fuzz-"));
  private readonly logs = mkdtempSync(join(tmpdir(), "assent-fuzz-log-"));
  private runs = 0;
  private readonly shell: "bash" | "zsh";

  constructor(shell: "bash" | "zsh") {
    this.shell = shell;
    // Folders to move in: nothing of a program leaves the folder it starts in.
    mkdirSync(join(this.folder, "d/d/d"), { recursive: true });
    symlinkSync("d/d", join(this.folder, "l"));
  }

  /** The argv of every command the shell tried to start, or undefined when it did not accept the program. */
  run(program: string, status: number): readonly (readonly string[])[] | undefined {
    // A log of its own for each run: a process that outlives its program must not write into the next one's.
    const log = join(this.logs, String(this.runs++));
    const fd = openSync(log, "w");
    // In zsh what `$'…'` stands for inside double quotes stays as it is written.
    const mark = this.shell === "bash" ? "$'\\2'" : "${(#):-2}";
    const handler = `() { builtin printf '%s\\0' "\${@//$'\\n'/${mark}}" $'\\1' >&9; builtin return $(( (${status} + $#) % 2 )); }`;
    const prelude =
      this.shell === "bash" ? `command_not_found_handle${handler}` : `command_not_found_handler${handler}; setopt no_bg_nice 2>/dev/null`;
    const shell = this.shell === "bash" ? ["/bin/bash", "--norc", "--noprofile"] : ["/bin/zsh", "-f"];
    const [command, ...args] = [...CONTAINED, ...shell, "-c", `ulimit -t 2 -f 1024 -u 4000\n${prelude}\n${program}`];
    const result = spawnSync(command, args, {
      cwd: this.folder,
      // A shell that a program starts logs alike.
      env: { PATH: "/nonexistent", HOME: "/home/u", "BASH_FUNC_command_not_found_handle%%": handler.replace(/^\(\) \{/, "() { ") },
      stdio: ["ignore", "ignore", "pipe", "ignore", "ignore", "ignore", "ignore", "ignore", "ignore", fd],
      timeout: 4000,
      killSignal: "SIGKILL",
    });
    closeSync(fd);
    const text = readFileSync(log, "latin1");
    rmSync(log);
    if (/syntax error|parse error|unexpected EOF|unmatched/.test(result.stderr.toString("latin1")) && text === "") return undefined;
    return (
      text
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

  /** True when the shell can read all of the program; it runs nothing of it. */
  accepts(program: string): boolean {
    const [command, ...args] = this.shell === "bash" ? ["/bin/bash", "--norc", "--noprofile", "-n"] : ["/bin/zsh", "-fn"];
    return spawnSync(command, [...args, "-c", program], { stdio: "ignore", env: {}, timeout: 4000, killSignal: "SIGKILL" }).status === 0;
  }

  close(): void {
    for (const folder of [this.folder, this.logs]) rmSync(folder, { recursive: true, force: true });
  }
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
