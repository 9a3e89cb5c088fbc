import { parseJson } from "@assent/core/data";
import { Agent, request as requestPlain, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as SecureAgent, request as requestSecure } from "node:https";
import { brief } from "@assent/core/action";
import { bodyOf, eachPart } from "./body.ts";
import { EventReader, type ServerEvent } from "./sse.ts";

/** A server that is reached by HTTP, and what every request to it carries. */
export interface RemoteOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export interface UpstreamRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

/** A connection nobody uses is closed before most servers do so themselves: a request on it would be lost. Milliseconds. */
const IDLE_MS = 4000;
const MOST_REDIRECTS = 3;
/** Of an answer that is not a stream. */
const MOST_BYTES = 256 << 20;

/** Asks a server. No time limit: a tool may take as long as its client waits. */
export class Upstream {
  #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: Agent;

  constructor({ url, headers }: RemoteOptions) {
    this.#url = url;
    this.#headers = headers;
    this.#agent = new (url.protocol === "https:" ? SecureAgent : Agent)({ keepAlive: true, timeout: IDLE_MS });
  }

  /** What every request carries is ours, whatever a client sends. */
  async request(asked: UpstreamRequest): Promise<IncomingMessage> {
    for (let left = MOST_REDIRECTS; ; left -= 1) {
      const response = await this.#once(asked);
      const { statusCode = 0, headers } = response;
      if (statusCode !== 307 && statusCode !== 308) return response;
      const next = URL.canParse(headers.location ?? "", this.#url.href) ? new URL(headers.location ?? "", this.#url) : undefined;
      // What the requests carry is for this server only.
      if (next?.origin !== this.#url.origin || left === 0) return response;
      response.resume();
      this.#url = next;
    }
  }

  async #once({ method, headers, body, signal }: UpstreamRequest): Promise<IncomingMessage> {
    const ask: typeof requestPlain = this.#url.protocol === "https:" ? requestSecure : requestPlain;
    return await new Promise((resolve, reject) => {
      const all = { ...headers, ...this.#headers, ...(body === undefined ? {} : { "content-length": String(body.length) }) };
      const sent = ask(this.#url, { method, headers: all, agent: this.#agent }, resolve);
      sent.on("error", reject);
      const give = (): void => void sent.destroy(new Error("it was given up"));
      if (signal.aborted) give();
      signal.addEventListener("abort", give);
      sent.once("close", () => signal.removeEventListener("abort", give));
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export const isStream = ({ headers }: IncomingMessage): boolean => mediaType(headers) === "text/event-stream";
export const isJson = ({ headers }: IncomingMessage): boolean => mediaType(headers) === "application/json";
const mediaType = (headers: IncomingHttpHeaders): string => (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

/** Gives each event as it comes; `retry` is what the server said last. Throws where the connection breaks. */
export async function eachEvent(
  response: IncomingMessage,
  take: (event: ServerEvent, retry: number | undefined) => void,
): Promise<number | undefined> {
  const reader = new EventReader();
  await eachPart(response, (chunk) => {
    for (const event of reader.add(chunk)) take(event, reader.retry);
  });
  return reader.retry;
}

/** The whole of an answer. */
export const answerOf = async (response: IncomingMessage, limit = MOST_BYTES): Promise<Buffer> => await bodyOf(response, limit);

/** What a server that refuses says about it. */
export async function refusalOf(response: IncomingMessage): Promise<string> {
  const { statusCode = 0, statusMessage = "" } = response;
  let said = "";
  try {
    const text = (await answerOf(response, 65_536)).toString("utf8");
    said = messageIn(text) ?? (isJson(response) || text.length > 300 ? "" : text);
  } catch {
    // Its status says enough.
  }
  const more = said.trim() === "" ? "" : `: ${brief(said.trim(), 300)}`;
  const location = headerOf(response, "location");
  const help =
    statusCode === 401 || statusCode === 403
      ? "; it wants a token: --header 'Authorization: Bearer ${TOKEN}'"
      : location !== undefined && statusCode >= 300 && statusCode < 400
        ? `; it lies at ${brief(location, 200)} now`
        : "";
  return `the server answered ${statusCode} ${brief(statusMessage, 60)}${more}${help}`;
}

function messageIn(text: string): string | undefined {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || !("error" in value)) return undefined;
  const { error } = value;
  if (typeof error === "object" && error !== null && "message" in error && typeof error.message === "string") return error.message;
  return typeof error === "string" ? error : undefined;
}

export const networkError = (error: unknown): string =>
  `the server cannot be reached: ${brief(error instanceof Error ? error.message || error.name : String(error), 200)}`;
