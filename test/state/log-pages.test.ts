import { appendFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chained, linkOf } from "../../packages/guard/src/audit/chain.ts";
import {
  appendAudit,
  auditLine,
  KEEP,
  lineAt,
  logExtent,
  type LogFilter,
  type LogPlace,
  pageBefore,
  type PlacedRecord,
  recordsBetween,
} from "@assent/guard/audit";
import { stateFolder, thisMachine } from "@assent/guard/state";
import { scratch } from "../scratch.ts";

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

interface Wanted {
  readonly minute?: number;
  readonly verdict?: "allow" | "ask" | "deny";
  readonly answer?: string;
  readonly confined?: boolean;
  readonly agent?: string;
  readonly session?: string;
  readonly point?: string;
  readonly command?: string;
  readonly reason?: string;
}

/** A log with files of about `segmentBytes`. */
function world(segmentBytes = 4096) {
  const { home: folder } = scratch();
  const machine = { ...thisMachine(), home: folder, env: {} };
  const state = stateFolder(machine);
  const lineOf = (wanted: Wanted): string =>
    auditLine({
      time: START + (wanted.minute ?? 0) * MINUTE,
      point: wanted.point ?? "hook",
      agent: wanted.agent ?? "claude",
      session: wanted.session ?? "s1",
      cwd: "/repo",
      tool: "Bash",
      input: { command: wanted.command ?? "git status" },
      verdict: {
        decision: wanted.verdict ?? "allow",
        basis: "rule",
        reason: wanted.reason ?? "allowed",
        actions: [],
        unknowns: [],
      },
      shadow: false,
      answer: wanted.answer ?? wanted.verdict ?? "allow",
      milliseconds: 1,
    }).replace('"basis"', wanted.confined === true ? '"confined":true,"basis"' : '"basis"');
  const append = (...all: readonly Wanted[]): void => {
    for (const one of all) expect(appendAudit(machine, lineOf(one), { ...KEEP, segmentBytes, days: 1e6 })).toBeUndefined();
  };
  const files = (): string[] =>
    readdirSync(state)
      .filter((name) => /^audit.*\.jsonl$/.test(name))
      .toSorted((a, b) => (a === "audit.jsonl" ? 1 : b === "audit.jsonl" ? -1 : a < b ? -1 : 1));
  return { machine, state, append, lineOf, files };
}

const commands = (records: readonly PlacedRecord[]): string[] => records.map(({ entry }) => entry.subject);

/** All pages, one after the other. */
function allPages(state: string, filter: LogFilter, most: number, bytes?: number): string[] {
  const found: string[] = [];
  let before: LogPlace | undefined;
  for (let pages = 0; pages < 10_000; pages += 1) {
    const page = pageBefore(state, before, filter, bytes === undefined ? { most } : { most, bytes });
    found.push(...commands(page.records));
    if (page.next === undefined) return found;
    before = page.next;
  }
  throw new Error("it never ends");
}

describe("a page of the log", () => {
  it("of no log is empty", () => {
    const { state } = world();
    expect(pageBefore(state, undefined, {}, { most: 10 })).toEqual({ records: [], read: 0 });
    expect(logExtent(state)).toEqual({ first: 0, last: 0, bytes: 0 });
    expect(recordsBetween(state, 0, 100)).toEqual([]);
    expect(lineAt(state, { segment: 1, at: 0 })).toBeUndefined();
  });

  it("goes back from the newest record to the oldest, over all files, each record once", () => {
    const { state, append, files } = world();
    append(...Array.from({ length: 60 }, (_, at) => ({ command: `git show ${at}` })));
    expect(files().length).toBeGreaterThan(3);
    const back = Array.from({ length: 60 }, (_, at) => `git show ${59 - at}`);
    for (const most of [1, 7, 60, 1000]) expect(allPages(state, {}, most), `pages of ${most}`).toEqual(back);
    // However little is read at a time.
    expect(allPages(state, {}, 1000, 1)).toEqual(back);
  });

  it("goes on where it was while others write and files are put aside", () => {
    const { state, append, files } = world();
    append(...Array.from({ length: 20 }, (_, at) => ({ command: `git show ${at}` })));
    const page = pageBefore(state, undefined, {}, { most: 3 });
    const before = files().length;
    append(...Array.from({ length: 40 }, (_, at) => ({ command: `git show ${20 + at}` })));
    expect(files().length).toBeGreaterThan(before);
    const { records } = pageBefore(state, page.next, {}, { most: 3 });
    expect(commands([...page.records, ...records])).toEqual([19, 18, 17, 16, 15, 14].map((at) => `git show ${at}`));
    expect(lineAt(state, page.records[0]?.place ?? { segment: 0, at: 0 })).toContain('"git show 19"');
  });

  it("shows what is kept when older files are gone", () => {
    const { state, append, files } = world();
    append(...Array.from({ length: 60 }, (_, at) => ({ command: `git show ${at}` })));
    const oldest = pageBefore(state, undefined, {}, { most: 60 }).records.at(-1);
    const [first = ""] = files();
    rmSync(join(state, first));
    const left = allPages(state, {}, 7);
    expect(left.length).toBeLessThan(60);
    expect(left.length).toBe(logExtent(state).last - logExtent(state).first + 1 - notes(state));
    expect(lineAt(state, oldest?.place ?? { segment: 9, at: 9 })).toBeUndefined();
  });

  it("of what has come since a record is read no further back than to that one", () => {
    const { state, append } = world(1 << 20);
    append(...Array.from({ length: 3000 }, (_, at) => ({ command: `git show ${at}`, reason: "x".repeat(300) })));
    const { last } = logExtent(state);
    append({ command: "new" }, { command: "newer", verdict: "deny" });
    const all = pageBefore(state, undefined, {}, { most: 100, after: last });
    expect([commands(all.records), all.next]).toEqual([["newer", "new"], undefined]);
    expect(all.read).toBeLessThan(300_000);
    const found = pageBefore(state, undefined, { verdicts: ["deny"] }, { most: 100, after: last });
    expect([commands(found.records), found.next]).toEqual([["newer"], undefined]);
    expect(commands(pageBefore(state, undefined, { text: "nowhere" }, { most: 100, after: last }).records)).toEqual([]);
    expect(pageBefore(state, undefined, {}, { most: 100, after: last + 2 }).records).toEqual([]);
  });

  const kinds: readonly Wanted[] = [
    { minute: 0, command: "a" },
    { minute: 10, command: "b", verdict: "deny", reason: "denied by a rule" },
    { minute: 20, command: "c", verdict: "ask", answer: "deny" },
    { minute: 30, command: "d", verdict: "ask", agent: "codex", session: "s2" },
    { minute: 40, command: "e", confined: true, point: "run" },
    { minute: 50, command: 'echo "Größe"\n\t.env', agent: "codex" },
    { minute: 60, command: "grep -F 's2' x", session: "s3", reason: 'the "verdict":"deny" of a file' },
  ];
  const filters: readonly (readonly [string, LogFilter, string])[] = [
    ["nothing wanted in particular", {}, "gfedcba"],
    ["refused, by the verdict or by what the host was told", { verdicts: ["deny"] }, "cb"],
    ["asked", { verdicts: ["ask"] }, "dc"],
    ["asked or refused", { verdicts: ["ask", "deny"] }, "dcb"],
    ["no verdict at all", { verdicts: [] }, ""],
    ["a verdict that there is not", { verdicts: ['"'] }, ""],
    ["confined", { confined: true }, "e"],
    ["not confined", { confined: false }, "gfdcba"],
    ["an agent", { agent: "codex" }, "fd"],
    ["an agent whose name only begins so", { agent: "code" }, ""],
    ["a session, not what only speaks of it", { session: "s2" }, "d"],
    ["a point", { point: "run" }, "e"],
    ["a text in a reason", { text: "DENIED by" }, "b"],
    ["a text with quotes and letters of other languages", { text: '"größe"' }, "f"],
    ["a text that stands there escaped", { text: "\\n\\t.ENV" }, "f"],
    ["a text of quotes alone", { text: '"' }, "gf"],
    ["the name of a field is no text", { text: "verdict" }, "g"],
    ["an empty text", { text: "" }, "gfedcba"],
    ["since", { since: START + 40 * MINUTE }, "gfe"],
    ["until", { until: START + 20 * MINUTE }, "cba"],
    ["between", { since: START + 10 * MINUTE, until: START + 30 * MINUTE }, "dcb"],
    ["all of it at once", { verdicts: ["deny"], agent: "claude", text: "a rule", since: START, until: START + 59 * MINUTE }, "b"],
  ];
  it.each(filters)("shows %s", (_name, filter, expected) => {
    const { state, append } = world(1500);
    append(...kinds);
    const letter = new Map(kinds.map(({ command = "" }, at) => [command.slice(0, 4), "abcdefg"[at]]));
    const letters = (found: readonly string[]): string => found.map((one) => letter.get(one.slice(0, 4))).join("");
    for (const most of [1, 2, 100]) expect(letters(allPages(state, filter, most))).toBe(expected);
  });

  it("shows no line that is no record: torn, put in by others, half written, a note of the log", () => {
    const { state, append, lineOf } = world(1 << 20);
    append({ command: "one" });
    const log = join(state, "audit.jsonl");
    appendFileSync(log, '{"v":1,"time":"2026-01-01T00:00:00.000Z","verdict":"allow","input":{"comm\n');
    append({ command: "two" });
    appendFileSync(log, `${lineOf({ command: "forged" })}\n\n\n`);
    append({ command: "three" });
    appendFileSync(log, lineOf({ command: "half" }).slice(0, 90));
    expect(allPages(state, {}, 2)).toEqual(["three", "two", "one"]);
    const { last } = logExtent(state);
    expect(commands(recordsBetween(state, 1, last))).toEqual(["three", "two", "one"]);
  });

  it("reads lines of megabytes and finds what lies behind them", () => {
    const { state, append } = world(1 << 20);
    append({ command: "one" });
    appendFileSync(join(state, "audit.jsonl"), `${"x".repeat(9 << 20)}\n`);
    append({ command: "two" });
    expect(allPages(state, {}, 1)).toEqual(["two", "one"]);
    const { first, last } = logExtent(state);
    expect(commands(recordsBetween(state, last, last))).toEqual(["two"]);
    expect(commands(recordsBetween(state, first, first))).toEqual(["one"]);
  });

  it("shows both of two records with one number", () => {
    const { state, append, lineOf, files } = world(1 << 20);
    append({ command: "one" });
    const log = join(state, files()[0] ?? "");
    const before = readFileSync(log);
    const link = linkOf(before.subarray(0, before.length - 1))?.link ?? { seq: 0, hash: "" };
    // Two processes that wrote at the same moment follow the same record.
    for (const command of ["two", "also two"]) appendFileSync(log, `${chained(link, new Uint8Array(), lineOf({ command })).line}\n`);
    append({ command: "three" });
    expect(recordsBetween(state, 2, 2).map(({ seq, entry }) => [seq, entry.subject])).toEqual([
      [2, "also two"],
      [2, "two"],
    ]);
    expect(allPages(state, {}, 1)).toEqual(["three", "also two", "two", "one"]);
  });

  it("finds the same records by number, by time and by place as a reader of everything does", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            text: fc.integer({ min: 0, max: 3000 }),
            junk: fc.integer({ min: 0, max: 3000 }),
            gap: fc.integer({ min: 0, max: 9 }),
          }),
          {
            minLength: 1,
            maxLength: 40,
          },
        ),
        fc.integer({ min: 1500, max: 300_000 }),
        fc.array(fc.nat(60), { minLength: 1, maxLength: 8 }),
        (rows, segmentBytes, numbers) => {
          const { state, append } = world(segmentBytes);
          let minute = 0;
          for (const [at, { text, junk, gap }] of rows.entries()) {
            minute += gap;
            append({ minute, command: `${at} ${"x ".repeat(text)}` });
            if (junk % 5 === 0) appendFileSync(join(state, "audit.jsonl"), `${"j".repeat(junk * 40)}\n`);
          }
          const everything = pageBefore(state, undefined, {}, { most: 1e6 }).records;
          expect(everything.map(({ entry }) => Number(entry.subject.split(" ")[0]))).toEqual(rows.map((_, at) => at).toReversed());
          for (const [at, low] of numbers.entries()) {
            const high = low + (numbers[at + 1] ?? 3);
            expect(recordsBetween(state, low, high)).toEqual(everything.filter(({ seq }) => seq >= low && seq <= high));
            const time = START + low * MINUTE;
            const [newest] = pageBefore(state, undefined, { until: time }, { most: 1 }).records;
            expect(newest).toEqual(everything.find(({ entry }) => entry.time <= new Date(time).toISOString()));
          }
          for (const { place, entry } of everything) expect(lineAt(state, place)).toContain(`"command":"${entry.subject.slice(0, 20)}`);
          for (const { place } of everything) expect(lineAt(state, { ...place, at: place.at + 1 })).toBeUndefined();
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** Notes of the log itself, which are records of the chain and no decisions. */
const notes = (state: string): number =>
  readdirSync(state)
    .filter((name) => /^audit.*\.jsonl$/.test(name))
    .reduce((sum, name) => sum + readFileSync(join(state, name), "utf8").split('"log":').length - 1, 0);
