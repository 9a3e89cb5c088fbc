import { attempt } from "@assent/core/data";
import type { Outcome, PolicyReader } from "@assent/guard/engine";
import { advise, rulesOf } from "@assent/guard/suggest";

/** Who is told of a question or a refusal is told the way on that works. */
export const withAdvice = (outcome: Outcome, read: PolicyReader): Outcome =>
  attempt(() => advise(outcome, rulesOf(read, "allow")), outcome);
