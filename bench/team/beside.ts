import { within } from "./fill.ts";
import { Histogram, type Quantiles, quantilesOf } from "./histogram.ts";

/** What was read while machines wrote. */
export interface BesideResult {
  readonly search: Quantiles;
  /** Pages of a thousand records, as the replay of a policy reads them. */
  readonly replay: Quantiles;
}

const EACH_MS = 1000;

/** Somebody searches the log, and a policy's replay reads it page by page, each at most once a second, until `end`. */
export function addRecordsBeside(address: string): { end(): Promise<BesideResult> } {
  const [search, replay] = [new Histogram(), new Histogram()];
  const over = new AbortController();
  const again = async (kept: Histogram, work: () => Promise<unknown>): Promise<void> => {
    while (!over.signal.aborted) {
      const began = performance.now();
      await work();
      kept.add((performance.now() - began) * 1000);
      await new Promise((done) => setTimeout(done, Math.max(0, EACH_MS - (performance.now() - began))));
    }
  };
  const searching = within(address, (db) =>
    again(search, () =>
      db.query(
        `select l.received, m.name, l.verdict, l.body from log l join machines m on m.id = l.machine
         where l.verdict = 'deny' and l.received > now() - interval '1 day' order by l.received desc limit 50`,
      ),
    ),
  );
  let last: { received: Date; hash: Buffer } | undefined;
  const replaying = within(address, (db) =>
    again(replay, async () => {
      const { rows } = await db.query<{ received: Date; hash: Buffer }>(
        `select l.received, l.hash, l.body from log l join machines m on m.id = l.machine
         where m.grp = 'default' and l.received >= coalesce($1, now() - interval '7 days') and l.body is not null and l.verdict is not null
           and ($1::timestamptz is null or (l.received, l.hash) > ($1, $2)) order by l.received, l.hash limit 1000`,
        [last?.received ?? null, last?.hash ?? null],
      );
      last = rows.at(-1);
    }),
  );
  return {
    end: async () => {
      over.abort();
      await Promise.all([searching, replaying]);
      return { search: quantilesOf(search), replay: quantilesOf(replay) };
    },
  };
}
