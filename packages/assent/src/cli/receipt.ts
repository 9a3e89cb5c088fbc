import { visible } from "@assent/core/action";
import { thisMachine, type Machine } from "@assent/guard/state";
import {
  type AgentSession,
  commandOf,
  type PathChange,
  findRun,
  isRunning,
  listRuns,
  listSessions,
  readEvents,
  receiptOf,
  receiptOfSpan,
  runsFolder,
  sealRecords,
  type CountedLine,
  type Receipt,
  type RunRecord,
  type RunSpan,
  type SpanReceipt,
} from "@assent/supervisor/supervise/undo";
import type { ConfinedCommand } from "@assent/supervisor/supervise";
import { mayBeAllowed } from "@assent/supervisor/supervise/learn";
import { sayEnding, sayLeft, sayRun, VERBS, WHATS } from "@assent/page/preview";
import { writeJson } from "./json.ts";
import { shorten } from "./place.ts";
import { complain } from "./policy-target.ts";
import { chooseRuns, nameOfSpan, type NoRuns, type SpanOptions } from "./span.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor, type TerminalStyle } from "./style.ts";

const COMMAND = "receipt";
const FIRST = 10;

export interface ReceiptOptions extends SpanOptions {
  readonly list?: boolean;
  /** List what was kept by agent and session. */
  readonly sessions?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** `assent receipt`. */
export function receipt(id: string | undefined, options: ReceiptOptions): number {
  const machine = thisMachine();
  const runs = runsFolder(machine);
  const style = styleFor(process.stdout, process.env);
  sealRecords(runs);
  if (options.list === true) return list(listRuns(runs), options, style);
  if (options.sessions === true) return listAgents(listSessions(listRuns(runs)), machine, options, style);
  const first = options.all === true ? Number.POSITIVE_INFINITY : FIRST;
  if (options.session !== undefined || options.since !== undefined) {
    const chosen = chooseRuns(runs, { id, words: [], undoable: false }, options);
    if ("problem" in chosen) return noRun(COMMAND, chosen);
    const span = receiptOfSpan(runs, chosen.runs, machine);
    if (options.json === true) writeJson(spanJson(span, chosen));
    else writeStdout(spanPage(span, chosen, { machine, style, first }));
    return 0;
  }
  const run = findRun(runs, id, process.cwd(), false);
  if ("problem" in run) return noRun(COMMAND, { ...run, id });
  const found = receiptOf(runs, run, machine);
  if (options.json === true) writeJson(fieldsOf(found));
  else writeStdout(page(found, machine, style, first));
  return 0;
}

/** A run was named that is not there, or none was and there is none. */
export function noRun(command: string, { problem, id, wrongUse, elsewhere }: NoRuns): number {
  if (wrongUse === true) {
    complain(command, problem);
    return 2;
  }
  const list = "`assent receipt --list` shows the runs that are kept";
  const other =
    elsewhere === undefined ? "" : `the last one elsewhere is of ${visible(elsewhere.cwd)}: assent ${command} ${elsewhere.id}; `;
  complain(command, id === undefined ? problem : `${visible(id)}: ${problem}`, `${other}${list}`);
  return id === undefined ? 1 : 2;
}

/** At the end of a run, for standard error; empty where it changed nothing and nothing was asked or refused. */
export async function shortReceipt(id: string, machine: Machine): Promise<string> {
  const runs = runsFolder(machine);
  const run = findRun(runs, id, machine.home, false);
  if ("problem" in run) return "";
  const found = receiptOf(runs, run, machine);
  const counts = summary(found);
  if (counts.length === 0) return "";
  const undo = found.changes.length === 0 ? "" : `, undo: assent undo ${id}`;
  // What tools keep for themselves changes all the time.
  const handedOn = found.handedOn.filter(({ cache }) => cache !== true);
  const handed =
    handedOn.length === 0
      ? ""
      : `assent: changed what runs later, outside the run: ${some(handedOn.map(({ path }) => place(path, run, machine)))}\n`;
  const outside =
    found.outside.length === 0
      ? ""
      : `assent: changed outside this folder: ${some(found.outside.map((path) => place(path, run, machine)))}\n`;
  return `assent: ${counts.join(", ")} (more: assent receipt ${id}${undo})\n${outside}${handed}${toAllow(found, run)}`;
}

/** Where rules could allow some of what was refused. */
function toAllow({ refused }: Receipt, { id, folder }: RunRecord): string {
  if (refused.length === 0) return "";
  let count = 0;
  for (const event of readEvents(folder)) if (event.outcome === "refused" && mayBeAllowed(event)) count += 1;
  return count === 0
    ? ""
    : `assent: ${number(count)} refused; \`assent allow --run ${id}\` lists ${count === 1 ? "it" : "them"} to allow\n`;
}

const place = (path: string, { cwd }: Pick<RunRecord, "cwd">, { home }: Machine): string => visible(shorten(path, cwd, home));

function some(all: readonly string[]): string {
  return all.length > 3 ? `${all.slice(0, 3).join(", ")} and ${all.length - 3} more` : all.join(", ");
}

const number = (count: number): string => count.toLocaleString("en-US");
const plural = (count: number, word: string): string => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

function summary({ changes, hosts, refused, questions }: Pick<Receipt, "changes" | "hosts" | "refused" | "questions">): readonly string[] {
  const parts: string[] = [];
  for (const what of WHATS) {
    const files = changes.filter((change) => change.what === what && change.kind !== "directory").length;
    const folders = changes.filter((change) => change.what === what && change.kind === "directory").length;
    if (files > 0) parts.push(`${plural(files, "file")} ${VERBS[what]}`);
    else if (folders > 0) parts.push(`${plural(folders, "folder")} ${VERBS[what]}`);
  }
  if (hosts.length > 0) parts.push(plural(hosts.length, "host"));
  if (questions.length > 0) parts.push(`${plural(questions.length, "question")}`);
  if (refused.length > 0)
    parts.push(
      `${plural(
        refused.reduce((sum, { count }) => sum + count, 0),
        "call",
      )} refused`,
    );
  return parts;
}

const time = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ");

function list(runs: readonly RunRecord[], { json }: ReceiptOptions, style: TerminalStyle): number {
  if (json === true) return writeJson({ runs: runs.map(({ folder, ...meta }) => ({ ...meta, running: isRunning(folder) })) });
  if (runs.length === 0) writeStdout("no run is recorded yet\n");
  for (const run of runs) {
    const what = sayRun(run);
    const by = run.engine === undefined ? [] : [`by ${visible(run.engine.id)}`];
    const state = [...(run.confined === undefined ? [] : ["sandboxed"]), ...by, sayEnding(run, isRunning(run.folder))].join(", ");
    writeStdout(`${run.id}  ${style.dim(time(run.started))}  ${visible(what).slice(0, style.width - 50)}  ${style.dim(state)}\n`);
  }
  return 0;
}

function page(found: Receipt, machine: Machine, style: TerminalStyle, first: number): string {
  const { run } = found;
  const out = [
    `${style.bold(visible(commandOf(run)))}`,
    ...(run.confined === undefined ? [] : [style.dim(confinedFor(run.confined))]),
    style.dim(`${run.id}, ${time(run.started)} UTC, in ${visible(shorten(run.cwd, "/", machine.home))}, ${sayEnding(run, found.running)}`),
  ];
  const left = sayLeft(run, found.running);
  if (left !== undefined) out.push(style.dim(`left running: ${left}`));
  if (found.undoneBy !== undefined) out.push(`undone by ${found.undoneBy}`);
  const rest = body(found, run, { machine, style, first });
  const nothing = run.engine?.noUndo === undefined ? "changed nothing" : `what it changed is not known: ${visible(run.engine.noUndo)}`;
  return `${[...out, ...(rest.length === 0 || run.engine?.noUndo !== undefined ? [nothing] : []), ...rest, ...engineRows(run)].join("\n")}\n`;
}

/** What nobody knows of a run that another engine held. */
function engineRows({ engine }: RunRecord): readonly string[] {
  return engine === undefined ? [] : ["", `held by ${visible(engine.id)}, by which`, ...engine.cannot.map((text) => `  ${visible(text)}`)];
}

interface PageStyle {
  readonly machine: Machine;
  readonly style: TerminalStyle;
  /** Most rows of each part. */
  readonly first: number;
}

/** What was changed, reached, started, asked and refused. `at`: paths below its folder are shortened. */
function body(found: Omit<SpanReceipt, "runs">, at: Pick<RunRecord, "cwd">, { machine, style, first }: PageStyle): readonly string[] {
  const out = found.warnings.map((warning) => `warning: ${visible(warning)}`);
  for (const what of WHATS) {
    const rows = collapsed(
      found.changes.filter((change) => change.what === what),
      (path) => place(path, at, machine),
      first,
    );
    if (rows.length > 0) out.push("", style.bold(what === "attributes" ? "mode or times" : what), ...rows);
  }
  const section = (title: string, rows: readonly string[]): void => {
    if (rows.length > 0) out.push("", style.bold(title), ...cut(rows, first));
  };
  section(
    "outside this folder",
    found.outside.map((path) => place(path, at, machine)),
  );
  section(
    "runs later, outside the run",
    found.handedOn.map(({ path, runs }) => `${place(path, at, machine)}  ${style.dim(runs)}`),
  );
  section(
    "had other names (hard links): copied first, so that these keep what they held",
    found.parted.map((path) => place(path, at, machine)),
  );
  section(
    "cannot be brought back (not kept)",
    found.lost.map((path) => place(path, at, machine)),
  );
  const times = ({ what, count }: CountedLine): string => `${visible(what)}${count > 1 ? style.dim(` ×${number(count)}`) : ""}`;
  section("hosts", found.hosts.map(times));
  section("listened", found.listened.map(times));
  section("commands", found.commands.map(times));
  section(
    "asked",
    found.questions.map(({ what, answer }) => `${visible(what)}  ${style.dim(visible(answer))}`),
  );
  section(
    "refused",
    found.refused.map((one) => `${times(one)}  ${style.dim(visible(withoutWhat(one)))}`),
  );
  return out;
}

/** The reason, without the words that stand before it already. */
const withoutWhat = ({ what, reason }: { readonly what: string; readonly reason: string }): string =>
  reason.startsWith(`${what}: `) ? reason.slice(what.length + 2) : reason;

/** Each run in order, then what is left of it all. */
function spanPage(found: SpanReceipt, span: RunSpan, shown: PageStyle): string {
  const { style, machine } = shown;
  const cwd = process.cwd();
  const rows = found.runs.map(({ run, running, undoneBy, ...rest }) => {
    const what = sayRun(run);
    const unkept = run.engine?.noUndo === undefined ? [] : ["what it changed is not known"];
    const came = [
      ...summary(rest),
      ...unkept,
      ...(undoneBy === undefined ? [] : [`undone by ${undoneBy}`]),
      ...(running ? ["still running"] : []),
    ];
    return `${run.id}  ${visible(what).slice(0, style.width - 24)}\n  ${style.dim(came.length === 0 ? "changed nothing" : came.join(", "))}`;
  });
  const rest = body(found, { cwd }, { machine, style, first: shown.first });
  const sum = rest.length === 0 ? ["", "all in all nothing was changed"] : ["", style.bold("all in all"), ...rest];
  return `${[style.bold(visible(nameOfSpan(span))), "", ...rows, ...sum].join("\n")}\n`;
}

function spanJson({ runs, ...rest }: SpanReceipt, { of }: RunSpan): Record<string, unknown> {
  return {
    agent: of?.agent,
    session: of?.session,
    runs: runs.map(fieldsOf),
    ...rest,
    changes: rest.changes.map(changeJson),
  };
}

function listAgents(sessions: readonly AgentSession[], { home }: Machine, { json }: ReceiptOptions, style: TerminalStyle): number {
  if (json === true) {
    const rows = sessions.map(({ agent, session, runs }) => ({
      agent,
      session,
      cwd: runs.at(-1)?.cwd,
      started: runs[0]?.started,
      last: runs.at(-1)?.started,
      commands: runs.filter(({ edit }) => edit === undefined).length,
      edits: runs.filter(({ edit }) => edit !== undefined).length,
    }));
    return writeJson({ sessions: rows });
  }
  if (sessions.length === 0) writeStdout("no session of an agent has changed anything under Assent yet\n");
  for (const of of sessions) {
    const last = of.runs.at(-1);
    if (last === undefined) continue;
    const where = visible(shorten(last.cwd, "/", home));
    writeStdout(`${visible(nameOfSpan({ of, runs: of.runs }))}  ${style.dim(`${time(last.started)} UTC, in ${where}`)}\n`);
  }
  return 0;
}

function confinedFor({ agent, session }: ConfinedCommand): string {
  return visible(`sandboxed, for ${agent}${session === undefined ? "" : `, session ${session}`}`);
}

/** A folder that came or went as a whole is one row. */
function collapsed(changes: readonly PathChange[], name: (path: string) => string, first: number): readonly string[] {
  const inside = new Map<string, number>();
  for (const { within, kind } of changes)
    if (within !== undefined && kind !== "directory") inside.set(within, (inside.get(within) ?? 0) + 1);
  const shown = changes.filter(({ within }) => within === undefined || first === Number.POSITIVE_INFINITY);
  const rows = shown.map(({ path, from, kind, what, first: was, left }) => {
    if (what === "renamed" && from !== undefined) return `${name(from)} → ${name(path)}`;
    const mode = (stat: { readonly mode: number } | undefined): string => ((stat?.mode ?? 0) & 0o7777).toString(8).padStart(4, "0");
    if (what === "attributes" && was !== undefined && left !== undefined && was.mode !== left.mode)
      return `${name(path)}  ${mode(was)} → ${mode(left)}`;
    const count = inside.get(path) ?? 0;
    if (kind !== "directory") return name(path);
    return `${name(path)}/${count === 0 || first === Number.POSITIVE_INFINITY ? "" : `  (${plural(count, "file")} ${VERBS[what]})`}`;
  });
  return cut(rows, first);
}

function cut(rows: readonly string[], first: number): readonly string[] {
  const shown = rows.slice(0, first).map((row) => `  ${row}`);
  return rows.length > first ? [...shown, `  … and ${number(rows.length - first)} more (--all)`] : shown;
}

function fieldsOf({ run, changes, ...rest }: Receipt): Record<string, unknown> {
  return { ...run, folder: undefined, ...rest, changes: changes.map(changeJson) };
}

function changeJson({ what, path, from, kind, first, left }: PathChange): Record<string, unknown> {
  return { what, path, from, kind, sizeBefore: first?.size, sizeAfter: left?.size };
}
