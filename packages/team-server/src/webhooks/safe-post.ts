import { lookup as lookupName } from "node:dns/promises";
import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { request as tlsRequest } from "node:https";
import { BlockList, isIP, isIPv6 } from "node:net";

/** Where nothing of the public internet is: our own machine and network, addresses of clouds' own services, and what is reserved. */
const CLOSED_V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const;
/** Of 2000::/3, outside of which nothing is public, what carries an address of IPv4 or is reserved. */
const CLOSED_V6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const closed = new BlockList();
for (const [net, bits] of CLOSED_V4) closed.addSubnet(net, bits, "ipv4");
for (const [net, bits] of CLOSED_V6) closed.addSubnet(net, bits, "ipv6");
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");

/** Whether an address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  const kind = isIP(address);
  if (kind === 4) return !closed.check(address, "ipv4");
  return kind === 6 && global6.check(address, "ipv6") && !closed.check(address, "ipv6");
}

export type PostResult = { readonly is: "sent" } | { readonly is: "failed"; readonly why: string };

export interface SafePost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The operator lets it go to private addresses. */
  readonly allowPrivate: boolean;
  readonly timeoutMs?: number;
  /** For tests. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const resolveAll = async (host: string): Promise<readonly string[]> =>
  (await lookupName(host, { all: true })).map(({ address }) => address);
const TIMEOUT_MS = 10_000;

/** An address that something may be posted to; else why not. */
export function readWebhookUrl(text: string, allowPrivate: boolean): URL | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:"))) return "write https://HOST/…";
  if (url.username !== "" || url.password !== "") return "it holds a password";
  return url;
}

/**
 * Posts to an address that somebody typed. What its name leads to is looked up once, refused where one of it is not public, and exactly
 * that address is connected to, so that a name which leads elsewhere the second time leads nowhere. No redirect is followed, and nothing of
 * the answer is kept but its status.
 */
export async function postSafely({
  url: text,
  headers,
  body,
  allowPrivate,
  timeoutMs = TIMEOUT_MS,
  resolve,
}: SafePost): Promise<PostResult> {
  const url = readWebhookUrl(text, allowPrivate);
  if (typeof url === "string") return { is: "failed", why: url };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  let address: string | undefined;
  try {
    const found = isIP(host) === 0 ? await (resolve ?? resolveAll)(host) : [host];
    if (!allowPrivate && !found.every(isPublicAddress)) return { is: "failed", why: "the address is not a public one" };
    [address] = found;
  } catch {
    return { is: "failed", why: "the name is not known" };
  }
  if (address === undefined) return { is: "failed", why: "the name is not known" };
  const options: RequestOptions = {
    method: "POST",
    host: address,
    family: isIPv6(address) ? 6 : 4,
    port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, "content-length": Buffer.byteLength(body), "user-agent": "assent-team" },
    // No connection is shared: the next one is looked up again.
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
  };
  return new Promise((done) => {
    const answered = (response: IncomingMessage): void => {
      const { statusCode = 0 } = response;
      response.destroy();
      done(statusCode >= 200 && statusCode < 300 ? { is: "sent" } : { is: "failed", why: `HTTP ${statusCode}` });
    };
    const asked =
      url.protocol === "https:"
        ? tlsRequest({ ...options, ...(isIP(host) === 0 ? { servername: host } : {}) }, answered)
        : plainRequest(options, answered);
    asked.on("error", (error: NodeJS.ErrnoException) => done({ is: "failed", why: error.code ?? error.name }));
    asked.end(body);
  });
}
