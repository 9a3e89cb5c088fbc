import { setTimeout as wait } from "node:timers/promises";
import { visible } from "@assent/core/action";
import {
  decidedBy,
  Follower,
  isDecision,
  isQuestion,
  isRefusal,
  isWanted,
  lastOf,
  query,
  readRecord,
  toldBy,
  verifyLog,
  type FoundRecord,
  type LogEntry,
  type Query,
} from "@assent/guard/audit";
import { stateFolder, thisMachine } from "@assent/guard/state";
import { JSON_VERSION } from "./json.ts";
import { VERDICT_WORDS } from "@assent/page/preview";
import { readSince } from "./since.ts";
import { progressLine } from "./progress.ts";
import { lostOutput, writeStderr, writeStdout } from "./stdio.ts";
import { fit, styleFor, type TerminalStyle } from "./style.ts";

const POLL_MS = 200;
const LAST = 50;

export interface LogOptions {
  readonly lines?: number;
  readonly since?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly denied?: boolean;
  readonly command?: string;
  readonly stats?: boolean;
  readonly follow?: boolean;
  readonly json?: boolean;
}

function row(entry: LogEntry, style: TerminalStyle): string {
  const time = visible(entry.time).slice(0, 19).replace("T", " ");
  const told = toldBy(entry);
  const verdict = VERDICT_WORDS[told] ?? told;
  const decider = decidedBy(entry);
  const answered = decider === undefined ? entry.answer : entry.bypass === "" ? "agent" : "bypass";
  const answer = entry.answer === entry.verdict || entry.confined === "yes" ? verdict : `${verdict}→${answered}`;
  const who = entry.subagent === "" ? entry.agent : `${entry.agent}/${entry.subagent}`;
  const head = `${style.dim(fit(time, 19))}  ${style.verdict(told, fit(answer, 11))}  ${fit(visible(who), 8)}  ${fit(visible(entry.tool), 12)}`;
  const left = Math.max(20, style.width - 58);
  // The record keeps the operation's name.
  const wanted = entry.tool === "file" ? entry.subject.replace(/^metadata (?=\/)/, "change times or permissions of ") : entry.subject;
  const subject = entry.count === 1 ? wanted : `${entry.count} times ${wanted}`;
  const reason = `${decider === undefined ? "" : `${decider}; `}${entry.confined === "would" ? "would go ahead sandboxed; " : ""}${entry.reason}`;
  // Who said no, and why, before the reason why it was asked: that is what a person looks for.
  const said = entry.answeredBy === "" ? "" : `${entry.answered}, by ${entry.answeredBy}${entry.note === "" ? "" : `: ${entry.note}`}; `;
  return `${head}  ${fit(visible(subject), left).trimEnd()}\n${" ".repeat(21)}${style.dim(fit(visible(`${said}${reason}`), style.width - 22).trimEnd())}\n`;
}

/** `assent log`: the last decisions, or those since a time; with `--follow` those to come. */
export async function log(options: LogOptions): Promise<number> {
  const since = options.since === undefined ? undefined : readSince(options.since, Date.now());
  if (since !== undefined && typeof since !== "number") {
    writeStderr(`assent log: ${since.wrong}\n`);
    return 2;
  }
  const { agent, session, denied, command } = options;
  const wanted: Query = {
    ...(since === undefined ? {} : { since }),
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
    ...(denied === undefined ? {} : { denied }),
    ...(command === undefined ? {} : { command }),
  };
  const folder = stateFolder(thisMachine());
  if (options.stats === true) return logStats(query(folder, wanted), options.json === true);

  const style = styleFor(process.stdout, process.env);
  const show = ({ line, entry }: FoundRecord): void => writeStdout(options.json === true ? `${line}\n` : row(entry, style));
  // Before what is there is read: nothing that comes meanwhile is lost.
  const follower = options.follow === true ? new Follower(folder) : undefined;
  let any = false;
  // Who asks for nothing in particular sees what concerns a person: a line in ten, beside what runs were allowed.
  const brief = Object.keys(options).length === 0;
  const found =
    since === undefined || options.lines !== undefined
      ? lastOf(folder, { ...wanted, brief }, options.lines ?? LAST)
      : query(folder, wanted);
  for (const one of found) {
    any = true;
    show(one);
  }
  if (brief && lastOf(folder, wanted, LAST).some(({ entry }) => !isWanted(entry, { brief })))
    writeStderr("what runs were allowed is left out: `assent receipt` shows it for one run, `assent log -n 50` for all\n");
  else if (!any && follower === undefined)
    writeStderr(Object.keys(wanted).length === 0 ? `no decisions yet in ${visible(folder)}\n` : "no such decision\n");
  return follower === undefined ? 0 : await watch(follower, wanted, show);
}

/** Until it is interrupted. */
async function watch(follower: Follower, wanted: Query, show: (found: FoundRecord) => void): Promise<number> {
  for (;;) {
    await wait(POLL_MS);
    // Nobody reads on, or nothing more can be written.
    if (lostOutput() !== undefined) return 0;
    for (const line of follower.lines()) {
      const entry = readRecord(line);
      if (entry !== undefined && isWanted(entry, wanted)) show({ line, entry });
    }
  }
}

const MOST_ROWS = 10;
/** Kinds counted of each list: an attacker names as many tools as he likes. */
const MOST_KEYS = 10_000;

class Counts {
  readonly #counts = new Map<string, number>();

  add(key: string, count: number): void {
    if (key === "") return;
    const known = this.#counts.get(key);
    if (known !== undefined || this.#counts.size < MOST_KEYS) this.#counts.set(key, (known ?? 0) + count);
  }

  top(most = MOST_ROWS): readonly (readonly [string, number])[] {
    return [...this.#counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, most);
  }
}

/** `assent log --stats`: how many decisions of which kind, and what they were about. */
function logStats(found: Iterable<FoundRecord>, json: boolean): number {
  const lists = {
    verdicts: new Counts(),
    agents: new Counts(),
    tools: new Counts(),
    asked: new Counts(),
    refused: new Counts(),
    rules: new Counts(),
  };
  let decisions = 0;
  let first = "";
  let last = "";
  for (const { entry } of found) {
    if (!isDecision(entry)) continue;
    const { count } = entry;
    decisions += count;
    if (first === "") first = entry.time;
    last = entry.time;
    lists.verdicts.add(toldBy(entry), count);
    lists.agents.add(entry.subagent === "" ? entry.agent : `${entry.agent}/${entry.subagent}`, count);
    lists.tools.add(entry.tool, count);
    const what = entry.programs[0] ?? entry.tool;
    if (isQuestion(entry)) lists.asked.add(what, count);
    else if (isRefusal(entry)) lists.refused.add(what, count);
    if (isQuestion(entry) || isRefusal(entry)) lists.rules.add(entry.rule, count);
  }
  if (json) {
    const counted = Object.fromEntries(Object.entries(lists).map(([name, tally]) => [name, Object.fromEntries(tally.top(MOST_KEYS))]));
    writeStdout(`${JSON.stringify({ v: JSON_VERSION, decisions, first, last, ...counted }, undefined, 2)}\n`);
    return 0;
  }
  const style = styleFor(process.stdout, process.env);
  writeStdout(`${decisions} decisions${decisions === 0 ? "" : `, ${visible(first).slice(0, 19)} to ${visible(last).slice(0, 19)}`}\n`);
  const titles: Readonly<Record<keyof typeof lists, string>> = {
    verdicts: "verdicts",
    agents: "by agent",
    tools: "by tool",
    asked: "most asked",
    refused: "most refused",
    rules: "by rule (asked and refused)",
  };
  for (const name of ["verdicts", "agents", "tools", "asked", "refused", "rules"] as const) {
    const rows = lists[name].top();
    if (rows.length === 0) continue;
    writeStdout(`\n${style.bold(titles[name])}\n`);
    for (const [key, count] of rows)
      writeStdout(`${String(count).padStart(8)}  ${name === "verdicts" ? style.verdict(key, VERDICT_WORDS[key] ?? key) : visible(key)}\n`);
  }
  return 0;
}

/** `assent log verify`: exit 0 when the log is whole, 1 when it is not. */
export function logVerify(options: { readonly json?: boolean }): number {
  const folder = stateFolder(thisMachine());
  const progress = progressLine("records read");
  const verified = verifyLog(folder, (records) => progress.at(records));
  progress.end();
  const { records, torn, unchained, flaws } = verified;
  if (options.json === true) {
    writeStdout(`${JSON.stringify({ v: JSON_VERSION, ok: flaws.length === 0, ...verified }, undefined, 2)}\n`);
    return flaws.length === 0 ? 0 : 1;
  }
  for (const { kind, file, line, what } of flaws)
    writeStdout(`${visible(folder)}/${visible(file)}${line === undefined ? "" : `:${line}`}: ${kind}: ${visible(what)}\n`);
  const asides = [
    ...(torn === 0 ? [] : [`${torn} torn by processes that were killed or by a full disk`]),
    ...(unchained === 0 ? [] : [`${unchained} written without a hash`]),
  ];
  const more = asides.length === 0 ? "" : `; ${asides.join(", ")}`;
  if (flaws.length === 0) writeStdout(`the log is whole: ${records} record${records === 1 ? "" : "s"}${more}\n`);
  else writeStdout(`the log is not as it was written: ${flaws.length} flaw(s) in ${records} records${more}\n`);
  return flaws.length === 0 ? 0 : 1;
}
