import { brief, visible } from "@assent/core/action";
import { allOf, withUserFile } from "@assent/guard/suggest";
import { readPlace } from "@assent/guard/policy-edit";
import { type Machine, thisMachine } from "@assent/guard/state";
import type { DecideOptions } from "@assent/guard/engine";
import { asIfConfining } from "./confine.ts";
import { writeJson } from "./json.ts";
import { pastRequests, replayHistory, sayDecision, TOLD, type ToldWord } from "@assent/page/preview";
import { absolute, shorten } from "./place.ts";
import { complain, showProblems } from "./policy-target.ts";
import { progressLine } from "./progress.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";

const COMMAND = "replay";
const MOST_ROWS = 40;

export interface ReplayOptions {
  /** A file in place of the user's own. */
  readonly policy?: string;
  /** As if what cannot be known ran confined. */
  readonly confined?: boolean;
  readonly days: number;
  readonly json?: boolean;
}

/** `assent replay`: what the last days' requests would be told under another policy. Exit 0; 1: the file is broken; 2: none was named. */
export function replay(options: ReplayOptions): number {
  const machine = thisMachine();
  if (options.policy === undefined && options.confined !== true) {
    complain(COMMAND, "nothing to compare with", "give --policy FILE, or --confined");
    return 2;
  }
  const other = options.policy === undefined ? {} : userFile(absolute(options.policy), machine);
  if (other === undefined) return 1;
  return compare({ ...other, ...(options.confined === true ? { adapt: asIfConfining } : {}) }, machine, options);
}

/** Undefined: it is missing or has mistakes, which has been said. */
function userFile(file: string, machine: Machine): Pick<DecideOptions, "select"> | undefined {
  const short = (path: string): string => visible(shorten(path, absolute("."), machine.home));
  const found = readPlace({ layer: "user", file });
  if (found.is !== "text" || !found.read.ok) {
    complain(
      COMMAND,
      `${short(file)} ${found.is === "missing" ? "does not exist" : found.is === "unreadable" ? visible(found.why) : "has mistakes"}`,
    );
    if (found.is === "text" && !found.read.ok) showProblems(found.read.problems, short);
    return undefined;
  }
  return { select: withUserFile(file) };
}

function compare(other: Pick<DecideOptions, "select" | "adapt">, machine: Machine, options: ReplayOptions): number {
  const history = pastRequests(machine, options.days);
  const progress = progressLine("judging the requests of the log again");
  const { changes, ...counts } = allOf(replayHistory(history, machine, other), (at) => progress.at(at, history.requests.length));
  progress.end();
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
    return writeJson({ days: options.days, records, unreadable, ...totals, changes: rows });
  }
  const style = styleFor(process.stdout, process.env);
  for (const { past, before, after, reason } of changes.slice(0, MOST_ROWS))
    writeStdout(
      `${String(past.count).padStart(6)} ×  ${style.verdict(before, sayDecision(before))} → ${style.verdict(after, sayDecision(after))}  ` +
        `${brief(past.subject === "" ? past.tool : past.subject, style.width - 30)}\n           ${style.dim(visible(reason))}\n`,
    );
  if (changes.length > MOST_ROWS) writeStdout(`        and ${changes.length - MOST_ROWS} more (--json prints all)\n`);
  if (changes.length > 0) writeStdout("\n");
  const total = (of: ReadonlyMap<ToldWord, number>): string => TOLD.map((told) => `${of.get(told) ?? 0} ${sayDecision(told)}`).join(", ");
  writeStdout(`before  ${total(counts.before)}\nafter   ${total(counts.after)}\n`);
  writeStdout(
    `${records} decisions of the last ${options.days} ` +
      `days${unreadable === 0 ? "" : `; ${unreadable} cannot be judged again, for the log does not hold them whole`}\n`,
  );
  return 0;
}
