import * as v from "valibot";
import type { Queryable } from "../database/index.ts";
import type { MachineBatch } from "./take.ts";

/** How much one machine may send on a day (UTC). */
export interface LogQuota {
  readonly records: number;
  readonly bytes: number;
}

/** A busy agent makes some thousand records a day, of a kilobyte. */
export const GENEROUS: LogQuota = { records: 500_000, bytes: 1 << 30 };

export interface MachineUsage {
  readonly machine: string;
  readonly records: number;
  readonly bytes: number;
}

const UsageRow = v.object({ machine: v.string(), records: v.number(), bytes: v.number() });

export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Adds what came, in the transaction that takes it, and gives back what each of its machines sent on this day, to all processes. */
export function addUsage(
  within: Queryable,
  day: string,
  batches: readonly (MachineBatch & { readonly bytes: number })[],
): Promise<readonly MachineUsage[]> {
  const sums = new Map<string, { records: number; bytes: number }>();
  for (const { machine, batch, bytes } of batches) {
    const sum = sums.get(machine) ?? { records: 0, bytes: 0 };
    sums.set(machine, { records: sum.records + batch.records.length, bytes: sum.bytes + bytes });
  }
  // In one order everywhere: two transactions that hold rows of each other would wait for good.
  const all = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return within.rows(
    UsageRow,
    `insert into machine_usage as u (machine, day, records, bytes)
     select w.machine, $1::date, w.records, w.bytes from unnest($2::text[], $3::bigint[], $4::bigint[]) as w(machine, records, bytes)
     order by w.machine
     on conflict (machine, day) do update set records = u.records + excluded.records, bytes = u.bytes + excluded.bytes
     returning u.machine, u.records, u.bytes`,
    [day, all.map(([machine]) => machine), all.map(([, { records }]) => records), all.map(([, { bytes }]) => bytes)],
  );
}

const NameRow = v.object({ name: v.string() });

/** Machines that may send no more on this day. */
export async function machinesOver(db: Queryable, { records, bytes }: LogQuota, now: Date): Promise<readonly string[]> {
  const rows = await db.rows(
    NameRow,
    `select m.name from machine_usage u join machines m on m.id = u.machine
     where u.day = $1::date and (u.records >= $2 or u.bytes >= $3) order by m.name limit 100`,
    [dayOf(now), records, bytes],
  );
  return rows.map(({ name }) => name);
}

export const forgetUsage = (db: Queryable, now: Date): Promise<number> =>
  db.run("delete from machine_usage where day < $1::date", [dayOf(new Date(now.getTime() - 30 * 86_400_000))]);
