// The goals, and how each is measured. A row has a bare side where it is a multiple of something; both sides are measured in turn.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../supervise/bench.ts";
import { output, timed } from "../supervise/measure.ts";
import { workloads } from "../supervise/workloads.ts";
import { awaitSpare, type BuiltTree, isThere, makePlace, measureIn, type Place, ran, startDaemon } from "./tree.ts";

export type Unit = "x" | "µs" | "ms" | "s";
/** Gives one measurement: milliseconds, or what the row's unit says. */
export type Side = () => number;

/** One goal. */
export interface GoalRow {
  readonly id: string;
  readonly area: string;
  readonly what: string;
  readonly unit: Unit;
  /** The most it may be. */
  readonly goal: number;
  /** The same on its own, for whoever wants this row alone. */
  readonly how: string;
  /** How often in a round. */
  readonly times: number;
  readonly bare?: Side;
  readonly own: Side;
}

/** Rows that are measured together: what they share is made when the first of them is due, and removed after the last. */
export interface RowGroup {
  readonly name: string;
  readonly ids: readonly string[];
  readonly open: () => { readonly rows: readonly GoalRow[]; readonly close: () => void };
}

const POLICY = '{ "permissions": { "allow": ["Bash(npm test:*)"], "deny": ["Read(**/*.pem)"] } }\n';
const node0 = [process.execPath, "-e", "0"] as const;

function envelope(at: Place, tool: string, input: object, event = "PreToolUse"): string {
  return JSON.stringify({
    session_id: "bench",
    cwd: at.project,
    permission_mode: "default",
    hook_event_name: event,
    tool_name: tool,
    tool_input: input,
    permission_suggestions: [],
  });
}

const FOUR = "cd src && grep -rn TODO . | head -20 && git log --oneline -5";

function hookRows(tree: BuiltTree): RowGroup {
  return {
    name: "hook",
    ids: ["hook.command", "hook.file", "line.eval", "line.pipes", "line.loops", "line.arms"],
    open: () => {
      const at = makePlace(POLICY);
      const hook = [process.execPath, join(tree.dist, "bin.cjs"), "check", "--agent", "claude", "--event", "PreToolUse"];
      const side = (input: string): Side => {
        ran(hook, at, input);
        return () => ran(hook, at, input).ms;
      };
      const bash = envelope(at, "Bash", { command: FOUR });
      const bare: Side = () => ran(node0, at, bash).ms;
      const row = { area: "hook", unit: "x", how: "node bench/hook.mjs 100", times: 15, bare } as const;
      const rows: GoalRow[] = [
        {
          ...row,
          id: "hook.command",
          what: "a hook call in a fresh process, a line of four commands, against `node -e 0`",
          goal: 1.4,
          own: side(bash),
        },
        {
          ...row,
          id: "hook.file",
          what: "the same, a file tool",
          goal: 1.25,
          own: side(envelope(at, "Read", { file_path: join(at.project, "src/app.ts") })),
        },
      ];
      const seconds: Readonly<Record<string, string>> = {
        eval: `${"eval ".repeat(10_000)}true`,
        pipes: Array.from({ length: 10_000 }, () => "cat").join(" | "),
        loops: `${Array.from({ length: 20 }, (_, n) => `for v${n} in a b c; do `).join("")}echo $v0$v19; ${"done; ".repeat(20)}`,
        arms: `case "$x" in ${Array.from({ length: 10_000 }, (_, n) => `a${n}) echo ${n};; `).join("")}esac`,
      };
      const names = {
        eval: "10,000 times `eval`",
        pipes: "10,000 commands in a pipe",
        loops: "20 nested loops",
        arms: "10,000 arms of a `case`",
      };
      for (const [id, name] of Object.entries(names)) {
        const input = envelope(at, "Bash", { command: seconds[id] ?? "" });
        rows.push({
          id: `line.${id}`,
          area: "lines made to take long",
          what: `one line: ${name}, a fresh process`,
          unit: "s",
          goal: 0.5,
          how: "npm run bench -- --only line",
          times: 2,
          own: () => ran(hook, at, input).ms / 1000,
        });
      }
      return { rows, close: at.close };
    },
  };
}

function daemonRows(tree: BuiltTree): RowGroup {
  return {
    name: "resident",
    ids: ["resident.command", "resident.file"],
    open: () => {
      const at = makePlace(POLICY);
      const folder = startDaemon(tree, at);
      const words = [
        `HOME=${at.home}`,
        process.execPath,
        join(tree.dist, "bin.cjs"),
        "check",
        "--agent",
        "claude",
        "--event",
        "PreToolUse",
      ];
      const client = [join(tree.dist, `ask-${process.arch}`), folder, join(tree.dist, `launch-${process.arch}`), ...words];
      const input = envelope(at, "Bash", { command: FOUR });
      const read = envelope(at, "Read", { file_path: join(at.project, "src/app.ts") });
      for (let round = 0; round < 300; round += 1) ran(client, at, round % 2 === 0 ? input : read);
      const row = {
        area: "hook",
        unit: "x",
        goal: 0.15,
        how: "node bench/daemon.mjs 200",
        times: 40,
        bare: () => ran(node0, at).ms,
      } as const;
      return {
        rows: [
          {
            ...row,
            id: "resident.command",
            what: "a hook call where a judge stays, a line of four commands, against `node -e 0`",
            own: () => ran(client, at, input).ms,
          },
          { ...row, id: "resident.file", what: "the same, a file tool", own: () => ran(client, at, read).ms },
        ],
        close: at.close,
      };
    },
  };
}

/** What Claude Code is handed back for a command that nobody can know, and runs. */
function confinedSide(at: Place, hook: readonly string[]): Side {
  return () => {
    const asked = ran(hook, at, envelope(at, "Bash", { command: "bash quick.sh" }, "PermissionRequest"));
    const found = /"updatedInput":\{[^}]*"command":("(?:[^"\\]|\\.)*")/.exec(asked.stdout)?.[1];
    if (found === undefined) throw new Error(`it would not be confined: ${asked.stdout.slice(0, 300)}`);
    return asked.ms + ran(["bash", "-c", String(JSON.parse(found))], at).ms;
  };
}

function startRows(tree: BuiltTree, warm: boolean): RowGroup {
  return {
    name: warm ? "start.warm" : "start.cold",
    ids: warm ? ["start.warm", "confined.warm"] : ["start.cold", "confined.cold"],
    open: () => {
      const at = makePlace('{ "unknown": "confine" }\n');
      writeFileSync(join(at.project, "quick.sh"), "true\n");
      const bin = join(tree.dist, "bin.cjs");
      const run = ["run", "-P", "-q", "--", "true"];
      const bare: Side = () => ran(node0, at).ms;
      const row = { area: "start", unit: "x", bare } as const;
      if (!warm) {
        const hook = [process.execPath, bin, "check", "--agent", "claude"];
        const own = confinedSide(at, hook);
        own();
        return {
          rows: [
            {
              ...row,
              id: "start.cold",
              what: "`assent run -- true` against `node -e 0`",
              goal: 1.8,
              how: "npm run bench -- --only start.cold",
              times: 12,
              own: () => ran([process.execPath, bin, ...run], at).ms,
            },
            {
              ...row,
              id: "confined.cold",
              what: "a command of an agent host that goes ahead confined, the hook's answer and the command, against `node -e 0`",
              goal: 2,
              how: "node bench/confined.mjs 15",
              times: 6,
              own,
            },
          ],
          close: at.close,
        };
      }
      const folder = startDaemon(tree, at);
      const spare = join(tree.dist, `spare-${process.arch}`);
      const words = [`HOME=${at.home}`, process.execPath, bin, "check", "--agent", "claude"];
      const client = [join(tree.dist, `ask-${process.arch}`), folder, join(tree.dist, `launch-${process.arch}`), ...words];
      const own = confinedSide(at, client);
      for (let round = 0; round < 12; round += 1) own();
      // The next one is made ready between the commands of a host.
      const ready =
        (side: Side): Side =>
        () => {
          awaitSpare(folder);
          return side();
        };
      const hasSpare = isThere(tree, `spare-${process.arch}`);
      const start = (): number => {
        if (!hasSpare) throw new Error("there is no program that hands a command over");
        return ran([spare, folder, process.execPath, bin, ...run], at).ms;
      };
      return {
        rows: [
          {
            ...row,
            id: "start.warm",
            what: "the same without a terminal, where a judge stays",
            goal: 0.2,
            how: "npm run bench -- --only start.warm",
            times: 12,
            own: ready(start),
          },
          {
            ...row,
            id: "confined.warm",
            what: "the same, confined, where a judge stays",
            goal: 0.4,
            how: "node bench/confined.mjs 15",
            times: 8,
            own: ready(own),
          },
        ],
        close: at.close,
      };
    },
  };
}

function programRows(tree: BuiltTree, makeBench: () => Bench, rounds: number): RowGroup {
  const assent = [process.execPath, join(tree.dist, "bin.cjs"), "run", "-P", "-q", "--"];
  const goals: readonly (readonly [name: string, id: string, what: string, goal: number])[] = [
    ["npm ci", "npm", "`npm ci`, 267 packages, from the cache", 1.08],
    ["git clone", "clone", "`git clone` of a repository of 700 files, ten times", 1.8],
    ["distinct", "files", "20,000 files made in 700 folders, some read, renamed and deleted; in memory", 6],
    ["python3", "venv", "`python3 -m venv`", 1.05],
  ];
  return {
    name: "programs",
    ids: [...goals.map(([, id]) => `program.${id}`), "opens.project", "opens.system"],
    open: () => {
      const bench = makeBench();
      const all = workloads(bench, rounds);
      const rows = goals.flatMap(([name, id, what, goal]): readonly GoalRow[] => {
        const found = all.find((one) => one.name.startsWith(name));
        if (found === undefined) return [];
        const { argv, cwd, clear } = found;
        const side =
          (before: readonly string[]): Side =>
          () => {
            clear?.();
            const [file = "", ...rest] = [...before, ...argv];
            return timed({ argv: [file, ...rest], cwd, env: bench.env });
          };
        const how = "npm run bench:supervise -- programs";
        return [{ id: `program.${id}`, area: "programs", what, unit: "x", goal, how, times: 1, bare: side([]), own: side(assent) }];
      });
      return { rows: [...rows, ...openRows(bench, assent)], close: () => undefined };
    },
  };
}

const OPENS = 20_000;

function openRows(bench: Bench, assent: readonly string[]): readonly GoalRow[] {
  const program = join(bench.scratch, "opens");
  output({ argv: ["gcc", "-O2", "-o", program, join(bench.sources, "opens.c")], cwd: bench.scratch, env: bench.env });
  const own = join(bench.fast, "opens");
  mkdirSync(own);
  for (let at = 0; at < 500; at += 1) writeFileSync(join(own, `file${at}.txt`), "x");
  const row = (id: string, what: string, goal: number, folder: string, cwd: string): GoalRow => {
    const side =
      (before: readonly string[]): Side =>
      () => {
        const [file, ...rest] = [...before, program, folder, String(OPENS / 500)];
        return Number(output({ argv: [file, ...rest], cwd, env: bench.env })) / 1000;
      };
    return {
      id,
      area: "programs",
      what,
      unit: "x",
      goal,
      how: `npm run bench -- --only ${id}`,
      times: 3,
      bare: side([]),
      own: side(assent),
    };
  };
  return [
    row("opens.project", "20,000 opens of existing files of the project for reading, against the same bare", 6, own, own),
    row("opens.system", "the same, files of the system that no rule is about", 2, "/usr/include/linux", own),
  ];
}

/** Rows of one script that gives several figures at once. */
function scriptRows(
  name: string,
  own: BuiltTree,
  tree: BuiltTree,
  words: readonly string[],
  rows: readonly (Pick<GoalRow, "id" | "what" | "unit" | "goal"> & { readonly figure: string; readonly against?: string })[],
  area: string,
  how: string,
): RowGroup {
  return {
    name,
    ids: rows.map(({ id }) => id),
    open: () => {
      let last: Readonly<Record<string, number>> = {};
      const asked = new Set<string>();
      // Every row takes its figure from the same run; the next run is made when one of them is asked again.
      const figure = (id: string, key: string): number => {
        if (asked.size === 0 || asked.has(`${id} ${key}`)) {
          last = measureIn(tree, own, words);
          asked.clear();
        }
        asked.add(`${id} ${key}`);
        const value = last[key];
        if (value === undefined || Number.isNaN(value)) throw new Error(`${words.join(" ")} gives no ${key}`);
        return value;
      };
      return {
        rows: rows.map(({ figure: key, against, ...row }) => ({
          ...row,
          area,
          how,
          times: 1,
          ...(against === undefined ? {} : { bare: () => figure(row.id, against) }),
          own: () => figure(row.id, key),
        })),
        close: () => undefined,
      };
    },
  };
}

/** All that there are goals for. `own` has the scripts, `tree` is what is measured. */
export function goalGroups(own: BuiltTree, tree: BuiltTree, makeBench: () => Bench, rounds: number): readonly RowGroup[] {
  const run = "scripts/run.mjs";
  const pairs = [
    ["stdio-stdio", "clients and server on standard input and output"],
    ["http-http", "both over HTTP"],
    ["stdio-http", "client on standard input and output, server over HTTP"],
    ["http-stdio", "client over HTTP, server on standard input and output"],
  ] as const;
  return [
    startRows(tree, false),
    startRows(tree, true),
    hookRows(tree),
    daemonRows(tree),
    scriptRows(
      "decision",
      own,
      tree,
      [run, "bench/decide.ts", "60"],
      [
        { id: "decision.median", what: "one decision in a running process: median", unit: "µs", goal: 80, figure: "median" },
        { id: "decision.p99", what: "the same: 99th percentile", unit: "ms", goal: 0.8, figure: "p99" },
      ],
      "decision",
      "node scripts/run.mjs bench/decide.ts",
    ),
    scriptRows(
      "library",
      own,
      tree,
      ["bench/import.mjs", "10"],
      [
        {
          id: "library.import",
          what: '`import "assent"` against `import "zod"`, processor time',
          unit: "x",
          goal: 1,
          figure: "assent",
          against: "zod",
        },
        { id: "library.import-clock", what: "the same by the clock", unit: "x", goal: 1, figure: "assent clock", against: "zod clock" },
      ],
      "library",
      "node bench/import.mjs",
    ),
    scriptRows(
      "library.check",
      own,
      tree,
      [run, "bench/library.ts", "100"],
      [{ id: "library.check", what: "a check of a command by the library: median", unit: "µs", goal: 50, figure: "checkSync execute" }],
      "library",
      "node scripts/run.mjs bench/library.ts",
    ),
    scriptRows(
      "gateway",
      own,
      tree,
      ["bench/mcp.mjs", "400"],
      pairs.map(([figure, what]) => ({
        id: `gateway.${figure}`,
        what: `what the MCP gateway adds to a call, ${what}: median`,
        unit: "ms",
        goal: 0.5,
        figure,
      })),
      "gateway",
      "npm run build && node bench/mcp.mjs",
    ),
    programRows(tree, makeBench, rounds),
  ];
}

/** What the tree's commit is. */
export function commitOf(tree: BuiltTree): string {
  const git = (...words: string[]): string => execFileSync("git", words, { cwd: tree.root, encoding: "utf8" }).trim();
  return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain", "--untracked-files=no") === "" ? "" : " with changes"}`;
}
