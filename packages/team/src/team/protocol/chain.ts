import { createHash } from "node:crypto";
import type { ChainPoint, LogRecord } from "./messages.ts";

/**
 * The chain that a machine sends: every record has the hash of a salted hash of its text, so that the text can be erased
 * with its salt, and the chain still be followed. It begins anew for each machine and epoch, so that no record can be
 * moved to another one.
 */
export function chainStart(machine: string, epoch: number): ChainPoint {
  return { seq: 0, hash: createHash("sha256").update(`assent team log 1\n${machine}\n${epoch}\n`).digest("base64url") };
}

/** The hash of a record's text with its salt. */
export function saltedHash({ salt, body }: LogRecord): string {
  // The length of the salt is fixed: nothing of the text can pass for a part of it.
  return createHash("sha256").update(Buffer.from(salt, "base64url")).update(body, "utf8").digest("base64url");
}

/** The place after `previous` of a record with this salted hash. */
export function nextPoint(previous: ChainPoint, bodyHash: string): ChainPoint {
  const seq = previous.seq + 1;
  return { seq, hash: createHash("sha256").update(`${previous.hash}\n${seq}\n${bodyHash}\n`).digest("base64url") };
}

/** A record with its place. */
export interface ChainedRecord extends LogRecord, ChainPoint {
  readonly bodyHash: string;
}

export function chainRecords(after: ChainPoint, records: readonly LogRecord[]): readonly ChainedRecord[] {
  let at = after;
  return records.map((record) => {
    const bodyHash = saltedHash(record);
    at = nextPoint(at, bodyHash);
    return { ...record, ...at, bodyHash };
  });
}
