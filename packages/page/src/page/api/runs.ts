import { withTilde } from "@assent/core/path";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { visible } from "@assent/core/action";
import { isObject, parseObject } from "@assent/core/data";
import { sayEnding, sayLeft, sayRun, saySteps, type ToldStep, VERBS, WHATS } from "../../preview/index.ts";
import type { Machine } from "@assent/guard/state";
import {
  diffOf,
  isRunning,
  listRuns,
  readRun,
  receiptOf,
  type PathChange,
  type RunRecord,
  runsFolder,
  sealRecords,
  undoneOf,
} from "@assent/supervisor/supervise/undo";
import { shown } from "../text.ts";
import { type Endpoint, json, type PageContext, type PageReply, type PageRequest, refused } from "./endpoint.ts";

/** A run in a list. */
export interface RunRow {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  /** The command, the tool with its paths, or what was undone. */
  readonly what: string;
  readonly where: string;
  readonly kind: "run" | "edit" | "undo" | "confined";
  readonly agent?: string;
  readonly ending: string;
  readonly running: boolean;
  readonly undone: boolean;
}

export interface RunList {
  readonly runs: readonly RunRow[];
  /** There are older ones. */
  readonly more: boolean;
}

/** A path that a run changed. */
export interface RunChange {
  readonly what: PathChange["what"];
  /** For questions about it. */
  readonly path: string;
  /** As it is shown; of a rename both. */
  readonly short: string;
  /** It can be named to the server: nothing of it had to be escaped. */
  readonly named: boolean;
  readonly isFolder: boolean;
  readonly note?: string;
}

export interface RunSection {
  readonly title: string;
  readonly rows: readonly { readonly text: string; readonly note?: string }[];
  /** So many more. */
  readonly more: number;
}

export interface RunReceipt {
  readonly row: RunRow;
  readonly facts: readonly (readonly [string, string])[];
  readonly warnings: readonly string[];
  readonly changes: readonly { readonly verb: string; readonly changes: readonly RunChange[]; readonly more: number }[];
  readonly sections: readonly RunSection[];
  /** Something can be taken back. */
  readonly undoable: boolean;
}

export interface RunDiff {
  readonly hunks: readonly { readonly start: number; readonly lines: readonly string[] }[];
  /** Where it cannot be shown as lines, or not all. */
  readonly note?: string;
}

/** What an undo would do. */
export interface RunPlan {
  readonly steps: readonly string[];
  readonly more: number;
  /** What is left alone, and why. */
  readonly refused: readonly string[];
  readonly warnings: readonly string[];
  /** Names this plan: only what was shown is done. */
  readonly digest: string;
}

export interface RunUndone {
  /** The run that takes the undo back; absent: nothing was done. */
  readonly undo?: string;
  readonly failed: readonly string[];
  readonly notes: readonly string[];
  readonly refused: readonly string[];
}

const PAGE = 100;
const MOST = 500;
const MOST_LINES = 3000;
const TEXT = 300;
const MOST_PATHS = 1000;

const kindOf = (run: RunRecord): RunRow["kind"] =>
  run.undoes !== undefined ? "undo" : run.edit !== undefined ? "edit" : run.confined === undefined ? "run" : "confined";

function rowOf(run: RunRecord, undone: ReadonlySet<string>, { home }: Machine): RunRow {
  const agent = run.edit?.agent ?? run.confined?.agent;
  const running = run.ended === undefined && isRunning(run.folder);
  return {
    id: run.id,
    started: run.started,
    what: shown(sayRun(run), TEXT),
    where: shown(withTilde(run.cwd, home), TEXT),
    kind: kindOf(run),
    ...(agent === undefined ? {} : { agent: shown(agent, TEXT) }),
    ending: sayEnding(run, running),
    running,
    undone: undone.has(run.id),
  };
}

function runIn({ query, body }: PageRequest, machine: Machine): RunRecord | undefined {
  const written = isObject(body) ? body["id"] : query.get("id");
  return typeof written === "string" ? readRun(runsFolder(machine), written) : undefined;
}

const NO_RUN = refused("this run does not exist, or is no longer kept", 404);

function list({ query }: PageRequest, { machine }: PageContext): PageReply {
  const folder = runsFolder(machine);
  sealRecords(folder);
  const all = listRuns(folder);
  const undone = undoneOf(all);
  const from = /^\d{1,9}$/.test(query.get("from") ?? "") ? Number(query.get("from")) : 0;
  const runs = all
    .toReversed()
    .slice(from, from + PAGE)
    .map((run) => rowOf(run, undone, machine));
  return json({ runs, more: all.length > from + PAGE } satisfies RunList);
}

function receipt(request: PageRequest, { machine }: PageContext): PageReply {
  const run = runIn(request, machine);
  if (run === undefined) return NO_RUN;
  const folder = runsFolder(machine);
  const found = receiptOf(folder, run, machine);
  const row = rowOf(run, undoneOf(listRuns(folder)), machine);
  const short = (path: string): string => shown(withTilde(path, machine.home), TEXT);
  const left = sayLeft(run, found.running);
  const session = run.edit?.session ?? run.confined?.session;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["run", run.id],
    ["started", new Date(run.started).toISOString()],
    ["in", row.where],
    ["end", row.ending],
    ["agent", row.agent],
    ["session", session === undefined ? undefined : shown(session, TEXT)],
    ["left running", left === undefined ? undefined : shown(left, TEXT)],
    ["undone by", found.undoneBy],
  ];
  const groups = WHATS.flatMap((what) => {
    const changes = found.changes.filter((change) => change.what === what);
    return changes.length === 0
      ? []
      : [
          {
            verb: VERBS[what],
            changes: changes.slice(0, MOST).map((change) => changeOf(change, short)),
            more: Math.max(0, changes.length - MOST),
          },
        ];
  });
  const counted = ({ what, count }: { readonly what: string; readonly count: number }): { text: string; note?: string } => ({
    text: shown(what, TEXT),
    ...(count > 1 ? { note: `×${count}` } : {}),
  });
  const paths = (all: readonly string[]): { text: string }[] => all.map((path) => ({ text: short(path) }));
  const section = (title: string, rows: RunSection["rows"]): readonly RunSection[] =>
    rows.length === 0 ? [] : [{ title, rows: rows.slice(0, MOST), more: Math.max(0, rows.length - MOST) }];
  return json({
    row,
    facts: facts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const])),
    warnings: found.warnings.map((text) => shown(text, TEXT)),
    changes: groups,
    sections: [
      ...section("Changed outside its folder", paths(found.outside)),
      ...section(
        "Runs later, outside the run",
        found.handedOn.map(({ path, runs }) => ({ text: short(path), note: runs })),
      ),
      ...section("Cannot be brought back: it was not kept", paths(found.lost)),
      ...section("Hosts", found.hosts.map(counted)),
      ...section("Listened", found.listened.map(counted)),
      ...section("Commands", found.commands.map(counted)),
      ...section(
        "Asked",
        found.questions.map(({ what, answer }) => ({ text: shown(what, TEXT), note: shown(answer, TEXT) })),
      ),
      ...section(
        "Refused",
        found.refused.map((one) => ({
          text: shown(one.what, TEXT),
          note: shown(`${one.count > 1 ? `×${one.count} ` : ""}${one.reason}`, TEXT),
        })),
      ),
    ],
    undoable: found.changes.length > 0 && !row.undone && !found.running,
  } satisfies RunReceipt);
}

function changeOf({ what, path, from, kind, first, left }: PathChange, short: (path: string) => string): RunChange {
  const mode = (stat: { readonly mode: number } | undefined): string => ((stat?.mode ?? 0) & 0o7777).toString(8).padStart(4, "0");
  const modes = what === "attributes" && first !== undefined && left !== undefined && first.mode !== left.mode;
  return {
    what,
    path: shown(path),
    short: from !== undefined && what === "renamed" ? `${short(from)} → ${short(path)}` : short(path),
    named: isPlain(path),
    isFolder: kind === "directory",
    ...(modes ? { note: `${mode(first)} → ${mode(left)}` } : {}),
  };
}

/** A path that is the same after it was made safe to show: it can come back from the page. */
const isPlain = (path: string): boolean => shown(path) === path;

function diff(request: PageRequest, { machine }: PageContext): PageReply {
  const run = runIn(request, machine);
  const path = request.query.get("path") ?? "";
  if (run === undefined) return NO_RUN;
  for (const { change, patch, note } of diffOf([run], [path])) {
    if (change.path !== path) continue;
    return json(
      (patch === undefined ? { hunks: [], note: shown(note ?? "its lines cannot be shown", TEXT) } : hunksOf(patch)) satisfies RunDiff,
    );
  }
  return refused("the run changed nothing there", 404);
}

/** The lines of a unified patch, as they are but for what nobody can see. */
function hunksOf(patch: string): RunDiff {
  const hunks: { start: number; lines: string[] }[] = [];
  let count = 0;
  for (const line of patch.split("\n")) {
    const [, start] = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line) ?? [];
    if (start !== undefined) hunks.push({ start: Number(start), lines: [] });
    else if (line !== "" && (count += 1) <= MOST_LINES) hunks.at(-1)?.lines.push(line.replaceAll(/[^\t]+/gu, (part) => shown(part, 2000)));
  }
  return { hunks, ...(count > MOST_LINES ? { note: `${count - MOST_LINES} more lines: assent diff shows them` } : {}) };
}

/**
 * Undoing is the command's: in a process of its own, so that a run with thousands of files keeps nobody else from his answer.
 * What it says on standard error where it does nothing is `why`.
 */
async function undoBy(words: readonly string[], { own }: PageContext): Promise<Readonly<Record<string, unknown>>> {
  const argv = [`${own[0] ?? ""}/bin.cjs`, "undo", "--json", ...words];
  const { stdout, stderr } = await new Promise<{ readonly stdout: string; readonly stderr: string }>((resolve) => {
    execFile(process.execPath, argv, { maxBuffer: 256 << 20, cwd: "/", encoding: "utf8" }, (_, out, err) =>
      resolve({ stdout: out, stderr: err }),
    );
  });
  return parseObject(stdout) ?? { why: stderr.split("\n")[0]?.replace(/^assent undo: /, "") ?? "this failed" };
}

interface Told {
  readonly path: string;
  readonly why: string;
}
const isTold = (value: unknown): value is Told => isObject(value) && typeof value["path"] === "string" && typeof value["why"] === "string";
const toldIn = (value: unknown): readonly Told[] => (Array.isArray(value) ? value.filter(isTold) : []);
const STEP_WORDS: ReadonlySet<unknown> = new Set(["delete", "restore", "content", "attributes"]);
function isStep(value: unknown): value is ToldStep {
  if (!isObject(value) || typeof value["path"] !== "string") return false;
  return value["do"] === "move" ? typeof value["to"] === "string" : STEP_WORDS.has(value["do"]);
}

function pathsOf({ query, body }: PageRequest): readonly string[] | undefined {
  const paths: unknown = isObject(body) ? (body["paths"] ?? []) : query.getAll("path");
  const isGood =
    Array.isArray(paths) && paths.length <= MOST_PATHS && paths.every((path) => typeof path === "string" && path.startsWith("/"));
  return isGood ? paths : undefined;
}

async function plan(id: string, paths: readonly string[], context: PageContext): Promise<RunPlan | { readonly why: string }> {
  const planned = await undoBy(["--dry-run", id, ...(paths.length === 0 ? [] : ["--", ...paths])], context);
  if (typeof planned["why"] === "string") return { why: planned["why"] };
  const { home } = context.machine;
  const short = (path: string): string => shown(withTilde(path, home), TEXT);
  const steps = Array.isArray(planned["steps"]) ? planned["steps"].filter(isStep) : [];
  const told = saySteps(steps, short);
  return {
    steps: told.slice(0, MOST),
    more: Math.max(0, told.length - MOST),
    refused: toldIn(planned["refused"]).map(({ path, why }) => `${short(path)} ${shown(why, TEXT)}`),
    warnings: Array.isArray(planned["warnings"]) ? planned["warnings"].map((text) => shown(String(text), TEXT)) : [],
    digest: createHash("sha256")
      .update(JSON.stringify([planned["steps"], planned["refused"]]))
      .digest("hex"),
  };
}

const isPlan = (found: RunPlan | { readonly why: string }): found is RunPlan => "steps" in found;

async function showPlan(request: PageRequest, context: PageContext): Promise<PageReply> {
  const [run, paths] = [runIn(request, context.machine), pathsOf(request)];
  if (run === undefined) return NO_RUN;
  if (paths === undefined) return refused("which files is not clear");
  const found = await plan(run.id, paths, context);
  return isPlan(found) ? json(found) : refused(visible(found.why), 409);
}

async function undo(request: PageRequest, context: PageContext): Promise<PageReply> {
  const [run, paths] = [runIn(request, context.machine), pathsOf(request)];
  if (run === undefined) return NO_RUN;
  if (paths === undefined || !isObject(request.body)) return refused("which files is not clear");
  const found = await plan(run.id, paths, context);
  if (!isPlan(found)) return refused(visible(found.why), 409);
  if (found.digest !== request.body["digest"]) return refused("something has changed since this was shown: look at it again", 409);
  const done = await undoBy(["--yes", run.id, ...(paths.length === 0 ? [] : ["--", ...paths])], context);
  if (typeof done["why"] === "string") return refused(visible(done["why"]), 409);
  const { home } = context.machine;
  const say = ({ path, why }: Told): string => `${shown(withTilde(path, home), TEXT)} ${shown(why, TEXT)}`;
  return json({
    ...(typeof done["undo"] === "string" ? { undo: done["undo"] } : {}),
    failed: toldIn(done["failed"]).map(say),
    notes: toldIn(done["notes"]).map(say),
    refused: toldIn(done["refused"]).map(say),
  } satisfies RunUndone);
}

export const RUNS: readonly Endpoint[] = [
  { method: "GET", path: "/api/runs", answer: list },
  { method: "GET", path: "/api/runs/receipt", answer: receipt },
  { method: "GET", path: "/api/runs/diff", answer: diff },
  { method: "POST", path: "/api/runs/plan", answer: showPlan, limit: 1 << 20 },
  { method: "POST", path: "/api/runs/undo", answer: undo, limit: 1 << 20 },
];
