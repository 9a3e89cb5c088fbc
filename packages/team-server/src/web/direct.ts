import type { IncomingMessage, ServerResponse } from "node:http";
import { ABOUT_HEADER, PROTOCOL } from "@assent/team/team/protocol";

/** What comes all the time is answered on Node's own request and response: a framework's objects would cost more than the answer. */
export type DirectRoute = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** Of every answer. With `no-referrer` browsers say of the page's own forms that they come from nowhere (Fetch, 3.2). */
export const ANSWER_HEADERS: readonly (readonly [name: string, value: string])[] = [
  [
    "content-security-policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  ],
  ["cross-origin-resource-policy", "same-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["origin-agent-cluster", "?1"],
  ["referrer-policy", "same-origin"],
  ["strict-transport-security", "max-age=15552000; includeSubDomains"],
  ["x-content-type-options", "nosniff"],
  ["x-dns-prefetch-control", "off"],
  ["x-download-options", "noopen"],
  ["x-frame-options", "DENY"],
  ["x-permitted-cross-domain-policies", "none"],
  ["x-xss-protection", "0"],
  ["cache-control", "no-store"],
];
const HEAD = ANSWER_HEADERS.flat();

/** Begins an answer with these headers besides (name, value, name, …). */
export const beginAnswer = (response: ServerResponse, status: number, headers: readonly string[]): ServerResponse =>
  response.writeHead(status, [...HEAD, ...headers]);

export function answerDirectly(response: ServerResponse, status: number, message: unknown, headers: readonly string[] = []): void {
  const text = Buffer.from(JSON.stringify(message));
  beginAnswer(response, status, ["content-type", "application/json", "content-length", String(text.length), ...headers]).end(text);
}

export function refuseDirectly(response: ServerResponse, status: 400 | 401 | 413 | 429 | 503, why: string, retryAfter?: number): void {
  const headers = retryAfter === undefined ? [] : ["retry-after", String(retryAfter)];
  answerDirectly(response, status, { v: PROTOCOL, is: "error", why }, headers);
}

/** What the machine says of itself. */
export function aboutOf({ headers }: IncomingMessage): string | undefined {
  const said = headers[ABOUT_HEADER];
  return typeof said === "string" ? said : undefined;
}

/** How large the body says it is; `most` where it does not say. */
export function sizeOf({ headers }: IncomingMessage, most: number): number {
  // Node's parser of HTTP refuses what is not a number, and a length beside an encoding.
  return headers["content-length"] === undefined ? most : Number(headers["content-length"]);
}

/** The whole body; undefined: it is larger than that. Rejects where it was cut off. */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on("data", (part: Buffer) => {
      size += part.length;
      if (size <= most) return void parts.push(part);
      // The rest is read and forgotten.
      parts.length = 0;
      resolve(undefined);
    });
    request.on("end", () => resolve(size > most ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts)));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the request was cut off")));
  });
}
