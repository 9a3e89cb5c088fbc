export {
  addRule,
  type EditOutcome,
  editPolicy,
  type PolicyPlace,
  policyPlace,
  type PolicyText,
  readPlace,
  ruleEntries,
  type RuleEntry,
  starterPolicy,
  startPolicy,
} from "./policy-file.ts";
export { addToProfile, minute, profilePlace, type ProfileRule, rememberInProfile, type Remembered, starterProfile } from "./profile.ts";
export { type ImportedProfiles, type LostPattern, readForeignProfiles } from "./profile-import.ts";
