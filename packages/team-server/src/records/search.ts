import * as v from "valibot";
import { type FoundTeamRecord, type FoundTeamRecords, placeOfRecord, type RecordSearch } from "@assent/team/team/protocol";
import type { Database, Param, Queryable } from "../database/index.ts";

const PAGE = 50;
const EXPORT_PAGE = 500;
/** A transaction that adds records is over by then, or was ended (`statement_timeout`). */
const UNDER_WAY_MS = 60_000;

const RecordRow = v.object({
  machine: v.string(),
  name: v.string(),
  epoch: v.number(),
  seq: v.number(),
  /** To the microsecond: a date would lose what the order goes by. */
  received: v.string(),
  verdict: v.nullable(v.string()),
  agent: v.nullable(v.string()),
  body: v.string(),
});
const COLUMNS = `l.machine, m.name, l.epoch, l.seq, to_char(l.received at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as received,
  l.verdict, l.agent, l.body`;

/** The 31st of February is one for JavaScript, and none for PostgreSQL; nor does it know a year 0. */
function isDay(text: string): boolean {
  const time = Date.parse(text);
  return time >= 0 && new Date(time).toISOString().slice(0, 19) === text.slice(0, 19);
}

/** A place between records: the last one that was read. */
const Cursor = v.tuple([
  v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/), v.check(isDay)),
  v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
  v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000)),
  v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
]);
type Cursor = v.InferOutput<typeof Cursor>;

/** Undefined: it is none. */
function readCursor(text: string): Cursor | undefined {
  try {
    const read = v.safeParse(Cursor, JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  }
}

/** A text as it stands in a record, which is JSON: by itself, or as a part of a string. */
export const textForms = (text: string): readonly string[] => [...new Set([text, JSON.stringify(text).slice(1, -1)])];

/** Statements with parameters, put together. */
class Conditions {
  readonly params: Param[] = [];
  readonly #texts: string[] = [];

  /** `?` stands for the value, wherever it is. */
  add(text: string, ...values: readonly Param[]): void {
    let at = 0;
    this.#texts.push(text.replace(/\?/g, () => `$${this.params.push(values[at++] ?? null)}`));
  }
  get text(): string {
    return this.#texts.join(" and ");
  }
}

/** What a text may hold that PostgreSQL takes. */
const storable = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, "");

/** So long one call looks; whoever waits for it is then told how far back it came. */
const LOOKS_MS = 8000;
/** So long one statement should take at most: what takes half of it makes the next stretch of time shorter, a tenth makes it longer. */
const STRETCH_MS = 2000;
const SHORTEST_MS = 1000;
/** In a log that takes 2,000 records a second this is what a statement reads in less than a second. */
const FIRST_MS = 60_000;

/** PostgreSQL ended the statement (`query_canceled`). */
const isEnded = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "57014";

/** How long a call, and a statement of it, may take, and how long the first stretch is: tests have little time. */
export interface SearchLimits {
  readonly looksMs: number;
  readonly stretchMs: number;
  readonly firstMs: number;
}
const LIMITS: SearchLimits = { looksMs: LOOKS_MS, stretchMs: STRETCH_MS, firstMs: FIRST_MS };

/**
 * The newest first, a page at a time. It looks back by stretches of time, as long as a statement can read quickly: there is no index for
 * texts, and what is rare among millions takes longer than anybody waits. `back`: it stopped there, and `next` goes on.
 */
export async function searchRecords(
  db: Database,
  search: RecordSearch,
  { looksMs, stretchMs, firstMs }: SearchLimits = LIMITS,
): Promise<FoundTeamRecords> {
  const cursor = search.after === undefined ? undefined : readCursor(search.after);
  const began = performance.now();
  const tops = [search.until, cursor === undefined ? undefined : Date.parse(cursor[0]) + 1].filter((top) => top !== undefined);
  // What comes while it looks is newer than the first stretch begins.
  let top = tops.length === 0 ? undefined : Math.min(...tops);
  let length = firstMs;
  const records: FoundTeamRecord[] = [];
  for (;;) {
    const from = Math.max(search.since, (top ?? Date.now()) - length);
    const before = performance.now();
    try {
      records.push(...(await stretchOf(db, search, { from, top, cursor, most: PAGE - records.length, stretchMs })));
    } catch (error) {
      if (!isEnded(error) || length <= SHORTEST_MS) throw error;
      length = Math.max(SHORTEST_MS, length / 8);
      continue;
    }
    if (records.length >= PAGE || from <= search.since) return pageOf(records, PAGE);
    const took = performance.now() - before;
    if (took < stretchMs / 10) length *= 4;
    else if (took > stretchMs / 2) length = Math.max(SHORTEST_MS, length / 2);
    top = from;
    if (performance.now() - began > looksMs) return { records, back: new Date(from).toISOString(), next: placeBefore(from) };
  }
}

/** Behind all that came then or later. */
const placeBefore = (time: number): string =>
  placeOfRecord({ received: new Date(time).toISOString().replace("Z", "000Z"), machine: "-", epoch: 1, seq: 1 });

interface Stretch {
  readonly from: number;
  /** Absent: until now. */
  readonly top: number | undefined;
  readonly cursor: Cursor | undefined;
  readonly most: number;
  readonly stretchMs: number;
}

function stretchOf(
  db: Database,
  search: RecordSearch,
  { from, top, cursor, most, stretchMs }: Stretch,
): Promise<readonly FoundTeamRecord[]> {
  const { machine, group, verdict, agent, text } = search;
  const where = new Conditions();
  where.add("l.received >= ?::timestamptz and l.body is not null", new Date(from));
  if (top !== undefined) where.add("l.received < ?::timestamptz", new Date(top));
  if (machine !== undefined)
    where.add("l.machine in (select id from machines where id = ? or name = ?)", storable(machine), storable(machine));
  if (group !== undefined)
    where.add("l.machine in (select id from machines where grp = ? or people_group = ?)", storable(group), storable(group));
  if (verdict === "allow") where.add("l.verdict = 'allow'");
  // Said twice, so that the index of what was not allowed is seen to hold it.
  else if (verdict !== undefined) where.add("l.verdict = ? and l.verdict is distinct from 'allow'", storable(verdict));
  if (agent !== undefined) where.add("l.agent = ?", storable(agent));
  if (text !== undefined) {
    const forms = textForms(storable(text));
    where.add(`(${forms.map(() => "position(? in l.body) > 0").join(" or ")})`, ...forms);
  }
  if (cursor !== undefined) where.add("(l.received, l.machine, l.epoch, l.seq) < (?::timestamptz, ?, ?, ?)", ...cursor);
  return db.transaction(async (within) => {
    await within.run(`set local statement_timeout = ${2 * stretchMs}`);
    return within.rows(
      RecordRow,
      `select ${COLUMNS} from log l join machines m on m.id = l.machine where ${where.text}
       order by l.received desc, l.machine desc, l.epoch desc, l.seq desc limit ${most}`,
      where.params,
    );
  });
}

/** In the order in which they came. A cursor that is none rejects: to begin anew would send everything twice. */
export async function exportRecords(db: Queryable, after: string | undefined, now: Date): Promise<FoundTeamRecords> {
  const where = new Conditions();
  where.add("l.body is not null and l.received < ?::timestamptz", new Date(now.getTime() - UNDER_WAY_MS));
  if (after !== undefined) {
    const cursor = readCursor(after);
    if (cursor === undefined) throw new RangeError("this cursor is not of an export");
    where.add("l.received >= ?::timestamptz and (l.received, l.machine, l.epoch, l.seq) > (?::timestamptz, ?, ?, ?)", cursor[0], ...cursor);
  }
  const records = await db.rows(
    RecordRow,
    `select ${COLUMNS} from log l join machines m on m.id = l.machine where ${where.text}
     order by l.received, l.machine, l.epoch, l.seq limit ${EXPORT_PAGE}`,
    where.params,
  );
  const last = records.at(-1);
  return { records, ...(last === undefined ? {} : { next: placeOfRecord(last) }) };
}

function pageOf(records: readonly FoundTeamRecord[], most: number): FoundTeamRecords {
  const last = records.at(-1);
  return { records, ...(records.length < most || last === undefined ? {} : { next: placeOfRecord(last) }) };
}
