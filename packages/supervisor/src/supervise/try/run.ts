import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type Action, type Call, printAction, visible } from "@assent/core/action";
import { isBelow } from "@assent/core/path";
import { agentMark, agentName, controlFile, stricterOf, verdictOf } from "@assent/core/policy";
import { read } from "@assent/guard/engine/reader";
import {
  ensureFolder,
  type Machine,
  messageOf,
  noteChanges,
  profileFile,
  programProfile,
  stateFolder,
  writeAtomic,
} from "@assent/guard/state";
import { RunAudit } from "../audit.ts";
import type { ToolService } from "../services/services.ts";
import { GrantingJudge } from "../judge/granting-judge.ts";
import { NOBODY } from "../judge/types.ts";
import { stubPath } from "../kernel/index.ts";
import { withoutLeakCheck } from "../leak-check.ts";
import type { Exit, RunEvent } from "../types.ts";
import { DEFAULT_CAPS, kindOf, newRunId, type ObjectStat, RunFolder, runsFolder, sealEdits, sealRun, UndoStore } from "../undo/index.ts";
import { linesOf, parseRecord } from "../undo/journal.ts";
import { buildFilter, buildListenedFilter } from "../sandbox/filter.ts";
import { DEVICE_RIGHTS, landlockAbi, landlockRights } from "../sandbox/landlock.ts";
import { Applier } from "./apply.ts";
import { dropCaches, findCaches, madeBy, ownOfAll, withoutConflicts } from "./caches.ts";
import { goesOnIn, HeldTry, type TriedConfined, triedFolder, type TriedMeta, type TriedPlace } from "./folder.ts";
import { type JudgedChange, judgeChanges } from "./judge-changes.ts";
import { listenToTried } from "./listen.ts";
import { makeMask } from "./mask.ts";
import { type TryPlan, writePlan } from "./plan.ts";
import { type ReadLayer, readLayer, type TriedChange } from "./scan.ts";
import { startTried } from "./start.ts";
import { findHidden, findPlaces, hasRulesOfStarts, NotTried, refuseRules, statPath } from "./view.ts";

export interface TryOptions {
  readonly machine: Machine;
  readonly cwd: string;
  /** `argv[0]`: the program's path; `word`: what it is told it is called. */
  readonly argv: readonly [string, ...string[]];
  readonly word: string;
  readonly env: Readonly<Record<string, string>>;
  readonly policyFiles: readonly string[];
  readonly confined?: TriedConfined | undefined;
  /** Folders of Assent's own program. */
  readonly own: readonly string[];
}

/** What a tried run did, as the policy judges it now. */
export interface TriedResult {
  readonly meta: TriedMeta;
  readonly changes: readonly JudgedChange[];
}

/** A change that keeps the whole run from being applied, whatever a person says. */
export const blockOf = ({ change, verdict }: JudgedChange): string | undefined =>
  change.problem ?? (verdict.decision === "deny" ? `is not allowed: ${verdict.reason ?? "a rule denies it"}` : undefined);

const architecture = process.arch === "arm64" ? "arm64" : "x64";
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

/** Runs a command on a view of its own; what it did is kept. Throws `NotTried`: nothing was started. */
export async function tryRun(options: TryOptions): Promise<HeldTry | { readonly status: number; readonly why: string }> {
  const { machine, cwd, argv } = options;
  const stub = stubPath("try");
  if (stub === undefined) throw new NotTried(`the file \`try-${process.arch}\` was not found beside this program`);
  const abi = landlockAbi();
  if (abi === 0) throw new NotTried("this kernel has no Landlock");
  const ofAgent = options.confined !== undefined || agentMark(options.env) !== undefined;
  const judge = judgeOf(options, ofAgent);
  if (judge.policy.broken !== undefined) throw new NotTried(`${judge.policy.broken}: a policy file has a mistake; correct it`);
  refuseRules(judge.policy);
  const call: Call = { name: "exec", args: [argv[0], argv] };
  const started = judge.exec([{ word: argv[0], path: argv[0], id: "", size: 0, argv, file: argv[0] }], call, NOBODY);
  if (started.verdict.decision !== "allow") throw new NotTried(`the policy asks before it starts: ${started.verdict.reason ?? argv[0]}`);
  const { reaches, held: why } = started;
  if (why !== undefined) throw new NotTried(`it ${why}`);
  const listens = reaches !== undefined || hasRulesOfStarts(judge.policy);
  // What an agent's tools load of the project may have been changed by others of the same run, which nobody sees.
  if (listens && ofAgent)
    throw new NotTried(reaches === undefined ? "a rule is about what programs start" : `it reaches ${visible(reaches)}`);

  const now = Date.now();
  const id = newRunId(now);
  const caches = findCaches(machine.home, started.toolService);
  const found = findPlaces(judge, machine.temp, cwd, caches.tops);
  const busy = judge.ground.work.find((path) => goesOnIn(machine, path));
  if (busy !== undefined) throw new NotTried(`another tried command is going on in ${busy}`);
  const hidden = findHidden(judge, machine.home, stateFolder(machine));
  const held = HeldTry.make(machine, {
    id,
    argv: [options.word, ...argv.slice(1)],
    cwd,
    started: now,
    state: "running",
    ofAgent,
    ...(options.confined && { confined: options.confined }),
    policyFiles: options.policyFiles,
    places: [],
  });
  try {
    const masked = new Set<string>();
    const places = found.map((path, at): TriedPlace => {
      const secrets = hidden.files.filter((file) => isBelow(file, path));
      const cache = caches.made.has(path) ? "made" : caches.tops.includes(path);
      const place = makePlace(held.folder, path, at, cache);
      if (secrets.length === 0) return place;
      const mask = `${held.folder}/layers/mask${at}`;
      const covered = makeMask(mask, path, secrets);
      for (const file of secrets) if (!covered.includes(file)) masked.add(file);
      return { ...place, mask };
    });
    held.note({ places, caches: { places: caches.places, own: [] } });
    const plan = writePlan({
      ...sandboxesOf(abi, listens),
      folder: held.folder,
      places,
      hidden: { ...hidden, files: hidden.files.filter((file) => !masked.has(file)) },
      cwd,
      program: { path: argv[0], argv: [options.word, ...argv.slice(1)], env: withoutLeakCheck(options.env) },
    });
    const { folder } = held;
    const command = held.meta.argv;
    const seen: RunEvent[] = [];
    const ran: ToolService[] = [];
    const end = await startTried(stub, plan, `${folder}/plan`, async (pid, number, onTaken) => {
      const onEvents = (events: readonly RunEvent[]): void => void seen.push(...events);
      const onStart = (toolService: ToolService): void => void ran.push(toolService);
      const heard = { onEvents, onStart, onTaken };
      await listenToTried(pid, number, { machine, judge, run: id, folder, cwd, command, env: options.env, ...heard });
    });
    rmSync(`${held.folder}/plan`, { force: true });
    if (end.is === "unable") throw new NotTried(end.why);
    if (end.is === "not-started") {
      held.discard();
      return { status: end.errno === "ENOENT" ? 127 : 126, why: `${visible(argv[0])} cannot be started (${end.errno})` };
    }
    const exit: Exit = end.is === "ended" ? end.exit : { by: "signal", signal: 9 };
    const ended = Date.now();
    held.note({ state: "kept", ended, exit, ...told(seen), caches: { places: caches.places, own: ownOfAll(ran, started.toolService) } });
    const records = new RunFolder(runsFolder(machine), runMeta(held.meta));
    for (const event of [eventOf(started.action, call, started.verdict, "passed"), ...seen]) records.event(event);
    records.end({ ended, exit });
    records.close();
    return held;
  } catch (error) {
    if (held.meta.state === "running") held.discard();
    throw error;
  }
}

/** Programs of the run among themselves talk to nobody. */
const isOwn = ({ verdict }: RunEvent): boolean => verdict.builtin === "own-listener";

function told(events: readonly RunEvent[]): Pick<TriedMeta, "reached" | "refused"> {
  const reached = events.flatMap((event) => {
    const { action, outcome } = event;
    return action.kind === "net" && outcome === "done" && !isOwn(event) ? [action.host ?? "a host"] : [];
  });
  const refused = events.flatMap(({ action, verdict, outcome }) =>
    outcome === "refused" ? [`${printAction(action)}: ${verdict.reason ?? "the policy does not allow it"}`] : [],
  );
  return { reached: [...new Set(reached)], refused: [...new Set(refused)] };
}

/** What every tried run has around it. */
function sandboxesOf(abi: number, listens: boolean): Pick<TryPlan, "userNamespace" | "devices" | "landlock" | "filter" | "listened"> {
  const { fs, scopes } = landlockRights(abi);
  return {
    userNamespace: process.geteuid?.() === 0 ? undefined : { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 },
    devices: DEVICES,
    landlock: { fs, scopes, device: DEVICE_RIGHTS },
    filter: buildFilter(architecture, { observeReads: false, ownIpc: true, tried: true }),
    listened: buildListenedFilter(architecture, listens),
  };
}

/** Why no command can be tried on this machine, by one that does nothing above an empty folder. Undefined: they can. */
export async function probeTried(machine: Machine): Promise<string | undefined> {
  const stub = stubPath("try");
  const abi = landlockAbi();
  if (stub === undefined || abi === 0) return stub === undefined ? `\`try-${process.arch}\` was not found` : "this kernel has no Landlock";
  const folder = `${triedFolder(machine)}/probe-${process.pid}`;
  const view = `${folder}/layers/view`;
  try {
    ensureFolder(folder);
    for (const name of ["blank", "layers", "layers/aside", "layers/view"]) mkdirSync(`${folder}/${name}`, { mode: 0o700 });
    const places = [makePlace(folder, view, 0)];
    const program = { path: "/bin/true", argv: ["true"], env: {} };
    const plan = writePlan({ ...sandboxesOf(abi, false), folder, places, hidden: { files: [], folders: [] }, cwd: view, program });
    const end = await startTried(stub, plan, `${folder}/plan`, async (_pid, _number, onTaken) => {
      onTaken();
      await Promise.resolve();
    });
    return end.is === "unable" ? end.why : end.is === "not-started" ? end.errno : undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makePlace(folder: string, path: string, at: number, cache: TriedPlace["cache"] = false): TriedPlace {
  const stat = statPath(path);
  if (typeof stat === "number") throw new NotTried(`${path} cannot be looked at`);
  const upper = `${folder}/layers/${at}`;
  const work = `${folder}/layers/work${at}`;
  for (const name of [upper, work]) mkdirSync(name, { mode: 0o700 });
  // The kernel shows the mode of the uppermost layer.
  chmodSync(upper, stat.mode & 0o7777);
  return { path, id: stat.id, mode: stat.mode, upper, work, stamp: stampOf(path, folder), cache };
}

/** The time of a file system as it tells it itself; where nothing may be made, the clock's. */
function stampOf(path: string, folder: string): TriedPlace["stamp"] {
  const file = `${folder}/layers/aside/stamp`;
  const there = statSync(path, { bigint: true }).dev;
  writeFileSync(file, "", { mode: 0o600 });
  const made = statSync(file, { bigint: true });
  rmSync(file);
  // Kernels before 6.13 note the time of the last tick, every 4 to 10 ms.
  const time = made.dev === there ? made.ctimeNs : BigInt(Date.now() - 10) * 1_000_000n;
  return [Number(time / 1_000_000_000n), Number(time % 1_000_000_000n)];
}

const runMeta = ({ id, argv, cwd, started, policyFiles, confined }: TriedMeta): ConstructorParameters<typeof RunFolder>[1] => ({
  id,
  argv,
  cwd,
  started,
  ...(policyFiles.length === 0 ? {} : { policyFiles }),
  ...(confined && { confined }),
});

function judgeOf({ machine, cwd, policyFiles, own, env, argv, confined }: TryOptions, ofAgent: boolean): GrantingJudge {
  return new GrantingJudge({
    machine,
    cwd,
    env,
    ofAgent,
    ...(confined && {
      root: confined.root,
      session: confined.session,
      who: { agents: [agentName(confined.agent)], session: confined.session },
    }),
    policyFiles,
    profileFile: profileFile(machine, confined === undefined ? programProfile(argv[0], machine, cwd) : "confined"),
    reader: () => ({ read }),
    own,
  });
}

function eventOf(action: Action, call: Call, verdict: RunEvent["verdict"], outcome: RunEvent["outcome"], answer?: string): RunEvent {
  const process = { pid: 0, name: "try", argv: [] };
  return { time: Date.now(), process, call, action, verdict, outcome, ...(answer === undefined ? {} : { answer }) };
}

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

const deviceOf = (stat: ObjectStat | number): string => (typeof stat === "number" ? "" : stat.id.slice(0, stat.id.lastIndexOf(":")));

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
  held.discard();
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
