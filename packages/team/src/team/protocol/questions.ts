import { POINT_NAMES } from "@assent/core/data";
import * as v from "valibot";
import { count, digestText, idText, label, shortText, version } from "./fields.ts";

/** Of questions that machines ask, and of their answers. */
export const QUESTION_LIMITS = {
  inMessage: 50,
  /** That one machine may have open. */
  open: 200,
  whatLength: 4000,
  textLength: 1000,
  noteLength: 500,
  /** Milliseconds: a yes that comes later is none. */
  longest: 24 * 3_600_000,
} as const;

/** What a passkey signed: each part as a browser gives it. */
const proofPart = (most: number) => v.pipe(v.string(), v.maxLength(most), v.regex(/^[\w-]+$/, "is not base64url"));
export const SignedProof = v.strictObject({
  credential: proofPart(1400),
  authenticatorData: proofPart(2000),
  clientDataJSON: proofPart(2000),
  signature: proofPart(1500),
});

/** That only passkeys which the machine's policy knows can say yes. */
export const AskedPasskeys = v.strictObject({
  /** The origin at which they sign. */
  site: v.pipe(v.string(), v.maxLength(300), v.regex(/^https?:\/\/[a-z\d.:-]+$/, "is not a site")),
  /** After that a yes is none: it is a part of what is signed. Milliseconds since 1970, by the machine's clock. */
  until: count,
  /** Which ones, by `credentialMark`. */
  credentials: v.pipe(v.array(idText), v.maxLength(200)),
});

/** What people see of a question, secrets taken out. */
export const TeamAbout = v.strictObject({
  /** `run`, `hook`: where it came up. */
  point: v.picklist(POINT_NAMES),
  agent: v.optional(label),
  /** After "wants to". */
  what: v.optional(v.pipe(shortText(QUESTION_LIMITS.whatLength), v.minLength(1))),
  reason: v.pipe(shortText(QUESTION_LIMITS.textLength), v.minLength(1)),
  folder: v.optional(shortText(QUESTION_LIMITS.textLength)),
  /** The rule that asks. */
  rule: v.optional(shortText(QUESTION_LIMITS.textLength)),
});

export const TeamQuestion = v.strictObject({
  /** The machine's own id of it. */
  id: idText,
  /** What the machine made of the request: SHA-256. */
  request: digestText,
  /** Milliseconds that an answer is worth something. */
  expiresIn: v.pipe(count, v.maxValue(QUESTION_LIMITS.longest)),
  /** How many people have to say yes. */
  people: v.picklist([1, 2]),
  passkeys: v.optional(AskedPasskeys),
  about: TeamAbout,
});

export const AskedQuestions = v.strictObject({
  v: version,
  questions: v.pipe(v.array(TeamQuestion), v.minLength(1), v.maxLength(QUESTION_LIMITS.inMessage)),
});

/** `taken`: people can see it. `other`: another question has this id. `full`: too many are open. */
export const KeptAtTeam = v.strictObject({
  v: version,
  is: v.literal("kept"),
  questions: v.array(v.strictObject({ id: idText, is: v.picklist(["taken", "other", "full"]) })),
});

/** They need no answer any more. */
export const WithdrawnQuestions = v.strictObject({
  v: version,
  ids: v.pipe(v.array(idText), v.minLength(1), v.maxLength(QUESTION_LIMITS.inMessage)),
});

export const TeamAnswer = v.strictObject({
  id: idText,
  request: digestText,
  answer: v.picklist(["allow", "deny"]),
  /** Who gave it. */
  by: v.pipe(v.array(label), v.minLength(1), v.maxLength(2)),
  note: v.optional(shortText(QUESTION_LIMITS.noteLength)),
  /** What their passkeys signed, with a yes, in their order. */
  proofs: v.optional(v.pipe(v.array(SignedProof), v.minLength(1), v.maxLength(2))),
});

/** What was answered and not acknowledged yet. */
export const TeamAnswers = v.strictObject({
  v: version,
  answers: v.pipe(v.array(TeamAnswer), v.maxLength(QUESTION_LIMITS.open)),
});

/** `applied`: once. `late`: somebody else was faster, or it needs no answer any more. `refused`: it is none that the machine takes. */
export const TakenAnswers = v.strictObject({
  v: version,
  taken: v.pipe(
    v.array(v.strictObject({ id: idText, request: digestText, became: v.picklist(["applied", "late", "refused"]) })),
    v.minLength(1),
    v.maxLength(QUESTION_LIMITS.open),
  ),
});

export const Noted = v.strictObject({ v: version, is: v.literal("noted") });

export type TeamAbout = v.InferOutput<typeof TeamAbout>;
export type AskedPasskeys = v.InferOutput<typeof AskedPasskeys>;
export type TeamQuestion = v.InferOutput<typeof TeamQuestion>;
export type TeamAnswer = v.InferOutput<typeof TeamAnswer>;
export type KeptAtTeam = v.InferOutput<typeof KeptAtTeam>;
export type AnswerTaken = v.InferOutput<typeof TakenAnswers>["taken"][number];
