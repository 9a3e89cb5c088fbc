import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { teamLoadPicture } from "../../test/docs/plots.ts";
import type { PartResult, RatedLoad } from "./parts.ts";

/** What `bench/team.json` holds. */
export interface TeamLoad {
  readonly date: string;
  readonly node: string;
  readonly processor: string;
  readonly postgresql: string;
  readonly machines: number;
  readonly records: number;
  readonly processes: number;
  readonly parts: readonly PartResult[];
}

const ms = (value: number): string => (!Number.isFinite(value) ? "none" : `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`);
const s = (value: number): string => (!Number.isFinite(value) ? "not all" : `${(value / 1000).toFixed(1)} s`);
const core = (value: number): string => `${Math.round(value * 100)} %`;
const count = (value: number): string => value.toLocaleString("en-US");
const mb = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;

const loadRow = (name: string, { load, used, memory }: RatedLoad): string =>
  `| ${name} | ${count(load.due)} | ${ms(load.latency.p50)} | ${ms(load.latency.p99)} | ${ms(load.latency.p999)} | ${ms(load.latency.most)} | ${count(load.refused)} | ${count(load.failed)} | ${core(used.servers)} | ${core(used.database)} | ${core(used.generator)} | ${mb(memory)} |`;
const LOAD_HEAD = [
  "| | requests | p50 | p99 | p99.9 | longest | refused | failed | server | PostgreSQL | generator | server's memory |",
  "|---|---|---|---|---|---|---|---|---|---|---|---|",
];

/** Of a part, as Markdown. */
function tableOf(result: PartResult): readonly string[] {
  switch (result.part) {
    case "steady":
      return [
        `**Steady**: ${count(result.run.rate)} requests of one record a second for ${result.run.seconds} s, by ${count(result.run.load.sockets)} connections; ${result.streams === 0 ? "no streams of events open" : `${count(result.streams)} streams of events open`}. The generator was at most ${ms(result.run.load.late.p99)} late (p99). A request cost the server ${Math.round(result.run.each.servers)} µs and PostgreSQL ${Math.round(result.run.each.database)} µs of processor time.`,
        "",
        ...LOAD_HEAD,
        loadRow("steady", result.run),
        ...(result.beside === null
          ? []
          : [
              "",
              `Beside it: a search (${result.beside.search.count} times) took ${ms(result.beside.search.p50)}, at most ${ms(result.beside.search.most)}; a page of a policy's replay (${result.beside.replay.count}, 1,000 records each) ${ms(result.beside.replay.p50)}, at most ${ms(result.beside.replay.most)}.`,
            ]),
      ];
    case "storm":
      return [
        `**Storm**: all machines connect to the stream of events within 5 s. A stream costs the server ${Math.round(result.perStream / 1024)} kB.`,
        "",
        "| | back | half | 99 % | all | refused meanwhile | full handshakes | resumed | server | PostgreSQL | generator |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
        ...(
          [
            ["the first time", result.first],
            ["again, with their sessions", result.again],
          ] as const
        ).map(
          ([name, { spread: one, used }]) =>
            `| ${name} | ${count(one.reached)} of ${count(one.of)} | ${s(one.half)} | ${s(one.p99)} | ${s(one.all)} | ${count(one.refused)} | ${count(one.handshakes.full)} | ${count(one.handshakes.resumed)} | ${used.servers.toFixed(1)} s | ${used.database.toFixed(1)} s | ${one.processor.toFixed(1)} s |`,
        ),
      ];
    case "policy":
      return [
        `**A policy to all**: from its release until the machines have it by their streams. That each says so, some time in the minute after, is not in it.`,
        "",
        "| have it | half | 99 % | all | refused meanwhile | server | PostgreSQL | generator |",
        "|---|---|---|---|---|---|---|---|",
        `| ${count(result.spread.reached)} of ${count(result.spread.of)} | ${s(result.spread.half)} | ${s(result.spread.p99)} | ${s(result.spread.all)} | ${count(result.spread.refused)} | ${result.used.servers.toFixed(1)} s | ${result.used.database.toFixed(1)} s | ${result.spread.processor.toFixed(1)} s |`,
      ];
    case "questions": {
      const { open, asked, answered, kept, seen, whole, page } = result.questions;
      return [
        `**Questions**: five a second while ${count(open)} are open; ${answered} of ${asked} were answered. The person looks four times a second and says yes at once.`,
        "",
        "| | p50 | p99 | longest |",
        "|---|---|---|---|",
        ...(
          [
            ["from the hook until it is kept", kept],
            ["from the hook until it is on the page", seen],
            ["hook, page, hook", whole],
            ["a look at the page", page],
          ] as const
        ).map(([name, one]) => `| ${name} | ${ms(one.p50)} | ${ms(one.p99)} | ${ms(one.most)} |`),
      ];
    }
    case "ramp":
      return [
        `**Until it breaks** (p99 over 1 s, or more than one in a hundred refused): ${result.broke}.`,
        "",
        ...LOAD_HEAD,
        ...result.steps.map((step) => loadRow(`${count(step.rate)} a second`, step)),
        "",
        "![Latency of a request, by requests a second](pictures/team-load.svg)",
      ];
  }
}

export function printResults(parts: readonly PartResult[]): void {
  for (const part of parts) console.log(`${tableOf(part).join("\n")}\n`);
}

const BEGIN = "<!-- load: npm run bench:team -- --write -->";
const END = "<!-- /load -->";
const JSON_FILE = join("bench", "team.json");
const DOCS = join("evidence", "team-load.md");

/** Writes what was measured, the parts that were not measured now as they were before. */
export function keepResults(now: TeamLoad): void {
  const before = readLoad();
  const parts = [...now.parts, ...(before?.parts ?? []).filter(({ part }) => !now.parts.some((one) => one.part === part))];
  const kept: TeamLoad = { ...now, parts };
  writeFileSync(JSON_FILE, `${JSON.stringify(kept, undefined, 2)}\n`);
  for (const { file, svg } of teamLoadPicture(process.cwd())) writeFileSync(file, svg);
  const text = readFileSync(DOCS, "utf8");
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${DOCS} has no place for the table: ${BEGIN} … ${END}`);
  writeFileSync(DOCS, `${text.slice(0, start + BEGIN.length)}\n\n${loadText(kept)}\n\n${text.slice(end)}`);
}

function readLoad(): TeamLoad | undefined {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above
    return JSON.parse(readFileSync(JSON_FILE, "utf8")) as TeamLoad;
  } catch {
    return undefined;
  }
}

function loadText(load: TeamLoad): string {
  const { date, node, processor, machines, records, processes, postgresql, parts } = load;
  const order = ["steady", "storm", "policy", "questions", "ramp"];
  return [
    `${date}, Node ${node}, ${processor}; ${count(machines)} machines, ${count(records)} records at the end, ${processes} process${processes === 1 ? "" : "es"} of the server. PostgreSQL with ${postgresql}. Server, database and generator share the machine; "server", "PostgreSQL" and "generator" are shares of one core, or seconds of one.`,
    ...parts.toSorted((a, b) => order.indexOf(a.part) - order.indexOf(b.part)).map((part) => tableOf(part).join("\n")),
    onPaper(load),
  ].join("\n\n");
}

/** What 100,000 machines need, from what was measured. */
function onPaper({ parts, machines }: TeamLoad): string {
  const steady = parts.find((one) => one.part === "steady");
  const storm = parts.find((one) => one.part === "storm");
  if (steady === undefined || storm === undefined) return "";
  const { servers, database } = steady.run.each;
  const many = 100_000;
  const rate = (steady.run.rate / machines) * many;
  const handshake = (storm.first.used.servers * 1e3) / storm.first.spread.of;
  return [
    `**On paper, ${count(many)} machines** that send as often as these (${count(rate)} requests a second). A request costs the server ${Math.round(servers)} µs and PostgreSQL ${Math.round(database)} µs of processor time: ${((servers * rate) / 1e6).toFixed(1)} and ${((database * rate) / 1e6).toFixed(1)} cores.`,
    `Streams of events: ${((storm.perStream * many) / 2 ** 30).toFixed(1)} GB of memory, ${Math.ceil(many / 15_000)} processes of the server at least (15,000 streams each). A machine that comes back costs ${handshake.toFixed(1)} ms of the servers' processor time: with ${Math.ceil(many / 15_000)} cores all are back in ${Math.ceil((handshake * many) / 1000 / Math.ceil(many / 15_000))} s.`,
  ].join(" ");
}
