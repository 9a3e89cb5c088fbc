import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shellPrefixProgram } from "@assent/hosts/agents/install";
import { protocol } from "@assent/hosts/agents/claude";
import { scratch } from "../scratch.ts";
import { STUBS, WAYS } from "./stubs.ts";

/** In the place of Assent: says what it was asked, and ends as a file tells it. */
const ANSWERS = `const { readFileSync, writeSync } = require("node:fs");
const words = process.argv.slice(2);
const caller = readFileSync("/proc/self/environ", "latin1").split("\\0").filter((one) => /^[A-Za-z_]/.test(one));
writeSync(1, JSON.stringify({ words, caller }) + "\\n");
process.exit(words[0] === "run" ? 7 : Number(readFileSync(__dirname + "/says", "utf8")));`;

describe.each(WAYS)("the program around commands, started by %s (%s)", (_, architecture, front) => {
  const start = (says: number, args: readonly string[], env: Record<string, string> = {}, bin = ANSWERS) => {
    const place = scratch();
    place.write(join(place.root, "dist/bin.cjs"), bin);
    place.write(join(place.root, "dist/says"), String(says));
    const file = place.write(join(place.root, "claude-shell"), "");
    const program = { node: process.execPath, folder: join(place.root, "dist"), from: STUBS };
    writeFileSync(file, shellPrefixProgram(architecture, "claude", program, place.machine));
    chmodSync(file, 0o755);
    const words = [...front, file, ...args];
    const { stdout, stderr, status, signal } = spawnSync(words[0] ?? "", words.slice(1), { env, encoding: "utf8", cwd: place.project });
    const [first = "", ...rest] = stdout.split("\n");
    return { asked: first.startsWith("{") ? (JSON.parse(first) as object) : first, rest: rest.join("\n"), stderr, status, signal, place };
  };
  const ENV = { PATH: "/usr/bin:/bin", NODE_OPTIONS: "--require=/nowhere.js", LD_PRELOAD_X: "x", A: "" };
  const asked = (place: { readonly home: string }, words: readonly string[]) => ({
    words,
    caller: [`HOME=${place.home}`, "ASSENT_CALLER=renamed"],
  });

  it("0: the shell runs it as it is, with the environment as it was", () => {
    const { asked: said, rest, status, place } = start(0, ["env | grep -e NODE_OPT -e ^LD_ -e ^A= | sort; echo $0; exit 3"], ENV);
    expect(said).toEqual(asked(place, ["shell", "claude", "--", "env | grep -e NODE_OPT -e ^LD_ -e ^A= | sort; echo $0; exit 3"]));
    expect([rest, status]).toEqual(["A=\nLD_PRELOAD_X=x\nNODE_OPTIONS=--require=/nowhere.js\n/bin/bash\n", 3]);
  });

  it("0: it is the shell itself, so signals end it", () => {
    expect(start(0, ["kill -TERM $$"], ENV).signal ?? "TERM by the emulator").toMatch(/TERM/);
  });

  it("0: what looks like an option is a command", () => {
    const { rest, stderr } = start(0, ["-x; echo ran"], ENV);
    expect([rest, stderr]).toEqual(["ran\n", expect.stringContaining("-x")]);
  });

  it.skipIf(!existsSync("/bin/zsh"))("11: zsh runs it", () => {
    expect(start(11, ["echo $ZSH_VERSION"], ENV).rest).toMatch(/^\d/);
  });

  it("10: it becomes the run that confines it", () => {
    const { asked: said, rest, status, place } = start(10, ["touch bare"], ENV);
    expect(said).toEqual(asked(place, ["shell", "claude", "--", "touch bare"]));
    expect(JSON.parse(rest)).toEqual(asked(place, ["run", "--confined", "=", "--", "touch bare"]));
    expect([status, existsSync(join(place.project, "bare"))]).toEqual([7, false]);
  });

  it.each([1, 2, 9, 12, 100, 125, 126, 127, 255])("%d: it is not started", (says) => {
    const { status, place } = start(says, ["touch bare"], ENV);
    expect([status, existsSync(join(place.project, "bare"))]).toEqual([126, false]);
  });

  it("a judge that is killed, or that is not there, starts nothing", () => {
    for (const bin of ["process.kill(process.pid, 'SIGKILL'); for (;;);", "throw new Error('broken')", "syntax error"]) {
      const { status, place } = start(0, ["touch bare"], ENV, bin);
      expect([status, existsSync(join(place.project, "bare"))]).toEqual([126, false]);
    }
  });

  it.each([[[]], [["a", "b"]]])("says how it is used: %j", (args) => {
    const { status, stderr } = start(0, args);
    expect([status, stderr]).toEqual([125, "assent: this starts a command as Assent says: claude-shell COMMAND\n"]);
  });
});

describe("what Claude Code starts for a command", () => {
  const commandIn = (text: string) => protocol.wrapping?.commandIn(text, "/home/you/.claude")?.command;
  const START = "source /home/you/.claude/shell-snapshots/snapshot-bash-1795457570723-4q9mlz.sh 2>/dev/null || true";
  const OPTIONS =
    "{ \\builtin shopt -u extglob || \\builtin setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL NO_BRACE_CCL NO_MAGIC_EQUAL_SUBST NO_EQUALS; } >/dev/null 2>&1 || true";
  const UNALIAS = "{ \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true";
  const frame = (word: string, stdin = " < /dev/null", end = " && pwd -P >| /tmp/claude-2caa-cwd") =>
    `${START} && ${OPTIONS} && ${UNALIAS} && eval ${word}${stdin}${end}`;

  /** As 2.1.330 wrote them: [the word behind eval, what follows, the command] */
  const OWN: readonly (readonly [string, string, string])[] = [
    [`'echo "a b" $HOME'`, " < /dev/null", 'echo "a b" $HOME'],
    ["pwd", " < /dev/null", "pwd"],
    [`'cat <<'"'"'E'"'"'\nit'"'"'s\nE'`, "", "cat <<'E'\nit's\nE"],
    [`'a && pwd -P >| /tmp/claude-1-cwd'`, "", "a && pwd -P >| /tmp/claude-1-cwd"],
  ];
  it.each(OWN)("%j", (word, stdin, command) => {
    expect(commandIn(frame(word, stdin))).toBe(command);
    // bash reads it as we do.
    expect(execFileSync("bash", ["-c", `printf %s ${word}`], { encoding: "utf8" })).toBe(command);
    const around = protocol.wrapping?.commandIn(frame(word, stdin), "/home/you/.claude")?.around(`it's "$x"`);
    expect(around).toBe(frame(`'it'\\''s "$x"'`, stdin));
  });

  const OTHERS = [
    "ls",
    frame("'ls'; rm -rf x"),
    frame("'ls' $(rm x)"),
    frame(`'ls'"$(rm x)"`),
    frame("ls;rm"),
    frame("$(rm)"),
    frame("'ls'", " < /dev/null; rm x"),
    frame("'ls'", "", " && pwd -P >| /tmp/claude-2caa-cwd; rm x"),
    frame("'ls'", "", " && pwd -P >| /home/you/.bashrc"),
    `rm x; ${frame("'ls'")}`,
    frame("'ls'").replace("source /home", "source $(rm x)/home"),
    frame("'ls'").replace("/home/you/.claude", "/home/you/project"),
    frame("'ls'").replace("/home/you/.claude", "/home/you/.claude/x"),
    frame("'ls'").replace("EQUALS;", "EQUALS; rm x;"),
    frame("'ls'").replace("|| true", "|| rm x"),
    frame("'ls'").replace("'which'", "'$(rm x)'"),
    `${START} && { rm x; } >/dev/null 2>&1 || true && eval 'ls' && pwd -P >| /tmp/claude-2caa-cwd`,
  ];
  it.each(OTHERS)("is nothing else: %j", (text) => {
    expect(commandIn(text)).toBeUndefined();
  });
});
