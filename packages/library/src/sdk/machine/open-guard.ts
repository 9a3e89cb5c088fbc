import { resolve } from "node:path";
import type { DecideOptions, Input, ToolFacts } from "@assent/guard/engine";
import type { RunPolicies } from "@assent/guard/engine/given";
import { compareDecisions, compareStrictness } from "@assent/core/policy";
import { type Machine, thisMachine } from "@assent/guard/state";
import { askOuter, type GuardPlace } from "@assent/supervisor/supervise/outer";
import { ask, isPlainYes, type OnAsk } from "../common/ask.ts";
import { type DeniedBy, whoseNo } from "../common/read-answer.ts";
import { probeSandbox } from "../common/sandbox.ts";
import { PermissionDeniedError } from "../common/errors.ts";
import { checkOptions, type Options } from "../common/options.ts";
import { noteAnswer } from "../create-guard/answers.ts";
import { type GuardCall, isArgv } from "../create-guard/call.ts";
import { machineGuard } from "../create-guard/inside.ts";
import { hostDecision, notJudged } from "../create-guard/opened.ts";
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
    check: async (asked, reason = "") => {
      if (options.confine === true) await probeSandbox(options.cwd);
      const decision = judge(asked);
      if (decision.decision === "allow") return decision;
      const { operation, target } = readAsked(asked);
      const { verdict } = decision;
      const denied = (by: DeniedBy, why: string): PermissionDeniedError =>
        new PermissionDeniedError({ operation, target, reason: `${why}${decision.reason}`, verdict, by });
      if (decision.decision === "deny") throw denied("policy", "");
      const read = await ask(options.onAsk, { operation, target, reason, verdict });
      const isYes = isPlainYes(read);
      // Only a plain no is a refusal; an error, and what is answered where nobody sits, is none.
      const isNo = read.is === "no" && (process.env["CI"] ?? "") === "";
      const outcome = outcomeOf(verdict);
      if (outcome !== undefined && (isYes || isNo)) noteAnswer(outcome, isYes ? "allowed" : "refused", options.machine ?? thisMachine());
      if (isYes) return decision;
      const by = options.onAsk === undefined ? "nobody" : whoseNo(read);
      throw denied(by, by === "person" ? "the user refused: " : "approval required: ");
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
  const inside = machineGuard({ machine: machine ?? thisMachine(), confine, audit, own }, cwd);
  const here = (asked: GuardRequest, looks = false): GuardDecision => {
    const { host, cwd: folder = cwd, subagent } = asked;
    const shell = ("command" in asked ? asked.shell : undefined) ?? host?.shell;
    // Calls of tools are never confined: nobody knows who runs them.
    const way = { from: asked, starts: true, looks, ...(host === undefined ? {} : { host }), ...(shell === undefined ? {} : { shell }) };
    const said = { cwd: folder, ...(subagent === undefined ? {} : { subagent }) };
    try {
      const [judged] = inside.judge([readAsked(asked).call], said, way).parts;
      if (judged !== undefined) return hostDecision(judged);
    } catch (error) {
      return notJudged(error, host?.asks === false ? "deny" : "ask");
    }
    return notJudged("nothing was asked", "deny");
  };
  if (machine !== undefined) return here;
  const rooted = options.cwd !== undefined;
  const from = { cwd, rooted, audit, ...(agent === undefined ? {} : { agent }), ...(point === undefined ? {} : { point }) };
  return (asked) => {
    const outer = askSupervisor(from, asked);
    if (outer === undefined) return here(asked);
    if (policyFiles.length === 0) return outer;
    // Files that are named inside can only tighten what is said outside.
    const inner = here(asked, true);
    return compareStrictness(inner.verdict, outer.verdict) > 0 || compareDecisions(inner.decision, outer.decision) > 0 ? inner : outer;
  };
}

/** A request as a call, and what people read that it is about. What is wrong with it is found where it is judged. */
function readAsked(asked: Asked): { readonly call: GuardCall; readonly operation: string; readonly target: string } {
  const read = (operation: string, input: Input, facts: ToolFacts | undefined, about: unknown, call?: GuardCall) => ({
    call: call ?? { tool: operation, input, ...(facts === undefined ? {} : { facts }) },
    operation,
    target: Array.isArray(about) ? about.join("argv" in asked ? " " : ", ") : String(about),
  });
  if ("tool" in asked) return read(asked.tool, asked.input, asked.facts, asked.tool);
  if ("command" in asked) {
    const { command } = asked;
    const call = typeof command === "string" ? { shell: command } : undefined;
    return read("execute", { command }, { does: "shell", field: "command" }, command, call);
  }
  if ("argv" in asked) {
    const { argv } = asked;
    return read("execute", { argv }, { does: "argv", field: "argv" }, argv, isArgv(argv) ? { argv } : undefined);
  }
  if ("patch" in asked) return read("patch", { patch: asked.patch }, { does: "patch", field: "patch" }, "a patch");
  if ("url" in asked) return read("fetch", { url: asked.url }, { does: "fetch", field: "url" }, asked.url);
  const { operation, path, tree } = asked;
  return read(operation, { path }, { does: "file", operation, fields: ["path"], ...(tree === undefined ? {} : { tree }) }, path);
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
  const why = answer.is === "problem" ? answer.why : "it answered something else";
  return notJudged(`the supervisor could not judge this: ${why}`, request.host?.asks === false ? "deny" : "ask");
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
