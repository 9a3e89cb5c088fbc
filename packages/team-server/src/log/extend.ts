import * as v from "valibot";
import type { ChainPoint, LogTaken } from "@assent/team/team/protocol";
import type { OftenAsked, Queryable } from "../database/index.ts";
import type { MachineUsage } from "./quota.ts";
import { columnsOf, factColumnsOf, keyOf, type MachineBatch, toHex } from "./take.ts";

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
export async function extendChains<T extends SizedBatch>(
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
