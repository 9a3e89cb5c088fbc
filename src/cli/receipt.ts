import { visible } from "../action/index.ts";
import { thisMachine, type Machine } from "../state/index.ts";
import {
  commandOf,
  type PathChange,
  findRun,
  isRunning,
  listRuns,
  receiptOf,
  runsFolder,
  type CountedLine,
  type Receipt,
  type RunRecord,
} from "../supervise/undo/index.ts";
import type { ConfinedCommand } from "../supervise/index.ts";
import { JSON_VERSION } from "./json.ts";
import { shorten } from "./place.ts";
import { complain } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor, type TerminalStyle } from "./style.ts";

const COMMAND = "receipt";
const FIRST = 10;

export interface ReceiptOptions {
  readonly list?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** `assent receipt`. */
export function receipt(id: string | undefined, options: ReceiptOptions): number {
  const machine = thisMachine();
  const runs = runsFolder(machine);
  const style = styleFor(process.stdout, process.env);
  if (options.list === true) return list(listRuns(runs), options, style);
  const run = findRun(runs, id, process.cwd(), false);
  if ("problem" in run) return noRun(COMMAND, run.problem, id);
  const found = receiptOf(runs, run, machine);
  if (options.json === true) writeStdout(`${JSON.stringify(receiptJson(found))}\n`);
  else writeStdout(page(found, machine, style, options.all === true ? Number.POSITIVE_INFINITY : FIRST));
  return 0;
}

/** A run was named that is not there, or none was and there is none. */
export function noRun(command: string, problem: string, id: string | undefined): number {
  complain(command, id === undefined ? problem : `${visible(id)}: ${problem}`, "`assent receipt --list` shows the runs that are kept");
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
  return `assent: ${counts.join(", ")} (more: assent receipt ${id}${undo})\n${outside}${handed}`;
}

const place = (path: string, { cwd }: RunRecord, { home }: Machine): string => visible(shorten(path, cwd, home));

function some(all: readonly string[]): string {
  return all.length > 3 ? `${all.slice(0, 3).join(", ")} and ${all.length - 3} more` : all.join(", ");
}

const VERBS: Readonly<Record<PathChange["what"], string>> = {
  created: "created",
  changed: "changed",
  deleted: "deleted",
  renamed: "renamed",
  attributes: "given other modes or times",
};
const WHATS = ["created", "changed", "deleted", "renamed", "attributes"] as const;

const number = (count: number): string => count.toLocaleString("en-US");
const plural = (count: number, word: string): string => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

function summary({ changes, hosts, refused, questions }: Receipt): readonly string[] {
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

/** `code 0`, `signal 9`, or that it lives. */
function ending({ exit, ended }: RunRecord, running: boolean): string {
  if (exit === undefined || ended === undefined) return running ? "still running" : "killed";
  return exit.by === "exit" ? `exit code ${exit.code}` : `ended by signal ${exit.signal}`;
}

const time = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ");

function list(runs: readonly RunRecord[], { json }: ReceiptOptions, style: TerminalStyle): number {
  if (json === true) {
    writeStdout(
      `${JSON.stringify({ v: JSON_VERSION, runs: runs.map(({ folder, ...meta }) => ({ ...meta, running: isRunning(folder) })) })}\n`,
    );
    return 0;
  }
  if (runs.length === 0) writeStdout("no run is recorded yet\n");
  for (const run of runs) {
    const what = run.undoes === undefined ? commandOf(run) : `undo of ${run.undoes}`;
    const state = [...(run.confined === undefined ? [] : ["confined"]), ending(run, isRunning(run.folder))].join(", ");
    writeStdout(`${run.id}  ${style.dim(time(run.started))}  ${visible(what).slice(0, style.width - 50)}  ${style.dim(state)}\n`);
  }
  return 0;
}

function page(found: Receipt, machine: Machine, style: TerminalStyle, first: number): string {
  const { run } = found;
  const out = [
    `${style.bold(visible(commandOf(run)))}`,
    ...(run.confined === undefined ? [] : [style.dim(confinedFor(run.confined))]),
    style.dim(`${run.id}, ${time(run.started)} UTC, in ${visible(shorten(run.cwd, "/", machine.home))}, ${ending(run, found.running)}`),
  ];
  const head = out.length;
  for (const warning of found.warnings) out.push(`warning: ${visible(warning)}`);
  if (found.undoneBy !== undefined) out.push(`undone by ${found.undoneBy}`);
  for (const what of WHATS) {
    const rows = collapsed(
      found.changes.filter((change) => change.what === what),
      (path) => place(path, run, machine),
      first,
    );
    if (rows.length > 0) out.push("", style.bold(what === "attributes" ? "mode or times" : what), ...rows);
  }
  const section = (title: string, rows: readonly string[]): void => {
    if (rows.length > 0) out.push("", style.bold(title), ...cut(rows, first));
  };
  section(
    "outside this folder",
    found.outside.map((path) => place(path, run, machine)),
  );
  section(
    "runs later, outside the run",
    found.handedOn.map(({ path, runs }) => `${place(path, run, machine)}  ${style.dim(runs)}`),
  );
  section(
    "cannot be brought back (not kept)",
    found.lost.map((path) => place(path, run, machine)),
  );
  const times = ({ what, count }: CountedLine): string => `${visible(what)}${count > 1 ? style.dim(` ×${number(count)}`) : ""}`;
  section("hosts", found.hosts.map(times));
  section("commands", found.commands.map(times));
  section(
    "asked",
    found.questions.map(({ what, answer }) => `${visible(what)}  ${style.dim(visible(answer))}`),
  );
  section(
    "refused",
    found.refused.map((one) => `${times(one)}  ${style.dim(visible(one.reason))}`),
  );
  if (out.length === head) out.push("changed nothing");
  return `${out.join("\n")}\n`;
}

function confinedFor({ agent, session }: ConfinedCommand): string {
  return visible(`confined, for ${agent}${session === undefined ? "" : `, session ${session}`}`);
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

function receiptJson({ run, changes, ...rest }: Receipt): Record<string, unknown> {
  return {
    v: JSON_VERSION,
    ...run,
    folder: undefined,
    ...rest,
    changes: changes.map(({ what, path, from, kind, first, left }) => ({
      what,
      path,
      from,
      kind,
      sizeBefore: first?.size,
      sizeAfter: left?.size,
    })),
  };
}
