import { fileURLToPath } from "node:url";
import { REFERENCE } from "@assent/hosts/agents";
import { protocolOf, recognise } from "@assent/hosts/agents/protocols";
import { decide, type DecideOptions, type Host, type Input, type Outcome, type PolicyReader } from "@assent/guard/engine";
import { advise, type RuleReader, rulesOf } from "@assent/guard/suggest";
import { read } from "@assent/guard/engine/reader";
import type { Effect } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";

/** The engine as those use it that only look, commands and the page: nothing is logged. */

export const engine = {
  reader: (): PolicyReader => ({ read }),
  // The folder of the built program; `dist/chunks` lies in it.
  protocol: protocolOf,
  recognise,
  // What asks here is no host's hook.
  held: (outcome: Outcome): Outcome => outcome,
  advise: (outcome: Outcome, reader: PolicyReader): Outcome => advise(outcome, rulesOf(reader, "allow")),
  own: [fileURLToPath(new URL(".", import.meta.url)).replace(/\/(?:chunks\/)?$/, "")],
};

/** A host in its default mode: it decides where Assent is silent. */
const LOOKING: Host = { shell: "any", decides: true, asks: true, bypassed: false, planning: false, confines: true };
export interface GivenCall {
  readonly tool: string;
  readonly input: Input;
  readonly cwd: string;
}

/** Without `memory`: as if nothing had been granted or refused. */
export function judgeOnly(
  question: GivenCall,
  machine: Machine,
  policyFiles: readonly string[],
  more: Pick<DecideOptions, "select" | "adapt" | "extensions" | "memory"> = {},
): Outcome {
  const { tools } = REFERENCE.protocol;
  const facts = Object.hasOwn(tools, question.tool) ? tools[question.tool] : undefined;
  return decide(
    { ...question, facts, host: LOOKING, point: "explain", agent: REFERENCE.id },
    { machine, ...engine, policyFiles, audit: false, memory: "none", ...more },
  );
}

export const readerOf = (effect: Effect): RuleReader => rulesOf({ read }, effect);

export const ruleReader = /* @__PURE__ */ readerOf("allow");
