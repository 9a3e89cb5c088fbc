import { openPostgres } from "@assent/team-server/database";
import { recordsToReplay } from "@assent/team-server/policies";
import { searchRecords } from "@assent/team-server/records";
import { Histogram, type Quantiles, quantilesOf } from "./histogram.ts";

/** What was read while machines wrote. */
export interface BesideResult {
  readonly search: Quantiles;
  /** Pages of a thousand records, as the replay of a policy reads them. */
  readonly replay: Quantiles;
}

const EACH_MS = 1000;
const DAY_MS = 86_400_000;

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
  const searchDb = openPostgres(address);
  const replayDb = openPostgres(address);
  const searching = again(search, () => searchRecords(searchDb, { verdict: "deny", since: Date.now() - DAY_MS }));
  let place: string | null = null;
  const replaying = again(replay, async () => {
    const page = await recordsToReplay(replayDb, "default", new Date(Date.now() - 7 * DAY_MS), place);
    place = page.is === "records" ? (page.next ?? null) : null;
  });
  return {
    end: async () => {
      over.abort();
      await Promise.all([searching, replaying]);
      await Promise.all([searchDb.close(), replayDb.close()]);
      return { search: quantilesOf(search), replay: quantilesOf(replay) };
    },
  };
}
