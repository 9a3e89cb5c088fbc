import { hostname } from "node:os";
import { diag, DiagLogLevel } from "@opentelemetry/api";
import type { LogRecord } from "@opentelemetry/api-logs";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { LoggerProvider, type LogRecordProcessor, type SdkLogRecord } from "@opentelemetry/sdk-logs";

/** Where to, and as whom. */
export interface Collector {
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
export function openOtlp({ endpoint, headers, timeoutMs, version }: Collector): Sender {
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
    return { is: "refused", why: "what answers there is no collector: its answer is not that of OTLP" };
  const complaint = said.find((text) => text.includes("Partial Success"));
  return { is: "accepted", ...(complaint === undefined ? {} : { complaint: plain(complaint) }) };
}
