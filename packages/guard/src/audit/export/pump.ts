import { logRecord, lostRecord, type Sender } from "./otlp.ts";
import type { Claim } from "./position.ts";
import { nextBatch } from "./spool.ts";

export interface Pump {
  /** State folder. */
  readonly folder: string;
  readonly claim: Claim;
  readonly sender: Sender;
  /** Only what is not older; milliseconds since 1970. */
  readonly since?: number;
  /** Goes on as decisions are made, until `ended`. */
  readonly follow: boolean;
  /** Resolves true when it is to end, false when the time is over. */
  readonly ended: (milliseconds: number) => Promise<boolean>;
  /** For people. */
  readonly notice: (text: string) => void;
  readonly now: () => number;
}

export interface Pumped {
  readonly records: number;
  /** Why not all of it was sent. */
  readonly problem?: string;
}

const LINES = 512;
const BYTES = 2 << 20;
const POLL_MS = 1000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 300_000;

/**
 * Sends what was not sent yet, in order, a batch at a time; how far it has come is noted when the collector has said
 * yes. Who is killed in between sends that batch again: at least once, never not at all.
 */
export async function pump(options: Pump): Promise<Pumped> {
  const { folder, claim, sender, follow, ended, notice, now } = options;
  const taken = claim.take(now());
  if ("problem" in taken) return { records: 0, problem: taken.problem };
  let at = taken.position;
  let records = 0;
  let lines = LINES;
  let pause = 0;
  try {
    for (;;) {
      const batch = nextBatch(folder, at, { lines, bytes: BYTES });
      if (batch.lines.length === 0) {
        at = batch.next;
        if (!follow || (await ended(POLL_MS))) return { records };
        continue;
      }
      const wanted = batch.lines.flatMap((line) => logRecord(line, now()) ?? []).filter((record) => isSince(record, options.since));
      // What was dropped before anything was sent was never promised to anybody.
      const lost = at.seq === 0 ? 0 : batch.lost;
      if (lost > 0) notice(`${lost} records were dropped before they could be sent`);
      const held = claim.keep(at, now());
      if ("problem" in held) return { records, problem: held.problem };
      const message = lost > 0 ? [lostRecord(lost, now()), ...wanted] : wanted;
      const sent = message.length === 0 ? ({ is: "accepted" } as const) : await sender.send(message);
      if (sent.is === "accepted") {
        if (sent.complaint !== undefined) notice(sent.complaint);
        if (pause > 0) notice("the collector takes records again");
        pause = 0;
        lines = LINES;
        records += wanted.length;
        at = batch.next;
        const noted = claim.keep(at, now());
        if ("problem" in noted) return { records, problem: noted.problem };
        continue;
      }
      if (sent.is === "too-large" && batch.lines.length > 1) {
        lines = Math.ceil(batch.lines.length / 2);
        continue;
      }
      const why = sent.is === "too-large" ? `a single record is too large for the collector (record ${batch.next.seq})` : sent.why;
      if (!follow) return { records, problem: why };
      if (pause === 0)
        notice(`${sent.is === "away" ? "the collector is away" : "the collector refuses"}: ${why}; the log keeps what is not sent`);
      pause = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pause * 2));
      // Not all machines at the same moment.
      if (await ended(pause * (0.8 + 0.4 * Math.random()))) return { records, problem: why };
    }
  } finally {
    claim.release(at);
  }
}

const isSince = ({ timestamp }: { readonly timestamp?: unknown }, since: number | undefined): boolean =>
  since === undefined || typeof timestamp !== "number" || timestamp >= since;
