import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { addMachines, addRecords, filledSoFar, newestEpochs, recordsThere, within } from "./fill.ts";
import type { GeneratorCommand } from "./generator.ts";
import { PARTS, type Bench, type PartName, type PartResult } from "./parts.ts";
import { freePort, makeCertificate, memoryOf, processorSeconds, type Running, settingsText, startCluster, startServer } from "./place.ts";
import { keepResults, printResults } from "./report.ts";

const isPart = (name: string): name is PartName => Object.hasOwn(PARTS, name);

/** `npm run bench:team`. */
export async function measureTeam(words: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      part: { type: "string", multiple: true, default: ["steady", "storm", "policy", "questions", "ramp"] },
      machines: { type: "string", default: "10000" },
      records: { type: "string", default: "20000000" },
      months: { type: "string", default: "3" },
      rate: { type: "string", default: "2000" },
      seconds: { type: "string", default: "300" },
      sockets: { type: "string", default: "500" },
      streams: { type: "boolean", default: false },
      alone: { type: "boolean", default: false },
      processes: { type: "string", default: "1" },
      folder: { type: "string" },
      profile: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
    },
  });
  const wrong = values.part.find((name) => !isPart(name));
  if (wrong !== undefined) throw new Error(`there is no part ${wrong}: ${Object.keys(PARTS).join(", ")}`);
  const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), "assent-bench-team-")) : resolve(values.folder);
  mkdirSync(folder, { recursive: true });
  const running: Running[] = [];
  try {
    const machines = Number(values.machines);
    const cluster = await startCluster(folder);
    running.push(cluster);
    const certificate = makeCertificate(folder);
    const start = async () =>
      startServer(folder, { database: cluster.address, ...certificate, port: await freePort(), profile: values.profile });
    const first = await start();
    running.unshift(first);
    await addMachines(cluster.address, machines);
    const filled = await filledSoFar(cluster.address);
    if (filled === "part") throw new Error(`filling ${folder} was cut off before: delete it, it is made anew`);
    if (filled === "none") await preload(cluster.address, machines, Number(values.records), Number(values.months));
    const servers = [first];
    while (servers.length < Number(values.processes)) {
      const one = await start();
      servers.push(one);
      running.unshift(one);
    }
    const generator = fork(fileURLToPath(import.meta.url), {
      env: { PATH: process.env["PATH"], ASSENT_BENCH_GENERATOR: "1" },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      // Keeps what is no number.
      serialization: "advanced",
    });
    running.unshift({ name: "generator", pid: generator.pid ?? 0, stop: async () => generator.disconnect() });
    const tell = teller(generator);
    await tell({
      is: "start",
      targets: servers.map(({ port }) => ({ port, ca: certificate.ca })),
      machines,
      epochs: await newestEpochs(cluster.address, machines),
      sockets: Number(values.sockets),
    });
    const keep = (result: PartResult, records: number): void => {
      if (!values.write) return;
      keepResults({
        date: new Date().toISOString().slice(0, 10),
        node: process.version,
        processor: `${cpus().length} × ${cpus()[0]?.model ?? "?"}`,
        postgresql: settingsText(),
        machines,
        records,
        processes: servers.length,
        parts: [result],
      });
    };
    let there = await recordsThere(cluster.address);
    const bench: Bench = {
      address: cluster.address,
      ports: servers.map(({ port }) => port),
      ca: certificate.ca,
      machines,
      rate: Number(values.rate),
      seconds: Number(values.seconds),
      withStreams: values.streams,
      isAlone: values.alone,
      tell,
      costs: () => ({
        database: processorSeconds(cluster.pid),
        servers: servers.reduce((sum, { pid }) => sum + processorSeconds(pid), 0),
        memory: servers.reduce((sum, { pid }) => sum + memoryOf(pid), 0),
      }),
      keep: (result) => keep(result, there),
    };
    for (const name of values.part.filter(isPart)) {
      console.error(`${new Date().toISOString().slice(11, 19)} ${name} …`);
      const result = await PARTS[name](bench);
      printResults([result]);
      there = await recordsThere(cluster.address);
      keep(result, there);
    }
    const [{ rows }] = [await within(cluster.address, (db) => db.query<{ count: string }>("select count(*) as count from log"))];
    console.log(`records: ${there} in the heads of chains, ${rows[0]?.count} in the log`);
    if (Number(rows[0]?.count) !== there) process.exitCode = 1;
  } finally {
    for (const one of running) await one.stop().catch(() => undefined);
    if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function preload(address: string, machines: number, records: number, months: number): Promise<void> {
  const began = performance.now();
  await addRecords(address, { machines, records, months });
  console.error(`${await recordsThere(address)} records in ${months} months: made in ${Math.round((performance.now() - began) / 1000)} s`);
}

/** Says one thing after the other, each once the one before is answered. */
function teller(generator: ChildProcess): Bench["tell"] {
  return <T>(command: GeneratorCommand) =>
    new Promise<T>((done, reject) => {
      const gone = (): void => reject(new Error("the generator ended"));
      generator.once("exit", gone);
      generator.once("message", (message) => {
        generator.off("exit", gone);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the generator says to this command
        done((message as { result: T }).result);
      });
      generator.send(command);
    });
}
