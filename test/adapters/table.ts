import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { judgeOnly } from "@assent/page/preview";
import type { Machine } from "@assent/guard/state";
import { commandsOf, CORPORA } from "../corpora.ts";
import { runAgent, type ScenarioResult, verdictsOf } from "./agents.ts";
import { newerNode, placeFor } from "./places.ts";
import { SCENARIOS, type Sdk, SDKS } from "./scenarios.ts";

/**
 * `npm run sdks [-- SDK…] [--node FILE] [--corpora] [--json] [--write]`: a real agent in each SDK, with a scripted model, put through the same
 * scenarios: a table of what came of them. `--write` puts it into evidence/sdks.md; `--corpora` has
 * every command of test/cases called by the agents as well, and compares what they do with the judge of the hook.
 */

const ROOT = resolve(".");
const PAGE = join(ROOT, "evidence/sdks.md");
const PACKAGE_OF: Readonly<Record<Sdk, readonly [name: string, title: string]>> = {
  "ai-sdk": ["ai", "Vercel AI SDK"],
  "openai-agents": ["@openai/agents", "OpenAI Agents"],
  "claude-agent-sdk": ["@anthropic-ai/claude-agent-sdk", "Claude Agent SDK"],
  langchain: ["langchain", "LangChain"],
  mastra: ["@mastra/core", "Mastra"],
};

const words = process.argv.slice(2);
const nodeAt = words.indexOf("--node");
const wanted = SDKS.filter((sdk) => words.includes(sdk) || !words.some((word) => SDKS.some((known) => known === word)));
const { stdout } = spawnSync(process.execPath, [join(ROOT, "scripts/build.mjs")], { cwd: ROOT, encoding: "utf8" });
process.stderr.write(stdout);
const node = nodeAt === -1 ? newerNode() : (words[nodeAt + 1] ?? process.execPath);

interface SdkResult {
  readonly sdk: Sdk;
  readonly version: string;
  readonly results: readonly ScenarioResult[];
}

const all = wanted.map((sdk): SdkResult => {
  const place = placeFor(sdk, join(ROOT, "dist"), node);
  return { sdk, version: versionOf(sdk, place.below), results: runAgent(sdk, place) };
});
const differences = words.includes("--corpora") ? all.map(({ sdk }) => ({ sdk, ...corporaOf(sdk) })) : [];
const problems = all.flatMap(({ sdk, results }) =>
  results.flatMap(({ scenario, problems: found }) => found.map((problem) => `${sdk}, ${scenario.says}: ${problem}`)),
);
if (words.includes("--json"))
  process.stdout.write(
    `${JSON.stringify(
      all.map(({ sdk, version, results }) => ({ sdk, version, results: results.map(told) })),
      undefined,
      2,
    )}\n`,
  );
else process.stdout.write(`${table(all)}\n`);
if (words.includes("--write") && problems.length === 0 && wanted.length === SDKS.length) writePage(table(all));
for (const { sdk, lines, different } of differences) {
  process.stdout.write(`${sdk}: ${lines} commands of all collections, ${different.length} different from the judge\n`);
  for (const one of different.slice(0, 20)) process.stderr.write(`${sdk}: ${JSON.stringify(one)}\n`);
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 && differences.every(({ different }) => different.length === 0) ? 0 : 1;

function told({ scenario, not, pauses, problems: found }: ScenarioResult) {
  return { id: scenario.id, says: scenario.says, ...(not === undefined ? { pauses } : { not }), ok: found.length === 0, problems: found };
}

/** Every line of the collections as a call of the agent, against the judge of the hook. */
function corporaOf(sdk: Sdk): ReturnType<typeof verdictsOf> {
  const machineAt = (cwd: string): Machine => {
    const home = join(cwd, "home");
    const env = { PATH: process.env["PATH"], HOME: home, MASTRA_TELEMETRY_DISABLED: "1" };
    return {
      home,
      env,
      platform: process.platform,
      uid: process.getuid?.(),
      temp: ["/tmp", "/var/tmp"],
      managedPolicy: "/etc/assent/policy.jsonc",
    };
  };
  return verdictsOf(
    sdk,
    placeFor(sdk, join(ROOT, "dist"), node),
    () => [...new Set(CORPORA.flatMap(commandsOf))],
    (command, cwd) => {
      const { decision } = judgeOnly({ tool: "Bash", input: { command }, cwd }, machineAt(cwd), []).verdict;
      return decision === "none" ? "ask" : decision;
    },
  );
}

function versionOf(sdk: Sdk, below: string): string {
  const [name] = PACKAGE_OF[sdk];
  const places = [below, join(below, ".."), ROOT].map((folder) => join(folder, "node_modules", name, "package.json"));
  const file = [...places, join(below, "..", name, "package.json")].find((one) => existsSync(one));
  const read: unknown = file === undefined ? {} : JSON.parse(readFileSync(file, "utf8"));
  return typeof read === "object" && read !== null && "version" in read ? String(read.version) : "";
}

/** `✓`, or `✓ 3 in 1`: three questions in one pause of the run. */
function cell({ not, pauses, problems: found }: ScenarioResult): string {
  if (not !== undefined) return `– ${not}`;
  const questions = pauses.flat().length;
  return found.length > 0 ? "✗" : questions > 1 ? `✓ ${questions} in ${pauses.length}` : "✓";
}

function table(of: readonly SdkResult[]): string {
  const head = ["", ...of.map(({ sdk, version }) => `${PACKAGE_OF[sdk][1]} ${version}`)];
  const rows = SCENARIOS.map(({ says }, at) => [says, ...of.map(({ results }) => (results[at] === undefined ? "" : cell(results[at])))]);
  return [head, head.map(() => "---"), ...rows]
    .map((row) =>
      `| ${row.join(" | ")} |`
        .replace(/^\| {2}/, "| ")
        .replaceAll("| --- ", "|---")
        .replace("|--- |", "|---|"),
    )
    .join("\n");
}

function writePage(text: string): void {
  const [from, to] = ["<!-- npm run sdks -->", "<!-- until here -->"] as const;
  const page = readFileSync(PAGE, "utf8");
  const [start, end] = [page.indexOf(from), page.indexOf(to)];
  if (start === -1 || end < start) throw new Error(`evidence/sdks.md has no place for it: ${from}`);
  writeFileSync(PAGE, `${page.slice(0, start + from.length)}\n\n${text}\n\n${page.slice(end)}`);
}
