/**
 * Just enough of DNS messages (RFC 1035, section 4) to know which addresses a question was answered with.
 * INVARIANT: whatever the bytes are, it ends, reads nothing outside them, and returns undefined where they make no sense.
 */

export const TYPE = { A: 1, CNAME: 5, AAAA: 28 } as const;
const CLASS_IN = 1;
const HEADER = 12;
/** RFC 1035, 2.3.4, in bytes on the wire. */
const LONGEST_NAME = 255;
/** More than any honest answer has; bounds the work on hostile ones. */
const MOST_RECORDS = 512;

export interface DnsQuery {
  readonly id: number;
  /** Lower case, without the last dot; undefined for a name that is no host name (a blank, a dot or NUL within a label). */
  readonly name: string | undefined;
  readonly type: number;
  readonly class: number;
  /** Where the question section ends. */
  readonly end: number;
}

export interface DnsAnswer extends DnsQuery {
  /** Cut off (TC): to be asked again over TCP. */
  readonly truncated: boolean;
  readonly code: number;
  /** Names that the question's name is another word for, in order. */
  readonly aliases: readonly string[];
  /** `ttl` in seconds: the shortest on the way there. */
  readonly addresses: readonly { readonly address: Uint8Array; readonly ttl: number }[];
}

/** A query with exactly one question. */
export function readQuery(message: Buffer): DnsQuery | undefined {
  return message.length >= HEADER && ((message[2] ?? 0) & 0x80) === 0 ? readQuestion(message) : undefined;
}

/** A response with exactly one question, and the addresses it leads to by CNAMEs of this very message. */
export function readAnswer(message: Buffer): DnsAnswer | undefined {
  if (message.length < HEADER || ((message[2] ?? 0) & 0x80) === 0) return undefined;
  const question = readQuestion(message);
  if (question === undefined) return undefined;
  const truncated = ((message[2] ?? 0) & 0x02) !== 0;
  const code = (message[3] ?? 0) & 0x0f;
  const records = readRecords(message, question.end, message.readUInt16BE(6));
  // A cut answer may end within a record: what came before it is whole.
  if (records === undefined || (!records.whole && !truncated)) return undefined;
  return { ...question, truncated, code, ...(code === 0 ? follow(question, records.list) : { aliases: [], addresses: [] }) };
}

interface DnsRecord {
  readonly name: string | undefined;
  readonly type: number;
  readonly ttl: number;
  /** Of A and AAAA. */
  readonly address?: Uint8Array;
  /** Of CNAME. */
  readonly target?: string;
}

/** Only what the chain from the question's name reaches was answered; the rest is somebody's addition. */
function follow(question: DnsQuery, records: readonly DnsRecord[]): Pick<DnsAnswer, "aliases" | "addresses"> {
  const aliases: string[] = [];
  let name = question.name;
  let ttl = Number.POSITIVE_INFINITY;
  while (name !== undefined) {
    const alias = records.find((record) => record.type === TYPE.CNAME && record.name === name);
    if (alias?.target === undefined || alias.target === question.name || aliases.includes(alias.target)) break;
    aliases.push(alias.target);
    ttl = Math.min(ttl, alias.ttl);
    name = alias.target;
  }
  const addresses = records.flatMap((record) =>
    name !== undefined && record.name === name && record.address !== undefined && record.type === question.type
      ? [{ address: record.address, ttl: Math.min(ttl, record.ttl) }]
      : [],
  );
  return { aliases, addresses };
}

function readQuestion(message: Buffer): DnsQuery | undefined {
  if (message.readUInt16BE(4) !== 1) return undefined;
  const name = readName(message, HEADER);
  if (name === undefined || name.end + 4 > message.length) return undefined;
  return {
    id: message.readUInt16BE(0),
    name: name.text,
    type: message.readUInt16BE(name.end),
    class: message.readUInt16BE(name.end + 2),
    end: name.end + 4,
  };
}

function readRecords(message: Buffer, start: number, count: number): { list: DnsRecord[]; whole: boolean } | undefined {
  const list: DnsRecord[] = [];
  if (count > MOST_RECORDS) return undefined;
  let at = start;
  for (let i = 0; i < count; i++) {
    const name = readName(message, at);
    if (name === undefined || name.end + 10 > message.length) return { list, whole: false };
    const type = message.readUInt16BE(name.end);
    const lifetime = message.readInt32BE(name.end + 4);
    const length = message.readUInt16BE(name.end + 8);
    const data = name.end + 10;
    if (data + length > message.length) return { list, whole: false };
    at = data + length;
    if (message.readUInt16BE(name.end + 2) !== CLASS_IN) continue;
    // RFC 2181, 8: a negative time to live counts as 0.
    const record = { name: name.text, type, ttl: Math.max(0, lifetime) };
    if (type === TYPE.CNAME) {
      const target = readName(message, data);
      if (target === undefined || target.end !== at) return undefined;
      list.push({ ...record, ...(target.text === undefined ? {} : { target: target.text }) });
    } else if (type === TYPE.A || type === TYPE.AAAA) {
      if (length !== (type === TYPE.A ? 4 : 16)) return undefined;
      list.push({ ...record, address: Uint8Array.from(message.subarray(data, at)) });
    }
  }
  return { list, whole: true };
}

/** A name and where what follows it starts. Pointers lead backwards only, so that no loop exists. */
function readName(message: Buffer, start: number): { text: string | undefined; end: number } | undefined {
  const labels: string[] = [];
  let plain = true;
  let size = 1;
  let at = start;
  let lowest = start;
  let end: number | undefined;
  for (;;) {
    const length = message[at];
    if (length === undefined) return undefined;
    if (length === 0) break;
    if ((length & 0xc0) === 0xc0) {
      const low = message[at + 1];
      if (low === undefined) return undefined;
      end ??= at + 2;
      const target = ((length & 0x3f) << 8) | low;
      if (target >= lowest || target < HEADER) return undefined;
      lowest = target;
      at = target;
      continue;
    }
    if ((length & 0xc0) !== 0) return undefined;
    size += length + 1;
    if (size > LONGEST_NAME || at + 1 + length > message.length) return undefined;
    const label = message.toString("latin1", at + 1, at + 1 + length);
    if (!/^[\w-]+$/.test(label)) plain = false;
    labels.push(label);
    at += 1 + length;
  }
  return { text: plain ? labels.join(".").toLowerCase() : undefined, end: end ?? at + 1 };
}

/** Without an answer, but to be asked again over TCP (TC). */
export function truncated(query: Buffer, question: DnsQuery): Buffer {
  const answer = refusal(query, question, 2);
  answer[2] = (answer[2] ?? 0) | 0x02;
  answer[3] = 0x80;
  return answer;
}

/**
 * `localhost` and the names below it are this machine and nobody else's to answer (RFC 6761, 6.3). They have no IPv6 address here:
 * where the machine's own list of hosts has one, no resolver asks.
 */
export function loopbackAnswer(query: Buffer, question: DnsQuery): Buffer | undefined {
  if (question.class !== CLASS_IN || !/(?:^|\.)localhost$/.test(question.name ?? "")) return undefined;
  const answer = refusal(query, question, 0);
  if (question.type !== TYPE.A) return answer;
  answer.writeUInt16BE(1, 6);
  // The name is the question's, at the end of the header; for no time at all; four bytes.
  return Buffer.concat([answer, Buffer.of(0xc0, HEADER, 0, TYPE.A, 0, CLASS_IN, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1)]);
}

/** The response that a server gives which will not answer: RFC 1035, 4.1.1. `code`: 0 nothing there, 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
export function refusal(query: Buffer, question: DnsQuery, code: 0 | 2 | 3 | 5): Buffer {
  const answer = Buffer.from(query.subarray(0, question.end));
  answer[2] = 0x80 | ((answer[2] ?? 0) & 0x79);
  answer[3] = 0x80 | code;
  answer.fill(0, 6, HEADER);
  return answer;
}
