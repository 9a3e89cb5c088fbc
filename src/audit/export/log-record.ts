import type { LogRecord } from "@opentelemetry/api-logs";
import { fields } from "../files.ts";
import type { SpoolLine } from "./spool.ts";

/** A line of the log as OpenTelemetry has it; docs/audit.md says what becomes of which field. Undefined: no record. */
export function logRecord({ text, link }: SpoolLine, now: number): LogRecord | undefined {
  let parsed: Readonly<Record<string, unknown>>;
  try {
    parsed = fields(JSON.parse(text));
  } catch {
    return undefined;
  }
  const time = Date.parse(string(parsed["time"]) ?? "");
  const place = { "assent.log.seq": link?.seq, "assent.log.hash": link?.hash };
  const common = { timestamp: Number.isNaN(time) ? now : time, observedTimestamp: now };
  return parsed["log"] === undefined
    ? { ...common, ...decision(parsed, place) }
    : {
        ...common,
        eventName: "assent.log",
        ...WARN,
        body: `the log: ${string(parsed["log"]) ?? "?"}`,
        attributes: given({ ...place, "assent.log.note": string(parsed["log"]) }),
      };
}

/** Said in the place of records that were dropped before they could be sent. */
export function lostRecord(count: number, now: number): LogRecord {
  return {
    timestamp: now,
    observedTimestamp: now,
    eventName: "assent.log",
    ...WARN,
    body: `${count} records were dropped before they could be sent`,
    attributes: { "assent.log.note": "lost", "assent.log.lost": count },
  };
}

type Severity = Pick<LogRecord, "severityNumber" | "severityText">;
const INFO: Severity = { severityNumber: 9, severityText: "INFO" };
const WARN: Severity = { severityNumber: 13, severityText: "WARN" };
const ERROR: Severity = { severityNumber: 17, severityText: "ERROR" };
const SEVERITY: ReadonlyMap<unknown, Severity> = new Map([
  ["ask", WARN],
  ["deny", ERROR],
]);

const string = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const SUBJECTS = ["command", "file_path", "notebook_path", "path", "url", "pattern", "query"];

function decision(parsed: Readonly<Record<string, unknown>>, place: Attributes): Partial<LogRecord> {
  const text = (key: string): string | undefined => string(parsed[key]);
  const input = fields(parsed["input"]);
  const subject = SUBJECTS.flatMap((name) => string(input[name]) ?? []).at(0);
  const rule = fields(parsed["rule"]);
  const { line } = rule;
  const about = [text("verdict"), text("tool"), subject].filter((part) => part !== undefined).join(" ");
  return {
    eventName: "assent.decision",
    ...(SEVERITY.get(parsed["verdict"]) ?? INFO),
    body: `${about}: ${text("reason") ?? ""}`,
    attributes: given({
      ...place,
      "session.id": text("session"),
      "gen_ai.agent.name": text("agent"),
      "gen_ai.tool.name": text("tool"),
      "assent.point": text("point"),
      "assent.event": text("event"),
      "assent.subagent": text("subagent"),
      "assent.mode": text("mode"),
      "assent.cwd": text("cwd"),
      "assent.input": parsed["input"] === undefined ? undefined : JSON.stringify(parsed["input"]),
      "assent.verdict": text("verdict"),
      "assent.answer": text("answer"),
      "assent.basis": text("basis"),
      "assent.builtin": text("builtin"),
      "assent.bypass": text("bypass"),
      "assent.approver": text("approver"),
      "assent.rule": string(rule["text"]),
      "assent.rule.file": string(rule["file"]),
      "assent.rule.line": typeof line === "number" ? line : undefined,
      "assent.actions": list(parsed["actions"], (each) => `${String(each["verdict"])} ${String(each["action"])}`),
      "assent.unknowns": Array.isArray(parsed["unknowns"]) ? parsed["unknowns"].flatMap((each) => string(each) ?? []) : undefined,
      "assent.duration_ms": typeof parsed["ms"] === "number" ? parsed["ms"] : undefined,
    }),
  };
}

type Attributes = Readonly<Record<string, string | number | readonly string[] | undefined>>;

function list(value: unknown, print: (each: Readonly<Record<string, unknown>>) => string): readonly string[] | undefined {
  return Array.isArray(value) ? value.map((each: unknown) => print(fields(each))) : undefined;
}

/** What there is. */
function given(attributes: Attributes): Record<string, string | number | string[]> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]): (readonly [string, string | number | string[]])[] =>
      value === undefined ? [] : [[key, typeof value === "object" ? [...value] : value]],
    ),
  );
}
