import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { realpathSync } from "node:fs";
import { decide, type DecideOptions, failedOutcome, findSources, type Outcome, realWorld, type Request, whoOf } from "@assent/guard/engine";
import { type GivenPolicies, type RunPolicies, selectionOf, tightenedBy } from "@assent/guard/engine/given";
import type { Policy, Principal, Who } from "@assent/core/policy";
import { type Machine, ProcessMemory, thisMachine } from "@assent/guard/state";
import type { ConfinedStart } from "../guard/confined-start.ts";
import { confinedStart, confineUnknown } from "../guard/open-guard.ts";
import { noteOutcome } from "../guard/outcomes.ts";
import { listenToRun } from "../confined/index.ts";
import type { JudgedInRun } from "@assent/supervisor/supervise/order";
import { LIBRARY } from "../common/library.ts";
import { type GuardCall, lowerCall, type LoweredCall, type RunningCall } from "./call.ts";
import { callOfTool, combineFindings, isWritten, type NamedTool } from "./combine.ts";
import type { ReadCodePolicy } from "./policy-in-code.ts";
import type { CallDecision, GuardCallOptions, GuardOptions } from "./types.ts";

/** What guards that were made of one another share. */
export interface GuardRoot {
  readonly machine: Machine;
  readonly policy: ReadCodePolicy | undefined;
  readonly files: NonNullable<GuardOptions["files"]>;
  readonly confine: boolean;
  readonly audit: boolean;
  readonly shell: NonNullable<GuardOptions["shell"]>;
  /** Hears what runs refuse that others start (`start`); undefined where nobody listens. */
  readonly heard?: ((judged: JudgedInRun, about: RunningCall, principal: Principal | undefined) => void) | undefined;
}

/** For whom and where a guard judges. */
export interface GuardPlaceInCode {
  readonly principal: Principal | undefined;
  readonly cwd: string;
  /** Policies behind the first, which make it stricter. */
  readonly stricter: readonly ReadCodePolicy[];
}

/** How calls are judged. */
export interface JudgingWay {
  readonly tool?: NamedTool | undefined;
  /** Whoever asked starts what is given in the place of a command. Of a tool that is known where it is said; of several calls never. */
  readonly starts?: boolean;
  /** The field in which a host's own tool has its command: it starts what it is given there. */
  readonly field?: string | undefined;
  /** Whoever asks runs what goes ahead confined by itself, where this does not say why it cannot. */
  readonly wall?: () => string | undefined;
  /** The host only plans. */
  readonly planning?: boolean;
  /** Nothing of it is done: neither remembered nor logged. */
  readonly looks?: boolean;
  /** What was asked about is done as it is: whoever answers cannot change it. */
  readonly fixed?: boolean;
  /** The shell that runs commands, where it is known. */
  readonly shell?: GuardRoot["shell"];
  /** Where paths lead, and what lies there. By default as it is on this machine now. */
  readonly world?: DecideOptions["world"];
  /** Of another machine: home, programs. By default the guard's. */
  readonly machine?: Machine;
  /** What whoever asks makes of the policy: a mode of its own. */
  readonly adapt?: (policy: Policy) => Policy;
}

/** One call that was judged. */
export interface JudgedCall {
  readonly call: GuardCall;
  readonly lowered: LoweredCall;
  readonly outcome: Outcome;
  readonly start: ConfinedStart | undefined;
}

/** What was judged together. */
export interface JudgedCalls {
  readonly parts: readonly JudgedCall[];
  readonly decision: CallDecision;
  /** How it was judged. */
  readonly way: JudgingWay;
}

/** The machine as a guard in a program sees it: what it remembers stays in the process. */
export function guardMachine({
  home,
  env,
  files = "none",
  confine = false,
}: Pick<GuardOptions, "home" | "env" | "files" | "confine">): Machine {
  const memory = new ProcessMemory();
  const own: NodeJS.ProcessEnv = { ...(env ?? process.env), ...(home === undefined ? {} : { HOME: home }) };
  if (files !== "none" || confine) return { ...plain(thisMachine(own)), memory };
  return {
    home: realHome(own["HOME"]),
    env: own,
    platform: process.platform,
    uid: process.getuid?.(),
    temp: ["/tmp", "/var/tmp"],
    managedPolicy: "/etc/assent/policy.jsonc",
    memory,
    alone: true,
  };
}

/** What is protected there is compared by the names that paths really have. */
function realHome(home = "/"): string {
  if (!home.startsWith("/")) return "/";
  try {
    return realpathSync.native(home);
  } catch {
    return home;
  }
}

/** Without the account: a program that serves others is none of them. */
const plain = ({ home, env, platform, uid, temp, managedPolicy }: Machine): Machine => ({ home, env, platform, uid, temp, managedPolicy });

/** Judges calls that belong together: the strictest verdict is that of all. Asks nobody. */
export function judgeCalls(
  calls: readonly GuardCall[],
  root: GuardRoot,
  place: GuardPlaceInCode,
  options: GuardCallOptions,
  asked: JudgingWay = {},
): JudgedCalls {
  const started = performance.now();
  const { tool } = asked;
  const starts = asked.starts === true && calls.length === 1 && (tool === undefined || tool.field !== undefined);
  const way = { ...asked, starts };
  // Not `calls.map`: it passes over gaps, and a gap is no call.
  const parts = Array.from(calls, (call) => judgeOne(call, root, place, options, way));
  const named =
    tool === undefined ? [] : [judgeOne(callOfTool(tool), root, place, options, way)].filter(({ outcome }) => isWritten(outcome));
  return {
    parts,
    way: asked,
    decision: combineFindings(
      [...parts, ...named].map(({ outcome }) => outcome),
      {
        id: randomUUID(),
        calls,
        principal: principalOf(place, options),
        confined: parts.some(({ outcome }) => outcome.instead !== undefined),
        milliseconds: performance.now() - started,
      },
    ),
  };
}

const principalOf = ({ principal }: GuardPlaceInCode, options: GuardCallOptions): Principal | undefined => options.principal ?? principal;

function judgeOne(call: GuardCall, root: GuardRoot, place: GuardPlaceInCode, options: GuardCallOptions, way: JudgingWay): JudgedCall {
  const lowered = lowerCall(call);
  const { shell = root.shell, planning = false } = way;
  const isCommand = "argv" in call || (shell !== "zsh" && ("shell" in call || isHostsCommand(lowered, way)));
  const confines = isCommand && (way.wall !== undefined || (way.starts === true && root.confine));
  const request = requestOf(lowered, place, { ...options, confines, planning, shell });
  const about = { call, reason: options.reason ?? "" };
  const { made, decideOptions } = settingsFor(request, root, place, way, { about, principal: principalOf(place, options) });
  let outcome: Outcome;
  try {
    outcome = decide(request, decideOptions);
  } catch (error) {
    outcome = failedOutcome(request, error);
  }
  noteOutcome(outcome);
  return { call, lowered, outcome, start: outcome.instead === undefined ? undefined : made.start };
}

/** A tool of a host that gives the text of that one field to a shell, in the folder of the session. */
const isHostsCommand = ({ facts, input }: LoweredCall, { starts, field }: JudgingWay): boolean =>
  starts === true &&
  field !== undefined &&
  facts?.does === "shell" &&
  facts.field === field &&
  facts.list === undefined &&
  facts.folder === undefined &&
  typeof input[field] === "string";

function requestOf(
  { tool, facts, input }: LoweredCall,
  place: GuardPlaceInCode,
  options: GuardCallOptions & { readonly confines: boolean; readonly planning: boolean; readonly shell: GuardRoot["shell"] },
): Request {
  const principal = principalOf(place, options);
  const { user, tenant, role, agent, session } = identified(principal);
  const cwd = options.cwd === undefined ? place.cwd : resolve(place.cwd, options.cwd);
  const { confines, planning, shell } = options;
  return {
    tool,
    facts,
    input,
    cwd,
    sessionRoot: cwd,
    point: "library",
    agent,
    session,
    subagent: options.subagent,
    memory: `library of process ${process.pid}`,
    host: { shell, decides: false, asks: true, bypassed: false, planning, confines },
    ...(principal === undefined ? {} : { principal: { user, tenant, role } }),
  };
}

/** Who asks by a guard's own principal. */
export function askerOf({ principal }: GuardPlaceInCode): WhoAsks {
  const { user, tenant, role, agent, session } = identified(principal);
  return { agent, session, subagent: undefined, ...(principal === undefined ? {} : { principal: { user, tenant, role } }) };
}

const identified = (principal: Principal | undefined): Principal & { readonly agent: string } => ({
  ...principal,
  agent: principal?.agent ?? "library",
});

/** As rules are held against whom a guard judges for. */
export const whoIn = ({ principal }: GuardPlaceInCode, machine: Machine): Who =>
  whoOf({ ...identified(principal), ...(principal === undefined ? {} : { principal }) }, machine);

/** Whose call it is. */
interface AskedCall {
  readonly about: RunningCall;
  readonly principal: Principal | undefined;
}

function settingsFor(request: Request, root: GuardRoot, place: GuardPlaceInCode, way: JudgingWay, { about, principal }: AskedCall) {
  const { audit, heard } = root;
  const { machine = root.machine, looks = false } = way;
  const made: { start?: ConfinedStart } = {};
  const confine: DecideOptions["confine"] = (_, on) => {
    if (way.wall !== undefined) {
      const problem = way.wall();
      return problem === undefined ? { command: "" } : { problem };
    }
    // Though its policy were the machine's alone: the account's user, and what the machine remembers, are not the guard's.
    const tells = heard === undefined ? undefined : listenToRun(on, (judged) => heard(judged, about, principal));
    const start = confinedStart(request, on, givenTo(root, place, request), tells);
    if ("problem" in start) return start;
    made.start = start;
    return { command: start.line };
  };
  const { adapt: own, ...policies } = machine.remote === true ? policiesElsewhere(root, place) : policiesOf(root, place);
  const decideOptions: DecideOptions = {
    ...LIBRARY,
    machine,
    ...policies,
    adapt: (found) => {
      const tight = own(found);
      const adapted = way.adapt === undefined ? tight : way.adapt(tight);
      return request.host.confines === true ? confineUnknown(adapted) : adapted;
    },
    // The log is this machine's.
    audit: audit && !looks && machine.remote !== true,
    ...(looks ? { memory: "look" } : {}),
    ...(way.world === undefined ? {} : { world: way.world }),
    extensions: "off",
    ...(request.host.confines === true ? { confine } : {}),
  };
  return { made, decideOptions };
}

/** The policies that a guard goes by, as the engine takes them. */
export type GuardPolicies = Pick<RunPolicies, "files" | "policyFiles" | "select" | "adapt">;

/** What a guard's calls are held to, whoever judges them. */
export function policiesOf({ policy, files }: GuardRoot, { stricter }: GuardPlaceInCode): GuardPolicies {
  return {
    ...selectionOf(files, policy?.text),
    adapt: (found) =>
      tightenedBy(
        found,
        stricter.map(({ file }) => file),
      ),
  };
}

type WhoAsks = Pick<Request, "agent" | "subagent" | "session" | "principal">;

/** The same for a run, and whom it is for: the run goes by this alone. */
export function givenTo(root: GuardRoot, { stricter }: GuardPlaceInCode, request: WhoAsks): GivenPolicies {
  const { policy, files, audit, machine } = root;
  const { user, tenant, roles, session, agents } = whoOf(request, machine);
  const known = { user, tenant, roles, session, agents };
  return {
    files,
    ...(policy === undefined ? {} : { policy: policy.text }),
    stricter: stricter.map(({ text }) => text),
    who: known,
    ...(request.principal === undefined ? {} : { principal: request.principal }),
    audit,
  };
}

/** For calls in a sandbox: its own files are nobody's policy, those of this machine's user are. */
function policiesElsewhere(root: GuardRoot, place: GuardPlaceInCode): GuardPolicies {
  const own = policiesOf(root, place);
  if (own.files === "none") return own;
  const { files, policyFiles, select, adapt } = own;
  const { machine } = root;
  const nothing = { actions: [], unknowns: [] };
  const found = select(findSources({ machine, files, policyFiles }, realWorld(machine, place.cwd, undefined), nothing, place.cwd));
  return { files: "none", policyFiles: [], select: () => found, adapt };
}

export const folderOf = (place: GuardPlaceInCode, options: GuardCallOptions): string =>
  options.cwd === undefined ? place.cwd : resolve(place.cwd, options.cwd);
