import type { Outcome, PolicyReader } from "@assent/guard/engine";
import { advise, rulesOf } from "@assent/guard/suggest";

/** Who is told of a question or a refusal is told the way on that works. */
export function withAdvice(outcome: Outcome, read: PolicyReader): Outcome {
  try {
    return advise(outcome, rulesOf(read, "allow"));
  } catch {
    return outcome;
  }
}
