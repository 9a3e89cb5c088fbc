/** `assent/opentelemetry`: decisions as spans and counts of OpenTelemetry. */
import { type Attributes, type Meter, metrics, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { redactString } from "@assent/guard/audit";
import type { CallDecision } from "../create-guard/types.ts";

/** Where decisions are told; by default what the program has registered with OpenTelemetry. */
export interface RecordDecisionsOptions {
  readonly tracer?: Tracer;
  readonly meter?: Meter;
}

const NAME = "assent";
const LONGEST = 400;

/**
 * For `onDecision`: a span for each decision, under the span that is active, and two metrics: `assent.decisions`, counted by verdict and
 * answer, and `assent.decision.duration`, in milliseconds. Secrets are taken out of what is told; inputs and contents are not told at all.
 *
 * ```ts
 * const guard = createGuard({ policy, onDecision: recordDecisions() });
 * ```
 */
export function recordDecisions({ tracer = trace.getTracer(NAME), meter = metrics.getMeter(NAME) }: RecordDecisionsOptions = {}): (
  decision: CallDecision,
) => void {
  const count = meter.createCounter("assent.decisions", { description: "Decisions, by verdict and answer" });
  const duration = meter.createHistogram("assent.decision.duration", { unit: "ms", description: "What judging takes" });
  return (decision) => {
    const { verdict, answer, milliseconds, shadow } = decision;
    const kinds = { "assent.verdict": verdict, ...(answer === undefined ? {} : { "assent.answer": answer }), "assent.shadow": shadow };
    count.add(1, kinds);
    duration.record(milliseconds, kinds);
    const now = Date.now();
    const span = tracer.startSpan("assent decision", {
      startTime: now - milliseconds,
      attributes: { ...kinds, ...attributesOf(decision) },
    });
    if (verdict === "deny" || answer === "refused" || answer === "nobody")
      span.setStatus({ code: SpanStatusCode.ERROR, message: clean(decision.forModel) });
    span.end(now);
  };
}

const clean = (text: string): string => redactString(text).slice(0, LONGEST);

function attributesOf({ id, confined, reason, rule, principal = {}, actions, forPerson }: CallDecision): Attributes {
  const { user, tenant, role, agent, session } = principal;
  const given: Record<string, string | undefined> = {
    "assent.user": user,
    "assent.tenant": tenant,
    "assent.role": typeof role === "string" ? role : role?.join(","),
    "assent.agent": agent,
    "assent.session": session,
    "assent.reason": reason,
    "assent.rule": rule?.text,
    "assent.rule.source": rule?.source,
  };
  const texts = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, clean(value)] as const]));
  return {
    "assent.id": id,
    "assent.confined": confined,
    "assent.why": clean(forPerson),
    "assent.actions": [...new Set(actions.map(({ kind }) => kind))],
    ...Object.fromEntries(texts),
  };
}
