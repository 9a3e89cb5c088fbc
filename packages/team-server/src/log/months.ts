import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import * as v from "valibot";
import { canonicalJson } from "@assent/team/team/protocol";
import type { Database, Queryable } from "../database/index.ts";

/** A month in UTC: `2026-11`. */
type MonthName = string;

export const monthOf = (time: Date): MonthName => time.toISOString().slice(0, 7);
const startOf = (month: MonthName): Date => new Date(`${month}-01T00:00:00.000Z`);

export function nextMonth(month: MonthName): MonthName {
  const start = startOf(month);
  return monthOf(new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)));
}

const isMonth = (month: string): boolean => /^\d{4}-(?:0[1-9]|1[0-2])$/.test(month);
const tableOf = (month: MonthName): string => `log_${month.replace("-", "_")}`;

/** Of this program among all that take an advisory lock of this database. */
const MONTHS_LOCK = 7_382_115_903;

/** Makes the partition for a month where there is none. */
export async function ensureMonth(db: Database, month: MonthName): Promise<void> {
  if (!isMonth(month)) throw new RangeError(`${month} is not a month`);
  await db.transaction(async (within) => {
    await within.run("select pg_advisory_xact_lock($1)", [MONTHS_LOCK]);
    await within.script(
      `create table if not exists ${tableOf(month)} partition of log
       for values from ('${startOf(month).toISOString()}') to ('${startOf(nextMonth(month)).toISOString()}')`,
    );
  });
}

const NameRow = v.object({ name: v.string() });

/** The months that there are partitions for, oldest first. */
export async function monthsOf(db: Queryable): Promise<readonly MonthName[]> {
  const rows = await db.rows(
    NameRow,
    "select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'log'::regclass order by 1",
  );
  return rows.flatMap(({ name }) => {
    const [, year, month] = /^log_(\d{4})_(\d{2})$/.exec(name) ?? [];
    return year === undefined || month === undefined ? [] : [`${year}-${month}`];
  });
}

const KeyRow = v.object({ id: v.string(), private_key: v.string() });
const LastRow = v.object({
  machine: v.string(),
  epoch: v.number(),
  first_seq: v.number(),
  seq: v.number(),
  hash: v.string(),
});

/** What a checkpoint says: up to here the chain was, and these records of it were dropped. */
export interface Checkpoint {
  readonly month: MonthName;
  readonly machine: string;
  readonly epoch: number;
  readonly first: number;
  readonly seq: number;
  /** SHA-256 of the chain at `seq`, hex. */
  readonly hash: string;
  /** ISO 8601. */
  readonly made: string;
}

const signedText = (organisation: string, checkpoint: Checkpoint): Buffer =>
  Buffer.from(canonicalJson({ ...checkpoint, is: "assent team checkpoint 1", organisation }));

/**
 * Drops the records of a month. For every chain that had some, a signed checkpoint stays, from which what follows can be proven.
 * Returns how many chains that were; undefined where there is no such month.
 */
export async function dropMonth(db: Database, month: MonthName, made: Date): Promise<number | undefined> {
  if (!isMonth(month)) return undefined;
  return db.transaction(async (within) => {
    await within.run("select pg_advisory_xact_lock($1)", [MONTHS_LOCK]);
    if (!(await monthsOf(within)).includes(month)) return undefined;
    // Nobody adds a record behind what the checkpoints say.
    await within.script(`lock table log in exclusive mode`);
    const [{ id: organisation } = { id: "" }] = await within.rows(v.object({ id: v.string() }), "select id from organisation");
    const key = await serverKey(within);
    const chains = await within.rows(
      LastRow,
      `select distinct on (machine, epoch) machine, epoch, seq, encode(hash, 'hex') as hash,
              min(seq) over (partition by machine, epoch) as first_seq
       from ${tableOf(month)} order by machine, epoch, seq desc`,
    );
    for (const { machine, epoch, first_seq: first, seq, hash } of chains) {
      const checkpoint = { month, machine, epoch, first, seq, hash, made: made.toISOString() };
      const signature = sign(null, signedText(organisation, checkpoint), createPrivateKey(key.private_key)).toString("hex");
      await within.run(
        `insert into checkpoints (month, machine, epoch, first_seq, seq, hash, made, key_id, signature)
         values ($1::date, $2, $3, $4, $5, decode($6, 'hex'), $7, $8, decode($9, 'hex'))`,
        [`${month}-01`, machine, epoch, first, seq, hash, made, key.id, signature],
      );
    }
    await within.script(`drop table ${tableOf(month)}`);
    return chains.length;
  });
}

/** What the server signs with: made when first asked for. */
export async function serverKey(within: Queryable): Promise<{ readonly id: string; readonly private_key: string }> {
  const [known] = await within.rows(KeyRow, "select id, private_key from server_keys order by made desc limit 1");
  if (known !== undefined) return known;
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  const id = createHash("sha256").update(pem).digest("base64url").slice(0, 22);
  const private_key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  await within.run("insert into server_keys (id, private_key, public_key) values ($1, $2, $3)", [id, private_key, pem]);
  return { id, private_key };
}

/** Whether a checkpoint is what its organisation's server signed. */
export function isSigned(organisation: string, checkpoint: Checkpoint, signature: Buffer, publicKey: string): boolean {
  return verify(null, signedText(organisation, checkpoint), createPublicKey(publicKey), signature);
}
