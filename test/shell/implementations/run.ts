import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Generator } from "../fuzz/generate.ts";
import { verdictFor } from "../knowledge/decide.ts";
import { linesOfProgram } from "./lines.ts";
import { type Implementation, implementations } from "./packages.ts";

/**
 * What the tables let ahead, really run by every implementation that Debian packages of a name, by tools/verify, with the
 * implementation first in PATH. Nothing may happen that was not predicted.
 *
 *     npm run implementations [-- SEED PAIRS MOST [IMPLEMENTATION…]]
 *
 * PAIRS: of options, for each program. MOST: lines of each implementation that are run.
 */

export interface Told {
  readonly implementation: string;
  readonly lines: number;
  /** Until enough of them were allowed. */
  readonly judged: number;
  readonly allowed: number;
  readonly run: number;
  readonly broken: number;
  readonly unpredicted: readonly { readonly line: string; readonly effects: readonly string[] }[];
}

export interface Asked {
  readonly seed: number;
  readonly pairs: number;
  readonly most: number;
  readonly fetch: boolean;
  readonly only?: readonly string[];
}

/** A folder that stays, where packages are kept: not below the temporary folder, which agents may write. */
const CACHE = resolve("node_modules/.cache/implementations");

export async function tryImplementations({ seed, pairs, most, fetch, only }: Asked, told: (one: Told) => void): Promise<readonly Told[]> {
  mkdirSync(CACHE, { recursive: true });
  const all = implementations(CACHE, fetch).filter(({ name }) => only === undefined || only.length === 0 || only.includes(name));
  const results: Told[] = [];
  for (const one of all) {
    const result = await tryOne(one, seed, pairs, most);
    results.push(result);
    told(result);
  }
  return results;
}

async function tryOne({ name, folder, programs }: Implementation, seed: number, pairs: number, most: number): Promise<Told> {
  const from = new Generator(seed);
  // Without PATH env(1) looks where the C library says, and finds another implementation than the one that is tried.
  const generated = programs
    .flatMap((program) => linesOfProgram(program, from, pairs))
    .filter((line) => !/^env\b.* -(?:i|-i|u|-u|\s|$)/.test(line));
  const chosen: string[] = [];
  let judged = 0;
  for (const line of shuffled(generated, from)) {
    if (chosen.length >= most) break;
    judged++;
    if (verdictFor(line).decision === "allow") chosen.push(line);
  }
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "assent-implementations-")));
  const told = {
    implementation: name,
    lines: generated.length,
    judged,
    allowed: chosen.length,
    run: 0,
    broken: 0,
    unpredicted: [] as Told["unpredicted"][number][],
  };
  try {
    const file = join(scratch, "lines");
    writeFileSync(file, chosen.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const child = spawn(process.execPath, ["scripts/run.mjs", "tools/verify/main.ts", "--json", "--corpus", file], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, PATH: `${folder}:/usr/sbin:/usr/bin:/sbin:/bin` },
    });
    for await (const text of createInterface({ input: child.stdout })) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- evidence/soundness.md
      const row = JSON.parse(text) as {
        command: string;
        result: string;
        why?: string;
        effects?: { text: string; program: string; expected?: string }[];
      };
      if (row.result === "run") told.run++;
      if (row.result === "broken") told.broken++;
      const effects = (row.effects ?? []).filter(({ expected }) => expected === undefined);
      if (effects.length > 0)
        told.unpredicted.push({ line: row.command, effects: effects.map(({ text: what, program }) => `${what} by ${program}`) });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return told;
}

function shuffled(lines: readonly string[], from: Generator): readonly string[] {
  const all = [...new Set(lines)];
  for (let at = all.length - 1; at > 0; at--) {
    const other = from.upTo(at + 1);
    [all[at], all[other]] = [all[other] ?? "", all[at] ?? ""];
  }
  return all;
}

if (process.env["VITEST"] === undefined) {
  const [seed = "1", pairs = "300", most = "4000", ...only] = process.argv.slice(2);
  const results = await tryImplementations({ seed: Number(seed), pairs: Number(pairs), most: Number(most), fetch: true, only }, (told) => {
    for (const { line, effects } of told.unpredicted)
      process.stdout.write(`${told.implementation}: ${line}\n${effects.map((one) => `    ${one}\n`).join("")}`);
    process.stdout.write(
      `${told.implementation}: ${told.lines} lines, ${told.judged} judged, ${told.allowed} allowed, ${told.run} run, ${told.broken} not observed, ${told.unpredicted.length} with something unpredicted\n`,
    );
  });
  process.exitCode = results.some(({ unpredicted, allowed, run }) => unpredicted.length > 0 || (allowed > 0 && run === 0)) ? 1 : 0;
}
