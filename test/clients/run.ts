import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Client } from "./client.ts";
import { CLIENTS } from "./clients.ts";
import { installNode, installPackage, newest } from "./install.ts";
import { buildAssent, buildHarness, type MachineParts, runInside } from "./machine.ts";
import { judge, judgeControl, unknownTools, type Cell } from "./judge.ts";
import {
  eventsIn,
  readPackage,
  type Packaged,
  UNDRIVEN,
  unknownEvents,
  unknownOptions,
  unknownSettings,
  unknownVariables,
  variablesIn,
} from "./options.ts";
import type { Job, Report } from "./report.ts";
import { EVERY_TOOL, modesOf, scenariosOf, TITLES, type Scenario } from "./scenarios.ts";
import { withRow, type Row } from "./table.ts";

/**
 * `npm run test:agents -- [CLIENT…] [--only SCENARIO]… [--dist FOLDER] [--without] [--keep] [--at-once N]`:
 * installs real clients, lets a scripted model drive each of them through every scenario, each run in a machine of its own, and writes what happened to evidence/clients.md.
 * Each run leaves its outputs and what the model was sent in node_modules/.cache/clients/runs; `--keep` its home folder too.
 * `--modes` drives each way in which a client asks (`stances`) with a call for each verdict, and says what ran. `--without` drives them
 * without Assent, to see that a new client or version can be driven at all. `--newest` (`npm run hosts`) takes the newest version of each, and `--options` drives none: it names the options and events of hooks that a package knows and nobody has looked at.
 */

const CACHE = resolve("node_modules/.cache/clients");
const PACKAGES =
  process.env["XDG_CACHE_HOME"] === undefined ? join(CACHE, "packages") : join(process.env["XDG_CACHE_HOME"], "assent-clients");
const HARNESS = join(CACHE, "inside.mjs");
const DOCS = resolve("evidence/clients.md");
/** A client that waits for what never comes (a network, an answer) has failed by then. */
const SECONDS = 300;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: "string", multiple: true },
      dist: { type: "string" },
      without: { type: "boolean", default: false },
      newest: { type: "boolean", default: false },
      options: { type: "boolean", default: false },
      modes: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      "at-once": { type: "string", default: "3" },
    },
  });
  const versioned = <Host extends Packaged>(host: Host): Host => (values.newest ? { ...host, package: newest(host.package) } : host);
  const unknown = positionals.filter((id) => !CLIENTS.some((client) => client.id === id));
  if (unknown.length > 0) throw new Error(`no such client: ${unknown.join(", ")}; there are ${CLIENTS.map(({ id }) => id).join(", ")}`);
  const clients = CLIENTS.filter(({ id }) => positionals.length === 0 || positionals.includes(id)).map(versioned);
  const wanted = ({ id }: Scenario): boolean =>
    values.only === undefined || values.only.some((only) => id === only || id.startsWith(`${only}-`));

  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error("the clients that are installed are those for Linux on x86-64");
  const node = installNode(PACKAGES);
  if ("missing" in node) throw new Error(`the clients' Node.js cannot be installed: ${node.missing}`);
  const others = positionals.length === 0 && (values.newest || values.options) ? UNDRIVEN.map(versioned) : [];
  const known = [...clients, ...others].map((host) => knowsOptions(host, node.folder));
  if (known.includes(false)) process.exitCode = 1;
  if (values.options) return;
  const assent = dirname(values.dist === undefined ? buildAssent(CACHE) : resolve(values.dist));
  await buildHarness("test/clients/inside.ts", HARNESS);
  const turns = queue(Number(values["at-once"]));
  const drive = async (client: Client): Promise<Row> => {
    const date = new Date().toISOString().slice(0, 10);
    const installed = installPackage(PACKAGES, client.package);
    if ("missing" in installed) {
      say(`skip  ${client.name}: cannot be installed: ${installed.missing}`);
      return { client, date, cells: undefined, missing: installed.missing };
    }
    const machine = { client: installed.folder, node: node.folder, assent };
    const offers = new Set<string>();
    const run: Runner = async (job) => {
      const report = await turns(() => driveInside(machine, job));
      for (const tool of report.offers) offers.add(tool);
      return report;
    };
    const runs = (values.modes ? modesOf : scenariosOf)(client).filter(wanted);
    const cells = await Promise.all(runs.map(async (scenario) => ({ scenario, cell: await cell(client, scenario, values, run) })));
    const columns = TITLES.slice(0, -1).map((title) => column(cells.filter(({ scenario }) => scenario.title === title)));
    const unknown = unknownTools(client, offers);
    say(`${unknown === undefined ? "ok   " : "FAIL "} ${client.name}: ${EVERY_TOOL}${unknown === undefined ? "" : `: ${unknown}`}`);
    return { client, date, cells: [...columns, { result: unknown === undefined ? "yes" : "no", why: unknown }], missing: undefined };
  };
  const rows = clients.map(async (client) => {
    const row = await drive(client);
    // Each client's row as soon as it is there: a run may be broken off.
    if (values.only === undefined && !values.without && !values.modes)
      writeFileSync(DOCS, withRow(readFileSync(DOCS, "utf8"), row, CLIENTS));
    return row;
  });
  if ((await Promise.all(rows)).some(({ cells }) => cells?.some(({ result }) => result === "no"))) process.exitCode = 1;
}

/** Every option of the package has been looked at. */
function knowsOptions(host: Packaged, node: string): boolean {
  const { name, version } = host.package;
  const installed = installPackage(PACKAGES, host.package);
  if ("missing" in installed) {
    say(`skip  options of ${host.command}: cannot be installed: ${installed.missing}`);
    return true;
  }
  const { options, texts } = readPackage(host, installed.folder, node);
  const { id } = host;
  const events = id === undefined ? [] : eventsIn(texts);
  const variables = variablesIn(texts);
  const unknown = [
    ...unknownOptions(host.command, options),
    ...unknownEvents(id ?? "", events).map((event) => `the event ${event}`),
    ...unknownSettings(host, texts),
    ...unknownVariables(variables).map((name) => `the variable ${name}`),
  ];
  // A parser that has none was not read.
  const isRead = options.length > 5 && unknown.length === 0;
  say(
    `${isRead ? "ok   " : "FAIL "} ${options.length} options, ${events.length} events, ${variables.length} variables of ${name} ${version}; nobody has looked at: ${unknown.join(" ") || "none"}`,
  );
  return isRead;
}

/** One cell out of all runs that share a column. */
function column(runs: readonly { readonly scenario: Scenario; readonly cell: Cell }[]): Cell {
  const whys = runs.flatMap(({ scenario, cell: { why } }) =>
    why === undefined ? [] : [scenario.part === undefined ? why : `${scenario.part}: ${why}`],
  );
  const results = runs.map(({ cell: { result } }) => result);
  return {
    result: (["no", "ran", "refused", "yes"] as const).find((result) => results.includes(result)) ?? "absent",
    why: whys.length === 0 ? undefined : [...new Set(whys)].join("; "),
  };
}

interface Options {
  readonly without: boolean;
  readonly keep: boolean;
}

type Runner = (job: Job) => Promise<Report>;

async function cell(client: Client, scenario: Scenario, options: Options, run: Runner): Promise<Cell> {
  const remark = client.remarks?.[scenario.id];
  if (scenario.scripts(client) === undefined) return { result: "absent", why: remark };
  const job = { client: client.id, scenario: scenario.id, seconds: SECONDS, keep: options.keep };
  if (options.without) {
    const fault = judgeControl(await run({ ...job, hooked: false }));
    say(`${fault === undefined ? "ok   " : "FAIL "} ${client.name}: ${titleOf(scenario)}: ${fault ?? "goes through without Assent"}`);
    return { result: fault === undefined ? "yes" : "no", why: fault };
  }
  const [report, control] = await Promise.all([
    run({ ...job, hooked: true }),
    scenario.control ? run({ ...job, hooked: false }) : undefined,
  ]);
  const fault = (control && judgeControl(control)) ?? judge(client, scenario, report);
  const result = scenario.expect.runs === "either" ? (report.made ? "ran" : "refused") : "yes";
  say(
    `${fault === undefined ? "ok   " : "FAIL "} ${client.name}: ${titleOf(scenario)} (${report.seconds.toFixed(1)} s): ${fault ?? result}`,
  );
  return { result: fault === undefined ? result : "no", why: fault ?? remark };
}

async function driveInside(machine: Omit<MachineParts, "harness">, job: Job): Promise<Report> {
  const out = join(CACHE, "runs", `${job.client}-${job.scenario}${job.hooked ? "" : "-control"}`);
  const output = await runInside({ ...machine, harness: HARNESS }, job, out, job.seconds + 150);
  const report = join(out, "report.json");
  if (existsSync(report)) return JSON.parse(readFileSync(report, "utf8")) as Report;
  const problem = output.split("\n").findLast((line) => /Error|cannot|failed/i.test(line)) ?? "the harness ended without a report";
  return {
    status: null,
    timedOut: false,
    seconds: 0,
    made: false,
    lacking: [],
    steps: 0,
    offers: [],
    problems: [problem.trim()],
    told: [],
    audit: [],
  };
}

/** At most so many at once, in the order they came. */
function queue(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = places;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

const titleOf = ({ title, part }: Scenario): string => (part === undefined ? title : `${title}: ${part}`);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
