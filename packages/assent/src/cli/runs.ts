import { visible } from "@assent/core/action";
import { inspect } from "@assent/guard/inspect";
import { thisMachine } from "@assent/guard/state";
import {
  bytesOf,
  cleanable,
  cleanRuns,
  commandOf,
  limitsOf,
  listRuns,
  type RunLimits,
  type RunRecord,
  runsFolder,
  sealRecords,
  usedBytes,
} from "@assent/supervisor/supervise/undo";
import { askYes } from "./ask-yes.ts";
import { engine } from "@assent/page/preview";
import { writeJson } from "./json.ts";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { readSince } from "./since.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";

const COMMAND = "runs clean";

/** What this user's policy keeps. */
const limitsHere = (): RunLimits => {
  const { settings } = inspect({ machine: thisMachine(), cwd: absolute("."), own: engine.own }).policy;
  return limitsOf(settings.undo);
};

/** `assent runs list`: what undo keeps, and how much of the disk that takes. */
export function list({ json }: { readonly json?: boolean }): number {
  const at = runsFolder(thisMachine());
  sealRecords(at);
  const runs = listRuns(at);
  if (json === true) {
    const rows = runs.map((run) => ({ id: run.id, started: run.started, command: commandOf(run), bytes: bytesOf(run) }));
    return writeJson({ bytes: usedBytes(at), limit: limitsHere().bytes, runs: rows });
  }
  const style = styleFor(process.stdout, process.env);
  for (const run of runs)
    writeStdout(`${run.id}  ${sizeText(bytesOf(run)).padStart(7)}  ${visible(commandOf(run)).slice(0, Math.max(20, style.width - 40))}\n`);
  writeStdout(`${usedText(runs.length, usedBytes(at))}\n`);
  return 0;
}

function usedText(count: number, bytes: number): string {
  const { bytes: most, runs, days } = limitsHere();
  const rest = `${runs.toLocaleString("en-US")} of the last ${days.toLocaleString("en-US")} days`;
  return `${count.toLocaleString("en-US")} kept, ${sizeText(bytes)} of at most ${sizeText(most)}; at most ${rest}`;
}

const UNITS = ["B", "kB", "MB", "GB"];

function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit] ?? ""}`;
}

export interface CleanOptions {
  readonly older?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `assent runs clean`: what is removed cannot be taken back any more, which is asked first. */
export async function clean({ older = "7d", all, yes, json }: CleanOptions): Promise<number> {
  const at = runsFolder(thisMachine());
  const until = all === true ? Date.now() + 1 : readSince(older, Date.now());
  if (typeof until === "object") {
    complain(COMMAND, until.wrong);
    return 2;
  }
  const wanted = cleanable(at, until);
  const bytes = (runs: readonly RunRecord[]): number => runs.reduce((sum, run) => sum + bytesOf(run), 0);
  if (wanted.length > 0 && yes !== true) {
    const what = `${wanted.length.toLocaleString("en-US")} of ${listRuns(at).length.toLocaleString("en-US")} runs and edits (${sizeText(bytes(wanted))})`;
    if (!process.stdin.isTTY || !process.stderr.isTTY) {
      complain(
        COMMAND,
        "this is not a terminal, so nobody can be asked",
        `${what} could not be undone any more; say \`assent runs clean --yes\` for it`,
      );
      return 1;
    }
    if (!(await askYes(`Remove ${what}? They cannot be undone any more.`))) {
      complain(COMMAND, "nothing was removed");
      return 1;
    }
  }
  const freed = bytes(wanted);
  const removed = cleanRuns(at, until, limitsHere());
  if (json === true) writeJson({ removed: removed.map(({ id }) => id), bytes: usedBytes(at) });
  else if (removed.length === 0)
    writeStdout(`nothing to remove${all === true ? "" : " (--older 1d, --all)"}: ${usedText(listRuns(at).length, usedBytes(at))}\n`);
  else writeStdout(`removed ${removed.length.toLocaleString("en-US")}, ${sizeText(freed)} are free again\n`);
  return 0;
}
