import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { Database } from "@assent/team-server/database";
import { recordsToReplay } from "@assent/team-server/policies";
import { onEveryDatabase, withMachines } from "./harness/databases.ts";

const A = "machine-A-of-the-tests";
const SINCE = new Date("2026-11-20T00:00:00Z");

/** Straight into the table: of a chain nothing is asked here. */
async function addRecords(db: Database, count: number, received: (at: number) => string): Promise<void> {
  const all = Array.from({ length: count }, (_, at) => at);
  const hashes = all.map((at) => createHash("sha256").update(`record ${at}`).digest("hex"));
  await db.script("create table log_all partition of log default");
  await db.run(
    `insert into log (received, machine, epoch, seq, hash, body_hash, salt, body, verdict)
     select r.received::timestamptz, '${A}', 1, r.seq, decode(r.hash, 'hex'), decode(r.hash, 'hex'), '\\x00', r.seq::text, 'allow'
     from unnest($1::text[], $2::bigint[], $3::text[]) as r(received, seq, hash)`,
    [all.map(received), all.map((at) => at + 1), hashes],
  );
}

async function pages(db: Database): Promise<readonly (readonly string[])[]> {
  const all: (readonly string[])[] = [];
  for (let after: string | null = null; ;) {
    const page = await recordsToReplay(db, "default", SINCE, after);
    if (page.is !== "records") throw new Error(page.is);
    all.push(page.bodies);
    if (page.next === undefined) return all;
    after = page.next;
  }
}

onEveryDatabase("the records for a replay", (place) => {
  it.each<[string, (at: number) => string]>([
    ["that came in one moment", () => "2026-11-21T10:00:00.123456Z"],
    ["that came one after the other", (at) => `2026-11-21T10:00:00.${String(123_000 + at).padStart(6, "0")}Z`],
    ["some before the time that is asked for", (at) => (at < 40 ? "2026-11-19T23:59:59.999999Z" : "2026-11-20T00:00:00Z")],
  ])("%s: each once, page by page", async (what, received) => {
    const db = await place.fresh();
    await withMachines(db, A);
    await addRecords(db, 2500, received);
    const found = await pages(db);
    const first = what.startsWith("some before") ? 41 : 1;
    expect(found.flat().toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 2501 - first }, (_, at) => String(at + first)),
    );
    expect(found.map(({ length }) => length)).toEqual([1000, 1000, 501 - first]);
  });

  it.each([
    ["before everything", Buffer.alloc(32), 3],
    ["behind everything", Buffer.alloc(32, 0x7f), 0],
    ["with a time that is none", Buffer.alloc(32, 0xff), 3],
  ])("a place %s makes no error", async (_, bytes, count) => {
    const db = await place.fresh();
    await withMachines(db, A);
    await addRecords(db, 3, () => "2026-11-21T10:00:00Z");
    const page = await recordsToReplay(db, "default", SINCE, bytes.toString("base64url"));
    expect(page).toMatchObject({ is: "records", bodies: { length: count } });
  });
});
