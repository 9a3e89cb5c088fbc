import { hostname } from "node:os";
import { diag, DiagLogLevel } from "@opentelemetry/api";
import type { LogRecord } from "@opentelemetry/api-logs";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { LoggerProvider, type LogRecordProcessor, type SdkLogRecord } from "@opentelemetry/sdk-logs";
import { fields } from "../files.ts";
import type { SpoolLine } from "./spool.ts";

/** Where to, and as whom. */
export interface OtlpCollector {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly version: string;
}

export type Sent =
  | { readonly is: "accepted"; /** Of some of them it said that it did not take them. */ readonly complaint?: string }
  /** It may work later. */
  | { readonly is: "away"; readonly why: string }
  /** Somebody has to change something. */
  | { readonly is: "refused"; readonly why: string }
  | { readonly is: "too-large" };

export interface Sender {
  send(records: readonly LogRecord[]): Promise<Sent>;
  end(): Promise<void>;
}

/** `ExportResultCode` of @opentelemetry/core. */
const SUCCESS = 0;
const PAYLOAD_TOO_LARGE = 413;
/** What the exporter says of a status that it would retry. */
const RETRYABLE = /retryable status|timed out|^E[A-Z]+$|ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|socket hang up/;

/** OTLP over HTTP by the official SDK, which asks again by itself as long as a message's time lasts, and keeps to Retry-After. */
export function openOtlp({ endpoint, headers, timeoutMs, version }: OtlpCollector): Sender {
  // Only the policy says where to, and with which headers (opentelemetry.io: "OTLP Exporter Configuration").
  for (const name of Object.keys(process.env)) if (name.startsWith("OTEL_")) delete process.env[name];
  const said: string[] = [];
  const note = (message: string, ...more: readonly unknown[]): void => void said.push([message, ...more.map(String)].join(" "));
  const nothing = (): void => undefined;
  diag.setLogger({ error: note, warn: note, info: nothing, debug: nothing, verbose: nothing }, DiagLogLevel.WARN);

  const collected: SdkLogRecord[] = [];
  const collect: LogRecordProcessor = {
    onEmit: (record) => void collected.push(record),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const provider = new LoggerProvider({
    resource: resourceFromAttributes({ "service.name": "assent", "service.version": version, "host.name": hostname() }),
    logRecordLimits: { attributeCountLimit: 128, attributeValueLengthLimit: Infinity },
    processors: [collect],
  });
  const logger = provider.getLogger("assent", version);
  const exporter = new OTLPLogExporter({
    url: /\/v1\/logs\/?$/.test(endpoint) ? endpoint : `${endpoint.replace(/\/+$/, "")}/v1/logs`,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    concurrencyLimit: 1,
    httpAgentOptions: { keepAlive: true, rejectUnauthorized: true },
  });
  const secrets = Object.values(headers).filter((value) => value.length > 3);
  const plain = (text: string): string => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text).slice(0, 300);

  return {
    send: async (records) => {
      collected.length = 0;
      said.length = 0;
      for (const record of records) logger.emit(record);
      const error = await new Promise<Error | undefined>((resolve) => {
        exporter.export([...collected], ({ code, error: why }) => {
          const status: number = code;
          resolve(status === SUCCESS ? undefined : (why ?? new Error("not sent")));
        });
      });
      if (error === undefined) return accepted(said, plain);
      const status: unknown = "code" in error ? error.code : undefined;
      if (status === PAYLOAD_TOO_LARGE) return { is: "too-large" };
      const why = plain(`${typeof status === "number" ? `${status} ` : ""}${error.message}`.trim() || "no answer");
      const network = typeof status === "string" ? status : "";
      return RETRYABLE.test(network) || RETRYABLE.test(error.message) || (typeof status === "number" && status >= 500)
        ? { is: "away", why }
        : { is: "refused", why: network === "" ? why : `${network}: ${why}` };
    },
    end: async () => {
      await exporter.shutdown();
      await provider.shutdown();
    },
  };
}

/** Who answers 200 with something else than a collector's answer is none: a proxy, a login page. */
function accepted(said: readonly string[], plain: (text: string) => string): Sent {
  if (said.some((text) => /could not deserialize response|Failed to parse logs export response/.test(text)))
    return { is: "refused", why: "the program that answers there is not a collector: it does not speak OTLP" };
  const complaint = said.find((text) => text.includes("Partial Success"));
  return { is: "accepted", ...(complaint === undefined ? {} : { complaint: plain(complaint) }) };
}

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

type LogSeverity = Pick<LogRecord, "severityNumber" | "severityText">;
const INFO: LogSeverity = { severityNumber: 9, severityText: "INFO" };
const WARN: LogSeverity = { severityNumber: 13, severityText: "WARN" };
const ERROR: LogSeverity = { severityNumber: 17, severityText: "ERROR" };
const SEVERITY: ReadonlyMap<unknown, LogSeverity> = new Map([
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
