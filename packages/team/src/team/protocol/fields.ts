import * as v from "valibot";

/**
 * What a machine and the team server say to each other: packages/team-server/PROTOCOL.md. Both sides check what they get by these
 * schemas, and know no field beside them. The number rises when a message changes its meaning.
 */
export const PROTOCOL = 1;

/** What a message may hold at most. */
export const MESSAGE_LIMITS = {
  /** UTF-8 bytes of one record: a line of the log and its link (`audit/record.ts`). */
  recordBytes: 262_144,
  recordsInBatch: 1000,
  /** Of a whole request or answer. */
  messageBytes: 2 << 20,
  nameLength: 128,
} as const;

export const version = v.literal(PROTOCOL);

/** PostgreSQL keeps no NUL, and half of a surrogate pair is no text at all. */
export const isStorable = (text: string): boolean => !/\0|\p{Surrogate}/u.test(text);
export const shortText = (most: number) => v.pipe(v.string(), v.maxLength(most), v.check(isStorable, "is not a text that can be kept"));

/** What is shown to people beside others' words: one line, nothing that controls a terminal or turns the direction of text. */
export const label = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(MESSAGE_LIMITS.nameLength),
  v.regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, "holds signs that cannot be shown"),
);

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const epochNumber = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000));
/** SHA-256, base64url. */
export const digestText = v.pipe(v.string(), v.regex(/^[\w-]{43}$/, "is not a SHA-256"));
/** 16 random bytes, base64url. */
export const idText = v.pipe(v.string(), v.regex(/^[\w-]{22}$/, "is not an id"));
export const secretText = v.pipe(v.string(), v.regex(/^[\w-]{43}$/, "is not a secret"));
