import {
  hashStatement,
  keyIdOf,
  makeKeyPair,
  type PolicyCommand,
  type PolicyVersion,
  type Signed,
  signStatement,
} from "@assent/guard/signature";
import { openPostgres } from "@assent/team-server/database";
import { newAdminLink } from "@assent/team-server/enrol";
import { addRecordsBeside, type BesideResult } from "./beside.ts";
import { within } from "./fill.ts";
import type { GeneratorCommand, LoadResult, QuestionsResult, SpreadResult } from "./generator.ts";
import { RawConnection } from "./socket.ts";

/** What processes have used until now: seconds of processor time, and bytes of memory that the servers have. */
export interface Costs {
  readonly database: number;
  readonly servers: number;
  readonly memory: number;
}

/** What a part of the bench has to work with. */
export interface Bench {
  readonly address: string;
  readonly ports: readonly number[];
  readonly ca: string;
  readonly machines: number;
  readonly rate: number;
  readonly seconds: number;
  /** The streams of events of all machines are open meanwhile. */
  readonly withStreams: boolean;
  /** Nobody searches or replays beside the steady load. */
  readonly isAlone: boolean;
  readonly tell: <T>(command: GeneratorCommand) => Promise<T>;
  readonly costs: () => Costs;
  /** Writes down what is known so far: a run may be cut off. */
  readonly keep: (result: PartResult) => void;
}

/** A run at one rate. `used`: processor seconds in a second. */
export interface RatedLoad {
  readonly rate: number;
  readonly seconds: number;
  readonly load: LoadResult;
  readonly used: { readonly database: number; readonly servers: number; readonly generator: number };
  readonly memory: number;
  /** Microseconds of processor time for a request. */
  readonly each: { readonly database: number; readonly servers: number };
}

export type PartResult =
  | { readonly part: "steady"; readonly streams: number; readonly run: RatedLoad; readonly beside: BesideResult | null }
  | { readonly part: "storm"; readonly first: Stormed; readonly again: Stormed; readonly perStream: number }
  | { readonly part: "policy"; readonly spread: SpreadResult; readonly used: Used }
  | { readonly part: "questions"; readonly questions: QuestionsResult; readonly used: Used }
  | { readonly part: "ramp"; readonly steps: readonly RatedLoad[]; readonly broke: string };

/** Processor seconds. */
export interface Used {
  readonly database: number;
  readonly servers: number;
}
export interface Stormed {
  readonly spread: SpreadResult;
  readonly used: Used;
}

const WAIT_MS = 180_000;
const WARM_SECONDS = 30;

async function costing<T>(
  bench: Bench,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly used: Used; readonly seconds: number }> {
  const before = bench.costs();
  const began = performance.now();
  const result = await work();
  const after = bench.costs();
  return {
    result,
    used: { database: after.database - before.database, servers: after.servers - before.servers },
    seconds: (performance.now() - began) / 1000,
  };
}

async function loadAt(bench: Bench, rate: number, seconds: number): Promise<RatedLoad> {
  const { result: load, used, seconds: took } = await costing(bench, () => bench.tell<LoadResult>({ is: "load", rate, seconds }));
  return {
    rate,
    seconds,
    load,
    used: { database: used.database / took, servers: used.servers / took, generator: load.processor / took },
    memory: bench.costs().memory,
    each: { database: (used.database * 1e6) / load.due, servers: (used.servers * 1e6) / load.due },
  };
}

const connectAll = (bench: Bench, withinMs: number, anew = false): Promise<SpreadResult> =>
  bench.tell<SpreadResult>({ is: "connect", withinMs, waitMs: WAIT_MS, anew });
const leaveAll = async (bench: Bench): Promise<void> => {
  await bench.tell({ is: "disconnect" });
  await new Promise((done) => setTimeout(done, 2000));
};
/** Slowly enough that nobody is refused. */
const calmly = (bench: Bench): number => bench.machines * 4;

async function steady(bench: Bench): Promise<PartResult> {
  const streams = bench.withStreams ? (await connectAll(bench, calmly(bench))).reached : 0;
  await loadAt(bench, bench.rate, 5);
  const beside = bench.isAlone ? undefined : addRecordsBeside(bench.address);
  const run = await loadAt(bench, bench.rate, bench.seconds);
  const found = (await beside?.end()) ?? null;
  if (bench.withStreams) await leaveAll(bench);
  return { part: "steady", streams, run, beside: found };
}

async function storm(bench: Bench): Promise<PartResult> {
  const stormed = async (anew: boolean): Promise<Stormed> => {
    const { result: spread, used } = await costing(bench, () => connectAll(bench, 5000, anew));
    return { spread, used };
  };
  const { memory } = bench.costs();
  const first = await stormed(true);
  const perStream = (bench.costs().memory - memory) / bench.machines;
  await leaveAll(bench);
  const again = await stormed(false);
  await leaveAll(bench);
  return { part: "storm", first, again, perStream };
}

async function policy(bench: Bench): Promise<PartResult> {
  await connectAll(bench, calmly(bench));
  const { release, version } = await pushVersion(bench);
  const { result: spread, used } = await costing(bench, async () => {
    const reached = bench.tell<SpreadResult>({ is: "policy", version, waitMs: WAIT_MS });
    await release();
    return reached;
  });
  await leaveAll(bench);
  return { part: "policy", spread, used };
}

const POLICY = `{\n  "permissions": {\n    "deny": [${Array.from({ length: 40 }, (_, at) => `"Read(**/secrets-${at}/**)"`).join(", ")}]\n  }\n}\n`;

/** A team's key, a version signed by it that the server has, and what releases it to all. */
async function pushVersion({ address, ports, ca }: Bench): Promise<{ readonly version: number; readonly release: () => Promise<void> }> {
  const pair = makeKeyPair();
  const connection = new RawConnection(() => ({ port: ports[0] ?? 0, ca }));
  const organisation = await within(address, async (db) => {
    // A key that this bench has not: the one of an earlier run went with it.
    await db.query("truncate policy_versions, policy_keys cascade");
    await db.query("insert into policy_keys (id, public_key, added, added_by) values ($1, $2, now(), 'the bench')", [
      keyIdOf(pair.publicKey),
      pair.publicKey,
    ]);
    const { rows } = await db.query<{ id: string }>("select id from organisation");
    return rows[0]?.id ?? "";
  });
  const version = 1;
  const made = new Date().toISOString();
  const statement: PolicyVersion = {
    is: "policy",
    organisation,
    group: "default",
    version,
    previous: null,
    made,
    expires: null,
    renewal: null,
    policy: POLICY,
  };
  const signed: Signed<PolicyVersion> = signStatement(statement, pair);
  const command = async (what: "push" | "release"): Promise<void> => {
    const said: PolicyCommand = {
      is: "command",
      organisation,
      what,
      about: hashStatement(statement),
      group: "default",
      version,
      percent: what === "release" ? 100 : null,
      days: null,
      at: new Date().toISOString(),
    };
    const body = JSON.stringify({ v: 1, command: signStatement(said, pair), ...(what === "push" ? { signed } : {}) });
    const answer = await connection.ask("POST", "/v1/policy/command", "", body);
    if (answer.status !== 200) throw new Error(`${what}: ${answer.body}`);
  };
  await command("push");
  return { version, release: () => command("release").finally(() => connection.close()) };
}

async function questions(bench: Bench): Promise<PartResult> {
  await connectAll(bench, calmly(bench));
  const db = openPostgres(bench.address);
  const key = await newAdminLink(db, "the bench", new Date());
  await db.close();
  const port = bench.ports[0] ?? 0;
  const origin = `https://localhost:${port}`;
  const page = new RawConnection(() => ({ port, ca: bench.ca }));
  const { head } = await page.post(
    "/enter",
    `origin: ${origin}\r\ncontent-type: application/x-www-form-urlencoded\r\n`,
    new URLSearchParams({ key }).toString(),
  );
  page.close();
  const [, cookie = ""] = /\r\nset-cookie: ([^;\r]+)/i.exec(head) ?? [];
  if (cookie === "") throw new Error("nobody was let in at the page");
  const { result, used } = await costing(bench, () =>
    bench.tell<QuestionsResult>({ is: "questions", open: 1000, rate: 5, seconds: Math.min(60, bench.seconds), cookie, origin }),
  );
  await leaveAll(bench);
  return { part: "questions", questions: result, used };
}

const TOO_SLOW_MS = 1000;
const STEP_SECONDS = 15;

/** Up from half the rate until it is too slow, or refuses more than one in a hundred. */
async function ramp(bench: Bench): Promise<PartResult> {
  const steps: RatedLoad[] = [];
  // What has just been started has nothing of the machines in its memory yet.
  await loadAt(bench, Math.round(bench.rate / 4), Math.min(WARM_SECONDS, bench.seconds));
  for (let rate = bench.rate / 2; ; rate *= 1.25) {
    const step = await loadAt(bench, Math.round(rate), Math.min(STEP_SECONDS, bench.seconds));
    steps.push(step);
    console.error(`  ${step.rate} a second: p99 ${step.load.latency.p99.toFixed(0)} ms`);
    const { refused, failed, due, latency } = step.load;
    if (latency.p99 > TOO_SLOW_MS || refused + failed > due / 100) return { part: "ramp", steps, broke: whatBroke(step) };
    bench.keep({ part: "ramp", steps, broke: "not reached, the run was cut off" });
  }
}

function whatBroke({ load, used }: RatedLoad): string {
  const busiest = (["servers", "database", "generator"] as const).toSorted((a, b) => used[b] - used[a])[0] ?? "servers";
  const names = { servers: "the server's process", database: "PostgreSQL", generator: "the generator itself" };
  const shares = `server ${used.servers.toFixed(2)}, PostgreSQL ${used.database.toFixed(2)}, generator ${used.generator.toFixed(2)} of a core`;
  const refused = load.refused + load.failed;
  return `${names[busiest]} had most to do (${shares})${refused === 0 ? "" : `; ${load.refused} refused with 503, ${load.failed} failed`}`;
}

/** By name, in the order in which they are run. */
export const PARTS = { steady, storm, policy, questions, ramp };
export type PartName = keyof typeof PARTS;
