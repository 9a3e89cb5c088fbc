import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { editAround } from "../confined/editor.ts";
import { clientNamed } from "./clients.ts";
import { argsOf, type Client } from "./client.ts";
import { FakeModel } from "./model/server.ts";
import { prompt } from "./model/script.ts";
import { ELSEWHERE, HOME, MOUNTED, PROJECT } from "./place.ts";
import type { Job, Report } from "./report.ts";
import { environmentOf, programOf, start, write } from "./start.ts";
import { modesOf, POLICY, scenariosOf, type Scenario } from "./scenarios.ts";

/** One run, inside its own machine: set up, let the client work, write down what happened. */
async function main(): Promise<void> {
  const job = JSON.parse(readFileSync(join(MOUNTED.out, "job.json"), "utf8")) as Job;
  const client = clientNamed(job.client);
  const scenario = client && [...scenariosOf(client), ...modesOf(client)].find(({ id }) => id === job.scenario);
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
  if (scenario.prepare !== undefined) await start(["sh", "-c", scenario.prepare(client)], env, 20, "prepare");
  const before = scenario.uninstalled === true ? filesOf(HOME) : {};
  if (job.hooked) await register(client, scenario, env);
  const problems = scenario.uninstalled === true ? await unregister(client, before, env) : [];
  // What is registered is still there, what it starts is gone.
  if (job.hooked && scenario.broken === true)
    for (const folder of [MOUNTED.assent, OWN_COPY])
      if (existsSync(folder)) await start(["mount", "-t", "tmpfs", "tmpfs", folder], env, 20, "mount");
  const { edited } = client;
  const ended =
    scenario.sandboxed === true && edited !== undefined
      ? await editAround([...programOf(client), ...edited[scenario.mode].split(" ")], env, prompt("main"), job.seconds)
      : await start(
          [...programOf(client), ...argsOf(client, prompt("main"), scenario.mode, "", scenario.stance)],
          env,
          job.seconds,
          "client",
        );
  const audit = readIf(join(HOME, ".local/state/assent/audit.jsonl"));
  writeFileSync(join(MOUNTED.out, "audit.jsonl"), audit);
  return {
    status: ended.status,
    timedOut: ended.timedOut,
    seconds: ended.seconds,
    made: scenario.expect.made.some((path) => existsSync(path)),
    lacking: (scenario.expect.beside ?? []).filter((path) => !existsSync(path)),
    steps: model.exchanges.filter((one) => one.reply !== undefined && "call" in one.reply).length,
    offers: [...new Set(model.exchanges.flatMap(({ heard }) => heard?.offers ?? []))],
    problems: [...problems, ...model.exchanges.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))],
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
async function register(client: Client, { managed, sandboxed }: Scenario, env: Readonly<Record<string, string>>): Promise<void> {
  write(
    join(HOME, ".agent-permissions.jsonc"),
    sandboxed === true ? POLICY.replace("{", '{\n  "version": 1,\n  "unknown": "confine",') : POLICY,
  );
  await assent(client, "install", managed === true ? ["--managed"] : [], env);
}

async function assent(client: Client, command: string, more: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const words = [MOUNTED.ownNode, `${MOUNTED.assent}/dist/bin.cjs`, command, "--agent", client.id, "--yes", ...more];
  const { status } = await start(words, env, 60, command);
  if (status !== 0) throw new Error(`assent ${command} --agent ${client.id} ended with ${status}`);
}

/** `assent uninstall`. Files that are then others than they were. */
async function unregister(client: Client, before: Files, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await assent(client, "uninstall", [], env);
  const after = filesOf(HOME);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name]);
  return names.map((name) => `uninstalled, ${name} is not as it was`);
}

type Files = Readonly<Record<string, string>>;

/** The texts of files, but for what Assent keeps of its own. */
const filesOf = (folder: string): Files =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => !/^\.(?:local\/(?:state|share)\/assent|agent-permissions)/.test(name) && statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), "latin1")]),
  );

const readIf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

await main();
