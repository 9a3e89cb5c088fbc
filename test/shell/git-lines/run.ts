import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgeOnly } from "@assent/page/preview";
import { GitLines } from "./generate.ts";
import { DENIED, type GitPlace, makePlace, printedBy, SECRET } from "./place.ts";

/**
 * Generated lines of git, judged in a repository full of canaries; those that go ahead are run there, and nothing of what
 * the policy keeps from whoever asked may be in what they print.
 *
 *     node scripts/run.mjs test/shell/git-lines/run.ts [LINES [SEED]]
 */

const POLICIES = [
  { name: "no policy", policy: undefined, kept: SECRET },
  {
    name: "deny Read(private/**)",
    policy: '{ "permissions": { "deny": ["Read(private/**)"] } }',
    kept: new RegExp(`${SECRET.source}|${DENIED.source}`, "g"),
  },
] as const;

export interface Shown {
  readonly policy: string;
  readonly line: string;
  readonly canaries: readonly string[];
}

/** How many lines go ahead, how many of them print anything, and which print what they must not. */
export interface Told {
  readonly allowed: number;
  readonly printing: number;
  readonly shown: readonly Shown[];
}

export function tryLines(lines: readonly string[]): Told {
  const told = { allowed: 0, printing: 0, shown: [] as Shown[] };
  for (const { name, policy, kept } of POLICIES) {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-git-place-")));
    try {
      const place = makePlace(root, policy);
      const allowed = lines.filter((line) => isAllowed(line, place));
      const printed = printedBy(allowed, place);
      told.allowed += allowed.length;
      for (const [at, text] of printed.entries()) {
        if (text !== "" && !/^(?:fatal|error|usage|git):? /m.test(text)) told.printing++;
        const canaries = [...new Set(text.match(kept) ?? [])];
        if (canaries.length > 0) told.shown.push({ policy: name, line: allowed[at] ?? "", canaries });
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  return told;
}

function isAllowed(command: string, { home, project }: GitPlace): boolean {
  const machine = {
    home,
    account: home,
    env: { HOME: home, PATH: "/usr/local/bin:/usr/bin:/bin" },
    platform: process.platform,
    uid: process.getuid?.(),
    temp: [join(home, "../tmp")],
    managedPolicy: "/nonexistent",
  };
  return judgeOnly({ tool: "Bash", input: { command }, cwd: project }, machine, []).verdict.decision === "allow";
}

export function linesOf(count: number, seed: number): readonly string[] {
  const from = new GitLines(seed * 1_000_003);
  return Array.from({ length: count }, () => from.line());
}

if (process.env["VITEST"] === undefined) {
  const [count = 2000, seed = 1] = process.argv.slice(2).map(Number);
  const { allowed, printing, shown } = tryLines(linesOf(count, seed));
  for (const { policy, line, canaries } of shown) process.stdout.write(`${policy}: ${line}\n    ${canaries.join(" ")}\n`);
  process.stdout.write(`seed ${seed}: ${count} lines, ${allowed} allowed, ${printing} of them printed, ${shown.length} showed a canary\n`);
  process.exitCode = shown.length > 0 ? 1 : 0;
}
