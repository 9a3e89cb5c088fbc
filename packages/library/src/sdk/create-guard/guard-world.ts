import { resolve } from "node:path";
import type { Principal } from "@assent/core/policy";
import { probeSandbox } from "../common/sandbox.ts";
import { keepScope, noteAnswer, readAnswer, rulesFor } from "./answers.ts";
import { type PendingApproval, signPending, tokenOf } from "./approvals.ts";
import { changedPrincipal } from "./call-options.ts";
import type { GuardCall } from "./call.ts";
import { type NamedTool, targetsOf } from "./combine.ts";
import { OUR_PACKS } from "@assent/guard/engine/reader";
import { type FlowAnswered, type FlowAsking, type FlowWorld, refused } from "./flow.ts";
import { folderOf, type GuardPlaceInCode, type GuardRoot, judgeCalls, type JudgedCalls } from "./judging.ts";
import { checkStricter, type CodePolicy, readCodePolicy, readPolicyText } from "./policy-in-code.ts";
import { type AnswerScope, messageOf, type ReadAnswer } from "../common/read-answer.ts";
import type { CallDecision, DeniedOutcome, Given, GuardCallOptions, GuardChange, GuardOptions, PendingOutcome } from "./types.ts";

/** What guards that were made of one another have in common. */
export interface GuardShared<P extends Principal> {
  readonly root: GuardRoot;
  readonly options: Given<Pick<GuardOptions<P>, "onAsk" | "approvals" | "onDecision" | "shadow">>;
  /** Signs what waits for answers. */
  readonly secret: () => Promise<Uint8Array>;
  /** Milliseconds for which a question waits for `resume`. */
  readonly waits: number;
}

type Tell<P extends Principal> = (decision: CallDecision) => CallDecision<P>;

/** This machine, as a guard's calls are judged on it and its questions answered. */
export class GuardWorld<P extends Principal> implements FlowWorld<P, JudgedCalls, PendingOutcome<P>, CodePolicy> {
  readonly shared: GuardShared<P>;
  readonly place: GuardPlaceInCode;
  readonly shadow: boolean;
  readonly onDecision: GuardOptions<P>["onDecision"] | undefined;
  readonly ask: FlowWorld<P, JudgedCalls, PendingOutcome<P>>["ask"];

  constructor(shared: GuardShared<P>, place: GuardPlaceInCode) {
    this.shared = shared;
    this.place = place;
    const { onAsk, onDecision, shadow } = shared.options;
    this.shadow = shadow === true;
    this.onDecision = onDecision;
    this.ask =
      onAsk === undefined ? undefined : ({ judged, question }, signal) => onAsk({ ...question, rules: rulesFor(judged.parts) }, { signal });
  }

  judge(calls: readonly GuardCall[], options: GuardCallOptions<P>, tool?: NamedTool): JudgedCalls | Promise<JudgedCalls> {
    const { root } = this.shared;
    const starts = tool === undefined || tool.field !== undefined;
    const judged = (): JudgedCalls => judgeCalls(calls, root, this.place, options, { starts, ...(tool === undefined ? {} : { tool }) });
    return root.confine && starts ? probeSandbox(folderOf(this.place, options)).then(judged) : judged();
  }

  judgeName(name: string): JudgedCalls {
    return judgeCalls([{ tool: name, input: {} }], this.shared.root, this.place, {});
  }

  folder(options: GuardCallOptions<P>): string {
    return folderOf(this.place, options);
  }

  /** What was answered is remembered where the judge looks. */
  isAnswered(): boolean {
    return false;
  }

  understand(answer: unknown): ReadAnswer {
    return readAnswer(answer);
  }

  keep({ judged: { parts, way } }: FlowAnswered<P, JudgedCalls>, answer: "refused" | AnswerScope): void {
    if (way.looks === true) return;
    const { machine } = this.shared.root;
    for (const { outcome } of parts) noteAnswer(outcome, answer === "refused" ? answer : "allowed", machine);
    if (answer !== "refused") keepScope(answer, parts, rulesFor(parts), machine, targetsOf(parts));
  }

  async wait(
    { judged: { decision }, question, options, of }: FlowAsking<P, JudgedCalls>,
    told: Tell<P>,
  ): Promise<PendingOutcome<P> | DeniedOutcome<P> | undefined> {
    const { approvals } = this.shared.options;
    if (approvals === undefined) return undefined;
    const secret = await this.shared.secret();
    const { principal, calls } = decision;
    const now = Date.now();
    const pending = signPending(secret, {
      created: now,
      expires: now + this.shared.waits,
      calls,
      ...(of === undefined ? {} : { tool: { name: of.name, input: of.input } }),
      stricter: this.place.stricter.map(({ text }) => text),
      ...(principal === undefined ? {} : { principal }),
      cwd: this.folder(options),
      ...(options.subagent === undefined ? {} : { subagent: options.subagent }),
      text: question.text,
      agentSays: question.agentSays,
    });
    try {
      await approvals.put(pending);
    } catch (error) {
      const problem = `the question could not be kept: ${messageOf(error)}`;
      const decided = told({ ...decision, answer: "nobody", warnings: [...decision.warnings, problem] });
      return refused(decided, `approval required, and ${problem}`);
    }
    return waiting(decision, pending, secret, told);
  }

  readonly warn = warn;

  with(change: GuardChange<P>): GuardWorld<P> {
    const principal = changedPrincipal(change, this.place.principal);
    const { cwd = ".", policy } = change;
    const { root } = this.shared;
    const before = this.place.stricter;
    const stricter = policy === undefined ? before : [...before, readCodePolicy(policy, "policy", OUR_PACKS)];
    if (stricter !== before && root.files === "none") checkStricter(root.policy, stricter);
    return new GuardWorld(this.shared, { principal, cwd: resolve(this.place.cwd, cwd), stricter });
  }

  /** As `with({ policy })`, by texts. Those that are there already make it no stricter. */
  stricter(texts: readonly string[]): GuardWorld<P> {
    const before = this.place.stricter;
    const own = before.map(({ text }) => text);
    const more = texts.filter((text) => !own.includes(text)).map((text) => readPolicyText(text, "policy", OUR_PACKS));
    return more.length === 0 ? this : new GuardWorld(this.shared, { ...this.place, stricter: [...before, ...more] });
  }
}

/** Of `onDecision`. */
export const warn = (text: string): void => process.emitWarning(text, { code: "ASSENT_ON_DECISION" });

/** A question that is kept until somebody answers. */
export function waiting<P extends Principal>(
  decision: CallDecision,
  pending: PendingApproval,
  secret: Uint8Array,
  told: Tell<P>,
): PendingOutcome<P> {
  const forModel = `waiting for a person's answer: ${decision.forModel}`;
  const decided = told({ ...decision, answer: "pending" });
  return { verdict: "pending", token: tokenOf(secret, pending), expires: new Date(pending.expires), forModel, decision: decided };
}
