/** Builds DNS messages for tests. */
export type Rdata = { readonly cname: string } | { readonly address: Uint8Array } | { readonly raw: Buffer; readonly type: number };

export interface Answered {
  readonly name: string;
  readonly ttl?: number;
  readonly data: Rdata;
}

export function encodeName(name: string): Buffer {
  const labels = name === "" ? [] : name.split(".");
  return Buffer.concat([...labels.map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, "latin1")])), Buffer.of(0)]);
}

export function queryFor(name: string, type = 1, id = 0x1234): Buffer {
  const header = Buffer.from([id >> 8, id & 0xff, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([header, encodeName(name), Buffer.of(0, type, 0, 1)]);
}

export function answerTo(
  query: Buffer,
  records: readonly Answered[],
  flags: { readonly truncated?: boolean; readonly code?: number } = {},
): Buffer {
  const head = Buffer.from(query.subarray(0, questionEnd(query)));
  head[2] = 0x81 | (flags.truncated === true ? 2 : 0);
  head[3] = 0x80 | (flags.code ?? 0);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...records.map(record)]);
}

function questionEnd(query: Buffer): number {
  let at = 12;
  while ((query[at] ?? 0) !== 0) at += (query[at] ?? 0) + 1;
  return at + 5;
}

function record({ name, ttl = 60, data }: Answered): Buffer {
  const value = "cname" in data ? encodeName(data.cname) : "address" in data ? Buffer.from(data.address) : data.raw;
  const type = "cname" in data ? 5 : "address" in data ? (data.address.length === 4 ? 1 : 28) : data.type;
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(value.length, 8);
  return Buffer.concat([encodeName(name), fixed, value]);
}
