import { brief, visible } from "../action/index.ts";
import { readRecord } from "../audit/index.ts";
import type { PolicySource } from "../engine/index.ts";
import { judgePast, TOLD, type ToldWord } from "../look/index.ts";
import { isConfined, type RequestVerdict } from "../policy/index.ts";
import type { PolicyVersion } from "../seal/index.ts";
import { thisMachine } from "../state/index.ts";
import { historyOf, type Past } from "../suggest/index.ts";
import { GROUP_OF_ALL } from "../team/protocol/index.ts";
import { JSON_VERSION } from "./json.ts";
import { complain } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";
import { KeyedServer, type TeamFailure } from "./team-key.ts";
import { type Keyed, versionsToCompare } from "./team-policy.ts";

const MOST_ROWS = 40;
const MOST_RECORDS = 50_000;

interface ChangedVerdict {
  readonly past: Past;
  readonly before: ToldWord;
  readonly after: ToldWord;
  readonly reason: string;
}

/**
 * `assent team policy preview [VERSION]`: what the machines of a group asked in the last days, judged by the version that is out to all
 * and by another one. Only the two versions count, none of this machine's own files; the file system is the one that is here.
 */
export async function policyPreview(
  version: number | undefined,
  flags: Keyed & { readonly group?: string; readonly days: number; readonly json?: boolean },
): Promise<number> {
  const { group = GROUP_OF_ALL, days, json } = flags;
  const at = await KeyedServer.open(flags);
  if ("problem" in at) return failed(at);
  const versions = await versionsToCompare(at, group, undefined, version);
  if ("problem" in versions) return failed(versions);
  const got = await recordsOf(at, group, days);
  if ("problem" in got) return failed(got);
  const { requests, records, unreadable } = historyOf(got.bodies.flatMap((body) => readRecord(body) ?? []));
  const machine = thisMachine();
  const judged = (past: Past, by: PolicyVersion | undefined): RequestVerdict =>
    judgePast(past, machine, { select: () => sourceOf(by) }).verdict;
  const counts = { before: new Map<ToldWord, number>(), after: new Map<ToldWord, number>() };
  const changes: ChangedVerdict[] = [];
  for (const past of requests) {
    const [was, is] = [judged(past, versions.before), judged(past, versions.after)];
    const [before, after] = [wordOf(was), wordOf(is)];
    counts.before.set(before, (counts.before.get(before) ?? 0) + past.count);
    counts.after.set(after, (counts.after.get(after) ?? 0) + past.count);
    if (before !== after) changes.push({ past, before, after, reason: is.reason });
  }
  const [from, to] = [versions.before?.version ?? null, versions.after.version];
  if (json === true) {
    const totals = { before: Object.fromEntries(counts.before), after: Object.fromEntries(counts.after) };
    const rows = changes.map(({ past, before, after, reason }) => ({
      tool: past.tool,
      input: past.input,
      count: past.count,
      before,
      after,
      reason: visible(reason),
    }));
    writeStdout(
      `${JSON.stringify({ v: JSON_VERSION, group, from, to, days, machines: got.machines, records, unreadable, cut: got.isCut, ...totals, changes: rows })}\n`,
    );
    return 0;
  }
  const style = styleFor(process.stdout, process.env);
  for (const { past, before, after, reason } of changes.slice(0, MOST_ROWS))
    writeStdout(
      `${String(past.count).padStart(6)} ×  ${style.verdict(before)} → ${style.verdict(after)}  ` +
        `${brief(past.subject === "" ? past.tool : past.subject, style.width - 30)}\n           ${style.dim(visible(reason))}\n`,
    );
  if (changes.length > MOST_ROWS) writeStdout(`        and ${changes.length - MOST_ROWS} more (--json prints all)\n`);
  const total = (of: ReadonlyMap<ToldWord, number>): string => TOLD.map((told) => `${of.get(told) ?? 0} ${told}`).join(", ");
  writeStdout(`version ${from ?? "none"}  ${total(counts.before)}\nversion ${to}  ${total(counts.after)}\n`);
  writeStdout(
    `${records} decisions of the last ${days} days on ${got.machines} machine${got.machines === 1 ? "" : "s"} of ${group}` +
      `${got.isCut ? ", the oldest ones only" : ""}${unreadable === 0 ? "" : `; ${unreadable} cannot be judged again: their records do not hold them whole`}\n`,
  );
  return 0;
}

function failed({ problem, help }: TeamFailure): number {
  complain("team policy preview", visible(problem), help);
  return 1;
}

const wordOf = (verdict: RequestVerdict): ToldWord => (isConfined(verdict) ? "confined" : verdict.decision);

function sourceOf(version: PolicyVersion | undefined): readonly PolicySource[] {
  if (version === undefined) return [];
  const file = `version ${version.version} of ${version.group}`;
  return [{ layer: "managed", file, mayGrant: true, content: { is: "text", text: version.policy } }];
}

interface GroupRecords {
  readonly bodies: readonly string[];
  readonly machines: number;
  readonly isCut: boolean;
}

/** A page after the other. */
async function recordsOf(at: KeyedServer, group: string, days: number): Promise<GroupRecords | TeamFailure> {
  const bodies: string[] = [];
  let about: string | null = null;
  for (;;) {
    const told = await at.ask("records", { group, days, about });
    if ("problem" in told) return told;
    if (told.is !== "records") return { problem: "the server answers something else than records" };
    bodies.push(...told.bodies);
    if (told.next === undefined || bodies.length >= MOST_RECORDS)
      return { bodies, machines: told.machines, isCut: told.next !== undefined };
    // A server that turns no page would go on for good.
    if (told.bodies.length === 0 || told.next === about) return { problem: "the server contradicts itself" };
    about = told.next;
  }
}
