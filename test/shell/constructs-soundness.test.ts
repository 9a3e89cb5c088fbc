import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { lowerShell, type ShellKind } from "@assent/core/shell";
import { couldBe, Oracle, type OracleShell } from "./fuzz/oracle.ts";
import { smallWorld } from "./world.ts";

/**
 * What decides which command runs, section by section of bash(1) and zsh's manuals: `soundness/*.txt`, one line each, for bash, zsh, or
 * dash as `sh` (`␤`, `␉` and `␍` are a new line, a tab and a carriage return). A real shell starts `evil` or starts it with other words than a reader would
 * think; the lowering must report exactly that, or say that it does not know.
 */
const FOLDER = join(import.meta.dirname, "soundness");
const tables = readdirSync(FOLDER).flatMap((file) =>
  readFileSync(join(FOLDER, file), "utf8")
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [heading = "", ...lines] = part.split("\n");
      return { heading, lines: lines.filter((line) => line !== "") };
    }),
);

const oracles = new Map<OracleShell, Oracle>();
afterAll(() => oracles.forEach((oracle) => oracle.close()));
const oracleOf = (shell: OracleShell): Oracle => {
  const oracle = oracles.get(shell) ?? new Oracle(shell);
  oracles.set(shell, oracle);
  return oracle;
};

/** What a heading says behind its text. */
const SHELLS: Readonly<Record<string, keyof typeof READERS>> = {
  zsh: "zsh",
  sh: "dash",
  mksh: "mksh",
  posh: "posh",
  yash: "yash",
  ksh93: "ksh93",
};

const inSh = (line: string) =>
  [
    { line, kind: "sh" },
    { line: `sh -c ${quote(line)}`, kind: "bash" },
    { line: `sh <<< ${quote(line)}`, kind: "any" },
  ] as const;

/** What reads a line, and how else it may come to it. */
const READERS = {
  bash: (line: string) => [
    { line, kind: "bash" },
    { line, kind: "any" },
  ],
  zsh: (line: string) => [{ line, kind: "any" }],
  dash: inSh,
  mksh: inSh,
  posh: inSh,
  yash: inSh,
  ksh93: inSh,
} as const satisfies Partial<Record<OracleShell, (line: string) => readonly { readonly line: string; readonly kind: ShellKind }[]>>;
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

describe.each(tables)("$heading", ({ heading, lines }) => {
  const shell = SHELLS[/\((\w+)\)$/.exec(heading)?.[1] ?? ""] ?? "bash";
  test.skipIf(!existsSync(`/bin/${shell}`)).each(lines)("%s", (written) => {
    const line = written.replaceAll("␤", "\n").replaceAll("␉", "\t").replaceAll("␍", "\r");
    const oracle = oracleOf(shell);
    const ran = oracle.run(line, 0) ?? [];
    expect(
      ran.map(([name]) => name),
      "the real shell does it",
    ).toContain("evil");
    for (const reader of READERS[shell](line)) {
      const { kind } = reader;
      const { actions, unknowns } = lowerShell(reader.line, {
        world: smallWorld({ cwd: oracle.folder, projectRoot: oracle.folder }),
        shell: kind,
      });
      if (unknowns.length > 0) continue;
      for (const argv of ran)
        expect(
          // zsh starts `cat` for redirections alone (zshparam(1), NULLCMD).
          (shell === "zsh" && argv.length === 1 && argv[0] === "cat") ||
            actions.some((action) => action.kind === "exec" && couldBe(action, argv)),
          `${kind}: ${argv.join(" ")}`,
        ).toBe(true);
    }
  });
});
