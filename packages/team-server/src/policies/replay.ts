import * as v from "valibot";
import { MESSAGE_LIMITS, type PolicyCommandAnswer } from "@assent/team/team/protocol";
import type { Queryable } from "../database/index.ts";

const PAGE = 1000;
const PAGE_BYTES = MESSAGE_LIMITS.messageBytes / 4;
/** Of a place: when the record came, in microseconds, and then as much of its hash as a place has room for. */
const TIME_BYTES = 8;
const HASH_BYTES = 24;
/** The year 9999: what PostgreSQL and JavaScript both know. */
const LAST_MICROSECOND = 253_402_300_799_000_000n;

const PlacedRow = v.object({ micros: v.number(), hash: v.string(), body: v.string() });
const CountRow = v.object({ count: v.number() });

/**
 * The records of a group's machines since then, a page at a time, as the replay of a policy reads them. `after` is the place of the last
 * one, from the answer before, and looks like a hash: the command signs it, so that nobody else can turn pages. It holds the time, so that
 * a page is found by the index, however long the log is.
 */
export async function recordsToReplay(db: Queryable, group: string, since: Date, after: string | null): Promise<PolicyCommandAnswer> {
  const [micros, hash] = after === null ? [null, null] : readPlace(after);
  const rows = await db.rows(
    PlacedRow,
    `select (extract(epoch from l.received) * 1000000)::bigint as micros, encode(substring(l.hash for ${HASH_BYTES}), 'hex') as hash, l.body
     from log l join machines m on m.id = l.machine
     where m.grp = $1 and l.received >= greatest($2::timestamptz, timestamptz 'epoch' + $3::bigint * interval '1 microsecond')
       and l.body is not null and l.verdict is not null
       and ($4::text is null or l.received > timestamptz 'epoch' + $3::bigint * interval '1 microsecond'
            or substring(l.hash for ${HASH_BYTES}) > decode($4, 'hex'))
     order by l.received, l.hash limit ${PAGE}`,
    [group, since, micros, hash],
  );
  const [{ count } = { count: 0 }] = await db.rows(CountRow, "select count(*) as count from machines where grp = $1 and gone is null", [
    group,
  ]);
  let bytes = 0;
  const fitting = rows.filter(({ body }, at) => (bytes += Buffer.byteLength(body)) <= PAGE_BYTES || at === 0);
  const last = fitting.at(-1);
  const isMore = last !== undefined && (fitting.length < rows.length || rows.length === PAGE);
  return {
    v: 1,
    is: "records",
    bodies: fitting.map(({ body }) => body),
    machines: count,
    ...(isMore ? { next: placeOf(last) } : {}),
  };
}

function placeOf({ micros, hash }: { readonly micros: number; readonly hash: string }): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigInt64BE(BigInt(micros));
  return Buffer.concat([time, Buffer.from(hash, "hex")]).toString("base64url");
}

/** What is no place lies before or behind everything. */
function readPlace(text: string): readonly [micros: string, hash: string] {
  const bytes = Buffer.alloc(TIME_BYTES + HASH_BYTES);
  Buffer.from(text, "base64url").copy(bytes);
  const micros = bytes.readBigInt64BE(0);
  const within = micros < 0n ? 0n : micros > LAST_MICROSECOND ? LAST_MICROSECOND : micros;
  return [String(within), bytes.subarray(TIME_BYTES).toString("hex")];
}
