import { visible, withoutAdvice } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import type { Principal } from "@assent/core/policy";
import type { ConfinedStart } from "../common/adapted-guard.ts";
import { readCallOptions } from "./call-options.ts";
import { type GuardCall, GuardCallError, type LoweredCall } from "./call.ts";
import { type NamedTool, targetsOf } from "./combine.ts";
import { callsOf, commandFieldOf, confinedInput, isList } from "./effects.ts";
import { type AnswerScope, hear, messageOf, type ReadAnswer } from "../common/read-answer.ts";
import { snapshot } from "./snapshot.ts";
import { readInput, type ToolSpec } from "./tool.ts";
import type {
  AllowedOutcome,
  CallDecision,
  CoreGuardChange,
  CoreQuestion,
  DeniedOutcome,
  GuardCallOptions,
  PendingOutcome,
} from "./types.ts";

// What becomes of a call, from the judge to a person's answer, wherever it is judged: on a machine, or in a world that was given.

/** Calls that were judged together. */
export interface FlowJudged {
  readonly parts: readonly { readonly call: GuardCall; readonly lowered: LoweredCall; readonly start?: ConfinedStart | undefined }[];
  readonly decision: CallDecision;
  /** `fixed`: what was asked about is done as it is, whoever answers. */
  readonly way?: { readonly fixed?: boolean; readonly looks?: boolean };
}

/** A call of a tool of the program's own. */
export interface FlowToolCall<J extends FlowJudged> {
  readonly name: string;
  readonly input: unknown;
  /** Where its command stands. */
  readonly field?: string | undefined;
  /** The same with another input, read and judged. Not there where it was asked about in another process. */
  readonly change?: (input: unknown) => Promise<{ readonly input: unknown; readonly judged: J }>;
}

/** One question, with all that it is about. */
export interface FlowAsking<P extends Principal, J extends FlowJudged> {
  readonly judged: J;
  readonly question: CoreQuestion<P>;
  readonly options: GuardCallOptions<P>;
  readonly of: FlowToolCall<J> | undefined;
}

/** What an answer is about. */
export type FlowAnswered<P extends Principal, J extends FlowJudged> = Omit<FlowAsking<P, J>, "question">;

/** Where calls are judged, and what is remembered there. `L` is what waits for a later answer; never, where nothing does. */
export interface FlowWorld<P extends Principal, J extends FlowJudged, L extends PendingOutcome<P>, Policy = unknown> {
  readonly shadow: boolean;
  readonly onDecision: ((decision: CallDecision<P>) => void) | undefined;
  /** Judges calls that nobody else can change any more. */
  judge(calls: readonly GuardCall[], options: GuardCallOptions<P>, tool?: NamedTool): J | Promise<J>;
  /** A tool by its name alone, at once. */
  judgeName(name: string): J;
  folder(options: GuardCallOptions<P>): string;
  /** An answer that was given before holds for this, too. */
  isAnswered(about: FlowAnswered<P, J>): boolean;
  /** Asks; undefined where nobody is there. */
  readonly ask: ((asked: FlowAsking<P, J>, signal: AbortSignal) => unknown) | undefined;
  /** INVARIANT: whatever is not surely a yes lets nothing go ahead. */
  understand(answer: unknown): ReadAnswer;
  /** Keeps what an answer means for other calls. */
  keep(about: FlowAnswered<P, J>, answer: "refused" | AnswerScope): void;
  /** Lets a question wait for its answer; undefined: it cannot. */
  wait(asked: FlowAsking<P, J>, told: (decision: CallDecision) => CallDecision<P>): Promise<L | DeniedOutcome<P> | undefined>;
  warn(text: string): void;
  /** The same for somebody else, at another place, or with a stricter policy. */
  with(change: CoreGuardChange<Policy, P>): FlowWorld<P, J, L, Policy>;
}

export type FlowOutcome<P extends Principal, L> = AllowedOutcome<P> | DeniedOutcome<P> | L;

/** The course of a call through a guard. */
export class GuardFlow<P extends Principal, J extends FlowJudged, L extends PendingOutcome<P> = never> {
  readonly #world: FlowWorld<P, J, L>;

  constructor(world: FlowWorld<P, J, L>) {
    this.#world = world;
  }

  async judge(call: GuardCall | readonly GuardCall[], options: GuardCallOptions<P>, tool?: NamedTool): Promise<J> {
    return await this.#world.judge(snapshot(isList(call) ? call : [call]), options, tool);
  }

  /** What becomes of calls that were judged. `ask`: asks in the place of whoever answers this guard's questions. */
  async conclude(
    judged: J,
    options: GuardCallOptions<P>,
    of?: FlowToolCall<J>,
    ask: FlowWorld<P, J, L>["ask"] = this.#world.ask,
  ): Promise<FlowOutcome<P, L>> {
    const { decision } = judged;
    if (this.#world.shadow || decision.verdict === "allow") return this.#allowed(judged, this.told(decision), of);
    if (decision.verdict === "deny") return refused(this.told(decision), decision.forModel);
    if (this.#world.isAnswered({ judged, options, of })) return this.#allowed(judged, this.told({ ...decision, answer: "allowed" }), of);
    const asked = { judged, options, of, question: this.question(judged, options, of) };
    const read = await this.#ask(asked, ask);
    if (options.signal?.aborted === true) return refused(this.told({ ...decision, answer: "nobody" }), "cancelled");
    if (read !== undefined && read.is !== "later") return await this.answered(asked, read);
    const waits = await this.#world.wait(asked, (told) => this.told(told));
    if (waits !== undefined) return waits;
    return refused(this.told({ ...decision, answer: "nobody" }), `approval required, and nobody can be asked: ${decision.forModel}`);
  }

  /** What becomes of calls that somebody answered about. `by` is who, where that is known. */
  async answered(about: FlowAnswered<P, J>, read: ReadAnswer, by?: string): Promise<FlowOutcome<P, L>> {
    const { judged, of } = about;
    const { decision } = judged;
    // Nobody has refused, so nothing is remembered.
    if (read.is === "failed")
      return refused(
        this.told({ ...decision, answer: "failed" }),
        `approval required, and asking failed: ${read.why} (${decision.forModel})`,
      );
    if (read.is !== "yes") {
      this.#world.keep(about, "refused");
      const who = by === undefined ? "the user" : visible(by).slice(0, 100);
      const note = read.is === "no" && read.note !== "" ? `, and said: ${visible(read.note).slice(0, 500)}` : "";
      const why = decision.verdicts.reduce((so, { help }) => withoutAdvice(so, help), decision.forModel);
      return refused(this.told({ ...decision, answer: "refused" }), `${who} refused${note} (${why})`);
    }
    if (read.call !== undefined || read.input !== undefined) return await this.#changed(about, read);
    this.#world.keep(about, read.scope);
    return this.#allowed(judged, this.told({ ...decision, answer: "allowed" }), of);
  }

  question(judged: J, { reason = "" }: GuardCallOptions<P>, of?: FlowToolCall<J>): CoreQuestion<P> {
    const decision = this.#own(judged.decision);
    const { principal, forPerson } = decision;
    // What whoever is asked does with them changes nothing of what runs.
    const calls = snapshot(decision.calls);
    return {
      text: `${of === undefined ? "" : `${visible(of.name)}: `}${targetsOf(judged.parts)}? ${forPerson}`,
      agentSays: visible(reason),
      calls,
      ...(of === undefined ? {} : { tool: { name: of.name, input: snapshot(of.input) } }),
      ...(principal === undefined ? {} : { principal }),
      decision: { ...decision, calls },
    };
  }

  /** Tells whoever listens. INVARIANT: what it throws changes nothing. */
  told(decision: CallDecision): CallDecision<P> {
    const own = this.#own(decision);
    tell(own, this.#world);
    return own;
  }

  async checkTool<I>(spec: ToolSpec<I>, input: I, options: GuardCallOptions<P>): Promise<FlowOutcome<P, L>> {
    const own = readCallOptions(options);
    const change = async (given: unknown) => {
      const changed = await readInput(spec, given);
      return { input: changed, judged: await this.#judgeTool(spec, changed, own) };
    };
    const { name, does } = spec;
    return await this.conclude(await this.#judgeTool(spec, input, own), own, { name, input, field: commandFieldOf(does), change });
  }

  async #judgeTool<I>({ name, does }: ToolSpec<I>, input: I, options: GuardCallOptions<P>): Promise<J> {
    return await this.#world.judge(callsOf(does, input), options, { name, input, field: commandFieldOf(does) });
  }

  /** What whoever is asked says; a no once the call is cancelled; undefined where nobody is there. */
  async #ask(asked: FlowAsking<P, J>, ask: FlowWorld<P, J, L>["ask"]): Promise<ReadAnswer | undefined> {
    const { signal = new AbortController().signal } = asked.options;
    if (ask === undefined || signal.aborted) return undefined;
    const { promise, stop } = whenAborted(signal);
    const read = await hear(
      async () => await Promise.race([ask(asked, signal), promise]),
      (answer) => this.#world.understand(answer),
    );
    stop();
    return read;
  }

  /** What a person changed is judged once more: a deny stays one, whoever wrote the call. */
  async #changed({ judged, options, of }: FlowAnswered<P, J>, read: Extract<ReadAnswer, { is: "yes" }>): Promise<FlowOutcome<P, L>> {
    let changed: J;
    let tool = of;
    try {
      if (read.input !== undefined && of?.change !== undefined) {
        const { input, judged: again } = await of.change(read.input);
        tool = { ...of, input };
        changed = again;
      } else if (judged.way?.fixed === true) throw new GuardCallError("this call is done as it is, or not at all");
      else if (read.call !== undefined && of === undefined) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read by `lowerCall`, which refuses what is none
        changed = await this.judge(read.call as GuardCall, options);
      } else throw new GuardCallError(howChanged(of));
    } catch (error) {
      const told = this.told({ ...judged.decision, answer: "failed" });
      return refused(told, `what the user changed was not understood: ${messageOf(error)}`);
    }
    if (changed.decision.verdict === "deny") return refused(this.told(changed.decision), changed.decision.forModel);
    const outcome = this.#allowed(changed, this.told({ ...changed.decision, answer: "allowed" }), tool);
    return outcome.tool === undefined ? outcome : { ...outcome, input: outcome.tool.input };
  }

  #allowed({ parts }: J, decision: CallDecision<P>, of?: FlowToolCall<J>): AllowedOutcome<P> {
    // Only a call by itself has something that is started in its place.
    const [made] = parts.flatMap((part) => part.start ?? []);
    const start = decision.shadow ? undefined : made;
    return {
      verdict: "allow",
      calls: parts.map(({ call }) => call),
      ...(of === undefined ? {} : { tool: { name: of.name, input: start === undefined ? of.input : startedInput(of, start) } }),
      ...(start === undefined ? {} : { start }),
      decision,
    };
  }

  #own(decision: CallDecision): CallDecision<P> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the principal is the one that this guard or this call was given
    return { ...decision, shadow: this.#world.shadow } as CallDecision<P>;
  }
}

/** INVARIANT: a tool whose command goes ahead confined is given nothing but what is to be started in its place. */
function startedInput({ input, field }: Pick<NamedTool, "input" | "field">, start: ConfinedStart): unknown {
  if (field === undefined || !isObject(input)) throw new GuardCallError("nobody knows where the command of this tool stands");
  return confinedInput(input, field, start);
}

/** INVARIANT: what `onDecision` throws changes nothing. */
export function tell<P extends Principal>(
  decision: CallDecision<P>,
  { onDecision, warn }: Pick<FlowWorld<P, FlowJudged, PendingOutcome<P>>, "onDecision" | "warn">,
): void {
  try {
    onDecision?.(decision);
  } catch (error) {
    warn(`onDecision failed: ${messageOf(error)}`);
  }
}

/** Why an answer cannot change what it is about. */
const howChanged = (of: object | undefined): string =>
  of === undefined
    ? "a call is changed by `call`"
    : "change" in of
      ? "the call of a tool is changed by `input`"
      : "the call of a tool that waited for its answer cannot be changed";

/** `false` once it is aborted. */
function whenAborted(signal: AbortSignal): { readonly promise: Promise<false>; readonly stop: () => void } {
  const over = new AbortController();
  const promise = new Promise<false>((resolveWith) => {
    signal.addEventListener("abort", () => resolveWith(false), { once: true, signal: over.signal });
  });
  return { promise, stop: () => over.abort() };
}

export const refused = <P extends Principal>(decision: CallDecision<P>, forModel: string): DeniedOutcome<P> => ({
  verdict: "deny",
  by:
    decision.verdict === "deny" ? "policy" : decision.answer === "refused" ? "person" : decision.answer === "failed" ? "failure" : "nobody",
  forModel,
  decision,
});
