import { existsSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import type { Lowered } from "../../src/action/index.ts";
import { lowerShell, type ShellKind } from "../../src/shell/index.ts";
import { Generator } from "../shell/fuzz/generate.ts";
import { couldBe, Oracle, type OracleShell } from "../shell/fuzz/oracle.ts";
import { smallWorld } from "../shell/world.ts";

/** `npm run fuzz` runs many more. */
const PROGRAMS = Number(process.env["FUZZ_PROGRAMS"] ?? 300);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
/** Starting a shell only to ask whether it reads a program costs as much as running one. */
const SAMPLE = PROGRAMS < 2000 ? 1 : 8;

/** Programs that one process runs one after the other. */
const AT_ONCE = 100;

interface UnderstoodProgram {
  readonly program: string;
  readonly i: number;
  readonly lowered: Lowered;
}

const oracles: Oracle[] = [];
afterAll(() => oracles.forEach((oracle) => oracle.close()));

test.each([
  { shell: "bash", kind: "bash", understood: 0.4 },
  { shell: "zsh", kind: "any", understood: 0.4 },
  // What the generator writes for bash, dash mostly reads as something else.
  { shell: "dash", kind: "sh", understood: 0.1 },
] as const)(
  "$shell starts nothing that lowering neither reported nor called unknown",
  { timeout: 3_600_000 },
  ({ shell, kind, understood: least }: { shell: OracleShell; kind: ShellKind; understood: number }) => {
    if (!existsSync(`/bin/${shell}`)) {
      // The oracle is installed by .ci/run; a developer's machine may do without.
      expect(process.env["CI"]).toBeUndefined();
      return;
    }
    const oracle = new Oracle(shell);
    oracles.push(oracle);
    const missed: string[] = [];
    const reasons = new Map<string, number>();
    let analysable = 0;
    let refused = 0;
    let started = 0;
    const understood: UnderstoodProgram[] = [];
    const runThem = (): void => {
      const found = oracle.runAll(understood.map(({ program, i }) => ({ program, status: i })));
      for (const [at, { program, i, lowered }] of understood.entries()) {
        const ran = found[at];
        if (ran === undefined) continue;
        analysable++;
        for (const argv of ran) {
          // zsh starts it for redirections alone (zshparam(1), NULLCMD).
          if (shell === "zsh" && argv.length === 1 && (argv[0] === "cat" || argv[0] === "more")) continue;
          started++;
          const reported = lowered.actions.some((action) => action.kind === "exec" && couldBe(action, argv));
          if (!reported) missed.push(`seed ${SEED * 1_000_003 + i}: ran ${JSON.stringify(argv)}\n${program}\n`);
        }
      }
      understood.length = 0;
    };
    for (let i = 0; i < PROGRAMS; i++) {
      const program = new Generator(SEED * 1_000_003 + i).program();
      const lowered = lowerShell(program, { world: smallWorld({ cwd: oracle.folder, projectRoot: oracle.folder }), shell: kind });
      if (lowered.unknowns.length > 0) {
        const [first] = lowered.unknowns;
        reasons.set(first?.reason ?? "", (reasons.get(first?.reason ?? "") ?? 0) + 1);
        // What the shell itself does not accept is not there to be understood. Every eighth is asked about, for all of them.
        if (i % SAMPLE === 0 && oracle.accepts(program)) refused += SAMPLE;
      } else if (understood.push({ program, i, lowered }) === AT_ONCE) runThem();
    }
    runThem();
    const share = analysable / (analysable + refused);
    if (process.env["FUZZ_PROGRAMS"] !== undefined)
      process.stdout.write(
        `${shell}: ${PROGRAMS} programs, ${analysable} analysable (${(share * 100).toFixed(1)} % of what the shell accepts), ${started} commands started, ${missed.length} missed\n${[
          ...reasons,
        ]
          .sort((a, b) => b[1] - a[1])
          .slice(0, 25)
          .map(([r, n]) => `  ${n} ${r}`)
          .join("\n")}\n`,
      );
    expect(missed.slice(0, 5).join("\n---\n")).toBe("");
    // A lowering that calls everything unknown would pass: most programs must be understood.
    expect(share).toBeGreaterThan(least);
    expect(started).toBeGreaterThan((PROGRAMS * least) / 2);
  },
);
