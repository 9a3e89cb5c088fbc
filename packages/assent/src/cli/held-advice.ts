import type { Outcome, PolicyReader } from "@assent/guard/engine";
import { advise, rulesOf } from "@assent/guard/suggest";

// Entry of dist/held-advice.cjs, which the hook loads when it asks or refuses.

/** Who is told of a question or a refusal is told the way on that works. */
export function withAdvice(outcome: Outcome, read: PolicyReader): Outcome {
  try {
    return advise(outcome, rulesOf(read, "allow"));
  } catch {
    return outcome;
  }
}
