import { addRule, editPolicy, type EditOutcome, policyPlace, type PolicyPlace, starterPolicy } from "@assent/guard/policy-edit";
import type { Machine } from "@assent/guard/state";
import type { Judges, Suggestion } from "@assent/guard/suggest";
import { judgeOnly, ruleReader } from "./engine.ts";
import { judgePast } from "./past.ts";
import { schemaFor } from "./schema.ts";

/** What suggestions are found and proven with. */
export const suggestionJudges = (machine: Machine, cwd: string): Judges => ({
  past: (past) => judgePast(past, machine),
  command: (command) => judgeOnly({ tool: "Bash", input: { command }, cwd }, machine, [], { extensions: "off" }),
  read: ruleReader,
});

export interface WrittenSuggestions {
  readonly place: PolicyPlace;
  readonly written: number;
  /** Why the rest was not written. */
  readonly stopped?: Exclude<EditOutcome<undefined>, { readonly is: "done" }>;
}

/** Adds the rules to the user's own policy, one after the other, each with a comment that says where it comes from. */
export function writeSuggestions(machine: Machine, suggestions: readonly Pick<Suggestion, "rules" | "prompts">[]): WrittenSuggestions {
  const place = policyPlace("global", machine, machine.home);
  if (place === undefined) throw new Error("a user's own policy has a place wherever one is");
  const today = new Date().toISOString().slice(0, 10);
  const rules = new Map(suggestions.flatMap(({ rules: own, prompts }) => own.map((rule) => [rule, prompts] as const)));
  let written = 0;
  for (const [rule, prompts] of rules) {
    const outcome = editPolicy<undefined>(place, starterPolicy("user", schemaFor(place)), (text) => {
      const change = addRule(text, "allow", rule);
      return { edits: [change.do === "insert" ? { ...change, comment: `suggested on ${today}: ${prompts} questions saved` } : change] };
    });
    if (outcome.is !== "done") return { place, written, stopped: outcome };
    written += 1;
  }
  return { place, written };
}
