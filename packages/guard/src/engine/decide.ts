import { REFS } from "#knowledge/traits";
import {
  type Action,
  type Budget,
  type FileOperation,
  type Lowered,
  type OwnCommands,
  visible,
  withBudget,
  type World,
} from "@assent/core/action";
import { appendAudit, auditLine, KEEP, KEEP_UNSENT, type Keep } from "../audit/index.ts";
import {
  type AuditSettings,
  confinesAnything,
  judge,
  isConfined,
  isMeantQuestion,
  type JudgeContext,
  type Policy,
  type RequestVerdict,
  stricterOf,
  unconfined,
  underBroken,
  type Verdict,
  verdictOf,
} from "@assent/core/policy";
import {
  askedAboutFailure,
  type Bypass,
  bypassHere,
  confinedFailure,
  type ConfinedFailure,
  effortClock,
  isAnyRunLive,
  isGone,
  isMissing,
  isOfSession,
  noteRefs,
  sessionName,
  type Machine,
} from "../state/index.ts";
import {
  answerFor,
  guessEffects,
  type HostAnswer,
  lowerTool,
  narrowByGuess,
  type Request,
  whoOf,
  withGuess,
  failedVerdict,
} from "@assent/core/request";
import { WatchFirst } from "./compiled-policy.ts";
import type { ExtensionLimits } from "./extensions/run.ts";
import { tightenByExtensions } from "./extensions/tighten.ts";
import { findConsents, type FoundConsents } from "./consents/find.ts";
import { goInTwo } from "./go-in-two.ts";
import { grantsHere, hereOf, withGrants } from "./grants.ts";
import { noteEdits } from "./obeyed-files.ts";
import { recallRefusals, rememberDenied } from "./refusals.ts";
import { countRefusals, holdBack } from "./automation.ts";
import { findSources, judgingBy, type Situation } from "./situation.ts";
import { realWorld } from "./world.ts";
import { noteWrittenSecrets } from "./written-secrets.ts";

/** Keeps what a tool of the host is about to change; the question instead, where that cannot be done. */
export type KeepEdit = (request: Request, actions: readonly Action[], machine: Machine) => Verdict | undefined;

/** Why a command does not go ahead confined. */
export interface Unconfinable {
  readonly problem: string;
  /** It must not go ahead as where nothing confines either, but be asked about. */
  readonly asks?: true;
}

/** One line of shell, or several where the tool takes several. */
type Instead = string | readonly string[];

/** What deciding needs besides the request. */
export interface DecideOptions extends Omit<Situation, "who" | "hostDecides" | "supervised" | "confines"> {
  /** Keep the decision in the audit log. */
  readonly audit: boolean;
  /** The user's own checks: what one may use up, or that they are not asked, where policies are compared. */
  readonly extensions?: "off" | ExtensionLimits;
  /** Finds what a host is to start in the place of a command that goes ahead confined. Absent: it is only said that it would. */
  readonly confine?: (
    request: Request,
    machine: Machine,
    verdict: RequestVerdict,
  ) => { readonly command: Instead; readonly answered?: boolean } | Unconfinable;
  /** Keeps what a tool of the host is about to change, for undo. Absent: nobody does. */
  readonly keepEdit?: KeepEdit;
  /** Another process judges it where this one fails, takes longer, or comes too late: `commit` throws `WatchFirst` then, before anything is left behind. */
  readonly elsewhere?: { readonly within: Pick<Budget, "milliseconds" | "clock">; readonly commit: () => void };
  /**
   * What an allowed request leaves behind, its line in the log, is left to whoever gave this: the work gives the warnings. It is to be
   * done before anything else is judged, and before the process ends. Absent: it is done before the answer.
   */
  readonly afterwards?: (work: () => readonly string[]) => void;
  /** What outlives a process, grants and refusals: used and added to, only looked at, or left out. By default used. */
  readonly memory?: "use" | "look" | "none";
  /** Where paths lead and what lies there: of what is held already, or of another machine. By default as it is on this one now. */
  readonly world?: typeof realWorld;
  /** Programs that the user's own policy explains, once it is known. */
  readonly ownCommands?: OwnCommands;
}

export interface Outcome {
  readonly request: Request;
  readonly verdict: RequestVerdict;
  /** `"unknown": "confine-log"`: it would go ahead confined. */
  readonly shadow?: boolean;
  readonly answer: HostAnswer;
  /** With an answer to go ahead confined: the command that the host is to start in the place of the one asked about. */
  readonly instead?: Instead;
  /** A bypass of Assent's own was on. */
  readonly bypass?: Bypass;
  /** For people, on stderr: a left-out policy file, a log that cannot be written. */
  readonly warnings: readonly string[];
  /** What the verdict was made from, for those who explain it; undefined when judging failed. */
  readonly basis: { readonly lowered: Lowered; readonly policy: Policy; readonly context: JudgeContext } | undefined;
}

/**
 * The whole story of a decision:
 *
 * 1. **lower**: what would the request do? (`packages/core/src/shell` for commands, `tools.ts` for the rest)
 * 2. **policy**: which files speak about the places it touches?
 * 3. **judge**: what do they and the built-in knowledge say? (`packages/core/src/policy`)
 * 4. **after judging**: a broken policy allows nothing; what was refused before, who asks, consent and the breaker may turn
 *    an allow into a question; the user's own extensions may tighten what is left.
 * 5. **answer**: what is the host told in its situation?
 * 6. **audit**: one line, whatever the answer.
 *
 * INVARIANT: nothing that goes wrong here allows.
 */
export function decide(request: Request, options: DecideOptions): Outcome {
  const start = process.hrtime.bigint();
  const outcome = withinBudget(request, options);
  const { machine, audit, memory = "use", afterwards } = options;
  const { verdict, basis } = outcome;
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
  if (memory === "use") settleFailure(request, outcome, machine);
  const leave = (): readonly string[] =>
    [
      ...(audit ? [notLogged(record(outcome, machine, milliseconds))] : []),
      ...(audit ? [countRefusals(request, verdict, basis?.policy, machine)] : []),
      ...(memory === "use" && basis !== undefined ? [rememberDenied(request, verdict, { ...basis, machine })] : []),
    ].filter((problem) => problem !== undefined);
  if (afterwards !== undefined && outcome.answer.decision === "allow") {
    afterwards(leave);
    return outcome;
  }
  const more = leave();
  return more.length === 0 ? outcome : { ...outcome, warnings: [...outcome.warnings, ...more] };
}

const notLogged = (problem: string | undefined): string | undefined =>
  problem === undefined ? undefined : `not logged: ${problem}${wayOutOf(problem)}`;

/** What a person types then. */
function wayOutOf(problem: string): string {
  if (problem.endsWith("the disk is full")) return "; make room: assent runs clean --all";
  const [, path] = /^(\/\S+) is not a directory$/.exec(problem) ?? [];
  return path === undefined ? "" : `; move it away: mv ${path} ${path}.old`;
}

/** A host waits some tens of seconds and mostly lets the tool run then: an answer comes long before. */
const BUDGET = { steps: 20_000_000, milliseconds: 1500, clock: effortClock };

function withinBudget(request: Request, options: DecideOptions): Outcome {
  try {
    const { elsewhere } = options;
    return withBudget({ ...BUDGET, ...elsewhere?.within }, () => judgeRequest(request, options));
  } catch (error) {
    if (error instanceof WatchFirst) throw error;
    if (options.elsewhere !== undefined) throw new WatchFirst();
    return failedOutcome(request, error);
  }
}

/** `whole`: not as two lines. */
function judgeRequest(request: Request, options: DecideOptions, whole = false): Outcome {
  const { world: worldOf = realWorld, ownCommands } = options;
  const plain = worldOf(options.machine, request.cwd, request.sessionRoot);
  const world = ownCommands === undefined ? plain : { ...plain, ownCommands };
  const lowered = noteWrittenSecrets(request, lowerTool(request, world), world);
  const guessed = guessEffects(request, world);
  const guess = guessed && { ...guessed, writing: noteWrittenSecrets(request, guessed.writing, world) };
  const touched = guess === undefined ? lowered : withGuess(lowered, guess);
  const sources = findSources(options, world, touched, request.sessionRoot ?? request.cwd);
  const confines = request.host.confines === true && isCommand(request);
  const { policy, context } = judgingBy(options, world, sources, {
    who: () => whoOf(request, options.machine),
    hostDecides: request.host.decides,
    confines,
  });
  const own = ownCommands === undefined ? ownCommandsOf(policy) : undefined;
  if (own !== undefined && isCommand(request)) return judgeRequest(request, { ...options, ownCommands: own }, whole);
  const bypass = request.point === "hook" ? bypassHere(options.machine, Date.now()) : undefined;
  const { memory = "use" } = options;
  const granted = memory === "none" ? [] : grantsHere(options.machine, hereOf(request), options.reader);
  return withGrants(granted, options.machine, memory === "use", (grants): Outcome => {
    const { agent, session } = request;
    const name = session === undefined ? undefined : sessionName(agent, session);
    context.grants = grants;
    if (remembersFailures(request, options)) context.failedBefore = () => failureOf(request, world, options.machine)?.refused;
    context.othersRun = () => isAnyRunLive(options.machine);
    context.isOfSession = (pid) => name !== undefined && isOfSession(options.machine, name, pid);
    context.isGone = isGone;
    context.isMissing = (need) => isMissing(need, options.machine.env);
    const own = judge(lowered, policy, context);
    const plain =
      guess === undefined ? own : narrowByGuess(own, judge(guess.likely, policy, context), judge(guess.writing, policy, context), guess);
    const judgement = guess === undefined ? withConsents(request, plain, { lowered, policy, context }, options.machine) : plain;
    const known = memory === "none" ? judgement : recallRefusals(request, judgement, { policy, context, machine: options.machine });
    const final = holdBack(request, underBroken(known, policy), policy, options.machine);
    options.elsewhere?.commit();
    const movesRefs = confines && lowered.actions.some((action) => action.kind === "exec" && REFS.has(action.program));
    if (name !== undefined && movesRefs && memory === "use") noteRefs(options.machine, world.canonical(request.cwd), name);
    const tight =
      options.extensions === "off" ? final : tightenByExtensions(request, final, world.projectRoot, options.machine, options.extensions);
    const shadow = tight.confined !== undefined && tight.decision === "allow" && onlyLogs(policy);
    const parted =
      whole || context.failedBefore?.() !== undefined
        ? tight
        : (goInTwo(request, tight, (line) => judgePart(request, line, options)) ?? tight);
    const noted = memory === "use" ? noteChange(request, parted, policy, { world, machine: options.machine }) : parted;
    const started = startConfined(request, shadow ? unconfined(noted) : noted, policy, options, bypass);
    const outcome = {
      request,
      ...started,
      ...(shadow ? { shadow } : {}),
      ...(bypass === undefined ? {} : { bypass }),
      warnings: policy.warnings,
      basis: { lowered, policy, context },
    };
    // Where the policy lets go ahead what can be taken back, what a tool changes is kept first, or it is a question. Kept as well is what
    // the host or its person may yet let the tool do: the session did it.
    const { unknown, mode } = policy.settings;
    const { decision } = started.answer;
    const keeps = decision !== "deny" && !request.host.planning && (unknown === "confine" || mode === "full-auto");
    const unkept = keeps ? options.keepEdit?.(request, lowered.actions, options.machine) : undefined;
    if (unkept === undefined || decision !== "allow") return outcome;
    const verdict = { ...unkept, actions: tight.actions, unknowns: tight.unknowns };
    return { ...outcome, verdict, answer: answerFor(verdict, policy, request.host, bypass) };
  });
}

type Basis = NonNullable<Outcome["basis"]>;

/** What a person said yes to once, for this repository, after all else. INVARIANT: it goes ahead as it is, or stays as it was. */
function withConsents(request: Request, found: RequestVerdict, { lowered, policy, context }: Basis, machine: Machine): RequestVerdict {
  if ((policy.settings.consents?.length ?? 0) === 0) return found;
  const { given } = consentsFor(request, found, { lowered, policy, context }, machine);
  const judged = given === undefined ? found : judge(lowered, policy, { ...context, consented: given });
  return judged.decision === "allow" && judged.confined === undefined ? judged : found;
}

function consentsFor(request: Request, found: RequestVerdict, { policy, context }: Basis, machine: Machine): FoundConsents {
  const { preset } = policy.settings;
  // Whoever is told to confine it does so; a policy that cannot be read may deny it; a stricter preset asks about more than a sentence is about.
  if (preset !== "default" && preset !== "permissive") return {};
  if (found.decision === "deny" || request.point === "confined" || policy.broken !== undefined) return {};
  return findConsents({ request, found, policy, world: context.world, machine, othersRun: isAnyRunLive(machine) });
}

/** The one sentence with which what is asked would have gone ahead, or why there is none. */
export const offerConsent = ({ request, verdict, basis }: Outcome, machine: Machine): Pick<FoundConsents, "offer" | "why"> =>
  basis === undefined ? {} : consentsFor(request, verdict, basis, machine);

/** What the user's own policy says of programs, which is known only when a first look at the command has found the policy. */
function ownCommandsOf({ settings: { wrappers = [], aliases = {} } }: Policy): OwnCommands | undefined {
  return wrappers.length === 0 && Object.keys(aliases).length === 0 ? undefined : { wrappers, aliases };
}

/** One of two lines in the place of one: nothing is started, kept or remembered of it. */
function judgePart({ toolUse: _toolUse, ...request }: Request, line: string, { machine, ...options }: DecideOptions): RequestVerdict {
  const { facts, input } = request;
  const { confine: _confine, keepEdit: _keeps, elsewhere: _elsewhere, ...looking } = options;
  const part = facts?.does === "shell" ? { ...request, input: { ...input, [facts.field]: line } } : request;
  return judgeRequest(part, { ...looking, machine, memory: options.memory === "none" ? "none" : "look" }, true).verdict;
}

/** What a session does with these outside of any run comes after what counts as before it. */

/** Whoever is told to confine it does so, whatever came of it before. */
const remembersFailures = ({ point }: Request, { memory }: DecideOptions): boolean => memory !== "none" && point !== "confined";

/** What the same command was refused the last time that it ran confined here, and failed. */
function failureOf({ facts, input, cwd }: Request, world: World, machine: Machine): ConfinedFailure | undefined {
  const command = facts?.does === "shell" ? input[facts.field] : undefined;
  return typeof command === "string" ? confinedFailure(machine, world.canonical(cwd), command) : undefined;
}

/** A person is asked about it. */
function settleFailure(request: Request, { verdict, basis }: Outcome, machine: Machine): void {
  if (verdict.builtin !== "confine.fails" || basis === undefined) return;
  const failure = failureOf(request, basis.context.world, machine);
  if (failure !== undefined) askedAboutFailure(machine, failure);
}

interface Around {
  readonly world: World;
  readonly machine: Machine;
}

/**
 * What goes ahead without a person and outside of any run may change files that later commands obey: while something can be
 * confined they are written down first, and where that fails a person must look. A run writes down its own.
 */
function noteChange(request: Request, verdict: RequestVerdict, policy: Policy, { world, machine }: Around): RequestVerdict {
  const { decision, confined, actions } = verdict;
  // Whoever is asked in so many words sees what is changed.
  if (decision === "deny" || isMeantQuestion(verdict) || confined !== undefined || !confinesAnything(policy)) return verdict;
  const changes = actions.map(({ action }) => action).filter((action) => action.kind === "file" && CHANGES.has(action.operation));
  const problem = changes.length === 0 ? undefined : noteEdits(changes, world, machine, `${request.agent}, with ${request.tool}`);
  return problem === undefined ? verdict : { ...verdict, ...verdictOf("ask", "failure", { reason: visible(problem) }) };
}

const CHANGES: ReadonlySet<FileOperation> = new Set(["write", "edit", "delete", "rename", "link"]);

type Started = Pick<Outcome, "verdict" | "answer" | "instead">;

/** Who can confine the command says how; where it cannot be done, the verdict is the one without it, and says why. */
function startConfined(request: Request, verdict: RequestVerdict, policy: Policy, options: DecideOptions, bypass?: Bypass): Started {
  const { wrapped } = request.host;
  const answer = answerFor(verdict, policy, request.host, bypass);
  const confined = isConfined(verdict);
  if (options.confine === undefined || (!confined && (wrapped !== "unheard" || answer.decision === "deny"))) return { verdict, answer };
  const plain = unconfined(verdict);
  const as = (found: RequestVerdict): Started => ({ verdict: found, answer: answerFor(found, policy, request.host, bypass) });
  // The host goes its own way, so nothing of it would be confined.
  if (answer.decision !== "allow" && wrapped === undefined) return as(plain);
  const started = options.confine(request, options.machine, verdict);
  // Without a ticket the program that starts it judges anew.
  if (!confined) return { verdict, answer };
  if ("problem" in started && started.asks === true) {
    const { actions, unknowns } = plain;
    return as({ ...stricterOf(plain, verdictOf("ask", "confine.host-rule", { reason: started.problem })), actions, unknowns });
  }
  if ("problem" in started) return as({ ...plain, reason: `${plain.reason} (it was not sandboxed: ${started.problem})` });
  if (wrapped === "unheard" && started.answered !== true) return { verdict, answer: { ...answer, decision: "none" } };
  return { verdict, answer, ...(wrapped === undefined ? { instead: started.command } : {}) };
}

const onlyLogs = ({ settings }: Policy): boolean => settings.unknown === "confine-log" && settings.mode !== "full-auto";

/** A host's own tools work where no supervisor sees them. */
const isCommand = ({ facts }: Request): boolean => facts?.does === "shell" || facts?.does === "argv";

/** The answer when Assent itself fails: a question, or a denial where nobody can be asked. */
export function failedOutcome(request: Request, error: unknown): Outcome {
  const verdict = failedVerdict(error);
  // Nothing is known of the request, so a host's bypass does not skip this.
  const answer = answerFor(verdict, undefined, { ...request.host, bypassed: false, decides: false });
  return { request, verdict, answer, warnings: [verdict.reason], basis: undefined };
}

/** How much of the log the policy keeps. */
export function retentionOf(audit: AuditSettings | undefined): Keep {
  // Judging failed: nobody knows what is to be kept, so nothing grows too old.
  if (audit === undefined) return KEEP_UNSENT;
  return { ...KEEP, days: audit.keepDays, bytes: audit.keepMegabytes * 2 ** 20, sent: audit.otlp !== undefined };
}

/** The host's user has switched questions off, and this went ahead for it. */
const skippedBy = ({ host, agent, mode }: Request, answer: string): string | undefined =>
  host.bypassed && answer === "none" ? `${agent} in its mode ${mode ?? ""}`.trimEnd() : undefined;

function record({ request, verdict, shadow, answer, basis, bypass }: Outcome, machine: Machine, milliseconds: number): string | undefined {
  try {
    const { point, agent, event, session, subagent, mode, principal, cwd, tool, input } = request;
    const line = auditLine({
      time: Date.now(),
      point,
      agent,
      event,
      session,
      subagent,
      mode,
      principal,
      cwd,
      tool,
      input,
      verdict,
      shadow,
      answer: answer.decision,
      bypass: bypass?.by ?? skippedBy(request, answer.decision),
      milliseconds,
    });
    return appendAudit(machine, line, retentionOf(basis?.policy.settings.audit));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
