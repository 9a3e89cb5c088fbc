import * as v from "valibot";
import { type ChainedRecord, type ChainHead, chainRecords, chainStart, type LogBatch, type LogTaken } from "@assent/team/team/protocol";
import { isObject } from "@assent/core/data";
import type { Param, Queryable } from "../database/index.ts";

/** A batch, and the machine whose token it came with: what it says of itself is not asked. */
export interface MachineBatch {
  readonly machine: string;
  readonly batch: LogBatch;
  /** Its records in their places: they lead to the hash that it says. */
  readonly records: readonly ChainedRecord[];
}

/** The batch's records in their places; undefined: it was damaged on its way. */
export function placeRecords({ after, records, hash }: LogBatch): readonly ChainedRecord[] | undefined {
  const placed = chainRecords(after, records);
  return placed.at(-1)?.hash === hash ? placed : undefined;
}

/** So many records of forks are kept for a machine; behind that, forks are still answered as forks. */
const MOST_FORK_RECORDS = 20_000;
/** A new epoch begins a machine's chain anew. */
const MOST_EPOCHS = 10_000;

export const toHex = (digest: string): string => Buffer.from(digest, "base64url").toString("hex");
const fromHex = (hex: string): string => Buffer.from(hex, "hex").toString("base64url");

interface Head {
  readonly machine: string;
  readonly epoch: number;
  seq: number;
  hash: string;
  changed: boolean;
}

export const keyOf = (machine: string, epoch: number): string => `${machine} ${epoch}`;
const headOf = ({ epoch, seq, hash }: Head): ChainHead => ({ epoch, seq, hash });
const HeadRow = v.object({ machine: v.string(), epoch: v.number(), seq: v.number(), hash: v.pipe(v.string(), v.transform(fromHex)) });
const PointRow = v.object({ seq: v.number(), hash: v.pipe(v.string(), v.transform(fromHex)) });

/** The month has no partition yet: make it, and take them again. */
export class MissingMonth extends Error {
  readonly time: Date;
  constructor(time: Date) {
    super(`no partition exists for ${time.toISOString()}`);
    this.time = time;
  }
}

export interface TakeOptions {
  /** Absent: the database's clock, the one that all processes share. */
  readonly now?: (() => Date) | undefined;
  readonly isMonthThere: (time: Date) => boolean;
}

const TimeRow = v.object({ time: v.date() });

async function databaseTime(within: Queryable): Promise<Date> {
  const [row] = await within.rows(TimeRow, "select clock_timestamp() as time");
  if (row === undefined) throw new Error("the database does not know what time it is");
  return row.time;
}

/**
 * Takes batches of many machines in one transaction. INVARIANT: a head moves in the transaction that adds the records before it,
 * and its row is held meanwhile, so that however often and in whatever order a batch comes, each of its records is there once.
 */
export async function takeBatches(
  within: Queryable,
  batches: readonly MachineBatch[],
  { now, isMonthThere }: TakeOptions,
): Promise<readonly LogTaken[]> {
  const heads = await holdHeads(within, batches);
  // With the heads in hand: of two neighbours in a chain the later one has the later time, whichever process takes it.
  const received = now === undefined ? await databaseTime(within) : now();
  if (!isMonthThere(received)) throw new MissingMonth(received);
  const fresh: (ChainedRecord & { readonly machine: string; readonly epoch: number })[] = [];
  const answers: LogTaken[] = [];
  for (const { machine, batch, records } of batches) {
    const { epoch, after } = batch;
    const head = heads.get(keyOf(machine, epoch));
    const last = { seq: after.seq + records.length, hash: batch.hash };
    if (head === undefined) answers.push({ v: 1, is: "gap" });
    else if (after.seq > head.seq) answers.push({ v: 1, is: "gap", head: headOf(head) });
    else {
      // Where both chains have been, they agree or they do not: a hash covers everything before it.
      const met = Math.min(last.seq, head.seq);
      const theirs = met === after.seq ? after.hash : records[met - after.seq - 1]?.hash;
      const ours = met === head.seq ? head.hash : await storedHash(within, head, fresh, met);
      if (ours !== undefined && ours !== theirs) {
        answers.push({ v: 1, is: "fork", seq: await firstDifference(within, head, fresh, after, records), head: headOf(head) });
        await keepFork(within, head, records);
        continue;
      }
      for (const record of records.slice(met - after.seq)) fresh.push({ ...record, machine, epoch });
      if (last.seq > head.seq) Object.assign(head, { seq: last.seq, hash: last.hash, changed: true });
      answers.push({ v: 1, is: "taken", head: headOf(head) });
    }
  }
  if (fresh.length > 0) {
    await insertRecords(within, received, fresh);
    await moveHeads(
      within,
      [...heads.values()].filter(({ changed }) => changed),
    );
  }
  return answers;
}

/** The heads of all chains that batches speak of, held until the transaction ends; those of new epochs are made. In one order everywhere. */
async function holdHeads(within: Queryable, batches: readonly MachineBatch[]): Promise<ReadonlyMap<string, Head>> {
  const wanted = new Map(batches.map(({ machine, batch }) => [keyOf(machine, batch.epoch), { machine, epoch: batch.epoch }]));
  const all = [...wanted.values()].toSorted((a, b) => (a.machine === b.machine ? a.epoch - b.epoch : a.machine < b.machine ? -1 : 1));
  const keys: Param[] = [all.map(({ machine }) => machine), all.map(({ epoch }) => epoch)];
  // An epoch begins only behind the one before it, so that none can be hidden.
  await within.run(
    `insert into chain_heads (machine, epoch, hash)
     select w.machine, w.epoch, decode(w.start, 'hex')
     from unnest($1::text[], $2::int[], $3::text[]) as w(machine, epoch, start)
     where w.epoch <= $4 and (w.epoch = 1 or exists (select from chain_heads h where h.machine = w.machine and h.epoch = w.epoch - 1))
     order by w.machine, w.epoch
     on conflict do nothing`,
    [...keys, all.map(({ machine, epoch }) => toHex(chainStart(machine, epoch).hash)), MOST_EPOCHS],
  );
  const rows = await within.rows(
    HeadRow,
    `select h.machine, h.epoch, h.seq, encode(h.hash, 'hex') as hash
     from chain_heads h join unnest($1::text[], $2::int[]) as w(machine, epoch) on h.machine = w.machine and h.epoch = w.epoch
     order by h.machine, h.epoch
     for update of h`,
    keys,
  );
  return new Map(rows.map((row) => [keyOf(row.machine, row.epoch), { ...row, changed: false }]));
}

type Placed = ChainedRecord & { readonly machine: string; readonly epoch: number };

/** Undefined: its month was dropped, and no checkpoint stands there. */
async function storedHash(within: Queryable, { machine, epoch }: Head, fresh: readonly Placed[], seq: number): Promise<string | undefined> {
  const own = fresh.find((record) => record.machine === machine && record.epoch === epoch && record.seq === seq);
  if (own !== undefined) return own.hash;
  const [row] = await within.rows(
    PointRow,
    `select seq, encode(hash, 'hex') as hash from log where machine = $1 and epoch = $2 and seq = $3
     union all select seq, encode(hash, 'hex') from checkpoints where machine = $1 and epoch = $2 and seq = $3
     limit 1`,
    [machine, epoch, seq],
  );
  return row?.hash;
}

/** The lowest number under which the server has something else; the last one that they share is the one before it. */
async function firstDifference(
  within: Queryable,
  { machine, epoch }: Head,
  fresh: readonly Placed[],
  after: LogBatch["after"],
  records: readonly ChainedRecord[],
): Promise<number> {
  const stored = await within.rows(
    PointRow,
    "select seq, encode(hash, 'hex') as hash from log where machine = $1 and epoch = $2 and seq between $3 and $4",
    [machine, epoch, after.seq, after.seq + records.length],
  );
  const ours = new Map(stored.map(({ seq, hash }) => [seq, hash]));
  for (const record of fresh) if (record.machine === machine && record.epoch === epoch) ours.set(record.seq, record.hash);
  const different = [after, ...records].find(({ seq, hash }) => ours.has(seq) && ours.get(seq) !== hash);
  return different?.seq ?? after.seq;
}

async function keepFork(within: Queryable, { machine, epoch }: Head, records: readonly ChainedRecord[]): Promise<void> {
  await within.run(
    `insert into log_forks (machine, epoch, seq, hash, body_hash, salt, body)
     select $1, $2, r.seq, decode(r.hash, 'hex'), decode(r.body_hash, 'hex'), decode(r.salt, 'hex'), r.body
     from unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[]) as r(seq, hash, body_hash, salt, body)
     where (select count(*) from log_forks f where f.machine = $1) < $8
       and not exists (select from log l where l.machine = $1 and l.epoch = $2 and l.seq = r.seq and l.hash = decode(r.hash, 'hex'))
     on conflict do nothing`,
    [machine, epoch, ...columnsOf(records), MOST_FORK_RECORDS],
  );
}

export const columnsOf = (records: readonly ChainedRecord[]): Param[] => [
  records.map(({ seq }) => seq),
  records.map(({ hash }) => toHex(hash)),
  records.map(({ bodyHash }) => toHex(bodyHash)),
  records.map(({ salt }) => toHex(salt)),
  records.map(({ body }) => body),
];

/** What is looked for, by column. */
export function factColumnsOf(records: readonly ChainedRecord[]): Param[] {
  const facts = records.map(({ body }) => factsOf(body));
  return [
    facts.map(({ time }) => time),
    facts.map(({ verdict }) => verdict),
    facts.map(({ agent }) => agent),
    facts.map(({ tool }) => tool),
  ];
}

async function insertRecords(within: Queryable, received: Date, records: readonly Placed[]): Promise<void> {
  const inserted = await within.run(
    `insert into log (received, machine, epoch, seq, hash, body_hash, salt, body, time, verdict, agent, tool)
     select $1, r.machine, r.epoch, r.seq, decode(r.hash, 'hex'), decode(r.body_hash, 'hex'), decode(r.salt, 'hex'), r.body,
            r.time::timestamptz, r.verdict, r.agent, r.tool
     from unnest($2::text[], $3::int[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[])
       as r(machine, epoch, seq, hash, body_hash, salt, body, time, verdict, agent, tool)
     on conflict do nothing`,
    [received, records.map(({ machine }) => machine), records.map(({ epoch }) => epoch), ...columnsOf(records), ...factColumnsOf(records)],
  );
  if (inserted !== records.length) throw new Error(`${records.length - inserted} records were there before their chain's head`);
}

async function moveHeads(within: Queryable, heads: readonly Head[]): Promise<void> {
  await within.run(
    `update chain_heads h set seq = w.seq, hash = decode(w.hash, 'hex')
     from unnest($1::text[], $2::int[], $3::bigint[], $4::text[]) as w(machine, epoch, seq, hash)
     where h.machine = w.machine and h.epoch = w.epoch`,
    [
      heads.map(({ machine }) => machine),
      heads.map(({ epoch }) => epoch),
      heads.map(({ seq }) => seq),
      heads.map(({ hash }) => toHex(hash)),
    ],
  );
}

/** What is looked for in the log without reading every record. A machine says them of itself: they decide nothing. */
interface RecordFacts {
  /** ISO 8601. */
  readonly time: string | null;
  readonly verdict: string | null;
  readonly agent: string | null;
  readonly tool: string | null;
}

const MOST = 200;
const NOTHING: RecordFacts = { time: null, verdict: null, agent: null, tool: null };

function factsOf(body: string): RecordFacts {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return NOTHING;
  }
  if (!isObject(parsed)) return NOTHING;
  const { time, verdict, agent, tool } = parsed;
  return { time: timeOf(time), verdict: textOf(verdict), agent: textOf(agent), tool: textOf(tool) };
}

/** PostgreSQL keeps no NUL and no half of a surrogate pair, which JSON may write as an escape. */
const textOf = (value: unknown): string | null =>
  typeof value === "string"
    ? value
        .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "�")
        .slice(0, MOST)
        .replace(/\p{Surrogate}/gu, "�")
    : null;

function timeOf(value: unknown): string | null {
  const time = typeof value === "string" && value.length < 40 ? Date.parse(value) : Number.NaN;
  // Four digits for the year: what else ISO 8601 can say PostgreSQL reads otherwise.
  return time >= Date.UTC(1970, 0) && time < Date.UTC(10_000, 0) ? new Date(time).toISOString() : null;
}
