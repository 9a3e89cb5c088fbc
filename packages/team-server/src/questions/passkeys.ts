import * as v from "valibot";
import { challengeOf, credentialMark, type PasskeyProof, type PasskeyChallenge, whoSigned } from "@assent/guard/signature";
import { AskedPasskeys, SignedProof } from "@assent/team/team/protocol";
import type { PersonPasskey } from "../enrol/index.ts";

/** What the browser of somebody who says yes is asked for. */
export interface AskedPasskey {
  readonly site: string;
  readonly challenge: string;
  /** Ids of the person's own passkeys that the machine's policy knows. */
  readonly allowed: readonly string[];
}

/** What a question demands, as it was kept. */
export const demandIn = (text: string | null): AskedPasskeys | undefined =>
  text === null ? undefined : v.parse(AskedPasskeys, JSON.parse(text));

type AskedOne = Omit<PasskeyChallenge, "until">;

const knownOf = ({ credentials }: AskedPasskeys, own: readonly PersonPasskey[]): readonly PersonPasskey[] =>
  own.filter(({ id }) => credentials.includes(credentialMark(id)));

export function askedPasskey(
  demand: AskedPasskeys | undefined,
  question: AskedOne,
  own: readonly PersonPasskey[],
): AskedPasskey | undefined {
  if (demand === undefined) return undefined;
  const { site, until } = demand;
  return { site, challenge: challengeOf({ ...question, until }), allowed: knownOf(demand, own).map(({ id }) => id) };
}

/**
 * The proof of a person's own passkey; undefined: it is none. The machine looks for itself, by its policy: this is so that people hear at
 * once what it would not take.
 */
export function provenBy(text: string, demand: AskedPasskeys, question: AskedOne, own: readonly PersonPasskey[]): PasskeyProof | undefined {
  const proof = proofIn(text);
  if (proof === undefined) return undefined;
  const found = whoSigned(proof, challengeOf({ ...question, until: demand.until }), {
    site: demand.site,
    credentials: knownOf(demand, own),
  });
  return "person" in found ? proof : undefined;
}

function proofIn(text: string): PasskeyProof | undefined {
  try {
    const read = v.safeParse(SignedProof, JSON.parse(text));
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  }
}
