import { sha256 } from "@assent/core/data";

/**
 * The chain: every record ends in `"seq":N,"hash":"…"}`. The hash is of the record that it follows (its hash), of whatever
 * lies between the two (a torn line; records that others wrote at the same moment), and of the record itself. `"after":B`
 * says how many bytes lie between, where there are any.
 */
export interface Link {
  readonly seq: number;
  /** SHA-256, base64url. */
  readonly hash: string;
}

/** What the first record of all follows. */
export const GENESIS: Link = { seq: 0, hash: "" };

const encoder = new TextEncoder();

/** The record after `previous`: its line without the line break, and its link. `line`: a JSON object. */
export function chained(previous: Link, between: Uint8Array, line: string): { readonly line: string; readonly link: Link } {
  const seq = previous.seq + 1;
  const body = `${line.slice(0, -1)}${between.length === 0 ? "" : `,"after":${between.length}`},"seq":${seq}`;
  const hash = linkHash(sha256, previous.hash, between, encoder.encode(body));
  return { line: `${body},"hash":"${hash}"}`, link: { seq, hash } };
}

/** SHA-256 of some parts, one after the other: this one in JavaScript, for a process that lives a moment; node's own to verify. */
export type Sha256 = (parts: readonly Uint8Array[]) => Uint8Array;

const BREAK = encoder.encode("\n");

export function linkHash(digest: Sha256, previous: string, between: Uint8Array, body: Uint8Array): string {
  return Buffer.from(digest([encoder.encode(previous), BREAK, between, body])).toString("base64url");
}

/** `,"seq":N,"hash":"…"}` at the end of a line, which a body cannot hold: quotes inside its strings are escaped. */
const LINK = /(?:,"after":(\d{1,9}))?,"seq":(\d{1,15}),"hash":"([\w-]{43})"\}$/;
const LONGEST_LINK = 110;

/** The link at the end of a line, and how long the part is that the hash covers. Undefined: no record of the chain. */
export function linkOf(line: Buffer): { readonly link: Link; readonly covered: number; readonly after: number } | undefined {
  const from = Math.max(0, line.length - LONGEST_LINK);
  const found = LINK.exec(line.toString("latin1", from));
  if (found === null) return undefined;
  const [, after = "", seq = "", hash = ""] = found;
  const covered = line.length - `,"hash":"${hash}"}`.length;
  return { link: { seq: Number(seq), hash }, covered, after: Number(after) };
}
