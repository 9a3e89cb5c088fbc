import { brief, visible } from "../action/index.ts";
import type { Decision } from "../policy/index.ts";
import { withUserFile } from "../suggest/index.ts";
import type { Past } from "../suggest/index.ts";
import { readPlace } from "../policy-edit/index.ts";
import { thisMachine } from "../state/index.ts";
import { JSON_VERSION } from "./json.ts";
import { judgePast, pastRequests } from "./past.ts";
import { absolute, shorten } from "./place.ts";
import { complain, showProblems } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";

const COMMAND = "replay";
const MOST_ROWS = 40;

interface ChangedVerdict {
  readonly past: Past;
  readonly before: Decision;
  readonly after: Decision;
  readonly reason: string;
}

/** `assent replay --policy FILE`: what the last days' requests would be told if this were the user's policy. Exit 0; 1: the file is broken. */
export function replay(options: { readonly policy: string; readonly days: number; readonly json?: boolean }): number {
  const machine = thisMachine();
  const file = absolute(options.policy);
  const short = (path: string): string => visible(shorten(path, absolute("."), machine.home));
  const found = readPlace({ layer: "user", file });
  if (found.is !== "text" || !found.read.ok) {
    complain(
      COMMAND,
      `${short(file)} ${found.is === "missing" ? "does not exist" : found.is === "unreadable" ? visible(found.why) : "has mistakes"}`,
    );
    if (found.is === "text" && !found.read.ok) showProblems(found.read.problems, short);
    return 1;
  }
  const history = pastRequests(machine, options.days);
  const select = withUserFile(file);
  const changes: ChangedVerdict[] = [];
  const counts = { before: new Map<Decision, number>(), after: new Map<Decision, number>() };
  for (const past of history.requests) {
    const before = judgePast(past, machine).verdict;
    const after = judgePast(past, machine, select).verdict;
    counts.before.set(before.decision, (counts.before.get(before.decision) ?? 0) + past.count);
    counts.after.set(after.decision, (counts.after.get(after.decision) ?? 0) + past.count);
    if (before.decision !== after.decision) changes.push({ past, before: before.decision, after: after.decision, reason: after.reason });
  }
  const { records, unreadable } = history;
  if (options.json === true) {
    const rows = changes.map(({ past, before, after, reason }) => ({
      tool: past.tool,
      input: past.input,
      cwd: past.cwd,
      count: past.count,
      before,
      after,
      reason: visible(reason),
    }));
    const totals = { before: Object.fromEntries(counts.before), after: Object.fromEntries(counts.after) };
    writeStdout(`${JSON.stringify({ v: JSON_VERSION, days: options.days, records, unreadable, ...totals, changes: rows })}\n`);
    return 0;
  }
  const style = styleFor(process.stdout, process.env);
  for (const { past, before, after, reason } of changes.slice(0, MOST_ROWS))
    writeStdout(
      `${String(past.count).padStart(6)} ×  ${style.verdict(before)} → ${style.verdict(after)}  ` +
        `${brief(past.subject === "" ? past.tool : past.subject, style.width - 30)}\n           ${style.dim(visible(reason))}\n`,
    );
  if (changes.length > MOST_ROWS) writeStdout(`        and ${changes.length - MOST_ROWS} more (--json prints all)\n`);
  if (changes.length > 0) writeStdout("\n");
  const total = (of: ReadonlyMap<Decision, number>): string =>
    (["allow", "ask", "deny", "none"] as const).map((decision) => `${of.get(decision) ?? 0} ${decision}`).join(", ");
  writeStdout(`before  ${total(counts.before)}\nafter   ${total(counts.after)}\n`);
  writeStdout(
    `${records} decisions of the last ${options.days} ` +
      `days${unreadable === 0 ? "" : `; ${unreadable} cannot be judged again, for the log does not hold them whole`}\n`,
  );
  return 0;
}
