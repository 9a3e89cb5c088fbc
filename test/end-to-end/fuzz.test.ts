import { afterAll, expect, it, test } from "vitest";
import type { Lowered } from "@assent/core/action";
import { lowerShell, type ShellKind } from "@assent/core/shell";
import { HOSTILE_NAMES } from "../shell/fuzz/builtins.ts";
import { Generator } from "../shell/fuzz/generate.ts";
import { couldBe, isInstalled, Oracle, type OracleShell } from "../shell/fuzz/oracle.ts";
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
  { shells: ["bash"], kind: "bash", understood: 0.4 },
  { shells: ["zsh"], kind: "any", understood: 0.3 },
  // What the generator writes for bash, these mostly read as something else.
  { shells: ["dash", "mksh", "posh", "yash", "ksh93", "busybox"], kind: "sh", understood: 0.1 },
] as const)(
  "$shells start nothing that lowering neither reported nor called unknown",
  { timeout: 36_000_000 },
  ({ shells, kind, understood: least }: { shells: readonly OracleShell[]; kind: ShellKind; understood: number }) => {
    const asked: Oracle[] = [];
    // One folder for all, as the same actions are expected of them.
    for (const shell of shells.filter(isInstalled)) asked.push(new Oracle(shell, HOSTILE_NAMES, asked[0]?.folder));
    oracles.push(...asked);
    // The shells are installed by .ci/run; a developer's machine may do without.
    if (asked.length < shells.length) expect(process.env["CI"]).toBeUndefined();
    const [first] = asked;
    if (first === undefined) return;
    const counts = asked.map((oracle) => ({ oracle, analysable: 0, started: 0 }));
    const missed: string[] = [];
    const reasons = new Map<string, number>();
    let refused = 0;
    const understood: UnderstoodProgram[] = [];
    const runThem = (): void => {
      for (const count of counts) {
        const { shell } = count.oracle;
        const found = count.oracle.runAll(understood.map(({ program, i }) => ({ program, status: i })));
        for (const [at, { program, i, lowered }] of understood.entries()) {
          const ran = found[at];
          if (ran === undefined) continue;
          count.analysable++;
          for (const argv of ran) {
            // zsh starts it for redirections alone (zshparam(1), NULLCMD).
            if (shell === "zsh" && argv.length === 1 && (argv[0] === "cat" || argv[0] === "more")) continue;
            // What bash takes for an option of `trap`: no program has the name, and a function that has is looked for.
            if (shell === "zsh" && argv.length === 1 && /^-[lpP]+$/.test(argv[0] ?? "")) continue;
            count.started++;
            // `exec -l` of zsh: it looks for the program by its own name, and tells the other one (zshbuiltins(1)).
            const [name = "", ...others] = argv;
            const ways = shell === "zsh" && name.startsWith("-") ? [argv, [name.slice(1), ...others]] : [argv];
            const reported = lowered.actions.some((action) => action.kind === "exec" && ways.some((way) => couldBe(action, way)));
            if (!reported) missed.push(`${shell}, seed ${SEED * 1_000_003 + i}: ran ${JSON.stringify(argv)}\n${program}\n`);
          }
        }
      }
      understood.length = 0;
    };
    const { folder } = first;
    const files: Record<string, "file" | "directory"> = { [folder]: "directory" };
    for (const name of HOSTILE_NAMES) files[`${folder}/${name}`] = "file";
    for (let i = 0; i < PROGRAMS; i++) {
      const program = new Generator(SEED * 1_000_003 + i).program();
      const lowered = lowerShell(program, { world: smallWorld({ cwd: folder, projectRoot: folder, files }), shell: kind });
      if (lowered.unknowns.length > 0) {
        const reason = lowered.unknowns[0]?.reason ?? "";
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        // What the shell itself does not accept is not there to be understood. Every eighth is asked about, for all of them.
        if (i % SAMPLE === 0 && first.accepts(program)) refused += SAMPLE;
      } else if (understood.push({ program, i, lowered }) === AT_ONCE) runThem();
    }
    runThem();
    const share = (counts[0]?.analysable ?? 0) / ((counts[0]?.analysable ?? 0) + refused);
    if (process.env["FUZZ_PROGRAMS"] !== undefined)
      process.stdout.write(
        `seed ${SEED}, ${kind}: ${PROGRAMS} programs, ${(share * 100).toFixed(1)} % of what ${shells[0]} accepts analysable, ${missed.length} missed\n${[
          ...counts.map(({ oracle, analysable, started }) => `  ${oracle.shell}: ${analysable} ran, ${started} commands started`),
          ...[...reasons]
            .sort((a, b) => b[1] - a[1])
            .slice(0, 25)
            .map(([r, n]) => `  ${n} ${r}`),
        ].join("\n")}\n`,
      );
    expect(missed.slice(0, 5).join("\n---\n")).toBe("");
    // A lowering that calls everything unknown would pass: most programs must be understood.
    expect(share).toBeGreaterThan(least);
    for (const { oracle, started } of counts) expect(started, oracle.shell).toBeGreaterThan((PROGRAMS * least) / 2);
  },
);

it.each(["bash", "zsh", "dash"] as const)("a program of %s that ends its process group ends itself alone", (shell) => {
  const oracle = new Oracle(shell);
  oracles.push(oracle);
  const ended = { program: "a; kill 0; b", status: 0 };
  expect(oracle.run(ended.program, 0)).toEqual([["a"]]);
  expect(oracle.runAll([ended, { program: "c", status: 0 }])).toEqual([[["a"]], [["c"]]]);
});
