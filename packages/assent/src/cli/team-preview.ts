import { brief, visible } from "@assent/core/action";
import { readRecord } from "@assent/guard/audit";
import { replayVersions, TOLD, type ToldWord } from "@assent/page/preview";
import { allOf, historyOf } from "@assent/guard/suggest";
import { GROUP_OF_ALL } from "@assent/team/team/protocol";
import { writeJson } from "./json.ts";
import { complain } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";
import { KeyedServer, type TeamFailure } from "./team-key.ts";
import { type Keyed, versionsToCompare } from "./team-policy.ts";

const MOST_ROWS = 40;
const MOST_RECORDS = 50_000;

/**
 * `assent team policy preview [VERSION]`: what the machines of a group asked in the last days, judged by the version that is out to all
 * and by another one. Only the two versions count, and no file of any machine.
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
  const history = historyOf(got.bodies.flatMap((body) => readRecord(body) ?? []));
  const { changes, ...counts } = allOf(replayVersions(history, versions.before, versions.after));
  const { records, unreadable } = history;
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
    return writeJson({ group, from, to, days, machines: got.machines, records, unreadable, cut: got.isCut, ...totals, changes: rows });
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
