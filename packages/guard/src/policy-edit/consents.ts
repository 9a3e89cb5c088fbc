import type { Json } from "@assent/core/edit/json5";
import type { ConsentEntry } from "@assent/core/policy";
import { consentId } from "../engine/index.ts";
import type { Machine } from "../state/index.ts";
import { type EditOutcome, editPolicy, policyPlace, readPlace, starterPolicy } from "./policy-file.ts";

/** What the user's own policy says yes to; none where it cannot be read. */
export function listConsents(machine: Machine): readonly ConsentEntry[] {
  const place = policyPlace("global", machine, machine.home);
  const found = place === undefined ? undefined : readPlace(place);
  return found?.is === "text" && found.read.ok ? (found.read.policy.settings.consents ?? []) : [];
}

/** How a consent stands among the rules that a question offers. */
export const consentText = (entry: ConsentEntry): string => JSON.stringify(entry);

/** Writes it into the user's own policy file, in the place of an older one for the same; what is wrong with it is said as of any file. */
export function addConsent(machine: Machine, entry: ConsentEntry): EditOutcome<never> {
  const place = policyPlace("global", machine, machine.home);
  if (place === undefined) return { is: "failed", why: "no place for your policy file was found" };
  return editPolicy(place, starterPolicy(place.layer, undefined), (_, { settings: { consents = [] } }) => {
    const others = consents.filter((one) => !isForSame(one, entry));
    const value: Json = [...others, { ...entry, given: new Date().toISOString() }].map((one): Json => ({
      ...one,
      ...("never" in one ? { never: [...one.never] } : {}),
    }));
    return { edits: [{ do: "set", path: ["consents"], value }] };
  });
}

/** Takes one out, by its id. */
export function removeConsent(machine: Machine, id: string): boolean {
  const place = policyPlace("global", machine, machine.home);
  if (place === undefined) return false;
  const done = editPolicy(place, starterPolicy(place.layer, undefined), (_, { settings: { consents = [] } }) => {
    const at = consents.findIndex((one) => consentId(one) === id);
    if (at === -1) return { stop: true };
    return { edits: [{ do: "remove", path: consents.length === 1 ? ["consents"] : ["consents", at] }] };
  });
  return done.is === "done";
}

const isForSame = (one: ConsentEntry, other: ConsentEntry): boolean => {
  if (one.consent !== other.consent || one.root !== other.root) return false;
  if (one.consent === "push-branches" && other.consent === "push-branches") return one.remote === other.remote;
  return one.consent === "fetch" && other.consent === "fetch" ? one.origin === other.origin : true;
};
