import { visible } from "@assent/core/action";
import { compareDecisions, type RequestVerdict, verdictOf } from "@assent/core/policy";
import type { AdapterRequest, GuardDecision } from "../common/adapted-guard.ts";
import type { GuardCall } from "./call.ts";
import { targetOfEffect } from "./combine.ts";
import { callsOf, commandFieldOf, type ToolEffect, type ToolEffects } from "./effects.ts";
import type { NamedTool } from "./combine.ts";
import type { JudgedCalls } from "./judging.ts";

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

/** What could not be judged is refused, but by a guard that only reports. */
export function notJudged(error: unknown, shadow: boolean): GuardDecision {
  const why = visible(error instanceof Error ? error.message : String(error)).slice(0, 400);
  const reason = `Assent could not judge this: ${why}`;
  const verdict: RequestVerdict = { ...verdictOf("deny", "failure", { reason }), actions: [], unknowns: [] };
  return { decision: shadow ? "allow" : "deny", reason, modelReason: reason, verdict, warnings: [reason] };
}

const NOTHING: RequestVerdict = {
  decision: "allow",
  basis: "default",
  reason: "it does nothing that a rule could be about",
  actions: [],
  unknowns: [],
};
