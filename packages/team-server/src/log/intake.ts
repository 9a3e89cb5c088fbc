import * as v from "valibot";
import { MESSAGE_LIMITS, type LogBatch, type LogTaken, type ChainPoint } from "@assent/team/team/protocol";
import type { Database, OftenAsked, Queryable } from "../database/index.ts";
import { ensureMonth, monthOf, nextMonth } from "./months.ts";
import { addUsage, dayOf, GENEROUS, type LogQuota, type MachineUsage } from "./quota.ts";
import { type MachineBatch, MissingMonth, placeRecords, takeBatches, columnsOf, factColumnsOf, keyOf, toHex } from "./take.ts";

/** More waits than can be taken: try again later. Nothing was kept. */
export class Overloaded extends Error {}

/** PostgreSQL, appendix A: what was said was at fault (classes 22 and 23), not the connection or the server. */
const isOfData = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && /^2[23]\w{3}$/.test(error.code);

interface Waiting extends MachineBatch {
  readonly bytes: number;
  /** Hex: it counts only where the machine has this token. Absent: the machine is known. */
  readonly tokenHash: string | undefined;
  /** With nothing: it does not simply go on, or not with this token. */
  readonly resolve: (answer: LogTaken | undefined) => void;
  readonly reject: (why: unknown) => void;
}

export interface IntakeOptions {
  /** Absent: a generous one. */
  readonly quota?: LogQuota | undefined;
  /** When records came: absent, by the database's clock. */
  readonly now?: () => Date;
  /** Told after each transaction. */
  readonly onTaken?: (facts: {
    readonly batches: number;
    readonly records: number;
    readonly milliseconds: number;
    readonly failed: boolean;
  }) => void;
}

/** Of what waits. */
const MOST_WAITING_BYTES = 32 << 20;
/** Of one transaction. */
const MOST_BATCHES = 256;
const MOST_BYTES = 4 * MESSAGE_LIMITS.messageBytes;

/**
 * Where batches wait for the next transaction: while one is under way others come, and go together. An answer is given
 * when the database has said that it is done, never before.
 */
export class LogIntake {
  readonly #db: Database;
  readonly #options: IntakeOptions;
  #queue: Waiting[] = [];
  #bytes = 0;
  #running: Promise<void> | undefined;
  readonly #months = new Set<string>();
  /** What machines sent on one day, as the last transaction said. */
  #usage: { day: string; readonly of: Map<string, MachineUsage> } = { day: "", of: new Map() };

  constructor(db: Database, options: IntakeOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Batches that wait, and their bytes. */
  get waiting(): { readonly batches: number; readonly bytes: number } {
    return { batches: this.#queue.length, bytes: this.#bytes };
  }

  /** Whether a machine has sent what it may on this day. It is known from what it sent last, whichever process took that. */
  isOver(machine: string): boolean {
    const { records, bytes } = this.#options.quota ?? GENEROUS;
    const used = this.#usage.day === this.#day() ? this.#usage.of.get(machine) : undefined;
    return used !== undefined && (used.records >= records || used.bytes >= bytes);
  }

  #day(): string {
    return dayOf(this.#options.now?.() ?? new Date());
  }

  /** Rejects with `Overloaded`, or with what went wrong: then it is not known whether the records were taken, and they are sent again. */
  async take(machine: string, batch: LogBatch, bytes: number): Promise<LogTaken> {
    const answer = await this.#wait(machine, batch, bytes, undefined);
    if (answer === undefined) throw new Error("a batch was not answered");
    return answer;
  }

  /** The same for a batch that goes on where its chain ends, where the machine has this token (hex of its hash); else undefined, and nothing was done. */
  extend(machine: string, batch: LogBatch, bytes: number, tokenHash: string): Promise<LogTaken | undefined> {
    return this.#wait(machine, batch, bytes, tokenHash);
  }

  async #wait(machine: string, batch: LogBatch, bytes: number, tokenHash: string | undefined): Promise<LogTaken | undefined> {
    if (this.#bytes + bytes > MOST_WAITING_BYTES) throw new Overloaded("too much waits already");
    const records = placeRecords(batch);
    // Who sent it is known to nobody yet.
    if (records === undefined) return tokenHash === undefined ? { v: 1, is: "damaged" } : undefined;
    return new Promise((resolve, reject) => {
      this.#queue.push({ machine, batch, records, bytes, tokenHash, resolve, reject });
      this.#bytes += bytes;
      this.#running ??= this.#work();
    });
  }

  /** When everything that waited has been answered. */
  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      // What comes in the same turn goes with it.
      await new Promise(setImmediate);
      let left = this.#next();
      try {
        const others = await this.#extend(left);
        left = others.filter(({ tokenHash }) => tokenHash === undefined);
        for (const { tokenHash, resolve } of others) if (tokenHash !== undefined) resolve(undefined);
        if (left.length > 0) await this.#take(left);
      } catch (error) {
        // One of them may be at fault: each by itself, so that none can hold up the others.
        if (left.length > 1 && isOfData(error)) for (const one of left) await this.#take([one]).catch(one.reject);
        else for (const { reject } of left) reject(error);
      }
    }
    // In the same turn in which nothing waited any more: what comes from now on begins anew.
    this.#running = undefined;
  }

  #next(): readonly Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const one of this.#queue) {
      if (count > 0 && (count >= MOST_BATCHES || bytes + one.bytes > MOST_BYTES)) break;
      count += 1;
      bytes += one.bytes;
    }
    this.#bytes -= bytes;
    return this.#queue.splice(0, count);
  }

  /** Answers those that simply go on where their chains end. Gives back what is left. */
  async #extend(some: readonly Waiting[]): Promise<readonly Waiting[]> {
    const { now } = this.#options;
    await this.#ensureMonths(now?.() ?? new Date());
    const day = this.#day();
    const began = performance.now();
    try {
      const { answers, usage } = await extendChains(this.#db, some, { now, day });
      this.#note(day, usage);
      for (const [one, answer] of answers) one.resolve(answer);
      if (answers.size > 0) this.#tell([...answers.keys()], began, false);
      return some.filter((one) => !answers.has(one));
    } catch (error) {
      // Nothing of it was done: what is at fault is found by taking them.
      if (isOfData(error)) return some;
      this.#tell(some, began, true);
      throw error;
    }
  }

  async #take(some: readonly Waiting[]): Promise<void> {
    const began = performance.now();
    let failed = true;
    try {
      const answers = await this.#taken(some);
      failed = false;
      answers.forEach((answer, at) => some[at]?.resolve(answer));
    } finally {
      this.#tell(some, began, failed);
    }
  }

  #tell(some: readonly Waiting[], began: number, failed: boolean): void {
    const records = some.reduce((sum, { batch }) => sum + batch.records.length, 0);
    this.#options.onTaken?.({ batches: some.length, records, milliseconds: performance.now() - began, failed });
  }

  async #taken(some: readonly Waiting[]): Promise<readonly LogTaken[]> {
    const options = { now: this.#options.now, isMonthThere: (time: Date) => this.#months.has(monthOf(time)) };
    for (;;) {
      try {
        const day = this.#day();
        const { answers, usage } = await this.#db.transaction(async (within) => ({
          answers: await takeBatches(within, some, options),
          usage: await addUsage(within, day, some),
        }));
        this.#note(day, usage);
        return answers;
      } catch (error) {
        if (!(error instanceof MissingMonth)) throw error;
        await this.#ensureMonths(error.time);
      }
    }
  }

  #note(day: string, usage: readonly MachineUsage[]): void {
    if (this.#usage.day !== day) this.#usage = { day, of: new Map() };
    for (const one of usage) this.#usage.of.set(one.machine, one);
  }

  /** This month's partition, and the next one's, so that none is made in a hurry. */
  async #ensureMonths(now: Date): Promise<void> {
    const month = monthOf(now);
    for (const one of [month, nextMonth(month)]) {
      if (this.#months.has(one)) continue;
      await ensureMonth(this.#db, one);
      this.#months.add(one);
    }
  }
}

interface SizedBatch extends MachineBatch {
  readonly bytes: number;
  /** Hex; absent: the machine is known. */
  readonly tokenHash: string | undefined;
}

/** Batches of one chain, each of which begins where the one before it ends. */
interface Stretch<T extends SizedBatch> {
  readonly machine: string;
  readonly epoch: number;
  readonly tokenHash: string | undefined;
  readonly from: ChainPoint;
  to: ChainPoint;
  readonly batches: T[];
}

/**
 * INVARIANT: as `takeBatches` has it. A head that is where the stretch begins is held (in one order everywhere), moved, and its
 * records are added; any other one is left as it is, and so is one that came with a token which is not its machine's now. The time
 * and what a machine has sent come after all heads are held.
 */
const EXTEND: OftenAsked = {
  name: "extend chains",
  text: `
with w as materialized (
  select * from unnest($3::int[], $4::text[], $5::int[], $6::bigint[], $7::text[], $8::bigint[], $9::text[], $10::bigint[],
                       $11::bigint[], $22::text[])
    as w(nth, machine, epoch, after, after_hash, seq, hash, records, bytes, token)
), held as materialized (
  select w.* from w join chain_heads h on h.machine = w.machine and h.epoch = w.epoch join machines m on m.id = w.machine
  where h.seq = w.after and h.hash = decode(w.after_hash, 'hex')
    and (w.token is null
         or m.token_hash = decode(w.token, 'hex') and m.gone is null and (m.expires is null or m.expires > coalesce($1, clock_timestamp())))
  order by h.machine, h.epoch
  for update of h
), moved as (
  update chain_heads h set seq = held.seq, hash = decode(held.hash, 'hex') from held
  where h.machine = held.machine and h.epoch = held.epoch
  returning held.nth, h.machine, h.epoch
), taken as materialized (
  select coalesce($1::timestamptz, clock_timestamp()) as at, count(*) as chains from moved
), added as (
  insert into log (received, machine, epoch, seq, hash, body_hash, salt, body, time, verdict, agent, tool)
  select taken.at, m.machine, m.epoch, r.seq, decode(r.hash, 'hex'), decode(r.body_hash, 'hex'), decode(r.salt, 'hex'), r.body,
         r.time::timestamptz, r.verdict, r.agent, r.tool
  from taken,
       unnest($12::int[], $13::bigint[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[])
         as r(nth, seq, hash, body_hash, salt, body, time, verdict, agent, tool)
       join moved m on m.nth = r.nth
), used as (
  insert into machine_usage as u (machine, day, records, bytes)
  select held.machine, $2::date, sum(held.records)::bigint, sum(held.bytes)::bigint
  from held, taken group by held.machine order by held.machine
  on conflict (machine, day) do update set records = u.records + excluded.records, bytes = u.bytes + excluded.bytes
  returning u.machine, u.records, u.bytes
)
select m.nth, u.machine, u.records, u.bytes from moved m join used u on u.machine = m.machine`,
};
const MovedRow = v.object({ nth: v.number(), machine: v.string(), records: v.number(), bytes: v.number() });

/**
 * Takes what begins where its chain ends, which is nearly all that machines send, by one statement that is a transaction of its own.
 * What it does not answer is for `takeBatches`: it was sent before, comes too early, begins a chain or contradicts one.
 */
async function extendChains<T extends SizedBatch>(
  db: Queryable,
  batches: readonly T[],
  { now, day }: { readonly now?: (() => Date) | undefined; readonly day: string },
): Promise<{ readonly answers: ReadonlyMap<T, LogTaken>; readonly usage: readonly MachineUsage[] }> {
  const stretches = stretchesOf(batches);
  const records = stretches.flatMap((stretch) => stretch.batches.flatMap((one) => one.records));
  const rows = await db.rows(MovedRow, EXTEND, [
    now?.() ?? null,
    day,
    stretches.map((_, nth) => nth),
    stretches.map(({ machine }) => machine),
    stretches.map(({ epoch }) => epoch),
    stretches.map(({ from }) => from.seq),
    stretches.map(({ from }) => toHex(from.hash)),
    stretches.map(({ to }) => to.seq),
    stretches.map(({ to }) => toHex(to.hash)),
    stretches.map((stretch) => stretch.batches.reduce((sum, one) => sum + one.records.length, 0)),
    stretches.map((stretch) => stretch.batches.reduce((sum, { bytes }) => sum + bytes, 0)),
    stretches.flatMap((stretch, nth) => stretch.batches.flatMap((one) => one.records.map(() => nth))),
    ...columnsOf(records),
    ...factColumnsOf(records),
    stretches.map(({ tokenHash }) => tokenHash ?? null),
  ]);
  const answers = new Map<T, LogTaken>();
  for (const { nth } of rows)
    for (const one of stretches[nth]?.batches ?? []) {
      const { epoch, after, hash } = one.batch;
      answers.set(one, { v: 1, is: "taken", head: { epoch, seq: after.seq + one.records.length, hash } });
    }
  return { answers, usage: rows.map(({ machine, records: sent, bytes }) => ({ machine, records: sent, bytes })) };
}

/** Of each chain what follows its first batch; what does not is in none. */
function stretchesOf<T extends SizedBatch>(batches: readonly T[]): readonly Stretch<T>[] {
  const stretches = new Map<string, Stretch<T>>();
  for (const one of batches) {
    const { epoch, after, hash } = one.batch;
    const to = { seq: after.seq + one.records.length, hash };
    const key = keyOf(one.machine, epoch);
    const known = stretches.get(key);
    if (known === undefined) stretches.set(key, { machine: one.machine, epoch, tokenHash: one.tokenHash, from: after, to, batches: [one] });
    else if (known.tokenHash === one.tokenHash && known.to.seq === after.seq && known.to.hash === after.hash) {
      known.batches.push(one);
      known.to = to;
    }
  }
  return [...stretches.values()];
}
