import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Scenario, SCENARIOS, type Sdk } from "./scenarios.ts";

/** What an agent says came of a request. */
interface AgentAnswer {
  readonly id: string;
  readonly ran: readonly string[];
  readonly asked: readonly (readonly string[])[];
  /** The commands that the guard's `onAsk` heard of. */
  readonly heardOf: readonly string[];
  readonly told: string;
  readonly finished: boolean;
  readonly saved?: unknown;
  readonly error?: string;
}

/** What came of a scenario. */
export interface ScenarioResult {
  readonly scenario: Scenario;
  /** Why the SDK cannot. */
  readonly not?: string;
  /** The questions of each pause of the run. */
  readonly pauses: readonly (readonly string[])[];
  readonly problems: readonly string[];
}

/** Where an agent finds its SDK, and what it is run by. */
export interface AgentPlace {
  readonly root: string;
  /** A folder below the SDK's `node_modules`' own. */
  readonly below: string;
  readonly node: string;
  readonly dist: string;
}

/** Runs the test agent of an SDK through all scenarios: in one process, and what is resumed in a second one. */
export function runAgent(sdk: Sdk, place: AgentPlace): readonly ScenarioResult[] {
  return inFolder(sdk, place, (cwd, run) => {
    const wanted = SCENARIOS.filter(({ not }) => not?.[sdk] === undefined);
    const first = run(wanted.map(({ id, request, way }) => ({ id, cwd, ...request, ...way?.[sdk] })));
    const second = run(
      wanted.flatMap(({ id, request, resumed, way }) => {
        const saved = first.get(id)?.saved;
        return resumed === undefined || saved === undefined ? [] : [{ id, cwd, ...request, ...way?.[sdk], ...resumed, saved }];
      }),
    );
    return SCENARIOS.map((scenario) => resultOf(scenario, sdk, first.get(scenario.id), second.get(scenario.id)));
  });
}

/** What the test agent of an SDK does with commands: `allow` where they ran, `ask` where the guard's `onAsk` heard of them. */
export function verdictsOf(
  sdk: Sdk,
  place: AgentPlace,
  commands: (cwd: string) => readonly string[],
  judge: (command: string, cwd: string) => string,
): {
  readonly lines: number;
  readonly different: readonly object[];
} {
  return inFolder(sdk, place, (cwd, run) => {
    const all = commands(cwd);
    const pieces = Array.from({ length: Math.ceil(all.length / PIECE) }, (_, at) => all.slice(at * PIECE, (at + 1) * PIECE));
    // One step for each command: nothing is answered, so that no answer is remembered.
    const answers = run(
      pieces.map((piece, at) => ({
        id: String(at),
        cwd,
        turns: [piece.map((command) => ["bash", { command }])],
        onAsk: "later",
        quiet: true,
      })),
    );
    const different = pieces.flatMap((piece, at) => {
      const answer = answers.get(String(at));
      const [ran, asked] = [new Set(answer?.ran), new Set(answer?.heardOf)];
      return piece.flatMap((command) => {
        const said = ran.has(command) ? "allow" : asked.has(command) ? "ask" : "deny";
        const judged = judge(command, cwd);
        return said === judged && answer?.error === undefined && answer?.finished === true
          ? []
          : [{ command, said, judged, error: answer?.error }];
      });
    });
    return { lines: all.length, different };
  });
}

/** Commands of one run of an agent. */
const PIECE = 100;

type RunRequests = (requests: readonly object[]) => ReadonlyMap<string, AgentAnswer>;

/** A folder where the agent finds its SDK and Assent, and a project for it. */
function inFolder<T>(sdk: Sdk, { root, below, node, dist }: AgentPlace, work: (cwd: string, run: RunRequests) => T): T {
  mkdirSync(below, { recursive: true });
  const folder = mkdtempSync(join(below, `agent-${sdk}-`));
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), `assent-agent-${sdk}-`)));
  try {
    const own = join(folder, "node_modules/assent");
    mkdirSync(own, { recursive: true });
    copyFileSync(join(root, "package.json"), join(own, "package.json"));
    symlinkSync(dist, join(own, "dist"));
    for (const file of readdirSync(join(root, "test/adapters/agents")))
      if (file.endsWith(".mjs")) copyFileSync(join(root, "test/adapters/agents", file), join(folder, file));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    for (const name of ["home", "src", ".git"]) mkdirSync(join(cwd, name));
    return work(cwd, (requests) => {
      if (requests.length === 0) return new Map();
      const file = join(folder, "requests.json");
      writeFileSync(file, JSON.stringify(requests));
      const env = { PATH: process.env["PATH"], HOME: join(cwd, "home"), MASTRA_TELEMETRY_DISABLED: "1" };
      const { stdout, stderr, status } = spawnSync(node, [join(folder, `${sdk}.mjs`), file], {
        cwd,
        env,
        encoding: "utf8",
        timeout: 900_000,
        maxBuffer: 1 << 28,
      });
      const line = stdout.trimEnd().split("\n").at(-1) ?? "";
      if (status !== 0 || !line.startsWith("["))
        throw new Error(`${sdk} ended with ${status}:\n${stdout.slice(-2000)}\n${stderr.slice(-4000)}`);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what agent.mjs prints
      return new Map((JSON.parse(line) as readonly AgentAnswer[]).map((answer) => [answer.id, answer]));
    });
  } finally {
    for (const made of [folder, cwd]) rmSync(made, { recursive: true, force: true });
  }
}

function resultOf(scenario: Scenario, sdk: Sdk, first: AgentAnswer | undefined, second: AgentAnswer | undefined): ScenarioResult {
  const not = scenario.not?.[sdk];
  if (not !== undefined) return { scenario, not, pauses: [], problems: [] };
  const last = scenario.resumed === undefined ? first : second;
  const all = [first, second].flatMap((answer) => answer ?? []);
  const pauses = all.flatMap(({ asked }) => asked);
  const ran = all.flatMap((answer) => answer.ran);
  const problems = [
    ...all.flatMap(({ error }) => (error === undefined ? [] : [error])),
    ...different("asked", pauses.flat(), scenario.asked),
    // What may run at once runs in any order.
    ...different("ran", ran.toSorted(), scenario.ran.toSorted()),
    ...scenario.told
      .filter((words) => String(words) !== String(scenario.untold?.[sdk]))
      .filter((words) => !words.test(last?.told ?? ""))
      .map((words) => `the model was not told ${words}: ${last?.told.slice(-1500)}`),
    ...(last?.finished === true ? [] : ["it did not come to its end"]),
  ];
  return { scenario, pauses, problems };
}

const different = (what: string, is: readonly string[], expected: readonly string[]): readonly string[] =>
  JSON.stringify(is) === JSON.stringify(expected) ? [] : [`${what}: ${JSON.stringify(is)} in the place of ${JSON.stringify(expected)}`];
