import { statSync } from "node:fs";
import { userInfo } from "node:os";
import { attempt } from "@assent/core/data";
import { visible } from "@assent/core/action";
import { errorCode, messageOf, readRegular, thisMachine, writeAtomic } from "@assent/guard/state";
import {
  type FoundTeamRecord,
  type FoundTeamRecords,
  placeOfRecord,
  type RecordSearch,
  type TeamOperator,
} from "@assent/team/team/protocol";
import { JSON_VERSION, writeJson } from "./json.ts";
import { absolute } from "./place.ts";
import { complain, refuseUse } from "./policy-target.ts";
import { VERSION } from "./program-frame.ts";
import { progressLine } from "./progress.ts";
import { readSince } from "./since.ts";
import { readStdin, writeStderr, writeStdout } from "./stdio.ts";
import { type DatabaseFlags, databaseOf, loadTeamPackage } from "./team-package.ts";

/** Opens the team's database for a command, and closes it. 1: it cannot be used, or what was asked for cannot be done; 2: wrong usage. */
export async function withOperator(command: string, flags: DatabaseFlags, work: (team: TeamOperator) => Promise<number>): Promise<number> {
  const at = databaseOf(thisMachine(), flags);
  if ("problem" in at) return refuseUse(command, at.problem);
  if (at.database === undefined && statSync(at.folder, { throwIfNoEntry: false }) === undefined)
    return refuseUse(
      command,
      `no database was found in ${visible(at.folder)}`,
      "this is for the server's own shell: --database postgres://…, or --folder",
    );
  const loaded = await loadTeamPackage();
  if ("problem" in loaded) {
    complain(command, loaded.problem, loaded.help);
    return 1;
  }
  let team: TeamOperator | undefined;
  try {
    team = await loaded.operate(at);
    return await work(team);
  } catch (error) {
    complain(command, visible(messageOf(error)));
    return 1;
  } finally {
    await team?.close();
  }
}

export interface TeamSearchFlags extends DatabaseFlags {
  readonly machine?: string;
  readonly group?: string;
  readonly verdict?: string;
  readonly agent?: string;
  readonly since: string;
  readonly until?: string;
  readonly after?: string;
  readonly json?: boolean;
}

/** Goes on until something is found. */
async function searchOn(team: TeamOperator, search: RecordSearch): Promise<FoundTeamRecords> {
  const progress = progressLine("days looked back");
  try {
    for (let { after } = search; ;) {
      const found = await team.search({ ...search, after });
      if (found.back === undefined || found.records.length > 0) return found;
      progress.at(Math.round((Date.now() - Date.parse(found.back)) / 86_400_000));
      after = found.next;
    }
  } finally {
    progress.end();
  }
}

/** `assent team search [TEXT]`: 0 something was found, 1 nothing, or it cannot look, 2 wrong usage. */
export async function teamSearch(text: string | undefined, flags: TeamSearchFlags): Promise<number> {
  const COMMAND = "team search";
  const { machine, group, verdict, agent, after, json } = flags;
  const since = readSince(flags.since, Date.now());
  const until = flags.until === undefined ? undefined : readSince(flags.until, Date.now());
  if (typeof since === "object") return refuseUse(COMMAND, since.wrong);
  if (typeof until === "object") return refuseUse(COMMAND, until.wrong);
  return withOperator(COMMAND, flags, async (team) => {
    const wanted = { machine, group, verdict, agent, text, since: Math.max(0, since), until };
    const { records, next } = await searchOn(team, { ...wanted, after });
    if (json === true) writeJson({ records, next: next ?? null });
    else {
      for (const record of records)
        writeStdout(`${visible(`${record.received}  ${record.name}  ${record.verdict ?? "-"}  ${record.body}`)}\n`);
      if (next !== undefined) writeStderr(`there may be older ones: --after ${next}\n`);
    }
    return records.length === 0 ? 1 : 0;
  });
}

export interface TeamEraseFlags extends DatabaseFlags {
  readonly machine?: string;
  readonly before?: string;
  readonly matching?: string;
  readonly json?: boolean;
}

/** `assent team erase`: 0 done, 1 not, 2 wrong usage. */
export async function teamErase(flags: TeamEraseFlags): Promise<number> {
  const COMMAND = "team erase";
  const before = flags.before === undefined ? undefined : readSince(flags.before, Date.now());
  if (typeof before === "object") return refuseUse(COMMAND, before.wrong);
  let { matching } = flags;
  const { machine } = flags;
  if (matching === "-") {
    const read = readStdin();
    if ("problem" in read) return refuseUse(COMMAND, read.problem);
    matching = read.text.replace(/\n$/, "");
  }
  if (matching === "") return refuseUse(COMMAND, "--matching names no text");
  return withOperator(COMMAND, flags, async (team) => {
    if (machine === undefined) return refuseUse(COMMAND, "--machine says whose records");
    const erased = await team.erase({ machine, before, matching }, `the server, ${userInfo().username}`);
    const { records, forks, questions } = erased;
    writeStdout(
      flags.json === true
        ? `${JSON.stringify({ v: JSON_VERSION, ...erased })}\n`
        : `Erased: ${records} record${records === 1 ? "" : "s"}, ${forks} that contradict others, ${questions} question${questions === 1 ? "" : "s"}.\n`,
    );
    return 0;
  });
}

export interface TeamExportFlags extends DatabaseFlags {
  readonly format: string;
  readonly to?: string;
  readonly header: readonly string[];
  readonly cursor?: string;
  /** The place of the last record that arrived. */
  readonly after?: string;
}

const TIMEOUT_MS = 30_000;
type Take = (records: readonly FoundTeamRecord[]) => Promise<string | undefined>;

/** `assent team export`: 0 all of it was handed over, 1 not all, 2 wrong usage. How far it has come is noted when it was taken. */
export async function teamExport(flags: TeamExportFlags): Promise<number> {
  const COMMAND = "team export";
  const { format, to } = flags;
  if (format !== "jsonl" && format !== "otlp") return refuseUse(COMMAND, "the format is jsonl or otlp");
  if ((format === "otlp") !== (to !== undefined)) return refuseUse(COMMAND, "--format otlp and --to belong together");
  if (to !== undefined && !/^https?:$/.test(URL.canParse(to) ? new URL(to).protocol : ""))
    return refuseUse(COMMAND, "--to is not an address");
  const headers = headersOf(flags.header);
  if ("problem" in headers) return refuseUse(COMMAND, headers.problem);
  const file = flags.cursor === undefined ? undefined : absolute(flags.cursor);
  if (file !== undefined && flags.after !== undefined) return refuseUse(COMMAND, "--after and --cursor both say where to begin");
  const begun = file === undefined ? flags.after : readCursorFile(file);
  if (typeof begun === "object") return refuseUse(COMMAND, begun.problem);
  return withOperator(COMMAND, flags, async (team) => {
    const { take, end } = to === undefined ? { take: print, end: () => Promise.resolve() } : await collector(to, headers.values);
    let after = begun;
    let count = 0;
    try {
      for (;;) {
        const { records, next } = await team.exportAfter(after);
        if (next === undefined) break;
        const problem = await take(records);
        if (problem !== undefined) {
          complain(COMMAND, visible(problem), "call this again: it goes on from what was taken");
          return 1;
        }
        count += records.length;
        after = next;
        if (file !== undefined) writeAtomic(file, `${next}\n`);
      }
    } finally {
      await end();
    }
    writeStderr(`${count} record${count === 1 ? "" : "s"} ${to === undefined ? "printed" : "sent"}\n`);
    return 0;
  });
}

/** A line for each: who sent it, where it stands in that machine's chain, and the record as it came. */
const print: Take = (records) => {
  writeStdout(
    records
      .map(
        ({ machine, name, epoch, seq, received, body }) =>
          `${JSON.stringify({ place: placeOfRecord({ received, machine, epoch, seq }), machine, name, epoch, seq, received, record: parsed(body) })}\n`,
      )
      .join(""),
  );
  return Promise.resolve(undefined);
};

const parsed = (body: string): unknown => attempt((): unknown => JSON.parse(body), body);

async function collector(endpoint: string, headers: Readonly<Record<string, string>>): Promise<{ take: Take; end: () => Promise<void> }> {
  const { logRecord, openOtlp } = await import("@assent/guard/audit/export");
  const sender = openOtlp({ endpoint, headers, timeoutMs: TIMEOUT_MS, version: VERSION });
  const take: Take = async (records) => {
    const made = records.flatMap(({ machine, name, epoch, seq, received, body }) => {
      const record = logRecord({ text: body, link: undefined }, Date.parse(received));
      if (record === undefined) return [];
      const about = { "assent.team.machine": machine, "assent.team.name": name, "assent.team.epoch": epoch, "assent.team.seq": seq };
      return [{ ...record, attributes: { ...record.attributes, ...about } }];
    });
    const sent = made.length === 0 ? ({ is: "accepted" } as const) : await sender.send(made);
    if (sent.is === "too-large" && records.length > 1) {
      const half = Math.ceil(records.length / 2);
      return (await take(records.slice(0, half))) ?? (await take(records.slice(half)));
    }
    if (sent.is === "accepted") return undefined;
    return sent.is === "too-large"
      ? "a single record is too large for the collector"
      : `the collector ${sent.is === "away" ? "is away" : "refuses"}: ${sent.why}`;
  };
  return { take, end: () => sender.end() };
}

function headersOf(given: readonly string[]): { readonly values: Readonly<Record<string, string>> } | { readonly problem: string } {
  const values: Record<string, string> = {};
  for (const one of given) {
    const [, name, variable] = /^([\w-]+)=(\w+)$/.exec(one) ?? [];
    if (name === undefined || variable === undefined) return { problem: `write a header as NAME=VARIABLE, not as \`${visible(one)}\`` };
    const value = process.env[variable];
    if (value === undefined || value === "") return { problem: `the variable ${variable} is not set: it holds the header ${name}` };
    values[name] = value;
  }
  return { values };
}

/** One that is damaged is not begun anew: everything would be sent twice. */
function readCursorFile(file: string): string | undefined | { readonly problem: string } {
  try {
    const found = readRegular(file, 1024);
    if (found.is === "missing") return undefined;
    return found.is === "text" && /^[\w-]{1,500}\n$/.test(found.text)
      ? found.text.trim()
      : { problem: `${visible(file)} holds no cursor of an export: take it away to begin anew` };
  } catch (error) {
    return { problem: `${visible(file)} cannot be read: ${errorCode(error)}` };
  }
}
