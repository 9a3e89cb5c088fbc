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
}

/** What belongs to a decision besides the findings. */
interface AboutDecision {
  readonly id: string;
  readonly calls: readonly GuardCall[];
  readonly principal: Principal | undefined;
  /** Something of it is started confined in its place. */
  readonly confined: boolean;
  readonly milliseconds: number;
}

export const callOfTool = ({ name, input }: NamedTool): GuardCall => ({ tool: name, input: isObject(input) ? input : {} });

/** A tool's name is judged beside what it does where somebody has written about it. */
export const isWritten = ({ verdict }: CallFinding): boolean => verdict.decision !== "allow" && verdict.rule !== undefined;

/** No opinion is a question: nobody else decides. */
const decisionIn = ({ answer }: CallFinding): CallDecision["verdict"] => (answer.decision === "none" ? "ask" : answer.decision);

/** Calls that belong together: the strictest finding is that of all. */
export function combineFindings(
  all: readonly CallFinding[],
  { id, calls, principal, confined, milliseconds }: AboutDecision,
): CallDecision {
  const [first, ...others] = all;
  const worst = others.reduce(
    (so, next) => (so === undefined || compareDecisions(decisionIn(next), decisionIn(so)) > 0 ? next : so),
    first,
  );
  const verdict = worst === undefined ? "allow" : decisionIn(worst);
  const { rule, builtin } = worst?.verdict ?? {};
  return {
    id,
    verdict,
    confined: verdict === "allow" && confined,
    shadow: false,
    ...(principal === undefined ? {} : { principal }),
    calls,
    actions: all.flatMap((finding) => finding.verdict.actions.map(({ action }) => action)),
    ...(rule === undefined && builtin !== undefined ? { reason: builtin } : {}),
    forPerson: worst?.answer.reason ?? NOTHING,
    forModel: worst?.answer.modelReason ?? NOTHING,
    ...(rule === undefined ? {} : { rule: placeOfRule(rule) }),
    verdicts: all.map((finding) => finding.verdict),
    milliseconds,
    warnings: [...new Set(all.flatMap(({ warnings }) => warnings))],
  };
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
