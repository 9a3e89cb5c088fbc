import { createHash } from "node:crypto";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { chainRecords, chainStart, type ChainPoint, type LogBatch, type LogRecord, type LogTaken } from "@assent/team/team/protocol";
import type { Database } from "@assent/team-server/database";
import { dropMonth, LogIntake, monthsOf } from "@assent/team-server/log";
import { onEveryDatabase, withMachines } from "./harness/databases.ts";
import { verifyMachine } from "./harness/verify-machine.ts";

const ORGANISATION = "organisation-of-tests0";
const A = "machine-A-of-the-tests";
const B = "machine-B-of-the-tests";

const record = (text: string): LogRecord => ({
  salt: createHash("sha256").update(text).digest().subarray(16).toString("base64url"),
  body: JSON.stringify({ text }),
});

/** What a machine has, and batches of it. */
class Sender {
  readonly records: LogRecord[] = [];
  readonly points: ChainPoint[];
  readonly machine: string;
  readonly epoch: number;

  constructor(machine: string, epoch = 1) {
    this.machine = machine;
    this.epoch = epoch;
    this.points = [chainStart(machine, epoch)];
  }

  add(...records: readonly LogRecord[]): this {
    this.records.push(...records);
    this.points.push(...chainRecords(this.points.at(-1)!, records).map(({ seq, hash }) => ({ seq, hash })));
    return this;
  }

  /** Records `from + 1` to `to`. */
  batch(from: number, to: number): LogBatch {
    return { v: 1, epoch: this.epoch, after: this.points[from]!, records: this.records.slice(from, to), hash: this.points[to]!.hash };
  }

  /** Another one with the same first records. */
  branch(at: number): Sender {
    return new Sender(this.machine, this.epoch).add(...this.records.slice(0, at));
  }
}

const filled = (machine: string, count: number): Sender =>
  new Sender(machine).add(...Array.from({ length: count }, (_, at) => record(`${machine} ${at}`)));

const intakeOf = (db: Database, time = "2026-11-20T10:00:00Z"): LogIntake => new LogIntake(db, { now: () => new Date(time) });
const Body = v.object({ seq: v.number(), body: v.nullable(v.string()) });

const stored = (db: Database, machine: string, epoch = 1) =>
  db.rows(Body, "select seq, body from log where machine = $1 and epoch = $2 order by seq", [machine, epoch]);
const sent = ({ records }: Sender, count = records.length) => records.slice(0, count).map(({ body }, at) => ({ seq: at + 1, body }));

type Step = (a: Sender) => LogBatch;
interface Case {
  readonly what: string;
  readonly batches: readonly Step[];
  /** What is answered to the last one. */
  readonly answer: LogTaken["is"];
  /** How many records of the sender are there then. */
  readonly there: number;
  readonly forks?: number;
}

const own =
  (from: number, to: number): Step =>
  (a) =>
    a.batch(from, to);
/** As if the machine had gone another way behind record `at`. */
const other =
  (at: number, from: number, to: number): Step =>
  (a) =>
    a
      .branch(at)
      .add(...Array.from({ length: 9 }, (_, nth) => record(`x ${nth}`)))
      .batch(from, to);
const changed =
  (from: number, to: number, change: (batch: LogBatch) => Partial<LogBatch>): Step =>
  (a) => {
    const batch = a.batch(from, to);
    return { ...batch, ...change(batch) };
  };

const CASES: readonly Case[] = [
  { what: "the first records", batches: [own(0, 3)], answer: "taken", there: 3 },
  { what: "records that follow", batches: [own(0, 3), own(3, 6)], answer: "taken", there: 6 },
  { what: "the same batch again", batches: [own(0, 3), own(0, 3)], answer: "taken", there: 3 },
  { what: "an older batch again", batches: [own(0, 3), own(3, 6), own(0, 3)], answer: "taken", there: 6 },
  { what: "a part of an older batch", batches: [own(0, 6), own(2, 4)], answer: "taken", there: 6 },
  { what: "a batch of which some are there", batches: [own(0, 3), own(1, 6)], answer: "taken", there: 6 },
  { what: "all from the start, longer", batches: [own(0, 3), own(0, 8)], answer: "taken", there: 8 },
  { what: "a batch that comes too early", batches: [own(0, 3), own(5, 8)], answer: "gap", there: 3 },
  { what: "a batch that comes before all others", batches: [own(5, 8)], answer: "gap", there: 0 },
  { what: "two batches in the wrong order, then in the right one", batches: [own(3, 6), own(0, 3), own(3, 6)], answer: "taken", there: 6 },
  { what: "other records behind the same ones", batches: [own(0, 6), other(3, 3, 6)], answer: "fork", there: 6, forks: 3 },
  { what: "other records from the start", batches: [own(0, 6), other(0, 0, 4)], answer: "fork", there: 6, forks: 4 },
  { what: "other records beyond the head", batches: [own(0, 6), other(3, 3, 8)], answer: "fork", there: 6, forks: 5 },
  { what: "a batch that claims another past", batches: [own(0, 6), other(3, 6, 8)], answer: "fork", there: 6, forks: 2 },
  { what: "the same other records twice", batches: [own(0, 6), other(3, 3, 6), other(3, 3, 6)], answer: "fork", there: 6, forks: 3 },
  {
    what: "a text that was changed on its way",
    batches: [own(0, 3), changed(3, 6, ({ records }) => ({ records: records.with(1, { ...records[1]!, body: '{"text":"forged"}' }) }))],
    answer: "damaged",
    there: 3,
  },
  {
    what: "a salt that was changed on its way",
    batches: [changed(0, 3, ({ records }) => ({ records: records.with(0, { ...records[0]!, salt: record("").salt }) }))],
    answer: "damaged",
    there: 0,
  },
  {
    what: "a batch that lacks its last record",
    batches: [changed(0, 3, ({ records }) => ({ records: records.slice(0, 2) }))],
    answer: "damaged",
    there: 0,
  },
  {
    what: "two records that changed places",
    batches: [changed(0, 3, ({ records: [a, b, c] }) => ({ records: [b!, a!, c!] }))],
    answer: "damaged",
    there: 0,
  },
  { what: "an epoch that skips one", batches: [(a) => new Sender(a.machine, 2).add(record("x")).batch(0, 1)], answer: "gap", there: 0 },
  {
    what: "the records of another epoch",
    batches: [own(0, 3), (a) => ({ ...a.batch(0, 3), epoch: 2 })],
    answer: "fork",
    there: 3,
    forks: 3,
  },
];

onEveryDatabase("the log", (place) => {
  describe("answers", () => {
    it.each(CASES)("$what: $answer", async ({ batches, answer, there, forks = 0 }) => {
      const db = await place.fresh();
      await withMachines(db, A);
      const a = filled(A, 10);
      const intake = intakeOf(db);
      const answers: LogTaken[] = [];
      for (const step of batches) answers.push(await intake.take(A, step(a), 1));
      expect(answers.at(-1)?.is).toBe(answer);
      expect(await stored(db, A)).toEqual(sent(a, there));
      const [{ count } = { count: -1 }] = await db.rows(v.object({ count: v.number() }), "select count(*) as count from log_forks");
      expect(count).toBe(forks);
      for (const chain of await verifyMachine(db, ORGANISATION, A)) expect(chain.flaws).toEqual([]);
    });
  });

  it("says from where on two chains differ", async () => {
    const db = await place.fresh();
    await withMachines(db, A);
    const a = filled(A, 8);
    const intake = intakeOf(db);
    await intake.take(A, a.batch(0, 8), 1);
    const b = a.branch(3).add(record("x"), record("y"));
    expect(await intake.take(A, b.batch(1, 5), 1)).toMatchObject({ is: "fork", seq: 4, head: { seq: 8, hash: a.points[8]!.hash } });
  });

  it("knows a record of another machine for what it is", async () => {
    const db = await place.fresh();
    await withMachines(db, A, B);
    const intake = intakeOf(db);
    const a = filled(A, 3);
    expect(await intake.take(B, a.batch(0, 3), 1)).toMatchObject({ is: "fork", seq: 0 });
    expect(await intake.take(A, a.batch(0, 3), 1)).toMatchObject({ is: "taken" });
    expect(await stored(db, B)).toEqual([]);
  });

  it("goes on in a new epoch after a fork, and keeps both", async () => {
    const db = await place.fresh();
    await withMachines(db, A);
    const intake = intakeOf(db);
    const a = filled(A, 3);
    await intake.take(A, a.batch(0, 3), 1);
    expect((await intake.take(A, new Sender(A).add(record("another")).batch(0, 1), 1)).is).toBe("fork");
    const second = new Sender(A, 2).add(record("again"));
    expect((await intake.take(A, second.batch(0, 1), 1)).is).toBe("taken");
    expect([await stored(db, A), await stored(db, A, 2)]).toEqual([sent(a), sent(second)]);
  });

  it("answers each of a chain's batches that come together, in order or not", async () => {
    const db = await place.fresh();
    await withMachines(db, A, B);
    const [a, b] = [filled(A, 9), filled(B, 4)];
    const intake = intakeOf(db);
    await Promise.all([intake.take(A, a.batch(0, 2), 1), intake.take(B, b.batch(0, 1), 1)]);
    const together = [a.batch(2, 4), a.batch(4, 5), a.batch(2, 4), a.batch(6, 7), a.batch(5, 6), a.branch(2).add(record("x")).batch(2, 3)];
    const [answers, last] = await Promise.all([
      Promise.all(together.map((batch) => intake.take(A, batch, 1))),
      intake.take(B, b.batch(1, 4), 1),
    ]);
    const head = (seq: number) => ({ epoch: 1, seq, hash: a.points[seq]!.hash });
    expect(answers).toEqual([
      { v: 1, is: "taken", head: head(4) },
      { v: 1, is: "taken", head: head(5) },
      { v: 1, is: "taken", head: head(6) },
      { v: 1, is: "taken", head: head(7) },
      { v: 1, is: "taken", head: head(6) },
      { v: 1, is: "fork", seq: 3, head: head(7) },
    ]);
    expect(last).toMatchObject({ is: "taken", head: { seq: 4 } });
    expect([await stored(db, A), await stored(db, B)]).toEqual([sent(a, 7), sent(b)]);
  });

  it("takes batches of many machines at once, each record once", async () => {
    const db = await place.fresh();
    const machines = Array.from({ length: 20 }, (_, at) => `machine-${String(at).padStart(2, "0")}-of-tests-0`);
    await withMachines(db, ...machines);
    const senders = machines.map((machine) => filled(machine, 12));
    const intake = intakeOf(db);
    const all = [0, 4, 8].flatMap((from) => senders.map((sender) => intake.take(sender.machine, sender.batch(from, from + 4), 1)));
    const answers = await Promise.all(all);
    expect(answers.map(({ is }) => is)).toEqual(answers.map(() => "taken"));
    for (const sender of senders) expect(await stored(db, sender.machine)).toEqual(sent(sender));
  });

  it("keeps every text as it is", async () => {
    const db = await place.fresh();
    await withMachines(db, A);
    const texts = [
      "'; drop table log; --",
      "\\",
      '{"a":"\\u0000"}',
      "é🙂\u202e\u001b[2J",
      "{}",
      "null,NULL",
      `${'"'.repeat(50)}`,
      "[".repeat(5000),
    ];
    const bodies = [
      ...texts,
      JSON.stringify({ time: "2026-11-20T10:00:00Z", verdict: "deny", agent: "a\0b\ud800", tool: "'" }),
      JSON.stringify({ time: "-271821-04-20T00:00:00Z", verdict: 7, agent: null, tool: ["x"] }),
      JSON.stringify({ time: "+275760-09-13T00:00:00Z", verdict: "x".repeat(100_000) }),
      JSON.stringify({ time: "infinity" }),
    ];
    const a = new Sender(A).add(...bodies.map((body) => ({ ...record(""), body })));
    expect((await intakeOf(db).take(A, a.batch(0, bodies.length), 1)).is).toBe("taken");
    expect(await stored(db, A)).toEqual(sent(a));
    const Facts = v.object({ verdict: v.nullable(v.string()), agent: v.nullable(v.string()), time: v.nullable(v.date()) });
    const [facts] = await db.rows(Facts, "select verdict, agent, time from log where verdict = 'deny'");
    expect(facts).toEqual({ verdict: "deny", agent: "a��b�".replace("��", "�"), time: new Date("2026-11-20T10:00:00Z") });
  });

  describe("erasing and dropping", () => {
    it("follows a chain whose texts were erased, and finds one that was changed", async () => {
      const db = await place.fresh();
      await withMachines(db, A);
      const a = filled(A, 5);
      await intakeOf(db).take(A, a.batch(0, 5), 1);
      await db.run("update log set body = null, salt = null where seq = 2");
      expect(await verifyMachine(db, ORGANISATION, A)).toEqual([{ epoch: 1, records: 5, erased: 1, dropped: 0, flaws: [] }]);
      await db.run("update log set body = 'forged' where seq = 3");
      expect((await verifyMachine(db, ORGANISATION, A))[0]?.flaws).toEqual([{ seq: 3, what: "changed" }]);
      await db.run("delete from log where seq = 4");
      expect((await verifyMachine(db, ORGANISATION, A))[0]?.flaws).toContainEqual({ seq: 4, what: "missing" });
    });

    it("leaves a signed checkpoint of a month that was dropped", async () => {
      const db = await place.fresh();
      await withMachines(db, A, B);
      const a = filled(A, 6);
      const b = filled(B, 2);
      await intakeOf(db, "2026-09-30T23:59:59Z").take(A, a.batch(0, 2), 1);
      await intakeOf(db, "2026-09-30T23:59:59Z").take(B, b.batch(0, 2), 1);
      await intakeOf(db, "2026-10-01T00:00:00Z").take(A, a.batch(2, 4), 1);
      expect(await monthsOf(db)).toEqual(["2026-09", "2026-10", "2026-11"]);
      expect(await dropMonth(db, "2026-09", new Date("2026-11-01T00:00:00Z"))).toBe(2);
      expect(await dropMonth(db, "2026-09", new Date("2026-11-01T00:00:00Z"))).toBeUndefined();
      expect(await dropMonth(db, "2026-09; drop table machines", new Date())).toBeUndefined();
      expect(await monthsOf(db)).toEqual(["2026-10", "2026-11"]);
      const intake = intakeOf(db, "2026-11-02T00:00:00Z");
      // A machine goes on, also where everything of it was dropped, and what it sends again is known.
      expect((await intake.take(A, a.batch(0, 6), 1)).is).toBe("taken");
      expect((await intake.take(A, a.batch(0, 1), 1)).is).toBe("taken");
      expect((await intake.take(B, b.batch(0, 2), 1)).is).toBe("taken");
      expect((await intake.take(B, b.add(record("x")).batch(2, 3), 1)).is).toBe("taken");
      expect((await intake.take(A, a.branch(1).add(record("x")).batch(1, 2), 1)).is).toBe("fork");
      expect(await verifyMachine(db, ORGANISATION, A)).toEqual([{ epoch: 1, records: 4, erased: 0, dropped: 2, flaws: [] }]);
      expect(await verifyMachine(db, ORGANISATION, B)).toEqual([{ epoch: 1, records: 1, erased: 0, dropped: 2, flaws: [] }]);
      await db.run("update checkpoints set hash = decode($1, 'hex') where machine = $2", ["00".repeat(32), A]);
      expect((await verifyMachine(db, ORGANISATION, A))[0]?.flaws).toContainEqual({ seq: 2, what: "checkpoint" });
      expect((await verifyMachine(db, "another-organisation", B))[0]?.flaws).toContainEqual({ seq: 2, what: "checkpoint" });
    });
  });

  it("loses and doubles nothing, whatever order batches come in and wherever a process is killed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 31 }), async (seed) => {
        const db = await place.fresh();
        const machines = [A, B, "machine-C-of-the-tests"];
        await withMachines(db, ...machines);
        const random = randomFrom(seed);
        const processes = [db, ...(place.kind === "embedded" ? [] : [place.again(), place.again()])];
        const intakes = processes.map((one) => intakeOf(failing(one, random)));
        const senders = machines.map((machine) => filled(machine, 25));
        const cutting = place.kind === "postgresql" ? cutNowAndThen(place.cut, 3) : Promise.resolve();
        await Promise.all(senders.map((sender) => sendAll(sender, intakes, random)));
        await cutting;
        for (const sender of senders) {
          expect(await stored(db, sender.machine)).toEqual(sent(sender));
          expect((await verifyMachine(db, ORGANISATION, sender.machine)).flatMap(({ flaws }) => flaws)).toEqual([]);
        }
        expect(await db.rows(v.object({}), "select 1 from log_forks")).toEqual([]);
      }),
      { numRuns: 4 },
    );
  });
});

/** Numbers below 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A process that is killed now and then: before a statement, or when all is done and nobody has been told. */
function failing(db: Database, random: () => number): Database {
  const killed = (): void => {
    if (random() < 0.06) throw new Error("killed");
  };
  return {
    ...db,
    // What simply goes on is taken by one statement.
    rows: async (schema, sql, params) => {
      killed();
      const done = await db.rows(schema, sql, params);
      killed();
      return done;
    },
    transaction: async (work) => {
      const done = await db.transaction((within) =>
        work({
          rows: async (schema, sql, params) => (killed(), within.rows(schema, sql, params)),
          run: async (sql, params) => (killed(), within.run(sql, params)),
          script: (sql) => within.script(sql),
        }).finally(killed),
      );
      killed();
      return done;
    },
  };
}

/** A machine that sends what it has, and again where it heard nothing; some of it twice, early, or to several processes at once. */
async function sendAll(sender: Sender, intakes: readonly LogIntake[], random: () => number): Promise<void> {
  const most = sender.records.length;
  const at = { known: 0 };
  const below = (limit: number): number => Math.floor(random() * limit);
  for (let tries = 0; at.known < most; tries++) {
    if (tries > 5000) throw new Error(`${sender.machine} is stuck at ${at.known}`);
    const one = async (): Promise<void> => {
      const from = Math.min(most - 1, Math.max(0, at.known + below(7) - 3));
      const to = Math.min(most, from + 1 + below(6));
      const answer = await intakes[below(intakes.length)]!.take(sender.machine, sender.batch(from, to), 1).catch(() => undefined);
      if (answer?.is === "fork" || answer?.is === "damaged") throw new Error(`${sender.machine} has no ${answer.is}`);
      if (answer?.is === "taken") at.known = Math.max(at.known, answer.head.seq);
    };
    await Promise.all(Array.from({ length: 1 + below(3) }, one));
  }
}

async function cutNowAndThen(cut: () => Promise<void>, times: number): Promise<void> {
  for (let at = 0; at < times; at++) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    await cut();
  }
}
