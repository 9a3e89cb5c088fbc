import { isObject } from "@assent/core/data";
import { brief, visible } from "@assent/core/action";
import { compareDecisions, type Principal, type RequestVerdict } from "@assent/core/policy";
import type { HostAnswer } from "@assent/core/request";
import type { GuardCall, LoweredCall } from "./call.ts";
import { placeOfRule } from "./policy-in-code.ts";
import type { CallDecision } from "./types.ts";

/** A tool of the program's own whose calls they are: rules may be about its name and its input, too. */
export interface NamedTool {
  readonly name: string;
  readonly input: unknown;
  /** Where its command stands: it starts what it is given there. */
  readonly field?: string | undefined;
}

/** What was said about one call. */
export interface CallFinding {
  readonly answer: HostAnswer;
  readonly verdict: RequestVerdict;
  readonly warnings: readonly string[];
  /** It goes ahead confined: what is started in its place. */
  readonly instead?: unknown;
}

const callOfTool = ({ name, input }: NamedTool): GuardCall => ({ tool: name, input: isObject(input) ? input : {} });

/** A tool's name is judged beside what it does where somebody has written about it. */
const isWritten = ({ verdict }: CallFinding): boolean => verdict.decision !== "allow" && verdict.rule !== undefined;

/** No opinion is a question: nobody else decides. */
const decisionIn = ({ answer }: CallFinding): CallDecision["verdict"] => (answer.decision === "none" ? "ask" : answer.decision);

/** `crypto.randomUUID` is not there on pages that came without TLS. */
function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
}

/** Judges calls that belong together, and the tool whose calls they are by its name: the strictest finding is that of all. */
export function judgeTogether<Judged extends { readonly outcome: CallFinding }>(
  calls: readonly GuardCall[],
  tool: NamedTool | undefined,
  principal: Principal | undefined,
  judge: (call: GuardCall) => Judged,
): { readonly parts: readonly Judged[]; readonly decision: CallDecision } {
  const started = performance.now();
  // Not `calls.map`: it passes over gaps, and a gap is no call.
  const parts = Array.from(calls, judge);
  const named = tool === undefined ? [] : [judge(callOfTool(tool))].filter(({ outcome }) => isWritten(outcome));
  const all = [...parts, ...named].map(({ outcome }) => outcome);
  const [first, ...others] = all;
  const worst = others.reduce(
    (so, next) => (so === undefined || compareDecisions(decisionIn(next), decisionIn(so)) > 0 ? next : so),
    first,
  );
  const verdict = worst === undefined ? "allow" : decisionIn(worst);
  const { rule, builtin } = worst?.verdict ?? {};
  const decision: CallDecision = {
    id: freshId(),
    verdict,
    confined: verdict === "allow" && parts.some(({ outcome }) => outcome.instead !== undefined),
    shadow: false,
    ...(principal === undefined ? {} : { principal }),
    calls,
    actions: all.flatMap((finding) => finding.verdict.actions.map(({ action }) => action)),
    ...(rule === undefined && builtin !== undefined ? { reason: builtin } : {}),
    forPerson: worst?.answer.reason ?? NOTHING,
    forModel: worst?.answer.modelReason ?? NOTHING,
    ...(rule === undefined ? {} : { rule: placeOfRule(rule) }),
    verdicts: all.map((finding) => finding.verdict),
    milliseconds: performance.now() - started,
    warnings: [...new Set(all.flatMap(({ warnings }) => warnings))],
  };
  return { parts, decision };
}

const NOTHING = "it does nothing that a rule could be about";

/** For people: what the calls are about. */
export const targetsOf = (parts: readonly { readonly lowered: LoweredCall }[]): string =>
  parts
    .map(({ lowered: { tool, target } }) => (tool === target ? visible(tool) : `${visible(tool)} ${brief(target, LONGEST_TARGET)}`))
    .join("; ");

const LONGEST_TARGET = 4000;

/** What a tool's call is about, beside the tool's own name; undefined: nothing. */
export function targetOfEffect(parts: readonly { readonly lowered: LoweredCall }[]): string | undefined {
  const [only, ...more] = parts;
  return only === undefined ? undefined : more.length === 0 ? only.lowered.target : targetsOf(parts);
}
