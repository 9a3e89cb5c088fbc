import { resolve } from "node:path";
import type { DecideOptions, Outcome } from "@assent/guard/engine";
import type { RunPolicies } from "@assent/guard/engine/given";
import { compareDecisions, compareStrictness, type RequestVerdict, verdictOf } from "@assent/core/policy";
import { type Machine, thisMachine } from "@assent/guard/state";
import { askOuter, type GuardPlace } from "@assent/supervisor/supervise/outer";
import { ask, isPlainYes, type OnAsk } from "../common/ask.ts";
import { probeSandbox } from "../common/sandbox.ts";
import { PermissionDeniedError } from "../common/errors.ts";
import { checkOptions, type Options } from "../common/options.ts";
import { noteAnswer } from "../create-guard/answers.ts";
import type { GuardCall, LoweredCall } from "../create-guard/call.ts";
import { type GuardRoot, judgeOne } from "../create-guard/judging.ts";
import type { Asked, GuardDecision, GuardRequest } from "../common/adapted-guard.ts";
import { outcomeOf } from "../common/outcomes.ts";

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
      const { lowered } = readAsked(asked);
      const { tool: operation, target } = lowered;
      const { verdict } = decision;
      const denied = (why: string): PermissionDeniedError => new PermissionDeniedError({ operation, target, reason: why, verdict });
      if (decision.decision === "deny") throw denied(decision.reason);
      const read = await ask(options.onAsk, { operation, target, reason: reason ?? "", verdict });
      const isYes = isPlainYes(read);
      // Only a plain no is a refusal; an error, and what is answered where nobody sits, is none.
      const isNo = read.is === "no" && (process.env["CI"] ?? "") === "";
      const outcome = outcomeOf(verdict);
      if (outcome !== undefined && (isYes || isNo)) noteAnswer(outcome, isYes ? "allowed" : "refused", options.machine ?? thisMachine());
      if (!isYes) throw denied(`${read.is === "yes" || read.is === "no" ? "the user refused" : "approval required"}: ${decision.reason}`);
      return decision;
    },
  };
}

/**
 * Opens a guard for a process that passes calls on. The line of a call that is allowed is written as soon as it has been passed on:
 * before the next one is judged, before anything is read that comes in answer to it, and before the process ends.
 */
export function openPromptGuard(options: OpenGuardOptions, onWarning: (text: string) => void): Pick<OpenedGuard, "decide"> {
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
  const { machine, cwd = process.cwd(), policyFiles = [], audit = true, confine = false, agent, point } = options;
  const policies = {
    policyFiles,
    ...(afterwards === undefined ? {} : { afterwards }),
    ...(by === undefined ? {} : { files: by.files, policyFiles: by.policyFiles, select: by.select, adapt: by.adapt }),
  };
  const own = { agent: agent ?? "library", point: point ?? "library", sessionRoot: options.cwd, policies };
  const root: GuardRoot = { machine: machine ?? thisMachine(), policy: undefined, files: "all", confine, audit, shell: "any", own };
  const place = { principal: undefined, cwd, stricter: [] };
  const here = (asked: GuardRequest, logs: boolean): GuardDecision => {
    const { call, lowered } = readAsked(asked);
    const { host, cwd: folder = cwd, subagent } = asked;
    const shell = ("command" in asked ? asked.shell : undefined) ?? host?.shell;
    // Calls of tools are never confined: nobody knows who runs them.
    const way = { from: asked, starts: true, ...(host === undefined ? {} : { host }), ...(shell === undefined ? {} : { shell }) };
    const said = { cwd: folder, ...(subagent === undefined ? {} : { subagent }) };
    const { outcome, start } = judgeOne(call, lowered, { ...root, audit: logs }, place, said, way);
    return { ...decisionOf(outcome), ...(start === undefined ? {} : { confined: start }) };
  };
  if (machine !== undefined) return (asked) => here(asked, audit);
  const rooted = options.cwd !== undefined;
  const from = { cwd, rooted, audit, ...(agent === undefined ? {} : { agent }), ...(point === undefined ? {} : { point }) };
  return (asked) => {
    const outer = askSupervisor(from, asked);
    if (outer === undefined) return here(asked, audit);
    if (policyFiles.length === 0) return outer;
    // Files that are named inside can only tighten what is said outside.
    const inner = here(asked, false);
    return compareStrictness(inner.verdict, outer.verdict) > 0 || compareDecisions(inner.decision, outer.decision) > 0 ? inner : outer;
  };
}

function decisionOf({ answer, verdict, warnings, request: { host } }: Outcome): GuardDecision {
  const { decision, reason, modelReason } = answer;
  // Who leaves nothing to itself is asked where there is no opinion; a bypass and planning are the host's own.
  if (decision !== "none" || host.decides || host.bypassed || host.planning) return { decision, reason, modelReason, verdict, warnings };
  if (host.asks) return { decision: "ask", reason, modelReason, verdict, warnings };
  const required = "approval required: ";
  return { decision: "deny", reason: `${required}${reason}`, modelReason: `${required}${modelReason}`, verdict, warnings };
}

/** A request as a call. What is wrong with it is found where it is judged. */
function readAsked(asked: Asked): { readonly call: GuardCall; readonly lowered: LoweredCall } {
  const { target, ...read } = formOf(asked);
  const call = { tool: read.tool, input: read.input };
  return {
    // As the judge tells commands from others.
    call: "command" in asked ? { shell: asked.command } : "argv" in asked ? { argv: asked.argv } : call,
    lowered: { ...read, target: Array.isArray(target) ? target.join("argv" in asked ? " " : ", ") : String(target) },
  };
}

function formOf(asked: Asked): Omit<LoweredCall, "target"> & { readonly target: unknown } {
  if ("tool" in asked) return { tool: asked.tool, facts: asked.facts, input: asked.input, target: asked.tool };
  if ("command" in asked) {
    const { command } = asked;
    return { tool: "execute", facts: { does: "shell", field: "command" }, input: { command }, target: command };
  }
  if ("argv" in asked) return { tool: "execute", facts: { does: "argv", field: "argv" }, input: { argv: asked.argv }, target: asked.argv };
  if ("patch" in asked)
    return { tool: "patch", facts: { does: "patch", field: "patch" }, input: { patch: asked.patch }, target: "a patch" };
  if ("url" in asked) return { tool: "fetch", facts: { does: "fetch", field: "url" }, input: { url: asked.url }, target: asked.url };
  const { operation, path, tree } = asked;
  const facts = { does: "file", operation, fields: ["path"], ...(tree === undefined ? {} : { tree }) } as const;
  return { tool: operation, facts, input: { path }, target: path };
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
