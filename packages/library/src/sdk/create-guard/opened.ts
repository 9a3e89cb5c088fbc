import { visible } from "@assent/core/action";
import { compareDecisions, type RequestVerdict, verdictOf } from "@assent/core/policy";
import type { AdapterRequest, GuardDecision } from "../common/adapted-guard.ts";
import type { GuardCall } from "./call.ts";
import { targetOfEffect } from "./combine.ts";
import { callsOf, commandFieldOf, type ToolEffect, type ToolEffects } from "./effects.ts";
import type { NamedTool } from "./combine.ts";
import type { JudgedCall, JudgedCalls } from "./judging.ts";

// A guard of `createGuard` in the form that adapters know: that of `openGuard`.

interface ToolCalls {
  readonly calls: readonly GuardCall[];
  /** The tool whose effects they are: rules may speak about its name as well. */
  readonly tool?: NamedTool;
}

/** What an adapter asks about, as calls. */
export function callsFor(asked: AdapterRequest, effects: ToolEffects): ToolCalls {
  if ("operation" in asked) return { calls: [{ read: asked.path }] };
  const { tool, input, facts } = asked;
  const effect = Object.hasOwn(effects, tool) ? effects[tool] : undefined;
  if (effect === undefined) return { calls: [{ tool, input, ...(facts === undefined ? {} : { facts }) }] };
  const tools = { name: tool, input, field: commandFieldOf(effect) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the program says of its own tool what it takes
  return { calls: callsOf(effect as ToolEffect<unknown>, input), tool: tools };
}

/** Whether it is known what the tool that is asked about does. */
export const hasEffect = (asked: AdapterRequest, effects: ToolEffects): boolean => "tool" in asked && Object.hasOwn(effects, asked.tool);

/** The verdict of all calls as one, in the form of `openGuard`. */
export function openedDecision({ decision, parts }: JudgedCalls, shadow: boolean, byEffect = false): GuardDecision {
  const target = byEffect ? targetOfEffect(parts) : undefined;
  const { forPerson: reason, forModel: modelReason, warnings, verdict: said } = decision;
  const verdicts = decision.verdicts.toSorted((a, b) => compareDecisions(b.decision, a.decision));
  const [worst = NOTHING] = verdicts;
  const verdict: RequestVerdict = {
    ...worst,
    actions: verdicts.flatMap(({ actions }) => actions),
    unknowns: verdicts.flatMap(({ unknowns }) => unknowns),
  };
  const [confined] = shadow ? [] : parts.flatMap(({ start }) => start ?? []);
  return {
    decision: shadow ? "allow" : said,
    reason,
    modelReason,
    verdict,
    ...(target === undefined ? {} : { target }),
    warnings,
    ...(confined === undefined || said !== "allow" ? {} : { confined }),
  };
}

/** The verdict of one call, for a host that may decide by itself where there is no opinion, or that cannot ask. */
export function hostDecision({ outcome, start }: JudgedCall): GuardDecision {
  const { answer, verdict, warnings, request } = outcome;
  const { decides, bypassed, planning, asks } = request.host;
  const { decision: said, reason, modelReason } = answer;
  const confined = start === undefined ? {} : { confined: start };
  if (said !== "none" || decides || bypassed || planning) return { decision: said, reason, modelReason, verdict, warnings, ...confined };
  if (asks) return { decision: "ask", reason, modelReason, verdict, warnings };
  const required = "approval required: ";
  return { decision: "deny", reason: `${required}${reason}`, modelReason: `${required}${modelReason}`, verdict, warnings };
}

/** What could not be judged is no permission; a text says why. */
export function notJudged(problem: unknown, decision: "ask" | "deny"): GuardDecision {
  const why =
    typeof problem === "string" ? problem : `Assent could not judge this: ${problem instanceof Error ? problem.message : String(problem)}`;
  const reason = visible(why).slice(0, 400);
  const verdict: RequestVerdict = { ...verdictOf(decision, "failure", { reason }), actions: [], unknowns: [] };
  return { decision, reason, modelReason: reason, verdict, warnings: [reason] };
}

const NOTHING: RequestVerdict = {
  decision: "allow",
  basis: "default",
  reason: "it does nothing that a rule could be about",
  actions: [],
  unknowns: [],
};
