import { randomBytes } from "node:crypto";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, connect } from "node:net";
import { join } from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { scratch } from "../scratch.ts";
import { type Database, openEmbedded, openPostgres } from "@assent/team-server/database";
import { FaultMachine, isAllowed } from "./faults/machine.ts";
import { type Front, openFront } from "./faults/front.ts";
import { Approver, bodiesOf, countOf, flawsOf, prepareTeam, questionsOf } from "./faults/team.ts";
import { type Cluster, openCluster } from "./harness/postgresql.ts";
import { end, freePort, serve, type Serving, until } from "./harness/processes.ts";

/**
 * What happens to servers, to the database and to machines while agents work: afterwards each machine's own log is held against what the
 * server has, and each answer against what it let through. `npm run team:faults` has more of everything, and what takes minutes.
 */

const LONG = process.env["TEST_FAULTS"] !== undefined;
const IS_ROOT = process.getuid?.() === 0;
const MACHINES = LONG ? 4 : 2;
// Fewer than a page of them shows.
const QUESTIONS = LONG ? 6 : 2;
/** A machine's, before, while and after something happens. */
const DECISIONS = LONG ? 300 : 40;

const random = Math.random;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface World {
  readonly front: Front;
  readonly servers: Serving[];
  readonly cluster: Cluster | undefined;
  readonly machines: readonly FaultMachine[];
  readonly ada: Approver;
  /** Ends a server without a word and starts it again. */
  readonly kill: (port: number) => Promise<void>;
  readonly database: () => Promise<Database>;
}

interface WorldOptions {
  readonly kind: "embedded" | "PostgreSQL";
  readonly machines?: number;
  readonly shiftMs?: number;
  readonly url?: string;
}

async function makeWorld({ kind, machines = MACHINES, shiftMs = 0, url }: WorldOptions): Promise<World> {
  const host = scratch();
  const folder = join(host.root, "team");
  const cluster = kind === "PostgreSQL" ? await openCluster() : undefined;
  if (cluster !== undefined) onTestFinished(() => cluster.close());
  const open = (): Promise<Database> => (cluster === undefined ? openEmbedded(folder) : Promise.resolve(openPostgres(cluster.address)));
  const first = await open();
  const team = await prepareTeam(first, machines);
  await first.close();
  const words = cluster === undefined ? ["--folder", folder] : ["--database", cluster.address];
  const servers: Serving[] = [];
  onTestFinished(async () => {
    for (const one of servers) await end(one, "SIGKILL");
  });
  for (let at = 0; at < (cluster === undefined ? 1 : 3); at += 1) servers.push(await serve(host, await freePort(), ...words));
  const front = await openFront(
    servers.map(({ port }) => port),
    random,
  );
  onTestFinished(() => front.close());
  const ada = new Approver(front.base, team.invitation);
  await ada.enter();
  const made = team.machines.map((joined) => new FaultMachine(scratch(), joined, url ?? front.base, shiftMs));
  onTestFinished(async () => {
    for (const one of made) await one.stopSending();
  });
  return {
    front,
    servers,
    cluster,
    machines: made,
    ada,
    kill: async (port) => {
      const at = servers.findIndex((one) => one.port === port);
      await end(servers[at], "SIGKILL");
      servers[at] = await serve(host, port, ...words);
    },
    database: async () => {
      // Nobody else may have the folder of the embedded one.
      if (cluster === undefined) await end(servers[0], "SIGTERM");
      const db = await open();
      onTestFinished(() => db.close());
      return db;
    },
  };
}

/**
 * Decisions and questions before, while and after it, a hook that must not get through, and then the two sides held against each other.
 * Resolves with how many records were compared.
 */
async function goThrough(world: World, fault: () => Promise<void>): Promise<number> {
  const { machines, ada } = world;
  for (const one of machines) one.startSending();
  for (const one of machines) one.decide(DECISIONS);
  const asked = machines.flatMap((machine) => Array.from({ length: QUESTIONS }, (_, at) => ({ machine, asked: machine.ask(`run ${at}`) })));
  const [first] = machines;
  if (first === undefined) throw new Error("there is no machine");
  const isAskedFirst = first.hook("weird thing");

  const over = new AbortController();
  const working = (async () => {
    for (let left = DECISIONS; left > 0 || !over.signal.aborted; left -= 1) {
      for (const one of machines) one.decide(1);
      await pause(LONG ? 10 : 20);
    }
  })();
  // Two windows of the page, which do not know of each other.
  const answering = Promise.all(asked.flatMap(({ machine, asked: one }) => [ada.allow(one, machine), ada.allow(one, machine)]));
  const trying = (async () => {
    for (let tries = 0; tries === 0 || (!over.signal.aborted && tries < 20); tries += 1)
      for (const command of ["never mind", "other thing"]) expect(await first.hook(command)).not.toSatisfy(isAllowed);
  })();
  await fault();
  over.abort();
  await Promise.all([working, answering, trying]);
  expect(await isAskedFirst).not.toSatisfy(isAllowed);
  for (const one of machines) one.decide(DECISIONS);

  for (const { machine, asked: one } of asked) expect([machine.take(one), machine.take(one)]).toEqual([true, false]);
  // A yes that people gave to a hook that did not wait: once.
  await until(async () => !isAllowed(await first.hook("weird thing")) && first.lastAsked?.about.what === "run weird thing");
  const question = first.lastAsked;
  if (question === undefined) throw new Error("nobody was asked");
  await ada.allow(question, first);
  const said = [await first.hook("weird thing"), await first.hook("weird thing"), await first.hook("weird thing")];
  expect(said.map(isAllowed)).toEqual([true, false, false]);
  for (const one of machines) await untilLong(async () => (await one.untold(world.front.base)) === 0);
  return hold(world);
}

/** Each machine's own log against what the server has of it. */
async function hold({ machines, database, cluster }: World): Promise<number> {
  if (cluster !== undefined) {
    const db = await database();
    for (const one of machines) await untilLong(async () => (await countOf(db, one.id)) >= one.ownLog().length);
    return check(db, machines);
  }
  // One process has the database: the machines say when they are through.
  for (const one of machines) await untilLong(async () => (await one.unsent()) === 0);
  return check(await database(), machines);
}

async function check(db: Database, machines: readonly FaultMachine[]): Promise<number> {
  let compared = 0;
  for (const one of machines) {
    compared += one.ownLog().length;
    expect(await bodiesOf(db, one.id)).toEqual(one.ownLog());
    expect(await flawsOf(db, one.id)).toEqual([]);
    for (const { state, became, answers } of await questionsOf(db, one.id))
      if (state === "allowed") expect([became, answers]).toEqual(["applied", 1]);
  }
  return compared;
}

async function untilLong(is: () => boolean | Promise<boolean>): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds += 1)
    try {
      return await until(is);
    } catch (error) {
      if (rounds === 2) throw error;
    }
}

describe.skipIf(inject("postgres") === "")("nothing is lost, doubled or let through (PostgreSQL, three servers)", () => {
  it.each<[string, (world: World) => Promise<void>]>([
    [
      "the database is restarted",
      async ({ cluster }) => {
        for (const signal of LONG ? (["SIGINT", "SIGQUIT", "SIGINT", "SIGQUIT"] as const) : (["SIGQUIT"] as const)) {
          await cluster?.restart(signal);
          await pause(LONG ? 3000 : 200);
        }
      },
    ],
    [
      "a server is killed while it has a batch",
      async ({ front, kill }) => {
        for (let times = LONG ? 6 : 2; times > 0; times -= 1) {
          const port = await new Promise<number>((resolve) => (front.onBatch = resolve));
          front.onBatch = undefined;
          await kill(port);
        }
      },
    ],
    [
      "batches come twice, late and in another order, and answers get lost",
      async ({ front }) => {
        front.isBad = true;
        await pause(LONG ? 30_000 : 3000);
        front.isBad = false;
      },
    ],
  ])(
    "%s",
    async (_, fault) => {
      const world = await makeWorld({ kind: "PostgreSQL" });
      expect(await goThrough(world, () => fault(world))).toBeGreaterThan(3 * DECISIONS * MACHINES);
    },
    600_000,
  );

  it.runIf(LONG).each([3_600_000, -3_600_000])(
    "the clock of machines is off by %i ms",
    async (shiftMs) => {
      const world = await makeWorld({ kind: "PostgreSQL", machines: 1, shiftMs });
      expect(await goThrough(world, () => Promise.resolve())).toBeGreaterThan(3 * DECISIONS);
    },
    600_000,
  );

  it.runIf(LONG && IS_ROOT)(
    "the network of a machine is cut for a minute",
    async () => {
      // The machine sees nothing but its own loopback; what leads out of it is a socket in the file system.
      const port = await freePort();
      const world = await makeWorld({ kind: "PostgreSQL", machines: 1, url: `http://127.0.0.1:${port}` });
      const [machine] = world.machines;
      if (machine === undefined) throw new Error("there is no machine");
      const socket = join(machine.place.root, "out");
      const out = createServer((one) => {
        const on = connect(Number(new URL(world.front.base).port), "127.0.0.1");
        one.on("error", () => on.destroy()).pipe(on);
        on.on("error", () => one.destroy()).pipe(one);
      }).listen(socket);
      onTestFinished(() => void out.close());
      const relay = `const net = require("node:net"); net.createServer((one) => { const on = net.connect(${JSON.stringify(socket)});
        one.on("error", () => on.destroy()).pipe(on); on.on("error", () => one.destroy()).pipe(one); }).listen(${port}, "127.0.0.1")`;
      const inside = await inNamespace(["-n"], `ip link set lo up && exec "$0" -e '${relay}'`, process.execPath);
      machine.through = ["nsenter", "-t", String(inside), "-n"];
      const lo = (state: "up" | "down"): void =>
        expect(spawnSync("nsenter", ["-t", String(inside), "-n", "ip", "link", "set", "lo", state]).status).toBe(0);
      const compared = await goThrough(world, async () => {
        await pause(3000);
        lo("down");
        await pause(60_000);
        lo("up");
      });
      expect(compared).toBeGreaterThan(3 * DECISIONS);
      expect(machine.said).toContain("takes records again");
    },
    1_200_000,
  );

  it.runIf(LONG && IS_ROOT)(
    "the disk of a machine is full",
    async () => {
      const world = await makeWorld({ kind: "PostgreSQL", machines: 1 });
      const [machine] = world.machines;
      if (machine === undefined) throw new Error("there is no machine");
      const { home, root } = machine.place;
      const script = `mount -t tmpfs -o size=1m,mode=700 none "$0/tmp" && cp -a "$1/." "$0/tmp" && mount --move "$0/tmp" "$1" && exec sleep 100000`;
      const inside = await inNamespace(["-m", "--propagation", "private"], script, root, home);
      const through = ["nsenter", "-t", String(inside), "-m"];
      machine.through = through;
      const shell = (words: string): void => void spawnSync(through[0] ?? "", [...through.slice(1), "sh", "-c", words, home]);
      const hooks = async (): Promise<void> => {
        for (let times = 0; times < 5; times += 1)
          for (const command of ["never mind", "other thing", `echo ${times}`]) {
            const said = await machine.hook(command);
            if (!command.startsWith("echo")) expect(said).not.toSatisfy(isAllowed);
          }
      };
      machine.startSending();
      await hooks();
      shell('dd if=/dev/zero of="$0/fill" bs=1k; dd if=/dev/zero of="$0/fill2" bs=1');
      await hooks();
      await pause(5000);
      shell('rm "$0/fill" "$0/fill2"');
      await hooks();
      const db = await world.database();
      const own = (): readonly string[] => machine.ownLog(`/proc/${inside}/root`);
      await untilLong(async () => (await countOf(db, machine.id)) >= own().length);
      expect(await bodiesOf(db, machine.id)).toEqual(own());
      expect(await flawsOf(db, machine.id)).toEqual([]);
    },
    1_200_000,
  );
});

describe("nothing is lost, doubled or let through (embedded)", () => {
  it.runIf(LONG)(
    "the server is killed",
    async () => {
      const world = await makeWorld({ kind: "embedded" });
      const compared = await goThrough(world, async () => {
        for (let times = 4; times > 0; times -= 1) {
          const port = await new Promise<number>((resolve) => (world.front.onBatch = resolve));
          world.front.onBatch = undefined;
          await world.kill(port);
        }
      });
      expect(compared).toBeGreaterThan(3 * DECISIONS * MACHINES);
    },
    600_000,
  );
});

/** A process that holds namespaces, once it is what it was told to become. */
async function inNamespace(flags: readonly string[], script: string, ...words: readonly string[]): Promise<number> {
  const mark = randomBytes(8).toString("hex");
  const child = spawn("unshare", [...flags, "--", "sh", "-c", `echo ${mark}; ${script}`, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const over = once(child, "exit");
    child.kill("SIGKILL");
    await over;
  });
  await once(child.stdout, "data");
  return child.pid ?? 0;
}
