import { visible } from "@assent/core/action";
import { compareDecisions, type RequestVerdict, verdictOf } from "@assent/core/policy";
import type { GuardDecision, GuardRequest } from "../guard/open-guard.ts";
import { type GuardCall, GuardCallError } from "./call.ts";
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
export function callsFor(asked: GuardRequest, effects: ToolEffects): ToolCalls {
  if ("command" in asked) return { calls: [{ shell: asked.command }] };
  if ("argv" in asked) return { calls: [{ argv: asked.argv }] };
  if ("patch" in asked) return { calls: [{ patch: asked.patch }] };
  if ("url" in asked) return { calls: [{ fetch: asked.url }] };
  if ("operation" in asked) return { calls: [fileCall(asked)] };
  const { tool, input, facts } = asked;
  const effect = Object.hasOwn(effects, tool) ? effects[tool] : undefined;
  if (effect === undefined) return { calls: [{ tool, input, ...(facts === undefined ? {} : { facts }) }] };
  const tools = { name: tool, input, field: commandFieldOf(effect) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the program says of its own tool what it takes
  return { calls: callsOf(effect as ToolEffect<unknown>, input), tool: tools };
}

function fileCall({ operation, path, tree }: Extract<GuardRequest, { operation: unknown }>): GuardCall {
  const below = tree === undefined ? {} : { tree };
  switch (operation) {
    case "read":
      return { read: path, ...below };
    case "list":
      return { list: path, ...below };
    case "delete":
      return { delete: path, ...below };
    case "write":
      return { write: path };
    case "edit":
      return { edit: path };
    case "mkdir":
      return { mkdir: path };
    case "rename":
      throw new GuardCallError("a rename is not one call: ask for the delete and for the write");
  }
}

/** Whether it is known what the tool that is asked about does. */
export const hasEffect = (asked: GuardRequest, effects: ToolEffects): boolean => "tool" in asked && Object.hasOwn(effects, asked.tool);

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
