import { resolve, dirname } from "node:path";
import { realpathSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { decide, type DecideOptions, failedOutcome, type Host, type Outcome, type Request, whoOf } from "@assent/guard/engine";
import { type GivenPolicies, type RunPolicies, selectionOf, tightenedBy } from "@assent/guard/engine/given";
import type { Policy, Principal } from "@assent/core/policy";
import { type Machine, ProcessMemory, thisMachine, writeSealedTicket, writeTicket } from "@assent/guard/state";
import type { JudgedInRun } from "@assent/supervisor/supervise/control-channel";
import { confinedCommand, singleQuoted } from "@assent/core/action";
import { ensureConfineLauncher } from "@assent/hosts/agents/install";
import type { ConfinedStart, From } from "../common/adapted-guard.ts";
import { listenToRun, type RunTells } from "../confined/listen.ts";
import { LIBRARY } from "../common/library.ts";
import { noteOutcome } from "../common/outcomes.ts";
import { sandboxIsKnown, UNSUPERVISED } from "../common/sandbox.ts";
import { assentProgram } from "../confined/run.ts";
import { type GuardCall, folderNamedBy, lowerCall, type LoweredCall, type RunningCall } from "./call.ts";
import { judgeTogether, type NamedTool } from "./combine.ts";
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
  /** The guard of a machine (`openGuard`), or of a ruleset. */
  readonly own?: OwnPlace;
}

/** Where the machine's own guard stands. */
export interface OwnPlace {
  readonly agent: string;
  readonly point: string;
  readonly sessionRoot: string | undefined;
  /** What it goes by in the place of a guard's policies. */
  readonly policies: Pick<DecideOptions, "files" | "select" | "adapt" | "afterwards" | "extensions"> & {
    readonly policyFiles: readonly string[];
  };
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
  readonly sandbox?: () => string | undefined;
  /** What the place that asks can do with an answer; by default it can ask a person, and leaves nothing to itself. */
  readonly host?: Partial<Host>;
  /** Where the call comes from, as a host says it. */
  readonly from?: Pick<From, "sessionRoot" | "event" | "session" | "mode">;
  /** Nothing of it is done: neither remembered nor logged. */
  readonly looks?: boolean;
  /** What was asked about is done as it is: whoever answers cannot change it. */
  readonly fixed?: boolean;
  /** The shell that runs commands, where it is known. */
  readonly shell?: GuardRoot["shell"];
  /** Where paths lead, and what lies there. By default as it is on this machine now. */
  readonly world?: DecideOptions["world"];
  /** Another home, other variables. By default the guard's. */
  readonly machine?: Machine;
  /** Only what the policy says goes ahead confined; whether whoever asks hears of refusals there, and may ask for more. */
  readonly refusable?: boolean;
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
  const own: NodeJS.ProcessEnv = { ...(env ?? process.env), ...(home === undefined ? {} : { HOME: home }) };
  if (files !== "none" || confine) return forgetful(thisMachine(own));
  return {
    home: realHome(own["HOME"]),
    env: own,
    platform: process.platform,
    uid: process.getuid?.(),
    temp: ["/tmp", "/var/tmp"],
    managedPolicy: "/etc/assent/policy.jsonc",
    memory: new ProcessMemory(),
    alone: true,
  };
}

/** What is protected there is compared by the names that paths really have. */
function realHome(home = "/"): string {
  if (!home.startsWith("/")) return "/";
  return attempt(() => realpathSync.native(home), home);
}

/** What is remembered stays in the process. Without the account: a program that serves others is none of them. */
export function forgetful(machine: Machine): Machine {
  // Whatever a machine finds out only when it is asked is not asked here.
  const { home, env, platform, uid, temp, managedPolicy } = Object.getOwnPropertyDescriptors(machine);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that a machine must have
  return Object.defineProperties({ memory: new ProcessMemory() }, { home, env, platform, uid, temp, managedPolicy }) as Machine;
}

/** Judges calls that belong together: the strictest verdict is that of all. Asks nobody. */
export function judgeCalls(
  calls: readonly GuardCall[],
  root: GuardRoot,
  place: GuardPlaceInCode,
  options: GuardCallOptions,
  asked: JudgingWay = {},
): JudgedCalls {
  const { tool } = asked;
  const starts = asked.starts === true && calls.length === 1 && (tool === undefined || tool.field !== undefined);
  const way = { ...asked, starts };
  const judge = (call: GuardCall): JudgedCall => judgeOne(call, lowerCall(call), root, place, options, way);
  return { ...judgeTogether(calls, tool, principalOf(place, options), judge), way: asked };
}

const principalOf = ({ principal }: GuardPlaceInCode, options: GuardCallOptions): Principal | undefined => options.principal ?? principal;

/** Judges one call. Never throws: what goes wrong is a question, or a denial where nobody can be asked. */
function judgeOne(
  call: GuardCall,
  lowered: LoweredCall,
  root: GuardRoot,
  place: GuardPlaceInCode,
  options: GuardCallOptions,
  way: JudgingWay,
): JudgedCall {
  const { shell = root.shell } = way;
  const isCommand = "argv" in call || (shell !== "zsh" && ("shell" in call || isHostsCommand(lowered, way)));
  const confines = isCommand && (way.sandbox !== undefined || (way.starts === true && root.confine));
  const named = folderNamedBy(lowered);
  const request = requestOf(lowered, root, place, options, way, { shell, confines, inside: "path" in named ? named.path : undefined });
  const about = { call, reason: options.reason ?? "" };
  const { made, decideOptions } = settingsFor(request, root, place, way, { about, principal: principalOf(place, options) });
  let outcome: Outcome;
  try {
    if ("problem" in named) throw new Error(named.problem);
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

const HOST: Omit<Host, "shell"> = { decides: false, asks: true, bypassed: false, planning: false };

function requestOf(
  { tool, facts, input }: LoweredCall,
  { own }: GuardRoot,
  place: GuardPlaceInCode,
  options: GuardCallOptions,
  { host, from }: JudgingWay,
  { inside, ...how }: Pick<Host, "shell" | "confines"> & { readonly inside: string | undefined },
): Request {
  const principal = principalOf(place, options);
  const { user, tenant, role, agent, session } = identified(principal);
  const folder = folderOf(place, options);
  const { point = "library" } = own ?? {};
  return {
    tool,
    facts,
    input,
    cwd: inside === undefined ? folder : resolve(folder, inside),
    // A command that runs elsewhere leaves the session's project no more than `cd` does.
    sessionRoot: from?.sessionRoot ?? own?.sessionRoot ?? (own === undefined || inside !== undefined ? folder : undefined),
    point,
    agent: principal?.agent ?? own?.agent ?? agent,
    session,
    subagent: options.subagent,
    memory: `${point} of process ${process.pid}`,
    ...(from === undefined ? {} : { session: from.session ?? session, event: from.event, mode: from.mode }),
    host: { ...HOST, ...host, ...how },
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

/** Whose call it is. */
interface AskedCall {
  readonly about: RunningCall;
  readonly principal: Principal | undefined;
}

function settingsFor(request: Request, root: GuardRoot, place: GuardPlaceInCode, way: JudgingWay, { about, principal }: AskedCall) {
  const { audit, heard, own } = root;
  const { machine = root.machine, looks = false } = way;
  const made: { start?: ConfinedStart } = {};
  const confine: DecideOptions["confine"] = (_, on) => {
    if (way.sandbox !== undefined) {
      const problem = way.sandbox();
      return problem === undefined ? { command: "" } : { problem };
    }
    if (own !== undefined && own.policies.policyFiles.length > 0) return { problem: "the guard's own policy files do not reach a run" };
    // Though its policy were the machine's alone: the account's user, and what the machine remembers, are not the guard's.
    const tells = heard === undefined ? undefined : listenToRun(on, (judged) => heard(judged, about, principal));
    const start = confinedStart(request, on, own === undefined ? givenTo(root, place, request) : undefined, tells);
    if ("problem" in start) return start;
    made.start = start;
    return { command: start.line };
  };
  const { adapt: tighten, ...policies } = own !== undefined ? own.policies : policiesOf(root, place);
  const decideOptions: DecideOptions = {
    ...LIBRARY,
    machine,
    ...policies,
    adapt: (found) => {
      const tight = tighten === undefined ? found : tighten(found);
      const adapted = way.adapt === undefined ? tight : way.adapt(tight);
      return request.host.confines === true && way.refusable === undefined ? confineUnknown(adapted) : adapted;
    },
    audit: audit && !looks,
    ...(looks ? { memory: "look" } : {}),
    ...(way.world === undefined ? {} : { world: way.world }),
    ...(way.refusable === undefined ? {} : { refusable: way.refusable }),
    // Those of the user are the machine's, not a program's.
    ...(own === undefined ? { extensions: "off" } : {}),
    ...(request.host.confines === true ? { confine } : {}),
  };
  return { made, decideOptions };
}

/** The policies that a guard goes by, as the engine takes them. */
export type GuardPolicies = Pick<RunPolicies, "files" | "policyFiles" | "select" | "adapt">;

/** What a guard's calls are held to, whoever judges them. */
function policiesOf({ policy, files }: GuardRoot, { stricter }: GuardPlaceInCode): GuardPolicies {
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

export const folderOf = (place: GuardPlaceInCode, options: GuardCallOptions): string =>
  options.cwd === undefined ? place.cwd : resolve(place.cwd, options.cwd);

/** Whoever opens a guard so has chosen it; a policy file that denies what nobody can know keeps to that. */
function confineUnknown(files: Policy): Policy {
  const { settings } = files;
  return settings.unknown === "deny" ? files : { ...files, settings: { ...settings, unknown: "confine" } };
}

/**
 * Leaves a ticket for the command, which names it to the supervisor. `policies`: what its run goes by, in the place of the machine's; `tells`:
 * who hears what it refuses.
 */
function confinedStart(
  { facts, input, agent, session, cwd, sessionRoot }: Request,
  machine: Machine,
  policies?: GivenPolicies,
  tells?: RunTells,
): ConfinedStart | { readonly problem: string } {
  const program = assentProgram();
  if (program === undefined || !sandboxIsKnown()) return { problem: UNSUPERVISED };
  const given: unknown = facts?.does === "shell" || facts?.does === "argv" ? input[facts.field] : undefined;
  // Started as a program, whatever the shell has of that name.
  const command = Array.isArray(given) ? `exec ${given.map((word) => singleQuoted(String(word))).join(" ")}` : given;
  if (typeof command !== "string" || command === "" || command.includes("\0")) return { problem: "the command is missing" };
  const launcher = ensureConfineLauncher(machine, { node: process.execPath, folder: dirname(program) });
  if ("problem" in launcher) return launcher;
  const own = { agent, ...(session === undefined ? {} : { session }), command, cwd, root: sessionRoot ?? cwd };
  const ticket =
    policies === undefined
      ? writeTicket(machine, own)
      : writeSealedTicket(machine, { ...own, policies: { ...policies }, ...(tells === undefined ? {} : { tells: { ...tells } }) });
  if ("problem" in ticket) return ticket;
  return { argv: [launcher.file, ticket.id, command], line: confinedCommand(machine.home, ticket.id, command) };
}
