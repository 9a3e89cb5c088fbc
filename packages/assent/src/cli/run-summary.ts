import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, openSync, realpathSync, writeSync } from "node:fs";
import { visible } from "@assent/core/action";
import { errorCode, type Machine } from "@assent/guard/state";
import type { RunRefusals } from "@assent/supervisor/supervise/learn";
import {
  commandOf,
  type CountedLine,
  findRun,
  type PathChange,
  type Receipt,
  receiptOf,
  runsFolder,
} from "@assent/supervisor/supervise/undo";
import { VERBS, WHATS } from "@assent/page/preview";
import { absolute, shorten } from "./place.ts";
import { refusalsOf } from "./refusals-of-run.ts";

/** Where the summary of a run goes, opened before it starts. */
export interface SummaryFile {
  /** Adds to what stands there: the steps of a job share the file. */
  readonly appends: boolean;
  readonly write: (text: string) => string | undefined;
  /** A file that the program must not change. */
  readonly file?: string;
}

/** The file of `--summary`. That of a GitHub job (`$GITHUB_STEP_SUMMARY`) is added to, every other one is written anew. */
export function openSummary(path: string, env: Machine["env"]): SummaryFile | { readonly problem: string } {
  const shared = env["GITHUB_STEP_SUMMARY"];
  const appends = shared !== undefined && shared !== "" && absolute(shared) === absolute(path);
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOCTTY } = constants;
  try {
    const descriptor = openSync(path, O_WRONLY | O_CREAT | O_NOCTTY | (appends ? O_APPEND : 0), 0o600);
    const regular = fstatSync(descriptor).isFile();
    // A reader of the job's files is another user in many runners; there is nothing in it that the job's log does not say.
    if (regular && !appends) fchmodSync(descriptor, 0o644);
    const write = (text: string): string | undefined => {
      try {
        if (regular && !appends) ftruncateSync(descriptor);
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, undefined, regular && !appends ? at : null);
        closeSync(descriptor);
        return undefined;
      } catch (error) {
        return `${visible(path)} cannot be written: ${errorCode(error)}`;
      }
    };
    return { appends, write, ...(regular && !appends ? { file: realpathSync.native(path) } : {}) };
  } catch (error) {
    return { problem: `${visible(path)} cannot be written: ${errorCode(error)}` };
  }
}

/** A run that did not come about. */
export const failedSummary = (argv: readonly string[], why: string): string =>
  `### Assent: ${codeSpan(argv.join(" "))} was not run\n\n${codeSpan(why)}\n`;

/** What a run did, for the page of a job. */
export function summaryOf(id: string, machine: Machine, status: number): string {
  const run = findRun(runsFolder(machine), id, machine.home, false);
  if ("problem" in run) return failedSummary([id], run.problem);
  return page(receiptOf(runsFolder(machine), run, machine), refusalsOf(run, machine), { machine, status });
}

/** A page of a job holds a megabyte, of all its steps. */
const MOST_ROWS = 50;

function page(found: Receipt, refusals: RunRefusals, { machine, status }: { machine: Machine; status: number }): string {
  const { run } = found;
  const path = (name: string): string => codeSpan(shorten(name, run.cwd, machine.home));
  const out: string[] = [
    `### Assent: ${codeSpan(commandOf(run))}`,
    `${status === 0 ? "✅" : "❌"} ended with status ${status}, in ${codeSpan(shorten(run.cwd, "/", machine.home))}; run ${codeSpan(run.id)}.`,
  ];
  const section = (title: string, rows: readonly string[], folded = false): void => {
    if (rows.length === 0) return;
    const shown = rows.slice(0, MOST_ROWS).map((row) => `- ${row}`);
    if (rows.length > MOST_ROWS) shown.push(`- and ${rows.length - MOST_ROWS} more`);
    const head = `${title} (${rows.length.toLocaleString("en-US")})`;
    out.push(folded ? `<details><summary>${head}</summary>\n\n${shown.join("\n")}\n\n</details>` : `**${head}**\n\n${shown.join("\n")}`);
  };
  for (const warning of found.warnings) out.push(`⚠️ ${codeSpan(warning)}`);
  for (const what of WHATS)
    section(
      `Files and folders ${VERBS[what]}`,
      found.changes.filter((change) => change.what === what && change.within === undefined).map((change) => changed(change, path)),
      true,
    );
  section("Changed outside this folder", found.outside.map(path));
  section(
    "Runs later, outside this run",
    found.handedOn.filter(({ cache }) => cache !== true).map((one) => `${path(one.path)}: ${one.runs}`),
  );
  section("Hosts reached", found.hosts.map(counted));
  section("Listened on", found.listened.map(counted));
  section("Commands started", found.commands.map(counted), true);
  section(
    "Asked",
    found.questions.map(({ what, answer }) => `${codeSpan(what)}: ${codeSpan(answer)}`),
  );
  section(
    "Refused",
    found.refused.map((one) => `${counted(one)}: ${codeSpan(one.reason)}`),
  );
  out.push(...wayOut(refusals));
  return `${out.join("\n\n")}\n\n`;
}

const counted = ({ what, count }: CountedLine): string => `${codeSpan(what)}${count > 1 ? ` × ${count}` : ""}`;

function changed({ what, path, from, kind }: PathChange, name: (path: string) => string): string {
  if (what === "renamed" && from !== undefined) return `${name(from)} → ${name(path)}`;
  return `${name(path)}${kind === "directory" ? " (folder)" : ""}`;
}

/** The lines that would allow what was refused, last, where whoever reads a red job looks. */
function wayOut({ count, rules, rest }: RunRefusals): readonly string[] {
  if (count === 0) return ["Nothing was refused."];
  const kept =
    rest.length === 0
      ? []
      : [`${rest.length} of what was refused ${rest.length === 1 ? "is" : "are"} refused on purpose: no rule is offered.`];
  if (rules.length === 0) return kept;
  const lines = rules.map(({ rule }, at) => `      ${seenJson(rule)}${at === rules.length - 1 ? "" : ","}`);
  return [
    ...kept,
    "**To allow what was refused**, look at these lines and put those that you want into the policy of this job:",
    codeBlock("jsonc", `{\n  "permissions": {\n    "allow": [\n${lines.join("\n")}\n    ]\n  }\n}`),
  ];
}

/**
 * Markdown that shows texts as they are, whatever is in them: on GitHub, GitLab and elsewhere. INVARIANT: such a text stays
 * in its code span or block, in which nothing is a link, a picture, HTML, a mention or an emphasis; it brings no line break
 * and no character that is not seen.
 */

/** The longest row of backticks in a text. */
const ticksIn = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));

/** Names are longer than anybody reads. */
const LONGEST = 400;

/** A text in a line of Markdown, not in a table. */
export function codeSpan(text: string): string {
  const shown = visible(text);
  const cut = shown.length > LONGEST ? `${[...shown].slice(0, LONGEST).join("")}…` : shown;
  if (cut.trim() === "") return cut === "" ? "(empty)" : "(blanks)";
  const ticks = "`".repeat(ticksIn(cut) + 1);
  // A blank on each side is taken away again; without it a backtick at an end would belong to the frame.
  return /^[` ]|[` ]$/.test(cut) ? `${ticks} ${cut} ${ticks}` : `${ticks}${cut}${ticks}`;
}

/** Lines as a block of their own. */
export function codeBlock(language: string, text: string): string {
  const fence = "`".repeat(Math.max(3, ticksIn(text) + 1));
  return `${fence}${language}\n${text.split("\n").map(visible).join("\n")}\n${fence}`;
}

/** JSON in which every character is seen: what is not is escaped, and means the same. */
export function seenJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/gu, (char) =>
    visible(char) === char
      ? char
      : [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}
