import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientNamed } from "./clients.ts";
import { argsOf, type Client } from "./client.ts";
import { FakeModel } from "./model/server.ts";
import { prompt } from "./model/script.ts";
import { ELSEWHERE, HOME, MOUNTED, PROJECT } from "./place.ts";
import type { Job, Report } from "./report.ts";
import { environmentOf, programOf, start, write } from "./start.ts";
import { POLICY, scenariosOf, type Scenario } from "./scenarios.ts";

/** One run, inside its own machine: set up, let the client work, write down what happened. */
async function main(): Promise<void> {
  const job = JSON.parse(readFileSync(join(MOUNTED.out, "job.json"), "utf8")) as Job;
  const client = clientNamed(job.client);
  const scenario = client && scenariosOf(client).find(({ id }) => id === job.scenario);
  const scripts = client && scenario?.scripts(client);
  if (client === undefined || scenario === undefined || scripts === undefined) throw new Error(`no such run: ${JSON.stringify(job)}`);
  const model = new FakeModel(scripts);
  const report = await perform(client, scenario, job, model);
  model.close();
  if (job.keep) cpSync(HOME, join(MOUNTED.out, "home"), { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(MOUNTED.out, "model.json"), JSON.stringify(model.exchanges, undefined, 1));
  writeFileSync(join(MOUNTED.out, "bodies.jsonl"), model.bodies.join("\n"));
  writeFileSync(join(MOUNTED.out, "report.json"), JSON.stringify(report));
}

async function perform(client: Client, scenario: Scenario, job: Job, model: FakeModel): Promise<Report> {
  const origin = `http://127.0.0.1:${await model.listen()}` as const;
  const env = environmentOf(client, origin);
  for (const folder of [PROJECT, ELSEWHERE]) mkdirSync(folder, { recursive: true });
  await start(["git", "init", "-q", PROJECT], env, 20, "git");
  const files = client.files(origin);
  for (const [path, text] of Object.entries(files)) write(path, text);
  for (const [index, command] of (client.before?.(origin) ?? []).entries()) await start(command, env, 60, `before-${index}`);
  for (const [path, text] of Object.entries(scenario.files?.(client) ?? {})) write(path, text);
  if (job.hooked) await register(client, scenario, env);
  // What is registered is still there, what it starts is gone.
  if (job.hooked && scenario.broken === true)
    for (const folder of [MOUNTED.assent, OWN_COPY])
      if (existsSync(folder)) await start(["mount", "-t", "tmpfs", "tmpfs", folder], env, 20, "mount");
  const ended = await start([...programOf(client), ...argsOf(client, prompt("main"), scenario.mode)], env, job.seconds, "client");
  const audit = readIf(join(HOME, ".local/state/assent/audit.jsonl"));
  writeFileSync(join(MOUNTED.out, "audit.jsonl"), audit);
  return {
    ...ended,
    made: scenario.expect.made.some((path) => existsSync(path)),
    steps: model.exchanges.filter((one) => one.reply !== undefined && "call" in one.reply).length,
    offers: [...new Set(model.exchanges.flatMap(({ heard }) => heard?.offers ?? []))],
    problems: model.exchanges.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
    told: model.exchanges.flatMap(({ heard }) => heard?.turns.flatMap((turn) => (turn.by === "tool" ? [turn.text] : [])) ?? []),
    audit: audit
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Report["audit"][number]),
  };
}

/** Where installing has copied the program to. */
const OWN_COPY = join(HOME, ".local/share/assent/app");

/** `assent install`, as a user would call it. */
async function register(client: Client, { managed }: Scenario, env: Readonly<Record<string, string>>): Promise<void> {
  write(join(HOME, ".agent-permissions.jsonc"), POLICY);
  const install = [
    MOUNTED.ownNode,
    `${MOUNTED.assent}/dist/bin.cjs`,
    "install",
    "--agent",
    client.id,
    "--yes",
    ...(managed ? ["--managed"] : []),
  ];
  const { status } = await start(install, env, 60, "install");
  if (status !== 0) throw new Error(`assent install --agent ${client.id} ended with ${status}`);
}

const readIf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

await main();
