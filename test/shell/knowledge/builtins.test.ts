import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { builtinEntryFor, entryFor, grammarOf } from "../../../packages/core/src/shell/knowledge/entries.ts";
import { verdictFor } from "./decide.ts";

/** What the shell prints for a script, with no program to be found. */
const told = (shell: readonly string[], script: string, input = ""): string => {
  const [command = "", ...args] = shell;
  return spawnSync(command, [...args, "-c", script], { input, env: { PATH: "/nonexistent" }, encoding: "utf8", timeout: 30_000 }).stdout;
};

const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter((word) => /^(?:[a-z_][\w-]*|[.:[])$/.test(word));

/** Words of its program that the shell itself calls a builtin. */
function probed(shell: string): readonly string[] {
  const words = [...new Set(readFileSync(shell, "latin1").match(/[a-z_.:[][a-z0-9_.-]*/g) ?? [])].filter((word) => word.length < 14);
  const lines = told(
    [shell],
    'while read -r w; do case "$(command -V "$w" 2>&1)" in *[Bb]uilt*in*) echo "$w";; esac; done',
    `${words.join("\n")}\n`,
  );
  return wordsOf(lines);
}

const SHELLS: readonly (readonly [shell: string, builtins: () => readonly string[]])[] = [
  ["/bin/bash", () => wordsOf(told(["/bin/bash"], "compgen -b"))],
  ["/bin/zsh", () => wordsOf(told(["/bin/zsh", "-f"], "print ${(k)builtins}"))],
  ["/bin/dash", () => probed("/bin/dash")],
  ["/bin/mksh", () => probed("/bin/mksh")],
  ["/bin/posh", () => probed("/bin/posh")],
  ["/bin/yash", () => probed("/bin/yash")],
  ["/bin/ksh93", () => wordsOf(told(["/bin/ksh93"], "builtin"))],
  ["/bin/busybox", () => wordsOf(told(["/bin/busybox", "sh"], "help").replace(/^[^]*-{3,}/, ""))],
];

/** The shell's own word for a list of what it is; no command. */
const NO_COMMANDS = new Set(["builtin_name", "built-in", "builtins", "utility"]);

test.each(SHELLS)("every builtin of %s has an entry", { timeout: 60_000 }, (shell, builtins) => {
  if (!existsSync(shell)) return expect(process.env["CI"]).toBeUndefined();
  const names = builtins().filter((name) => !NO_COMMANDS.has(name));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => builtinEntryFor(name) === undefined && entryFor(name) === undefined)).toEqual([]);
});

/** `read [-ers] [-a array]`: the letters, and which of them take a value. */
function optionsIn(synopsis: string): readonly (readonly [name: string, valued: boolean])[] {
  const found = [...synopsis.matchAll(/(?<=[[|\s])([-+])([A-Za-z@]+)(?: ([a-z]+))?(?=[\]|\s])/g)];
  return found.flatMap(([, sign = "", letters = "", value]) =>
    letters.split("").map((letter) => [`${sign}${letter}`, value !== undefined && letters.length === 1] as const),
  );
}

/** What the synopsis says in another way: `-o|+o option`, and the words behind `jobs -x`, which are a command. */
const VALUED: Readonly<Record<string, boolean>> = { "bind -x": true, "compopt -o": true, "jobs -x": false };

const helps = wordsOf(told(["/bin/bash"], "compgen -b")).flatMap((name) =>
  told(["/bin/bash"], `help -s '${name}'`)
    .split(/\n| or /)
    .flatMap((row) => optionsIn(`${row} `).map(([option, valued]) => ({ name, option, valued: VALUED[`${name} ${option}`] ?? valued })))
    // The folder of that number.
    .filter(({ option }) => option.slice(1) !== "N"),
);

describe("every option of every builtin of bash has an entry, with or without a value", () => {
  test.each(helps)("$name $option", ({ name, option, valued }) => {
    const entry = builtinEntryFor(name);
    if (entry === undefined) throw new Error("no entry");
    const { style, options } = grammarOf(entry);
    // Its words are read by code, or asked about whatever they are.
    if (style === "none") return;
    expect(options.get(option)?.argument).toBe(valued ? "required" : "none");
  });

  test.each(["read -Z x", "wait -z", "ulimit -Q 5", "jobs -y", "hash -z", "umask -q", "compgen -Z", "disown -z", "mapfile -q", "dirs -z"])(
    "%s is unknown, so it asks",
    (line) => {
      expect(verdictFor(line).decision).toBe("ask");
    },
  );
});
