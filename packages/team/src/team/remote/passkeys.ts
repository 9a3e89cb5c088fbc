import { isObject } from "@assent/core/data";
import { challengeOf, type PasskeyCredential, type PasskeyDemand, type PasskeyProof, whoSigned } from "@assent/guard/signature";
import { type Machine, readOwnObject } from "@assent/guard/state";
import { membershipFile } from "../membership-mark.ts";

/** Whose passkeys have to sign a yes, and for which machine of which team: as it was when the question was asked. */
export interface RemoteDemand extends PasskeyDemand {
  readonly organisation: string;
  readonly machine: string;
}

/** What the policy demands, on this machine; undefined: it belongs to no team, so that nobody can sign anything for it. */
export function demandHere(machine: Machine, { site, credentials }: PasskeyDemand): RemoteDemand | undefined {
  const { organisation, machine: id } = readOwnObject(membershipFile(machine), 1 << 20, undefined) ?? {};
  if (typeof organisation !== "string" || typeof id !== "string") return undefined;
  return { organisation, machine: id, site, credentials: credentials.map(credentialOf) };
}

const credentialOf = ({ person, id, key }: PasskeyCredential): PasskeyCredential => ({ person, id, key });

/** Whether both demand the same. */
export const sameDemand = (one: RemoteDemand | undefined, other: RemoteDemand | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Who signed a yes to this question, by the names of the policy; a part that does not hold makes all of it none. */
export function signersOf(
  question: { readonly id: string; readonly request: string; readonly until: number },
  demand: RemoteDemand,
  proofs: readonly PasskeyProof[],
): readonly string[] {
  const { organisation, machine } = demand;
  const challenge = challengeOf({ ...question, organisation, machine });
  const people = proofs.map((proof) => whoSigned(proof, challenge, demand));
  return people.every((one) => "person" in one) ? [...new Set(people.map(({ person }) => person))] : [];
}

/** As it was written; `broken`: it is something else. */
export function readDemand(value: unknown): RemoteDemand | "broken" {
  if (!isObject(value)) return "broken";
  const { organisation, machine, site, credentials } = value;
  if (typeof organisation !== "string" || typeof machine !== "string" || typeof site !== "string" || !Array.isArray(credentials))
    return "broken";
  const read = credentials.flatMap((one: unknown): PasskeyCredential[] => {
    if (!isObject(one)) return [];
    const { person, id, key } = one;
    return typeof person === "string" && typeof id === "string" && typeof key === "string" ? [{ person, id, key }] : [];
  });
  return read.length === credentials.length ? { organisation, machine, site, credentials: read } : "broken";
}

/** What came, or was kept, as proofs. */
export function readProofs(value: unknown): readonly PasskeyProof[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown): PasskeyProof[] => {
    if (!isObject(one)) return [];
    const { credential, authenticatorData, clientDataJSON, signature } = one;
    if (typeof credential !== "string" || typeof authenticatorData !== "string") return [];
    if (typeof clientDataJSON !== "string" || typeof signature !== "string") return [];
    return [{ credential, authenticatorData, clientDataJSON, signature }];
  });
}
