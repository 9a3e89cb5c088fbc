import { brief, visible } from "@assent/core/action";
import { attempt, isObject } from "@assent/core/data";
import type { ToolFacts } from "@assent/guard/engine";
import type { RequestVerdict } from "@assent/core/policy";
import { ask, isPlainYes, type OnToolAsk } from "../common/ask.ts";
import { commandFieldOf, confinedInput, type ToolEffects } from "../create-guard/effects.ts";
import { PermissionDeniedError } from "../common/errors.ts";
import { type DeniedBy, whoseNo } from "../common/read-answer.ts";
import { notJudged } from "../create-guard/opened.ts";
import type { AdaptedGuard, From, GuardDecision } from "../common/adapted-guard.ts";

/** What every adapter is told. */
export interface AdapterOptions {
  /**
   * What tools do, by the names the model calls them by: `{ bash: { does: "shell", field: "command" } }`. A tool without
   * facts is judged by its name and fields.
   */
  readonly facts?: Readonly<Record<string, ToolFacts>>;
  /** With a guard of `createGuard`: what tools do, as functions of their input. A tool without one is judged by its name and fields. */
  readonly effects?: ToolEffects;
  /** Answers questions at once. Without it they are put the way the SDK has for it. `new EditedInput({ … })`: yes, with this input instead. */
  readonly onAsk?: OnToolAsk;
  /** The sub-agent whose calls these are, for rules about agents and for the log; by default the main agent's. */
  readonly subagent?: string;
  /** The MCP server whose tools these are: rules know them as `mcp__server__tool`. */
  readonly server?: string;
}

/** A call as an SDK hands it over; nothing in it has been looked at. */
interface Called {
  readonly tool: string;
  readonly input: unknown;
}

/** What is said about a call. */
export interface Judged {
  readonly decision: "allow" | "ask" | "deny" | "none";
  /** For the model. */
  readonly reason: string;
  /** For a person. */
  readonly personReason: string;
  readonly verdict: RequestVerdict;
  readonly from: Called;
  readonly facts: ToolFacts | undefined;
  /** What the call is about, where the guard was told what the tool does. */
  readonly target?: string;
  /** Where the call comes from. */
  readonly place: From;
  /** INVARIANT: what is allowed goes ahead in no other way than with this input, and once. */
  readonly instead?: Readonly<Record<string, unknown>>;
}

/** The field in which a tool's command stands, where the program says so: for adapters that can give the tool another one. */
export function commandFieldIn({ effects = {}, server }: Pick<AdapterOptions, "effects" | "server">, tool: string): string | undefined {
  const name = nameOf(tool, server);
  return Object.hasOwn(effects, name) ? commandFieldOf(effects[name]) : undefined;
}

const nameOf = (tool: string, server: string | undefined): string => (server === undefined ? tool : `mcp__${server}__${tool}`);

/**
 * Judges a call. Never throws; what is no object is denied. `replaces`: where its command stands, for an adapter that gives the tool the input
 * of `instead`.
 */
export function judgeCall(guard: AdaptedGuard, options: AdapterOptions, call: Called, from: From = {}, replaces?: string): Judged {
  const { facts: table = {}, subagent, server } = options;
  const { tool, input } = call;
  // Names come from a model: none is looked up in a prototype.
  const facts = Object.hasOwn(table, tool) ? table[tool] : undefined;
  const place: From = { ...(subagent === undefined ? {} : { subagent }), ...from };
  const asked = isObject(input) ? input : undefined;
  const { decision, modelReason, reason, verdict, target, confined }: GuardDecision =
    asked === undefined
      ? notJudged("the tool's input is not an object", "deny")
      : guard.decide({
          tool: nameOf(tool, server),
          input: asked,
          ...(facts === undefined ? {} : { facts }),
          ...place,
          ...(replaces === undefined ? {} : { replaces }),
        });
  const instead =
    asked === undefined || confined === undefined || replaces === undefined ? {} : { instead: confinedInput(asked, replaces, confined) };
  const about = target === undefined ? {} : { target };
  return { from: call, facts, place, decision, reason: modelReason, personReason: reason, verdict, ...about, ...instead };
}

/** Whether a call may run; else what the model is told. */
type SettledCall =
  | {
      readonly run: true;
      /** What it runs with, where a person changed it, or where it runs confined. */ readonly input?: Readonly<Record<string, unknown>>;
    }
  | NotRun;

/** Why it may not, and whose no that is. */
interface NotRun {
  readonly run: false;
  readonly reason: string;
  readonly by: DeniedBy;
}

/** What a tool throws in the place of running, where the SDK has the model read that. */
export const refusedCall = (judged: Judged, { reason, by }: Omit<NotRun, "run">): PermissionDeniedError =>
  new PermissionDeniedError({
    operation: judged.from.tool,
    target: targetOf(judged),
    reason,
    by,
    verdict: judged.verdict,
    message: reason,
  });

/** What is known about a question when a call is about to run. */
interface WhoAnswers {
  /** A person has said yes to this very call. */
  readonly approved: boolean;
  readonly onAsk: OnToolAsk | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Judges what a person put in the place of the input. Without it the input cannot be changed here. */
  readonly judgeEdited?: (input: Readonly<Record<string, unknown>>) => Judged;
}

/** What becomes of a call that was judged: the last word before it runs. */
export async function settle(judged: Judged, { approved, onAsk, signal, judgeEdited }: WhoAnswers): Promise<SettledCall> {
  if (signal?.aborted === true) return CANCELLED;
  if (judged.decision === "allow") return judged.instead === undefined ? RUN : { run: true, input: judged.instead };
  const { reason, verdict } = judged;
  if (judged.decision === "deny") return { run: false, reason, by: "policy" };
  if (approved) return RUN;
  const asked = jsonOf(judged.from.input);
  const read = await ask(onAsk, { operation: judged.from.tool, target: targetOf(judged), reason: "", verdict });
  // A tool is not started for a run that has been given up meanwhile.
  if (aborted(signal)) return CANCELLED;
  const by = whoseNo(read);
  if (read.is === "no") return { run: false, reason: read.note === "" ? `the user refused: ${reason}` : refusalOf(judged, read.note), by };
  if (read.is !== "yes") return { run: false, reason: `approval required: ${reason}`, by: onAsk === undefined ? "nobody" : by };
  // The input is the SDK's own object, and others hold it as well.
  if (isPlainYes(read)) return asked === "" || asked !== jsonOf(judged.from.input) ? CHANGED : RUN;
  if (judgeEdited === undefined || !isObject(read.input))
    return { run: false, reason: `the user changed the call, which cannot be done here: ${reason}`, by };
  const edited = judgeEdited(read.input);
  return edited.decision === "deny"
    ? { run: false, reason: edited.reason, by: "policy" }
    : { run: true, input: edited.instead ?? read.input };
}

/** What the model reads of a no. */
export const refusalOf = ({ reason }: Judged, note: string): string =>
  `the user refused${note === "" ? "" : `, and said: ${visible(note).slice(0, 500)}`} (${reason})`;

const RUN: SettledCall = { run: true };
const CANCELLED: SettledCall = { run: false, reason: "cancelled", by: "nobody" };
const CHANGED: SettledCall = { run: false, reason: "its input was changed while it was asked about: call it again", by: "failure" };
const aborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** What a person is asked about: the command or the path, else what the tool is given. */
export function targetOf({ facts, target, from: { input } }: Judged): string {
  if (target !== undefined) return brief(target, 400);
  if (!isObject(input)) return "";
  const fields = facts === undefined || facts.does === "tool" ? [] : facts.does === "file" ? facts.fields : [facts.field];
  const named = fields.map((field) => (Object.hasOwn(input, field) ? input[field] : undefined)).filter((value) => value !== undefined);
  const [only] = named;
  return named.length === 1 && typeof only === "string" ? only : brief(jsonOf(named.length === 0 ? input : named), 400);
}

/** How inputs are compared. What is no JSON is like nothing. */
export function jsonOf(value: unknown): string {
  return attempt(() => JSON.stringify(value) ?? "", "");
}

/** What a person is shown where the SDK itself puts the question. */
export const questionOf = (judged: Judged): string => `${visible(judged.from.tool)} ${visible(targetOf(judged))}? ${judged.verdict.reason}`;

/** An SDK asks about a call and runs it a moment later: judged once, logged once. Later it is judged again. */
const MOMENT = 1000;
/** Calls of one run that have not been run yet. */
const MAX_CALLS = 1000;

interface NotedCall {
  readonly judged: Judged;
  readonly input: string;
  readonly at: number;
}

/** What was said about calls that have not run yet, by run and call. */
export class RecentCalls {
  readonly #runs = new WeakMap<object, Map<string, NotedCall>>();

  note(run: object, call: string, judged: Judged): Judged {
    const calls = this.#runs.get(run) ?? new Map<string, NotedCall>();
    this.#runs.set(run, calls);
    const [oldest] = calls.keys();
    if (calls.size >= MAX_CALLS && oldest !== undefined) calls.delete(oldest);
    calls.set(call, { judged, input: jsonOf(judged.from.input), at: performance.now() });
    return judged;
  }

  /** What is asked next is judged anew. */
  forget(run: object): void {
    this.#runs.delete(run);
  }

  /** Confined it is started once: who asks again gets another start. */
  spend(run: object, call: string, judged: Judged): void {
    if (judged.instead !== undefined) this.#runs.get(run)?.delete(call);
  }

  /** What was said about this call with whatever input. */
  about(run: object, call: string): Judged | undefined {
    return this.#runs.get(run)?.get(call)?.judged;
  }

  /** What was said about this very call just now. */
  justNow(run: object, call: string, input: unknown): Judged | undefined {
    const noted = this.#runs.get(run)?.get(call);
    if (noted === undefined || performance.now() - noted.at > MOMENT) return undefined;
    return noted.input !== "" && noted.input === jsonOf(input) ? noted.judged : undefined;
  }
}
