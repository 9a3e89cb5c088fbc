import { normaliseHost } from "../pattern/index.ts";

/**
 * What an address reaches, from its bytes: RFC 6890 and the IANA special-purpose registries.
 * Judged is what a packet would reach, so an IPv4 address wrapped into an IPv6 one counts as itself.
 */
export type Reach =
  /** This machine: 127/8, ::1, and 0.0.0.0 and ::, which Linux connects to itself. */
  | "loopback"
  /** A cloud's metadata service, which hands out credentials. */
  | "metadata"
  | "link-local"
  /** RFC 1918, carrier-grade NAT (RFC 6598), unique local addresses (RFC 4193), site-local. */
  | "private"
  /** Multicast and broadcast: many receivers. */
  | "many"
  /** Nothing that a program should connect to. */
  | "reserved"
  | "public";

export interface Address {
  /** 4 or 16 bytes, as given. */
  readonly bytes: Uint8Array;
  /** As a URL's host would have it: `192.0.2.1`, `[2001:db8::1]`. Wrapped IPv4 addresses are unwrapped. */
  readonly host: string;
  readonly reach: Reach;
  /** `0.0.0.0` and `::`: every address of this machine, when bound to. */
  readonly any: boolean;
  /** The IPv4 address within an IPv6 one, where there is one. */
  readonly embedded?: string;
}

type AddressRow = readonly [prefix: string, bits: number, reach: Reach];

const V4: readonly AddressRow[] = [
  ["169.254.169.254", 32, "metadata"], // AWS, Google, Azure, Oracle, DigitalOcean, OpenStack
  ["169.254.170.2", 32, "metadata"], // AWS containers
  ["169.254.170.23", 32, "metadata"], // AWS EKS pods
  ["169.254.42.42", 32, "metadata"], // Scaleway
  ["100.100.100.200", 32, "metadata"], // Alibaba
  ["192.0.0.192", 32, "metadata"], // Oracle, older
  ["168.63.129.16", 32, "metadata"], // Azure's wire server: a public address that only answers from inside
  ["0.0.0.0", 32, "loopback"],
  ["0.0.0.0", 8, "reserved"],
  ["127.0.0.0", 8, "loopback"],
  ["10.0.0.0", 8, "private"],
  ["172.16.0.0", 12, "private"],
  ["192.168.0.0", 16, "private"],
  ["100.64.0.0", 10, "private"],
  ["169.254.0.0", 16, "link-local"],
  ["192.0.0.0", 24, "reserved"],
  ["192.88.99.0", 24, "reserved"], // 6to4 relays, RFC 7526
  ["224.0.0.0", 4, "many"],
  ["255.255.255.255", 32, "many"],
  ["240.0.0.0", 4, "reserved"],
  // 198.18.0.0/15 (benchmarks) stays public: proxies hand its addresses out in place of real ones.
];

const V6: readonly AddressRow[] = [
  ["fd00:ec2::254", 128, "metadata"], // AWS
  ["fd00:ec2::23", 128, "metadata"], // AWS EKS pods
  ["fd20:ce::254", 128, "metadata"], // Google
  ["fd00:42::42", 128, "metadata"], // Scaleway
  ["::", 128, "loopback"],
  ["::1", 128, "loopback"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "private"],
  ["fc00::", 7, "private"],
  ["ff00::", 8, "many"],
  ["100::", 64, "reserved"],
  ["2001::", 32, "reserved"], // Teredo: a tunnel to wherever its bits say
  ["5f00::", 16, "reserved"], // SRv6 segments
];

/** Where an IPv6 address carries an IPv4 one: prefix, bits, offset of the four bytes. */
const EMBEDDED: readonly (readonly [prefix: string, bits: number, at: number])[] = [
  ["::ffff:0:0", 96, 12], // mapped, RFC 4291
  ["::ffff:0:0:0", 96, 12], // translated, RFC 2765
  ["64:ff9b::", 96, 12], // NAT64, RFC 6052
  ["64:ff9b:1::", 48, 12], // NAT64 for local use, RFC 8215, with its usual /96
  ["2002::", 16, 2], // 6to4, RFC 3056
  ["::", 96, 12], // compatible, deprecated; `::` and `::1` are told before
];

interface AddressRange {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

const readRanges = <T>(table: readonly (readonly [prefix: string, bits: number, is: T])[]) =>
  table.map(([prefix, bits, is]) => ({ bytes: parsed(prefix), bits, is }));

const readAll = () => [readRanges(V4), readRanges(V6), readRanges(EMBEDDED)] as const;

/** Read when the first address is told about: few calls of a hook name one. */
let read: ReturnType<typeof readAll> | undefined;

/** What the address with these bytes (4 or 16) is. */
export function addressOfBytes(bytes: Uint8Array): Address {
  const [v4, v6, embedded] = (read ??= readAll());
  if (bytes.length === 4) {
    return { bytes, host: dotted(bytes), reach: v4.find((range) => isIn(bytes, range))?.is ?? "public", any: isZero(bytes) };
  }
  const plain = v6.find((range) => isIn(bytes, range));
  if (plain !== undefined) return { bytes, host: bracketed(bytes), reach: plain.is, any: isZero(bytes) };
  const wrap = embedded.find((range) => isIn(bytes, range));
  if (wrap === undefined) return { bytes, host: bracketed(bytes), reach: "public", any: false };
  const inner = addressOfBytes(bytes.subarray(wrap.is, wrap.is + 4));
  return { bytes, host: inner.host, reach: inner.reach, any: inner.any, embedded: inner.host };
}

/** Reads an address as written by a resolver's configuration: `192.0.2.1`, `fe80::1%eth0`, `[::1]`. Undefined: none. */
export function parseAddress(text: string): Uint8Array | undefined {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  const percent = bare.indexOf("%");
  const plain = percent === -1 ? bare : bare.slice(0, percent);
  return plain.includes(":") ? parseV6(plain) : parseV4(plain);
}

function parsed(text: string): Uint8Array {
  const bytes = parseAddress(text);
  if (bytes === undefined) throw new TypeError(`no address: ${text}`);
  return bytes;
}

/** Four decimal numbers without leading zeros; inet_aton's other spellings are no addresses here. */
function parseV4(text: string): Uint8Array | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return undefined;
  return Uint8Array.from(parts, Number);
}

function parseV6(text: string): Uint8Array | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head = "", tail] = halves;
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  if (front === undefined || back === undefined) return undefined;
  const missing = 16 - front.length - back.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return Uint8Array.from([...front, ...Array<number>(missing).fill(0), ...back]);
}

function groups(text: string): number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const parts = text.split(":");
  for (const [at, part] of parts.entries()) {
    if (part.includes(".")) {
      const quad = at === parts.length - 1 ? parseV4(part) : undefined;
      if (quad === undefined) return undefined;
      bytes.push(...quad);
    } else {
      if (!/^[\da-f]{1,4}$/i.test(part)) return undefined;
      const value = Number.parseInt(part, 16);
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes;
}

function isIn(bytes: Uint8Array, { bytes: prefix, bits }: AddressRange): boolean {
  const whole = bits >> 3;
  for (let i = 0; i < whole; i++) if (bytes[i] !== prefix[i]) return false;
  const rest = bits & 7;
  if (rest === 0) return true;
  const mask = (0xff << (8 - rest)) & 0xff;
  return ((bytes[whole] ?? 0) & mask) === ((prefix[whole] ?? 0) & mask);
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function dotted(bytes: Uint8Array): string {
  return bytes.join(".");
}

/** RFC 5952: lower case, no leading zeros, the first longest run of at least two zero groups as `::`. */
function bracketed(bytes: Uint8Array): string {
  const words = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  let start = -1;
  let length = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && words[end] === 0) end++;
    if (end - i > length) [start, length] = [i, end - i];
    if (end > i) i = end;
  }
  const hex = (from: number, to: number): string =>
    words
      .slice(from, to)
      .map((word) => word.toString(16))
      .join(":");
  return start === -1 ? `[${hex(0, 8)}]` : `[${hex(0, start)}::${hex(start + length, 8)}]`;
}

/** Names of metadata services. */
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
