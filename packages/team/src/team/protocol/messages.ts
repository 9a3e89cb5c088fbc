import * as v from "valibot";
import {
  count,
  digestText,
  epochNumber,
  idText,
  isStorable,
  label,
  MESSAGE_LIMITS,
  PROTOCOL,
  secretText,
  shortText,
  version,
} from "./fields.ts";
import { EnrolledPolicy, GroupName } from "./policy.ts";

export { isStorable, MESSAGE_LIMITS, PROTOCOL };

/** A machine asks to be let in. */
export const EnrolRequest = v.strictObject({
  v: version,
  /** As its people call it; mostly its host name. */
  name: label,
  platform: label,
  /** Of Assent. */
  version: label,
  /** Of machines that have a policy of their own; absent: the one of all. */
  group: v.optional(GroupName),
});

/** A machine of a fleet lets itself in by a key. The secret is its own: its token follows from it. */
export const FleetEnrol = v.strictObject({
  v: version,
  name: label,
  platform: label,
  version: label,
  /** That of the key: a machine takes no other group's policy. */
  group: GroupName,
  key: secretText,
  secret: secretText,
});

/** Most that a rule about jobs of a CI may have. */
export const CI_LIMITS = { claims: 20, minutes: 1440, tokenBytes: 12_000 } as const;

/** A job of a CI lets itself in by the token that its CI has signed. */
export const CiEnrol = v.strictObject({
  v: version,
  name: label,
  platform: label,
  version: label,
  /** That of the rule: a machine takes no other group's policy. */
  group: GroupName,
  token: v.pipe(v.string(), v.maxLength(CI_LIMITS.tokenBytes), v.regex(/^[\w-]+\.[\w-]+\.[\w-]*$/)),
  secret: secretText,
});

/** What the person at the machine compares, and what the machine asks again with. */
export const EnrolStarted = v.strictObject({
  v: version,
  id: idText,
  secret: secretText,
  /** `BCDF-GHJK`: an administrator types it. */
  code: v.pipe(v.string(), v.regex(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)),
  /** Milliseconds until it is no longer valid. */
  expiresIn: count,
});

export const EnrolPoll = v.strictObject({ v: version, id: idText, secret: secretText });

export const EnrolState = v.variant("is", [
  v.strictObject({ v: version, is: v.literal("waiting") }),
  v.strictObject({ v: version, is: v.literal("refused") }),
  /** The token is given out once, and only its hash stays with the server. */
  v.strictObject({
    v: version,
    is: v.literal("joined"),
    machine: idText,
    organisation: idText,
    token: secretText,
    policy: v.optional(EnrolledPolicy),
  }),
]);

export const ChainPoint = v.strictObject({
  seq: count,
  hash: digestText,
});

export const ChainHead = v.strictObject({ epoch: epochNumber, ...ChainPoint.entries });

/** A line of the machine's log, and what its hash is salted with, so that the line can be erased and the hash stay. */
export const LogRecord = v.strictObject({
  salt: idText,
  body: v.pipe(shortText(MESSAGE_LIMITS.recordBytes), v.minLength(2), v.maxBytes(MESSAGE_LIMITS.recordBytes)),
});

export const LogBatch = v.strictObject({
  v: version,
  epoch: epochNumber,
  /** The record that the first one of the batch follows. */
  after: ChainPoint,
  records: v.pipe(v.array(LogRecord), v.minLength(1), v.maxLength(MESSAGE_LIMITS.recordsInBatch)),
  /** The hash of the last record: a batch that was damaged on its way is told from another one. */
  hash: digestText,
});

export const LogTaken = v.variant("is", [
  /** All of it is on the server now, some or all of it perhaps since before. */
  v.strictObject({ v: version, is: v.literal("taken"), head: ChainHead }),
  /** Records before it are missing. `head`: go on from there; absent where the epoch has not begun. */
  v.strictObject({ v: version, is: v.literal("gap"), head: v.optional(ChainHead) }),
  /** The server has other records under these numbers, from `seq` on. Both are kept: begin a new epoch. */
  v.strictObject({ v: version, is: v.literal("fork"), seq: count, head: ChainHead }),
  v.strictObject({ v: version, is: v.literal("damaged") }),
]);

/** What the server knows of the machine that asks. */
export const MachineState = v.strictObject({
  v: version,
  machine: idText,
  name: label,
  organisation: idText,
  /** Of the newest epoch; absent before the first record. */
  head: v.optional(ChainHead),
  forks: count,
});

export const Left = v.strictObject({ v: version, is: v.literal("left") });

/** Why a request was not taken, in words for a person. */
export const RefusedRequest = v.strictObject({ v: version, is: v.literal("error"), why: shortText(1000) });

export type EnrolRequest = v.InferOutput<typeof EnrolRequest>;
export type CiEnrol = v.InferOutput<typeof CiEnrol>;
export type FleetEnrol = v.InferOutput<typeof FleetEnrol>;
export type EnrolStarted = v.InferOutput<typeof EnrolStarted>;
export type EnrolState = v.InferOutput<typeof EnrolState>;
export type ChainPoint = v.InferOutput<typeof ChainPoint>;
export type ChainHead = v.InferOutput<typeof ChainHead>;
export type LogRecord = v.InferOutput<typeof LogRecord>;
export type LogBatch = v.InferOutput<typeof LogBatch>;
export type LogTaken = v.InferOutput<typeof LogTaken>;
export type MachineState = v.InferOutput<typeof MachineState>;

/** A message as it came, read by its schema; else where it differs from it. */
export function readMessage<T>(schema: v.GenericSchema<unknown, T>, text: string): { readonly message: T } | { readonly problem: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { problem: "is not JSON" };
  }
  const found = v.safeParse(schema, parsed, { abortEarly: true });
  if (found.success) return { message: found.output };
  const [issue] = found.issues;
  // What came is not repeated: it may be a secret, or long.
  const path = v.getDotPath(issue) ?? "";
  return { problem: path === "" ? "is not such a message" : `\`${path.slice(0, 100)}\` is not as it should be` };
}
