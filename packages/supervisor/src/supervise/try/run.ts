import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { type Action, type Call, printAction, visible } from "@assent/core/action";
import { isBelow } from "@assent/core/path";
import { agentMark, agentName } from "@assent/core/policy";
import { read } from "@assent/guard/engine/reader";
import { ensureFolder, type Machine, messageOf, profileFile, programProfile, stateFolder } from "@assent/guard/state";
import type { ToolService } from "../services/services.ts";
import { GrantingJudge } from "../judge/granting-judge.ts";
import { NOBODY } from "../judge/types.ts";
import { stubPath } from "../kernel/index.ts";
import { withoutLeakCheck } from "../leak-check.ts";
import type { Exit, RunEvent } from "../types.ts";
import { newRunId, type ObjectStat, RunFolder, runsFolder } from "../undo/index.ts";
import { buildFilter, buildListenedFilter } from "../sandbox/filter.ts";
import { DEVICE_RIGHTS, landlockAbi, landlockRights } from "../sandbox/landlock.ts";
import { findCaches, ownOfAll } from "./caches.ts";
import { goesOnIn, HeldTry, runMeta, type TriedConfined, triedFolder, type TriedMeta, type TriedPlace } from "./folder.ts";
import type { Keeping } from "./kept-plan.ts";
import { fetchListener, listenToTried } from "./listen.ts";
import { makeMask } from "./mask.ts";
import { type TryPlan, writePlan } from "./plan.ts";
import { endOf, startTried, type TriedEnd } from "./start.ts";
import { deviceOf, findHidden, findPlaces, hasRulesOfStarts, NotTried, refuseRules, statPath } from "./view.ts";

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
  /** Its plan is kept. */
  readonly keeping?: Keeping | undefined;
}

type TriedStart = { readonly status: number; readonly why: string };

const architecture = process.arch === "arm64" ? "arm64" : "x64";
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

/** Runs a command on a view of its own; what it did is kept. Throws `NotTried`: nothing was started. */
export async function tryRun(options: TryOptions): Promise<HeldTry | TriedStart> {
  const { machine, cwd, argv, keeping } = options;
  const stub = stubPath("try");
  if (stub === undefined) throw new NotTried(`the file \`try-${process.arch}\` was not found beside this program`);
  const abi = landlockAbi();
  if (abi === 0) throw new NotTried("this kernel has no Landlock");
  const start = judgeStart(options);
  const { judge, started, listens, ofAgent } = start;

  const now = Date.now();
  const id = newRunId(now);
  const caches = findCaches(machine.home, started.toolService);
  const found = findPlaces(judge, machine.temp, cwd, caches.tops);
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
    const { meta } = held;
    const plan = writePlan({
      ...sandboxesOf(abi, listens),
      folder: held.folder,
      places,
      hidden: { ...hidden, files: hidden.files.filter((file) => !masked.has(file)) },
      cwd,
      program: { path: argv[0], argv: [options.word, ...argv.slice(1)], env: withoutLeakCheck(options.env) },
    });
    keeping?.stop();
    // It is noted where this one is, so of two that begin at once one sees the other.
    const busy = judge.ground.work.find((path) => goesOnIn(machine, path, id));
    if (busy !== undefined) throw new NotTried(`another tried command is going on in ${busy}`);
    const heard = hear(options, held, judge);
    const end = await startTried(stub, plan, `${held.folder}/plan`, (pid, number) => heard.listen(pid, fetchListener(pid, number)));
    rmSync(`${held.folder}/plan`, { force: true });
    if (end.is === "unable") throw new NotTried(end.why);
    if (end.is === "not-started") {
      held.discard();
      return { status: end.errno === "ENOENT" ? 127 : 126, why: `${visible(argv[0])} cannot be started (${end.errno})` };
    }
    const event = eventOf(started.action, callOf(argv), started.verdict, "passed");
    finish(machine, held, end, event, heard, started.toolService);
    if (end.is === "ended" && !listens && caches.made.size === 0) keeping?.keep(meta, plan.bytes, event);
    return held;
  } catch (error) {
    if (held.meta.state === "running") held.discard();
    throw error;
  }
}

/**
 * Goes on with a run that `assent-try` has begun by a kept plan: it has ended, or something of it is to be judged. Throws where it cannot
 * go on, and whoever began it ends it then.
 */
export async function takeOver(options: TryOptions, id: string, how: string): Promise<HeldTry> {
  const { machine } = options;
  const held = HeldTry.adopt(machine, id, GIVEN.lock);
  const { start: event } = held.meta;
  if (event === undefined) throw new Error(`${id} was not begun by a kept plan`);
  const start = how === "judges" ? judgeStart(options) : undefined;
  if (start?.listens === true) throw new NotTried("the policy has changed");
  const heard = hear(options, held, start?.judge);
  const end = await endOf(GIVEN.report, () => (start === undefined ? undefined : heard.listen(process.ppid, GIVEN.listener)));
  finish(machine, held, end, event, heard, start?.started.toolService);
  return held;
}

/** Descriptors from `assent-try` (stubs/kept.h). */
const GIVEN = { report: 3, lock: 5, listener: 6 } as const;

const callOf = (argv: TryOptions["argv"]): Call => ({ name: "exec", args: [argv[0], argv] });

/** What the policy says to the start. Throws `NotTried` where that is not simply yes. */
function judgeStart(options: TryOptions): {
  readonly judge: GrantingJudge;
  readonly started: ReturnType<GrantingJudge["exec"]>;
  readonly listens: boolean;
  readonly ofAgent: boolean;
} {
  const { argv } = options;
  const ofAgent = options.confined !== undefined || agentMark(options.env) !== undefined;
  const judge = judgeOf(options, ofAgent);
  if (judge.policy.broken !== undefined) throw new NotTried(`${judge.policy.broken}: a policy file has a mistake; correct it`);
  refuseRules(judge.policy);
  const started = judge.exec([{ word: argv[0], path: argv[0], id: "", size: 0, argv, file: argv[0] }], callOf(argv), NOBODY);
  if (started.verdict.decision !== "allow") throw new NotTried(`the policy asks before it starts: ${started.verdict.reason ?? argv[0]}`);
  const { reaches, held: why } = started;
  if (why !== undefined) throw new NotTried(`it ${why}`);
  const listens = reaches !== undefined || hasRulesOfStarts(judge.policy);
  // What an agent's tools load of the project may have been changed by others of the same run, which nobody sees.
  if (listens && ofAgent)
    throw new NotTried(reaches === undefined ? "a rule is about what programs start" : `it reaches ${visible(reaches)}`);
  return { judge, started, listens, ofAgent };
}

interface HeardSoFar {
  readonly seen: RunEvent[];
  readonly ran: ToolService[];
  readonly listen: (pid: number, listener: number) => Promise<void>;
}

function hear({ machine, cwd, env }: TryOptions, { folder, meta }: HeldTry, judge: GrantingJudge | undefined): HeardSoFar {
  const seen: RunEvent[] = [];
  const ran: ToolService[] = [];
  const onEvents = (events: readonly RunEvent[]): void => void seen.push(...events);
  const onStart = (toolService: ToolService): void => void ran.push(toolService);
  const listen = async (pid: number, listener: number): Promise<void> => {
    if (judge === undefined) throw new Error("nobody judges");
    await listenToTried(pid, listener, { machine, judge, run: meta.id, folder, cwd, command: meta.argv, env, onEvents, onStart });
  };
  return { seen, ran, listen };
}

/** Notes how it went. */
function finish(machine: Machine, held: HeldTry, end: TriedEnd, start: RunEvent, { seen, ran }: HeardSoFar, first?: ToolService): void {
  const exit: Exit = end.is === "ended" ? end.exit : { by: "signal", signal: 9 };
  const ended = Date.now();
  const places = held.meta.caches?.places ?? [];
  const own = first === undefined ? [] : ownOfAll(ran, first);
  held.note({ state: "kept", ended, exit, ...told(seen), caches: { places, own } });
  const records = new RunFolder(runsFolder(machine), runMeta(held.meta));
  for (const event of [{ ...start, time: ended }, ...seen]) records.event(event);
  records.end({ ended, exit });
  records.close();
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
    const end = await startTried(stub, plan, `${folder}/plan`, () => Promise.resolve());
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
  return { path, id: stat.id, mode: stat.mode, upper, work, stamp: stampOf(stat, upper), cache };
}

/** The time of a file system as it tells it itself, by a folder just made; of another one, the clock's. */
function stampOf(place: ObjectStat, upper: string): TriedPlace["stamp"] {
  const made = statPath(upper);
  if (typeof made !== "number" && deviceOf(made) === deviceOf(place)) return made.ctime;
  // Kernels before 6.13 note the time of the last tick, every 4 to 10 ms.
  const time = Date.now() - 10;
  return [Math.floor(time / 1000), (time % 1000) * 1_000_000];
}

export function judgeOf({ machine, cwd, policyFiles, own, env, argv, confined }: TryOptions, ofAgent: boolean): GrantingJudge {
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

export function eventOf(action: Action, call: Call, verdict: RunEvent["verdict"], outcome: RunEvent["outcome"], answer?: string): RunEvent {
  const process = { pid: 0, name: "try", argv: [] };
  return { time: Date.now(), process, call, action, verdict, outcome, ...(answer === undefined ? {} : { answer }) };
}
