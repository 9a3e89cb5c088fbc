import * as v from "valibot";
import { label } from "./fields.ts";
import {
  isGroupName,
  isPublicKey,
  isSignedCommand,
  isSignedHeartbeat,
  isSignedKeyChange,
  isSignedPolicy,
  type PolicyCommand,
  type PolicyHeartbeat,
  type PolicyVersion,
  type Signed,
  type SignedKeyChange,
} from "@assent/guard/signature";

/** What machines, those who have the team's key, and the server say to each other about policies. What is signed: `packages/guard/src/signature/`. */

const version = v.literal(1);
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const hash = v.pipe(v.string(), v.regex(/^[\w-]{43}$/));
const time = v.pipe(v.string(), v.isoTimestamp());
const text = (most: number) => v.pipe(v.string(), v.maxLength(most));

export const GROUP_OF_ALL = "default";
const MOST_CHANGES = 100;

export const GroupName = v.custom<string>(isGroupName, "is not the name of a group");
export const PublicKey = v.custom<string>(isPublicKey, "is not a public key");
export const SignedPolicy = v.custom<Signed<PolicyVersion>>(isSignedPolicy, "is not a signed policy");
export const SignedHeartbeat = v.custom<Signed<PolicyHeartbeat>>(isSignedHeartbeat, "is not a signed heartbeat");
export const SignedChange = v.custom<SignedKeyChange>(isSignedKeyChange, "is not a signed change of the key");
export const SignedCommand = v.custom<Signed<PolicyCommand>>(isSignedCommand, "is not a signed command");

/** What a machine holds policies against from the moment it joined. */
export const EnrolledPolicy = v.strictObject({
  group: GroupName,
  /** The team's key; absent: it has none yet. */
  key: v.optional(PublicKey),
  least: v.optional(v.strictObject({ version: v.pipe(count, v.minValue(1)), hash })),
});

const problem = v.pipe(v.string(), v.maxLength(300), v.regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u));

/** A machine asks for its policy, and says which one it has. */
export const PolicyAsk = v.strictObject({
  v: version,
  have: v.optional(v.strictObject({ version: v.pipe(count, v.minValue(1)), hash })),
  /** Why it does not use the one that it was given. */
  problem: v.optional(problem),
});

export const PolicyAnswer = v.strictObject({
  v: version,
  is: v.literal("policy"),
  /** The team's newest key. */
  key: v.optional(PublicKey),
  changes: v.pipe(v.array(SignedChange), v.maxLength(MOST_CHANGES)),
  /** Absent where the machine has it, or there is none. */
  signed: v.optional(SignedPolicy),
  heartbeat: v.optional(SignedHeartbeat),
});

/** What a stream of events says of a policy: what would be answered now; absent: ask. */
export const PolicyTold = v.strictObject({ v: version, answer: v.optional(PolicyAnswer) });

/** Of those who have the team's key. */
export const PolicyCommandRequest = v.strictObject({
  v: version,
  command: SignedCommand,
  /** What is pushed. */
  signed: v.optional(SignedPolicy),
  change: v.optional(SignedChange),
});

/** What a new version is signed with, and after: not secret, and believed by nobody but as a hint. */
export const PolicyHead = v.strictObject({
  v: version,
  organisation: v.pipe(v.string(), v.regex(/^[\w-]{22}$/)),
  key: v.optional(PublicKey),
  /** By which the server says that a version is the newest. */
  heartbeat: PublicKey,
});

const MachineCount = v.strictObject({ version: v.nullable(count), machines: count });
export const PolicyGroup = v.strictObject({
  group: GroupName,
  versions: v.array(v.strictObject({ version: count, hash, made: time, key: text(22), pushed: time, percent: v.nullable(count) })),
  /** What all machines of the group have to have, and what some of them get already. */
  all: v.nullable(count),
  some: v.nullable(v.strictObject({ version: count, percent: count })),
  machines: v.array(MachineCount),
});

const coded = (most: number) => v.pipe(v.string(), v.maxLength(most), v.regex(/^[\w-]+$/));
/** A passkey that somebody registered at the server. */
export const RegisteredPasskey = v.strictObject({ person: label, id: coded(1400), key: coded(1500), name: label, made: time });

export const PolicyCommandAnswer = v.variant("is", [
  v.strictObject({ v: version, is: v.literal("done") }),
  v.strictObject({ v: version, is: v.literal("list"), groups: v.array(PolicyGroup), signed: v.optional(SignedPolicy) }),
  /** What people have registered: believed by nobody before a person has looked at it. */
  v.strictObject({ v: version, is: v.literal("passkeys"), passkeys: v.pipe(v.array(RegisteredPasskey), v.maxLength(1000)) }),
  /** Lines of the logs of a group's machines; there are more where `next` stands. */
  v.strictObject({ v: version, is: v.literal("records"), bodies: v.array(text(262_144)), machines: count, next: v.optional(text(200)) }),
]);

export type PolicyAsk = v.InferOutput<typeof PolicyAsk>;
export type PolicyAnswer = v.InferOutput<typeof PolicyAnswer>;
export type PolicyHead = v.InferOutput<typeof PolicyHead>;
export type PolicyGroup = v.InferOutput<typeof PolicyGroup>;
export type PolicyCommandRequest = v.InferOutput<typeof PolicyCommandRequest>;
export type RegisteredPasskey = v.InferOutput<typeof RegisteredPasskey>;
export type PolicyCommandAnswer = v.InferOutput<typeof PolicyCommandAnswer>;
export type EnrolledPolicy = v.InferOutput<typeof EnrolledPolicy>;
