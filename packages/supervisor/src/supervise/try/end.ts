import { readFileSync } from "node:fs";
import { type Action, type Call, visible } from "@assent/core/action";
import { attempt } from "@assent/core/data";
import { controlFile, stricterOf, verdictOf } from "@assent/core/policy";
import { noteChanges, writeAtomic } from "@assent/guard/state";
import { RunAudit } from "../audit.ts";
import type { RunEvent } from "../types.ts";
import { DEFAULT_CAPS, kindOf, RunFolder, runsFolder, sealEdits, sealRun, UndoStore } from "../undo/index.ts";
import { linesOf, parseRecord } from "../undo/journal.ts";
import { Applier } from "./apply.ts";
import { dropCaches, madeBy, withoutConflicts } from "./caches.ts";
import { type HeldTry, runMeta, type TriedMeta } from "./folder.ts";
import { type JudgedChange, judgeChanges } from "./judge-changes.ts";
import { eventOf, judgeOf, type TryOptions } from "./run.ts";
import { type ReadLayer, readLayer, type TriedChange } from "./scan.ts";
import { deviceOf, statPath } from "./view.ts";

/** What a tried run did, as the policy judges it now. */
export interface TriedResult {
  readonly meta: TriedMeta;
  readonly changes: readonly JudgedChange[];
}

/** A change that keeps the whole run from being applied, whatever a person says. */
export const blockOf = ({ change, verdict }: JudgedChange): string | undefined =>
  change.problem ?? (verdict.decision === "deny" ? `is not allowed: ${verdict.reason ?? "a rule denies it"}` : undefined);

/** Of those that the policy does not simply allow. */
export const eventsOf = (changes: readonly JudgedChange[], outcome: RunEvent["outcome"]): readonly RunEvent[] =>
  changes
    .filter(({ verdict }) => verdict.decision !== "allow")
    .map(({ actions: [first], verdict }) => eventOf(first, callOf(first), verdict, outcome, outcome === "done" ? "yes" : undefined));

const callOf = ({ call }: Action): Call => call ?? { name: "open", args: [] };

export type OfTry = Pick<TryOptions, "machine" | "own">;

/** What a run did, as it lay in its layers at this moment. */
export interface TriedReading extends TriedResult {
  readonly layers: readonly ReadLayer[];
}

const optionsOf = ({ machine, own }: OfTry, { argv, cwd, policyFiles, confined }: TriedMeta): TryOptions => ({
  machine,
  own,
  cwd,
  policyFiles,
  argv: [argv[0] ?? "", ...argv.slice(1)],
  word: argv[0] ?? "",
  env: {},
  confined,
});

/** Reads the layers, or what of them lies at chosen paths, and asks the policy, as it is now. */
export function readTry(held: HeldTry, of: OfTry, only?: ReadonlySet<string>): TriedReading {
  const { meta } = held;
  const known = meta.state === "applying" ? readScan(held) : undefined;
  const dropped = known === undefined ? dropCaches(held) : [];
  if (dropped.length > 0) held.note({ dropped: [...(held.meta.dropped ?? []), ...dropped] });
  const layers = meta.places.map((place) => {
    const read = readLayer(place);
    const layer = onlyOf(place.cache !== false ? { ...read, touched: [] } : read, known === undefined ? only : known.only);
    return known === undefined ? layer : { ...layer, changes: layer.changes.flatMap((change) => asKnown(change, known)) };
  });
  const changes = layers.flatMap(({ changes: all }) => all).map(apart);
  if (changes.length === 0) return { meta: held.meta, layers, changes: [] };
  const judge = judgeOf(optionsOf(of, meta), meta.ofAgent);
  const device = deviceOf(statPath(held.folder));
  const caches = known === undefined ? withoutConflicts(meta.caches, changes) : undefined;
  if (caches !== undefined) {
    held.note({ caches });
    return readTry(held, of, only);
  }
  const maker = madeBy(meta.caches?.own ?? []);
  return { meta: held.meta, layers, changes: judgeChanges(judge, changes, of.machine.home, maker).map((one) => askUnkept(one, device)) };
}

/** What is taken away is kept by another name; what has several, or lies on another file system, by a copy, and of a large one there is none. */
function askUnkept(judged: JudgedChange, device: string): JudgedChange {
  const { what, lower, path } = judged.change;
  if (what === "made" || what === "attributes" || lower === undefined || kindOf(lower.mode) !== "file") return judged;
  if (Math.min(lower.size, lower.allocated) <= DEFAULT_CAPS.file || (deviceOf(lower) === device && lower.nlink === 1)) return judged;
  const reason = `${visible(path)} has more than undo copies of one file: what it was could not be brought back`;
  return { ...judged, verdict: stricterOf(judged.verdict, verdictOf("ask", "run.outside", { reason })) };
}

/** Two names of one file are two files above a layer: what was done to either cannot be joined again. */
function apart(change: TriedChange, _at: number, all: readonly TriedChange[]): TriedChange {
  const { what, lower, problem } = change;
  if (what !== "changed" || lower === undefined || lower.nlink === 1 || problem !== undefined) return change;
  const other = all.find((one) => one !== change && one.what === "changed" && one.lower?.id === lower.id);
  return other === undefined ? change : { ...change, problem: `and ${other.path} were one file, and are two now` };
}

/** What was there when applying began: applying itself changes times of what it does not touch (hard links). */
interface AppliedScan {
  readonly lower: Readonly<Record<string, string>>;
  /** How many names each file had, where it had several: undo gives what it keeps another one. */
  readonly names: Readonly<Record<string, number>>;
  /** The file that was written in its place last. */
  readonly writing?: string | undefined;
  /** Paths that a person chose; absent: all. */
  readonly only?: readonly string[];
}

/** Of a folder not its time: what is taken out of it changes that. */
const identityOf = ({ lower }: TriedChange): string =>
  lower === undefined
    ? ""
    : JSON.stringify([lower.id, lower.btime, ...(kindOf(lower.mode) === "directory" ? [] : [lower.size, lower.mtime])]);

function readScan({ folder, meta }: HeldTry): AppliedScan {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Assent's own file, in a folder nobody else may write
  const scan = JSON.parse(readFileSync(`${folder}/scan.json`, "utf8")) as AppliedScan;
  return { ...scan, writing: meta.writing };
}

/** What is left of a change when applying was stopped; none: its step is done. */
function asKnown(change: TriedChange, { lower: known, names, writing }: AppliedScan): readonly TriedChange[] {
  const { problem: _, lower, ...other } = change;
  const rest = lower === undefined ? other : { ...other, lower: { ...lower, nlink: names[`/${change.path}`] ?? 1 } };
  const was = known[`/${change.path}`] ?? "";
  // It has changed places with what was there.
  if (change.upper !== undefined && was.startsWith(`${JSON.stringify([change.upper.id]).slice(0, -1)},`)) return [];
  const isOurs = was === identityOf(change) || writing === change.path || (change.what === "made" && change.lower === undefined);
  return [isOurs ? rest : { ...rest, problem: "was changed by somebody else while the command was applied" }];
}

/** What a person said. */
export interface Applying {
  /** Yes to what the policy asks about. */
  readonly consent: boolean;
  /** Paths of what is applied; the rest is thrown away. Absent: all. */
  readonly only?: ReadonlySet<string>;
  /** What was read just before, and judged: nobody has thought about it meanwhile. */
  readonly read?: TriedReading;
}

function onlyOf<T extends ReadLayer>(layer: T, only: Iterable<string> | undefined): T {
  if (only === undefined) return layer;
  const chosen = new Set(only);
  return { ...layer, changes: layer.changes.filter(({ path }) => chosen.has(path)), touched: [] };
}

/**
 * Makes what a run did real, whole or as far as a person chose, or not at all. Throws where it came to a stop in the middle: then
 * `applying` is noted, and the same call goes on.
 */
export function applyTry(
  held: HeldTry,
  of: OfTry,
  { consent, only, read }: Applying,
): { readonly applied: boolean; readonly result: TriedResult } {
  const result = read ?? readTry(held, of, only);
  const { meta, changes, layers } = result;
  const events = (outcome: RunEvent["outcome"]): readonly RunEvent[] => eventsOf(changes, outcome);
  const blocked =
    changes.some((one) => blockOf(one) !== undefined) || (!consent && changes.some(({ verdict }) => verdict.decision === "ask"));
  if (blocked) {
    log(of, meta, events("refused"));
    return { applied: false, result };
  }
  // What later commands obey is noted before it is changed.
  const obeyed = changes.flatMap(({ change }) => (isObeyed(change) ? [change.path] : []));
  const unnoted = obeyed.length === 0 ? undefined : noteChanges(of.machine, obeyed, `run ${meta.id}`);
  if (unnoted !== undefined) throw new Error(unnoted);
  sealEdits(runsFolder(of.machine));
  if (meta.state !== "applying") {
    const lower = Object.fromEntries(changes.map(({ change }) => [`/${change.path}`, identityOf(change)]));
    const names = Object.fromEntries(
      changes.flatMap(({ change: { path, lower: now } }) => (now !== undefined && now.nlink > 1 ? [[`/${path}`, now.nlink]] : [])),
    );
    writeAtomic(
      `${held.folder}/scan.json`,
      JSON.stringify({ lower, names, ...(only === undefined ? {} : { only: [...only] }) } satisfies AppliedScan),
    );
    held.note({ state: "applying" });
  }
  const records = new RunFolder(runsFolder(of.machine), runMeta(meta));
  const announced = meta.state === "applying" ? announcedIn(records.folder, changes) : [];
  const undo = new UndoStore(records.folder);
  for (const step of announced) undo.cancel({ kept: true, ...step });
  const applier = new Applier(undo, `${held.folder}/layers/aside`, `.assent-${meta.id}`, (writing) => held.note({ writing }));
  try {
    for (const layer of layers) applier.apply(layer);
    for (const event of events("done")) records.event(event);
    log(of, meta, events("done"));
  } finally {
    applier.close();
    undo.close();
    const ended = Date.now();
    records.end({ ended, ...(meta.exit === undefined ? {} : { exit: meta.exit }) });
    records.end({ bytes: sealRun(records.folder, ended) });
    records.close();
  }
  held.note({ state: "applied" });
  // What cannot be taken away now is taken away when runs are listed.
  attempt(() => held.discard(), undefined);
  return { applied: true, result };
}

const isObeyed = ({ what, kind, path }: TriedChange): boolean =>
  what !== "attributes" && (kind !== "directory" || what === "gone") && controlFile(path) !== undefined;

/** What was announced for undo when applying was stopped, and not done: it is announced again. */
function announcedIn(
  folder: string,
  changes: readonly JudgedChange[],
): readonly { readonly record: number; readonly undo?: { readonly key: number } }[] {
  // What is taken away first and made anew then has two steps.
  const open = new Set(
    changes.flatMap(({ change: { what, path } }) => [
      ...(what === "made" ? [] : [`remove ${path}`]),
      ...(what === "gone" ? [] : [`create ${path}`]),
    ]),
  );
  const found: { readonly record: number; readonly undo?: { readonly key: number } }[] = [];
  const calledOff = new Set<number>();
  const lines = [...linesOf(`${folder}/journal.jsonl`)];
  for (let number = lines.length; number > 0; number--) {
    const record = parseRecord(lines[number - 1] ?? "");
    if (record?.op === "void") calledOff.add(record.record);
    if (record === undefined || record.op === "void" || record.op === "folder" || calledOff.has(number)) continue;
    if ((record.op !== "create" && record.op !== "remove") || !open.has(`${record.op} ${record.path}`)) break;
    const key = record.op === "remove" ? record.key : undefined;
    found.push({ record: number, ...(key === undefined ? {} : { undo: { key } }) });
  }
  return found;
}

function log({ machine }: OfTry, { id, cwd }: TriedMeta, events: readonly RunEvent[]): void {
  const audit = new RunAudit({ machine, run: id, cwd, mode: "enforce", tally: { take: () => [] }, onProblem: () => undefined });
  for (const event of events) audit.event(event);
  audit.end();
}
