import { type NetAction, printAction } from "../action/index.ts";
import { hostMatches, normaliseHost, possibleHosts } from "../pattern/index.ts";
import { addressOfBytes, parseAddress, type Reach } from "./addresses.ts";
import type { Protection } from "./protections.ts";
import { judgingOf, type Matcher } from "./kinds/index.ts";

/** Names of metadata services. Their addresses stand in addresses.ts. */
const METADATA: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
]);
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"]);
/** RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`, and what home and office networks use. */
const PRIVATE = /\.(?:local|localdomain|lan|home|corp|intranet|private|internal|home\.arpa)$/;

/** What a host of a URL reaches, as far as its name or address tells; a name of the outside world may lead anywhere all the same. */
export function reachOfHost(host: string): Reach {
  const name = normaliseHost(host) ?? host.toLowerCase();
  const bytes = parseAddress(name);
  if (bytes !== undefined) return addressOfBytes(bytes).reach;
  if (METADATA.has(name)) return "metadata";
  if (LOOPBACK.has(name) || name.endsWith(".localhost")) return "loopback";
  return PRIVATE.test(name) || !name.includes(".") ? "private" : "public";
}

const WHAT: Readonly<Record<Exclude<Reach, "public">, string>> = {
  metadata: "a cloud's metadata service, which hands out credentials",
  loopback: "this machine",
  "link-local": "the local network",
  private: "a private network",
  many: "many receivers at once",
  reserved: "an address that nothing should connect to",
};

/**
 * What lies behind this machine's own doors (SSRF). A metadata service is denied to everybody; that a web tool
 * reaches this machine or its network is a question. Every host that some reader could take from the URL counts.
 */
export function netProtection(action: NetAction): Protection | undefined {
  if (action.operation === "listen") return undefined;
  const hosts = [...(action.host === undefined ? [] : [action.host]), ...(action.url === undefined ? [] : possibleHosts(action.url))];
  const found = hosts.map((host) => ({ host, reach: reachOfHost(host) }));
  const metadata = found.find(({ reach }) => reach === "metadata");
  if (metadata !== undefined) return protection(action, "deny", "metadata", metadata.host);
  if (action.operation !== "fetch" || action.origin.by !== "tool") return undefined;
  const inner = found.find(({ reach }) => reach !== "public");
  return inner === undefined || inner.reach === "public" ? undefined : protection(action, "ask", inner.reach, inner.host);
}

function protection(action: NetAction, effect: "ask" | "deny", reach: Exclude<Reach, "public">, host: string): Protection {
  return {
    effect,
    builtin: reach === "metadata" ? reach : `protect.net-${reach}`,
    reason: `${printAction(action)} reaches ${WHAT[reach]}`,
    help: `the user can allow it by name: "WebFetch(domain:${host})" or "Net(${host})"`,
    scope: { by: "host", host },
  };
}

/** The rule is about this host, and not about hosts in general. */
export function namesHost(matcher: Matcher, host: string): boolean {
  const own = judgingOf(matcher).names.host(matcher);
  if (own === undefined) return false;
  const name = normaliseHost(host) ?? host;
  return own.host === name || (reachOfHost(own.host) === reachOfHost(name) && hostMatches(own.host, own.subdomains, name));
}
