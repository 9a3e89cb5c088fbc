import { InMemorySpanExporter, SimpleSpanProcessor, BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { SpanStatusCode } from "@opentelemetry/api";
import { expect, it } from "vitest";
import { createGuard } from "@assent/library/sdk";
import { recordDecisions } from "@assent/library/sdk/opentelemetry";

it("a span and a count for each decision, without secrets", async () => {
  const spans = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer("test");
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 1e6 })] });
  const guard = createGuard({
    cwd: "/repo",
    home: "/home/me",
    principal: { user: "ann", tenant: "t1", role: ["dev", "ops"] },
    policy: { permissions: { deny: ["Bash(make:*)"] } },
    onDecision: recordDecisions({ tracer, meter: meters.getMeter("test") }),
  });
  await guard.check({ shell: "ls" });
  await guard.check({ shell: "make TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz" });
  await guard.check({ write: "src/a.ts" });
  const told = spans.getFinishedSpans();
  expect(
    told.map(({ name, status, attributes }) => [name, status.code, attributes["assent.verdict"], attributes["assent.answer"]]),
  ).toEqual([
    ["assent decision", SpanStatusCode.UNSET, "allow", undefined],
    ["assent decision", SpanStatusCode.ERROR, "deny", undefined],
    ["assent decision", SpanStatusCode.ERROR, "ask", "nobody"],
  ]);
  expect(told[1]?.attributes).toMatchObject({
    "assent.user": "ann",
    "assent.role": "dev,ops",
    "assent.rule": "Bash(make:*)",
    "assent.rule.source": "the guard's policy",
  });
  expect(JSON.stringify(told.map(({ attributes, status }) => [attributes, status]))).not.toContain("ghp_");
  await meters.forceFlush();
  const [counted, lasted] = metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  expect(counted?.dataPoints.map(({ value, attributes }) => [value, attributes["assent.verdict"]])).toEqual([
    [1, "allow"],
    [1, "deny"],
    [1, "ask"],
  ]);
  expect(lasted?.descriptor).toMatchObject({ name: "assent.decision.duration", unit: "ms" });
});
