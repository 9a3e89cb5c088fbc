export {
  addRule,
  type EditOutcome,
  editPolicy,
  packsNow,
  type PolicyPlace,
  policyPlace,
  type PolicyText,
  readPlace,
  readPolicyText,
  ruleEntries,
  savePolicy,
  type SaveOutcome,
  type WrittenRule,
  starterPolicy,
  startPolicy,
} from "./policy-file.ts";
export { addConsent, consentText, declineConsent, isDeclined, listConsents, removeConsent } from "./consents.ts";
export { addToProfile, minute, profilePlace, type ProfileRule, rememberInProfile, type RememberResult, starterProfile } from "./profile.ts";
export { type ImportedProfiles, type LostPattern, readForeignProfiles } from "./profile-import.ts";
