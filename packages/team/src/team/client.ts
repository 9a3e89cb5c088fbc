import { readFileSync } from "node:fs";
import { request as plainRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as tlsRequest } from "node:https";
import { userInfo } from "node:os";
import { rootCertificates } from "node:tls";
import type * as v from "valibot";
import { messageOf } from "@assent/guard/state";
import { ABOUT_HEADER, aboutText, MESSAGE_LIMITS, readMessage, RefusedRequest } from "./protocol/index.ts";
import { connectThrough, ProxyProblem } from "./proxy/tunnel.ts";
import { proxyHost } from "./proxy/choose.ts";

export type ServerAnswer<T> =
  | { readonly is: "answered"; readonly status: number; readonly message: T }
  /** It may work later: nobody has said no. */
  | { readonly is: "away"; readonly why: string; readonly retryAfterMs?: number }
  /** The server says no, or is none of ours. */
  | { readonly is: "refused"; readonly status: number; readonly why: string };

declare const ASSENT_VERSION: string | undefined;

export interface TeamServer {
  /** `https://HOST[:PORT]`. */
  readonly url: string;
  readonly token?: string | undefined;
  /** A file with certificates. */
  readonly ca?: string | undefined;
  /** The address of the proxy that leads there, which may hold a password. */
  readonly proxy?: string | undefined;
}

const TIMEOUT_MS = 30_000;

/** An address that a token may be sent to; else why not. */
export function readServerUrl(text: string): { readonly url: string } | { readonly problem: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["https:", "http:"].includes(url.protocol)) return { problem: "is not an address: write https://HOST" };
  if (url.username !== "" || url.password !== "") return { problem: "holds a password: leave it out" };
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return { problem: "has a path: write https://HOST alone" };
  if (url.protocol === "http:" && !["127.0.0.1", "[::1]", "localhost"].includes(url.hostname))
    return { problem: "is not encrypted: only https:// may leave this machine" };
  return { url: url.origin };
}

/** One request. No redirect is followed: a token goes where its person said. */
export async function askServer<T>(
  server: TeamServer,
  method: "GET" | "POST",
  path: string,
  schema: v.GenericSchema<unknown, T>,
  body?: unknown,
): Promise<ServerAnswer<T>> {
  let answer: { readonly status: number; readonly text: string; readonly retryAfter: string | undefined };
  try {
    answer = await send(server, method, path, body === undefined ? undefined : JSON.stringify(body));
  } catch (error) {
    return { is: "away", why: whyNot(server, error) };
  }
  const { status, text } = answer;
  // What is answered by its meaning (a fork is 409) is an answer.
  const read = readMessage(schema, text);
  if ("message" in read) return { is: "answered", status, message: read.message };
  const error = readMessage(RefusedRequest, text);
  const why = "message" in error ? error.message.why : `what answers there is not a team server of Assent (HTTP ${status})`;
  if (status === 429 || status >= 500) {
    const seconds = /^\d{1,5}$/.test(answer.retryAfter ?? "") ? Number(answer.retryAfter) : undefined;
    return { is: "away", why, ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }) };
  }
  return { is: "refused", status, why };
}

/** What went wrong behind a proxy may be of its making: it is named. */
function whyNot({ proxy }: TeamServer, error: unknown): string {
  const why = messageOf(error);
  return proxy === undefined || error instanceof ProxyProblem ? why : `${why} (through the proxy ${proxyHost(proxy)})`;
}

async function send(
  server: TeamServer,
  method: string,
  path: string,
  body: string | undefined,
): Promise<{ status: number; text: string; retryAfter: string | undefined }> {
  const response = await begin(server, { method, path, body, timeout: TIMEOUT_MS, signal: AbortSignal.timeout(2 * TIMEOUT_MS) });
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    response.on("data", (part: Buffer) => {
      size += part.length;
      if (size > MESSAGE_LIMITS.messageBytes) response.destroy(new Error("the answer is too large"));
      else parts.push(part);
    });
    response.on("error", reject);
    response.on("end", () => {
      resolve({
        status: response.statusCode ?? 0,
        text: Buffer.concat(parts).toString("utf8"),
        retryAfter: response.headers["retry-after"],
      });
    });
  });
}

let about: string | undefined;

/** What this machine says of itself: so the team's page knows which of two machines of one name it is, and who runs an old version. */
function aboutHere(): string {
  const version = typeof ASSENT_VERSION === "string" ? ASSENT_VERSION : "0.0.0-source";
  try {
    about ??= aboutText({ version, user: userInfo().username });
  } catch {
    // No account has this number (os.userInfo).
    about ??= aboutText({ version });
  }
  return about;
}

interface BegunRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
  /** So long nothing comes. Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly accept?: string;
}

async function begin(
  { url, token, ca, proxy }: TeamServer,
  { method, path, body, timeout, signal, accept }: BegunRequest,
): Promise<IncomingMessage> {
  const isTls = url.startsWith("https:");
  const vouched = ca === undefined ? undefined : [...rootCertificates, readFileSync(ca, "utf8")];
  if (proxy !== undefined && !isTls) throw new Error("what is not encrypted goes through no proxy");
  const through =
    proxy === undefined ? undefined : await connectThrough(proxy, { server: url, ca: vouched, timeoutMs: TIMEOUT_MS, signal });
  through?.setTimeout(timeout);
  const options: RequestOptions = {
    method,
    headers: {
      accept: accept ?? "application/json",
      [ABOUT_HEADER]: aboutHere(),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    },
    timeout,
    signal,
    ...(through === undefined ? {} : { createConnection: () => through }),
  };
  return new Promise((resolve, reject) => {
    const asked = isTls
      ? tlsRequest(`${url}${path}`, { ...options, ...(vouched === undefined ? {} : { ca: vouched }) }, resolve)
      : plainRequest(`${url}${path}`, options, resolve);
    asked.on("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.on("error", reject);
    asked.on("close", () => through?.destroy());
    asked.end(body);
  });
}

/** The server says something at least this often. Milliseconds. */
const SILENT_MS = 45_000;
const LARGEST_EVENT = MESSAGE_LIMITS.messageBytes;

/**
 * What the server tells as it happens (server-sent events), until the connection ends: why, and how long to wait before the next one.
 * Whoever connects again is told the state, so nothing that was missed is lost.
 */
export async function hearServer(
  server: TeamServer,
  path: string,
  onEvent: (event: string, data: string) => void,
  signal: AbortSignal,
): Promise<{ readonly is: "ended" | "refused"; readonly why: string; readonly retryAfterMs?: number }> {
  try {
    const response = await begin(server, { method: "GET", path, timeout: SILENT_MS, signal, accept: "text/event-stream" });
    const { statusCode = 0, headers } = response;
    if (statusCode !== 200 || headers["content-type"]?.startsWith("text/event-stream") !== true) {
      response.destroy();
      const after = /^\d{1,4}$/.test(headers["retry-after"] ?? "") ? { retryAfterMs: 1000 * Number(headers["retry-after"]) } : {};
      return { is: statusCode === 401 ? "refused" : "ended", why: `the server answers with HTTP ${statusCode}`, ...after };
    }
    let text = "";
    for await (const part of response.setEncoding("utf8") as AsyncIterable<string>) {
      text += part;
      if (text.length > LARGEST_EVENT) throw new Error("an event is too large");
      const whole = text.split(/\r?\n\r?\n/);
      text = whole.pop() ?? "";
      for (const block of whole) tellEvent(block, onEvent);
    }
    return { is: "ended", why: whyNot(server, "the connection was closed") };
  } catch (error) {
    return { is: "ended", why: whyNot(server, error) };
  }
}

function tellEvent(block: string, onEvent: (event: string, data: string) => void): void {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ""] = /^([a-z]+): ?(.*)$/s.exec(line) ?? [];
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  onEvent(event, data.join("\n"));
}
