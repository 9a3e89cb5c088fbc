import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allEntries, grammarOf, type KnowledgeEntry, type Grammar } from "@assent/core/shell/knowledge";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "../world.ts";

/**
 * Every option of every wrapper that is installed, in front of decoys: programs that only write down that they started.
 * What starts must be what was predicted, or the line must be one that no allow rule for the wrapper answers.
 *
 *     node scripts/run.mjs test/shell/wrappers/run.ts [NAME…]
 */

/** Decoys are numbers (a pid, a size, a time) or words; either is a program and a file, too. */
const DECOYS = [
  ["5", "6", "7", "8"],
  ["d1", "d2", "d3", "d4"],
] as const;
/** They start nothing but through a daemon, or would wait for one. */
const LEFT_OUT = new Set(["systemd-run", "systemd-inhibit", "systemd-cat", "assent", "gdb", "lldb", "rr", "nodemon", "chokidar", "perf"]);

const startsCommands = (grammar: Grammar): boolean =>
  grammar.slots?.some(({ kind }) => kind.is === "argv" || kind.is === "shell") === true ||
  [...grammar.options.values()].some(({ kind }) => kind.is === "argv");

function isWrapper(entry: KnowledgeEntry): boolean {
  if (entry.analyse === "xargs" || entry.analyse === "parallel" || entry.analyse === "flock") return true;
  return entry.rows.subcommands === undefined && startsCommands(grammarOf(entry));
}

const found = (name: string): boolean => spawnSync("sh", ["-c", 'command -v -- "$0"', name]).status === 0;

function longOptions(name: string, entry: KnowledgeEntry): readonly string[] {
  const { stdout, stderr } = spawnSync(name, ["--help"], { encoding: "utf8", timeout: 3000, input: "" });
  const manual = spawnSync("sh", ["-c", 'man -P cat "$0" 2>/dev/null | col -b', name], { encoding: "utf8", timeout: 10_000 }).stdout;
  const listed = [...grammarOf(entry).options.keys()].filter((option) => option.startsWith("--"));
  const seen = `${stdout}\n${stderr}\n${manual}`.match(/(?<![\w-])--[a-z][\w.-]+/g) ?? [];
  return [...new Set([...listed, ...seen])].filter((option) => option !== "--help" && option !== "--version");
}

function linesFor(name: string, entry: KnowledgeEntry): readonly string[] {
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".split("").map((letter) => `-${letter}`);
  const options = [...letters, ...longOptions(name, entry)];
  return DECOYS.flatMap((decoys) => {
    const [first, ...rest] = decoys;
    const all = decoys.join(" ");
    return [
      `${name} ${all}`,
      `${name} -- ${all}`,
      ...options.flatMap((option) => [
        `${name} ${option} ${all}`,
        `${name} ${option}${option.startsWith("--") ? "=" : ""}${first} ${rest.join(" ")}`,
        // Abbreviated, and behind an operand.
        ...(option.startsWith("--") && option.length > 6 ? [`${name} ${option.slice(0, -1)} ${all}`] : []),
        `${name} ${first} ${option} ${rest.join(" ")}`,
      ]),
    ];
  });
}

/** Runs lines in namespaces of their own; says for each which decoys started. */
function observe(lines: readonly string[]): readonly (readonly string[])[] {
  const scratch = mkdtempSync(join(tmpdir(), "assent-wrappers-"));
  try {
    mkdirSync(join(scratch, "bin"));
    mkdirSync(join(scratch, "work"));
    const started = join(scratch, "started");
    for (const decoy of DECOYS.flat()) {
      const path = join(scratch, "bin", decoy);
      writeFileSync(path, `#!/bin/sh\necho "\${0##*/}" >> ${started}\n`);
      chmodSync(path, 0o755);
    }
    writeFileSync(join(scratch, "lines"), `${lines.join("\n")}\n`);
    // The file systems are read-only but for the scratch folder: an option may name a file to write.
    const driver = `
mount --make-rprivate / && mount -t tmpfs none /dev/shm && mount --bind ${scratch} ${scratch}
for place in / /home /root /var /etc /usr; do mount -o remount,ro,bind $place 2>/dev/null || { mount --bind $place $place && mount -o remount,ro,bind $place; } 2>/dev/null; done
export HOME=${scratch}/work PATH=${scratch}/bin:$PATH
while IFS= read -r line <&9; do
  rm -rf ${scratch}/work ${started}; cp -r ${scratch}/bin ${scratch}/work; : > ${started}; cd ${scratch}/work
  timeout -k 1 2 sh -c "$line" </dev/null >/dev/null 2>&1 9<&-
  sort -u ${started} | tr '\\n' ' '; echo
done 9< ${scratch}/lines > ${scratch}/out
`;
    execFileSync("unshare", ["-mpnif", "--mount-proc", "--kill-child", "sh", "-c", driver], {
      stdio: ["ignore", "ignore", "ignore"],
      timeout: 3_000_000,
    });
    const out = readFileSync(join(scratch, "out"), "utf8").split("\n");
    return lines.map((_, at) => (out[at] ?? "").split(" ").filter((word) => word !== ""));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Why a line that started these decoys was predicted wrongly; undefined where it was not. */
function mistake(line: string, started: readonly string[]): string | undefined {
  const { actions, unknowns } = lowerShell(line, { world: smallWorld() });
  const programs = new Set(actions.flatMap((action) => (action.kind === "exec" ? [action.program] : [])));
  const missed = started.filter((program) => !programs.has(program));
  // An unknown that belongs to no command is a question whatever rules say.
  if (missed.length === 0 || unknowns.some(({ exec }) => exec === undefined)) return undefined;
  const said = [...programs].slice(1).join(" ") || "nothing";
  return `${line}: started ${missed.join(" ")}, predicted ${said}${unknowns.length > 0 ? ` (${unknowns.map(({ reason }) => reason).join("; ")})` : ""}`;
}

/** Counts and mistakes for the wrappers named, or all that are installed. */
export function checkWrappers(wanted: readonly string[]): {
  readonly wrappers: number;
  readonly lines: number;
  readonly started: number;
  readonly mistakes: readonly string[];
} {
  const counts = { wrappers: 0, lines: 0, started: 0, mistakes: [] as string[] };
  for (const entry of allEntries().filter(isWrapper))
    for (const name of entry.names.split(" ")) {
      if (LEFT_OUT.has(name) || !found(name) || (wanted.length > 0 && !wanted.includes(name))) continue;
      const lines = linesFor(name, entry);
      const seen = observe(lines);
      counts.wrappers++;
      counts.lines += lines.length;
      const wrong = lines.flatMap((line, at) => {
        const started = seen[at] ?? [];
        if (started.length > 0) counts.started++;
        return mistake(line, started) ?? [];
      });
      counts.mistakes.push(...wrong);
      if (process.env["VITEST"] === undefined) {
        process.stdout.write(
          `${name}: ${lines.length} lines, ${seen.filter((one) => one.length > 0).length} started something, ${wrong.length} mistakes\n`,
        );
        for (const one of wrong) process.stdout.write(`    ${one}\n`);
      }
    }
  return counts;
}

if (process.env["VITEST"] === undefined) {
  const { wrappers, lines, started, mistakes } = checkWrappers(process.argv.slice(2));
  process.stdout.write(`${wrappers} wrappers, ${lines} lines, ${started} started something, ${mistakes.length} mistakes\n`);
  process.exitCode = mistakes.length > 0 ? 1 : 0;
}
