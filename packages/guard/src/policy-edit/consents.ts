import type { Json } from "@assent/core/edit/json5";
import type { ConsentEntry } from "@assent/core/policy";
import { consentId } from "../engine/index.ts";
import { changeConsent, type Machine, readConsent } from "../state/index.ts";
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
    const others = consents.filter((one) => subjectOf(one) !== subjectOf(entry));
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

const SUBJECT: ReadonlySet<string> = new Set(["consent", "root", "remote", "origin", "port", "server", "folder"]);
/** What a sentence is about, whatever else bounds it. */
const subjectOf = (entry: ConsentEntry): string => JSON.stringify(Object.entries(entry).filter(([key]) => SUBJECT.has(key)));

/** A person said no where it was offered. */
export const isDeclined = (machine: Machine, entry: ConsentEntry): boolean =>
  readConsent(machine).declined?.includes(subjectOf(entry)) === true;

/** It is not offered again; `assent allow --here` still asks. */
export const declineConsent = (machine: Machine, entry: ConsentEntry): string | undefined =>
  changeConsent(machine, (said) => ({
    ...said,
    declined: [...new Set([...(said.declined ?? []), subjectOf(entry)])].slice(-MOST_DECLINED),
  }));

const MOST_DECLINED = 500;
