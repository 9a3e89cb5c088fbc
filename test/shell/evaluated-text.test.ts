import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { lowerShell, type ShellKind } from "@assent/core/shell";
import { builtinEntryFor, entriesBelow, entryFor, grammarOf } from "../../packages/core/src/shell/knowledge/entries.ts";
import { SAMPLE, sampled } from "../sampled.ts";
import { smallWorld } from "./world.ts";

/**
 * Every builtin with every option, in every spelling, given a text that runs `evil` where it is evaluated, and a file of that name: what a
 * real shell starts must be reported or called unknown.
 */
const folder = mkdtempSync(join(tmpdir(), "assent-evaluated-"));
const bin = mkdtempSync(join(tmpdir(), "assent-evaluated-bin-"));
const mark = join(bin, "mark");
afterAll(() => [folder, bin].forEach((path) => rmSync(path, { recursive: true, force: true })));
writeFileSync(join(bin, "evil"), `#!/bin/sh\necho "$MARK" >> ${mark}\n`, { mode: 0o755 });
const HIDDEN = "a[$(evil)]";
writeFileSync(join(folder, HIDDEN), "");

/** They end the shell, or wait for somebody. */
const ALONE = new Set(["exec", "exit", "logout", "suspend", "return", "break", "continue", "kill", "bye", "fg", "bg", "sleep", "wait"]);

/** Where the text stands, beside words that let the builtin go on. */
const TEXTS = [
  [`'${HIDDEN}'`],
  [
    `'${HIDDEN}' 1`,
    `1 '${HIDDEN}'`,
    `x '${HIDDEN}'`,
    `'${HIDDEN}' -eq 1`,
    `1 -lt '${HIDDEN}'`,
    `-v '${HIDDEN}'`,
    `-t '${HIDDEN}'`,
    `'${HIDDEN}=1'`,
  ],
  ["*", "x *", "-- *"],
].flat();

function linesFor(name: string): readonly string[] {
  const entry = builtinEntryFor(name);
  const letters = entry === undefined ? [] : [...grammarOf(entry).options].filter(([one]) => /^[-+][A-Za-z@]$/.test(one));
  const flag = letters.find(([, { argument }]) => argument === "none")?.[0];
  const spelled = letters.flatMap(([one, { argument }]) => [
    ...TEXTS.slice(0, 3).map((text) => `${name} ${one} ${text}`),
    `${name} ${one}'${HIDDEN}' x`,
    ...(flag === undefined || flag[0] !== one[0] ? [] : [`${name} ${flag}${one.slice(1)} '${HIDDEN}'`]),
    ...(argument === "none" ? [] : [`${name} ${one} 1 '${HIDDEN}'`, `${name} ${one}* x`, `${name} ${one} * x`]),
    `${name} ${one} *`,
  ]);
  return [...TEXTS.map((text) => `${name} ${text}`), ...spelled];
}

const builtin = entryFor("builtin");
const names = (builtin === undefined ? [] : entriesBelow(builtin))
  .flatMap(({ keys }) => keys)
  .filter((name) => name !== "-" && name !== "repeat");
const LINES = sampled(names.flatMap(linesFor), 10).map(
  (line) => `${ALONE.has(line.split(" ", 1)[0] ?? "") ? `(${line})` : line} < /dev/null`,
);

const SHELLS: readonly (readonly [shell: readonly string[], kind: ShellKind])[] = [
  [["/bin/bash", "--norc"], "bash"],
  [["/bin/bash", "--norc"], "any"],
  [["/bin/zsh", "-f"], "any"],
  [["/bin/dash"], "sh"],
  [["/bin/mksh"], "sh"],
  [["/bin/posh"], "sh"],
  [["/bin/yash"], "sh"],
  [["/bin/ksh93"], "sh"],
  [["/bin/busybox", "sh"], "sh"],
];

/** The lines for which the shell starts `evil`: each in a subshell of one process. */
function evilIn([command = "", ...args]: readonly string[], lines: readonly string[]): readonly string[] {
  writeFileSync(mark, "");
  const quote = (line: string): string => `'${line.replaceAll("'", "'\\''")}'`;
  const script = lines.map((line, i) => `(MARK=${i}; export MARK; eval ${quote(line)}) < /dev/null`).join("\n");
  writeFileSync(join(bin, "script"), `a=1 x=1\n${script}\n`);
  const options = { cwd: folder, env: { PATH: bin, HOME: folder }, timeout: 60_000, killSignal: "SIGKILL" } as const;
  spawnSync(command, [...args, join(bin, "script")], { ...options, stdio: "ignore" });
  return [...new Set(readFileSync(mark, "utf8").split("\n"))].flatMap((at) => (at === "" ? [] : [lines[Number(at)] ?? ""]));
}

const world = smallWorld({ cwd: folder, projectRoot: folder, files: { [folder]: "directory", [`${folder}/${HIDDEN}`]: "file" } });

test.each(SHELLS)(`%s runs nothing hidden in a text that %s calls understood (${SAMPLE})`, { timeout: 300_000 }, (shell, kind) => {
  if (!existsSync(shell[0] ?? "")) return expect(process.env["CI"]).toBeUndefined();
  const understood = LINES.filter((line) => {
    const { actions, unknowns } = lowerShell(`a=1 x=1\n${line}`, { world, shell: kind });
    return unknowns.length === 0 && !actions.some((action) => action.kind === "exec" && action.program === "evil");
  });
  expect(understood.length).toBeGreaterThan(LINES.length / 50);
  // The last shows that all of them were run, and that the oracle hears of it.
  expect(evilIn(shell, [...understood, "evil"])).toEqual(["evil"]);
});
