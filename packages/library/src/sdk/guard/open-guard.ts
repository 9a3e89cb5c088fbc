import { dirname, resolve } from "node:path";
import { confinedCommand, singleQuoted, visible } from "@assent/core/action";
import { ensureConfineLauncher } from "@assent/hosts/agents/install";
import type { GivenPolicies, RunPolicies } from "@assent/guard/engine/given";
import {
  decide,
  type DecideOptions,
  failedOutcome,
  type Host,
  type Input,
  type Outcome,
  rememberAnswer,
  type Request,
  type ToolFacts,
} from "@assent/guard/engine";
import { compareDecisions, compareStrictness, type Decision, type Policy, type RequestVerdict, verdictOf } from "@assent/core/policy";
import { type Machine, thisMachine, writeSealedTicket, writeTicket } from "@assent/guard/state";
import { askOuter, type GuardPlace } from "@assent/supervisor/supervise/outer";
import { ask, type AskQuestion, type OnAsk } from "../common/ask.ts";
import { probeSandbox, sandboxIsKnown, UNSUPERVISED } from "../common/sandbox.ts";
import { assentProgram, type RunTells } from "../confined/index.ts";
import { LIBRARY } from "../common/library.ts";
import { PermissionDeniedError } from "../common/errors.ts";
import { checkOptions, type Options } from "../common/options.ts";
import type { ConfinedStart } from "./confined-start.ts";
import { noteOutcome, outcomeOf } from "./outcomes.ts";

/** What is asked of a guard: one of the forms of `Asked`, and where it comes from. */
export type GuardRequest = Asked & From;

/**
 * What would be done.
 * - `command`: a line for a shell; `argv`: a program started without one.
 * - `operation` on `path`: one path or several; `tree`: and all that lies below.
 * - `patch`: an apply_patch text or a unified diff.
 * - `url`: something fetched.
 * - `tool`: a call of a host's or a server's tool. `facts` say what it does; without them its name and fields are judged.
 */
export type Asked =
  | { readonly command: string; readonly shell?: Host["shell"] }
  | { readonly argv: readonly string[] }
  | { readonly operation: FileOperationName; readonly path: string | readonly string[]; readonly tree?: boolean }
  | { readonly patch: string }
  | { readonly url: string }
  | { readonly tool: string; readonly input: Input; readonly facts?: ToolFacts };

/** `list` is what listing, globbing and searching by name do; searching in files is `read` with `tree`. */
export type FileOperationName = "read" | "list" | "write" | "edit" | "delete" | "rename" | "mkdir";

/** Where a request comes from. All of it is optional. */
export interface From {
  /** Absolute; by default that of the guard. */
  readonly cwd?: string;
  /** Where the session started; by default that of the guard. */
  readonly sessionRoot?: string;
  /** What the place that asks can do with an answer; by default: it can ask a person, and leaves nothing to itself. */
  readonly host?: Partial<Host>;
  /** For the log. */
  readonly event?: string;
  readonly session?: string;
  readonly subagent?: string;
  readonly mode?: string;
}

/** What a guard says. */
export interface GuardDecision {
  /** `none` (no opinion) is said only to hosts that decide by themselves (`host.decides`). */
  readonly decision: Decision;
  /** One line for a person: what and why. No control characters. */
  readonly reason: string;
  /** The same for the model: without the words of a project that nobody has trusted. */
  readonly modelReason: string;
  /** Every action that was found, each with its verdict, its rule with file and line, and what to do next. */
  readonly verdict: RequestVerdict;
  /** What it is about, where a guard in code was told what the tool does: the command, the path. */
  readonly target?: string;
  /** For people: a policy file that was left out, a log that cannot be written. */
  readonly warnings: readonly string[];
  /**
   * With an `allow` of a guard that was opened with `confine: true`: INVARIANT: what was asked about goes ahead in no other
   * way. Absent: as it is.
   */
  readonly confined?: ConfinedStart;
}

/** Where a guard stands, and who answers its questions. */
export interface OpenGuardOptions {
  /** Folder of the session; by default the process's. */
  readonly cwd?: string;
  /** Name of the agent, for rules about agents and for the log. */
  readonly agent?: string;
  /** The name of the place that asks, for the log: `library`, `plugin`, … */
  readonly point?: string;
  /** Files that add a layer of policy. */
  readonly policyFiles?: readonly string[];
  /** Append each decision to the audit log; true unless said otherwise. */
  readonly audit?: boolean;
  /** Answers the questions of `check`. */
  readonly onAsk?: OnAsk;
  /**
   * Commands (`command`, `argv`) of which nobody can know what they do are allowed where they can run confined, and the
   * decision has what is to be started in their place (`confined`): whoever asks must start that. Calls of tools are never
   * confined, for nobody knows who runs them. Without supervision on this machine (`decide`: before `probeSandbox()` has been
   * awaited), inside a run and with `policyFiles` they are asked about.
   */
  readonly confine?: boolean;
  /** For tests: another home, other environment variables. */
  readonly machine?: Machine;
}

/** The whole policy of this machine and project, as one object. */
export interface OpenedGuard {
  /** Judges; asks nobody, changes nothing but the log. Never throws: what goes wrong is a question, or a denial where nobody can be asked. */
  decide(request: GuardRequest): GuardDecision;
  /** Judges and puts a question to `onAsk`. Resolves when the request may go ahead; else throws `PermissionDeniedError`. */
  check(request: GuardRequest, reason?: string): Promise<GuardDecision>;
}

const OPTIONS = {
  cwd: "string",
  agent: "string",
  point: "string",
  policyFiles: "texts",
  audit: "boolean",
  onAsk: "function",
  confine: "boolean",
  machine: "object",
} satisfies Options<OpenGuardOptions>;

const HOST: Host = { shell: "any", decides: false, asks: true, bypassed: false, planning: false };

/**
 * Opens the policy that holds here: managed, user and project files, protections and built-in knowledge. Files are read
 * again when they change.
 *
 * ```ts
 * const guard = openGuard({ cwd: "/repo", onAsk: async ({ question }) => confirm(question) });
 * guard.decide({ command: "git status" }).decision; // "allow"
 * await guard.check({ operation: "write", path: "src/a.ts" }); // resolves, or throws PermissionDeniedError
 * ```
 */
export function openGuard(options: OpenGuardOptions = {}): OpenedGuard {
  checkOptions("openGuard", options, OPTIONS, "presets and rules come from policy files: name one in `policyFiles`");
  const judge = judgeIn(options);
  return {
    decide: judge,
    check: async (asked, reason) => {
      if (options.confine === true) await probeSandbox(options.cwd);
      const decision = judge(asked);
      if (decision.decision === "allow") return decision;
      const { tool: operation } = callOf(asked);
      const target = targetOf(asked);
      const { verdict } = decision;
      const denied = (why: string): PermissionDeniedError => new PermissionDeniedError({ operation, target, reason: why, verdict });
      if (decision.decision === "deny") throw denied(decision.reason);
      let said: unknown;
      const { onAsk } = options;
      const hear = async (question: AskQuestion): Promise<boolean> => {
        said = await onAsk?.(question);
        return said === true;
      };
      const heard = onAsk === undefined ? undefined : hear;
      const approved = await ask(heard, { operation, target, reason: reason ?? "", verdict });
      // Only a plain no is a refusal; an error, and what is answered where nobody sits, is none.
      if (said === true || (said === false && (process.env["CI"] ?? "") === "")) keepAnswer(outcomeOf(verdict), said, options);
      if (approved === "nobody") throw denied(`approval required: ${decision.reason}`);
      if (approved === "refused") throw denied(`the user refused: ${decision.reason}`);
      return decision;
    },
  };
}

/** A guard whose lines in the log are written after its answer, in the order of the answers: a call is passed on first. */
export interface PromptGuard {
  /** As `Guard.decide`. What an earlier call has left to be written is written before. */
  decide(request: GuardRequest): GuardDecision;
}

/**
 * Opens a guard for a process that passes calls on. The line of a call that is allowed is written as soon as it has been passed on:
 * before the next one is judged, before anything is read that comes in answer to it, and before the process ends.
 */
export function openPromptGuard(options: OpenGuardOptions, onWarning: (text: string) => void): PromptGuard {
  const left: (() => readonly string[])[] = [];
  const write = (): void => {
    for (const work of left.splice(0)) for (const warning of work()) onWarning(warning);
  };
  const judge = judgeIn(options, (work) => {
    // Node does these before it looks for input again.
    if (left.push(work) === 1) setImmediate(write);
  });
  process.on("exit", write);
  return {
    decide: (request) => {
      write();
      return judge(request);
    },
  };
}

/** Inside a supervised run the supervisor judges: there neither policy nor trust nor log are in the program's reach. */
function judgeIn(
  options: OpenGuardOptions,
  afterwards?: DecideOptions["afterwards"],
  by?: RunPolicies,
): (asked: GuardRequest) => GuardDecision {
  const { machine, cwd = process.cwd(), policyFiles = [], audit = true } = options;
  const settings = {
    machine: machine ?? thisMachine(),
    ...LIBRARY,
    policyFiles,
    ...(afterwards === undefined ? {} : { afterwards }),
    ...(by === undefined ? {} : { files: by.files, policyFiles: by.policyFiles, select: by.select, adapt: by.adapt }),
  };
  const here = (asked: GuardRequest, logs: boolean): GuardDecision => {
    const request = requestOf(asked, cwd, options);
    const wrong = wrongFolder(request);
    const start: { made?: ConfinedStart } = {};
    const confine: DecideOptions["confine"] = (_, own) => {
      const made = policyFiles.length > 0 ? { problem: "the guard's own policy files do not reach a run" } : confinedStart(request, own);
      if ("problem" in made) return made;
      start.made = made;
      return { command: made.line };
    };
    const confining = options.confine === true ? { confine, adapt: confineUnknown } : {};
    const outcome = wrong === undefined ? decide(request, { ...settings, ...confining, audit: logs }) : failedOutcome(request, wrong);
    noteOutcome(outcome);
    const decision = decisionOf(outcome);
    return start.made === undefined || outcome.instead === undefined ? decision : { ...decision, confined: start.made };
  };
  if (machine !== undefined) return (asked) => here(asked, audit);
  const { agent, point } = options;
  const rooted = options.cwd !== undefined;
  const from = { cwd, rooted, audit, ...(agent === undefined ? {} : { agent }), ...(point === undefined ? {} : { point }) };
  return (asked) => {
    const outer = askSupervisor(from, asked);
    if (outer === undefined) return here(asked, audit);
    if (policyFiles.length === 0) return outer;
    // Files that are named inside can only tighten what is said outside.
    const own = here(asked, false);
    return compareStrictness(own.verdict, outer.verdict) > 0 || compareDecisions(own.decision, outer.decision) > 0 ? own : outer;
  };
}

/** Whoever opens a guard so has chosen it; a policy file that denies what nobody can know keeps to that. */
export function confineUnknown(files: Policy): Policy {
  const { settings } = files;
  return settings.unknown === "deny" ? files : { ...files, settings: { ...settings, unknown: "confine" } };
}

/**
 * Leaves a ticket for the command, which names it to the supervisor. `policies`: what its run goes by, in the place of the machine's; `tells`:
 * who hears what it refuses.
 */
export function confinedStart(
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

/** What a person refused is remembered for the other tools of the session. */
function keepAnswer(outcome: Outcome | undefined, said: boolean, { machine = thisMachine() }: OpenGuardOptions): void {
  if (outcome?.basis === undefined) return;
  rememberAnswer(outcome.request, outcome.verdict, said ? "allowed" : "refused", { ...outcome.basis, machine });
}

function decisionOf({ answer, verdict, warnings, request: { host } }: Outcome): GuardDecision {
  const { decision, reason, modelReason } = answer;
  // Who leaves nothing to itself is asked where there is no opinion; a bypass and planning are the host's own.
  if (decision !== "none" || host.decides || host.bypassed || host.planning) return { decision, reason, modelReason, verdict, warnings };
  if (host.asks) return { decision: "ask", reason, modelReason, verdict, warnings };
  const required = "approval required: ";
  return { decision: "deny", reason: `${required}${reason}`, modelReason: `${required}${modelReason}`, verdict, warnings };
}

function requestOf(
  asked: GuardRequest,
  folder: string,
  { agent = "library", point = "library", cwd: root, confine = false }: OpenGuardOptions,
): Request {
  const { cwd: given = folder, host, event, session, subagent, mode } = asked;
  const shell = "command" in asked && asked.shell !== undefined ? { shell: asked.shell } : {};
  // A run starts bash, and sh where there is none.
  const confines = confine && ("argv" in asked || ("command" in asked && asked.shell !== "zsh"));
  const call = callOf(asked);
  const cwd = resolve(folder, given);
  const own = folderIn(call);
  const moved = typeof own === "string" && own !== "" && !own.includes("\0");
  // A command that runs elsewhere leaves the session's project no more than `cd` does.
  const sessionRoot = asked.sessionRoot ?? root ?? (moved ? cwd : undefined);
  const from = { cwd: moved ? resolve(cwd, own) : cwd, sessionRoot, point, agent, event, session, subagent, mode };
  const memory = `${point} of process ${process.pid}`;
  return { ...call, ...from, memory, host: { ...HOST, ...host, ...shell, confines } };
}

/** What the call names as the folder it runs in. */
function folderIn({ facts, input }: Pick<Request, "facts" | "input">): unknown {
  const field = facts?.does === "shell" ? facts.folder : undefined;
  return field !== undefined && Object.hasOwn(input, field) ? input[field] : undefined;
}

function wrongFolder(request: Request): Error | undefined {
  const own = folderIn(request) ?? "";
  return typeof own === "string" && !own.includes("\0") ? undefined : new Error("the folder that the command shall run in is not a path");
}

function callOf(asked: Asked): Pick<Request, "tool" | "facts" | "input"> {
  if ("tool" in asked) return { tool: asked.tool, facts: asked.facts, input: asked.input };
  if ("command" in asked) return { tool: "execute", facts: { does: "shell", field: "command" }, input: { command: asked.command } };
  if ("argv" in asked) return { tool: "execute", facts: { does: "argv", field: "argv" }, input: { argv: asked.argv } };
  if ("patch" in asked) return { tool: "patch", facts: { does: "patch", field: "patch" }, input: { patch: asked.patch } };
  if ("url" in asked) return { tool: "fetch", facts: { does: "fetch", field: "url" }, input: { url: asked.url } };
  const { operation, path, tree } = asked;
  return {
    tool: operation,
    facts: { does: "file", operation, fields: ["path"], ...(tree === undefined ? {} : { tree }) },
    input: { path },
  };
}

function targetOf(asked: Asked): string {
  if ("tool" in asked) return visible(asked.tool);
  if ("command" in asked) return asked.command;
  if ("argv" in asked) return asked.argv.join(" ");
  if ("patch" in asked) return "a patch";
  if ("url" in asked) return asked.url;
  return typeof asked.path === "string" ? asked.path : asked.path.join(", ");
}

/** A program that is not supervised when it starts never will be. */
let isFree = false;

/** What the supervisor says; undefined where there is none. */
export function askSupervisor(from: GuardPlace, request: GuardRequest): GuardDecision | undefined {
  if (isFree) return undefined;
  const answer = askOuter({ ask: "guard", from, request });
  if (answer === undefined) {
    isFree = true;
    return undefined;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the supervisor is this program
  if (answer.is === "guard") return answer.decision as GuardDecision;
  const reason = `the supervisor could not judge this: ${answer.is === "problem" ? answer.why : "it answered something else"}`;
  const decision = request.host?.asks === false ? "deny" : "ask";
  const verdict: RequestVerdict = { ...verdictOf(decision, "failure", { reason }), actions: [], unknowns: [] };
  return { decision, reason, modelReason: reason, verdict, warnings: [] };
}

/**
 * What a guard inside a supervised run is answered, outside of it. Everything in the question is the program's word. `own`: the policies
 * that the run goes by, and what is remembered of it, in the place of the machine's.
 */
export function answerGuard(
  { cwd, rooted, agent, point, audit }: GuardPlace,
  request: object,
  own?: { readonly policies: RunPolicies; readonly machine: Machine },
): GuardDecision {
  if (!cwd.startsWith("/")) throw new Error("the folder is not an absolute path");
  const word = (value: unknown): value is string => typeof value === "string" && value.length <= 200;
  const options = {
    ...(rooted ? { cwd } : {}),
    ...(word(agent) ? { agent } : {}),
    ...(word(point) ? { point } : {}),
    audit: audit !== false && own?.policies.audit !== false,
    ...(own === undefined ? {} : { machine: own.machine }),
  };
  const place = { cwd: "cwd" in request && typeof request.cwd === "string" ? resolve(cwd, request.cwd) : cwd };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is none is not understood, and so is asked about
  return judgeIn(options, undefined, own?.policies)({ ...request, ...place } as GuardRequest);
}
